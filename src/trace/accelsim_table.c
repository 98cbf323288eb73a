#include "trace/accelsim_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "trace/accelsim_join.h"
#include "trace/accelsim_text.h"
#include "trace/pack.h"

#define NO_ID UINT32_MAX
#define FIRST_SLOTS 1024u
/* Registers that readers of version 5 take as sources. */
#define VERSION5_SOURCES 4

void table_free(struct accelsim_table *t)
{
    arena_free(&t->arena);
    free(t->slots);
    free((void *)t->insts);
    free(t->is_memory);
    memset(t, 0, sizeof *t);
}

static uint32_t cache_index(uint32_t pc)
{
    return pc / INST_BYTES & (TABLE_PC_CACHE - 1);
}

struct accelsim_entry *table_cached(const struct accelsim_table *t, uint32_t pc, const char *p,
                                    const char *end)
{
    struct accelsim_entry *e = t->by_pc[cache_index(pc)];
    if (!e || e->pc != pc || (size_t)(end - p) < e->text_len)
        return NULL;
    if (memcmp(p, e->text, e->text_len) != 0 || !text_token_end(p[e->text_len]))
        return NULL;
    return e;
}

/* FNV-1a over the key. */
static uint64_t hash_key(const struct table_key *key)
{
    uint64_t h = 0xcbf29ce484222325u ^ key->pc;
    for (size_t i = 0; i < key->len; i++)
        h = (h ^ (unsigned char)key->text[i]) * 0x100000001b3u;
    h = (h ^ (uint64_t)key->imm) * 0x100000001b3u;
    return h ^ h >> 32;
}

static struct accelsim_entry **find_slot(const struct accelsim_table *t,
                                         const struct table_key *key)
{
    uint32_t at = (uint32_t)hash_key(key) & (t->slot_count - 1);
    for (;;) {
        struct accelsim_entry *e = t->slots[at];
        bool same = e && e->pc == key->pc && e->imm == key->imm && e->text_len == key->len &&
                    memcmp(e->text, key->text, key->len) == 0;
        if (!e || same)
            return &t->slots[at];
        at = (at + 1) & (t->slot_count - 1);
    }
}

static bool grow_slots(struct accelsim_table *t, struct sim_err *err)
{
    struct accelsim_table bigger = {.slot_count = t->slot_count ? t->slot_count * 2 : FIRST_SLOTS};
    if (bigger.slot_count == 0)
        return err_set(err, ERR_LIMIT, NULL, 0, 0, "too many static instructions");
    bigger.slots = calloc(bigger.slot_count, sizeof *bigger.slots);
    if (!bigger.slots)
        return err_memory(err, "reading a trace");
    for (uint32_t i = 0; i < t->slot_count; i++) {
        struct accelsim_entry *e = t->slots[i];
        if (!e)
            continue;
        struct table_key key = {.pc = e->pc, .text = e->text, .len = e->text_len, .imm = e->imm};
        *find_slot(&bigger, &key) = e;
    }
    free(t->slots);
    t->slots = bigger.slots;
    t->slot_count = bigger.slot_count;
    return true;
}

static bool add_inst(struct accelsim_table *t, const struct inst *inst, uint32_t *id,
                     struct sim_err *err)
{
    if (t->inst_count == t->inst_cap) {
        uint32_t cap = t->inst_cap ? t->inst_cap * 2 : 256;
        const struct inst **p = realloc((void *)t->insts, cap * sizeof *p);
        t->insts = p ? p : t->insts;
        uint8_t *m = realloc(t->is_memory, cap);
        t->is_memory = m ? m : t->is_memory;
        if (!p || !m)
            return err_memory(err, "reading a trace");
        t->inst_cap = cap;
    }
    *id = t->inst_count;
    t->is_memory[t->inst_count] = pack_has_address(inst);
    t->insts[t->inst_count++] = inst;
    return true;
}

static bool opcode_is(const struct line_static *s, const char *name)
{
    size_t n = strlen(name);
    return s->opcode_len >= n && memcmp(s->opcode, name, n) == 0 &&
           (s->opcode_len == n || s->opcode[n] == '.');
}

/* Traces do not say which barrier: all take part in barrier 0. */
static void set_barrier(struct inst *inst)
{
    inst->flags &= ~INST_BARRIER_ARRIVE;
    inst->flags |= INST_BARRIER_SYNC;
    inst->barrier_id = 0;
    inst->barrier_count = 0;
}

static void classify(struct accelsim_entry *e, const struct line_static *s)
{
    const struct inst *i = &e->inst;
    e->ldgsts = opcode_is(s, "LDGSTS");
    e->takes_address = op_class_is_memory((enum op_class)i->op_class);
    e->needs_address = e->takes_address && i->op_class != OP_CLASS_mem_misc &&
                       i->mem_space != MEM_NONE && i->mem_space != MEM_CONSTANT &&
                       (i->flags & (INST_LOAD | INST_STORE | INST_ATOMIC)) != 0;
}

