/* How the engine runs (threads, window, skipping, order of sub-cores) never changes a result, on
 * random listings under random settings; and what goes in comes out. SUBCORE_TEST_SEED=N runs one
 * seed and prints its listing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/harness.h"
#include "support/random_listing.h"

#define RANDOM_LISTINGS 16
#define COUNT_OF(a) (sizeof(a) / sizeof(a)[0])

struct variant {
    const char *name;
    uint32_t threads;
    uint64_t window;
    bool no_skip;
    enum tick_order order;
};

static const struct variant variants[] = {
    {"reverse order", 1, 0, false, TICK_REVERSE},
    {"rotating order, no skipping", 1, 0, true, TICK_ROTATE},
    {"window 1", 1, 1, false, TICK_FORWARD},
    {"window 7, no skipping", 1, 7, true, TICK_FORWARD},
    {"two threads", 2, 0, false, TICK_FORWARD},
    {"three threads, window 7, reverse order", 3, 7, false, TICK_REVERSE},
};

static void check_stats(const struct kernel_result *a, const struct kernel_result *b,
                        const char *what)
{
    for (size_t i = 0; i < stat_count(); i++) {
        const struct stat_info *s = stat_info(i);
        uint64_t x, y;
        memcpy(&x, (const char *)&a->stats + s->offset, sizeof x);
        memcpy(&y, (const char *)&b->stats + s->offset, sizeof y);
        if (x != y)
            fail_msg("%s: %s.%s is %llu, was %llu", what, s->group, s->name, (unsigned long long)y,
                     (unsigned long long)x);
    }
    for (size_t i = 0; i < STALL_COUNT; i++) {
        if (a->stats.stalls[i] != b->stats.stalls[i])
            fail_msg("%s: stall %s is %llu, was %llu", what, stall_name((enum stall_reason)i),
                     (unsigned long long)b->stats.stalls[i],
                     (unsigned long long)a->stats.stalls[i]);
    }
}

static void check_issues(const struct run *a, const struct run *b, const char *what)
{
    for (size_t i = 0; i < a->issue_count && i < b->issue_count; i++) {
        const struct issue_record *x = &a->issues[i], *y = &b->issues[i];
        if (x->cycle != y->cycle || x->control != y->control || x->cta != y->cta ||
            x->sm != y->sm || x->inst != y->inst || x->warp_slot != y->warp_slot ||
            x->warp != y->warp || x->subcore != y->subcore)
            fail_msg("%s: issue %zu is %s of CTA %llu warp %u in cycle %llu, was %s of CTA %llu "
                     "warp %u in cycle %llu",
                     what, i, run_opcode(b, y), (unsigned long long)y->cta, y->warp,
                     (unsigned long long)y->cycle, run_opcode(a, x), (unsigned long long)x->cta,
                     x->warp, (unsigned long long)x->cycle);
    }
    if (a->issue_count != b->issue_count)
        fail_msg("%s: %zu issues, were %zu", what, b->issue_count, a->issue_count);
}

static void check_hazards(const struct kernel_result *a, const struct kernel_result *b,
                          const char *what)
{
    if (a->hazard_kept != b->hazard_kept)
        fail_msg("%s: %u hazards kept, were %u", what, b->hazard_kept, a->hazard_kept);
    for (uint32_t i = 0; i < a->hazard_kept; i++) {
        const struct hazard_record *x = &a->hazards[i], *y = &b->hazards[i];
        if (x->kind != y->kind || x->cycle != y->cycle || x->cta != y->cta || x->sm != y->sm ||
            x->warp != y->warp || x->inst != y->inst || x->producer != y->producer ||
            x->file != y->file || x->reg != y->reg || x->early_by != y->early_by)
            fail_msg("%s: hazard %u differs", what, i);
    }
    for (uint32_t k = 0; k < HAZARD_KIND_COUNT; k++)
        assert_int_equal(a->hazard_total[k], b->hazard_total[k]);
}

static void check_same(const struct run *a, const struct run *b, const char *what)
{
    const struct kernel_result *x = &a->result, *y = &b->result;
    check_issues(a, b, what);
    if (x->cycles != y->cycles)
        fail_msg("%s: %llu cycles, were %llu", what, (unsigned long long)y->cycles,
                 (unsigned long long)x->cycles);
    check_stats(x, y, what);
    assert_int_equal(x->sm_active_cycles_max, y->sm_active_cycles_max);
    assert_int_equal(x->sm_active_cycles_sum, y->sm_active_cycles_sum);
    assert_int_equal(x->sms_used, y->sms_used);
    assert_int_equal(x->ctas, y->ctas);
    assert_int_equal(x->inst_count, y->inst_count);
    for (uint32_t i = 0; i < x->inst_count; i++) {
        if (x->counts[i].inst != y->counts[i].inst || x->counts[i].thread != y->counts[i].thread)
            fail_msg("%s: executions of instruction %u differ", what, i);
    }
    check_hazards(x, y, what);
}

/* What is true of every finished kernel. */
static void check_conservation(const struct run *r, const char *what)
{
    const struct sim_stats *s = &r->result.stats;
    uint64_t stalls = 0, counted = 0, lanes = 0;
    for (size_t i = 0; i < STALL_COUNT; i++)
        stalls += s->stalls[i];
    for (uint32_t i = 0; i < r->result.inst_count; i++) {
        counted += r->result.counts[i].inst;
        lanes += r->result.counts[i].thread;
    }
    const struct {
        const char *name;
        uint64_t left, right;
    } laws[] = {
        {"stall reasons = warp cycles", stalls, s->issue_resident_warp_cycles},
        {"selected = issued", s->stalls[STALL_selected], s->issue_issued},
        {"executions = issued", counted, s->issue_issued},
        {"lanes", lanes, s->issue_thread_instructions},
        {"issue log = issued", r->issue_count, s->issue_issued},
        {"bubbles + issued = active cycles", s->issue_bubbles + s->issue_issued,
         s->issue_active_cycles},
        {"loaded sectors", s->l1d_global_load_sector_hits + s->l1d_global_load_sector_misses,
         s->l1d_global_load_sectors},
        {"stored sectors", s->l1d_global_store_sector_hits + s->l1d_global_store_sector_misses,
         s->l1d_global_store_sectors},
        {"filled sectors", s->l1d_global_load_sector_misses + s->l1d_local_load_sector_misses,
         s->l1d_fill_sectors},
        {"L2 sectors",
         s->l2_read_sectors + s->l2_write_sectors + s->l2_atomic_sectors + s->l2_reduction_sectors,
         s->l2_sectors},
        {"written sectors", s->l2_write_sectors, s->l1d_write_sectors},
        {"replies = requests", s->noc_replies, s->noc_requests},
        {"L0 fetches", s->icache_l0_hits + s->icache_l0_misses, s->icache_l0_accesses},
        {"L1I lookups", s->icache_l1_hits + s->icache_l1_misses, s->icache_l1_accesses},
    };
    for (size_t i = 0; i < COUNT_OF(laws); i++) {
        if (laws[i].left != laws[i].right)
            fail_msg("%s: %s: %llu and %llu", what, laws[i].name, (unsigned long long)laws[i].left,
                     (unsigned long long)laws[i].right);
    }
    /* A DRAM access may bring more than was asked for. */
    assert_true(s->l2_read_hits + s->l2_read_misses >= s->l2_read_sectors);
    assert_true(r->result.sm_active_cycles_max <= r->result.cycles);
    assert_true(s->icache_prefetch_used + s->icache_prefetch_flushed <= s->icache_prefetch_issued);
}

