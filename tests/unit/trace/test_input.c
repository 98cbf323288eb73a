/* Inputs: lists, directories, single files, ranges, faults. */
#include "trace/kernel.h"

#include <sys/stat.h>

#include <zlib.h>

#include "trace_support.h"

#define KERNEL(name)                                                                               \
    "-kernel name = " name "\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 86\n"  \
    "-accelsim tracer version = 5\n#\n" ONE_WARP("1", "0000 ffffffff 0 EXIT 0 0 0\n")
#define LISTING ".kernel hand\n.grid 1\n.block 32\n[B------:R-:W-:-:S01] EXIT ;\n"

static char folder[64];

static void path_of(char out[256], const char *name)
{
    snprintf(out, 256, "%s/%s", folder, name);
}

static void put(const char *name, const char *text)
{
    char path[256];
    path_of(path, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void put_gz(const char *name, const char *text)
{
    char path[256];
    path_of(path, name);
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzputs(f, text), (int)strlen(text));
    assert_int_equal(gzclose(f), Z_OK);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/subcore_input_XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static struct input_options options;
static struct diag diag;
static uint32_t failures;

static void on_failure(void *user, const struct sim_err *err)
{
    (void)user;
    (void)err;
    failures++;
}

static void reset(void)
{
    memset(&diag, 0, sizeof diag);
    options = (struct input_options){.diag = &diag, .failed = on_failure};
    failures = 0;
}

/* Items of `name` in the folder ("" = the folder): "k1 copy:0x10:4 k2 ". */
static bool items(const char *name, struct buf *out, struct sim_err *err)
{
    char path[256];
    path_of(path, name);
    struct input *in;
    TRY(input_open(&in, path, &options, err));
    struct input_item item;
    bool ok;
    while ((ok = input_next(in, &item, err)) && item.kind != INPUT_END) {
        if (item.kind == INPUT_KERNEL)
            buf_printf(out, "%s ", item.kernel->name);
        else
            buf_printf(out, "copy:0x%llx:%llu ", (unsigned long long)item.copy_addr,
                       (unsigned long long)item.copy_bytes);
    }
    input_close(in);
    return ok;
}

static void expect_items(const char *name, const char *want)
{
    struct buf out = {0};
    struct sim_err err = {0};
    if (!items(name, &out, &err))
        fail_msg("%s: %s", err.file, err.msg);
    assert_string_equal(out.data, want);
    buf_free(&out);
}

static void expect_fault(const char *name, uint32_t line, const char *want)
{
    struct buf out = {0};
    struct sim_err err = {0};
    assert_false(items(name, &out, &err));
    assert_string_equal(err.msg, want);
    assert_int_equal(err.line, line);
    buf_free(&out);
}

static void list_gives_copies_and_kernels_in_order(void **state)
{
    (void)state;
    reset();
    put("kernel-1.traceg", KERNEL("a"));
    put("kernel-2.traceg", KERNEL("b"));
    put("kernelslist.g",
        "# selected by hand\r\nMemcpyHtoD,0x00000010,4\r\n\r\n  kernel-2.traceg \r\n"
        "MemcpyHtoD,0x20,5\nkernel-1.traceg\n#kernel-1.traceg\nkernel-2.traceg");
    expect_items("kernelslist.g", "copy:0x10:4 b copy:0x20:5 a b ");
    expect_items("", "copy:0x10:4 b copy:0x20:5 a b ");
    assert_int_equal(diag.count, 0);
}

static void list_finds_compressed_and_grouped_variants(void **state)
{
    (void)state;
    reset();
    put_gz("kernel-1.traceg.gz", KERNEL("a"));
    put("kernel-2.traceg", KERNEL("b"));
    put_gz("kernel-3.traceg.gz", KERNEL("c"));
    put("kernel-4.traceg.zst", KERNEL("d")); /* told by content, not by name */
    put("list", "kernel-1.traceg\nkernel-2.traceg.xz\nkernel-3.trace\nkernel-4\n");
    expect_items("list", "a b c d ");
}

static void unknown_words_in_a_list_are_warnings(void **state)
{
    (void)state;
    reset();
    put("kernel-1.traceg", KERNEL("a"));
    put("list", "kernel-1.traceg\nMemcpyDtoH,0x1,2\n");
    expect_items("list", "a ");
    expect_warning(&diag, "list:2: unknown command 'MemcpyDtoH,0x1,2' is ignored");
}

static void malformed_copies_are_errors(void **state)
{
    (void)state;
    reset();
    put("kernel-1.traceg", KERNEL("a"));
    put("list", "kernel-1.traceg\nMemcpyHtoD,0x1\n");
    expect_fault("list", 2, "expected 'MemcpyHtoD,ADDRESS,BYTES', found 'MemcpyHtoD,0x1'");
    put("list", "MemcpyHtoD,0x1,2,3\nkernel-1.traceg\n");
    expect_fault("list", 1, "expected 'MemcpyHtoD,ADDRESS,BYTES', found 'MemcpyHtoD,0x1,2,3'");
    put("list", "MemcpyHtoD,0x1,2\n");
    expect_fault("list", 0, "expected at least one line 'kernel-....traceg', found none");
}

static void a_directory_needs_a_list_or_one_kernel(void **state)
{
    (void)state;
    reset();
    expect_fault("", 0,
                 "expected kernelslist.g, kernelslist or one kernel trace in the directory, "
                 "found 0 kernel traces");
    put("kernel-1.traceg", KERNEL("a"));
    put("stats.csv", "x");
    expect_items("", "a ");
    put("kernel-2.traceg", KERNEL("b"));
    expect_fault("", 0,
                 "expected kernelslist.g, kernelslist or one kernel trace in the directory, "
                 "found 2 kernel traces");
    put("kernelslist", "kernel-2.traceg\n");
    expect_items("", "b ");
    put("kernelslist.g", "kernel-1.traceg\n");
    expect_items("", "a ");
}

static void single_files_are_told_by_content(void **state)
{
    (void)state;
    reset();
    put_gz("a.txt", KERNEL("a"));
    put("b.sass", LISTING);
    expect_items("a.txt", "a ");
    expect_items("b.sass", "hand ");
    put("c.traceg", "hello world\n");
    expect_fault(
        "c.traceg", 0,
        "expected a subcore trace, an Accel-Sim trace ('-kernel name = ...'), a kernelslist "
        "or a SASS listing, found 'hello world'");
    put("d", "");
    expect_fault("d", 0, "expected an input, found an empty file");
    expect_fault("nothing", 0, "cannot open: No such file or directory");
}

static void ranges_choose_kernels_by_position(void **state)
{
    (void)state;
    reset();
    put("kernel-1.traceg", KERNEL("a"));
    put("kernel-3.traceg", KERNEL("c"));
    put("list", "kernel-1.traceg\nkernel-missing.traceg\nMemcpyHtoD,0x1,2\nkernel-3.traceg\n");
    options.kernel_first = options.kernel_last = 3;
    expect_items("list", "copy:0x1:2 c ");
    options.kernel_last = 9;
    expect_items("list", "copy:0x1:2 c ");
    options.kernel_first = options.kernel_last = 1;
    expect_items("list", "a copy:0x1:2 ");
    options.kernel_first = options.kernel_last = 4;
    expect_fault("list", 0, "expected a range of kernels within 1-3, found 4-4");
    options.kernel_first = 3;
    options.kernel_last = 2;
    expect_fault("list", 0, "expected a range of kernels within 1-3, found 3-2");
}

static void bad_kernels_stop_or_are_passed_over(void **state)
{
    (void)state;
    reset();
    put("kernel-1.traceg", "-kernel name = x\n");
    put("kernel-2.traceg", KERNEL("b"));
    put("list", "kernel-1.traceg\nkernel-none.traceg\nkernel-2.traceg\n");
    expect_fault("list", 1, "kernel x: expected a header line '-grid dim = ...', found none");
    options.keep_going = true;
    expect_items("list", "b ");
    assert_int_equal(failures, 2);
}

static void a_listed_file_that_is_missing_is_an_error_of_the_list(void **state)
{
    (void)state;
    reset();
    put("list", "# comment\nkernel-none.traceg\n");
    struct input *in;
    struct input_item item;
    struct sim_err err = {0};
    char path[256], want[600];
    path_of(path, "list");
    assert_true(input_open(&in, path, &options, &err));
    assert_false(input_next(in, &item, &err));
    snprintf(want, sizeof want,
             "cannot open %s/kernel-none.traceg: No such file or directory (nor with .gz, .xz, "
             ".zst)",
             folder);
    assert_string_equal(err.msg, want);
    assert_string_equal(err.file, path);
    assert_int_equal(err.line, 2);
    input_close(in);
}

static void a_pipe_is_refused(void **state)
{
    (void)state;
    reset();
    char path[256];
    path_of(path, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_fault("pipe", 0,
                 "expected a file or a directory, found a pipe: inputs are read more than once");
}

static void progress_reaches_the_total(void **state)
{
    (void)state;
    reset();
    put("kernel-1.traceg", KERNEL("a"));
    put("list", "kernel-1.traceg\nkernel-1.traceg\n");
    char path[256];
    path_of(path, "list");
    struct sim_err err = {0};
    struct input *in;
    struct input_item item;
    uint64_t done, total;
    assert_true(input_open(&in, path, &options, &err));
    assert_int_equal(input_kernel_count(in), 2);
    input_progress(in, &done, &total);
    assert_int_equal(done, 0);
    assert_int_equal(total, 2 * strlen(KERNEL("a")));
    assert_true(input_next(in, &item, &err));
    assert_true(dump_kernel(item.kernel, NULL, &err));
    input_progress(in, &done, &total);
    assert_int_equal(done, total / 2);
    assert_true(input_next(in, &item, &err));
    assert_true(input_next(in, &item, &err));
    assert_int_equal(item.kind, INPUT_END);
    input_progress(in, &done, &total);
    assert_int_equal(done, total);
    input_close(in);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(list_gives_copies_and_kernels_in_order),
        CASE(list_finds_compressed_and_grouped_variants),
        CASE(unknown_words_in_a_list_are_warnings),
        CASE(malformed_copies_are_errors),
        CASE(a_directory_needs_a_list_or_one_kernel),
        CASE(single_files_are_told_by_content),
        CASE(ranges_choose_kernels_by_position),
        CASE(bad_kernels_stop_or_are_passed_over),
        CASE(a_listed_file_that_is_missing_is_an_error_of_the_list),
        CASE(a_pipe_is_refused),
        CASE(progress_reaches_the_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
