/* The bundled kernels of traces/kernels: exact cycles and counters of their traces on an RTX A6000,
 * and the contents of their buffers after execution, as written in kernels.txt.
 *
 * With the name of a file as its argument the program writes what it finds there (tools/bless). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/harness.h"

#define FOLDER "traces/kernels/"
#define PATH_SIZE 512

static const struct run_setup card = {.sms = 84};

/* Columns of a "timing" line behind name and cycles. */
static const struct {
    const char *title;
    size_t offset;
} columns[] = {
#define COLUMN(counter)                                                                            \
    {                                                                                              \
#counter, offsetof(struct sim_stats, counter)                                              \
    }
    COLUMN(issue_issued),
    COLUMN(issue_thread_instructions),
    COLUMN(issue_branches_taken),
    COLUMN(icache_l0_misses),
    COLUMN(rfc_hits),
    COLUMN(l1d_global_load_sectors),
    COLUMN(l1d_fill_sectors),
    COLUMN(l1d_write_sectors),
    COLUMN(shared_wavefronts),
    COLUMN(l2_read_misses),
#undef COLUMN
};

static const uint32_t architectures[] = {75, 86, 90};
#define ARCHITECTURES (sizeof architectures / sizeof architectures[0])

static struct launch_file *launches;

static void fail_with(const char *what, const struct sim_err *err)
{
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE];
    err_format(err, text, sizeof text);
    fail_msg("%s: %s", what, text);
}

struct files {
    char launch[PATH_SIZE], sass[PATH_SIZE], res[PATH_SIZE];
};

/* Launch `name` with the code of sm_`sm`; shared-memory races are errors. */
static struct launch_input_options launch_files(struct files *f, const char *name, uint32_t sm)
{
    const char *folder = SUBCORE_SOURCE_DIR "/" FOLDER;
    snprintf(f->launch, PATH_SIZE, "%slaunches.yaml:%s", folder, name);
    snprintf(f->sass, PATH_SIZE, "%ssm_%u.sass.gz", folder, sm);
    snprintf(f->res, PATH_SIZE, "%ssm_%u.res", folder, sm);
    return (struct launch_input_options){
        .sass = f->sass, .res_usage = f->res, .checks = {.races = true}};
}

/* CRC-32 of the buffers of a launch in argument order, after the kernel has run. */
static uint32_t buffers_crc(const char *name, uint32_t sm)
{
    struct files f;
    struct launch_input_options options = launch_files(&f, name, sm);
    struct launch_input *in = NULL;
    struct kernel *kernel = NULL;
    struct sim_err err = {0};
    if (!launch_input_open(&in, f.launch, &options, &err) || !launch_input_next(in, &kernel, &err))
        fail_with(name, &err);
    for (struct cta_stream *cta = NULL;;) {
        if (!kernel->ops->open_cta(kernel, &cta, &err))
            fail_with(name, &err);
        if (!cta)
            break;
        kernel->ops->close_cta(cta);
    }
    const struct emu_launch *emu = &launch_input_launch(in)->emu;
    uLong crc = crc32(0, NULL, 0);
    for (uint32_t i = 0; i < emu->buffer_count; i++)
        crc = crc32(crc, emu->buffers[i].data, (uInt)emu->buffers[i].bytes);
    launch_input_close(in);
    return (uint32_t)crc;
}

static uint64_t counter(const struct sim_stats *stats, size_t column)
{
    uint64_t value;
    memcpy(&value, (const char *)stats + columns[column].offset, sizeof value);
    return value;
}

static void run_trace(struct run *r, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, FOLDER "%s.sct", name);
    run_listing(r, path, &card);
}

static void add_timing(struct buf *out, const char *name)
{
    struct run r;
    run_trace(&r, name);
    buf_printf(out, "timing %s %llu", name, (unsigned long long)r.result.cycles);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        buf_printf(out, " %llu", (unsigned long long)counter(&r.result.stats, i));
    buf_printf(out, "\n");
    run_free(&r);
}

static void add_buffers(struct buf *out, const char *name)
{
    buf_printf(out, "buffers %s", name);
    for (size_t i = 0; i < ARCHITECTURES; i++)
        buf_printf(out, " %08x", buffers_crc(name, architectures[i]));
    buf_printf(out, "\n");
}

