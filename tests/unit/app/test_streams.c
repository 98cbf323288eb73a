/* Kernels of different streams run together, those of one stream one after the other. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"

#define DATA SUBCORE_SOURCE_DIR "/tests/data/launch/"
#define ADD " " DATA "launches.yaml:small -q -o "
#define SUM " " DATA "accumulate.yaml -q -o "

static char folder[64];

static int shell(const char *command)
{
    char line[1024];
    snprintf(line, sizeof line, "cd %s && export SUBCORE_CONFIGS=%s/configs P=%s && { %s; }",
             folder, SUBCORE_SOURCE_DIR, SUBCORE_PROGRAM, command);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *read_file(const char *name)
{
    char path[160], part[4096];
    struct buf text = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s is missing", path);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_add(&text, part, n);
    fclose(f);
    return buf_take(&text);
}

/* Kernels 1 and 3 add up, kernel 2 adds: streams 0, 7 and 0. */
static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/subcore-streams-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    return shell("cat " DATA "accumulate.sass " DATA "vecadd.sass >s.sass && $P trace" SUM
                 "a/ && $P trace" ADD "b/ && mkdir t && cp a/kernel-1.traceg t/1 && "
                 "sed 's/id = 1/id = 2/; s/stream id = 0/stream id = 7/' b/kernel-1.traceg >t/2 && "
                 "sed 's/kernel id = 1/kernel id = 3/' t/1 >t/3 && for i in 1 2 3; do "
                 "mv t/$i t/kernel-$i.traceg; done");
}

static int remove_folder(void **state)
{
    (void)state;
    return shell("rm -r ../$(basename $PWD)");
}

static int run(const char *list, const char *options)
{
    char command[512];
    snprintf(command, sizeof command,
             "printf '%s' >t/kernelslist.g && $P run t --sass s.sass --no-host -q %s", list,
             options);
    return shell(command);
}

#define K1 "kernel-1.traceg\\n"
#define K2 "kernel-2.traceg\\n"
#define K3 "kernel-3.traceg\\n"

/* The nth (from 0) number behind `key`. */
static unsigned long long number_in(const char *name, const char *key, uint32_t nth)
{
    char *text = read_file(name), *at = text;
    for (uint32_t i = 0; i <= nth; i++) {
        at = strstr(at, key);
        if (!at)
            fail_msg("%s has too few of %s", name, key);
        at += strlen(key);
    }
    unsigned long long v = strtoull(at, NULL, 10);
    free(text);
    return v;
}

