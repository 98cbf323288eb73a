#include "unit/register_file.h"

#include <string.h>

#include "base/bits.h"

void register_file_init(struct register_file *rf, const struct register_file_cfg *cfg)
{
    memset(rf, 0, sizeof *rf);
    rf->cfg = cfg;
}

/* Makes bit 0 of the masks mean cycle `now`. */
static void move_read_base(struct register_file *rf, cycle_t now)
{
    cycle_t by = now - rf->base;
    if (by == 0)
        return;
    for (uint32_t b = 0; b < RF_BANKS; b++) {
        for (uint32_t p = 0; p < rf->cfg->read_ports; p++)
            rf->read_taken[b][p] = by < 64 ? rf->read_taken[b][p] >> by : 0;
    }
    rf->base = now;
}

static void move_write_base(struct register_file *rf, cycle_t now)
{
    cycle_t by = now - rf->write_base;
    if (by == 0)
        return;
    for (uint32_t b = 0; b < RF_BANKS; b++)
        rf->write_taken[b] = by < 64 ? rf->write_taken[b] >> by : 0;
    rf->write_base = now;
}

/* Reads of the instruction that need a bank port, after the register-file cache. Updates the cache:
 * a read through (bank, slot) drops what is kept there unless it carries reuse. */
static void filter_reads(struct register_file *rf, const struct exec_inst *e, uint16_t warp,
                         uint32_t need[RF_BANKS], struct sim_stats *stats)
{
    for (uint32_t i = 0; i < e->read_count; i++) {
        const struct reg_read *r = &e->reads[i];
        bool hit = r->cacheable;
        for (uint32_t m = r->cacheable ? r->slots : 0; m != 0; m &= m - 1) {
            struct rfc_entry *entry = &rf->rfc[r->bank][lowest_bit(m)];
            hit &= entry->valid && entry->reg == r->reg && entry->warp == warp;
            entry->valid = r->reuse & m & (~m + 1);
            if (entry->valid) {
                entry->warp = warp;
                entry->reg = r->reg;
                rf->rfc_used = true;
                stats->rfc_allocations++;
            }
        }
        if (hit)
            stats->rfc_hits++;
        else
            need[r->bank]++;
    }
}

void register_file_drop(struct register_file *rf, const struct exec_inst *e)
{
    for (uint32_t i = 0; i < e->read_count && rf->rfc_used; i++) {
        const struct reg_read *r = &e->reads[i];
        for (uint32_t m = r->cacheable ? r->slots : 0; m != 0; m &= m - 1)
            rf->rfc[r->bank][lowest_bit(m)].valid = false;
    }
}

/* Free port-cycles of a bank within the window of `length` cycles from offset `at`. */
static uint32_t free_slots(const struct register_file *rf, uint32_t bank, uint32_t at,
                           uint32_t length)
{
    uint64_t window = (length >= 64 ? ~0ull : (1ull << length) - 1) << at;
    uint32_t n = 0;
    for (uint32_t p = 0; p < rf->cfg->read_ports; p++)
        n += popcount64(window & ~rf->read_taken[bank][p]);
    return n;
}

/* Takes `n` of them: the last ones, but of one read the first. So two instructions of two reads
 * conflict where one of three and one of one do not (H200 probes, section 3). */
static void take_slots(struct register_file *rf, uint32_t bank, uint32_t at, uint32_t length,
                       uint32_t n)
{
    while (n == 1 && length > 1 && free_slots(rf, bank, at, 1) == 0) {
        at++;
        length--;
    }
    if (n == 1)
        length = 1;
    for (uint32_t c = at + length; n > 0 && c-- > at;) {
        for (uint32_t p = 0; p < rf->cfg->read_ports && n > 0; p++) {
            if (!(rf->read_taken[bank][p] >> c & 1)) {
                rf->read_taken[bank][p] |= 1ull << c;
                n--;
            }
        }
    }
}

