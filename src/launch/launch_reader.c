#include "launch/launch_reader.h"

#include <inttypes.h>
#include <string.h>

#include "base/distance.h"
#include "trace/span.h"

bool launch_no_memory(struct launch_reader *l)
{
    return err_list_add(l->r.errors, ERR_RESOURCE, l->r.file, 0, 0,
                        "out of memory while reading launches");
}

const char *launch_shown(const struct launch_reader *l, char text[LAUNCH_NAME_SHOWN])
{
    const yaml_event_t *e = &l->r.event;
    if (e->type != YAML_SCALAR_EVENT)
        return "a nested value";
    if (e->data.scalar.length == 0)
        return "empty";
    bool quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    value_text(text + quoted, LAUNCH_NAME_SHOWN - 2, (const char *)e->data.scalar.value,
               e->data.scalar.length);
    if (quoted) {
        text[0] = '"';
        strcat(text, "\"");
    }
    return text;
}

static void unknown_key(struct launch_reader *l, struct launch_keys *keys, const char *name)
{
    keys->unknown++;
    struct closest near = {.word = name};
    for (uint32_t i = 0; i < keys->count; i++)
        closest_offer(&near, keys->names[i]);
    if (near.found)
        LAUNCH_FAIL(l, "%s: unknown key '%s' (did you mean '%s'?)", l->where, name, near.found);
    else
        LAUNCH_FAIL(l, "%s: unknown key '%s'", l->where, name);
}

static bool read_pair(struct launch_reader *l, struct launch_keys *keys)
{
    char name[LAUNCH_NAME_SHOWN];
    uint32_t i = 0;
    if (l->r.event.type != YAML_SCALAR_EVENT) {
        LAUNCH_FAIL(l, "%s: a key must be a single word", l->where);
        TRY(yaml_skip_value(&l->r));
        TRY(yaml_next(&l->r));
        return yaml_skip_value(&l->r);
    }
    value_text(name, sizeof name, (const char *)l->r.event.data.scalar.value,
               l->r.event.data.scalar.length);
    while (i < keys->count && strcmp(name, keys->names[i]) != 0)
        i++;
    if (i == keys->count) {
        unknown_key(l, keys, name);
        TRY(yaml_next(&l->r));
        return yaml_skip_value(&l->r);
    }
    if (keys->seen[i] != 0) {
        LAUNCH_FAIL(l, "%s: duplicate key '%s' (first at line %u)", l->where, name, keys->seen[i]);
        TRY(yaml_next(&l->r));
        return yaml_skip_value(&l->r);
    }
    keys->seen[i] = yaml_line(&l->r);
    TRY(yaml_next(&l->r));
    return keys->take(l, i, keys->user);
}

bool launch_read_keys(struct launch_reader *l, struct launch_keys *keys)
{
    for (;;) {
        TRY(yaml_next(&l->r));
        if (l->r.event.type == YAML_MAPPING_END_EVENT)
            return true;
        TRY(read_pair(l, keys));
    }
}

const char *launch_read_text(struct launch_reader *l, const char *key)
{
    if (l->r.event.type != YAML_SCALAR_EVENT || l->r.event.data.scalar.length == 0) {
        LAUNCH_FAIL(l, "%s: %s must be a text", l->where, key);
        return NULL;
    }
    size_t len = l->r.event.data.scalar.length;
    char *copy = arena_strndup(l->arena, (const char *)l->r.event.data.scalar.value, len);
    if (!copy) {
        launch_no_memory(l);
        return NULL;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)copy[i];
        if (c < 0x20 || c == 0x7f) {
            LAUNCH_FAIL(l, "%s: %s must not hold control characters", l->where, key);
            return NULL;
        }
    }
    return copy;
}

bool launch_read_number(struct launch_reader *l, const char *key, uint64_t least, uint64_t most,
                        uint64_t *out)
{
    const yaml_event_t *e = &l->r.event;
    char text[LAUNCH_NAME_SHOWN];
    bool ok = false;
    if (e->type == YAML_SCALAR_EVENT) {
        struct span s = {(const char *)e->data.scalar.value, e->data.scalar.length};
        bool octal = s.n > 1 && s.p[0] == '0' && s.p[1] != 'x';
        ok = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !octal && span_u64(s, out) &&
             *out >= least && *out <= most;
    }
    return ok || LAUNCH_FAIL(
                     l, "%s: %s is %s, but must be a whole number between %" PRIu64 " and %" PRIu64,
                     l->where, key, launch_shown(l, text), least, most);
}
