#include "report/config_json.h"

#include <stdio.h>
#include <string.h>

static uint32_t read_u32(const struct config *cfg, const struct key_info *key, size_t index)
{
    uint32_t v;
    memcpy(&v, (const char *)cfg + key->offset + index * sizeof v, sizeof v);
    return v;
}

static void write_set(struct json *j, const struct key_info *key, uint32_t mask)
{
    json_array_inline(j, "value");
    for (uint32_t i = 0; i < key->word_count; i++)
        if (mask & (1u << i))
            json_string(j, NULL, key->words[i].word);
    json_array_end(j);
}

static void write_value(struct json *j, const struct config *cfg, const struct key_info *key)
{
    switch (key->type) {
    case KEY_TYPE_U32:
        json_u64(j, "value", read_u32(cfg, key, 0));
        break;
    case KEY_TYPE_BOOL: {
        bool v;
        memcpy(&v, (const char *)cfg + key->offset, sizeof v);
        json_bool(j, "value", v);
        break;
    }
    case KEY_TYPE_ENUM:
        json_string(j, "value", key->words[read_u32(cfg, key, 0)].word);
        break;
    case KEY_TYPE_SET:
        write_set(j, key, read_u32(cfg, key, 0));
        break;
    case KEY_TYPE_W3:
        json_array_inline(j, "value");
        for (size_t i = 0; i < 3; i++)
            json_u64(j, NULL, read_u32(cfg, key, i));
        json_array_end(j);
        break;
    case KEY_TYPE_STR:
        json_string(j, "value", (const char *)cfg + key->offset);
        break;
    }
}

static void write_origin(struct json *j, const struct config_origin *o)
{
    char text[sizeof o->file + 16];
    if (o->file[0] == '\0')
        snprintf(text, sizeof text, "default");
    else if (o->line == 0)
        snprintf(text, sizeof text, "%s", o->file);
    else
        snprintf(text, sizeof text, "%s:%u", o->file, o->line);
    json_string(j, "origin", text);
}

/* Dots before the last name of a path, and the length of the prefix that two paths share up to and
 * with its last dot. */
static uint32_t dots(const char *path, size_t len)
{
    uint32_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += path[i] == '.';
    return n;
}

static size_t shared_prefix(const char *a, const char *b)
{
    size_t kept = 0;
    for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++)
        if (a[i] == '.')
            kept = i + 1;
    return kept;
}

/* Opens one object a remaining section of `path`; returns its last name. */
static const char *open_sections(struct json *j, const char *path, size_t from)
{
    const char *name = path + from, *dot;
    while ((dot = strchr(name, '.')) != NULL) {
        char section[64];
        snprintf(section, sizeof section, "%.*s", (int)(dot - name), name);
        json_object(j, section);
        name = dot + 1;
    }
    return name;
}

void config_json(struct json *j, const char *key, const struct loaded_config *config)
{
    const char *last = "";
    json_object(j, key);
    for (size_t i = 0; i < config_key_count(); i++) {
        const struct key_info *info = config_key(i);
        size_t kept = shared_prefix(last, info->path);
        for (uint32_t d = dots(last, strlen(last)); d > dots(last, kept); d--)
            json_object_end(j);
        json_object_inline(j, open_sections(j, info->path, kept));
        write_value(j, &config->cfg, info);
        write_origin(j, &config->origins[i]);
        json_object_end(j);
        last = info->path;
    }
    for (uint32_t d = dots(last, strlen(last)); d > 0; d--)
        json_object_end(j);
    json_object_end(j);
}
