#include "study/input.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "launch/launch_file.h"

struct inputs {
    struct tree *t;
    const struct tree_node *node; /* that of the path */
    bool (*add)(void *user, const struct tree_node *node, const struct study_input *in);
    void *user;
};

static bool give(const struct inputs *r, const struct study_input *in)
{
    return in->name && in->path && r->add(r->user, r->node, in);
}

/* Name of a trace or listing: its file's without folder and suffixes; of a kernelslist the
 * folder's.
 */
static const char *file_name(struct tree *t, const char *path)
{
    static const char list[] = "kernelslist";
    const char *end = path + strlen(path);
    while (end > path + 1 && end[-1] == '/')
        end--;
    const char *base = end;
    while (base > path && base[-1] != '/')
        base--;
    if (strncmp(base, list, sizeof list - 1) == 0 && base > path + 1) {
        end = base - 1;
        base = end;
        while (base > path && base[-1] != '/')
            base--;
        return tree_printf(t, "%.*s", (int)(end - base), base);
    }
    const char *dot = memchr(base, '.', (size_t)(end - base));
    return tree_printf(t, "%.*s", (int)((dot && dot > base ? dot : end) - base), base);
}

/* All launches of the file F, or the one of F:NAME. */
static bool give_launches(const struct inputs *r, const char *path, const struct study_input *like)
{
    struct launch_file *file = NULL;
    const char *colon = strrchr(path, ':'), *only = NULL;
    if (colon && !strchr(colon, '/')) {
        only = colon + 1;
        path = tree_printf(r->t, "%.*s", (int)(colon - path), path);
        TRY(path);
    }
    TRY(launch_file_load(&file, path, r->t->errors));
    bool ok = true;
    uint32_t given = 0;
    if (like->name && !only && file->count > 1)
        ok = TREE_FAIL(r->t, r->node, "inputs: one name '%s' for %u launches", like->name,
                       file->count);
    for (uint32_t i = 0; ok && i < file->count; i++) {
        const char *name = file->launches[i].name;
        if (only && strcmp(only, name) != 0)
            continue;
        struct study_input in = *like;
        in.name = like->name ? like->name : tree_printf(r->t, "%s", name);
        in.path = tree_printf(r->t, "%s:%s", path, name);
        ok = give(r, &in);
        given++;
    }
    launch_file_free(file);
    if (ok && given == 0)
        return TREE_FAIL(r->t, r->node, "inputs: %s holds no launch '%s'", path, only ? only : "");
    return ok;
}

/* One file, or all of a pattern in the order of their names. */
static bool give_files(const struct inputs *r, const char *path, const struct study_input *like)
{
    glob_t found;
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (!exists && !strpbrk(path, "*?["))
        return TREE_FAIL(r->t, r->node, "inputs: no file '%s'", path);
    if (exists) {
        struct study_input in = *like;
        in.path = path;
        in.name = in.name ? in.name : file_name(r->t, path);
        return give(r, &in);
    }
    if (like->name)
        return TREE_FAIL(r->t, r->node, "inputs: a pattern cannot have a name");
    if (glob(path, 0, NULL, &found) != 0)
        return TREE_FAIL(r->t, r->node, "inputs: no file matches '%s'", path);
    bool ok = true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        struct study_input in = *like;
        in.path = tree_printf(r->t, "%s", found.gl_pathv[i]);
        in.name = in.path ? file_name(r->t, in.path) : NULL;
        ok = give(r, &in);
    }
    globfree(&found);
    return ok;
}

static bool read_file(struct tree *t, const struct tree_node *mapping, const char *key,
                      const char **out)
{
    const struct tree_node *node = tree_find(mapping, key);
    if (!node)
        return true;
    char name[64];
    snprintf(name, sizeof name, "inputs: %s", key);
    struct stat st;
    const char *text = tree_text(t, node, name);
    *out = text ? tree_path(t, text) : NULL;
    if (*out && stat(*out, &st) != 0)
        return TREE_FAIL(t, node, "%s: no file '%s'", name, *out);
    return *out != NULL;
}

static bool read_mapping(struct inputs *r, const struct tree_node *node)
{
    static const char *const kinds[] = {"launches", "trace", "listing"};
    struct study_input in = {.name = NULL};
    const struct tree_node *file = NULL, *name = tree_find(node, "name");
    uint32_t given = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const struct tree_node *found = tree_find(node, kinds[i]);
        file = found ? found : file;
        given += found != NULL;
    }
    if (given != 1)
        return TREE_FAIL(r->t, node,
                         "inputs: expected one of the keys launches, trace and listing, found %s",
                         given == 0 ? "none" : "several");
    bool ok = read_file(r->t, node, "sass", &in.files.sass);
    ok = read_file(r->t, node, "cubin", &in.files.cubin) && ok;
    ok = read_file(r->t, node, "res_usage", &in.files.res_usage) && ok;
    if (name)
        ok = (in.name = tree_text(r->t, name, "inputs: name")) != NULL && ok;
    const char *text = tree_text(r->t, file, file->key);
    const char *path = text ? tree_path(r->t, text) : NULL;
    TRY(ok && path);
    r->node = file;
    return file == tree_find(node, "launches") ? give_launches(r, path, &in)
                                               : give_files(r, path, &in);
}

bool study_inputs(struct tree *t, const struct tree_node *node,
                  bool (*add)(void *user, const struct tree_node *node,
                              const struct study_input *in),
                  void *user)
{
    struct inputs r = {.t = t, .node = node, .add = add, .user = user};
    if (node->kind == TREE_MAPPING)
        return read_mapping(&r, node);
    if (node->kind == TREE_LIST)
        return TREE_FAIL(t, node, "inputs: expected a path or a mapping, found a list");
    const struct study_input in = {.name = NULL};
    const char *text = tree_text(t, node, "inputs");
    const char *path = text ? tree_path(t, text) : NULL;
    return path && give_files(&r, path, &in);
}
