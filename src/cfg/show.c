/* Configurations and keys as text. */
#include "cfg/show.h"

#include <inttypes.h>
#include <string.h>

#include "cfg/schema.h"

#define COMMENT_COLUMN 52 /* where comments start, unless the value is longer */

static void print_text(const char *s, struct buf *out)
{
    buf_puts(out, "\"");
    for (; *s; s++)
        buf_printf(out, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
    buf_puts(out, "\"");
}

static void print_set(const struct key_info *key, uint32_t mask, struct buf *out)
{
    const char *comma = "";
    buf_puts(out, "[");
    for (uint32_t i = 0; i < key->word_count; i++) {
        if (!(mask & (1u << i)))
            continue;
        buf_printf(out, "%s%s", comma, key->words[i].word);
        comma = ", ";
    }
    buf_puts(out, "]");
}

void config_print_value(const struct config *cfg, const struct key_info *key, struct buf *out)
{
    const void *field = schema_field_const(cfg, key);
    const uint32_t *n = field;
    switch (key->type) {
    case KEY_TYPE_U32:
        buf_printf(out, "%" PRIu32, n[0]);
        break;
    case KEY_TYPE_BOOL:
        buf_puts(out, *(const bool *)field ? "true" : "false");
        break;
    case KEY_TYPE_ENUM:
        buf_puts(out, n[0] < key->word_count ? key->words[n[0]].word : "?");
        break;
    case KEY_TYPE_SET:
        print_set(key, n[0], out);
        break;
    case KEY_TYPE_W3:
        buf_printf(out, "[%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", n[0], n[1], n[2]);
        break;
    case KEY_TYPE_STR:
        print_text(field, out);
        break;
    }
}

void config_open_mappings(const char *before, const char *path, struct buf *out)
{
    const char *part = path;
    unsigned level = 0;
    for (const char *dot = strchr(part, '.'); dot; dot = strchr(part, '.')) {
        size_t front = (size_t)(dot - path) + 1;
        if (strncmp(before, path, front) != 0)
            buf_printf(out, "%s%*s%.*s:\n", level == 0 && before[0] ? "\n" : "", (int)(2 * level),
                       "", (int)(dot - part), part);
        part = dot + 1;
        level++;
    }
    buf_printf(out, "%*s%s: ", (int)(2 * level), "", part);
}

static void show_origin(const struct config_origin *o, struct buf *out)
{
    if (o->file[0] == '\0')
        buf_puts(out, "default");
    else if (o->line == 0)
        buf_puts(out, o->file);
    else
        buf_printf(out, "%s:%" PRIu32, o->file, o->line);
}

void config_show(const struct loaded_config *c, struct buf *out)
{
    const char *before = "";
    for (size_t i = 0; i < config_key_count(); i++) {
        const struct key_info *key = config_key(i);
        config_open_mappings(before, key->path, out);
        config_print_value(&c->cfg, key, out);
        size_t start = out->len;
        while (start > 0 && out->data[start - 1] != '\n')
            start--;
        size_t width = out->len - start;
        buf_printf(out, "%*s # ", width < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - width) : 0, "");
        show_origin(&c->origins[i], out);
        buf_puts(out, "\n");
        before = key->path;
    }
}
