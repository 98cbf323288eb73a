/* The program from outside: exit statuses, what goes where, files that are left. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"

/* A listing that simulates in no time, and one that takes minutes. */
static const char small_listing[] = ".kernel small\n.grid 2,1,1\n.block 64,1,1\n"
                                    "[B------:R-:W-:-:S01] MOV R1, 0x1 ;\n"
                                    "[B------:R-:W-:-:S05] FADD R2, R1, R1 ;\n"
                                    "[B------:R-:W-:-:S05] EXIT ;\n";
static const char large_listing[] = ".kernel large\n.grid 65535,1,1\n.block 256,1,1\n.loop 1000\n"
                                    "[B------:R-:W-:-:S01] MOV R1, 0x1 ;\n"
                                    "[B------:R-:W-:-:S05] FADD R2, R1, R1 ;\n"
                                    ".endloop\n"
                                    "[B------:R-:W-:-:S05] EXIT ;\n";

struct place {
    char dir[64];
    char *out, *err; /* of the last run */
    int status;
};

static char *path_of(const struct place *p, const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    return path;
}

static void write_file(const struct place *p, const char *name, const char *text)
{
    FILE *f = fopen(path_of(p, name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static char *read_file(const struct place *p, const char *name)
{
    struct buf text = {0};
    char part[4096];
    FILE *f = fopen(path_of(p, name), "r");
    assert_non_null(f);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_add(&text, part, n);
    fclose(f);
    return buf_take(&text);
}

static bool exists(const struct place *p, const char *name)
{
    return access(path_of(p, name), F_OK) == 0;
}

static int make_place(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    if (!p)
        return -1;
    strcpy(p->dir, "/tmp/subcore-test-XXXXXX");
    if (!mkdtemp(p->dir))
        return -1;
    *state = p;
    return 0;
}

static int remove_place(void **state)
{
    struct place *p = *state;
    DIR *d = opendir(p->dir);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        unlink(path_of(p, e->d_name));
    if (d)
        closedir(d);
    rmdir(p->dir);
    free(p->out);
    free(p->err);
    free(p);
    return 0;
}

/* Runs the program in the place's folder. `args` is a piece of shell. */
static void run(struct place *p, const char *args)
{
    char command[2048];
    snprintf(command, sizeof command, "cd %s && SUBCORE_CONFIGS=%s/configs %s %s >.out 2>.err",
             p->dir, SUBCORE_SOURCE_DIR, SUBCORE_PROGRAM, args);
    int rc = system(command);
    assert_true(WIFEXITED(rc));
    free(p->out);
    free(p->err);
    p->status = WEXITSTATUS(rc);
    p->out = read_file(p, ".out");
    p->err = read_file(p, ".err");
}

static void expect(struct place *p, const char *args, int status, const char *in_err)
{
    run(p, args);
    if (p->status != status)
        fail_msg("`%s`: expected exit status %d, found %d: %s", args, status, p->status, p->err);
    if (in_err && !strstr(p->err, in_err))
        fail_msg("`%s`: expected '%s' in: %s", args, in_err, p->err);
    if (!in_err)
        assert_string_equal(p->err, "");
}

static void wrong_command_lines_exit_with_2_and_print_nothing(void **state)
{
    struct place *p = *state;
    static const char *const rows[][2] = {
        {"", "subcore: no command given"},
        {"rnu", "(did you mean 'run'?)"},
        {"run", "needs INPUT..."},
        {"help rnu", "(did you mean 'run'?)"},
        {"config shwo", "(did you mean 'show'?)"},
        {"config check", "needs at least one file"},
        {"config keys zz", "no key starts with 'zz'"},
        {"config import", "subcore: `subcore config import` needs at least one file\n"},
        {"config list -o x", "subcore: `subcore config list` has no option --output\n"},
        {"config list --format json", "has no format json"},
        {"run x --sms 4000", "has 84 SMs"},
        {"run x -j 100000", "expected 1 to 1024"},
        {"run x -o - --issue-log -", "can be '-'"},
        {"run x --sort cycles", "subcore: --sort is for --by\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect(p, rows[i][0], 2, rows[i][1]);
        assert_string_equal(p->out, "");
    }
}

static void help_and_version_go_to_the_standard_output(void **state)
{
    struct place *p = *state;
    static const char *const rows[] = {"help",      "--help",  "help run",  "run --help",
                                       "config -h", "version", "--version", "inspect --version"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect(p, rows[i], 0, NULL);
        assert_memory_equal(p->out, "subcore", 7);
    }
}

static void bad_inputs_exit_with_3_and_name_the_file(void **state)
{
    struct place *p = *state;
    write_file(p, "empty", "");
    write_file(p, "noise", "hello, world\n\n\x01\x02");
    write_file(p, "k.traceg", "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1\n");
    static const char *const rows[][2] = {
        {"run none.traceg", "none.traceg"},
        {"run empty", "empty"},
        {"run noise", "noise"},
        {"run k.traceg", "k.traceg"},
        {"inspect noise", "noise"},
        {"inspect --check k.traceg", "k.traceg"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect(p, rows[i][0], 3, rows[i][1]);
}

static void bad_configurations_exit_with_3_and_show_all_errors(void **state)
{
    struct place *p = *state;
    write_file(p, "bad.yaml", "fetch:\n  bufer_entries: 2\n  branch_cycles: 0\n");
    expect(p, "config check bad.yaml", 3, "bad.yaml:2:");
    assert_non_null(strstr(p->err, "bad.yaml:3:"));
    expect(p, "run -c bad.yaml x", 3, "bad.yaml:2:");
    expect(p, "run -c rtx_9999 x", 3, "rtx_9999");
    expect(p, "config show --set sm.wraps=4", 3, "sm.warps");
}

static void good_configuration_passes_check_and_show_round_trips(void **state)
{
    struct place *p = *state;
    expect(p, "config show --set fetch.buffer_entries=5", 0, NULL);
    write_file(p, "shown.yaml", p->out);
    expect(p, "config check shown.yaml", 0, NULL);
    expect(p, "config show -c shown.yaml --format json", 0, NULL);
    assert_non_null(strstr(p->out, "\"buffer_entries\": {\"value\": 5,"));
    expect(p, "config list", 0, NULL);
    assert_non_null(strstr(p->out, "rtx_a6000\n"));
}

static void imported_card_loads_and_the_count_goes_to_the_standard_error(void **state)
{
    struct place *p = *state;
    write_file(p, "g.config", "-gpgpu_shader_cta 8\n-gpgpu_n_mem 2\n-mystery 1\n");
    expect(p, "config import g.config -o my_card.yaml", 0,
           "subcore: 2 keys from 2 options; 1 options are not carried over, the card lists them\n");
    assert_string_equal(p->out, "");
    expect(p, "config show my_card.yaml", 0, NULL);
    assert_non_null(strstr(p->out, "name: \"my_card\""));
    write_file(p, "bad.config", "-gpgpu_n_mem 2\n-gpgpu_shader_cta\n");
    expect(p, "config import bad.config -o bad.yaml", 3,
           "subcore: bad.config:2: option '-gpgpu_shader_cta' has no value\n");
    assert_false(exists(p, "bad.yaml"));
}

static void table_is_printed_and_result_files_are_complete(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass -o r.json --issue-log i.csv --pc-counts p.csv", 0, NULL);
    assert_memory_equal(p->out, "Kernel 1: small\n", 16);
    assert_non_null(strstr(p->out, "\nTotal: 1 kernel, 2 CTAs, on "));
    char *json = read_file(p, "r.json"), *issues = read_file(p, "i.csv"),
         *pcs = read_file(p, "p.csv");
    assert_non_null(strstr(json, "\"warp_instructions\": 12,"));
    assert_non_null(strstr(json, "\"host\": {"));
    assert_non_null(strstr(issues, ",0x0010,FADD\n"));
    assert_non_null(strstr(pcs, "\nsmall,1,0x0010,4,128,128\n"));
    free(json);
    free(issues);
    free(pcs);
}

static void result_does_not_depend_on_threads_window_or_skipping(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass -q --no-host -o a.json", 0, NULL);
    expect(p, "run s.sass -q --no-host -o b.json -j 3 --window 1 --no-skip", 0, NULL);
    char *a = read_file(p, "a.json"), *b = read_file(p, "b.json");
    assert_string_equal(a, b);
    assert_null(strstr(a, "\"host\""));
    free(a);
    free(b);
}

static void dash_is_the_standard_output_and_moves_the_table(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass -o -", 0, "Kernel 1: small\n");
    assert_memory_equal(p->out, "{\n", 2);
    expect(p, "run s.sass --issue-log - -q", 0, NULL);
    assert_memory_equal(p->out, "kernel,cycle,", 13);
    expect(p, "run s.sass --format csv", 0, NULL);
    assert_memory_equal(p->out, "kernel,name,", 12);
}

static void by_pc_adds_a_row_an_instruction_in_every_format(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass --by pc -o r.json", 0, NULL);
    assert_non_null(strstr(p->out, "\n  pc      SASS "));
    assert_non_null(strstr(p->out, "\n  0x0010  FADD R2, R1, R1  s.sass:5 "));
    char *json = read_file(p, "r.json");
    assert_non_null(strstr(json, "\"by_pc\": ["));
    assert_non_null(strstr(json, "{\"pc\": \"0x0010\", \"sass\": \"FADD R2, R1, R1\", \"source\": "
                                 "\"s.sass\", \"line\": 5, \"issued\": 4,"));
    free(json);
    expect(p, "run s.sass --by pc --format csv", 0, NULL);
    assert_memory_equal(p->out, "kernel,name,launch,pc,sass,", 27);
    assert_non_null(strstr(p->out, "\n1,\"small\",\"\",0x0010,\"FADD R2, R1, R1\",\"s.sass\",5,"));
}

static void diff_takes_results_of_run_only(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    write_file(p, "other.json", "{\"a\": 1}");
    write_file(p, "broken.json", "{\"a\": ");
    expect(p, "run s.sass -q --by pc -o a.json", 0, NULL);
    expect(p, "run s.sass -q --by pc -o b.json --set fetch.buffer_entries=4", 0, NULL);
    expect(p, "diff a.json b.json", 0, NULL);
    assert_non_null(strstr(p->out, "\n  fetch.buffer_entries                   3 -> 4\n"));
    assert_non_null(strstr(p->out, "\nsmall\n"));
    expect(p, "diff a.json a.json", 0, NULL);
    assert_non_null(strstr(p->out, "The configurations are the same.\n\nsmall\n  no difference\n"));
    expect(p, "diff a.json", 2, "needs A.json B.json");
    expect(p, "diff a.json other.json", 3,
           "subcore: other.json: expected a result of `subcore run`\n");
    expect(p, "diff broken.json a.json", 3, "subcore: broken.json:1:7: not JSON: ");
    expect(p, "diff a.json none.json", 3, "none.json");
}

static void several_inputs_are_one_stream(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass s.sass", 0, NULL);
    assert_non_null(strstr(p->out, "\nTotal: 2 kernels, 4 CTAs, on "));
    assert_non_null(strstr(p->out, "\nKernel 2: small"));
    expect(p, "run s.sass s.sass --issue-log - -q", 0, NULL);
    assert_non_null(strstr(p->out, "\n1,"));
    assert_non_null(strstr(p->out, "\n2,"));
    expect(p, "run s.sass s.sass --kernel 2", 0, NULL);
    assert_non_null(strstr(p->out, "Kernel 2: small"));
    assert_non_null(strstr(p->out, "\nTotal: 1 kernel, 2 CTAs, on "));
    expect(p, "run s.sass s.sass --kernel 2-9", 0, "--kernel 2-9: the inputs have 2 kernels");
    expect(p, "run s.sass s.sass --kernel 3", 2, "the inputs have 2 kernels");
}

static void unwritable_files_exit_with_5_and_leave_nothing(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass -o none/r.json", 5, "none/r.json: cannot write");
    expect(p, "run s.sass -o r.json --issue-log none/i.csv", 5, "none/i.csv");
    assert_false(exists(p, "r.json"));
    if (access("/dev/full", W_OK) == 0)
        expect(p, "run s.sass -q -o /dev/full", 5, "/dev/full: cannot write");
}

static void results_replace_neither_each_other_nor_an_input(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass -o r --issue-log r", 2, "--output and --issue-log name one file, 'r'");
    expect(p, "run s.sass --pc-counts s.sass", 2, "--pc-counts names an input, 's.sass'");
    assert_false(exists(p, "r"));
}

static void a_kernel_that_failed_makes_the_result_incomplete(void **state)
{
    struct place *p = *state;
    write_file(p, "kernel-1.sass", small_listing);
    write_file(p, "list", "kernel-1.sass\nkernel-2.sass\n");
    expect(p, "run list --keep-going -o r.json -q", 3, "list:2: cannot open kernel-2.sass");
    char *json = read_file(p, "r.json");
    assert_non_null(strstr(json, "\n  \"complete\": false,\n"));
    free(json);
}

static void config_show_takes_a_card(void **state)
{
    struct place *p = *state;
    expect(p, "config show rtx_3080 --set gpu.sms=3", 0, NULL);
    assert_non_null(strstr(p->out, "name: \"RTX 3080\""));
    assert_non_null(strstr(p->out, "sms: 3  "));
    expect(p, "config show rtx_3080 -c rtx_3090", 2, "found both 'rtx_3080' and -c rtx_3090");
    expect(p, "config show rtx_a600", 3, "did you mean 'rtx_a6000'?");
}

static void simulation_error_exits_with_4_and_leaves_no_result(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass --max-cycles 1 -o r.json --issue-log i.csv", 4, "subcore: ");
    assert_non_null(strstr(p->out, "(stopped early)"));
    assert_false(exists(p, "r.json"));
    assert_false(exists(p, "i.csv"));
}

static void limits_without_end_stop_nothing(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "run s.sass --max-cycles 18446744073709551615", 0, NULL);
    expect(p, "run s.sass --max-cycles 18446744073709551614", 0, NULL);
    expect(p, "run s.sass --deadlock-cycles 18446744073709551615", 0, NULL);
    expect(p, "run s.sass --deadlock-cycles 18446744073709551614", 0, NULL);
}

/* Starts a long run whose standard error is a pipe; returns its process. */
static pid_t start_long_run(const struct place *p, int *read_end)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (chdir(p->dir) == 0 && freopen(".out", "w", stdout))
            execl(SUBCORE_PROGRAM, "subcore", "run", "l.sass", "-o", "r.json", "--progress",
                  "always", (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    *read_end = ends[0];
    return child;
}

static void ctrl_c_reports_what_was_simulated_and_exits_with_130(void **state)
{
    struct place *p = *state;
    int from, status = 0;
    char first, rest[256];
    write_file(p, "l.sass", large_listing);
    setenv("SUBCORE_CONFIGS", SUBCORE_SOURCE_DIR "/configs", 1);
    pid_t child = start_long_run(p, &from);
    assert_int_equal(read(from, &first, 1), 1); /* the bar: it simulates */
    kill(child, SIGINT);
    while (read(from, rest, sizeof rest) > 0)
        ;
    close(from);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    char *out = read_file(p, ".out");
    assert_non_null(strstr(out, "Kernel 1: large (stopped early)\n"));
    assert_non_null(strstr(out, "(interrupted)"));
    assert_false(exists(p, "r.json"));
    free(out);
}

static void inspect_counts_dumps_and_checks(void **state)
{
    struct place *p = *state;
    write_file(p, "s.sass", small_listing);
    expect(p, "inspect s.sass", 0, NULL);
    assert_non_null(strstr(p->out, "2 of 2 CTAs in the trace, with control bits\n"));
    expect(p, "inspect s.sass --dump", 0, NULL);
    assert_non_null(strstr(p->out, "\n1,0,0 1 0x0010 ffffffff [B------:R-:W-:-:S05] FADD "
                                   "R2, R1, R1\n"));
    expect(p, "inspect s.sass --check", 0, NULL);
    assert_string_equal(p->out, "1 kernel read, 0 problems\n");
    expect(p, "inspect s.sass --format json", 0, NULL);
    assert_non_null(strstr(p->out, "\"FADD\": {\"warp_instructions\": 4, "));
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLACE(wrong_command_lines_exit_with_2_and_print_nothing),
        IN_PLACE(help_and_version_go_to_the_standard_output),
        IN_PLACE(bad_inputs_exit_with_3_and_name_the_file),
        IN_PLACE(bad_configurations_exit_with_3_and_show_all_errors),
        IN_PLACE(good_configuration_passes_check_and_show_round_trips),
        IN_PLACE(imported_card_loads_and_the_count_goes_to_the_standard_error),
        IN_PLACE(table_is_printed_and_result_files_are_complete),
        IN_PLACE(result_does_not_depend_on_threads_window_or_skipping),
        IN_PLACE(dash_is_the_standard_output_and_moves_the_table),
        IN_PLACE(by_pc_adds_a_row_an_instruction_in_every_format),
        IN_PLACE(diff_takes_results_of_run_only),
        IN_PLACE(several_inputs_are_one_stream),
        IN_PLACE(results_replace_neither_each_other_nor_an_input),
        IN_PLACE(a_kernel_that_failed_makes_the_result_incomplete),
        IN_PLACE(config_show_takes_a_card),
        IN_PLACE(unwritable_files_exit_with_5_and_leave_nothing),
        IN_PLACE(simulation_error_exits_with_4_and_leaves_no_result),
        IN_PLACE(limits_without_end_stop_nothing),
        IN_PLACE(ctrl_c_reports_what_was_simulated_and_exits_with_130),
        IN_PLACE(inspect_counts_dumps_and_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
