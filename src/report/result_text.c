#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/hazard_report.h"
#include "report/number.h"
#include "report/run_report.h"

/* Columns of the page. */
#define PAGE 100

/* Hazards listed a kernel; the JSON has more of them. */
#define TEXT_HAZARDS 20u

/* Stall reasons and opcodes in the table. */
#define TOP_STALLS 6u
#define TOP_OPCODES 6u

/* Cells of the table: two a line, each a label on the left and a value on the right. */
#define LABEL_WIDTH 30
#define VALUE_WIDTH 16
#define CELL_GAP 4

struct table {
    struct buf *out;
    bool second; /* the next cell is the right one */
};

static void cell(struct table *t, const char *label, const char *value)
{
    if (t->second)
        buf_printf(t->out, "%*s", CELL_GAP, "");
    else
        buf_puts(t->out, "  ");
    buf_printf(t->out, "%-*s%*s", LABEL_WIDTH, label, VALUE_WIDTH, value);
    if (t->second)
        buf_puts(t->out, "\n");
    t->second = !t->second;
}

static void cell_count(struct table *t, const char *label, uint64_t v)
{
    char text[NUMBER_SIZE];
    number_grouped(text, v);
    cell(t, label, text);
}

static void cell_ratio(struct table *t, const char *label, uint64_t num, uint64_t den)
{
    char text[NUMBER_SIZE] = "-";
    if (den != 0)
        number_ratio(text, num, den, 3);
    cell(t, label, text);
}

static void cell_percent(struct table *t, const char *label, uint64_t num, uint64_t den)
{
    char text[NUMBER_SIZE];
    number_percent(text, num, den, 1);
    if (den != 0)
        strcat(text, " %");
    cell(t, label, text);
}

static void end_table(struct table *t)
{
    if (t->second)
        buf_puts(t->out, "\n");
    t->second = false;
}

/* A list "name share, name share" broken at the page's width under a label. */
struct wrapped {
    struct buf *out;
    int indent, column;
    bool any;
};

static void wrap_begin(struct wrapped *w, struct buf *out, const char *label)
{
    buf_printf(out, "  %-*s", 20, label);
    *w = (struct wrapped){.out = out, .indent = 22, .column = 22};
}

static void wrap_item(struct wrapped *w, const char *item)
{
    int len = (int)strlen(item);
    if (w->any) {
        buf_puts(w->out, ",");
        if (w->column + len + 3 > PAGE) {
            buf_printf(w->out, "\n%*s", w->indent, "");
            w->column = w->indent;
        } else {
            buf_puts(w->out, " ");
            w->column += 2;
        }
    }
    buf_puts(w->out, item);
    w->column += len;
    w->any = true;
}

static void wrap_end(struct wrapped *w)
{
    buf_puts(w->out, w->any ? "\n" : "-\n");
}

static void stall_lines(struct buf *out, const struct sim_stats *s)
{
    struct wrapped w;
    bool shown[STALL_COUNT] = {false};
    wrap_begin(&w, out, "Warp cycles went to");
    for (uint32_t n = 0; n < TOP_STALLS; n++) {
        uint32_t best = STALL_COUNT;
        for (uint32_t r = 0; r < STALL_COUNT; r++)
            if (!shown[r] && s->stalls[r] > 0 &&
                (best == STALL_COUNT || s->stalls[r] > s->stalls[best]))
                best = r;
        if (best == STALL_COUNT)
            break;
        shown[best] = true;
        char share[NUMBER_SIZE], item[NUMBER_SIZE + 64];
        number_percent(share, s->stalls[best], s->issue_resident_warp_cycles, 1);
        snprintf(item, sizeof item, "%s %s %%", stall_name((enum stall_reason)best), share);
        wrap_item(&w, item);
    }
    wrap_end(&w);
}

static void opcode_lines(struct buf *out, const struct opcode_tally *t, uint64_t all)
{
    struct wrapped w;
    size_t *ranking = opcode_tally_ranking(t);
    wrap_begin(&w, out, "Most issued opcodes");
    for (size_t i = 0; ranking && i < t->count && i < TOP_OPCODES; i++) {
        char share[NUMBER_SIZE], item[NUMBER_SIZE + 64];
        number_percent(share, t->rows[ranking[i]].inst, all, 1);
        snprintf(item, sizeof item, "%.40s %s %%", t->rows[ranking[i]].name, share);
        wrap_item(&w, item);
    }
    wrap_end(&w);
    free(ranking);
}

static void summary_table(struct buf *out, const struct summary *s)
{
    struct table t = {.out = out};
    const struct sim_stats *c = &s->stats;
    cell_count(&t, "Cycles", s->cycles);
    cell_count(&t, "Warp instructions", s->warp_instructions);
    cell_count(&t, "Active cycles, busiest SM", s->sm_active_cycles_max);
    cell_count(&t, "Thread instructions", s->thread_instructions);
    cell_ratio(&t, "IPC of an SM", s->warp_instructions, s->sm_active_cycles_sum);
    cell_ratio(&t, "IPC of the card", s->warp_instructions, s->cycles);
    cell_percent(&t, "Occupancy", c->issue_resident_warp_cycles, s->warp_capacity);
    cell_ratio(&t, "Active lanes an instruction", c->issue_thread_instructions, c->issue_issued);
    cell_percent(&t, "L1D load hits", c->l1d_load_sector_hits, c->l1d_load_sectors);
    cell_percent(&t, "L2 read hits", c->l2_read_hits, c->l2_read_sectors);
    cell_percent(&t, "L0 instruction cache hits", c->icache_l0_hits, c->icache_l0_accesses);
    cell_count(&t, "Shared-memory bank conflicts", c->shared_bank_conflicts);
    cell_count(&t, "DRAM bytes read", c->dram_read_bytes);
    cell_count(&t, "DRAM bytes written", c->dram_write_bytes);
    end_table(&t);
    stall_lines(out, c);
    opcode_lines(out, &s->opcodes, s->warp_instructions);
}

