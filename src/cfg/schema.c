/* Expands the rows of sections/ into the key table. */
#include "cfg/schema.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_ROW(type, word, doc) {#word, doc},
#define WORD_TABLE(type) static const struct key_word words_##type[] = {type##_WORDS(WORD_ROW)}
WORD_TABLE(SCHEDULER);
WORD_TABLE(YOUNGEST);
WORD_TABLE(DEPENDENCE);
WORD_TABLE(UNIT);
WORD_TABLE(QUEUE);
WORD_TABLE(SHARED_UNIT);

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* Plain sections: the path is complete, the offset counts from struct config. */
#define ROW(name, ...) {TEXT(SECTION) "." #name, __VA_ARGS__},
#define OFFSET(name) offsetof(struct config, SECTION.name)
#define KEY_U32(name, def, lo, hi, unit, doc, src)                                                 \
    ROW(name, KEY_TYPE_U32, OFFSET(name), lo, hi, NULL, 0, unit, doc, src)
#define KEY_BOOL(name, def, doc, src)                                                              \
    ROW(name, KEY_TYPE_BOOL, OFFSET(name), 0, 1, NULL, 0, "", doc, src)
#define KEY_ENUM(name, type, def, doc, src)                                                        \
    ROW(name, KEY_TYPE_ENUM, OFFSET(name), 0, 0, words_##type, type##_COUNT, "", doc, src)
#define KEY_SET(name, type, def, doc, src)                                                         \
    ROW(name, KEY_TYPE_SET, OFFSET(name), 0, 0, words_##type, type##_COUNT, "", doc, src)
#define KEY_W3(name, a, b, c, lo, hi, unit, doc, src)                                              \
    ROW(name, KEY_TYPE_W3, OFFSET(name), lo, hi, NULL, 0, unit, doc, src)
#define KEY_STR(name, def, doc, src)                                                               \
    ROW(name, KEY_TYPE_STR, OFFSET(name), 0, 0, NULL, 0, "", doc, src)

static const struct key_info plain_rows[] = {
#define SECTION gpu
#include "cfg/sections/gpu.def"
#undef SECTION
#define SECTION sm
#include "cfg/sections/sm.def"
#undef SECTION
#define SECTION fetch
#include "cfg/sections/fetch.def"
#undef SECTION
#define SECTION icache
#include "cfg/sections/icache.def"
#undef SECTION
#define SECTION constant
#include "cfg/sections/constant.def"
#undef SECTION
#define SECTION register_file
#include "cfg/sections/register_file.def"
#undef SECTION
#define SECTION issue
#include "cfg/sections/issue.def"
#undef SECTION
#define SECTION dependence
#include "cfg/sections/dependence.def"
#undef SECTION
#define SECTION latency
#include "cfg/sections/latency.def"
#undef SECTION
#define SECTION l1d
#include "cfg/sections/l1d.def"
#undef SECTION
#define SECTION shared_memory
#include "cfg/sections/shared_memory.def"
#undef SECTION
#define SECTION l2
#include "cfg/sections/l2.def"
#undef SECTION
#define SECTION dram
#include "cfg/sections/dram.def"
#undef SECTION
#define SECTION membar
#include "cfg/sections/membar.def"
#undef SECTION
};

_Static_assert(sizeof plain_rows / sizeof plain_rows[0] == SCHEMA_PLAIN_KEYS,
               "schema.c and schema.h must include the same sections");

/* Groups: path and offset of one member; the table adds the member's. */
#undef ROW
#undef OFFSET
#define ROW(name, ...) {#name, __VA_ARGS__},
#define OFFSET(name) offsetof(struct SECTION, name)

static const struct key_info queue_rows[] = {
#define SECTION queue_cfg
#include "cfg/sections/queue.def"
#undef SECTION
};
static const struct key_info shared_unit_rows[] = {
#define SECTION shared_unit_cfg
#include "cfg/sections/shared_unit.def"
#undef SECTION
};
static const struct key_info op_rows[] = {
#define SECTION op_cfg
#include "cfg/sections/op.def"
#undef SECTION
};

static const char *const queue_sources[QUEUE_COUNT] = {
#define QUEUE_DEFAULT(name, entries, source) [QUEUE_##name] = source,
#include "cfg/sections/queue_default.def"
#undef QUEUE_DEFAULT
};
static const char *const shared_unit_sources[SHARED_UNIT_COUNT] = {
#define SHARED_UNIT_DEFAULT(name, interval, source) [SHARED_UNIT_##name] = source,
#include "cfg/sections/shared_unit_default.def"
#undef SHARED_UNIT_DEFAULT
};
static const char *const op_sources[OP_CLASS_COUNT] = {
#define OP_FIXED(c, units, all_units, interval, latency, other, hold, source)                      \
    [OP_CLASS_##c] = source,
#define OP_VARIABLE(c, queue, unit, interval, shared_interval, grant, war, raw, source)            \
    [OP_CLASS_##c] = source,
#include "cfg/sections/op_default.def"
#undef OP_FIXED
#undef OP_VARIABLE
};

/* The table is filled once and constant from then on; load.h asks for a first call before threads
 * start, pthread_once makes even that call safe. */
static struct {
    struct key_info keys[SCHEMA_KEYS];
    uint16_t by_path[SCHEMA_KEYS]; /* sorted by path */
    char paths[SCHEMA_KEYS][SCHEMA_PATH_SIZE];
} table;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static size_t add_member(size_t n, const struct key_info *rows, size_t row_count, const char *group,
                         const char *member, size_t offset, const char *source)
{
    for (size_t r = 0; r < row_count; r++, n++) {
        table.keys[n] = rows[r];
        snprintf(table.paths[n], SCHEMA_PATH_SIZE, "%s.%s.%s", group, member, rows[r].path);
        table.keys[n].path = table.paths[n];
        table.keys[n].offset = offset + rows[r].offset;
        table.keys[n].source = source;
    }
    return n;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(table.keys[*(const uint16_t *)a].path, table.keys[*(const uint16_t *)b].path);
}

static void build_table(void)
{
    size_t n = SCHEMA_PLAIN_KEYS;
    memcpy(table.keys, plain_rows, sizeof plain_rows);
    for (size_t i = QUEUE_none + 1; i < QUEUE_COUNT; i++)
        n = add_member(n, queue_rows, SCHEMA_QUEUE_KEYS, "queue", words_QUEUE[i].word,
                       offsetof(struct config, queue) + i * sizeof(struct queue_cfg),
                       queue_sources[i]);
    for (size_t i = SHARED_UNIT_none + 1; i < SHARED_UNIT_COUNT; i++)
        n = add_member(n, shared_unit_rows, SCHEMA_SHARED_UNIT_KEYS, "shared_unit",
                       words_SHARED_UNIT[i].word,
                       offsetof(struct config, shared_unit) + i * sizeof(struct shared_unit_cfg),
                       shared_unit_sources[i]);
    for (size_t i = 0; i < OP_CLASS_COUNT; i++)
        n = add_member(n, op_rows, SCHEMA_OP_KEYS, "op", op_class_name((enum op_class)i),
                       offsetof(struct config, op) + i * sizeof(struct op_cfg), op_sources[i]);
    for (size_t i = 0; i < SCHEMA_KEYS; i++)
        table.by_path[i] = (uint16_t)i;
    qsort(table.by_path, SCHEMA_KEYS, sizeof table.by_path[0], by_path);
}

size_t config_key_count(void)
{
    return SCHEMA_KEYS;
}

const struct key_info *config_key(size_t i)
{
    pthread_once(&table_once, build_table);
    return &table.keys[i];
}

/* Index in by_path of the first key whose path is not before `path`. */
static size_t lower_bound(const char *path)
{
    pthread_once(&table_once, build_table);
    size_t lo = 0, hi = SCHEMA_KEYS;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (strcmp(table.keys[table.by_path[mid]].path, path) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const struct key_info *config_find_key(const char *path)
{
    size_t i = lower_bound(path);
    if (i == SCHEMA_KEYS || strcmp(table.keys[table.by_path[i]].path, path) != 0)
        return NULL;
    return &table.keys[table.by_path[i]];
}

size_t schema_index(const struct key_info *key)
{
    return (size_t)(key - table.keys);
}

bool schema_is_mapping(const char *path, size_t *id)
{
    char prefix[SCHEMA_PATH_SIZE];
    int len = snprintf(prefix, sizeof prefix, "%s.", path);
    if (len < 2 || (size_t)len >= sizeof prefix)
        return false;
    *id = lower_bound(prefix);
    return *id < SCHEMA_KEYS &&
           strncmp(table.keys[table.by_path[*id]].path, prefix, (size_t)len) == 0;
}

const void *schema_field_const(const struct config *cfg, const struct key_info *key)
{
    return (const char *)cfg + key->offset;
}

void *schema_field(struct config *cfg, const struct key_info *key)
{
    return (char *)cfg + key->offset;
}

static size_t field_size(const struct key_info *key)
{
    switch (key->type) {
    case KEY_TYPE_BOOL:
        return sizeof(bool);
    case KEY_TYPE_W3:
        return 3 * sizeof(uint32_t);
    case KEY_TYPE_STR:
        return sizeof((struct gpu_cfg *)0)->name;
    case KEY_TYPE_U32:
    case KEY_TYPE_ENUM:
    case KEY_TYPE_SET:
        break;
    }
    return sizeof(uint32_t);
}

void schema_copy(struct config *to, const struct config *from, const struct key_info *key)
{
    memcpy(schema_field(to, key), schema_field_const(from, key), field_size(key));
}

bool schema_same(const struct config *a, const struct config *b, const struct key_info *key)
{
    return memcmp(schema_field_const(a, key), schema_field_const(b, key), field_size(key)) == 0;
}
