/* The imported card as YAML, and whether it would load. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/import.h"
#include "cfg/show.h"

/* Columns where comments start, unless the text before them is longer. */
#define KEY_COLUMN 36
#define WHY_COLUMN 52

static void pad(struct buf *out, size_t from, size_t column)
{
    size_t used = out->len - from;
    buf_printf(out, "%*s", used < column ? (int)(column - used) : 2, "");
}

static void add_keys(const struct import *im, struct buf *out)
{
    const char *before = "gpu.name";
    for (size_t i = 0; i < im->key_count; i++) {
        const struct import_key *k = &im->keys[i];
        config_open_mappings(before, k->key->path, out);
        size_t line = out->len;
        while (line > 0 && out->data && out->data[line - 1] != '\n')
            line--;
        buf_puts(out, k->value);
        pad(out, line, KEY_COLUMN);
        buf_printf(out, "# %s\n", k->from);
        before = k->key->path;
    }
}

/* A file's name without its folders: the card says the same wherever it is made. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_rest(const struct import *im, bool partly, struct buf *out)
{
    for (size_t i = 0; i < im->option_count; i++) {
        const struct import_option *o = &im->options[i];
        if (o->why[0] == '\0' || o->carried != partly)
            continue;
        size_t line = out->len;
        buf_printf(out, "#   %s %s", o->name, o->value);
        pad(out, line, WHY_COLUMN);
        buf_printf(out, "%s:%u: %s\n", base_name(o->file), o->line, o->why);
    }
}

static size_t count_rest(const struct import *im, bool partly)
{
    size_t n = 0;
    for (size_t i = 0; i < im->option_count; i++)
        n += im->options[i].why[0] != '\0' && im->options[i].carried == partly;
    return n;
}

void import_yaml(const struct import *im, const char *name, struct buf *out)
{
    buf_puts(out,
             "# Imported from an Accel-Sim configuration by `subcore config import`. Behind\n"
             "# each value stand the options it was made from. What is not stated here is that\n"
             "# of the card it extends.\n\n");
    buf_printf(out, "extends: %s\n\ngpu:\n  name: \"%s\"\n", im->base, name);
    add_keys(im, out);
    if (count_rest(im, true) > 0)
        buf_puts(out, "\n# Carried over in part:\n");
    add_rest(im, true, out);
    if (count_rest(im, false) > 0)
        buf_puts(out, "\n# Not carried over:\n");
    add_rest(im, false, out);
}

bool import_check(const struct import *im, struct err_list *errors)
{
    struct buf text = {0};
    struct loaded_config config;
    const char **sets = calloc(im->key_count + 1, sizeof *sets);
    size_t *at = calloc(im->key_count + 1, sizeof *at);
    for (size_t i = 0; at && i < im->key_count; i++) {
        at[i] = text.len;
        buf_printf(&text, "%s=%s", im->keys[i].key->path, im->keys[i].value);
        buf_add(&text, "", 1);
    }
    bool ok = sets && at && !text.failed;
    if (!ok)
        err_list_add(errors, ERR_RESOURCE, NULL, 0, 0, "out of memory while importing");
    for (size_t i = 0; ok && i < im->key_count; i++)
        sets[i] = text.data + at[i];
    ok = ok && config_load(&config, im->base, sets, im->key_count, errors);
    if (ok)
        config_free(&config);
    free(sets);
    free(at);
    buf_free(&text);
    return ok;
}
