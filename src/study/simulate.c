#include "study/simulate.h"

#include <string.h>

struct simulation {
    const struct simulate_options *opt;
    struct source *in;
    struct gpu *gpu;
    struct summary *total;
    uint64_t unreported; /* cycles of the timeline that first runs took */
    uint64_t kernels;
};

bool simulate_check_architecture(const struct kernel *k, const struct config *config,
                                 struct diag *diag, struct sim_err *err)
{
    if (k->sm_version == 0 || k->sm_version == config->gpu.sm_version)
        return true;
    return diag_warn(diag, err, k->file, 0,
                     "the trace is for sm_%u, the configuration simulates sm_%u; opcode classes "
                     "follow the trace",
                     k->sm_version, config->gpu.sm_version);
}

bool simulate_first_run(struct gpu *gpu, struct source *in, struct kernel **k,
                        struct kernel_result *r, uint64_t *end, struct sim_err *err)
{
    uint64_t id = (*k)->id;
    gpu_log_issues(gpu, false);
    bool ok = gpu_run_kernel(gpu, *k, r, err);
    gpu_log_issues(gpu, true);
    TRY(ok);
    *end = r->start_cycle + r->cycles;
    kernel_result_free(r);
    TRY(source_again(in, k, err));
    (*k)->id = id;
    return true;
}

bool simulate_gather(struct source *in, uint64_t before, struct kernel **kernels, uint32_t *count,
                     struct sim_err *err)
{
    uint64_t streams[GPU_TOGETHER] = {kernels[0]->stream}, position;
    for (*count = 1; *count < GPU_TOGETHER; ++*count) {
        struct kernel *k;
        TRY(source_next_beside(in, streams, *count, &k, &position, err));
        if (!k)
            return true;
        k->id = before + position;
        streams[*count] = k->stream;
        kernels[*count] = k;
    }
    return true;
}

static bool add_kernel(struct simulation *s, const struct kernel *k, const struct kernel_result *r,
                       struct sim_err *err)
{
    struct summary one;
    TRY(summary_of_kernel(&one, k, r, err));
    bool ok = summary_add(s->total, &one, r->start_cycle - s->unreported + r->cycles, err) &&
              (!s->opt->kernel || s->opt->kernel(s->opt->user, k, &one, err));
    summary_free(&one);
    s->kernels++;
    return ok;
}

static bool run_kernel(struct simulation *s, struct kernel *k, struct sim_err *err)
{
    struct kernel_result r;
    memset(&r, 0, sizeof r);
    TRY(simulate_check_architecture(k, s->opt->config, s->opt->sim.diag, err));
    bool ok = true;
    if (s->opt->warm) {
        uint64_t end = 0;
        ok = simulate_first_run(s->gpu, s->in, &k, &r, &end, err);
        s->unreported = end - s->total->cycles;
    }
    ok = ok && gpu_run_kernel(s->gpu, k, &r, err) && add_kernel(s, k, &r, err);
    kernel_result_free(&r);
    return ok;
}

/* Kernels of different streams at once. */
static bool run_together(struct simulation *s, struct kernel **kernels, uint32_t count,
                         struct sim_err *err)
{
    struct kernel_result results[GPU_TOGETHER];
    for (uint32_t i = 0; i < count; i++)
        TRY(simulate_check_architecture(kernels[i], s->opt->config, s->opt->sim.diag, err));
    bool ok = gpu_run_together(s->gpu, kernels, count, results, err);
    for (uint32_t i = 0; i < count; i++) {
        ok = ok && add_kernel(s, kernels[i], &results[i], err);
        kernel_result_free(&results[i]);
    }
    return ok;
}

static bool run_items(struct simulation *s, const char *path, struct sim_err *err)
{
    bool alone = s->opt->warm || s->opt->sim.check_hazards;
    for (;;) {
        struct input_item item;
        TRY(source_next(s->in, &item, err));
        if (item.kind == INPUT_END)
            break;
        if (item.kind == INPUT_MEMCPY) {
            gpu_memcpy(s->gpu, item.copy_addr, item.copy_bytes);
            continue;
        }
        struct kernel *kernels[GPU_TOGETHER] = {item.kernel};
        uint32_t count = 1;
        item.kernel->id = item.position;
        TRY(alone || simulate_gather(s->in, 0, kernels, &count, err));
        TRY(count == 1 ? run_kernel(s, item.kernel, err) : run_together(s, kernels, count, err));
    }
    if (s->kernels == 0)
        return err_set(err, ERR_INPUT, path, 0, 0, "holds no kernel");
    return true;
}

bool simulate(const char *path, const struct simulate_options *opt, struct summary *total,
              struct sim_err *err)
{
    struct simulation s = {.opt = opt, .total = total};
    struct input_options in = {.diag = opt->sim.diag};
    memset(total, 0, sizeof *total);
    bool ok = gpu_create(&s.gpu, opt->config, &opt->sim, err) &&
              source_open(&s.in, path, &in, &opt->files, err) && run_items(&s, path, err);
    source_close(s.in);
    if (s.gpu)
        gpu_destroy(s.gpu);
    return ok;
}
