/* Kernels that do one thing reach what the hardware can do of it, and no more: rates of an H200. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "support/harness.h"

#define SM_BYTES 128 /* a cycle, of the L1 and of shared memory */

/* 16 warps of one SM, each with `n` times the line. */
static void run_line(struct run *r, const char *line, uint32_t n)
{
    const struct run_setup setup = {.config = "h200"};
    struct buf text = {0};
    buf_puts(&text, ".kernel roofline\n.grid 1,1,1\n.block 512,1,1\n.registers 40\n.shared 16384\n"
                    ".warm code\n.warm const\n.warm data 0x100000 65536\n"
                    "[B------:R-:W-:-:S05] BAR.SYNC 0x0 ;\n");
    for (uint32_t i = 0; i < n; i++)
        buf_puts(&text, line);
    buf_puts(&text, "[B------:R-:W-:-:S05] EXIT ;\n");
    char *owned = buf_take(&text);
    assert_non_null(owned);
    run_text(r, owned, &setup);
    free(owned);
}

/* Cycles from the first to the last issue of the line. */
static uint64_t cycles(const struct run *r, const char *opcode)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < r->issue_count; i++) {
        if (strncmp(run_opcode(r, &r->issues[i]), opcode, strlen(opcode)) != 0)
            continue;
        if (r->issues[i].cycle < first)
            first = r->issues[i].cycle;
        last = r->issues[i].cycle;
    }
    return last - first + 1;
}

static void check_share(const char *what, uint64_t done, uint64_t possible)
{
    if (done * 100 < possible * 95 || done > possible)
        fail_msg("%s: %llu of %llu, expected 95 to 100 %%", what, (unsigned long long)done,
                 (unsigned long long)possible);
}

/* A warp instruction a cycle and sub-core. */
static void multiply_adds_issue_every_cycle(void **state)
{
    (void)state;
    struct run r;
    run_line(&r, "[B------:R-:W-:-:S01] FFMA R8, R1, R2, R1 ;\n", 1000);
    check_share("FFMA", 4 * 1000, cycles(&r, "FFMA"));
    run_free(&r);
}

static void half_rate_units_issue_every_other_cycle(void **state)
{
    (void)state;
    struct run r;
    run_line(&r, "[B------:R-:W-:-:S01] IADD3 R8, R1, R2, RZ ;\n", 500);
    check_share("IADD3", 2 * 4 * 500, cycles(&r, "IADD3") + 1);
    run_free(&r);
}

static void tensor_cores_are_busy(void **state)
{
    (void)state;
    struct run r;
    run_line(&r, "[B------:R-:W-:-:S01] HMMA.16816.F32 R8, R4, R2, RZ ;\n", 200);
    check_share("HMMA", 6 * 4 * 200, cycles(&r, "HMMA") + 5);
    run_free(&r);
}

static void loads_that_hit_take_the_whole_width_of_the_l1(void **state)
{
    (void)state;
    struct run r;
    run_line(&r, "[B------:R-:W0:-:S01] LDG.E.128 R8, [R2.64] ; // @addr 0x100000 stride 16\n",
             150);
    check_share("LDG.128", 16ull * 150 * 512, SM_BYTES * r.result.cycles);
    run_free(&r);
    run_line(&r, "[B------:R-:W0:-:S01] LDG.E R8, [R2.64] ; // @addr 0x100000 stride 4\n", 600);
    check_share("LDG", 16ull * 600 * 128, SM_BYTES * r.result.cycles);
    run_free(&r);
}

static void shared_memory_delivers_its_whole_width(void **state)
{
    (void)state;
    struct run r;
    run_line(&r, "[B------:R-:W0:-:S01] LDS.128 R8, [R2] ; // @addr 0x0 stride 16\n", 150);
    check_share("LDS.128", 16ull * 150 * 512, SM_BYTES * r.result.cycles);
    run_free(&r);
    run_line(&r, "[B------:R-:W0:-:S01] LDS R8, [R2] ; // @addr 0x0 stride 4\n", 600);
    check_share("LDS", 16ull * 600 * 128, SM_BYTES * r.result.cycles);
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiply_adds_issue_every_cycle),
        cmocka_unit_test(half_rate_units_issue_every_other_cycle),
        cmocka_unit_test(tensor_cores_are_busy),
        cmocka_unit_test(loads_that_hit_take_the_whole_width_of_the_l1),
        cmocka_unit_test(shared_memory_delivers_its_whole_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
