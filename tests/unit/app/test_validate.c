/* `validate` from outside: the bundled suites, exports of Nsight Compute, limits, failures. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "place.h"

#define SUITES SUBCORE_SOURCE_DIR "/configs/suites/"
#define MICRO SUBCORE_SOURCE_DIR "/traces/micro/"

/* The file `err` holds exactly this message. */
static void expect_message(const char *text)
{
    char command[1024];
    snprintf(command, sizeof command, "printf 'subcore: %%s\\n' \"%s\" | diff - err", text);
    if (shell(command) != 0)
        fail_msg("expected '%s' in the standard error", text);
}

static void write_file(const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void golden_tables_hold_whatever_the_number_of_threads(void **state)
{
    (void)state;
    expect("$S validate " SUITES "golden.yaml -o a.json > a.txt", 0);
    expect("$S validate " SUITES "golden.yaml -j 3 -o b.json > b.txt && cmp a.txt b.txt && "
           "cmp a.json b.json",
           0);
    expect("test $(grep -c '  hold$' a.txt) = 10 && grep -c '\"error\": 0}' a.json | "
           "grep -qx 431",
           0);
}

static void another_model_misses_the_golden_tables(void **state)
{
    (void)state;
    expect("$S validate " SUITES "golden.yaml --part 'G3 read ports' "
           "--set register_file.read_ports=3 > a.txt 2>err",
           1);
    expect("grep -q 'golden.yaml:[0-9]*:[0-9]*: G3 read ports: max is .* %, the limit is at most "
           "0.00 %' err && grep -q EXCEEDED a.txt",
           0);
}

/* Cheap launches of the suite. What is simulated changes with the model; instructions do not. */
static void launches_of_the_h200_run_from_the_bundled_files(void **state)
{
    (void)state;
    expect("$S validate " SUITES "h200.yaml nothing chase_shared fma3_1w jumpy_1w -j 2 "
           "--part instructions > a.txt",
           0);
    expect("grep -q '  4 values of warp_instructions on h200 against smsp__inst_executed.sum' a.txt"
           " && grep -q 'none has an error' a.txt",
           0);
    expect(
        "$S validate " SUITES "h200.yaml nothing fma3_1w --part warm --format csv > a.csv; "
        "grep -q '^warm,fma3_1w,[0-9]*,[0-9]*,[0-9]*,[0-9]*,' a.csv && test $(wc -l < a.csv) = 3",
        0);
    expect("$S validate " SUITES "h200.yaml nothign 2>err", 2);
    expect_message(SUITES "h200.yaml: has no input 'nothign' (did you mean 'nothing'?)");
    expect("$S validate " SUITES "h200.yaml --part wram 2>err", 2);
    expect_message(SUITES "h200.yaml: has no part 'wram' (did you mean 'warm'?)");
}

static const char export_head[] =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"sm__cycles_active.max\","
    "\"smsp__inst_executed.sum\"\n\"\",\"\",\"\",\"cycle\",\"inst\"\n";

static void exports_of_nsight_are_matched_in_order(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "%s\"0\",\"1\",\"g3_odd()\",\"1,000\",\"8\"\n"
             "\"1\",\"1\",\"g3_one_even\",\"500\",\"8\"\n",
             export_head);
    write_file("m.csv", text);
    snprintf(text, sizeof text,
             "%s\"0\",\"1\",\"g3_odd\",\"1,200\",\"8\"\n"
             "\"1\",\"1\",\"g3_one_even\",\"500\",\"8\"\n",
             export_head);
    write_file("n.csv", text);
    write_file("s.yaml", "inputs: [{listing: " MICRO "g3_odd.sass}, {listing: " MICRO
                         "g3_one_even.sass}]\nmeasured: [m.csv, n.csv]\n");
    expect("$S validate s.yaml --format csv > a.csv", 0);
    expect("grep -q '^,g3_odd,[0-9]*,1100,1000,1200,-' a.csv && "
           "grep -q '^,g3_one_even,[0-9]*,500,500,500,-' a.csv",
           0);
    expect("$S validate s.yaml g3_odd 2>err", 2);
    expect_message(
        "s.yaml: launches of an export of Nsight Compute are matched in order: no inputs "
        "can be chosen");
    write_file("s.yaml", "inputs: [{listing: " MICRO "g3_odd.sass}, {listing: " MICRO
                         "g3_both_even.sass}]\nmeasured: m.csv\n");
    expect("$S validate s.yaml 2>err", 3);
    expect_message("m.csv:4: launch 2 is g3_one_even, but kernel 2 of the inputs is g3_both_even");
    write_file("s.yaml", "inputs: [{listing: " MICRO "g3_odd.sass}]\nmeasured: m.csv\n");
    expect("$S validate s.yaml 2>err", 3);
    expect_message(
        "m.csv: holds 2 launches, but the inputs ran 1 kernels; they are matched in order");
}

static void columns_that_are_not_there_are_named(void **state)
{
    (void)state;
    write_file("m.csv", "name,cycles,other\ng3_odd,5,6\n");
    write_file("s.yaml", "inputs: [{listing: " MICRO "g3_odd.sass}]\nmeasured: m.csv\n");
    expect("$S validate s.yaml 2>err", 3);
    expect_message("m.csv: has no column 'sm__cycles_active.max', the hardware counter of "
                   "sm_active_cycles_max; name one with the key column");
    write_file("s.yaml", "inputs: [{listing: " MICRO "g3_odd.sass}]\nmeasured: m.csv\n"
                         "column: cycle\n");
    expect("$S validate s.yaml 2>err", 3);
    expect_message("m.csv: has no column 'cycle' (did you mean 'cycles'?)");
    write_file("m.csv", "name,cycles\ng3_odd,5 cycles\n");
    write_file("s.yaml", "inputs: [{listing: " MICRO "g3_odd.sass}]\nmeasured: m.csv\n");
    expect("$S validate s.yaml 2>err", 3);
    expect_message("m.csv:2: column 'cycles': expected a number, found '5 cycles'");
}

static void an_input_that_fails_is_listed_and_the_others_are_compared(void **state)
{
    (void)state;
    write_file("bad.sass", ".kernel bad\nNONSENSE\n");
    write_file("m.csv", "name,cycles\ng3_odd,500\nbad,5\nabsent,7\n");
    write_file("s.yaml", "inputs: [{listing: bad.sass}, {listing: " MICRO "g3_odd.sass},\n"
                         "  {listing: " MICRO "g3_one_even.sass}]\nmeasured: m.csv\n");
    expect("$S validate s.yaml > a.txt 2>err", 3);
    expect("grep -q 'warning: s.yaml: input .g3_one_even. is not measured' err && "
           "grep -q 'subcore: bad: bad.sass:2: ' err && grep -q '  bad: bad.sass:2: ' a.txt && "
           "grep -q '  g3_odd ' a.txt",
           0);
    expect("$S validate s.yaml --strict > a.txt 2>err", 3);
}

int main(void)
{
    program = SUBCORE_PROGRAM;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_tables_hold_whatever_the_number_of_threads),
        cmocka_unit_test(another_model_misses_the_golden_tables),
        cmocka_unit_test(launches_of_the_h200_run_from_the_bundled_files),
        cmocka_unit_test(exports_of_nsight_are_matched_in_order),
        cmocka_unit_test(columns_that_are_not_there_are_named),
        cmocka_unit_test(an_input_that_fails_is_listed_and_the_others_are_compared),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
