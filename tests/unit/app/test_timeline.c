/* --timeline from outside: what Konata and Perfetto read is well-formed and says the same as the
 * issue log and the totals. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "sim/result.h"

static char dir[64];

/* Loads, shared memory, a loop and a barrier, of two CTAs an SM. */
static const char listing[] =
    ".kernel mixed\n.grid 3,1,1\n.block 96,1,1\n.shared 1024\n"
    "[B------:R-:W0:-:S01] S2R R0, SR_TID.X ;\n"
    ".loop 3\n"
    "[B0-----:R-:W1:-:S02] LDG.E R4, [R2.64] ; // @addr 0x7f0000001000 stride 4\n"
    "[B-1----:R-:W-:-:S04] FADD R5, R4, R4 ;\n"
    "[B------:R2:W-:-:S02] STS [R0], R5 ; // @addr 0 stride 4\n"
    ".endloop\n"
    "[B--2---:R-:W-:-:S05] BAR.SYNC 0x0 ;\n"
    "[B------:R-:W-:-:S05] EXIT ;\n";

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/subcore-test-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    char path[128];
    snprintf(path, sizeof path, "%s/k.sass", dir);
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fputs(listing, f);
    return fclose(f);
}

static int remove_dir(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

static int run(const char *args)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && SUBCORE_CONFIGS=%s/configs %s run %s >out 2>err",
             dir, SUBCORE_SOURCE_DIR, SUBCORE_PROGRAM, args);
    int rc = system(command);
    assert_true(WIFEXITED(rc));
    return WEXITSTATUS(rc);
}

static char *slurp(const char *name)
{
    char path[128], part[4096];
    struct buf text = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("no file %s", name);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_add(&text, part, n);
    fclose(f);
    return buf_take(&text);
}

/* Skips one JSON value; NULL when it is none. */
static const char *json_value(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    if (*s == '"') {
        for (s++; *s && *s != '"'; s++)
            if (*s == '\\' && s[1])
                s++;
        return *s ? s + 1 : NULL;
    }
    if (*s == '{' || *s == '[') {
        char close = *s == '{' ? '}' : ']';
        bool object = *s == '{', first = true;
        for (s++;; first = false) {
            while (isspace((unsigned char)*s))
                s++;
            if (*s == close && first)
                return s + 1;
            if (object) {
                if (*s != '"' || !(s = json_value(s)) || *s != ':')
                    return NULL;
                s++;
            }
            if (!(s = json_value(s)))
                return NULL;
            while (isspace((unsigned char)*s))
                s++;
            if (*s == close)
                return s + 1;
            if (*s++ != ',')
                return NULL;
        }
    }
    size_t n = strspn(s, "-+.0123456789eEtrufalsn");
    return n > 0 ? s + n : NULL;
}

static void expect_json(const char *text)
{
    const char *end = json_value(text);
    assert_non_null(end);
    assert_int_equal(strspn(end, "\n"), strlen(end));
}

static uint64_t number_after(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    if (!at)
        fail_msg("no %s in: %.100s", key, line);
    return strtoull(at + strlen(key), NULL, 10);
}

static uint64_t lines_of(const char *text)
{
    uint64_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* State of a Kanata log while it is read. */
struct kanata {
    uint64_t cycle, begun, retired;
    bool alive[4096];
    uint64_t control[4096];
};

static void kanata_line(struct kanata *k, const char *line)
{
    unsigned long long id, a, b;
    char stage[32];
    int used = 0;
    if (sscanf(line, "C\t%llu%n", &a, &used) == 1 && line[used] == '\0') {
        assert_true(a > 0);
        k->cycle += a;
    } else if (sscanf(line, "I\t%llu\t%llu\t%llu%n", &id, &a, &b, &used) == 3 && !line[used]) {
        assert_int_equal(id, k->begun);
        k->begun++;
        k->alive[id] = true;
    } else if (sscanf(line, "R\t%llu\t%llu\t%llu%n", &id, &a, &b, &used) == 3 && !line[used]) {
        assert_true(k->alive[id] && b == 0);
        assert_int_equal(a, k->retired);
        k->retired++;
        k->alive[id] = false;
    } else if (sscanf(line, "L\t%llu\t%llu\t%n", &id, &a, &used) == 2 && used > 0) {
        assert_true(k->alive[id] && a <= 1 && !strchr(line + used, '\t'));
    } else if (sscanf(line, "S\t%llu\t%llu\t%31s%n", &id, &a, stage, &used) == 3 && !line[used]) {
        assert_true(k->alive[id] && a <= 1);
        if (strcmp(stage, "C") == 0)
            k->control[id] = k->cycle;
    } else if (sscanf(line, "E\t%llu\t%llu\t%31s%n", &id, &a, stage, &used) == 3 && !line[used]) {
        assert_true(a == 1);
    } else {
        fail_msg("not a line of a Kanata log: %s", line);
    }
}

/* Reads a whole log; each instruction that begins retires. */
static void read_kanata(struct kanata *k, char *text)
{
    static const char head[] = "Kanata\t0004\nC=\t0\n";
    memset(k, 0, sizeof *k);
    assert_memory_equal(text, head, sizeof head - 1);
    for (char *line = strtok(text + sizeof head - 1, "\n"); line; line = strtok(NULL, "\n"))
        kanata_line(k, line);
    assert_int_equal(k->begun, k->retired);
}

static void kanata_log_is_valid_and_has_every_instruction(void **state)
{
    (void)state;
    struct kanata k;
    assert_int_equal(run("k.sass -q --timeline t.kanata --issue-log i.csv"), 0);
    char *log = slurp("i.csv"), *text = slurp("t.kanata");
    read_kanata(&k, text);
    assert_int_equal(k.begun, lines_of(log) - 1);
    free(log);
    free(text);
}

/* Adds the durations of slices of a category by name. */
static uint64_t sum_slices(const char *text, const char *cat, const char *name)
{
    char key[128];
    uint64_t sum = 0;
    snprintf(key, sizeof key, "\"cat\":\"%s\",\"name\":\"%s\"", cat, name);
    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key))
        sum += number_after(at, "\"dur\":");
    return sum;
}

