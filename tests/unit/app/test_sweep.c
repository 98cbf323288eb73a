/* `subcore sweep` from outside: results, resuming, failures, plots, and the Slurm executor with
 * stand-ins for Slurm's programs (tests/slurm/run has the real ones). */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sweep_place.h"

static const char study[] = "title: Two by three\n"
                            "cards: [rtx_a6000]\n"
                            "set: {gpu.sms: 4}\n"
                            "inputs: [short.sass, loop.sass]\n"
                            "axes:\n"
                            "  - grid:\n"
                            "      register_file.read_ports: [1, 2]\n"
                            "      icache.stream_buffer_lines: [off, 8, perfect]\n";

static int make_inputs(void **state)
{
    if (make_folder(state) != 0)
        return -1;
    write_text("short.sass", ".kernel short\n.block 64,1,1\n"
                             "[B------:R-:W-:-:S01] MOV R1, 0x1 ;\n"
                             "[B------:R-:W-:-:S05] FADD R2, R1, R1 ;\n"
                             "[B------:R-:W-:-:S05] EXIT ;\n");
    write_text("loop.sass", ".kernel loop\n.block 64,1,1\n.loop 20\n"
                            "[B------:R-:W-:-:S01] FFMA R6, R2, R4, R6 ;\n"
                            "[B------:R-:W-:-:S01] FFMA R8, R2, R4, R8 ;\n"
                            ".endloop\n"
                            "[B------:R-:W-:-:S05] EXIT ;\n");
    write_text("study.yaml", study);
    return 0;
}

static void a_sweep_writes_csv_and_table_and_prints_the_table(void **state)
{
    (void)state;
    expect_status("$SUBCORE sweep study.yaml", 0);
    expect_said("");
    expect_status("head -n -2 .out >printed; wc -l <study.sweep/results.csv >lines; "
                  "cut -d, -f1-5 study.sweep/results.csv | head -3 >fields",
                  0);
    expect_status("$SUBCORE sweep study.yaml | head -n -2", 0);
    expect_same(".out", "study.sweep/table.txt");
    char *lines = text_of("lines"), *fields = text_of("fields");
    assert_string_equal(lines, "13\n");
    assert_string_equal(fields,
                        "card,register_file.read_ports,icache.stream_buffer_lines,input,status\n"
                        "rtx_a6000,1,off,short,ok\nrtx_a6000,1,off,loop,ok\n");
    free(lines);
    free(fields);
    expect_status("$SUBCORE sweep study.yaml --format csv", 0);
    expect_same(".out", "study.sweep/results.csv");
}

static void results_do_not_depend_on_jobs_or_folder(void **state)
{
    (void)state;
    expect_status(
        "$SUBCORE sweep study.yaml -q -j1 -o one; $SUBCORE sweep study.yaml -q -j5 -o five", 0);
    expect_same("one/results.csv", "five/results.csv");
    expect_same("one/table.txt", "five/table.txt");
}

static void a_sweep_agrees_with_run(void **state)
{
    (void)state;
    expect_status("$SUBCORE sweep study.yaml -q -o one; "
                  "$SUBCORE run loop.sass -c rtx_a6000 --set gpu.sms=4 "
                  "--set register_file.read_ports=2 --set icache.perfect=true -q -o run.json; "
                  "grep -m1 '\"sm_active_cycles_max\"' run.json | tr -dc '0-9\n' >run; "
                  "grep '2,perfect,loop' one/results.csv | cut -d, -f13 >point",
                  0);
    expect_same("run", "point");
}

static void finished_points_are_kept_and_missing_and_damaged_ones_done_again(void **state)
{
    (void)state;
    expect_status("$SUBCORE sweep study.yaml -q -o kept; cp -r kept whole; cd kept/points; "
                  "ls >../before; set -- *; rm $1; head -c 100 $2 >x; mv x $2; "
                  "touch -d 2001-01-01 $3 $4",
                  0);
    expect_status("$SUBCORE sweep study.yaml -q -o kept; cd kept/points; ls >../after; "
                  "find . -not -newermt 2002-01-01 -type f | wc -l",
                  0);
    char *old = text_of(".out");
    assert_string_equal(old, "2\n");
    free(old);
    expect_same("kept/before", "kept/after");
    expect_same("kept/results.csv", "whole/results.csv");
}

static void a_longer_axis_keeps_what_is_there(void **state)
{
    (void)state;
    expect_status(
        "$SUBCORE sweep study.yaml -q -o grown; touch -d 2001-01-01 grown/points/*; "
        "sed -i 's/off, 8/32, off, 8/' study.yaml; $SUBCORE sweep study.yaml -q -o grown; "
        "ls grown/points | wc -l; find grown/points -not -newermt 2002-01-01 -type f | "
        "wc -l",
        0);
    char *out = text_of(".out");
    assert_string_equal(out, "16\n12\n");
    free(out);
    write_text("study.yaml", study);
}

