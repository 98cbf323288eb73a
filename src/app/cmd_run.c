#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "app/app.h"
#include "app/progress.h"
#include "app/run_output.h"
#include "app/stop.h"
#include "base/bits.h"
#include "gpu/gpu.h"
#include "launch/launch_dump.h"
#include "sim/sample.h"
#include "study/simulate.h"

struct run {
    const struct cli *cli;
    struct loaded_config config;
    struct diag diag;
    struct gpu *gpu;
    struct run_output output;
    struct progress progress;
    const volatile sig_atomic_t *stop;
    struct summary total;
    uint64_t kernels;  /* simulated, the last one perhaps in part */
    uint64_t failed;   /* passed over */
    uint64_t position; /* kernels of the inputs before this one */
    uint64_t copies, copied_bytes;
    uint64_t unreported; /* cycles of the timeline that first runs of --warm took, less those that
                            samples were scaled by (modulo 2^64) */
    bool second;         /* the kernel running is the second run of --warm */
    bool interrupted;
};

static void print_warning(void *user, const char *text)
{
    struct run *run = user;
    progress_clear(&run->progress);
    app_print_warning(NULL, text);
}

/* A kernel that is passed over with --keep-going. */
static void on_failed(void *user, const struct sim_err *why)
{
    struct run *run = user;
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    err_format(why, text, sizeof text);
    progress_clear(&run->progress);
    fprintf(stderr, "subcore: %s (kernel passed over)\n", text);
    run_output_failed(&run->output, why);
    run->failed++;
}

static bool report_kernel(struct run *run, const struct kernel *k, const struct kernel_result *r,
                          bool complete, struct sim_err *err)
{
    struct summary s;
    TRY(summary_of_kernel(&s, k, r, err));
    progress_clear(&run->progress);
    struct pc_table pcs = {0};
    struct kernel_report report = {
        .kernel = k, .result = r, .summary = &s, .complete = complete, .warm = run->second};
    bool ok = true;
    if (run->cli->given[CLI_BY]) {
        ok = pc_table_make(&pcs, k, r, run->cli->number[CLI_BY] == CLI_BY_LINE,
                           (enum pc_order)run->cli->number[CLI_SORT], err);
        report.pcs = &pcs;
    }
    ok = ok && summary_add(&run->total, &s, r->start_cycle + r->cycles, err) &&
         run_output_kernel(&run->output, &report, err);
    pc_table_free(&pcs);
    summary_free(&s);
    run->kernels++;
    progress_kernel_done(&run->progress, r->warp_instructions);
    return ok;
}

/* --dump-buffers after a launch. */
static bool dump_buffers(const struct run *run, const struct source *in, struct sim_err *err)
{
    if (!run->cli->given[CLI_DUMP_BUFFERS])
        return true;
    return launch_dump_buffers(source_launch(in), run->cli->text[CLI_DUMP_BUFFERS], err);
}

/* A kernel whose simulation has failed. What was simulated before a deadlock or Ctrl-C is reported;
 * a fault of the kernel itself is passed over with --keep-going, and nothing of it stays. */
static bool fail_kernel(struct run *run, const struct source *in, const struct kernel *k,
                        const struct kernel_result *r, struct sim_err *failure, struct sim_err *err)
{
    if (run->cli->given[CLI_KEEP_GOING] && source_is_at_fault(in, failure)) {
        on_failed(run, failure);
        err_clear(failure);
        return run_output_drop(&run->output, err);
    }
    if (failure->code == ERR_INTERRUPT || failure->code == ERR_SIM)
        report_kernel(run, k, r, false, failure);
    run->interrupted = failure->code == ERR_INTERRUPT;
    *err = *failure;
    return false;
}

/* --warm: *k and *r become those of the second run; the first is not part of the timeline. */
static bool run_twice(struct run *run, struct source *in, struct kernel **k,
                      struct kernel_result *r, struct sim_err *err)
{
    uint64_t end;
    TRY(simulate_first_run(run->gpu, in, k, r, &end, err));
    run->unreported = end - run->total.cycles;
    run->second = true;
    return gpu_run_kernel(run->gpu, *k, r, err);
}

