/* Runs a listing through the whole model, in process, and answers questions about its issue log.
 *
 * Everything here ends the running cmocka test with a message when it cannot do its work, so that
 * tests read as statements about cycles. Cycles are relative to the listing's timed part: the first
 * clock read (CS2R or S2R of a clock) of any warp issues in cycle 1. A listing without a clock read
 * is counted from the kernel's start. */
#ifndef SUBCORE_TESTS_HARNESS_H
#define SUBCORE_TESTS_HARNESS_H

#include "cfg/load.h"
#include "gpu/gpu.h"
#include "launch/launch_input.h"
#include "trace/kernel.h"

#define RUN_SETS_MAX 8

/* How to run. A zeroed struct is the shipped rtx_a6000 on one SM. */
struct run_setup {
    const char *config;             /* NULL = rtx_a6000 */
    const char *sets[RUN_SETS_MAX]; /* "key.path=value", up to the first NULL */
    uint32_t sms;                   /* 0 = 1 */
    uint32_t threads;
    uint64_t window;
    uint64_t max_ctas; /* 0 = all */
    bool no_skip;
    enum tick_order tick_order;
    bool check_hazards;
    bool by_inst;
};

struct run {
    struct loaded_config config;
    struct diag diag;
    struct input *input;           /* of a listing or trace */
    struct launch_input *launches; /* of a launch file */
    struct kernel *kernel;         /* the input's only kernel; valid until run_free() */
    struct gpu *gpu;
    struct kernel_result result;
    struct issue_record *issues; /* in order of cycle, SM, sub-core */
    size_t issue_count, issue_capacity;
    uint64_t origin; /* cycle 0 of the timed part, on the kernel's clock */
};

/* Runs the listing (or the first kernel of another input) at `path`, absolute or relative to the
 * source tree. `setup` may be NULL. */
void run_listing(struct run *r, const char *path, const struct run_setup *setup);

/* Executes the launch at `path` (FILE:NAME), absolute or relative to the source tree, through the
 * model. */
void run_launch(struct run *r, const char *path, const struct launch_input_options *options,
                const struct run_setup *setup);

/* Runs a listing given as text. */
void run_text(struct run *r, const char *text, const struct run_setup *setup);

/* Frees everything. */
void run_free(struct run *r);

/* The whole text of a file of the source tree; the caller frees it. */
char *source_text(const char *path);

/* The record of the nth (from 0) instruction that warp `warp` of CTA 0 issued in the timed part
 * (from its first clock read on) and whose opcode is `opcode` up to a dot or the end ("LDG",
 * "BAR.SYNC"). */
const struct issue_record *run_find(const struct run *r, uint32_t warp, const char *opcode,
                                    uint32_t nth);

/* Cycle in which it issued, and in which it was in Control. */
uint64_t run_issue(const struct run *r, uint32_t warp, const char *opcode, uint32_t nth);
uint64_t run_control(const struct run *r, uint32_t warp, const char *opcode, uint32_t nth);

/* What the nth+1 clock read returns minus what the nth does: clocks are read in Control. */
uint64_t run_clock_difference(const struct run *r, uint32_t warp, uint32_t nth);

/* Opcode of an issue record. */
const char *run_opcode(const struct run *r, const struct issue_record *record);

#endif
