#include "gpu/gpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "base/buf.h"
#include "gpu/internal.h"

/* Room for one kernel's code in the address space of the instruction caches. */
#define CODE_SPACING (1ull << 28)
#define DEFAULT_DEADLOCK_CYCLES 1000000

static cycle_t largest_window(const struct config *cfg)
{
    cycle_t longest = min_u64(memory_latency(cfg), cfg->gpu.cta_launch_cycles);
    if (cfg->icache.l15_bytes == 0)
        return longest;
    return min_u64(longest, gpc_cache_latency(cfg));
}

/* An SM without a partner has its L1 instruction cache to itself. */
static bool init_parts(struct gpu *g, const struct sm_options *so)
{
    uint32_t share = g->tpc_sms;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        if (!sm_init(&g->sms[i], i, &g->cfg, so, &g->arena))
            return false;
    }
    for (uint32_t i = 0; i < g->tpc_count; i++) {
        uint32_t first = i * share, rest = g->sm_count - first;
        if (!tpc_init(&g->tpcs[i], i, &g->sms[first], rest < share ? rest : share, &g->cfg,
                      &g->arena))
            return false;
    }
    return gpc_init_all(g) && memory_init(&g->memory, &g->cfg, &g->arena);
}

static bool create_parts(struct gpu *g, struct sim_err *err)
{
    const struct sim_options *o = &g->opt;
    struct sm_options so = {.no_skip = o->no_skip,
                            .tick_order = (uint32_t)o->tick_order,
                            .issue_log = o->issue_log != NULL,
                            .check_hazards = o->check_hazards};
    g->sm_count = o->sms && o->sms < g->cfg.gpu.sms ? o->sms : g->cfg.gpu.sms;
    g->tpc_sms = g->cfg.icache.l1_of_tpc ? g->cfg.gpu.sms_per_tpc : 1;
    g->tpc_count = (g->sm_count + g->tpc_sms - 1) / g->tpc_sms;
    g->worker_count = o->threads ? o->threads : 1;
    if (g->worker_count > g->tpc_count)
        g->worker_count = g->tpc_count;
    g->window = largest_window(&g->cfg);
    if (o->window && o->window < g->window)
        g->window = o->window;
    topology_init(&g->topology, &g->cfg, g->sm_count);
    g->sms = calloc(g->sm_count, sizeof *g->sms);
    g->tpcs = calloc(g->tpc_count, sizeof *g->tpcs);
    g->rooms = calloc(g->sm_count, sizeof *g->rooms);
    g->tpc_next = calloc(g->topology.tpcs, sizeof *g->tpc_next);
    g->counts = calloc(g->worker_count, sizeof *g->counts);
    if (o->by_inst)
        g->by_inst = calloc(g->worker_count, sizeof *g->by_inst);
    if (!g->sms || !g->tpcs || !g->rooms || !g->tpc_next || !g->counts ||
        (o->by_inst && !g->by_inst) || !init_parts(g, &so))
        return err_memory(err, "creating the card");
    g->part_begin = calloc(g->memory.part_count + 1, sizeof *g->part_begin);
    if (!g->part_begin)
        return err_memory(err, "creating the card");
    gpu_log_issues(g, true);
    room_init(g);
    return place_init(g, err) && workers_start(&g->workers, g->worker_count, err);
}

bool gpu_create(struct gpu **out, const struct config *cfg, const struct sim_options *opt,
                struct sim_err *err)
{
    struct gpu *g = calloc(1, sizeof *g);
    if (!g)
        return err_memory(err, "creating the card");
    g->cfg = *cfg;
    g->opt = *opt;
    if (!create_parts(g, err)) {
        gpu_destroy(g);
        return false;
    }
    *out = g;
    return true;
}