static void perfetto_stalls_are_the_totals(void **state)
{
    (void)state;
    assert_int_equal(run("k.sass -q --timeline t.json -o r.json"), 0);
    char *text = slurp("t.json"), *result = slurp("r.json");
    const char *total = strstr(result, "\"total\"");
    expect_json(text);
    assert_non_null(total);
    for (uint32_t r = STALL_selected + 1; r < STALL_COUNT; r++) {
        char key[64];
        const char *name = stall_name((enum stall_reason)r);
        snprintf(key, sizeof key, "\"%s\": ", name);
        assert_int_equal(sum_slices(text, "stall", name), number_after(total, key));
    }
    /* Warps: what lies between begin and end. */
    uint64_t resident = 0;
    for (const char *at = strstr(text, "\"ph\":\"B\""); at; at = strstr(at + 1, "\"ph\":\"B\""))
        resident -= number_after(at, "\"ts\":");
    for (const char *at = strstr(text, "\"ph\":\"E\""); at; at = strstr(at + 1, "\"ph\":\"E\""))
        resident += number_after(at, "\"ts\":");
    assert_int_equal(resident, number_after(total, "\"resident_warp_cycles\": "));
    free(text);
    free(result);
}

/* Every row of the issue log is one slice at the same cycle of the same warp slot. */
static void perfetto_issues_are_those_of_the_issue_log(void **state)
{
    (void)state;
    assert_int_equal(run("k.sass -q --timeline t.json --issue-log i.csv"), 0);
    char *text = slurp("t.json"), *log = slurp("i.csv");
    uint64_t slices = 0, rows = 0;
    for (const char *at = strstr(text, "\"cat\":\"issue\""); at;
         at = strstr(at + 1, "\"cat\":\"issue\""))
        slices++;
    for (char *row = strtok(strchr(log, '\n') + 1, "\n"); row; row = strtok(NULL, "\n")) {
        char key[256], opcode[64], pc[16];
        unsigned long long kernel, cycle, sm, subcore, slot, cta, warp;
        assert_int_equal(sscanf(row, "%llu,%llu,%llu,%llu,%llu,%llu,%llu,%15[^,],%63s", &kernel,
                                &cycle, &sm, &subcore, &slot, &cta, &warp, pc, opcode),
                         9);
        snprintf(key, sizeof key,
                 "\"pid\":%llu,\"tid\":%llu,\"cat\":\"issue\",\"name\":\"%s\",\"ts\":%llu,"
                 "\"dur\":1,",
                 sm + 1, slot + 1, opcode, cycle);
        const char *at = strstr(text, key);
        if (!at)
            fail_msg("no slice of %s", row);
        snprintf(key, sizeof key, "\"pc\":\"%s\",\"kernel\":1,\"cta\":%llu,\"warp\":%llu,", pc, cta,
                 warp);
        const char *end = strchr(at, '\n'), *found = strstr(at, key);
        assert_true(found && found < end);
        rows++;
    }
    assert_int_equal(slices, rows);
    free(text);
    free(log);
}

