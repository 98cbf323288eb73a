#include "study/suite.h"

#include <string.h>

bool suite_grow(struct suite *s, void *array, uint32_t count, uint32_t *cap, size_t size)
{
    void **at = array;
    if (count < *cap)
        return true;
    uint32_t more = *cap ? 2 * *cap : 16;
    void *p = arena_array(&s->tree.arena, more, size);
    if (!p)
        return err_list_add(s->tree.errors, ERR_RESOURCE, s->tree.file, 0, 0, "out of memory");
    if (count > 0)
        memcpy(p, *at, count * size);
    *at = p;
    *cap = more;
    return true;
}

const char *suite_limit_name(enum suite_limit_name limit, bool *upper)
{
    static const struct {
        const char *name;
        bool upper;
    } rows[SUITE_LIMIT_COUNT] = {
#define LIMIT(name, upper) {#name, upper},
        SUITE_LIMITS(LIMIT)
#undef LIMIT
    };
    *upper = rows[limit].upper;
    return rows[limit].name;
}

bool suite_read_sets(struct suite *s, const struct tree_node *mapping, const char ***sets,
                     uint32_t *count)
{
    TRY(tree_check_kind(&s->tree, mapping, TREE_MAPPING, "set"));
    *sets = arena_array(&s->tree.arena, mapping->count + 1, sizeof **sets);
    if (!*sets)
        return TREE_FAIL(&s->tree, mapping, "out of memory");
    for (const struct tree_node *n = mapping->first; n; n = n->next) {
        struct buf value = {0};
        tree_print(n, &value);
        const char *set =
            value.failed ? NULL
                         : tree_printf(&s->tree, "%s=%s", n->key, value.data ? value.data : "");
        buf_free(&value);
        if (!set)
            return TREE_FAIL(&s->tree, n, "out of memory");
        (*sets)[(*count)++] = set;
    }
    return true;
}

bool suite_read_measured(struct suite *s, const struct tree_node *node, uint32_t *index)
{
    const char *name = tree_text(&s->tree, node, "measured");
    const char *path = name ? tree_path(&s->tree, name) : NULL;
    TRY(path);
    for (*index = 0; *index < s->measured_count; (*index)++)
        if (strcmp(s->measured[*index].file, path) == 0)
            return true;
    TRY(suite_grow(s, &s->measured, s->measured_count, &s->measured_cap, sizeof *s->measured));
    struct sim_err err = {0};
    struct measured *m = &s->measured[s->measured_count++];
    if (measured_read(m, path, &err))
        return true;
    return err_list_add(s->tree.errors, err.code, err.file, err.line, err.col, "%s", err.msg);
}

static bool read_root(struct suite *s)
{
    static const char *const keys[] = {
        "title",      "config",    "set",  "inputs", "measured", "column", "column_min",
        "column_max", "statistic", "warm", "limits", "parts",    NULL};
    const struct tree_node *root = s->tree.root, *inputs = tree_find(root, "inputs");
    const struct tree_node *title = tree_find(root, "title"), *card = tree_find(root, "config"),
                           *set = tree_find(root, "set");
    bool ok = tree_check_keys(&s->tree, root, keys, "");
    if (title)
        ok = (s->title = tree_text(&s->tree, title, "title")) != NULL && ok;
    if (card) {
        s->card = tree_text(&s->tree, card, "config");
        if (s->card && strchr(s->card, '/'))
            s->card = tree_path(&s->tree, s->card);
        ok = s->card && ok;
    }
    if (set)
        ok = suite_read_sets(s, set, &s->sets, &s->set_count) && ok;
    if (!inputs)
        return TREE_FAIL(&s->tree, root, "expected the key inputs, found none");
    ok = suite_read_inputs(s, inputs) && ok;
    return suite_read_parts(s) && ok;
}

bool suite_read(struct suite *out, const char *path, struct err_list *errors)
{
    memset(out, 0, sizeof *out);
    return tree_read(&out->tree, path, errors) && read_root(out);
}

void suite_free(struct suite *s)
{
    for (uint32_t i = 0; i < s->measured_count; i++)
        measured_free(&s->measured[i]);
    tree_free(&s->tree);
    memset(s, 0, sizeof *s);
}