void gpu_destroy(struct gpu *g)
{
    if (!g)
        return;
    workers_stop(g->workers);
    for (uint32_t i = 0; g->sms && i < g->sm_count; i++)
        sm_free(&g->sms[i]);
    for (uint32_t i = 0; g->tpcs && i < g->tpc_count; i++)
        tpc_free(&g->tpcs[i]);
    for (uint32_t w = 0; g->counts && w < g->worker_count; w++)
        free(g->counts[w]);
    for (uint32_t w = 0; g->by_inst && w < g->worker_count; w++)
        free(g->by_inst[w]);
    free(g->counts);
    free(g->by_inst);
    free(g->sms);
    free(g->tpcs);
    free(g->rooms);
    free(g->tpc_next);
    free(g->raster);
    free(g->pick);
    free(g->code);
    free(g->pending);
    free(g->replies);
    free(g->by_part);
    free(g->part_of);
    free(g->part_begin);
    free(g->log);
    free(g->pipe);
    exec_table_free(&g->exec);
    gpc_free_all(g);
    free(g->near);
    arena_free(&g->arena);
    free(g);
}

uint64_t gpu_window(const struct gpu *g)
{
    return g->window;
}

void gpu_memcpy(struct gpu *g, uint64_t addr, uint64_t bytes)
{
    memory_copy(&g->memory, addr, bytes);
}

void gpu_log_issues(struct gpu *g, bool on)
{
    g->logs_on = on;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        bool followed = i >= g->opt.timeline_first_sm && i <= g->opt.timeline_last_sm;
        g->sms[i].opt.issue_log = on && g->opt.issue_log;
        g->sms[i].opt.timeline = on && g->opt.timeline && followed;
    }
}

/* Kernels of one name share their code. */
static bool place_code(struct gpu *g, const char *name, uint64_t *base, struct sim_err *err)
{
    for (uint32_t i = 0; i < g->code_count; i++) {
        if (strcmp(g->code[i].name, name) == 0) {
            *base = g->code[i].base;
            return true;
        }
    }
    if (g->code_count == g->code_cap) {
        uint32_t cap = g->code_cap ? g->code_cap * 2 : 16;
        struct code_place *p = realloc(g->code, cap * sizeof *p);
        if (!p)
            return err_memory(err, "placing the kernel's code");
        g->code = p;
        g->code_cap = cap;
    }
    char *copy = arena_strndup(&g->arena, name, strlen(name));
    if (!copy)
        return err_memory(err, "placing the kernel's code");
    *base = g->code_count * CODE_SPACING;
    g->code[g->code_count++] = (struct code_place){copy, *base};
    return true;
}

static bool choose_mode(const struct gpu *g, const struct kernel *k, bool *control_bits,
                        struct sim_err *err)
{
    uint32_t mode = g->opt.force_mode ? g->opt.mode : g->cfg.dependence.mode;
    *control_bits = mode != DEPENDENCE_scoreboard && k->has_ctrl;
    if (mode == DEPENDENCE_control_bits && !k->has_ctrl)
        return err_set(err, ERR_INPUT, k->file, 0, 0,
                       "kernel %s has no control bits: give its SASS with --sass, or use "
                       "--dependence hybrid or scoreboard",
                       k->name);
    return true;
}

/* The code of the running kernel, or of all that run together. */
static bool place_all_code(struct gpu *g, const struct kernel *k, struct sim_err *err)
{
    if (!g->bundle)
        return place_code(g, k->name, &g->exec.code_base, err);
    g->exec.code_base = UINT64_MAX;
    for (uint32_t i = 0; i < g->bundle->count; i++) {
        struct bundle_member *m = &g->bundle->members[i];
        TRY(place_code(g, m->kernel->name, &m->code_base, err));
        g->exec.code_base = min_u64(g->exec.code_base, m->code_base);
    }
    return true;
}