static void put_registers(struct buf *out, const struct trace_reg *regs, uint32_t n, bool all,
                          uint32_t max)
{
    static const char *const prefix[REG_FILE_COUNT] = {"R", "UR", "P", "UP", "B"};
    uint32_t kept = 0, count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += all || regs[i].file == REG_GENERAL;
    count = all || count < max ? count : max;
    buf_printf(out, "%u", count);
    for (uint32_t i = 0; i < n && kept < count; i++)
        if (all || regs[i].file == REG_GENERAL) {
            buf_printf(out, " %s%u", prefix[regs[i].file], (unsigned)regs[i].index);
            kept++;
        }
}

/* The line as version 5 has it, for conversions: later versions list more registers, and their bulk
 * copies have a memory part of another form. */
static bool keep_line(struct accelsim_table *t, struct accelsim_entry *e,
                      const struct line_static *s, struct sim_err *err)
{
    struct buf b = {0};
    bool all = t->format->version < 6;
    buf_printf(&b, "%" PRId64 " ", e->imm);
    put_registers(&b, s->dst, s->n_dst, all, 1);
    buf_printf(&b, " %.*s ", (int)s->opcode_len, s->opcode);
    put_registers(&b, s->src, s->n_src, all, VERSION5_SOURCES);
    buf_printf(&b, " %u", s->shape.tma ? 0 : s->shape.width);
    e->inst.traced = b.failed ? NULL : arena_strndup(&t->arena, b.data, b.len);
    buf_free(&b);
    return e->inst.traced ? true : err_memory(err, "reading a trace");
}

static bool build_inst(struct accelsim_table *t, struct accelsim_entry *e,
                       const struct line_static *s, const struct accelsim_place *at,
                       struct sim_err *err)
{
    char opcode[LINE_OPCODE_MAX + 1];
    memcpy(opcode, s->opcode, s->opcode_len);
    opcode[s->opcode_len] = '\0';
    struct sim_err local = {0};
    if (!inst_from_trace(&e->inst, opcode, e->pc, t->sm, s->dst, s->n_dst, s->src, s->n_src, e->imm,
                         &t->arena, &local)) {
        bool input = local.code == ERR_INPUT;
        bool ok = input ? place_error(at, err, "%s", local.msg)
                        : err_set(err, local.code, NULL, 0, 0, "%s", local.msg);
        err_clear(&local);
        return ok;
    }
    if (e->inst.mem_width == 0 && s->shape.width <= UINT8_MAX)
        e->inst.mem_width = (uint8_t)s->shape.width;
    if (opcode_is(s, "BAR"))
        set_barrier(&e->inst);
    e->pseudo = opcode_is(s, "REPLAY_START") || opcode_is(s, "REPLAY_END");
    if ((e->inst.flags & INST_UNKNOWN) && !e->pseudo)
        TRY(place_warn(at, err, "opcode %s is not known", opcode));
    if (t->sass && !e->pseudo) {
        bool joined;
        TRY(join_inst(&e->inst, t->sass, &joined, at, err));
        t->unjoined += !joined;
    }
    classify(e, s);
    return e->pseudo || keep_line(t, e, s, err);
}

static bool make_entry(struct accelsim_table *t, const struct table_key *key,
                       struct accelsim_entry *e, const struct accelsim_place *at,
                       struct sim_err *err)
{
    e->pc = key->pc;
    e->imm = key->imm;
    e->text = arena_strndup(&t->arena, key->text, key->len);
    e->text_len = (uint32_t)key->len;
    if (!e->text)
        return err_memory(err, "reading a trace");
    struct line_static s;
    const char *p = e->text;
    TRY(line_read_static(t->format, &p, &s, at, err));
    e->shape = s.shape;
    TRY(build_inst(t, e, &s, at, err));
    if (key->source_line)
        e->inst.line = key->source_line;
    e->ids[0] = e->ids[1] = e->ids[2] = NO_ID;
    if (e->pseudo || e->inst.mem_space == MEM_GENERIC)
        return true;
    return add_inst(t, &e->inst, &e->ids[0], err);
}

bool table_get(struct accelsim_table *t, const struct table_key *key, struct accelsim_entry **out,
               const struct accelsim_place *at, struct sim_err *err)
{
    if (t->used * 2 >= t->slot_count)
        TRY(grow_slots(t, err));
    struct accelsim_entry **slot = find_slot(t, key);
    if (!*slot) {
        struct accelsim_entry *e = arena_alloc(&t->arena, sizeof *e);
        if (!e)
            return err_memory(err, "reading a trace");
        TRY(make_entry(t, key, e, at, err));
        *slot = e;
        t->used++;
    }
    *out = t->by_pc[cache_index(key->pc)] = *slot;
    return true;
}

bool table_generic(struct accelsim_table *t, struct accelsim_entry *e, enum mem_space space,
                   uint32_t *id, struct sim_err *err)
{
    uint32_t *known = &e->ids[space == MEM_SHARED ? 1 : space == MEM_LOCAL ? 2 : 0];
    if (*known == NO_ID) {
        struct inst *inst = arena_alloc(&t->arena, sizeof *inst);
        if (!inst)
            return err_memory(err, "reading a trace");
        *inst = e->inst;
        inst->mem_space = (uint8_t)space;
        inst->flags |= INST_WAS_GENERIC;
        TRY(add_inst(t, inst, known, err));
    }
    *id = *known;
    return true;
}
