/* The page of results: every number is the one of its field, nothing comes from outside. */
#define _XOPEN_SOURCE 700 /* mkstemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "page/parts.h"

#define DATA SUBCORE_SOURCE_DIR "/tests/data/report/"

static unsigned drawings;

/* Stands for gnuplot. */
static bool draw(void *user, const char *script, struct buf *svg, struct sim_err *err)
{
    (void)err;
    struct buf *all = user;
    if (all)
        buf_puts(all, script);
    drawings++;
    buf_puts(svg,
             "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"x\" \"http://www.w3.org/x.dtd\">\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>Gnuplot</title>"
             "<circle id='gpDot' r='0.5'/><use xlink:href='#gpPt6'/></svg>\n");
    return true;
}

static char *page_of(const char *file, struct arena *arena, struct page_input *in,
                     struct buf *scripts)
{
    struct sim_err err = {0};
    struct buf out = {0};
    drawings = 0;
    if (!page_read(in, arena, file, &err) || !page_write(&out, in, 1, "9.9.9", draw, scripts, &err))
        fail_msg("%s", err.msg);
    return buf_take(&out);
}

/* What stands at "kernels[3].icache.l0.hits"; NULL when it is no such path. */
static const struct json_value *resolve(const struct json_value *v, const char *path)
{
    char part[128];
    while (v && *path) {
        size_t n = strcspn(path, ".[");
        if (n > 0) {
            snprintf(part, sizeof part, "%.*s", (int)n, path);
            v = json_member(v, part);
        }
        path += n;
        if (*path == '[') {
            size_t index = strtoul(path + 1, NULL, 10);
            v = v ? v->first : NULL;
            while (v && index-- > 0)
                v = v->next;
            path += strcspn(path, "]") + 1;
        }
        path += *path == '.';
    }
    return v;
}

/* Checks every data-field of a page of JSON; returns how many. */
static unsigned expect_fields(const char *page, const struct json_value *json)
{
    static const char mark[] = "data-field=\"";
    unsigned n = 0;
    for (const char *at = strstr(page, mark); at; at = strstr(at + 1, mark), n++) {
        char path[256], shown[256], whole[SHOWN_SIZE], percent[SHOWN_SIZE];
        at += sizeof mark - 1;
        snprintf(path, sizeof path, "%.*s", (int)strcspn(at, "\""), at);
        const char *text = strchr(at, '>') + 1;
        snprintf(shown, sizeof shown, "%.*s", (int)strcspn(text, "<"), text);
        const struct json_value *v = resolve(json, path);
        if (!v)
            fail_msg("data-field %s is not in the file", path);
        if (v->kind == JSON_ARRAY)
            continue;
        html_shown(whole, v);
        html_percent(percent, v);
        if (strcmp(shown, whole) != 0 && strcmp(shown, percent) != 0 &&
            !(v->text && strncmp(path, "config.", 7) == 0 && strcmp(shown, v->text) == 0))
            fail_msg("%s: shown '%s', in the file '%s'", path, shown, v->text);
    }
    return n;
}