/* --ctas: a kernel of which a part was left out stands for the whole. */
static void scale_sample(struct run *run, const struct kernel *k, struct kernel_result *r)
{
    uint64_t asked = run->cli->number[CLI_CTAS], cycles = r->cycles;
    if (!run->cli->given[CLI_CTAS] || r->ctas_simulated < asked || asked >= k->cta_count)
        return;
    sample_scale(r, k->cta_count);
    run->unreported -= r->cycles - cycles;
}

/* Simulates one kernel. */
static bool run_kernel(struct run *run, struct source *in, struct kernel *k, struct sim_err *err)
{
    struct kernel_result r;
    struct sim_err failure = {0};
    memset(&r, 0, sizeof r);
    run->second = false;
    TRY(simulate_check_architecture(k, &run->config.cfg, &run->diag, err));
    TRY(run_output_begin(&run->output, run->cli->given[CLI_KEEP_GOING], err));
    bool ok = run->cli->given[CLI_WARM] ? run_twice(run, in, &k, &r, &failure)
                                        : gpu_run_kernel(run->gpu, k, &r, &failure);
    r.start_cycle -= run->unreported;
    if (ok)
        scale_sample(run, k, &r);
    ok = ok ? report_kernel(run, k, &r, true, err) && dump_buffers(run, in, err)
            : fail_kernel(run, in, k, &r, &failure, err);
    kernel_result_free(&r);
    return ok;
}

/* Options with which kernels run one after the other, whatever their streams. */
static bool runs_alone(const struct cli *cli)
{
    return cli->given[CLI_WARM] || cli->given[CLI_KEEP_GOING] || cli->given[CLI_CHECK_HAZARDS] ||
           cli->given[CLI_TIMELINE];
}

/* Simulates kernels of different streams at once. */
static bool run_together(struct run *run, struct kernel **kernels, uint32_t count,
                         struct sim_err *err)
{
    struct kernel_result results[GPU_TOGETHER];
    struct sim_err failure = {0};
    run->second = false;
    for (uint32_t i = 0; i < count; i++)
        TRY(simulate_check_architecture(kernels[i], &run->config.cfg, &run->diag, err));
    bool ok = gpu_run_together(run->gpu, kernels, count, results, &failure);
    bool report = ok || failure.code == ERR_INTERRUPT || failure.code == ERR_SIM;
    uint64_t shift = run->unreported;
    for (uint32_t i = 0; i < count; i++) {
        results[i].start_cycle -= shift;
        if (ok)
            scale_sample(run, kernels[i], &results[i]);
        struct sim_err late = {0};
        if (report && !report_kernel(run, kernels[i], &results[i], ok, &late) && ok) {
            ok = report = false;
            failure = late;
        }
        kernel_result_free(&results[i]);
    }
    run->interrupted = failure.code == ERR_INTERRUPT;
    if (!ok)
        *err = failure;
    return ok;
}

/* Kernels that an input lists. */
static bool count_kernels(const struct cli *cli, const char *path, const struct input_options *opt,
                          uint64_t *count, struct sim_err *err)
{
    struct source *in = NULL;
    TRY(app_open_source(&in, path, opt, cli, err));
    *count = source_kernel_count(in);
    source_close(in);
    return true;
}

/* The part of --kernel that is in this input: positions count over all inputs. *any = false when
 * none is. A single input checks the range itself. */
static bool kernel_range(struct run *run, const char *path, struct input_options *opt, bool *any,
                         struct sim_err *err)
{
    uint64_t first = run->cli->number[CLI_KERNEL], last = run->cli->number_last[CLI_KERNEL];
    *any = true;
    opt->kernel_first = first;
    opt->kernel_last = last;
    if (!run->cli->given[CLI_KERNEL] || run->cli->arg_count == 1)
        return true;
    uint64_t count = 0, before = run->position;
    opt->kernel_first = opt->kernel_last = 0;
    TRY(count_kernels(run->cli, path, opt, &count, err));
    if (last <= before || first > before + count)
        run->position += count;
    *any = first <= before + count && last > before;
    opt->kernel_first = first > before ? first - before : 1;
    opt->kernel_last = min_u64(last - before, count);
    return true;
}

