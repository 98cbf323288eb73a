#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void fail_with(const struct sim_err *err)
{
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE];
    err_format(err, text, sizeof text);
    fail_msg("%s%s%s", text, err->detail ? "\n" : "", err->detail ? err->detail : "");
}

static bool keep_issues(void *user, const struct kernel *k, const struct issue_record *records,
                        size_t n, struct sim_err *err)
{
    struct run *r = user;
    (void)k;
    if (r->issue_count + n > r->issue_capacity) {
        size_t capacity = 2 * (r->issue_count + n);
        struct issue_record *grown = realloc(r->issues, capacity * sizeof *grown);
        if (!grown)
            return err_memory(err, "the issue log of a test");
        r->issues = grown;
        r->issue_capacity = capacity;
    }
    memcpy(r->issues + r->issue_count, records, n * sizeof *records);
    r->issue_count += n;
    return true;
}

static void load_config(struct run *r, const struct run_setup *setup)
{
    struct err_list *errors = calloc(1, sizeof *errors);
    assert_non_null(errors);
    size_t n = 0;
    while (n < RUN_SETS_MAX && setup->sets[n])
        n++;
    const char *name = setup->config ? setup->config : "rtx_a6000";
    if (!config_load(&r->config, name, setup->sets, n, errors))
        fail_with(&errors->items[0]);
    free(errors);
}

static void open_listing(struct run *r, const char *path)
{
    struct sim_err err = {0};
    struct input_options options = {.diag = &r->diag};
    if (!input_open(&r->input, path, &options, &err))
        fail_with(&err);
    struct input_item item = {.kind = INPUT_END};
    if (!input_next(r->input, &item, &err))
        fail_with(&err);
    if (item.kind != INPUT_KERNEL)
        fail_msg("%s: no kernel in the listing", path);
    r->kernel = item.kernel;
}

static void simulate(struct run *r, const struct run_setup *setup)
{
    struct sim_err err = {0};
    struct sim_options options = {
        .threads = setup->threads,
        .sms = setup->sms ? setup->sms : 1,
        .window = setup->window,
        .max_ctas = setup->max_ctas,
        .no_skip = setup->no_skip,
        .tick_order = setup->tick_order,
        .check_hazards = setup->check_hazards,
        .by_inst = setup->by_inst,
        .max_cycles = 10000000,
        .issue_log = keep_issues,
        .issue_user = r,
        .diag = &r->diag,
    };
    if (!gpu_create(&r->gpu, &r->config.cfg, &options, &err))
        fail_with(&err);
    if (!gpu_run_kernel(r->gpu, r->kernel, &r->result, &err))
        fail_with(&err);
}

static const struct inst *record_inst(const struct run *r, const struct issue_record *record)
{
    if (record->inst >= r->kernel->inst_count)
        fail_msg("issue record names instruction %u of %u", record->inst, r->kernel->inst_count);
    return r->kernel->insts[record->inst];
}

static void find_origin(struct run *r)
{
    r->origin = 0;
    for (size_t i = 0; i < r->issue_count; i++) {
        if (record_inst(r, &r->issues[i])->flags & INST_CLOCK) {
            r->origin = r->issues[i].cycle - 1;
            return;
        }
    }
}

static void open_launch(struct run *r, const char *path, const struct launch_input_options *options)
{
    struct sim_err err = {0};
    if (!launch_input_open(&r->launches, path, options, &err) ||
        !launch_input_next(r->launches, &r->kernel, &err))
        fail_with(&err);
}

/* `launch` is NULL for all but launch files. */
static void run_path(struct run *r, const char *path, const struct launch_input_options *launch,
                     const struct run_setup *setup)
{
    static const struct run_setup shipped;
    memset(r, 0, sizeof *r);
    if (!setup)
        setup = &shipped;
    load_config(r, setup);
    if (launch)
        open_launch(r, path, launch);
    else
        open_listing(r, path);
    simulate(r, setup);
    find_origin(r);
}

static void source_path(char *out, size_t size, const char *path)
{
    const char *root = path[0] == '/' ? "" : SUBCORE_SOURCE_DIR "/";
    if ((size_t)snprintf(out, size, "%s%s", root, path) >= size)
        fail_msg("path is too long: %s", path);
}

void run_listing(struct run *r, const char *path, const struct run_setup *setup)
{
    char full[4096];
    source_path(full, sizeof full, path);
    run_path(r, full, NULL, setup);
}

void run_launch(struct run *r, const char *path, const struct launch_input_options *options,
                const struct run_setup *setup)
{
    char full[4096];
    source_path(full, sizeof full, path);
    run_path(r, full, options, setup);
}

void run_text(struct run *r, const char *text, const struct run_setup *setup)
{
    char path[] = "/tmp/subcore-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    run_path(r, path, NULL, setup);
    unlink(path);
}

void run_free(struct run *r)
{
    gpu_destroy(r->gpu);
    kernel_result_free(&r->result);
    input_close(r->input);
    launch_input_close(r->launches);
    config_free(&r->config);
    free(r->issues);
    memset(r, 0, sizeof *r);
}

char *source_text(const char *path)
{
    char full[4096];
    source_path(full, sizeof full, path);
    FILE *f = fopen(full, "rb");
    if (!f)
        fail_msg("cannot read %s", full);
    size_t capacity = 1u << 16;
    char *text = malloc(capacity);
    assert_non_null(text);
    size_t n = fread(text, 1, capacity - 1, f);
    if (!feof(f) && n == capacity - 1)
        fail_msg("%s is larger than %zu bytes", full, capacity);
    fclose(f);
    text[n] = '\0';
    return text;
}

const char *run_opcode(const struct run *r, const struct issue_record *record)
{
    return record_inst(r, record)->opcode;
}

static bool opcode_matches(const char *opcode, const char *wanted)
{
    size_t n = strlen(wanted);
    return strncmp(opcode, wanted, n) == 0 && (opcode[n] == '\0' || opcode[n] == '.');
}

const struct issue_record *run_find(const struct run *r, uint32_t warp, const char *opcode,
                                    uint32_t nth)
{
    uint32_t seen = 0;
    bool timed = r->origin == 0;
    for (size_t i = 0; i < r->issue_count; i++) {
        const struct issue_record *record = &r->issues[i];
        if (record->cta != 0 || record->warp != warp)
            continue;
        timed = timed || (record_inst(r, record)->flags & INST_CLOCK);
        if (timed && opcode_matches(run_opcode(r, record), opcode) && seen++ == nth)
            return record;
    }
    fail_msg("warp %u issued %u %s in the timed part, number %u is asked for", warp, seen, opcode,
             nth + 1);
    return NULL;
}

uint64_t run_issue(const struct run *r, uint32_t warp, const char *opcode, uint32_t nth)
{
    return run_find(r, warp, opcode, nth)->cycle - r->origin;
}

uint64_t run_control(const struct run *r, uint32_t warp, const char *opcode, uint32_t nth)
{
    return run_find(r, warp, opcode, nth)->control - r->origin;
}

uint64_t run_clock_difference(const struct run *r, uint32_t warp, uint32_t nth)
{
    return run_control(r, warp, "CS2R", nth + 1) - run_control(r, warp, "CS2R", nth);
}
