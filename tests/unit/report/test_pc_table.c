/* Statistics by instruction of a made-up kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "report/pc_table.h"

#include "fixture.h"

/* Three instructions, the first in two forms, and code read from the L2. */
struct made {
    struct fixture f;
    struct inst again;
    const struct inst *table[4];
    struct sim_stats by_inst[4];
    struct pc_table t;
};

static void make_by(struct made *m, bool by_line, enum pc_order order)
{
    struct sim_err err = {0};
    memset(m, 0, sizeof *m);
    fixture_make(&m->f);
    m->f.insts[0].text = "FADD.FTZ R2, R2, R3";
    m->f.insts[0].line = 12;
    m->f.insts[0].source = "/src/a.cu";
    m->again = m->f.insts[0];
    m->table[0] = &m->again;
    memcpy(m->table + 1, m->f.table, 3 * sizeof m->table[0]);
    m->f.kernel.insts = m->table;
    m->f.kernel.inst_count = m->f.result.inst_count = 4;
    m->f.result.by_inst = m->by_inst;
    m->by_inst[0].stalls[STALL_selected] = m->by_inst[0].issue_issued = 1000;
    m->by_inst[1].stalls[STALL_selected] = m->by_inst[1].issue_issued = 500;
    m->by_inst[1].stalls[STALL_wait] = 499;
    m->by_inst[1].stalls[STALL_not_selected] = 1;
    m->by_inst[2].stalls[STALL_long_scoreboard] = 6000;
    m->by_inst[2].stalls[STALL_barrier] = 1500;
    m->by_inst[2].stalls[STALL_selected] = m->by_inst[2].issue_issued = 500;
    m->by_inst[2].l1d_fill_sectors = 1200;
    m->f.result.stats = (struct sim_stats){.l2_read_sectors = 64};
    for (uint32_t i = 0; i < 3; i++)
        stats_add(&m->f.result.stats, &m->by_inst[i]);
    assert_true(pc_table_make(&m->t, &m->f.kernel, &m->f.result, by_line, order, &err));
}

static void make(struct made *m, enum pc_order order)
{
    make_by(m, false, order);
}

static void release(struct made *m)
{
    pc_table_free(&m->t);
    summary_free(&m->f.summary);
}

static void forms_of_one_pc_are_one_row_and_idle_instructions_none(void **state)
{
    (void)state;
    struct made m;
    make(&m, PC_ORDER_PC);
    assert_int_equal(m.t.count, 2);
    assert_int_equal(m.t.rows[0].stats.issue_issued, 1500);
    assert_int_equal(m.t.rows[0].cycles, 2000);
    assert_int_equal(m.t.rows[1].inst->pc, 16);
    assert_int_equal(m.t.cycles, 10000);
    assert_int_equal(m.t.rest.l2_read_sectors, 64);
    assert_int_equal(m.t.rest.issue_issued, 0);
    release(&m);
}