static bool begin(struct gpu *g, struct kernel *k, struct sim_err *err)
{
    exec_table_free(&g->exec);
    TRY(place_all_code(g, k, err));
    TRY(choose_mode(g, k, &g->exec.control_bits, err));
    g->kernel = k;
    TRY(dispatch_grow_table(g, err));
    for (uint32_t w = 0; w < g->worker_count; w++) {
        if (g->counts[w])
            memset(g->counts[w], 0, g->counts_cap * sizeof *g->counts[w]);
        if (g->by_inst && g->by_inst[w])
            memset(g->by_inst[w], 0, g->counts_cap * sizeof *g->by_inst[w]);
    }
    g->start = g->end = max_u64(g->now, g->timeline + g->cfg.gpu.kernel_launch_cycles);
    g->now = g->start;
    g->opened = g->closed = 0;
    g->all_opened = g->ahead_ended = false;
    for (uint32_t i = 0; i < g->sm_count; i++)
        TRY(sm_begin_kernel(&g->sms[i], k, &g->exec, g->start, g->occupancy.l1d_bytes, err));
    for (uint32_t i = 0; i < g->tpc_count; i++)
        tpc_begin_kernel(&g->tpcs[i], k, &g->exec);
    TRY(dispatch_first(g, err));
    for (uint32_t i = 0; i < g->tpc_count; i++)
        tpc_set_code(&g->tpcs[i]);
    gpc_begin_kernel(g);
    return true;
}

static bool deadlock(struct gpu *g, struct sim_err *err, uint64_t idle)
{
    struct buf b = {0};
    for (uint32_t i = 0; i < g->sm_count; i++)
        sm_describe(&g->sms[i], &b);
    if (idle)
        err_set(err, ERR_SIM, g->kernel->file, 0, 0,
                "deadlock in kernel %s: no instruction has issued for %" PRIu64
                " cycles; stuck warps:",
                g->kernel->name, idle);
    else
        err_set(err, ERR_SIM, g->kernel->file, 0, 0,
                "deadlock in kernel %s at cycle %" PRIu64 ": nothing can move; stuck warps:",
                g->kernel->name, g->now - g->start);
    err->detail = buf_take(&b);
    return false;
}

static uint64_t issued_so_far(const struct gpu *g)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->sm_count; i++) {
        for (uint32_t s = 0; s < SUBCORES; s++)
            n += g->sms[i].subcores[s].stats.issue_issued;
    }
    return n;
}

static cycle_t last_issue(const struct gpu *g)
{
    cycle_t last = g->start;
    for (uint32_t i = 0; i < g->sm_count; i++)
        last = max_u64(last, g->sms[i].last_issue);
    return last;
}

static uint64_t deadlock_cycles(const struct gpu *g)
{
    return g->opt.deadlock_cycles ? g->opt.deadlock_cycles : DEFAULT_DEADLOCK_CYCLES;
}

/* The first cycle that is more than `cycles` behind `from`; a number without end means never. */
static cycle_t beyond(cycle_t from, uint64_t cycles)
{
    return cycles < CYCLE_NEVER - from ? from + cycles + 1 : CYCLE_NEVER;
}

/* No window goes past the cycle at which a limit stops the kernel, so that the window never decides
 * whether it does. */
static cycle_t limits_end(const struct gpu *g)
{
    cycle_t end = beyond(last_issue(g), deadlock_cycles(g));
    if (g->opt.max_cycles)
        end = min_u64(end, beyond(g->start, g->opt.max_cycles));
    return end;
}

/* Limits and requests from outside; between windows of a kernel that has not ended. */
static bool check_limits(struct gpu *g, struct sim_err *err)
{
    cycle_t last = last_issue(g);
    if (g->now >= beyond(last, deadlock_cycles(g)))
        return deadlock(g, err, g->now - last);
    if (g->opt.max_cycles && g->now - g->start > g->opt.max_cycles)
        return err_set(err, ERR_SIM, g->kernel->file, 0, 0,
                       "kernel %s has not ended after %" PRIu64 " cycles (--max-cycles)",
                       g->kernel->name, g->opt.max_cycles);
    if (g->opt.stop && *g->opt.stop)
        return err_set(err, ERR_INTERRUPT, NULL, 0, 0, "interrupted in kernel %s", g->kernel->name);
    return true;
}

