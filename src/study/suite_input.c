/* `inputs` of a suite: launches one by one, traces and listings whole. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "launch/launch_file.h"
#include "study/suite.h"

static bool add(struct suite *s, const struct tree_node *node, const struct suite_input *in)
{
    TRY(in->name && in->path);
    for (uint32_t i = 0; i < s->input_count; i++)
        if (strcmp(s->inputs[i].name, in->name) == 0)
            return TREE_FAIL(&s->tree, node, "inputs: two are called '%s'; give one a name",
                             in->name);
    TRY(suite_grow(s, &s->inputs, s->input_count, &s->input_cap, sizeof *s->inputs));
    s->inputs[s->input_count++] = *in;
    return true;
}

/* Name of a trace or listing: its file's without folder and suffixes. */
static const char *file_name(struct suite *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t n = strcspn(base, ".");
    return tree_printf(&s->tree, "%.*s", (int)(n > 0 ? n : strlen(base)), base);
}

static bool read_path(struct suite *s, const struct tree_node *mapping, const char *key,
                      const char **out)
{
    const struct tree_node *node = tree_find(mapping, key);
    if (!node)
        return true;
    char name[64];
    snprintf(name, sizeof name, "inputs: %s", key);
    const char *text = tree_text(&s->tree, node, name);
    *out = text ? suite_path(s, text) : NULL;
    return *out != NULL;
}

/* What all kinds of inputs have. */
static bool read_common(struct suite *s, const struct tree_node *node, struct suite_input *in)
{
    const struct tree_node *name = tree_find(node, "name"), *set = tree_find(node, "set"),
                           *card = tree_find(node, "config"),
                           *measured = tree_find(node, "measured"),
                           *hazards = tree_find(node, "check_hazards");
    bool ok = read_path(s, node, "sass", &in->files.sass);
    ok = read_path(s, node, "cubin", &in->files.cubin) && ok;
    ok = read_path(s, node, "res_usage", &in->files.res_usage) && ok;
    if (name)
        ok = (in->name = tree_text(&s->tree, name, "inputs: name")) != NULL && ok;
    if (card) {
        in->card = tree_text(&s->tree, card, "inputs: config");
        if (in->card && strchr(in->card, '/'))
            in->card = suite_path(s, in->card);
        ok = in->card && ok;
    }
    if (set)
        ok = suite_read_sets(s, set, &in->sets, &in->set_count) && ok;
    if (measured)
        ok = suite_read_measured(s, measured, &in->measured) && ok;
    if (hazards)
        ok = tree_bool(&s->tree, hazards, "inputs: check_hazards", &in->check_hazards) && ok;
    return ok;
}

/* A launch of the file, or all of them: F or F:NAME. */
static bool add_launches(struct suite *s, const struct tree_node *node, const char *path,
                         const struct suite_input *like)
{
    struct launch_file *file = NULL;
    const char *colon = strrchr(path, ':'), *only = NULL;
    if (colon && !strchr(colon, '/')) {
        only = colon + 1;
        path = tree_printf(&s->tree, "%.*s", (int)(colon - path), path);
        TRY(path);
    }
    TRY(launch_file_load(&file, path, s->tree.errors));
    bool ok = true;
    uint32_t added = 0;
    for (uint32_t i = 0; ok && i < file->count; i++) {
        const char *name = file->launches[i].name;
        if (only && strcmp(only, name) != 0)
            continue;
        struct suite_input in = *like;
        if (!in.name || !only)
            in.name = tree_printf(&s->tree, "%s", name);
        in.path = tree_printf(&s->tree, "%s:%s", path, name);
        ok = add(s, node, &in);
        added++;
    }
    launch_file_free(file);
    if (ok && added == 0)
        return TREE_FAIL(&s->tree, node, "inputs: %s holds no launch '%s'", path, only ? only : "");
    return ok;
}

/* One file, or all of a pattern in the order of their names. */
static bool add_files(struct suite *s, const struct tree_node *node, const char *path,
                      const struct suite_input *like)
{
    glob_t found;
    struct suite_input in = *like;
    if (!strpbrk(path, "*?[")) {
        in.path = path;
        in.name = in.name ? in.name : file_name(s, path);
        return add(s, node, &in);
    }
    if (in.name)
        return TREE_FAIL(&s->tree, node, "inputs: a pattern cannot have a name");
    if (glob(path, 0, NULL, &found) != 0)
        return TREE_FAIL(&s->tree, node, "inputs: no file matches '%s'", path);
    bool ok = true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        in.path = tree_printf(&s->tree, "%s", found.gl_pathv[i]);
        in.name = in.path ? file_name(s, in.path) : NULL;
        ok = add(s, node, &in);
    }
    globfree(&found);
    return ok;
}

static bool read_input(struct suite *s, const struct tree_node *node)
{
    static const char *const keys[] = {"launches", "trace",    "listing",       "name",
                                       "sass",     "cubin",    "res_usage",     "config",
                                       "set",      "measured", "check_hazards", NULL};
    static const char *const kinds[] = {"launches", "trace", "listing"};
    TRY(tree_check_kind(&s->tree, node, TREE_MAPPING, "inputs"));
    TRY(tree_check_keys(&s->tree, node, keys, "inputs: "));
    struct suite_input in = {.measured = MEASURED_NONE};
    uint32_t kind = 0, given = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (tree_find(node, kinds[i])) {
            kind = i;
            given++;
        }
    }
    if (given != 1)
        return TREE_FAIL(&s->tree, node,
                         "inputs: expected one of the keys launches, trace and listing, found %s",
                         given == 0 ? "none" : "several");
    bool ok = read_common(s, node, &in);
    const struct tree_node *file = tree_find(node, kinds[kind]);
    const char *text = tree_text(&s->tree, file, kinds[kind]);
    const char *path = text ? suite_path(s, text) : NULL;
    TRY(ok && path);
    if (kind == 0)
        return add_launches(s, file, path, &in);
    return add_files(s, file, path, &in);
}

bool suite_read_inputs(struct suite *s, const struct tree_node *list)
{
    bool ok = true;
    TRY(tree_check_kind(&s->tree, list, TREE_LIST, "inputs"));
    for (const struct tree_node *n = list->first; n; n = n->next)
        ok = read_input(s, n) && ok;
    if (ok && s->input_count == 0)
        return TREE_FAIL(&s->tree, list, "inputs: expected at least one, found none");
    return ok;
}
