/* `parts` of a suite, or the suite itself as its only part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/statistic.h"
#include "study/suite.h"

/* Statistics of an input that are none of study/statistic.h. */
static const struct {
    const char *name;
    enum suite_kind kind;
} special[] = {
    {"issue_distance", SUITE_ISSUE},
    {"control_distance", SUITE_CONTROL},
    {"dependence.area_percent", SUITE_AREA},
};
#define SPECIAL (sizeof special / sizeof special[0])

/* A number, or a percentage as in "25 %". */
static bool read_limit(struct suite *s, const struct tree_node *node, struct suite_limit *out)
{
    char name[64];
    snprintf(name, sizeof name, "limits: %s", node->key);
    TRY(tree_fraction(&s->tree, node, name, &out->value));
    out->given = true;
    out->line = node->line;
    out->col = node->col;
    return true;
}

static bool read_limits(struct suite *s, const struct tree_node *node, struct suite_part *p)
{
    const char *names[SUITE_LIMIT_COUNT + 1] = {NULL};
    bool ok = true, upper;
    for (uint32_t i = 0; i < SUITE_LIMIT_COUNT; i++)
        names[i] = suite_limit_name((enum suite_limit_name)i, &upper);
    TRY(tree_check_kind(&s->tree, node, TREE_MAPPING, "limits"));
    TRY(tree_check_keys(&s->tree, node, names, "limits: "));
    for (uint32_t i = 0; i < SUITE_LIMIT_COUNT; i++) {
        const struct tree_node *n = tree_find(node, names[i]);
        if (n)
            ok = read_limit(s, n, &p->limits[i]) && ok;
    }
    return ok;
}

/* measured: F, or a list of files with measurements of the same launches. */
static bool read_files(struct suite *s, const struct tree_node *node, struct suite_part *p)
{
    bool single = node->kind == TREE_SCALAR;
    if (!single)
        TRY(tree_check_kind(&s->tree, node, TREE_LIST, "measured"));
    uint32_t *list = arena_array(&s->tree.arena, node->count + 1, sizeof *list);
    if (!list)
        return TREE_FAIL(&s->tree, node, "out of memory");
    p->measured = list;
    p->measured_count = 0;
    for (const struct tree_node *n = single ? node : node->first; n; n = single ? NULL : n->next)
        TRY(suite_read_measured(s, n, &list[p->measured_count++]));
    return true;
}

static bool read_columns(struct suite *s, const struct tree_node *node, struct suite_part *p)
{
    static const char *const keys[] = {"column", "column_min", "column_max"};
    const char **const out[] = {&p->column, &p->column_min, &p->column_max};
    bool ok = true;
    for (uint32_t i = 0; i < 3; i++) {
        const struct tree_node *n = tree_find(node, keys[i]);
        if (n)
            ok = (*out[i] = tree_text(&s->tree, n, keys[i])) != NULL && ok;
    }
    return ok;
}

/* All keys of a part but its statistic, over what it has from the suite. */
static bool read_keys(struct suite *s, const struct tree_node *node, struct suite_part *p)
{
    const struct tree_node *measured = tree_find(node, "measured"), *warm = tree_find(node, "warm"),
                           *limits = tree_find(node, "limits");
    bool ok = read_columns(s, node, p);
    if (measured)
        ok = read_files(s, measured, p) && ok;
    if (warm)
        ok = tree_bool(&s->tree, warm, "warm", &p->warm) && ok;
    if (limits)
        ok = read_limits(s, limits, p) && ok;
    return ok;
}

static bool add_part(struct suite *s, const struct suite_part *p)
{
    TRY(suite_grow(s, &s->parts, s->part_count, &s->part_cap, sizeof *s->parts));
    s->parts[s->part_count++] = *p;
    return true;
}

static bool find_statistic(struct suite *s, const struct tree_node *node, const char *name,
                           struct suite_part *p)
{
    uint32_t near;
    char hint[STATISTIC_NAME_SIZE];
    p->statistic_name = name;
    for (size_t i = 0; i < SPECIAL; i++) {
        p->kind = special[i].kind;
        if (strcmp(special[i].name, name) == 0)
            return true;
    }
    p->kind = SUITE_STATISTIC;
    if (statistic_find(name, &p->statistic, &near))
        return true;
    if (near == statistic_count())
        return TREE_FAIL(&s->tree, node, "statistic: unknown name '%s'", name);
    statistic_name(near, hint);
    return TREE_FAIL(&s->tree, node, "statistic: unknown name '%s' (did you mean '%s'?)", name,
                     hint);
}

/* Name of a part that is one of several with different statistics. */
static const char *joined_name(struct suite *s, const struct suite_part *base, const char *name)
{
    return base->name ? tree_printf(&s->tree, "%s/%s", base->name, name)
                      : tree_printf(&s->tree, "%s", name);
}