static bool run_items(struct run *run, struct source *in, struct sim_err *err)
{
    for (;;) {
        struct input_item item;
        if (*run->stop) {
            run->interrupted = true;
            return err_set(err, ERR_INTERRUPT, NULL, 0, 0, "interrupted");
        }
        TRY(source_next(in, &item, err));
        if (item.kind == INPUT_END)
            return true;
        if (item.kind == INPUT_MEMCPY) {
            run->copies++;
            run->copied_bytes += item.copy_bytes;
            gpu_memcpy(run->gpu, item.copy_addr, item.copy_bytes);
        } else {
            struct kernel *kernels[GPU_TOGETHER] = {item.kernel};
            uint32_t count = 1;
            item.kernel->id = run->position + item.position;
            TRY(runs_alone(run->cli) || simulate_gather(in, run->position, kernels, &count, err));
            TRY(count == 1 ? run_kernel(run, in, item.kernel, err)
                           : run_together(run, kernels, count, err));
        }
    }
}

static bool run_input(struct run *run, const char *path, struct sim_err *err)
{
    struct source *in = NULL;
    struct input_options opt = {.keep_going = run->cli->given[CLI_KEEP_GOING],
                                .failed = on_failed,
                                .user = run,
                                .diag = &run->diag};
    bool any = true;
    TRY(kernel_range(run, path, &opt, &any, err));
    if (!any)
        return true;
    TRY(app_open_source(&in, path, &opt, run->cli, err));
    if (run->cli->arg_count == 1 && !run->cli->given[CLI_KERNEL])
        run->progress.kernels = source_kernel_count(in);
    bool ok = run_items(run, in, err);
    run->position += source_kernel_count(in);
    source_close(in);
    return ok;
}

static bool run_inputs(struct run *run, struct sim_err *err)
{
    for (size_t i = 0; i < run->cli->arg_count; i++)
        TRY(run_input(run, run->cli->args[i], err));
    uint64_t last = run->cli->number_last[CLI_KERNEL];
    if (run->cli->given[CLI_KERNEL] && run->position < run->cli->number[CLI_KERNEL])
        return err_set(err, ERR_USAGE, NULL, 0, 0,
                       "--kernel %s: the inputs have %" PRIu64 " kernels",
                       run->cli->text[CLI_KERNEL], run->position);
    if (run->cli->given[CLI_KERNEL] && run->position < last)
        TRY(diag_warn(&run->diag, err, NULL, 0, "--kernel %s: the inputs have %" PRIu64 " kernels",
                      run->cli->text[CLI_KERNEL], run->position));
    if (run->kernels + run->failed == 0)
        return err_set(err, ERR_INPUT, run->cli->args[0], 0, 0, "holds no kernel");
    return true;
}

static struct sim_options simulation_options(struct run *run)
{
    const struct cli *cli = run->cli;
    struct sim_options opt = {.threads = (uint32_t)cli->number[CLI_THREADS],
                              .sms = (uint32_t)cli->number[CLI_SMS],
                              .window = cli->number[CLI_WINDOW],
                              .no_skip = cli->given[CLI_NO_SKIP],
                              .max_cycles = cli->number[CLI_MAX_CYCLES],
                              .deadlock_cycles = cli->number[CLI_DEADLOCK_CYCLES],
                              .max_ctas = cli->number[CLI_CTAS],
                              .check_hazards = cli->given[CLI_CHECK_HAZARDS],
                              .by_inst = cli->given[CLI_BY],
                              .force_mode = cli->given[CLI_DEPENDENCE],
                              .mode = (uint32_t)cli->number[CLI_DEPENDENCE],
                              .stop = run->stop,
                              .diag = &run->diag};
    if (run->output.log) {
        opt.issue_log = issue_log_add;
        opt.issue_user = run->output.log;
    }
    if (run->output.timeline) {
        opt.timeline = timeline_add;
        opt.timeline_user = run->output.timeline;
        opt.timeline_first_sm = (uint32_t)min_u64(run->output.filter.sms.first, UINT32_MAX);
        opt.timeline_last_sm = (uint32_t)min_u64(run->output.filter.sms.last, UINT32_MAX);
    }
    if (run->progress.on) {
        opt.progress = progress_update;
        opt.progress_user = &run->progress;
    }
    return opt;
}