/* The input, read again, against the executions that were counted. */
static void check_counts(const char *path, const struct run *r, const char *what)
{
    struct input *in;
    struct input_item item;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct cta_stream *cta;
    uint64_t *expected = calloc(r->result.inst_count + 1, sizeof *expected);
    assert_non_null(expected);
    assert_true(input_open(&in, path, &(struct input_options){.diag = &diag}, &err));
    assert_true(input_next(in, &item, &err));
    struct kernel *k = item.kernel;
    for (uint64_t n = 0; n < r->result.ctas && k->ops->open_cta(k, &cta, &err) && cta; n++) {
        for (uint32_t i = 0; i < cta->warp_count; i++) {
            struct warp_stream *w = &cta->warps[i];
            for (;;) {
                if (w->next == w->end && !w->finished)
                    assert_true(k->ops->refill(w, &err));
                if (w->next == w->end)
                    break;
                assert_true(w->next->inst < r->result.inst_count);
                expected[w->next++->inst]++;
            }
        }
        k->ops->close_cta(cta);
    }
    for (uint32_t i = 0; i < r->result.inst_count; i++) {
        if (expected[i] != r->result.counts[i].inst)
            fail_msg("%s: instruction %u has issued %llu times, comes %llu times in the input",
                     what, i, (unsigned long long)r->result.counts[i].inst,
                     (unsigned long long)expected[i]);
    }
    input_close(in);
    free(expected);
}