static void wall_time(struct buf *out, const struct run_info *info, const struct summary *s)
{
    if (!info->with_host || s->host_seconds <= 0)
        return;
    char rate[NUMBER_SIZE];
    number_grouped(rate, (uint64_t)((double)s->warp_instructions / s->host_seconds));
    buf_printf(out, "  %-20s%.2f s, %s warp instructions a second\n", "Wall time", s->host_seconds,
               rate);
}

/* "Kernel 3: name", cut to the page. */
static void title(struct buf *out, const struct kernel *k, bool complete)
{
    static const char mark[] = " (stopped early)";
    char head[32];
    int n = snprintf(head, sizeof head, "Kernel %" PRIu64 ": ", k->id);
    size_t room = (size_t)(PAGE - n) - (complete ? 0 : sizeof mark - 1);
    buf_puts(out, head);
    if (strlen(k->name) > room)
        buf_printf(out, "%.*s...", (int)room - 3, k->name);
    else
        buf_puts(out, k->name);
    buf_printf(out, "%s\n", complete ? "" : mark);
}

static void geometry(struct buf *out, const struct kernel *k, const struct kernel_result *r)
{
    char ctas[NUMBER_SIZE];
    number_grouped(ctas, r->ctas);
    buf_printf(out, "  grid %ux%ux%u, block %ux%ux%u, %u registers, %u bytes of shared memory\n",
               k->grid.x, k->grid.y, k->grid.z, k->block.x, k->block.y, k->block.z, k->registers,
               k->shared_bytes);
    buf_printf(out, "  %s CTA%s of %u warp%s on %u of %u SMs; %u fit an SM", ctas,
               r->ctas == 1 ? "" : "s", r->warps_per_cta, r->warps_per_cta == 1 ? "" : "s",
               r->sms_used, r->sms, r->ctas_per_sm);
    if (r->ctas_limited_by)
        buf_printf(out, " (limited by %s)", r->ctas_limited_by);
    buf_printf(out, "; dependences by %s\n",
               r->dependence_mode == DEPENDENCE_control_bits ? "control bits" : "scoreboard");
}

static void hazard_lines(struct buf *out, const struct summary *s, const struct kernel_report *k)
{
    buf_printf(out, "  Hazards: %" PRIu64 " RAW, %" PRIu64 " WAW, %" PRIu64 " WAR\n",
               s->hazards[HAZARD_RAW], s->hazards[HAZARD_WAW], s->hazards[HAZARD_WAR]);
    uint32_t kept = k ? k->result->hazard_kept : 0;
    for (uint32_t i = 0; i < kept && i < TEXT_HAZARDS; i++) {
        hazard_text(out, k->kernel, &k->result->hazards[i]);
        buf_puts(out, "\n");
    }
    if (kept > TEXT_HAZARDS)
        buf_printf(out, "  (%u more are in the JSON result)\n", kept - TEXT_HAZARDS);
}

void result_text_kernel(struct buf *out, const struct run_info *info, const struct kernel_report *k)
{
    title(out, k->kernel, k->complete);
    geometry(out, k->kernel, k->result);
    summary_table(out, k->summary);
    if (info->with_hazards)
        hazard_lines(out, k->summary, k);
    wall_time(out, info, k->summary);
    buf_puts(out, "\n");
}

static void plural(struct buf *out, const char *prefix, uint64_t n, const char *what)
{
    char text[NUMBER_SIZE];
    number_grouped(text, n);
    buf_printf(out, "%s%s %s%s", prefix, text, what, n == 1 ? "" : "s");
}

void result_text_end(struct buf *out, const struct run_info *info, const struct run_end *end,
                     const char *failures)
{
    plural(out, "Total: ", end->kernels, "kernel");
    plural(out, ", ", end->total->ctas, "CTA");
    if (end->memcpy_count > 0) {
        char bytes[NUMBER_SIZE];
        number_grouped(bytes, end->memcpy_bytes);
        buf_printf(out, ", %" PRIu64 " copies to the device (%s bytes)", end->memcpy_count, bytes);
    }
    if (end->interrupted)
        buf_puts(out, " (interrupted)");
    else if (end->stopped)
        buf_puts(out, " (stopped by an error)");
    buf_printf(out, ", on %s\n", info->config->name);
    summary_table(out, end->total);
    if (info->with_hazards)
        hazard_lines(out, end->total, NULL);
    wall_time(out, info, end->total);
    if (end->diag->count > 0)
        plural(out, "  ", end->diag->count, "warning");
    if (end->diag->count > 0)
        buf_puts(out, "\n");
    if (failures && *failures) {
        buf_puts(out, "  Kernels that could not be simulated:\n");
        while (*failures) {
            size_t n = strcspn(failures, "\n");
            buf_printf(out, "    %.*s\n", (int)n, failures);
            failures += n + (failures[n] == '\n');
        }
    }
}
