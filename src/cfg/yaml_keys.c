/* From YAML mappings to keys: unknown and duplicate keys, `extends`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/yaml.h"
#include "cfg/yaml_events.h"

#define MAX_LEVELS 3 /* section, member of a group, key */

struct keys {
    struct yaml_reader r;
    struct yaml_patch *patch;
    uint32_t mapping_line[MAX_LEVELS][SCHEMA_KEYS]; /* first occurrence of each mapping */
};

#define FAIL(k, line, col, ...)                                                                    \
    err_list_add((k)->r.errors, ERR_CONFIG, (k)->r.file, line, col, __VA_ARGS__)

static void unknown_key(struct keys *k, const char *path)
{
    char near[SCHEMA_PATH_SIZE];
    const char *dot = strrchr(path, '.');
    if (config_find_key(path)) {
        FAIL(k, yaml_line(&k->r), yaml_col(&k->r),
             "unknown key '%s': in a file, write '%s:' inside the mapping '%.*s:'", path, dot + 1,
             (int)(dot - path), path);
        return;
    }
    /* Suggestions cost a walk over all keys: only for messages that are kept. */
    if (k->r.errors->count < ERR_LIST_MAX && schema_suggest(path, near))
        FAIL(k, yaml_line(&k->r), yaml_col(&k->r), "unknown key '%s' (did you mean '%s'?)", path,
             near);
    else
        FAIL(k, yaml_line(&k->r), yaml_col(&k->r), "unknown key '%s'", path);
}

static void check_duplicate(struct keys *k, const char *path, uint32_t *first)
{
    if (*first != 0)
        FAIL(k, yaml_line(&k->r), yaml_col(&k->r), "duplicate key '%s' (first at line %u)", path,
             *first);
    else
        *first = yaml_line(&k->r);
}

static bool take_key(struct keys *k, const struct key_info *key)
{
    check_duplicate(k, key->path, &k->patch->line[schema_index(key)]);
    struct value v;
    TRY(yaml_next(&k->r));
    TRY(yaml_take_value(&k->r, &v));
    value_store(&k->patch->values, key, &v, k->r.file, k->r.errors);
    return true;
}

static bool take_extends(struct keys *k)
{
    struct yaml_patch *p = k->patch;
    check_duplicate(k, "extends", &p->extends_line);
    struct value v;
    TRY(yaml_next(&k->r));
    const yaml_event_t *e = &k->r.event;
    size_t len = e->type == YAML_SCALAR_EVENT ? e->data.scalar.length : 0;
    const char *text = len ? (const char *)e->data.scalar.value : "";
    p->extends_col = yaml_col(&k->r);
    if (len == 0 || len >= sizeof p->extends || memchr(text, '\0', len))
        FAIL(k, yaml_line(&k->r), yaml_col(&k->r),
             "extends must be the name of a card or the path of a file");
    else
        snprintf(p->extends, sizeof p->extends, "%s", text);
    return yaml_take_value(&k->r, &v);
}

static bool take_pair(struct keys *k, const char *prefix, unsigned level);

/* The current event begins the value of a section: goes through its keys. */
static bool take_mapping(struct keys *k, const char *path, unsigned level)
{
    if (k->r.event.type != YAML_MAPPING_START_EVENT) {
        FAIL(k, yaml_line(&k->r), yaml_col(&k->r), "'%s' must be a mapping that holds keys", path);
        return yaml_skip_value(&k->r);
    }
    for (;;) {
        TRY(yaml_next(&k->r));
        if (k->r.event.type == YAML_MAPPING_END_EVENT)
            return true;
        TRY(take_pair(k, path, level));
    }
}

