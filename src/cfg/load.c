/* Loading a configuration: defaults, files through `extends`, --set, rules. */
#include "cfg/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/distance.h"
#include "cfg/derive.h"
#include "cfg/overlay.h"
#include "cfg/schema.h"
#include "cfg/search.h"
#include "cfg/yaml.h"

#define MAX_EXTENDS 16

/* A file being loaded, linked to the one that extends it. */
struct source {
    const struct source *child;
    const char *path;
    dev_t device;
    ino_t inode;
    unsigned depth;
    /* Where the child names this file. */
    uint32_t line, col;
};

static bool fail(struct err_list *errors, const struct source *child, uint32_t line, uint32_t col,
                 const char *message, const char *what)
{
    return err_list_add(errors, ERR_CONFIG, child ? child->path : NULL, line, col, message, what);
}

/* Reads a whole file of at most YAML_MAX_BYTES. */
static bool read_file(const char *path, char **text, size_t *len, struct err_list *errors)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return err_list_add(errors, ERR_CONFIG, path, 0, 0, "cannot open: %s", strerror(errno));
    struct buf b = {0};
    char block[16384];
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0 && b.len <= YAML_MAX_BYTES)
        buf_add(&b, block, n);
    bool bad = ferror(f) != 0;
    fclose(f);
    *len = b.len;
    *text = bad ? NULL : buf_take(&b);
    buf_free(&b);
    if (bad)
        return err_list_add(errors, ERR_CONFIG, path, 0, 0, "cannot read: %s", strerror(errno));
    if (!*text)
        return err_list_add(errors, ERR_RESOURCE, path, 0, 0, "out of memory while reading it");
    return true;
}

static bool fail_no_file(const struct source *s, const char *name, const char *shown,
                         struct err_list *errors)
{
    struct closest closest = {.word = name};
    size_t n = 0;
    char **names = config_list(&n);
    for (size_t i = 0; i < n; i++)
        closest_offer(&closest, names[i]);
    struct buf message = {0};
    buf_printf(&message, "no configuration '%s': no such file, and no such card in the search path",
               shown);
    if (closest.found)
        buf_printf(&message, " (did you mean '%s'?)", closest.found);
    else
        buf_puts(&message, " (see `subcore config list`)");
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    fail(errors, s->child, s->line, s->col, "%s", message.failed ? "out of memory" : message.data);
    buf_free(&message);
    return false;
}

static bool find_file(struct source *s, const char *name, char path[SEARCH_PATH_SIZE],
                      struct err_list *errors)
{
    bool directory = false;
    char shown[SEARCH_PATH_SIZE];
    value_text(shown, sizeof shown, name, strlen(name));
    bool found = search_config(name, s->child ? s->child->path : NULL, path, &directory);
    if (!found && directory)
        return fail(errors, s->child, s->line, s->col,
                    "'%s' is a directory, but must be a configuration file", shown);
    if (!found)
        return fail_no_file(s, name, shown, errors);
    struct stat st;
    if (stat(path, &st) != 0)
        return fail(errors, s->child, s->line, s->col, "cannot open '%s'", path);
    s->device = st.st_dev;
    s->inode = st.st_ino;
    s->path = path;
    for (const struct source *c = s->child; c; c = c->child)
        if (c->device == s->device && c->inode == s->inode)
            return fail(errors, s->child, s->line, s->col,
                        "'%s' extends itself, directly or through others", path);
    return true;
}

static bool load_file(struct loaded_config *out, const char *name, const struct source *from,
                      struct err_list *errors);

/* Lays a file, and before it what it extends, over `out`. */
static bool load_text(struct loaded_config *out, struct source *s, struct yaml_patch *patch,
                      struct err_list *errors)
{
    char *text = NULL;
    size_t len = 0;
    TRY(read_file(s->path, &text, &len, errors));
    bool ok = yaml_read(s->path, text, len, patch, errors);
    free(text);
    if (patch->extends[0]) {
        struct source from = *s;
        from.line = patch->extends_line;
        from.col = patch->extends_col;
        ok = load_file(out, patch->extends, &from, errors) && ok;
    }
    overlay_patch(out, patch, s->path);
    return ok;
}

static bool load_file(struct loaded_config *out, const char *name, const struct source *from,
                      struct err_list *errors)
{
    struct source s = {.child = from};
    char path[SEARCH_PATH_SIZE];
    if (from) {
        s.depth = from->depth + 1;
        s.line = from->line;
        s.col = from->col;
    }
    if (s.depth > MAX_EXTENDS)
        return err_list_add(errors, ERR_CONFIG, from->path, s.line, s.col,
                            "more than %d files extend one another", MAX_EXTENDS);
    TRY(find_file(&s, name, path, errors));
    struct yaml_patch *patch = malloc(sizeof *patch);
    if (!patch)
        return err_list_add(errors, ERR_RESOURCE, path, 0, 0, "out of memory while reading it");
    bool ok = load_text(out, &s, patch, errors);
    if (!from) {
        snprintf(out->path, sizeof out->path, "%s", path);
        /* A file that names no card of its own is known by its file name. */
        const struct key_info *key = config_find_key("gpu.name");
        const char *slash = strrchr(path, '/');
        if (patch->line[schema_index(key)] != 0)
            snprintf(out->name, sizeof out->name, "%s", out->cfg.gpu.name);
        else
            snprintf(out->name, sizeof out->name, "%.63s", slash ? slash + 1 : path);
        size_t n = strlen(out->name);
        if (n > 5 && strcmp(out->name + n - 5, ".yaml") == 0)
            out->name[n - 5] = '\0';
    }
    free(patch);
    return ok;
}

bool config_load(struct loaded_config *out, const char *name_or_path, const char *const *sets,
                 size_t n_sets, struct err_list *errors)
{
    memset(out, 0, sizeof *out);
    config_defaults(&out->cfg);
    out->origins = calloc(config_key_count(), sizeof *out->origins);
    if (!out->origins)
        return err_list_add(errors, ERR_RESOURCE, NULL, 0, 0,
                            "out of memory while loading a configuration");
    bool ok = load_file(out, name_or_path, NULL, errors);
    for (size_t i = 0; i < n_sets; i++)
        ok = overlay_set(out, sets[i], errors) && ok;
    /* Rules between values that were refused would only repeat the fault. */
    if (ok)
        ok = derive_check(out, errors);
    if (!ok)
        config_free(out);
    return ok;
}

void config_free(struct loaded_config *c)
{
    free(c->origins);
    c->origins = NULL;
}
