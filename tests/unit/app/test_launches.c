/* `run`, `trace` and `inspect` on launch files, from outside. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "place.h"

#define LAUNCHES SUBCORE_SOURCE_DIR "/tests/data/launch/launches.yaml"

/* Runs the program in the folder; what it prints is in out and err. */
static int subcore(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && SUBCORE_CONFIGS=%s/configs %s %s >out 2>err",
             folder, SUBCORE_SOURCE_DIR, SUBCORE_PROGRAM, arguments);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_text(const char *name, const char *text)
{
    char *got = read_file(name);
    if (strcmp(got, text) != 0)
        fail_msg("%s holds\n%sbut expected\n%s", name, got, text);
    free(got);
}

static void expect_part(const char *name, const char *part)
{
    char *got = read_file(name);
    if (!strstr(got, part))
        fail_msg("%s holds\n%s", name, got);
    free(got);
}

#define COUNTS                                                                                     \
    "kernel,launch,pc,inst,thread,thread_true\n"                                                   \
    "vecadd,small,0x0000,6,192,192\nvecadd,small,0x0010,6,192,192\n"                               \
    "vecadd,small,0x0020,6,192,192\nvecadd,small,0x0030,6,192,192\n"                               \
    "vecadd,small,0x0040,6,192,192\nvecadd,small,0x0050,6,192,42\n"                                \
    "vecadd,small,0x0060,5,150,150\nvecadd,small,0x0070,5,150,150\n"                               \
    "vecadd,small,0x0080,5,150,150\nvecadd,small,0x0090,5,150,150\n"                               \
    "vecadd,small,0x00a0,5,150,150\nvecadd,small,0x00b0,5,150,150\n"                               \
    "vecadd,small,0x00c0,5,150,150\nvecadd,small,0x00d0,5,150,150\n"                               \
    "vecadd,small,0x00e0,5,150,150\nvecadd,small,0x00f0,5,150,150\n"

static void trace_executes_and_counts(void **state)
{
    (void)state;
    assert_int_equal(subcore("trace " LAUNCHES ":small --pc-counts pc.csv --dump-buffers bins"), 0);
    expect_text("out", "small: kernel vecadd, 2 CTAs, 86 warp instructions, "
                       "2,502 thread instructions\n");
    expect_text("err", "");
    expect_text("pc.csv", COUNTS);
    char *bytes = read_file("bins/small.2.bin");
    free(bytes);
}

static void run_counts_the_same_and_names_the_launch(void **state)
{
    (void)state;
    assert_int_equal(subcore("run " LAUNCHES ":small --pc-counts pc.csv -o r.json --no-host "
                             "--dump-buffers bins"),
                     0);
    expect_text("pc.csv", COUNTS);
    expect_part("r.json", "\"launch\": \"small\"");
    expect_part("r.json", "\"complete\": true");
}

/* What is simulated does not depend on the way the kernel took. */
static void a_written_trace_takes_the_same_cycles(void **state)
{
    (void)state;
    static const char cycles[] = "\"cycles\": ";
    char first[32] = "", *text;
    assert_int_equal(subcore("run " LAUNCHES ":small -o r.json --no-host -q"), 0);
    assert_int_equal(subcore("trace " LAUNCHES ":small -o t/ -q"), 0);
    text = read_file("r.json");
    assert_non_null(strstr(text, cycles));
    snprintf(first, sizeof first, "%.*s,", (int)strcspn(strstr(text, cycles), ","),
             strstr(text, cycles));
    free(text);
    assert_int_equal(subcore("run t --sass " SUBCORE_SOURCE_DIR
                             "/tests/data/launch/vecadd.sass -o r.json --no-host -q"),
                     0);
    expect_part("r.json", first);
}

#define ACCUMULATE SUBCORE_SOURCE_DIR "/tests/data/launch/accumulate.yaml"

/* The first number behind `key` in a JSON file. */
static unsigned long long number_in(const char *name, const char *key)
{
    char *text = read_file(name), *at = strstr(text, key);
    if (!at)
        fail_msg("%s has no %s", name, key);
    unsigned long long v = strtoull(at + strlen(key), NULL, 10);
    free(text);
    return v;
}

static uint32_t lines_of(const char *name)
{
    uint32_t n = 0;
    char *text = read_file(name);
    for (const char *at = text; *at; at++)
        n += *at == '\n';
    free(text);
    return n;
}