/* `all`: every statistic with a hardware counter that was measured. */
static bool add_all(struct suite *s, const struct tree_node *node, const struct suite_part *base)
{
    uint32_t before = s->part_count;
    for (uint32_t i = 0; i < statistic_count(); i++) {
        char counter[STATISTIC_NAME_SIZE], name[STATISTIC_NAME_SIZE];
        statistic_counter(i, counter);
        if (!counter[0] ||
            measured_column(&s->measured[base->measured[0]], counter) == MEASURED_NONE)
            continue;
        struct suite_part p = *base;
        p.one_of_many = true;
        statistic_name(i, name);
        p.kind = SUITE_STATISTIC;
        p.statistic = i;
        p.name = joined_name(s, base, name);
        p.statistic_name = tree_printf(&s->tree, "%s", name);
        TRY(p.name && p.statistic_name && add_part(s, &p));
    }
    if (s->part_count == before)
        return TREE_FAIL(&s->tree, node, "statistic: %s has no column of a hardware counter",
                         s->measured[base->measured[0]].file);
    return true;
}

/* A list: names, or NAME: COLUMN. */
static bool add_list(struct suite *s, const struct tree_node *list, const struct suite_part *base)
{
    for (const struct tree_node *n = list->first; n; n = n->next) {
        struct suite_part p = *base;
        p.one_of_many = true;
        const char *name = n->text;
        if (n->kind == TREE_MAPPING && n->count == 1) {
            name = n->first->key;
            p.column = tree_text(&s->tree, n->first, "statistic");
            TRY(p.column);
        } else {
            name = tree_text(&s->tree, n, "statistic");
            TRY(name);
        }
        TRY(find_statistic(s, n, name, &p));
        p.name = joined_name(s, base, name);
        TRY(p.name && add_part(s, &p));
    }
    return true;
}

static bool add_statistics(struct suite *s, const struct tree_node *node, struct suite_part *p)
{
    if (p->measured_count == 0) {
        bool own = true;
        for (uint32_t i = 0; i < s->input_count; i++)
            own = own && s->inputs[i].measured != MEASURED_NONE;
        if (!own)
            return err_list_add(s->tree.errors, ERR_CONFIG, s->tree.file, p->line, p->col,
                                "expected the key measured, found none");
    }
    if (!node) {
        TRY(find_statistic(s, s->tree.root, STATISTIC_DEFAULT, p));
        return add_part(s, p);
    }
    if (node->kind == TREE_LIST)
        return add_list(s, node, p);
    const char *name = tree_text(&s->tree, node, "statistic");
    TRY(name);
    if (strcmp(name, "all") == 0 && p->measured_count > 0)
        return add_all(s, node, p);
    return find_statistic(s, node, name, p) && add_part(s, p);
}

static bool read_part(struct suite *s, const struct tree_node *node, const struct suite_part *base)
{
    static const char *const keys[] = {"name",       "measured",   "column",
                                       "column_min", "column_max", "statistic",
                                       "warm",       "limits",     NULL};
    struct suite_part p = *base;
    TRY(tree_check_kind(&s->tree, node, TREE_MAPPING, "parts"));
    bool ok = tree_check_keys(&s->tree, node, keys, "parts: ");
    const struct tree_node *name = tree_find(node, "name"),
                           *statistic = tree_find(node, "statistic");
    if (!name)
        return TREE_FAIL(&s->tree, node, "parts: expected the key name, found none");
    p.name = tree_text(&s->tree, name, "parts: name");
    for (uint32_t i = 0; p.name && i < s->part_count; i++)
        if (strcmp(s->parts[i].name, p.name) == 0)
            return TREE_FAIL(&s->tree, name, "parts: two are called '%s'", p.name);
    p.line = node->line;
    p.col = node->col;
    ok = read_keys(s, node, &p) && p.name && ok;
    return ok &&
           add_statistics(s, statistic ? statistic : tree_find(s->tree.root, "statistic"), &p);
}

bool suite_read_parts(struct suite *s)
{
    const struct tree_node *root = s->tree.root, *list = tree_find(root, "parts");
    struct suite_part base = {.line = root->line, .col = root->col};
    TRY(read_keys(s, root, &base));
    if (!list)
        return add_statistics(s, tree_find(root, "statistic"), &base);
    bool ok = true;
    TRY(tree_check_kind(&s->tree, list, TREE_LIST, "parts"));
    for (const struct tree_node *n = list->first; n; n = n->next)
        ok = read_part(s, n, &base) && ok;
    if (ok && s->part_count == 0)
        return TREE_FAIL(&s->tree, list, "parts: expected at least one, found none");
    return ok;
}