/* Stages come one after the other. */
static void stages_are_in_order(void **state)
{
    (void)state;
    assert_int_equal(run("k.sass -q --timeline t.json"), 0);
    char *text = slurp("t.json");
    for (const char *at = strstr(text, "\"cat\":\"issue\""); at;
         at = strstr(at + 1, "\"cat\":\"issue\"")) {
        const char *end = strchr(at, '\n'), *queue = strstr(at, "\"addresses\":");
        bool queued = queue && queue < end;
        uint64_t fetch = number_after(at, "\"fetch\":"), issue = number_after(at, "\"issue\":");
        uint64_t third = number_after(at, queued ? "\"addresses\":" : "\"operand_read\":");
        uint64_t fourth = number_after(at, queued ? "\"unit\":" : "\"execute\":");
        assert_true(fetch < number_after(at, "\"decoded\":"));
        assert_true(number_after(at, "\"decoded\":") <= issue);
        assert_true(issue < number_after(at, "\"control\":"));
        assert_true(number_after(at, "\"control\":") < third && third < fourth);
        assert_true(fourth <= number_after(at, "\"write_back\":"));
    }
    free(text);
}

static void engine_never_changes_a_timeline(void **state)
{
    (void)state;
    static const char *const engines[] = {"-j 2", "--window 7", "--no-skip",
                                          "--window 1 --no-skip"};
    static const char *const names[] = {"t.kanata", "t.json"};
    for (size_t n = 0; n < 2; n++) {
        char args[128];
        snprintf(args, sizeof args, "k.sass -q --timeline %s", names[n]);
        assert_int_equal(run(args), 0);
        char *first = slurp(names[n]);
        for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
            snprintf(args, sizeof args, "k.sass -q --timeline %s %s", names[n], engines[i]);
            assert_int_equal(run(args), 0);
            char *other = slurp(names[n]);
            assert_string_equal(first, other);
            free(other);
        }
        free(first);
    }
}

static void filters_leave_the_rest_out(void **state)
{
    (void)state;
    struct kanata k;
    assert_int_equal(
        run("k.sass -q --sms 2 --timeline t.kanata --timeline-sm 1 --timeline-warp 0-2 "
            "--timeline-subcore 1 --issue-log i.csv"),
        0);
    char *text = slurp("t.kanata"), *log = slurp("i.csv");
    uint64_t rows = 0;
    for (const char *row = strchr(log, '\n'); row && row[1]; row = strchr(row + 1, '\n')) {
        unsigned sm, subcore, slot;
        assert_int_equal(sscanf(row + 1, "%*u,%*u,%u,%u,%u,", &sm, &subcore, &slot), 3);
        rows += sm == 1 && subcore == 1 && slot == 1;
    }
    assert_null(strstr(text, "SM 0"));
    assert_null(strstr(text, "warp slot 0"));
    assert_non_null(strstr(text, "SM 1, sub-core 1, warp slot 1, CTA "));
    read_kanata(&k, text);
    assert_true(rows > 0);
    assert_int_equal(k.begun, rows);
    free(text);
    free(log);
    assert_int_equal(run("k.sass -q --timeline t.json --timeline-cycles 10-19"), 0);
    text = slurp("t.json");
    expect_json(text);
    for (const char *at = strstr(text, "\"cat\":\"stall\""); at;
         at = strstr(at + 1, "\"cat\":\"stall\"")) {
        uint64_t from = number_after(at, "\"ts\":"), to = from + number_after(at, "\"dur\":");
        assert_true(from >= 10 && to <= 20);
    }
    free(text);
}

static void kernels_follow_one_another(void **state)
{
    (void)state;
    struct kanata k;
    assert_int_equal(run("k.sass k.sass -q --timeline t.kanata --issue-log i.csv"), 0);
    char *log = slurp("i.csv"), *text = slurp("t.kanata");
    assert_non_null(strstr(text, "\tkernel 2, SM 0,"));
    read_kanata(&k, text);
    assert_int_equal(k.begun, lines_of(log) - 1);
    free(log);
    free(text);
}

static void expect_usage(const char *args, const char *message)
{
    assert_int_equal(run(args), 2);
    char *err = slurp("err");
    assert_string_equal(err, message);
    free(err);
}

static void wrong_use_gives_exact_messages(void **state)
{
    (void)state;
    expect_usage("k.sass --timeline t.txt",
                 "subcore: --timeline: expected a name that ends in .kanata (Konata) or .json "
                 "(Perfetto), found 't.txt'\n");
    expect_usage("k.sass --timeline-sm 1", "subcore: --timeline-sm needs --timeline\n");
    expect_usage("k.sass --timeline t.json --timeline-warp 3-1",
                 "subcore: --timeline-warp: expected A or A-B with 0 <= A <= B, found '3-1'\n");
    expect_usage("k.sass --timeline r.json -o r.json",
                 "subcore: --timeline and --output name one file, 'r.json'\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kanata_log_is_valid_and_has_every_instruction),
        cmocka_unit_test(perfetto_stalls_are_the_totals),
        cmocka_unit_test(perfetto_issues_are_those_of_the_issue_log),
        cmocka_unit_test(stages_are_in_order),
        cmocka_unit_test(engine_never_changes_a_timeline),
        cmocka_unit_test(filters_leave_the_rest_out),
        cmocka_unit_test(kernels_follow_one_another),
        cmocka_unit_test(wrong_use_gives_exact_messages),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
