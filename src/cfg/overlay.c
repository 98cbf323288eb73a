/* Laying files and --set over the defaults, with origins. */
#include "cfg/overlay.h"

#include <stdio.h>
#include <string.h>

#define SET_FILE "--set"

static void set_origin(struct config_origin *origin, const char *file, uint32_t line)
{
    value_text(origin->file, sizeof origin->file, file, strlen(file));
    origin->line = line;
}

void overlay_patch(struct loaded_config *out, const struct yaml_patch *patch, const char *file)
{
    for (size_t i = 0; i < SCHEMA_KEYS; i++) {
        if (patch->line[i] == 0)
            continue;
        schema_copy(&out->cfg, &patch->values, config_key(i));
        set_origin(&out->origins[i], file, patch->line[i]);
    }
}

const struct key_info *config_need_key(const char *path, const char *file, uint32_t line,
                                       uint32_t col, struct err_list *errors)
{
    char near[SCHEMA_PATH_SIZE];
    size_t id = 0;
    const struct key_info *key = config_find_key(path);
    if (key)
        return key;
    if (schema_is_mapping(path, &id))
        err_list_add(errors, ERR_CONFIG, file, line, col,
                     "'%s' is a section: name one of its keys, %s.KEY", path, path);
    else if (schema_suggest(path, near))
        err_list_add(errors, ERR_CONFIG, file, line, col, "unknown key '%s' (did you mean '%s'?)",
                     path, near);
    else
        err_list_add(errors, ERR_CONFIG, file, line, col, "unknown key '%s'", path);
    return NULL;
}

bool overlay_set(struct loaded_config *out, const char *set, struct err_list *errors)
{
    const char *equals = strchr(set, '=');
    char path[2 * SCHEMA_PATH_SIZE];
    value_text(path, sizeof path, set, equals ? (size_t)(equals - set) : strlen(set));
    if (!equals || equals == set)
        return err_list_add(errors, ERR_CONFIG, SET_FILE, 0, 0,
                            "'%s' must have the form key.path=value", path);
    const struct key_info *key = config_need_key(path, SET_FILE, 0, 0, errors);
    if (!key)
        return false;
    struct value v;
    TRY(yaml_read_value(SET_FILE, equals + 1, &v, errors));
    TRY(value_store(&out->cfg, key, &v, SET_FILE, errors));
    set_origin(&out->origins[schema_index(key)], SET_FILE, 0);
    return true;
}