/* Runs the input at an absolute path in all ways. */
static void check_input(const char *path, const struct run_setup *setup, const char *what)
{
    struct run base;
    run_listing(&base, path, setup);
    check_conservation(&base, what);
    check_counts(path, &base, what);
    for (size_t v = 0; v < COUNT_OF(variants); v++) {
        struct run_setup other = *setup;
        struct run r;
        char name[256];
        other.threads = variants[v].threads;
        other.window = variants[v].window;
        other.no_skip = variants[v].no_skip;
        other.tick_order = variants[v].order;
        run_listing(&r, path, &other);
        snprintf(name, sizeof name, "%s, %s", what, variants[v].name);
        check_same(&base, &r, name);
        run_free(&r);
    }
    run_free(&base);
}

static void check_text(const char *text, const struct run_setup *setup, const char *what)
{
    char path[] = "/tmp/subcore-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    check_input(path, setup, what);
    unlink(path);
}

/* Settings that random listings run under. */
static const char *const settings[][RUN_SETS_MAX] = {
    {0},
    {"issue.scheduler=gto", "register_file.read_ports=2"},
    {"issue.scheduler=lrr", "icache.stream_buffer_lines=0", "icache.l0_bytes=1024",
     "icache.l0_ways=4"},
    {"dependence.mode=scoreboard", "gpu.cta_launch_cycles=3"},
    {"dependence.mode=scoreboard", "issue.scheduler=oldest", "dependence.war_consumers=1",
     "constant.switch_cycles=0", "membar.cta_cycles=0"},
    {"l1d.mshrs=64", "l1d.unified_bytes=114688", "l1d.ways=224", "l2.bytes=98304", "l2.ways=16",
     "l2.slices=4", "gpu.cta_launch_cycles=1000"},
    {"l2.slices=4", "l2.partitions=2", "l2.partition_cycles=99", "l2.slice_sectors=2",
     "dram.channels=8", "dram.access_bytes=64", "dram.write_batch=2"},
    {"register_file.cache_lost_on_switch=true", "fetch.buffer_entries=2",
     "gpu.cta_launch_cycles=1"},
    {"icache.l0_outstanding=1", "icache.l0_bytes=256", "icache.l0_ways=2", "icache.line_bytes=64",
     "icache.stream_buffer_lines=3", "issue.counter_limit=1", "queue.memory.entries=1"},
};

static void random_listings_do_not_depend_on_the_engine(void **state)
{
    (void)state;
    const char *only = getenv("SUBCORE_TEST_SEED");
    for (uint64_t seed = 1; seed <= (only ? UINT64_MAX - 1 : RANDOM_LISTINGS); seed++) {
        if (only)
            seed = strtoull(only, NULL, 10);
        struct random_state r = {seed};
        struct buf text = {0};
        struct run_setup setup = {.sms = 1 + random_below(&r, 3),
                                  .check_hazards = random_below(&r, 3) == 0};
        char what[64];
        memcpy(setup.sets, settings[(seed ^ seed >> 3) % COUNT_OF(settings)], sizeof setup.sets);
        snprintf(what, sizeof what, "seed_%llu", (unsigned long long)seed);
        random_listing(&r, what, &text);
        if (only)
            print_message("%s", text.data);
        check_text(text.data, &setup, what);
        buf_free(&text);
        if (only)
            break;
    }
}