static void expect_self_contained(const char *page)
{
    static const char *const outside[] = {"<script", "src=",          "@import", "url(",
                                          "<iframe", "<!DOCTYPE svg", "<?xml",   "href=\"http"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        if (strstr(page, outside[i]))
            fail_msg("the page has '%s'", outside[i]);
    assert_non_null(strstr(page, "<meta name=\"viewport\""));
    assert_non_null(strstr(page, "@media print"));
}

static void run_is_shown_with_its_fields(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct page_input in;
    char *page = page_of(DATA "run.json", &arena, &in, NULL);
    expect_self_contained(page);
    assert_true(expect_fields(page, in.json) > 100);
    assert_int_equal(drawings, 4 * 2);
    assert_non_null(strstr(page, "data-file=\"run.json\""));
    assert_non_null(strstr(page, "<code>fetch.buffer_entries</code></td>"
                                 "<td data-field=\"config.fetch.buffer_entries.value\">4</td>"
                                 "<td class=\"l wrap\">--set"));
    /* Identifiers of two drawings differ. */
    assert_non_null(strstr(page, "id='c1wgpDot'"));
    assert_non_null(strstr(page, "href='#c2ngpPt6'"));
    assert_non_null(strstr(page, "<title>Roofline</title>"));
    free(page);
    arena_free(&arena);
}

static void validation_is_shown_with_its_fields(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct page_input in;
    struct buf scripts = {0};
    char *page = page_of(DATA "validate.json", &arena, &in, &scripts);
    expect_self_contained(page);
    assert_int_equal(expect_fields(page, in.json), 11 + 9 * 5);
    assert_non_null(strstr(page, "made-up launches &lt;9&gt;"));
    assert_non_null(strstr(page, "Failed: launch_9: no such &quot;launch&quot;"));
    assert_non_null(strstr(scripts.data, "plot x with lines lw 2 lc rgb '#1a202c' title 'x = y'"));
    buf_free(&scripts);
    free(page);
    arena_free(&arena);
}

/* Each part by itself; those of lists of statistics only in the overview. */
static void parts_of_a_validation_are_told_apart(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct page_input in;
    struct buf scripts = {0};
    char *page = page_of(DATA "parts.json", &arena, &in, &scripts);
    assert_int_equal(expect_fields(page, in.json), 3 * 8 + 2 * 11 + 3 * 5);
    assert_int_equal(drawings, 2 * 2 * 2);
    assert_non_null(strstr(page, "<td data-field=\"parts[2].summary.mape\">25.0 %</td>"));
    assert_non_null(strstr(page, "<td class=\"l bad\">exceeded</td>"));
    assert_non_null(strstr(page, "<td class=\"l\">hold</td>"));
    assert_non_null(strstr(page, "<h3>Simulated against measured: sm_active_cycles_max</h3>"));
    assert_non_null(strstr(scripts.data, "$d << EOD\n100 110 100 100\n1000 900 1000 1000\nEOD\n"));
    assert_non_null(strstr(page, "<td data-field=\"parts[1].rows[0].simulated\">55</td>"));
    assert_null(strstr(page, "parts[2].rows"));
    buf_free(&scripts);
    free(page);
    arena_free(&arena);
}

static void sweep_is_shown_with_means_over_its_inputs(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct page_input in;
    struct buf scripts = {0};
    char *page = page_of(DATA "sweep.csv", &arena, &in, &scripts);
    expect_self_contained(page);
    assert_int_equal(in.table.rows, 13);
    assert_int_equal(drawings, 2 * 2);
    /* The curves run along the axis with the most values, one curve a mode. */
    assert_non_null(strstr(scripts.data, "set xlabel \"icache.stream_buffer_lines\""));
    assert_non_null(strstr(scripts.data, "title \"rtx_a6000, dependence.mode scoreboard\""));
    assert_non_null(strstr(scripts.data, "$c0 << EOD\n0 1.00000 \"0\" 0\n1 1.07920 \"2\" 2\n"));
    assert_non_null(strstr(page, "geometric mean of speedup of rows like [3]\">1.0792</td>"));
    assert_non_null(strstr(page, "another status\">1</td>"));
    assert_non_null(strstr(page, "<td data-field=\"[2].input\">a,b</td>"));
    buf_free(&scripts);
    free(page);
    arena_free(&arena);
}

static void several_files_get_a_section_each(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct page_input in[2];
    struct sim_err err = {0};
    struct buf out = {0};
    assert_true(page_read(&in[0], &arena, DATA "run.json", &err));
    assert_true(page_read(&in[1], &arena, DATA "sweep.csv", &err));
    assert_true(page_write(&out, in, 2, "9.9.9", draw, NULL, &err));
    assert_non_null(strstr(out.data, "<a href=\"#s1\">run.json</a><a href=\"#s2\">sweep.csv</a>"));
    assert_non_null(strstr(out.data, "<section id=\"s2\" data-file=\"sweep.csv\">"));
    buf_free(&out);
    arena_free(&arena);
}

static void expect_bad(const char *text, const char *message, uint32_t line, uint32_t col)
{
    char path[] = "/tmp/subcore-page-XXXXXX";
    struct arena arena = {0};
    struct page_input in;
    struct sim_err err = {0};
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_false(page_read(&in, &arena, path, &err));
    remove(path);
    assert_string_equal(err.msg, message);
    assert_int_equal(err.line, line);
    assert_int_equal(err.col, col);
    assert_int_equal(err.code, ERR_INPUT);
    arena_free(&arena);
}

static void bad_files_give_exact_messages(void **state)
{
    (void)state;
    expect_bad("", "is empty", 0, 0);
    expect_bad("hello\n",
               "is no result: expected JSON of `run -o` or `validate -o`, or the CSV of a sweep", 0,
               0);
    expect_bad("{\"a\": 1}",
               "is no result: expected the members of `run -o` (kernels, total) or of "
               "`validate -o` (summary, rows)",
               0, 0);
    expect_bad("{\"a\": 1,\n \"b\" 2}", "not JSON: expected ':' behind a key", 2, 6);
    expect_bad("{\"a\": [1, 2}", "not JSON: expected ',' or ']'", 1, 12);
    expect_bad("{\"a\": \"x", "not JSON: a string without end", 1, 9);
    expect_bad("{\"a\": nul}", "not JSON: expected a value", 1, 7);
    expect_bad("{\"a\": \"\\q\"}", "not JSON: unknown escape in a string", 1, 10);
    expect_bad("{} {}", "not JSON: something follows the value", 1, 4);
    expect_bad("card,x,input\n",
               "is no CSV of a sweep: expected the columns card, input and status", 1, 0);
    expect_bad("card,input,status\na,b\n", "expected 3 fields as in the first line, found 2", 2, 0);
}

static void json_values_are_read_as_written(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\": {\"b\": [1, -2.5e3, true, null]}, \"c\": \"x\\u00e9\\n\\ud83d\\ude00\"}";
    struct arena arena = {0};
    struct sim_err err = {0};
    const struct json_value *v = json_parse(&arena, "t", text, strlen(text), &err);
    assert_non_null(v);
    assert_int_equal(json_at(v, "a.b")->count, 4);
    assert_string_equal(json_at(v, "a.b")->first->next->text, "-2.5e3");
    assert_true(fabs(json_at(v, "a.b")->first->next->number + 2500) < 1e-9);
    assert_string_equal(json_text(v, "c"), "x\xc3\xa9\n\xf0\x9f\x98\x80");
    assert_null(json_at(v, "a.x"));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_is_shown_with_its_fields),
        cmocka_unit_test(validation_is_shown_with_its_fields),
        cmocka_unit_test(parts_of_a_validation_are_told_apart),
        cmocka_unit_test(sweep_is_shown_with_means_over_its_inputs),
        cmocka_unit_test(several_files_get_a_section_each),
        cmocka_unit_test(bad_files_give_exact_messages),
        cmocka_unit_test(json_values_are_read_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