static bool running(const struct gpu *g)
{
    return g->closed < g->opened;
}

/* Until the last CTA has ended and nothing is on its way any more. */
static bool simulate(struct gpu *g, struct sim_err *err)
{
    for (uint64_t windows = 0;; windows++) {
        cycle_t next = window_next_event(g);
        if (next == CYCLE_NEVER)
            return running(g) ? deadlock(g, err, 0) : true;
        cycle_t end = max_u64(next, g->now) + g->window;
        if (running(g))
            end = min_u64(end, limits_end(g));
        TRY(window_run(g, end, err));
        if (running(g))
            TRY(check_limits(g, err));
        if (g->opt.progress && windows % 64 == 0)
            g->opt.progress(g->opt.progress_user, g->kernel, g->now - g->start, issued_so_far(g),
                            g->closed, g->kernel->cta_count);
    }
}

/* The first cycle after a kernel in which nothing is on its way; g->now lies behind it, as far as
 * the last window went. */
static cycle_t quiet_cycle(const struct gpu *g)
{
    cycle_t quiet = g->end;
    for (uint32_t i = 0; i < g->sm_count; i++)
        quiet = max_u64(quiet, g->sms[i].last_event + 1);
    for (uint32_t i = 0; i < g->tpc_count; i++)
        quiet = max_u64(quiet, g->tpcs[i].last_fill + 1);
    return quiet;
}

static double seconds_since(const struct timespec *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t->tv_sec) + 1e-9 * (double)(now.tv_nsec - t->tv_nsec);
}

/* After a failure the SMs hold half a kernel: empty them for the next one. */
static bool restart(struct gpu *g, struct sim_err *err)
{
    struct sm_options so = g->sms[0].opt;
    dispatch_abandon(g);
    room_init(g);
    g->pending_count = g->near_count = 0;
    for (uint32_t i = 0; i < g->sm_count; i++)
        sm_free(&g->sms[i]);
    for (uint32_t i = 0; i < g->tpc_count; i++)
        tpc_free(&g->tpcs[i]);
    gpc_free_all(g);
    arena_free(&g->arena);
    g->code_count = 0;
    if (!init_parts(g, &so))
        return err_memory(err, "emptying the card");
    for (uint32_t i = 0; i < g->sm_count; i++)
        g->sms[i].now = g->now;
    gpu_log_issues(g, g->logs_on);
    return true;
}

bool gpu_run_kernel(struct gpu *g, struct kernel *k, struct kernel_result *result,
                    struct sim_err *err)
{
    struct timespec t0;
    memset(result, 0, sizeof *result);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    TRY(occupancy_of(&g->cfg, k, &g->occupancy, err));
    for (uint32_t i = 0; g->bundle && i < g->bundle->count; i++)
        g->occupancy.l1d_bytes =
            min_u64(g->occupancy.l1d_bytes, g->bundle->members[i].occupancy.l1d_bytes);
    cycle_t now = g->now, timeline = g->timeline;
    bool begun = begin(g, k, err);
    bool ok = begun && simulate(g, err);
    cycle_t end = ok ? g->end : max_u64(g->now, g->start);
    if (!begun && g->kernel != k)
        return false;
    struct sim_err summary = {0};
    if (!summary_fill(g, &g->occupancy, end, result, ok ? err : &summary))
        ok = false;
    result->host_seconds = seconds_since(&t0);
    if (ok) {
        g->now = quiet_cycle(g);
        g->timeline = end;
    } else {
        /* A kernel that may be passed over takes no time. */
        g->now = now;
        g->timeline = timeline;
        struct sim_err lost = {0};
        if (!restart(g, &lost)) {
            err_clear(err);
            *err = lost;
        }
    }
    g->kernel = NULL;
    return ok;
}