static void dumped_value_is(float want)
{
    float got[150];
    char path[160];
    snprintf(path, sizeof path, "%s/bins/sum.2.bin", folder);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(got, sizeof got[0], 150, f), 150);
    fclose(f);
    assert_true(got[149] == want);
}

static void a_warm_run_goes_on_with_buffers_and_caches(void **state)
{
    (void)state;
    assert_int_equal(subcore("run " ACCUMULATE " -o cold.json --no-host --dump-buffers bins"), 0);
    dumped_value_is(298);
    expect_part("cold.json", "\"warm\": false");
    assert_int_equal(subcore("run " ACCUMULATE " --warm -o warm.json --no-host --dump-buffers bins "
                             "--issue-log log.csv"),
                     0);
    assert_int_equal(lines_of("log.csv"), 1 + 86);
    dumped_value_is(2 * 298);
    expect_part("warm.json", "\"warm\": true");
    expect_part("out", "second of two runs on the same buffers and caches (--warm)\n");
    assert_true(number_in("warm.json", "\"cycles\": ") < number_in("cold.json", "\"cycles\": "));
    assert_int_equal(number_in("warm.json", "\"dram\": {\n        \"read_bytes\": "), 0);
}

/* The timeline has no place for first runs, and executions are those of the second one. */
static void first_runs_leave_no_trace_in_the_result(void **state)
{
    (void)state;
    assert_int_equal(subcore("run " ACCUMULATE " " ACCUMULATE " --warm --no-host "
                             "--pc-counts pc.csv -o r.json"),
                     0);
    expect_part("pc.csv", "accumulate,sum,0x0000,6,192,192\n");
    assert_int_equal(lines_of("pc.csv"), 1 + 2 * 16);
    unsigned long long cycles = number_in("r.json", "\"cycles\": ");
    assert_int_equal(number_in("r.json", "\"start_cycle\": "), 1500);
    char want[64];
    snprintf(want, sizeof want, "\"start_cycle\": %llu,", 3000 + cycles);
    expect_part("r.json", want);
}

static void a_warm_trace_takes_the_cycles_of_its_warm_launch(void **state)
{
    (void)state;
    static const char *const names[] = {"t", "t.sct"};
    assert_int_equal(subcore("run " ACCUMULATE " --warm -o r.json --no-host -q"), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char command[512];
        snprintf(command, sizeof command, "trace " ACCUMULATE " -o %s -q", i == 0 ? "t/" : "t.sct");
        assert_int_equal(subcore(command), 0);
        snprintf(command, sizeof command, "run %s --warm %s -o t.json --no-host -q", names[i],
                 i == 0 ? "--sass " SUBCORE_SOURCE_DIR "/tests/data/launch/accumulate.sass" : "");
        assert_int_equal(subcore(command), 0);
        assert_int_equal(number_in("t.json", "\"cycles\": "), number_in("r.json", "\"cycles\": "));
    }
}

/* The first of two CTAs, 3 warps of 16 instructions, stands for both. */
static void a_sample_of_ctas_is_scaled(void **state)
{
    (void)state;
    assert_int_equal(subcore("run " LAUNCHES ":small --ctas 1 -o r.json --no-host"), 0);
    expect_part("out", "SAMPLE: the first 1 of 2 CTAs (--ctas)");
    expect_part("r.json", "\"sampled\": true");
    expect_part("r.json", "\"ctas_simulated\": 1,");
    expect_part("r.json", "\"ctas\": 2,");
    expect_part("r.json", "\"warp_instructions\": 96,");
    /* Two samples follow each other on the timeline as the kernels they stand for. */
    assert_int_equal(subcore("run " LAUNCHES ":small " LAUNCHES ":small --ctas 1 --sms 1 "
                             "--set sm.ctas=1 -o r.json --no-host"),
                     0);
    char want[64];
    snprintf(want, sizeof want, "\"start_cycle\": %llu,",
             3000 + number_in("r.json", "\"cycles\": "));
    expect_part("r.json", want);
    assert_int_equal(subcore("run " LAUNCHES ":small --ctas 2 -o r.json --no-host"), 0);
    expect_part("r.json", "\"sampled\": false");
    expect_part("r.json", "\"warp_instructions\": 86,");
}

