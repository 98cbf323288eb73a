#include <inttypes.h>
#include <string.h>

#include "app/app.h"
#include "report/profile.h"

struct inspect {
    const struct cli *cli;
    struct loaded_config config;
    struct diag diag;
    struct buf out;
    struct json json;
    bool as_json;
    uint64_t kernels, failed, faults;
    uint64_t copies, copied_bytes;
    struct sim_err dump_error;
};

/* Text that is kept before it is written. */
#define FLUSH_BYTES 65536

static void on_failed(void *user, const struct sim_err *why)
{
    struct inspect *in = user;
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    err_format(why, text, sizeof text);
    fprintf(stderr, "subcore: %s (kernel passed over)\n", text);
    in->failed++;
}

static void dump(void *user, const struct cta_stream *cta, const struct warp_stream *warp,
                 const struct dyn_inst *d)
{
    struct inspect *in = user;
    profile_dump(&in->out, cta, warp, d);
    if (in->out.len >= FLUSH_BYTES && in->dump_error.code == ERR_NONE)
        app_write(stdout, &in->out, &in->dump_error);
    else if (in->dump_error.code != ERR_NONE)
        in->out.len = 0;
}

static void check_kernel(struct inspect *in, const struct kernel *k, const struct profile *p)
{
    struct buf text = {0};
    in->faults += profile_faults(&text, k, p);
    if (in->cli->given[CLI_CONFIG] && k->sm_version != 0 &&
        k->sm_version != in->config.cfg.gpu.sm_version) {
        buf_printf(&text, "kernel %" PRIu64 ": the trace is for sm_%u, %s is sm_%u\n", k->id,
                   k->sm_version, in->config.name, in->config.cfg.gpu.sm_version);
        in->faults++;
    }
    if (!in->as_json && text.len > 0)
        buf_add(&in->out, text.data, text.len);
    if (text.failed)
        in->out.failed = true;
    buf_free(&text);
}

static bool inspect_kernel(struct inspect *in, struct kernel *k, struct sim_err *err)
{
    struct profile p;
    bool dumping = in->cli->given[CLI_DUMP], checking = in->cli->given[CLI_CHECK];
    memset(&p, 0, sizeof p);
    if (dumping)
        buf_printf(&in->out,
                   "# kernel %" PRIu64 " %s grid %u,%u,%u block %u,%u,%u\n"
                   "# cta warp pc mask%s instruction addresses\n",
                   k->id, k->name, k->grid.x, k->grid.y, k->grid.z, k->block.x, k->block.y,
                   k->block.z, k->has_ctrl ? " control" : "");
    bool ok = profile_kernel(&p, k, dumping ? dump : NULL, in, err);
    if (ok) {
        in->kernels++;
        if (checking)
            check_kernel(in, k, &p);
        if (in->as_json)
            profile_json(&in->json, k, &p);
        else if (!dumping && !checking)
            profile_text(&in->out, k, &p);
    }
    profile_free(&p);
    if (ok && in->dump_error.code != ERR_NONE) {
        *err = in->dump_error;
        ok = false;
    }
    return ok && app_write(stdout, &in->out, err);
}

static bool inspect_items(struct inspect *in, struct source *input, struct sim_err *err)
{
    for (;;) {
        struct input_item item;
        struct sim_err failure = {0};
        TRY(source_next(input, &item, err));
        if (item.kind == INPUT_END)
            return true;
        if (item.kind == INPUT_MEMCPY) {
            in->copies++;
            in->copied_bytes += item.copy_bytes;
            continue;
        }
        item.kernel->id = item.position;
        if (!inspect_kernel(in, item.kernel, &failure)) {
            if (failure.code != ERR_INPUT || !in->cli->given[CLI_KEEP_GOING]) {
                *err = failure;
                return false;
            }
            on_failed(in, &failure);
            err_clear(&failure);
        }
    }
}

static void begin(struct inspect *in)
{
    if (!in->as_json)
        return;
    json_init(&in->json, &in->out);
    json_object(&in->json, NULL);
    json_string(&in->json, "version", SUBCORE_VERSION);
    json_string(&in->json, "input", in->cli->args[0]);
    json_array(&in->json, "kernels");
}

static void end(struct inspect *in)
{
    if (in->as_json) {
        json_array_end(&in->json);
        json_object(&in->json, "memcpy");
        json_u64(&in->json, "count", in->copies);
        json_u64(&in->json, "bytes", in->copied_bytes);
        json_object_end(&in->json);
        json_u64(&in->json, "failed", in->failed);
        json_object_end(&in->json);
    } else if (in->cli->given[CLI_CHECK]) {
        buf_printf(&in->out, "%" PRIu64 " kernel%s read, %" PRIu64 " problem%s\n", in->kernels,
                   in->kernels == 1 ? "" : "s", in->faults + in->failed,
                   in->faults + in->failed == 1 ? "" : "s");
    } else if (!in->cli->given[CLI_DUMP]) {
        buf_printf(&in->out,
                   "%" PRIu64 " kernel%s, %" PRIu64 " copies to the device (%" PRIu64 " bytes)\n",
                   in->kernels, in->kernels == 1 ? "" : "s", in->copies, in->copied_bytes);
    }
}

static bool inspect_input(struct inspect *in, struct sim_err *err)
{
    struct source *input = NULL;
    struct input_options opt = {.keep_going = in->cli->given[CLI_KEEP_GOING],
                                .failed = on_failed,
                                .user = in,
                                .diag = &in->diag,
                                .kernel_first = in->cli->number[CLI_KERNEL],
                                .kernel_last = in->cli->number_last[CLI_KERNEL]};
    TRY(app_open_source(&input, in->cli->args[0], &opt, in->cli, err));
    begin(in);
    bool ok = inspect_items(in, input, err);
    source_close(input);
    TRY(ok);
    if (in->kernels + in->failed == 0 && in->cli->given[CLI_KERNEL])
        return err_set(err, ERR_USAGE, NULL, 0, 0, "--kernel %s: the input has no such kernel",
                       in->cli->text[CLI_KERNEL]);
    end(in);
    return app_write(stdout, &in->out, err);
}

int cmd_inspect(const struct cli *cli)
{
    int status = 0;
    struct sim_err err = {0};
    struct inspect in;
    memset(&in, 0, sizeof in);
    in.cli = cli;
    in.as_json = cli->number[CLI_FORMAT] == CLI_FORMAT_JSON;
    in.diag.strict = cli->given[CLI_STRICT];
    in.diag.print = cli->given[CLI_QUIET] ? NULL : app_print_warning;
    if (in.as_json && cli->given[CLI_DUMP])
        return app_fail_usage("--dump prints text, not JSON");
    if (!app_load_config(cli, &in.config, &status))
        return status;
    if (!inspect_input(&in, &err))
        status = app_fail(&err);
    else if (in.failed > 0 || in.faults > 0)
        status = err_exit_status(ERR_INPUT);
    buf_free(&in.out);
    config_free(&in.config);
    return status;
}