static void failed_points_are_listed_and_tried_again(void **state)
{
    (void)state;
    expect_status("cp loop.sass good; echo nonsense >>loop.sass; "
                  "$SUBCORE sweep study.yaml --set icache.l0_ways=64 -o bad >table",
                  3);
    expect_status("head -n 1 .err >first; grep -c '^subcore: rtx_a6000, ' .err; tail -n 1 .err", 0);
    expect_status("$SUBCORE sweep study.yaml -o bad >table; tail -n 1 .err >&1; "
                  "grep -c ',failed,' bad/results.csv; grep -c ' failed' table",
                  0);
    char *out = text_of(".out");
    assert_string_equal(out, "subcore: 6 of 12 points failed\n6\n1\n");
    free(out);
    expect_status("cp good loop.sass; $SUBCORE sweep study.yaml -o bad", 0);
    expect_status("$SUBCORE sweep study.yaml -q -o fresh", 0);
    expect_same("bad/results.csv", "fresh/results.csv");
}

static void a_message_names_the_point_and_the_place(void **state)
{
    (void)state;
    write_text("broken.sass", ".kernel broken\nNONSENSE\n");
    write_text("one.yaml", "inputs: [broken.sass, short.sass]\ncards: [rtx_a6000]\n");
    expect_status("$SUBCORE run broken.sass 2>&1 | sed 's/^subcore: //' >why; "
                  "$SUBCORE sweep one.yaml -q",
                  3);
    char *why = text_of("why"), expected[1024];
    snprintf(expected, sizeof expected,
             "subcore: rtx_a6000, broken: %ssubcore: 1 of 2 points failed\n", why);
    expect_said(expected);
    free(why);
}

static void a_configuration_that_contradicts_itself_is_named_once(void **state)
{
    (void)state;
    write_text("rule.yaml", "inputs: [short.sass, loop.sass]\ncards: [rtx_a6000]\naxes:\n"
                            "  - grid: {icache.line_bytes: [128, 100]}\n");
    expect_status("$SUBCORE sweep rule.yaml -q", 3);
    expect_status("grep -c 'rtx_a6000, 100, short: ' .err || true; tail -n 1 .err; "
                  "$SUBCORE sweep rule.yaml -q; tail -n 1 .err; wc -l <.err",
                  0);
    char *said = text_of(".err");
    assert_non_null(strstr(said, "subcore: rtx_a6000, 100, short: "));
    assert_null(strstr(said, "100, loop"));
    assert_non_null(strstr(said, "subcore: 2 of 4 points failed\n"));
    free(said);
}

static void measurements_give_errors_and_mape(void **state)
{
    (void)state;
    write_text("hw.csv", "name,cycles,other\nshort,1000,1\nloop,500,2\n");
    write_text("hw.yaml", "title: Measured\ncards: [rtx_a6000]\ninputs: [short.sass, loop.sass]\n"
                          "statistic: warp_instructions\n"
                          "measured: {file: hw.csv, column: cycles}\n");
    expect_status("$SUBCORE sweep hw.yaml; cut -d, -f1-6 hw.sweep/results.csv >fields", 0);
    char *fields = text_of("fields"), *table = text_of("hw.sweep/table.txt");
    assert_string_equal(fields, "card,input,status,speedup,measured,error\n"
                                "rtx_a6000,short,ok,1.0000,1000,-0.9940\n"
                                "rtx_a6000,loop,ok,1.0000,500,-0.8360\n");
    assert_string_equal(table, "Measured\n\nrtx_a6000, compared by warp_instructions\n"
                               "  MAPE                     91.50 %\n"
                               "  Speed-up, geometric mean   1.000\n"
                               "\n  Speed-up of each input\n"
                               "  short                      1.000\n"
                               "  loop                       1.000\n"
                               "\n  Error of each input\n"
                               "  short                    -99.4 %\n"
                               "  loop                     -83.6 %\n");
    free(fields);
    free(table);
}

static void a_limit_that_is_exceeded_ends_with_1(void **state)
{
    (void)state;
    expect_status("cp hw.yaml limit.yaml; echo 'limits: {mape: 91 %}' >>limit.yaml; "
                  "$SUBCORE sweep limit.yaml -q",
                  1);
    expect_said("subcore: limit.yaml:6:16: the MAPE of rtx_a6000 is 91.50 %, limit 91.00 %\n");
    expect_status("sed -i 's/91 %/0.92/' limit.yaml; $SUBCORE sweep limit.yaml -q", 0);
}

