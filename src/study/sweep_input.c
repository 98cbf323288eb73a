/* `inputs` of a sweep file: traces by pattern, launches one by one. */
#include <glob.h>
#include <string.h>
#include <sys/stat.h>

#include "launch/launch_file.h"
#include "study/sweep_file.h"

struct inputs {
    struct sweep *s;
    uint32_t capacity;
};

/* Adds an input; a name that is taken is an error at `node`. */
static bool add(struct inputs *in, const struct tree_node *node, const struct sweep_input *input)
{
    struct sweep *s = in->s;
    TRY(input->name && input->path);
    for (uint32_t i = 0; i < s->input_count; i++)
        if (strcmp(s->inputs[i].name, input->name) == 0)
            return TREE_FAIL(&s->tree, node, "inputs: two are called '%s'; give one a name",
                             input->name);
    if (s->input_count == in->capacity) {
        uint32_t capacity = in->capacity ? 2 * in->capacity : 32;
        struct sweep_input *more = arena_array(&s->tree.arena, capacity, sizeof *more);
        if (!more)
            return TREE_FAIL(&s->tree, node, "out of memory");
        if (in->capacity > 0)
            memcpy(more, s->inputs, s->input_count * sizeof *more);
        s->inputs = more;
        in->capacity = capacity;
    }
    s->inputs[s->input_count++] = *input;
    return true;
}

static bool ends_with(const char *text, size_t len, const char *suffix)
{
    size_t n = strlen(suffix);
    return len > n && strncmp(text + len - n, suffix, n) == 0;
}

/* Name of a trace: its file's without suffixes; of a kernelslist the folder's. */
static const char *trace_name(struct sweep *s, const char *path)
{
    static const char *const packed[] = {".gz", ".xz", ".zst"};
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    for (;;) {
        size_t start = len;
        while (start > 0 && path[start - 1] != '/')
            start--;
        const char *base = path + start;
        size_t n = len - start;
        if (n < 11 || strncmp(base, "kernelslist", 11) != 0 || start < 2) {
            for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++)
                if (ends_with(base, n, packed[i]))
                    n -= strlen(packed[i]);
            for (size_t dot = n; dot > 1; dot--)
                if (base[dot - 1] == '.')
                    return tree_printf(&s->tree, "%.*s", (int)dot - 1, base);
            return tree_printf(&s->tree, "%.*s", (int)n, base);
        }
        len = start - 1;
    }
}

/* All files of a pattern, in the order of their names. */
static bool add_traces(struct inputs *in, const struct tree_node *node, const char *pattern,
                       const char *name, const struct source_files *files)
{
    struct sweep *s = in->s;
    glob_t found;
    bool ok = true;
    const char *path = sweep_path(s, pattern);
    TRY(path);
    if (glob(path, 0, NULL, &found) != 0)
        return TREE_FAIL(&s->tree, node, "inputs: expected a trace, found no file '%s'", path);
    if (name && found.gl_pathc > 1)
        ok = TREE_FAIL(&s->tree, node, "inputs: one name '%s' for %zu files", name,
                       (size_t)found.gl_pathc);
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        struct sweep_input input = {.files = *files};
        input.path = tree_printf(&s->tree, "%s", found.gl_pathv[i]);
        input.name = name ? name : trace_name(s, found.gl_pathv[i]);
        ok = add(in, node, &input);
    }
    globfree(&found);
    return ok;
}

/* All launches of FILE, or the one of FILE:NAME. */
static bool add_launches(struct inputs *in, const struct tree_node *node, const char *written,
                         const char *name, const struct source_files *files)
{
    struct sweep *s = in->s;
    struct stat st;
    struct launch_file *f = NULL;
    const char *path = sweep_path(s, written);
    TRY(path);
    const char *colon = strrchr(path, ':');
    if (stat(path, &st) != 0 && colon) {
        struct sweep_input input = {.name = name ? name : colon + 1, .path = path, .files = *files};
        return add(in, node, &input);
    }
    TRY(launch_file_load(&f, path, s->tree.errors));
    bool ok = true;
    if (name && f->count > 1)
        ok = TREE_FAIL(&s->tree, node, "inputs: one name '%s' for %u launches", name, f->count);
    for (uint32_t i = 0; ok && i < f->count; i++) {
        struct sweep_input input = {.files = *files};
        input.path = tree_printf(&s->tree, "%s:%s", path, f->launches[i].name);
        input.name = name ? name : tree_printf(&s->tree, "%s", f->launches[i].name);
        ok = add(in, node, &input);
    }
    launch_file_free(f);
    return ok;
}

/* A file beside an input; *out stays NULL when the key is not there. */
static bool read_file(struct sweep *s, const struct tree_node *node, const char *key,
                      const char **out)
{
    struct stat st;
    const struct tree_node *file = tree_find(node, key);
    if (!file)
        return true;
    const char *text = tree_text(&s->tree, file, key);
    TRY(text);
    *out = sweep_path(s, text);
    TRY(*out);
    if (stat(*out, &st) != 0)
        return TREE_FAIL(&s->tree, file, "%s: found no file '%s'", key, *out);
    return true;
}

static bool read_input(struct inputs *in, const struct tree_node *node)
{
    static const char *const keys[] = {"trace", "launches",  "name", "sass",
                                       "cubin", "res_usage", NULL};
    struct sweep *s = in->s;
    struct source_files files = {.sass = NULL};
    if (node->kind == TREE_SCALAR) {
        const char *text = tree_text(&s->tree, node, "inputs");
        return text && add_traces(in, node, text, NULL, &files);
    }
    if (node->kind == TREE_LIST)
        return TREE_FAIL(&s->tree, node, "inputs: expected a path or a mapping, found a list");
    TRY(tree_check_keys(&s->tree, node, keys, "inputs: "));
    const struct tree_node *trace = tree_find(node, "trace"),
                           *launches = tree_find(node, "launches"), *name = tree_find(node, "name");
    if (!trace == !launches)
        return TREE_FAIL(&s->tree, node,
                         "inputs: expected one of the keys trace and launches, found %s",
                         trace ? "both" : "none");
    const char *path = tree_text(&s->tree, trace ? trace : launches, trace ? "trace" : "launches");
    const char *called = name ? tree_text(&s->tree, name, "name") : NULL;
    TRY(path && (!name || called));
    TRY(read_file(s, node, "sass", &files.sass) && read_file(s, node, "cubin", &files.cubin) &&
        read_file(s, node, "res_usage", &files.res_usage));
    return trace ? add_traces(in, node, path, called, &files)
                 : add_launches(in, node, path, called, &files);
}

bool sweep_read_inputs(struct sweep *s, const struct tree_node *list)
{
    struct inputs in = {.s = s};
    bool ok = true;
    TRY(tree_check_kind(&s->tree, list, TREE_LIST, "inputs"));
    if (list->count == 0)
        return TREE_FAIL(&s->tree, list, "inputs: expected at least one, found none");
    for (const struct tree_node *n = list->first; n; n = n->next)
        ok = read_input(&in, n) && ok;
    return ok;
}
