#include "subcore/subcore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cfg/load.h"
#include "gpu/gpu.h"
#include "report/summary.h"

struct done_kernel {
    char *name;
    struct summary summary;
};

struct subcore {
    struct loaded_config config;
    bool loaded;
    struct sim_options options;
    struct diag diag;
    struct gpu *gpu;
    struct done_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    struct summary total;
    int status;
    char *message; /* heap, or NULL */
};

const char *subcore_version(void)
{
    return SUBCORE_VERSION;
}

/* Takes the text of `message`. */
static int finish(struct subcore *s, int status, struct buf *message)
{
    free(s->message);
    s->message = message ? buf_take(message) : NULL;
    s->status = status;
    return status;
}

static int finish_error(struct subcore *s, struct sim_err *err)
{
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    struct buf message = {0};
    int status = err_exit_status(err->code);
    err_format(err, text, sizeof text);
    buf_puts(&message, text);
    if (err->detail)
        buf_printf(&message, "\n%s", err->detail);
    err_clear(err);
    return finish(s, status, &message);
}

static int fail(struct subcore *s, enum sim_err_code code, const char *text)
{
    struct sim_err err = {0};
    err_set(&err, code, NULL, 0, 0, "%s", text);
    return finish_error(s, &err);
}

struct subcore *subcore_open(const char *config, const char *const *sets, size_t set_count)
{
    struct subcore *s = calloc(1, sizeof *s);
    struct err_list *errors = calloc(1, sizeof *errors);
    if (!s || !errors) {
        free(s);
        free(errors);
        return NULL;
    }
    s->loaded = config_load(&s->config, config, sets, set_count, errors);
    if (!s->loaded) {
        struct buf message = {0};
        for (uint32_t i = 0; i < errors->count; i++) {
            char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
            err_format(&errors->items[i], text, sizeof text);
            buf_printf(&message, "%s%s", i > 0 ? "\n" : "", text);
        }
        enum sim_err_code code = errors->count > 0 ? errors->items[0].code : ERR_CONFIG;
        finish(s, err_exit_status(code), &message);
    }
    free(errors);
    s->options.threads = 1;
    s->options.diag = &s->diag;
    return s;
}

void subcore_close(struct subcore *s)
{
    if (!s)
        return;
    if (s->gpu)
        gpu_destroy(s->gpu);
    for (size_t i = 0; i < s->kernel_count; i++) {
        free(s->kernels[i].name);
        summary_free(&s->kernels[i].summary);
    }
    free(s->kernels);
    summary_free(&s->total);
    if (s->loaded)
        config_free(&s->config);
    free(s->message);
    free(s);
}

int subcore_status(const struct subcore *s)
{
    return s->status;
}

const char *subcore_error(const struct subcore *s)
{
    return s->message ? s->message : "";
}

int subcore_set_threads(struct subcore *s, uint32_t threads)
{
    if (threads == 0 || s->gpu)
        return fail(s, ERR_USAGE, "threads are set before the first run, from 1 on");
    s->options.threads = threads;
    return finish(s, SUBCORE_OK, NULL);
}

int subcore_set_sms(struct subcore *s, uint32_t sms)
{
    if (s->gpu || (s->loaded && sms > s->config.cfg.gpu.sms))
        return fail(s, ERR_USAGE, "SMs are set before the first run, at most those of the card");
    s->options.sms = sms;
    return finish(s, SUBCORE_OK, NULL);
}

static bool reserve_kernel(struct subcore *s, struct sim_err *err)
{
    if (s->kernel_count < s->kernel_capacity)
        return true;
    size_t capacity = s->kernel_capacity ? s->kernel_capacity * 2 : 16;
    struct done_kernel *kernels = realloc(s->kernels, capacity * sizeof *kernels);
    if (!kernels)
        return err_memory(err, "keeping results");
    s->kernels = kernels;
    s->kernel_capacity = capacity;
    return true;
}

static bool keep_result(struct subcore *s, const struct kernel *k, const struct kernel_result *r,
                        struct sim_err *err)
{
    struct done_kernel done = {.name = strdup(k->name)};
    if (!done.name)
        return err_memory(err, "keeping results");
    if (summary_of_kernel(&done.summary, k, r, err) &&
        summary_add(&s->total, &done.summary, r->start_cycle + r->cycles, err)) {
        s->kernels[s->kernel_count++] = done;
        return true;
    }
    summary_free(&done.summary);
    free(done.name);
    return false;
}

static bool run_kernel(struct subcore *s, struct kernel *k, struct sim_err *err)
{
    struct kernel_result r;
    memset(&r, 0, sizeof r);
    TRY(reserve_kernel(s, err));
    bool ok = gpu_run_kernel(s->gpu, k, &r, err) && keep_result(s, k, &r, err);
    kernel_result_free(&r);
    return ok;
}

static bool run_items(struct subcore *s, struct input *in, struct sim_err *err)
{
    for (;;) {
        struct input_item item;
        TRY(input_next(in, &item, err));
        if (item.kind == INPUT_END)
            return true;
        if (item.kind == INPUT_MEMCPY)
            gpu_memcpy(s->gpu, item.copy_addr, item.copy_bytes);
        else
            TRY(run_kernel(s, item.kernel, err));
    }
}

int subcore_run(struct subcore *s, const char *input)
{
    struct sim_err err = {0};
    struct input *in = NULL;
    struct input_options opt = {.diag = &s->diag};
    if (!s->loaded)
        return s->status;
    bool ok = (s->gpu || gpu_create(&s->gpu, &s->config.cfg, &s->options, &err)) &&
              input_open(&in, input, &opt, &err) && run_items(s, in, &err);
    if (in)
        input_close(in);
    return ok ? finish(s, SUBCORE_OK, NULL) : finish_error(s, &err);
}

size_t subcore_kernel_count(const struct subcore *s)
{
    return s->kernel_count;
}

const char *subcore_kernel_name(const struct subcore *s, size_t kernel)
{
    return kernel < s->kernel_count ? s->kernels[kernel].name : NULL;
}

int subcore_stat(const struct subcore *s, size_t kernel, const char *name, uint64_t *value)
{
    if (kernel != SUBCORE_TOTAL && kernel >= s->kernel_count)
        return SUBCORE_USAGE;
    const struct summary *sum = kernel == SUBCORE_TOTAL ? &s->total : &s->kernels[kernel].summary;
    return summary_value(sum, name, value) ? SUBCORE_OK : SUBCORE_USAGE;
}
