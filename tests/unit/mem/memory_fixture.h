/* A small memory whose latencies are round numbers. */
#ifndef SUBCORE_TESTS_UNIT_MEM_MEMORY_FIXTURE_H
#define SUBCORE_TESTS_UNIT_MEM_MEMORY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mem/memory.h"

struct fixture {
    struct config cfg;
    struct arena arena;
    struct memory m;
    struct sim_stats stats; /* of all parts */
};

/* One slice and one channel, whose bus is no limit. */
static inline void start(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    config_defaults(&f->cfg);
    f->cfg.gpu.core_mhz = f->cfg.l2.mhz = f->cfg.dram.memory_mhz = 1000;
    f->cfg.l2.request_cycles = 50;
    f->cfg.l2.access_cycles = 20;
    f->cfg.l2.reply_cycles = 30;
    f->cfg.l2.slices = 1;
    f->cfg.l2.slice_sectors = 1;
    f->cfg.l2.bytes = 64 * 1024;
    f->cfg.l2.partitions = 1;
    f->cfg.l2.partition_cycles = 61;
    f->cfg.l2.partition_bytes = 1000000;
    f->cfg.l2.partial_write_cycles = 3;
    f->cfg.l2.atomic_cycles = 40;
    f->cfg.dram.channels = 1;
    f->cfg.dram.banks = 16;
    f->cfg.dram.row_bytes = 1024;
    f->cfg.dram.access_bytes = 32;
    f->cfg.dram.access_cycles = 200;
    f->cfg.dram.bus_bits = 256;
    f->cfg.dram.transfers_per_clock = 8;
    f->cfg.dram.cas_ns = 10;
    f->cfg.dram.activate_ns = 20;
    f->cfg.dram.precharge_ns = 30;
    f->cfg.dram.refresh_ns = f->cfg.dram.activate_interval_ns = 0;
    f->cfg.dram.write_batch = 1;
    f->cfg.dram.read_to_write_ns = f->cfg.dram.write_to_read_ns = f->cfg.dram.write_gap_ns = 0;
}

static inline void ready(struct fixture *f)
{
    assert_true(memory_init(&f->m, &f->cfg, &f->arena));
}

static inline void finish(struct fixture *f)
{
    arena_free(&f->arena);
}

static inline cycle_t serve_for(struct fixture *f, uint32_t sm, enum mem_kind kind, uint64_t line,
                                uint32_t sectors, cycle_t send)
{
    struct mem_request r = {.send = send,
                            .line = line,
                            .sectors = sectors,
                            .kind = (uint8_t)kind,
                            .passes = 1,
                            .sm = sm};
    cycle_t at = memory_serve(&f->m, &r) - send;
    memory_take_stats(&f->m, &f->stats);
    return at;
}

static inline cycle_t serve(struct fixture *f, enum mem_kind kind, uint64_t line, uint32_t sectors,
                            cycle_t send)
{
    return serve_for(f, 1, kind, line, sectors, send);
}

#define HIT (50 + 20 + 30)
#define DRAM (20 + 10 + 1 + 200) /* a closed row */
#define MISS (HIT + DRAM)
#define ROW_HIT (MISS - 20)

#endif