static bool take_pair(struct keys *k, const char *prefix, unsigned level)
{
    if (k->r.event.type != YAML_SCALAR_EVENT) {
        FAIL(k, yaml_line(&k->r), yaml_col(&k->r), "a key must be a single word");
        TRY(yaml_skip_value(&k->r));
        TRY(yaml_next(&k->r));
        return yaml_skip_value(&k->r);
    }
    char name[SCHEMA_PATH_SIZE], path[2 * SCHEMA_PATH_SIZE + 1];
    value_text(name, sizeof name, (const char *)k->r.event.data.scalar.value,
               k->r.event.data.scalar.length);
    snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", name);
    if (level == 0 && strcmp(name, "extends") == 0)
        return take_extends(k);
    /* A dotted name is no path here: `fetch.buffer_entries: 3` would make two ways to say one
     * thing. */
    const struct key_info *key = strchr(name, '.') ? NULL : config_find_key(path);
    size_t id = 0;
    if (key)
        return take_key(k, key);
    if (!strchr(name, '.') && level < MAX_LEVELS && schema_is_mapping(path, &id)) {
        check_duplicate(k, path, &k->mapping_line[level][id]);
        TRY(yaml_next(&k->r));
        return take_mapping(k, path, level + 1);
    }
    unknown_key(k, path);
    TRY(yaml_next(&k->r));
    return yaml_skip_value(&k->r);
}

static bool take_stream(struct keys *k)
{
    TRY(yaml_next(&k->r)); /* stream start */
    TRY(yaml_next(&k->r));
    if (k->r.event.type != YAML_DOCUMENT_START_EVENT)
        return FAIL(k, 1, 1, "the file is empty: expected 'extends' or sections such as 'gpu'");
    TRY(yaml_next(&k->r));
    if (k->r.event.type != YAML_MAPPING_START_EVENT)
        return FAIL(k, yaml_line(&k->r), yaml_col(&k->r),
                    "expected a mapping of sections such as 'gpu:'");
    TRY(take_mapping(k, "", 0));
    TRY(yaml_next(&k->r)); /* document end */
    TRY(yaml_next(&k->r));
    if (k->r.event.type != YAML_STREAM_END_EVENT)
        return FAIL(k, yaml_line(&k->r), yaml_col(&k->r),
                    "a configuration is one YAML document, but a second one starts here");
    return true;
}

bool yaml_read(const char *file, const char *text, size_t len, struct yaml_patch *patch,
               struct err_list *errors)
{
    uint32_t before = errors->count;
    memset(patch, 0, sizeof *patch);
    if (len > YAML_MAX_BYTES)
        return err_list_add(errors, ERR_CONFIG, file, 0, 0,
                            "the file is larger than %u bytes: not a configuration",
                            YAML_MAX_BYTES);
    struct keys *k = calloc(1, sizeof *k);
    if (!k)
        return err_list_add(errors, ERR_RESOURCE, file, 0, 0, "out of memory while reading YAML");
    k->patch = patch;
    bool ok = yaml_open(&k->r, file, text, len, errors);
    if (ok) {
        ok = take_stream(k);
        yaml_close(&k->r);
    }
    free(k);
    return ok && errors->count == before && errors->dropped == 0;
}

bool yaml_read_value(const char *file, const char *text, struct value *out, struct err_list *errors)
{
    struct yaml_reader r;
    memset(out, 0, sizeof *out);
    TRY(yaml_open(&r, file, text, strlen(text), errors));
    r.places = false;
    bool ok = yaml_next(&r) && yaml_next(&r);
    if (ok && r.event.type == YAML_STREAM_END_EVENT) {
        out->kind = VALUE_SCALAR; /* `key=`: an empty text */
        out->count = 1;
    } else if (ok) {
        ok = yaml_next(&r) && yaml_take_value(&r, out) && yaml_next(&r) && yaml_next(&r);
        if (ok && r.event.type != YAML_STREAM_END_EVENT)
            ok = err_list_add(errors, ERR_CONFIG, file, 0, 0, "'%s' is more than one value", text);
    }
    yaml_close(&r);
    return ok;
}