static void expect_same(const char *a, const char *b)
{
    char *x = read_file(a), *y = read_file(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void a_sweep_runs_streams_as_run_does(void **state)
{
    (void)state;
    assert_int_equal(run(K1 K2 K3, "-o r.json"), 0);
    assert_int_equal(shell("printf 'inputs: [{trace: t, sass: s.sass}]\\n' >sweep.yaml && "
                           "$P sweep sweep.yaml -q && cut -d, -f9 sweep.sweep/results.csv | "
                           "tail -n 1 >cycles && sed -n '/^  \"total\"/,$p' r.json | "
                           "grep -m1 '\"cycles\"' | tr -dc '0-9\\n' >run"),
                     0);
    expect_same("cycles", "run");
}

static void two_streams_start_together(void **state)
{
    (void)state;
    assert_int_equal(run(K1 K2, "-o r.json --issue-log log.csv"), 0);
    assert_int_equal(number_in("r.json", "\"start_cycle\": ", 0), 1500);
    assert_int_equal(number_in("r.json", "\"start_cycle\": ", 1), 1500);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(number_in("r.json", "\"sms_used\": ", i), 2);
        assert_int_equal(number_in("r.json", "\"ctas_simulated\": ", i), 2);
    }
    /* Kernel 2 is on other SMs: of the same GPCs, which get CTAs in turn. */
    assert_int_equal(shell("tail -n +2 log.csv | cut -d, -f1,3 | sort | uniq -c >sms"), 0);
    char *sms = read_file("sms");
    assert_string_equal(sms, "     48 1,0\n     38 1,2\n     48 2,14\n     38 2,16\n");
    free(sms);
}

/* Nothing but the sharing of memory makes a difference to a kernel that runs alone. */
static void a_small_kernel_takes_about_as_long_beside_another(void **state)
{
    (void)state;
    assert_int_equal(run(K2, "-o alone.json"), 0);
    assert_int_equal(run(K1 K2, "-o r.json"), 0);
    unsigned long long alone = number_in("alone.json", "\"cycles\": ", 0);
    unsigned long long beside = number_in("r.json", "\"cycles\": ", 1);
    assert_true(beside + 100 > alone && beside < alone + 100);
}

static void one_stream_is_a_sequence(void **state)
{
    (void)state;
    assert_int_equal(run(K1 K3, "-o r.json"), 0);
    unsigned long long cycles = number_in("r.json", "\"cycles\": ", 0);
    assert_int_equal(number_in("r.json", "\"start_cycle\": ", 1), 1500 + cycles + 1500);
    /* The third kernel waits for the first one's stream. */
    assert_int_equal(run(K1 K2 K3, "-o r.json"), 0);
    assert_int_equal(number_in("r.json", "\"start_cycle\": ", 1), 1500);
    assert_true(number_in("r.json", "\"start_cycle\": ", 2) >= 1500 + cycles + 1500);
}

static void a_copy_and_some_options_keep_kernels_apart(void **state)
{
    (void)state;
    assert_int_equal(run(K1 "MemcpyHtoD,0x7f0000000000,128\\n" K2, "-o r.json"), 0);
    assert_true(number_in("r.json", "\"start_cycle\": ", 1) > 3000);
    static const char *const options[] = {"--warm", "--keep-going", "--check-hazards"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s -o r.json", options[i]);
        assert_int_equal(run(K1 K2, text), 0);
        assert_true(number_in("r.json", "\"start_cycle\": ", 1) > 3000);
    }
}

/* With one CTA an SM and one SM, kernel 2 gets its place when both CTAs of kernel 1 have theirs. */
static void later_kernels_get_the_places_that_are_left(void **state)
{
    (void)state;
    assert_int_equal(run(K1 K2, "--sms 1 --set sm.ctas=1 -o r.json --issue-log log.csv"), 0);
    assert_int_equal(shell("cut -d, -f1,6 log.csv | tail -n +2 | uniq >order"), 0);
    char *order = read_file("order");
    assert_string_equal(order, "1,0\n1,1\n2,0\n2,1\n");
    free(order);
    assert_true(number_in("r.json", "\"start_cycle\": ", 1) >
                1500 + number_in("r.json", "\"cycles\": ", 0));
}

static void an_error_says_that_more_than_one_kernel_ran(void **state)
{
    (void)state;
    assert_int_equal(run(K1 K2, "--max-cycles 10 2>err"), 4);
    char *err = read_file("err");
    assert_string_equal(err, "subcore: t/kernel-1.traceg: kernel accumulate (with 1 more) has not "
                             "ended after 10 cycles (--max-cycles)\n");
    free(err);
}

static void the_engine_makes_no_difference(void **state)
{
    (void)state;
    assert_int_equal(run(K1 K2 K3, "-o r.json --issue-log log.csv --pc-counts pc.csv"), 0);
    static const char *const options[] = {"-j 3", "--window 1", "--no-skip"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "-o r2.json --issue-log log2.csv --pc-counts pc2.csv %s",
                 options[i]);
        assert_int_equal(run(K1 K2 K3, text), 0);
        expect_same("r.json", "r2.json");
        expect_same("log.csv", "log2.csv");
        expect_same("pc.csv", "pc2.csv");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_streams_start_together),
        cmocka_unit_test(a_sweep_runs_streams_as_run_does),
        cmocka_unit_test(a_small_kernel_takes_about_as_long_beside_another),
        cmocka_unit_test(one_stream_is_a_sequence),
        cmocka_unit_test(a_copy_and_some_options_keep_kernels_apart),
        cmocka_unit_test(later_kernels_get_the_places_that_are_left),
        cmocka_unit_test(an_error_says_that_more_than_one_kernel_ran),
        cmocka_unit_test(the_engine_makes_no_difference),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
