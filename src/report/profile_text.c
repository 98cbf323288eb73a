#include <inttypes.h>
#include <stdio.h>

#include "report/number.h"
#include "report/profile.h"
#include "report/table.h"

/* Classes in a line of text. */
#define TOP_CLASSES 8u

/* Takes the largest of the rest, the first of equals. */
static struct profile_share *take_largest(struct profile_share *rows, size_t n)
{
    struct profile_share *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (rows[i].count > 0 && (!best || rows[i].count > best->count))
            best = &rows[i];
    return best;
}

static void share_line(struct buf *out, const char *label, struct profile_share *rows, size_t n,
                       uint64_t all)
{
    struct table_list l;
    struct profile_share *best;
    table_list_begin(&l, out, label);
    for (uint32_t i = 0; i < TOP_CLASSES && (best = take_largest(rows, n)) != NULL; i++) {
        table_list_share(&l, best->name, best->count, all);
        best->count = 0;
    }
    table_list_end(&l);
}

static void class_line(struct buf *out, const struct profile *p)
{
    struct profile_share rows[OP_CLASS_COUNT];
    for (uint32_t c = 0; c < OP_CLASS_COUNT; c++)
        rows[c] = (struct profile_share){op_class_name((enum op_class)c), p->classes[c]};
    share_line(out, "Instruction classes", rows, OP_CLASS_COUNT, p->warp_instructions);
}

static void pipe_line(struct buf *out, const struct profile *p)
{
    struct profile_share rows[PROFILE_PIPES_MAX];
    share_line(out, "Pipes", rows, profile_pipes(p, rows), p->warp_instructions);
}

static void memory_cells(struct table *t, const struct profile *p)
{
    for (uint32_t s = 0; s < PROFILE_SPACE_COUNT; s++) {
        if (p->memory[s].loads + p->memory[s].stores + p->memory[s].atomics == 0)
            continue;
        char label[64], value[3 * NUMBER_SIZE + 8], n[3][NUMBER_SIZE];
        number_grouped(n[0], p->memory[s].loads);
        number_grouped(n[1], p->memory[s].stores);
        number_grouped(n[2], p->memory[s].atomics);
        snprintf(label, sizeof label, "%s loads/stores/atomics",
                 profile_space_name((enum profile_space)s));
        snprintf(value, sizeof value, "%s / %s / %s", n[0], n[1], n[2]);
        buf_printf(t->out, "  %-30s%s\n", label, value);
    }
}

static void header_lines(struct buf *out, const struct kernel *k, const struct profile *p)
{
    char ctas[NUMBER_SIZE], all[NUMBER_SIZE];
    number_grouped(ctas, p->ctas);
    number_grouped(all, k->cta_count);
    table_title(out, k->id, k->name, "");
    buf_printf(out, "  grid %ux%ux%u, block %ux%ux%u, %u registers, %u bytes of shared memory",
               k->grid.x, k->grid.y, k->grid.z, k->block.x, k->block.y, k->block.z, k->registers,
               k->shared_bytes);
    if (k->sm_version != 0)
        buf_printf(out, ", sm_%u", k->sm_version);
    buf_printf(out, "\n  %s of %s CTAs in the trace, %s control bits\n", ctas, all,
               k->has_ctrl ? "with" : "without");
}

static void footprint_cells(struct table *t, const struct profile *p)
{
    char number[NUMBER_SIZE], text[NUMBER_SIZE + 16];
    const char *bound = p->lines.full ? "at least " : "";
    number_grouped(number, p->lines.count);
    snprintf(text, sizeof text, "%s%s", bound, number);
    table_cell(t, "128-byte lines touched", text);
    number_grouped(number, (uint64_t)p->lines.count * PROFILE_LINE_BYTES);
    snprintf(text, sizeof text, "%s%s", bound, number);
    table_cell(t, "Footprint in bytes", text);
    table_ratio(t, "32-byte sectors an access", p->sectors, p->line_accesses);
}

void profile_text(struct buf *out, const struct kernel *k, const struct profile *p)
{
    struct table t = {.out = out};
    header_lines(out, k, p);
    table_count(&t, "Warp instructions", p->warp_instructions);
    table_count(&t, "Thread instructions", p->thread_instructions);
    table_ratio(&t, "Active lanes an instruction", p->thread_instructions, p->warp_instructions);
    table_percent(&t, "All lanes active", p->full_instructions, p->warp_instructions);
    table_count(&t, "Branches", p->branches);
    footprint_cells(&t, p);
    table_end(&t);
    memory_cells(&t, p);
    class_line(out, p);
    pipe_line(out, p);
    opcode_tally_text(out, &p->opcodes, p->warp_instructions);
    buf_puts(out, "\n");
}