/* Largest number of threads and of SMs asked for; more are a slip of the keyboard. */
#define THREADS_MAX 1024

static bool check_numbers(const struct run *run, struct sim_err *err)
{
    const struct cli *cli = run->cli;
    if (cli->given[CLI_SORT] && !cli->given[CLI_BY])
        return err_set(err, ERR_USAGE, NULL, 0, 0, "--sort is for --by");
    if (cli->number[CLI_THREADS] > THREADS_MAX)
        return err_set(err, ERR_USAGE, NULL, 0, 0, "--threads: expected 1 to %d, found %s",
                       THREADS_MAX, cli->text[CLI_THREADS]);
    if (cli->number[CLI_SMS] > run->config.cfg.gpu.sms)
        return err_set(err, ERR_USAGE, NULL, 0, 0, "--sms: %s has %u SMs, found %s",
                       run->config.name, run->config.cfg.gpu.sms, cli->text[CLI_SMS]);
    return true;
}

static void say_setup(const struct run *run, uint32_t threads)
{
    if (run->cli->given[CLI_VERBOSE])
        fprintf(stderr,
                "subcore: configuration %s (%s), sm_%u, %u SMs; %u thread%s, window of %" PRIu64
                " cycles\n",
                run->config.name, run->config.path, run->config.cfg.gpu.sm_version,
                run->config.cfg.gpu.sms, threads, threads == 1 ? "" : "s", gpu_window(run->gpu));
}

static bool run_all(struct run *run, struct sim_err *err)
{
    uint32_t threads = run->cli->given[CLI_THREADS] ? (uint32_t)run->cli->number[CLI_THREADS] : 1;
    TRY(check_numbers(run, err));
    struct run_info info = {.version = SUBCORE_VERSION,
                            .config = &run->config,
                            .inputs = run->cli->args,
                            .input_count = run->cli->arg_count,
                            .threads = threads,
                            .with_hazards = run->cli->given[CLI_CHECK_HAZARDS],
                            .by_pc = run->cli->given[CLI_BY],
                            .by_line = run->cli->number[CLI_BY] == CLI_BY_LINE};
    TRY(run_output_open(&run->output, run->cli, &info, err));
    progress_begin(&run->progress, (enum cli_when)run->cli->number[CLI_PROGRESS],
                   run->cli->given[CLI_QUIET]);
    struct sim_options opt = simulation_options(run);
    TRY(gpu_create(&run->gpu, &run->config.cfg, &opt, err));
    say_setup(run, threads);
    bool ok = run_inputs(run, err);
    progress_clear(&run->progress);
    struct run_end end = {.total = &run->total,
                          .diag = &run->diag,
                          .kernels = run->kernels,
                          .memcpy_count = run->copies,
                          .memcpy_bytes = run->copied_bytes,
                          .interrupted = run->interrupted,
                          .stopped = !ok && !run->interrupted};
    struct sim_err late = {0};
    bool closed = (!ok && run->kernels == 0) || run_output_close(&run->output, &end, ok, &late);
    if (ok && !closed)
        *err = late;
    return ok && closed;
}

int cmd_run(const struct cli *cli)
{
    int status = 0;
    struct sim_err err = {0};
    struct run run;
    memset(&run, 0, sizeof run);
    run.cli = cli;
    run.diag.strict = cli->given[CLI_STRICT];
    if (!cli->given[CLI_QUIET])
        run.diag.print = print_warning;
    run.diag.user = &run;
    if (!app_load_config(cli, &run.config, &status))
        return status;
    run.stop = stop_install();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of writing, so that files are removed */
    bool ok = run_all(&run, &err);
    if (!ok)
        status = app_fail(&err);
    else if (run.failed > 0)
        status = err_exit_status(ERR_INPUT);
    run_output_free(&run.output);
    if (run.gpu)
        gpu_destroy(run.gpu);
    summary_free(&run.total);
    config_free(&run.config);
    return status;
}
