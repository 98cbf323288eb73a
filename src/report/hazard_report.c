#include "report/hazard_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/summary.h"

static const struct inst *instruction(const struct kernel *k, uint32_t index)
{
    return index < k->inst_count ? k->insts[index] : NULL;
}

#define REGISTER_TEXT 16

static void register_text(char out[REGISTER_TEXT], const struct hazard_record *h)
{
    static const char *const prefix[REG_FILE_COUNT] = {"R", "UR", "P", "UP", "B"};
    snprintf(out, REGISTER_TEXT, "%s%u", h->file < REG_FILE_COUNT ? prefix[h->file] : "?",
             (unsigned)h->reg);
}

/* "2 cycles before", "1 cycle before", "before". */
static void add_early(struct buf *out, uint32_t cycles)
{
    if (cycles > 0)
        buf_printf(out, "%u cycle%s ", cycles, cycles == 1 ? "" : "s");
    buf_puts(out, "before ");
}

void hazard_text(struct buf *out, const struct kernel *k, const struct hazard_record *h)
{
    const struct inst *later = instruction(k, h->inst), *earlier = instruction(k, h->producer);
    buf_printf(out, "%s hazard: kernel %" PRIu64, hazard_kind_name(h->kind), k->id);
    if (later)
        buf_printf(out, " pc 0x%04x %s", later->pc, later->text ? later->text : later->opcode);
    char reg[REGISTER_TEXT];
    register_text(reg, h);
    buf_printf(out, " %s %s ", h->kind == HAZARD_RAW ? "read" : "wrote", reg);
    add_early(out, h->early_by);
    static const char *const event[HAZARD_KIND_COUNT] = {"the result of", "the earlier write of",
                                                         "the read of"};
    buf_puts(out, event[h->kind]);
    if (earlier)
        buf_printf(out, " pc 0x%04x", earlier->pc);
    else
        buf_puts(out, " an earlier instruction");
    buf_printf(out, "%s (cycle %" PRIu64 ", SM %u, CTA %" PRIu64 ", warp %u)",
               h->kind == HAZARD_RAW ? " is available" : "", h->cycle, h->sm, h->cta, h->warp);
}

static void write_pc(struct json *j, const char *key, const struct inst *in)
{
    char pc[16];
    if (in)
        snprintf(pc, sizeof pc, "0x%04x", in->pc);
    json_string(j, key, in ? pc : NULL);
}

void hazard_json(struct json *j, const struct kernel *k, const struct hazard_record *h)
{
    char reg[REGISTER_TEXT];
    register_text(reg, h);
    json_object_inline(j, NULL);
    json_string(j, "kind", hazard_kind_name(h->kind));
    write_pc(j, "pc", instruction(k, h->inst));
    write_pc(j, "producer_pc", instruction(k, h->producer));
    json_string(j, "register", reg);
    json_u64(j, "early_by", h->early_by);
    json_u64(j, "cycle", h->cycle);
    json_u64(j, "sm", h->sm);
    json_u64(j, "cta", h->cta);
    json_u64(j, "warp", h->warp);
    json_object_end(j);
}
