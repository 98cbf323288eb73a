/* The key table: every key of the configuration with its place in struct config.
 *
 * Internal to the cfg layer; other layers use config_key() and its kin of load.h. */
#ifndef SUBCORE_CFG_SCHEMA_H
#define SUBCORE_CFG_SCHEMA_H

#include "cfg/load.h"

#define KEY_U32(name, def, lo, hi, unit, doc, src) +1
#define KEY_BOOL(name, def, doc, src) +1
#define KEY_ENUM(name, type, def, doc, src) +1
#define KEY_SET(name, type, def, doc, src) +1
#define KEY_W3(name, a, b, c, lo, hi, unit, doc, src) +1
#define KEY_STR(name, def, doc, src) +1
enum {
    SCHEMA_PLAIN_KEYS = 0
#include "cfg/sections/constant.def"
#include "cfg/sections/dependence.def"
#include "cfg/sections/dram.def"
#include "cfg/sections/fetch.def"
#include "cfg/sections/gpu.def"
#include "cfg/sections/icache.def"
#include "cfg/sections/issue.def"
#include "cfg/sections/l1d.def"
#include "cfg/sections/l2.def"
#include "cfg/sections/latency.def"
#include "cfg/sections/membar.def"
#include "cfg/sections/register_file.def"
#include "cfg/sections/shared_memory.def"
#include "cfg/sections/sm.def"
    ,
    SCHEMA_QUEUE_KEYS = 0
#include "cfg/sections/queue.def"
    ,
    SCHEMA_SHARED_UNIT_KEYS = 0
#include "cfg/sections/shared_unit.def"
    ,
    SCHEMA_OP_KEYS = 0
#include "cfg/sections/op.def"
    ,
    /* The members `none` of queue and shared_unit stand for "has no such thing": no keys. */
    SCHEMA_KEYS = SCHEMA_PLAIN_KEYS + SCHEMA_QUEUE_KEYS * (QUEUE_COUNT - 1) +
                  SCHEMA_SHARED_UNIT_KEYS * (SHARED_UNIT_COUNT - 1) +
                  SCHEMA_OP_KEYS * OP_CLASS_COUNT
};
#undef KEY_U32
#undef KEY_BOOL
#undef KEY_ENUM
#undef KEY_SET
#undef KEY_W3
#undef KEY_STR

#define SCHEMA_PATH_SIZE 64

/* Position of a key of the table in output order. */
size_t schema_index(const struct key_info *key);

/* True when `path` names a mapping that holds keys ("fetch", "op", "op.fma"). *id < SCHEMA_KEYS is
 * then unique among the mappings with as many dots. */
bool schema_is_mapping(const char *path, size_t *id);

/* The path of the key or mapping a user most likely meant by the unknown `path`; false = no idea.
 */
bool schema_suggest(const char *path, char out[SCHEMA_PATH_SIZE]);

/* The word of a key's list a user most likely meant. */
bool schema_suggest_word(const struct key_info *key, const char *word, char out[SCHEMA_PATH_SIZE]);

/* Where a key's value is kept. */
void *schema_field(struct config *cfg, const struct key_info *key);
const void *schema_field_const(const struct config *cfg, const struct key_info *key);

/* Copies the value of one key. */
void schema_copy(struct config *to, const struct config *from, const struct key_info *key);

/* True when both configurations give the key the same value. */
bool schema_same(const struct config *a, const struct config *b, const struct key_info *key);

#endif