cycle_t register_file_read(struct register_file *rf, const struct exec_inst *e, uint16_t warp,
                           cycle_t now, cycle_t allocate, struct sim_stats *stats)
{
    if (e->read_count == 0)
        return allocate + 1;
    uint32_t need[RF_BANKS] = {e->bank_reads[0], e->bank_reads[1]};
    if (rf->cfg->cache) {
        need[0] = need[1] = 0;
        filter_reads(rf, e, warp, need, stats);
    }
    stats->register_file_reads += need[0] + need[1];
    if (rf->cfg->ideal || need[0] + need[1] == 0)
        return allocate + 1;
    move_read_base(rf, now);
    uint32_t length = rf->cfg->read_cycles;
    for (uint32_t b = 0; b < RF_BANKS; b++) {
        uint32_t cycles = (need[b] + rf->cfg->read_ports - 1) / rf->cfg->read_ports;
        if (cycles > length)
            length = cycles;
    }
    uint32_t first = (uint32_t)(allocate + 1 - now);
    uint32_t at = first;
    if (first + length > 64) /* beyond the masks nothing conflicts: long holds in Allocate */
        return allocate + 1;
    while (at + length < 64 &&
           (free_slots(rf, 0, at, length) < need[0] || free_slots(rf, 1, at, length) < need[1]))
        at++;
    take_slots(rf, 0, at, length, need[0]);
    take_slots(rf, 1, at, length, need[1]);
    stats->register_file_read_port_stalls += at - first;
    return now + at;
}

static uint32_t first_free(const struct register_file *rf, uint32_t bank)
{
    uint32_t c = 0;
    while (c < 63 && free_slots(rf, bank, c, 1) == 0)
        c++;
    return c;
}

bool register_file_try_read(struct register_file *rf, const struct exec_inst *e, bool first,
                            cycle_t now, struct sim_stats *stats)
{
    if (e->read_count == 0 || rf->cfg->ideal)
        return true;
    move_read_base(rf, now);
    uint32_t ports = rf->cfg->read_ports;
    for (uint32_t b = 0; b < RF_BANKS && !first; b++) {
        if (e->bank_reads[b] > 0 && free_slots(rf, b, 0, 1) == 0) {
            stats->register_file_variable_read_stalls++;
            return false;
        }
    }
    for (uint32_t b = 0; b < RF_BANKS; b++) {
        uint32_t n = e->bank_reads[b];
        /* A read that is displaced takes place in the next free cycle. */
        if (n > 0)
            take_slots(rf, b, first_free(rf, b), 1, n < ports ? n : ports);
    }
    stats->register_file_reads += (uint64_t)e->bank_reads[0] + e->bank_reads[1];
    return true;
}

void register_file_write_fixed(struct register_file *rf, const struct exec_inst *e, cycle_t now,
                               cycle_t cycle)
{
    move_write_base(rf, now);
    for (uint32_t b = 0; b < RF_BANKS; b++) {
        cycle_t at = cycle - rf->write_base;
        for (uint32_t n = e->bank_writes[b]; n > 0; n--) {
            while (at < 63 && (rf->write_taken[b] >> at & 1))
                at++;
            if (at < 64)
                rf->write_taken[b] |= 1ull << at;
        }
    }
}

cycle_t register_file_write_load(struct register_file *rf, const struct exec_inst *e, cycle_t now,
                                 cycle_t cycle, struct sim_stats *stats)
{
    move_write_base(rf, now);
    uint64_t taken =
        (e->bank_writes[0] ? rf->write_taken[0] : 0) | (e->bank_writes[1] ? rf->write_taken[1] : 0);
    cycle_t at = cycle - rf->write_base;
    while (at < 63 && (taken >> at & 1))
        at++;
    stats->register_file_write_port_stalls += rf->write_base + at - cycle;
    for (uint32_t b = 0; b < RF_BANKS; b++) {
        if (e->bank_writes[b] && at < 64)
            rf->write_taken[b] |= 1ull << at;
    }
    return rf->write_base + at;
}

void register_file_forget(struct register_file *rf)
{
    if (!rf->rfc_used)
        return;
    memset(rf->rfc, 0, sizeof rf->rfc);
    rf->rfc_used = false;
}

void register_file_forget_warp(struct register_file *rf, uint16_t warp)
{
    for (uint32_t b = 0; b < RF_BANKS; b++) {
        for (uint32_t s = 0; s < RFC_SLOTS; s++) {
            if (rf->rfc[b][s].warp == warp)
                rf->rfc[b][s].valid = false;
        }
    }
}