/* 12 CTAs in clusters of 4, one CTA an SM at a time: each cluster on 4 SMs of its GPC. */
static void clusters_share_a_gpc(void **state)
{
    (void)state;
    FILE *f;
    char path[160];
    snprintf(path, sizeof path, "%s/clusters.yaml", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("- {name: c, kernel: accumulate, grid: [12], block: [32], cluster: [4], args: "
          "[{buf: f32, count: 1, init: zeros}, {buf: f32, count: 400, init: iota}, "
          "{buf: f32, count: 400, init: zeros}, {i32: 384}]}\n",
          f);
    fclose(f);
    assert_int_equal(subcore("run clusters.yaml -c h200 --sass " SUBCORE_SOURCE_DIR
                             "/tests/data/launch/accumulate.sass --issue-log log.csv -q"),
                     0);
    char *text = read_file("log.csv");
    static const uint32_t sms[12] = {0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21};
    uint32_t seen = 0;
    for (char *line = text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        unsigned sm, cta;
        if (sscanf(line, "%*u,%*u,%u,%*u,%*u,%u,", &sm, &cta) == 2) {
            assert_int_equal(sm, sms[cta]);
            seen |= 1u << cta;
        }
    }
    free(text);
    assert_int_equal(seen, 0xfff);
}

static void inspect_knows_launches(void **state)
{
    (void)state;
    assert_int_equal(subcore("inspect " LAUNCHES ":small"), 0);
    expect_part("out", "vecadd");
}

static void faults_of_execution_are_reported(void **state)
{
    (void)state;
    assert_int_equal(subcore("trace " LAUNCHES " -o t.sct --pc-counts pc.csv"), 4);
    expect_part("err", "argument 0");
    assert_int_equal(subcore("trace " LAUNCHES " -o t.sct -q && test -e t.sct"), 4);
}

static void write_file(const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void every_fault_of_a_launch_file_is_a_message(void **state)
{
    (void)state;
    write_file("bad.yaml", "- {name: a, kernel: k, grid: [0], block: [0], args: []}\n");
    assert_int_equal(subcore("trace bad.yaml"), 3);
    expect_part("err", "subcore: bad.yaml:1:31: launch 'a': grid is 0, ");
    expect_part("err", "\nsubcore: bad.yaml:1:43: launch 'a': block is 0, ");
}

struct usage {
    const char *arguments, *message;
    int status;
};

static void wrong_use_is_explained(void **state)
{
    (void)state;
    static const struct usage rows[] = {
        {"trace absent.yaml", "subcore: absent.yaml: cannot open: No such file or directory\n", 3},
        {"trace " SUBCORE_SOURCE_DIR "/traces/micro", "expected kernelslist.g", 3},
        {"trace " LAUNCHES ":smal", "holds no launch 'smal' (did you mean 'small'?)", 2},
        {"run " LAUNCHES " --kernel 3", "expected a range of launches within 1-2, found 3-3", 2},
        {"run " SUBCORE_SOURCE_DIR "/tests/data/launch/vecadd.sass --cubin x",
         "--cubin is for launch files, this is none", 2},
        {"trace " LAUNCHES ":small --cubin absent", "absent: cannot open", 3},
        {"trace " LAUNCHES ":small --cubin " LAUNCHES, "cubin: expected an ELF file", 3},
        {"trace " LAUNCHES ":small --sass " LAUNCHES, "launches.yaml", 3},
        {"trace " LAUNCHES ":small --res-usage " LAUNCHES, "expected the output of cuobjdump", 3},
        {"trace", "`subcore trace` needs LAUNCHES.yaml[:NAME]", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(subcore(rows[i].arguments), rows[i].status);
        expect_part("err", rows[i].message);
    }
}

int main(void)
{
    program = SUBCORE_PROGRAM;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_executes_and_counts),
        cmocka_unit_test(run_counts_the_same_and_names_the_launch),
        cmocka_unit_test(a_written_trace_takes_the_same_cycles),
        cmocka_unit_test(a_warm_run_goes_on_with_buffers_and_caches),
        cmocka_unit_test(first_runs_leave_no_trace_in_the_result),
        cmocka_unit_test(a_warm_trace_takes_the_cycles_of_its_warm_launch),
        cmocka_unit_test(a_sample_of_ctas_is_scaled),
        cmocka_unit_test(clusters_share_a_gpc),
        cmocka_unit_test(inspect_knows_launches),
        cmocka_unit_test(faults_of_execution_are_reported),
        cmocka_unit_test(every_fault_of_a_launch_file_is_a_message),
        cmocka_unit_test(wrong_use_is_explained),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
