#include <inttypes.h>
#include <string.h>

#include "report/csv.h"
#include "report/number.h"
#include "report/run_report.h"

/* Leading columns; then one column a counter ("icache_l0.hits") and one a stall reason
 * ("stall.wait"), in the order of the tables. */
static const char lead[] =
    "kernel,name,launch,complete,warm,sampled,ctas_simulated,grid_x,grid_y,grid_z,block_x,block_y,"
    "block_z,registers,"
    "shared_bytes,ctas,ctas_per_sm,sms_used,start_cycle,cycles,elapsed_cycles,"
    "sm_active_cycles_max,sm_active_cycles_avg,warp_instructions,thread_instructions,ipc,ipc_gpu,"
    "occupancy";

static void add_text(struct buf *out, const char *text)
{
    buf_puts(out, ",");
    csv_text(out, text);
}

static void add_u64(struct buf *out, uint64_t v)
{
    buf_printf(out, ",%" PRIu64, v);
}

/* Empty when den is 0. */
static void add_ratio(struct buf *out, uint64_t num, uint64_t den)
{
    char text[NUMBER_SIZE] = "";
    if (den != 0)
        number_ratio(text, num, den, 4);
    buf_printf(out, ",%s", text);
}

void result_csv_begin(struct buf *out, const struct run_info *info)
{
    if (info->by_pc) {
        pc_table_csv_begin(out, info->by_line);
        return;
    }
    buf_puts(out, lead);
    for (size_t i = 0; i < stat_count(); i++)
        buf_printf(out, ",%s.%s", stat_info(i)->group, stat_info(i)->name);
    for (uint32_t r = 0; r < STALL_COUNT; r++)
        buf_printf(out, ",stall.%s", stall_name((enum stall_reason)r));
    buf_puts(out, "\n");
}

void result_csv_kernel(struct buf *out, const struct kernel_report *report)
{
    const struct kernel *k = report->kernel;
    const struct kernel_result *r = report->result;
    const struct summary *s = report->summary;
    if (report->pcs) {
        pc_table_csv(out, k, report->pcs);
        return;
    }
    buf_printf(out, "%" PRIu64, k->id);
    add_text(out, k->name);
    add_text(out, k->launch);
    add_u64(out, report->complete);
    add_u64(out, report->warm);
    add_u64(out, r->sampled);
    add_u64(out, r->ctas_simulated);
    const uint64_t numbers[] = {
        k->grid.x,   k->grid.y,      k->grid.z,       k->block.x,        k->block.y,
        k->block.z,  k->registers,   k->shared_bytes, s->ctas,           r->ctas_per_sm,
        s->sms_used, r->start_cycle, s->cycles,       s->elapsed_cycles, s->sm_active_cycles_max};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        add_u64(out, numbers[i]);
    add_ratio(out, s->sm_active_cycles_sum, s->sms_used);
    add_u64(out, s->warp_instructions);
    add_u64(out, s->thread_instructions);
    add_ratio(out, s->warp_instructions, s->sm_active_cycles_sum);
    add_ratio(out, s->warp_instructions, s->cycles);
    add_ratio(out, s->stats.issue_resident_warp_cycles, s->warp_capacity);
    for (size_t i = 0; i < stat_count(); i++) {
        uint64_t v;
        memcpy(&v, (const char *)&s->stats + stat_info(i)->offset, sizeof v);
        add_u64(out, v);
    }
    for (uint32_t i = 0; i < STALL_COUNT; i++)
        add_u64(out, s->stats.stalls[i]);
    buf_puts(out, "\n");
}