/* The golden file as this build would write it. */
static void write_all(struct buf *out)
{
    buf_printf(out,
               "# Written by tools/bless: the bundled kernels on an RTX A6000, and the CRC-32 of"
               " their buffers.\n# timing kernel cycles");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        buf_printf(out, " %s", columns[i].title);
    buf_printf(out, "\n");
    for (uint32_t i = 0; i < launches->count; i++)
        add_timing(out, launches->launches[i].name);
    buf_printf(out, "# buffers kernel");
    for (size_t i = 0; i < ARCHITECTURES; i++)
        buf_printf(out, " sm_%u", architectures[i]);
    buf_printf(out, "\n");
    for (uint32_t i = 0; i < launches->count; i++)
        add_buffers(out, launches->launches[i].name);
}

/* Reports every line of `golden` that begins with `kind` and is not what `add` now gives for it. */
static void check_lines(const char *kind, void (*add)(struct buf *, const char *))
{
    char *golden = source_text("tests/golden/kernels.txt");
    uint32_t seen = 0, wrong = 0;
    char *rest = NULL;
    for (char *line = strtok_r(golden, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char first[16], name[64];
        if (sscanf(line, "%15s %63s", first, name) != 2 || strcmp(first, kind) != 0)
            continue;
        if (!launch_file_find(launches, name))
            fail_msg("kernels.txt names %s, which is no launch", name);
        struct buf found = {0};
        add(&found, name);
        assert_false(found.failed);
        found.data[found.len - 1] = '\0'; /* the newline */
        seen++;
        if (strcmp(found.data, line) != 0) {
            print_error("expected %s\nfound    %s\n", line, found.data);
            wrong++;
        }
        buf_free(&found);
    }
    free(golden);
    if (wrong > 0)
        fail_msg("%u lines of kernels.txt differ; where that is meant, run tools/bless", wrong);
    assert_int_equal(seen, launches->count);
}

static void traces_take_their_golden_cycles(void **state)
{
    (void)state;
    check_lines("timing", add_timing);
}

static void execution_leaves_the_golden_buffers(void **state)
{
    (void)state;
    check_lines("buffers", add_buffers);
}

static void an_executed_launch_behaves_as_its_trace(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < launches->count; i++) {
        const char *name = launches->launches[i].name;
        struct files f;
        struct launch_input_options options = launch_files(&f, name, 86);
        struct run trace, executed;
        run_trace(&trace, name);
        run_launch(&executed, f.launch, &options, &card);
        if (trace.result.cycles != executed.result.cycles)
            fail_msg("%s: %llu cycles from its trace, %llu executed", name,
                     (unsigned long long)trace.result.cycles,
                     (unsigned long long)executed.result.cycles);
        assert_memory_equal(&trace.result.stats, &executed.result.stats, sizeof trace.result.stats);
        run_free(&trace);
        run_free(&executed);
    }
}

/* sm_75 has no HMMA.16816: it adds its products in two steps, which rounds once more. */
static bool may_differ(const char *name, uint32_t sm)
{
    return strcmp(name, "hgemm_wmma") == 0 && sm == 75;
}

static void architectures_compute_the_same(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < launches->count; i++) {
        const char *name = launches->launches[i].name;
        uint32_t reference = buffers_crc(name, 86);
        for (size_t a = 0; a < ARCHITECTURES; a++) {
            uint32_t sm = architectures[a];
            if (!may_differ(name, sm) && buffers_crc(name, sm) != reference)
                fail_msg("%s: the buffers of sm_%u are not those of sm_86", name, sm);
        }
    }
}

static int load_launches(void **state)
{
    (void)state;
    struct err_list *errors = calloc(1, sizeof *errors);
    if (!errors)
        return -1;
    bool ok = launch_file_load(&launches, SUBCORE_SOURCE_DIR "/" FOLDER "launches.yaml", errors);
    free(errors);
    return ok ? 0 : -1;
}

static int free_launches(void **state)
{
    (void)state;
    launch_file_free(launches);
    return 0;
}

static const char *output_path;

static void write_golden_file(void **state)
{
    (void)state;
    struct buf text = {0};
    write_all(&text);
    assert_false(text.failed);
    FILE *f = fopen(output_path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.data, 1, text.len, f), text.len);
    assert_int_equal(fclose(f), 0);
    buf_free(&text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_take_their_golden_cycles),
        cmocka_unit_test(execution_leaves_the_golden_buffers),
        cmocka_unit_test(an_executed_launch_behaves_as_its_trace),
        cmocka_unit_test(architectures_compute_the_same),
    };
    const struct CMUnitTest writing[] = {cmocka_unit_test(write_golden_file)};
    if (argc == 2) {
        output_path = argv[1];
        return cmocka_run_group_tests(writing, load_launches, free_launches);
    }
    return cmocka_run_group_tests(tests, load_launches, free_launches);
}