static void rows_come_largest_first_when_asked(void **state)
{
    (void)state;
    static const struct {
        enum pc_order order;
        uint32_t first;
    } cases[] = {{PC_ORDER_PC, 0},  {PC_ORDER_CYCLES, 16}, {PC_ORDER_ISSUED, 0},
                 {PC_ORDER_L1, 16}, {PC_ORDER_L2, 0},      {PC_ORDER_CONFLICTS, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made m;
        make(&m, cases[i].order);
        assert_int_equal(m.t.rows[0].inst->pc, cases[i].first);
        release(&m);
    }
}

static void text_has_columns_for_what_happened_only(void **state)
{
    (void)state;
    struct made m;
    struct buf out = {0};
    make(&m, PC_ORDER_PC);
    pc_table_text(&out, &m.t);
    assert_string_equal(
        out.data,
        "\n"
        "  pc      SASS                 source       issued   warp cycles   share   L1 misses"
        "  waits for\n"
        "  0x0000  FADD.FTZ R2, R2, R3  a.cu:12       1,500         2,000  20.0 %            "
        "  wait 25 %\n"
        "  0x0010  LDG.E                                500         8,000  80.0 %       1,200"
        "  long_scoreboard 75 %, barrier 19 %\n");
    buf_free(&out);
    release(&m);
}

static void json_leaves_out_what_is_zero(void **state)
{
    (void)state;
    struct made m;
    struct buf out = {0};
    struct json j;
    make(&m, PC_ORDER_CYCLES);
    json_init(&j, &out);
    json_object(&j, NULL);
    pc_table_json(&j, &m.t);
    json_object_end(&j);
    assert_string_equal(
        out.data,
        "{\n"
        "  \"by_pc\": [\n"
        "    {\"pc\": \"0x0010\", \"sass\": \"LDG.E\", \"issued\": 500, \"warp_cycles\": 8000, "
        "\"stalls\": {\"selected\": 500, \"long_scoreboard\": 6000, \"barrier\": 1500}, "
        "\"counters\": {\"issue.issued\": 500, \"l1d.fill_sectors\": 1200}},\n"
        "    {\"pc\": \"0x0000\", \"sass\": \"FADD.FTZ R2, R2, R3\", \"source\": \"/src/a.cu\", "
        "\"line\": 12, \"issued\": 1500, \"warp_cycles\": 2000, "
        "\"stalls\": {\"selected\": 1500, \"not_selected\": 1, \"wait\": 499}, "
        "\"counters\": {\"issue.issued\": 1500}}\n"
        "  ],\n"
        "  \"no_instruction\": {\"counters\": {\"l2.read_sectors\": 64}}\n"
        "}\n");
    buf_free(&out);
    release(&m);
}

static void csv_has_every_counter(void **state)
{
    (void)state;
    struct made m;
    struct buf out = {0};
    make(&m, PC_ORDER_PC);
    pc_table_csv_begin(&out, false);
    assert_non_null(strstr(out.data, "kernel,name,launch,pc,sass,source,line,warp_cycles,"
                                     "issue.issued,issue.thread_instructions,"));
    assert_non_null(strstr(out.data, ",stall.gmma,stall.misc\n"));
    out.len = 0;
    pc_table_csv(&out, &m.f.kernel, &m.t);
    assert_non_null(strstr(out.data, "3,\"axpy(float*, \"\"x\"\")\",\"\",0x0000,"
                                     "\"FADD.FTZ R2, R2, R3\",\"/src/a.cu\",12,2000,1500,0,"));
    assert_non_null(strstr(out.data, ",0x0010,\"LDG.E\",\"\",,8000,500,0,"));
    buf_free(&out);
    release(&m);
}

static void lines_add_up_their_instructions(void **state)
{
    (void)state;
    struct made m;
    struct buf out = {0};
    struct json j;
    make_by(&m, true, PC_ORDER_PC);
    pc_table_text(&out, &m.t);
    assert_string_equal(
        out.data,
        "\n"
        "  source           instructions      issued   warp cycles   share   L1 misses  waits for\n"
        "  a.cu:12                     1       1,500         2,000  20.0 %              wait 25 %\n"
        "  (no line known)             1         500         8,000  80.0 %       1,200"
        "  long_scoreboard 75 %, barrier 19 %\n");
    out.len = 0;
    json_init(&j, &out);
    json_object(&j, NULL);
    pc_table_json(&j, &m.t);
    json_object_end(&j);
    assert_non_null(strstr(out.data,
                           "\"by_line\": [\n    {\"source\": \"/src/a.cu\", \"line\": 12, "
                           "\"instructions\": 1, \"issued\": 1500, "));
    out.len = 0;
    pc_table_csv_begin(&out, true);
    pc_table_csv(&out, &m.f.kernel, &m.t);
    assert_memory_equal(out.data, "kernel,name,launch,source,line,instructions,warp_cycles,", 56);
    assert_non_null(strstr(out.data, ",\"\",\"/src/a.cu\",12,1,2000,1500,"));
    assert_non_null(strstr(out.data, ",\"\",\"\",,1,8000,500,"));
    buf_free(&out);
    release(&m);
}

static void instructions_of_one_line_are_one_row(void **state)
{
    (void)state;
    struct made m;
    struct pc_table t;
    struct sim_err err = {0};
    make(&m, PC_ORDER_PC);
    for (uint32_t i = 0; i < 2; i++) {
        m.f.insts[i].line = 7;
        m.f.insts[i].source = "/src/a.cu";
    }
    m.again = m.f.insts[0];
    assert_true(pc_table_make(&t, &m.f.kernel, &m.f.result, true, PC_ORDER_PC, &err));
    assert_int_equal(t.count, 1);
    assert_int_equal(t.rows[0].instructions, 2);
    assert_int_equal(t.rows[0].cycles, 10000);
    pc_table_free(&t);
    release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_one_pc_are_one_row_and_idle_instructions_none),
        cmocka_unit_test(rows_come_largest_first_when_asked),
        cmocka_unit_test(text_has_columns_for_what_happened_only),
        cmocka_unit_test(json_leaves_out_what_is_zero),
        cmocka_unit_test(csv_has_every_counter),
        cmocka_unit_test(lines_add_up_their_instructions),
        cmocka_unit_test(instructions_of_one_line_are_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