static void wrong_command_lines_say_what_is_wrong(void **state)
{
    (void)state;
    write_text("cards.yaml", "inputs: [short.sass]\ncards: [./absent.yaml]\n");
    static const struct {
        const char *args;
        int status;
        const char *said;
    } rows[] = {
        {"", 2, "subcore: `subcore sweep` needs SWEEP.yaml\n"},
        {"absent.yaml", 3, "subcore: absent.yaml: cannot open: No such file or directory\n"},
        {"study.yaml -c rtx_a600", 3,
         "subcore: no configuration 'rtx_a600': no such file, and no such card in the search path "
         "(did you mean 'rtx_a6000'?)\n"},
        {"cards.yaml", 3,
         "subcore: no configuration './absent.yaml': no such file, and no such card in the search "
         "path (see `subcore config list`)\n"},
        {"study.yaml -j 2000", 2, "subcore: --threads: expected 1 to 1024, found 2000\n"},
        {"study.yaml --executor slrum", 2,
         "subcore: --executor: expected local or slurm, found 'slrum' (did you mean 'slurm'?)\n"},
        {"study.yaml --format json", 2, "subcore: `subcore sweep` has no format json\n"},
        {"study.yaml -o short.sass", 5,
         "subcore: short.sass: cannot make this folder: File exists\n"},
        {"study.yaml --task 3 -o new", 3,
         "subcore: new/slurm/tasks: cannot open: No such file or directory\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char script[256];
        snprintf(script, sizeof script, "$SUBCORE sweep %s", rows[i].args);
        expect_status(script, rows[i].status);
        expect_said(rows[i].said);
    }
}

static void a_worker_that_is_killed_fails_its_point_only(void **state)
{
    (void)state;
    write_text("slow.sass", ".kernel slow\n.grid 65535,1,1\n.block 256,1,1\n.loop 1000\n"
                            "[B------:R-:W-:-:S01] MOV R1, 0x1 ;\n.endloop\n"
                            "[B------:R-:W-:-:S05] EXIT ;\n");
    write_text("slow.yaml", "inputs: [slow.sass, short.sass]\ncards: [rtx_a6000]\n");
    expect_status("$SUBCORE sweep slow.yaml -q -j1 & top=$!; worker=; "
                  "while [ -z \"$worker\" ]; do sleep 0.05; "
                  "worker=$(cat /proc/$top/task/$top/children); done; "
                  "kill -KILL $worker; wait $top",
                  3);
    expect_said("subcore: rtx_a6000, slow: its process was ended by signal 9 (Killed)\n"
                "subcore: 1 of 2 points failed\n");
}

static void an_interrupted_sweep_says_how_to_go_on(void **state)
{
    (void)state;
    expect_status("$SUBCORE sweep slow.yaml -q -j1 -o stopped & top=$!; "
                  "while [ -z \"$(cat /proc/$top/task/$top/children)\" ]; do sleep 0.05; done; "
                  "kill -TERM $top; wait $top",
                  130);
    expect_said("subcore: interrupted\n"
                "subcore: 0 of 2 points are done; the same command goes on from here\n");
}

static void gnuplot_draws_what_it_is_given(void **state)
{
    (void)state;
    expect_status("mkdir bin; printf '#!/bin/sh\\ncp $1 drawn\\n' >bin/gnuplot; "
                  "chmod +x bin/gnuplot; PATH=$PWD/bin:$PATH $SUBCORE sweep study.yaml -q --plot",
                  0);
    expect_same("drawn", "study.sweep/speedup.gp");
    expect_status("grep -c '^0 \"1, off\" 1.0000$' drawn", 0);
    expect_status("printf '#!/bin/sh\\necho no such terminal; exit 1\\n' >bin/gnuplot; "
                  "PATH=$PWD/bin:$PATH $SUBCORE sweep study.yaml -q --plot",
                  5);
    expect_said("subcore: study.sweep/speedup.gp: gnuplot: exit status 1: no such terminal\n\n");
    expect_status("PATH=/nowhere $SUBCORE sweep study.yaml -q --plot", 5);
    expect_said("subcore: cannot run gnuplot: No such file or directory\n");
}

static void gnuplot_makes_svg_of_it(void **state)
{
    (void)state;
    if (shell("command -v gnuplot") != 0)
        skip();
    expect_status("$SUBCORE sweep hw.yaml -q --plot; head -c 5 hw.sweep/speedup.svg; "
                  "head -c 5 hw.sweep/error.svg",
                  0);
    expect_said("");
    char *out = text_of(".out");
    assert_string_equal(out, "<?xml<?xml");
    free(out);
}

/* sbatch runs the tasks at once, one after the other. */
static const char fake_slurm[] =
    "mkdir -p slurm; cat >slurm/sbatch <<'END'\n#!/bin/sh\n"
    "for a in \"$@\"; do case $a in --array=*) last=${a##*-};; *job.sh) script=$a;; esac; done\n"
    "echo \"$@\" >submitted; last=${last%%\\%*}\n"
    "for i in $(seq 0 $last); do SLURM_ARRAY_TASK_ID=$i sh $script >>log 2>&1; done\n"
    "echo '77;cluster'\nEND\n"
    "printf '#!/bin/sh\\n' >slurm/squeue\n"
    "printf '#!/bin/sh\\necho \"MaxArraySize            = 5\"\\n' >slurm/scontrol\n"
    "chmod +x slurm/*; export PATH=$PWD/slurm:$PATH\n";

static void slurm_gets_one_array_of_at_most_its_size(void **state)
{
    (void)state;
    char script[2048];
    snprintf(script, sizeof script,
             "%s$SUBCORE sweep study.yaml -q -o here; "
             "$SUBCORE sweep study.yaml --executor slurm -o there -j 2 >table",
             fake_slurm);
    expect_status(script, 0);
    expect_said("subcore: job 77: 12 points in 4 tasks\n");
    expect_same("here/results.csv", "there/results.csv");
    char *submitted = text_of("submitted");
    assert_string_equal(submitted, "--parsable --job-name=subcore-study --array=0-3%2 "
                                   "--output=there/slurm/%a.log -n1 -c1 -- there/slurm/job.sh\n");
    free(submitted);
}

static void points_that_a_job_leaves_out_have_failed_until_the_next_call(void **state)
{
    (void)state;
    char script[2048];
    snprintf(script, sizeof script,
             "%scp slurm/sbatch all; printf '#!/bin/sh\\necho 78\\n' >slurm/sbatch; "
             "$SUBCORE sweep study.yaml -q --executor slurm -o left",
             fake_slurm);
    expect_status(script, 3);
    char *said = text_of(".err");
    assert_non_null(strstr(said, "subcore: rtx_a6000, 1, off, short: job 78 left no result; see "
                                 "the logs in left/slurm\n"));
    free(said);
    expect_status("export PATH=$PWD/slurm:$PATH; cp all slurm/sbatch; "
                  "$SUBCORE sweep study.yaml -q --executor slurm -o left; "
                  "$SUBCORE sweep study.yaml -q -o here",
                  0);
    expect_same("here/results.csv", "left/results.csv");
    expect_status("printf '#!/bin/sh\\necho no partition; exit 1\\n' >slurm/sbatch; "
                  "export PATH=$PWD/slurm:$PATH; rm -r left; "
                  "$SUBCORE sweep study.yaml -q --executor slurm -o left",
                  5);
    expect_said("subcore: sbatch: exit status 1: no partition\n");
}

int main(void)
{
    program = SUBCORE_PROGRAM;
    source_dir = SUBCORE_SOURCE_DIR;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_writes_csv_and_table_and_prints_the_table),
        cmocka_unit_test(results_do_not_depend_on_jobs_or_folder),
        cmocka_unit_test(a_sweep_agrees_with_run),
        cmocka_unit_test(finished_points_are_kept_and_missing_and_damaged_ones_done_again),
        cmocka_unit_test(a_longer_axis_keeps_what_is_there),
        cmocka_unit_test(failed_points_are_listed_and_tried_again),
        cmocka_unit_test(a_message_names_the_point_and_the_place),
        cmocka_unit_test(a_configuration_that_contradicts_itself_is_named_once),
        cmocka_unit_test(measurements_give_errors_and_mape),
        cmocka_unit_test(a_limit_that_is_exceeded_ends_with_1),
        cmocka_unit_test(wrong_command_lines_say_what_is_wrong),
        cmocka_unit_test(a_worker_that_is_killed_fails_its_point_only),
        cmocka_unit_test(an_interrupted_sweep_says_how_to_go_on),
        cmocka_unit_test(gnuplot_draws_what_it_is_given),
        cmocka_unit_test(gnuplot_makes_svg_of_it),
        cmocka_unit_test(slurm_gets_one_array_of_at_most_its_size),
        cmocka_unit_test(points_that_a_job_leaves_out_have_failed_until_the_next_call),
    };
    return cmocka_run_group_tests(tests, make_inputs, remove_folder);
}