/* Inputs of the source tree, or beside it: passed over where they are absent. */
static void real_inputs_do_not_depend_on_the_engine(void **state)
{
    (void)state;
#define TRACES "../shared/traces/accelsim/"
    static const char *const paths[] = {
        "traces/micro/g5_a.sass",
        "traces/micro/g5_b.sass",
        "traces/micro/g5_c.sass",
        "traces/micro/g6_figure2.sass",
        "traces/listings/vecadd.sass",
        "traces/listings/strided_read.sass",
        "traces/listings/transpose_padded.sass",
        "traces/listings/block_scan.sass",
        TRACES "simple-trace-example/kernel-1.traceg.gz",
        TRACES "dataset_debug/kernel-1-ctx_0x55dfecb31820.traceg.gz",
        TRACES "dataset_debug/kernel-12-ctx_0x55dfecb31820.traceg.gz",
        TRACES "bfs-rodinia-2.0-ft/kernel-5.traceg.gz",
    };
    for (size_t i = 0; i < COUNT_OF(paths) && !getenv("SUBCORE_TEST_SEED"); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", SUBCORE_SOURCE_DIR, paths[i]);
        if (access(path, R_OK) == 0)
            check_input(path, &(struct run_setup){.sms = 3, .max_ctas = 7}, paths[i]);
    }
}

/* A CTA starts in the cycle in which a warp of another one retires: where its warps find a place
 * must not depend on when the start was put on the wheel. CTA 1's loads touch two lines, so it runs
 * 64 cycles behind CTA 0, whose successor starts in the last cycles of its second warp. */
static void the_place_of_a_new_cta_does_not_depend_on_the_window(void **state)
{
    (void)state;
    static const char text[] =
        ".kernel place\n.grid 3\n.warps 4\n.registers 32\n.shared 50176\n.warm code\n"
        ".warm data 0x100000 4096\n"
        "[B------:R-:W0:-:S02] LDG.E R4, [R2.64] ; // @addr 0x100000 stride 4 cta 64\n"
        ".warp 1\n[B0-----:R-:W-:-:S01] MUFU.RCP R6, R4 ;\n.endwarp\n"
        ".warp 0,2,3\n[B0-----:R-:W-:-:S15] NOP ;\n[B------:R-:W-:-:S15] NOP ;\n"
        "[B------:R-:W-:-:S15] NOP ;\n.endwarp\n"
        "[B------:R-:W-:-:S05] EXIT ;\n";
    bool met = false;
    for (uint32_t launch = 30; launch < 110; launch++) {
        char set[64];
        struct run a, b;
        snprintf(set, sizeof set, "gpu.cta_launch_cycles=%u", launch);
        struct run_setup setup = {.sets = {set, "l1d.line_cycles=64", "op.xu.raw=[40,40,40]"}};
        run_text(&a, text, &setup);
        setup.window = 1;
        run_text(&b, text, &setup);
        check_same(&a, &b, set);
        met |= a.issues[a.issue_count - 1].subcore == 0;
        run_free(&a);
        run_free(&b);
    }
    assert_true(met);
}

/* Acknowledgements of stores are on their way for longer than the launch of the next kernel takes.
 */
static void the_start_of_the_next_kernel_does_not_depend_on_the_engine(void **state)
{
    (void)state;
    static const char path[] = SUBCORE_SOURCE_DIR "/traces/micro/g1_store_4subcores.sass";
    uint64_t start[COUNT_OF(variants)];
    for (size_t v = 0; v < COUNT_OF(variants); v++) {
        struct run_setup setup = {.sms = 2,
                                  .sets = {"l2.request_cycles=5003"},
                                  .threads = variants[v].threads,
                                  .window = variants[v].window,
                                  .no_skip = variants[v].no_skip};
        struct run r;
        struct input *input;
        struct input_item item;
        struct kernel_result next;
        struct sim_err err = {0};
        run_listing(&r, path, &setup);
        assert_true(input_open(&input, path, &(struct input_options){.diag = &r.diag}, &err));
        assert_true(input_next(input, &item, &err));
        assert_true(gpu_run_kernel(r.gpu, item.kernel, &next, &err));
        start[v] = next.start_cycle;
        kernel_result_free(&next);
        input_close(input);
        run_free(&r);
        if (start[v] != start[0])
            fail_msg("%s: the next kernel starts at %llu, was %llu", variants[v].name,
                     (unsigned long long)start[v], (unsigned long long)start[0]);
    }
    assert_true(start[0] > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_listings_do_not_depend_on_the_engine),
        cmocka_unit_test(the_place_of_a_new_cta_does_not_depend_on_the_window),
        cmocka_unit_test(the_start_of_the_next_kernel_does_not_depend_on_the_engine),
        cmocka_unit_test(real_inputs_do_not_depend_on_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
