#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/listing.h"

static char path[64];
static struct sim_err err;
static struct diag diag;
static struct kernel *kernel;
static struct cta_stream *cta;

static bool open_text(const char *text)
{
    strcpy(path, "/tmp/subcore_listing_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
    bool ok = listing_open(&kernel, path, &diag, &err);
    unlink(path);
    return ok;
}

static void open_good(const char *text)
{
    char message[3000];
    if (!open_text(text)) {
        err_format(&err, message, sizeof message);
        fail_msg("%s", message);
    }
}

static void next_cta(void)
{
    if (cta)
        kernel->ops->close_cta(cta);
    assert_true(kernel->ops->open_cta(kernel, &cta, &err));
}

static int teardown(void **state)
{
    (void)state;
    if (cta)
        kernel->ops->close_cta(cta);
    listing_close(kernel);
    cta = NULL;
    kernel = NULL;
    err_clear(&err);
    memset(&diag, 0, sizeof diag);
    return 0;
}

/* The next dynamic instruction of a warp, or NULL at its end. */
static const struct dyn_inst *step(uint32_t warp)
{
    struct warp_stream *w = &cta->warps[warp];
    if (w->next == w->end) {
        if (w->finished)
            return NULL;
        assert_true(kernel->ops->refill(w, &err));
        if (w->next == w->end) {
            assert_true(w->finished);
            return NULL;
        }
    }
    return w->next++;
}

/* Compares the pcs (in units of instructions) of the rest of a warp with "0 1 2". */
static void expect_stream(uint32_t warp, const char *expected)
{
    char got[2048] = "";
    size_t n = 0;
    const struct dyn_inst *d;
    while ((d = step(warp)) && n + 8 < sizeof got)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%u", n ? " " : "",
                              kernel->insts[d->inst]->pc / INST_BYTES);
    assert_string_equal(got, expected);
}

#define C "[B------:R-:W-:-:S01] "
#define NOP C "NOP ;\n"
#define EXIT C "EXIT ;\n"
#define LDG C "LDG.E R4, [R2.64] ; // "

static void directives_fill_the_kernel(void **state)
{
    (void)state;
    open_good("# a comment\n// another\n\n.kernel k1\n.sm 90\n.grid 7,3,2\n.block 16,4,2\n"
              ".registers 40\n.shared 2048 // bytes\n.active_warps 0,2\n.warm code\n.warm const\n"
              ".warm data 0x1000 64\n.warm data 4096 1\n" EXIT);
    assert_string_equal(kernel->name, "k1");
    assert_int_equal(kernel->sm_version, 90);
    assert_int_equal(kernel->grid.x, 7);
    assert_int_equal(kernel->grid.y, 3);
    assert_int_equal(kernel->grid.z, 2);
    assert_int_equal(kernel->block.x, 16);
    assert_int_equal(kernel->block.y, 4);
    assert_int_equal(kernel->block.z, 2);
    assert_int_equal(kernel->registers, 40);
    assert_int_equal(kernel->shared_bytes, 2048);
    assert_int_equal(kernel->cta_count, 42);
    assert_true(kernel->warm_code && kernel->warm_const && kernel->has_ctrl);
    assert_int_equal(kernel->warm_data_count, 2);
    assert_int_equal(kernel->warm_data[0].addr, 0x1000);
    assert_int_equal(kernel->warm_data[0].bytes, 64);
    assert_int_equal(kernel->id, 1);
}

static void defaults_are_one_warp_on_sm_86(void **state)
{
    (void)state;
    open_good(EXIT);
    assert_memory_equal(kernel->name, "subcore_listing_", 16);
    assert_int_equal(kernel->sm_version, 86);
    assert_int_equal(kernel->cta_count, 1);
    assert_int_equal(kernel->block.x, 32);
    assert_int_equal(kernel->registers, 8);
    assert_false(kernel->warm_code || kernel->warm_const);
}

static void registers_are_counted_from_the_code(void **state)
{
    (void)state;
    open_good(LDG "@addr 0 stride 4\n" C "IMAD.WIDE R22, R2, R4, R6 ;\n" EXIT);
    assert_int_equal(kernel->registers, 24);
}

static void control_code_is_kept(void **state)
{
    (void)state;
    open_good("[B0----5:R3:W1:Y:S02] LDG.E R4, [R2.64] ; // @addr 0x7f0000001000 stride 4\n" EXIT);
    const struct inst *in = kernel->insts[0];
    assert_int_equal(in->ctrl.wait_mask, 0x21);
    assert_int_equal(in->ctrl.read_bar, 3);
    assert_int_equal(in->ctrl.write_bar, 1);
    assert_true(in->ctrl.yield);
    assert_int_equal(in->ctrl.stall, 2);
    assert_true((in->flags & INST_HAS_CTRL) != 0);
    assert_int_equal(in->line, 1);
    assert_int_equal(kernel->insts[1]->pc, 16);
}

static void offsets_are_honoured(void **state)
{
    (void)state;
    open_good(NOP "[B------:R-:W-:-:S01] /*0080*/ NOP ;\n" EXIT);
    assert_int_equal(kernel->insts[0]->pc, 0);
    assert_int_equal(kernel->insts[1]->pc, 0x80);
    assert_int_equal(kernel->insts[2]->pc, 0x90);
}

static void code_without_control_bits_is_marked(void **state)
{
    (void)state;
    open_good("FADD R1, R2, R3 ;\nEXIT ;\n");
    assert_false(kernel->has_ctrl);
    assert_int_equal(kernel->inst_count, 2);
}

static void clock_is_a_read_of_the_cycle_counter(void **state)
{
    (void)state;
    open_good(C "CLOCK R5 ;\n" C "@P1 CLOCK ;\n" EXIT);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(kernel->insts[i]->opcode, "CS2R");
        assert_true((kernel->insts[i]->flags & INST_CLOCK) != 0);
    }
    assert_int_equal(kernel->insts[0]->operands[0].index, 5);
    assert_int_equal(kernel->insts[1]->guard, 1);
}

static void loops_nest_and_repeat_their_pcs(void **state)
{
    (void)state;
    open_good(".loop 2\n" NOP ".loop 3\n" NOP ".endloop\n" NOP ".endloop\n.loop 0\n" NOP
              ".endloop\n" EXIT);
    next_cta();
    expect_stream(0, "0 1 1 1 2 0 1 1 1 2 4");
}

static void long_loops_take_no_memory(void **state)
{
    (void)state;
    open_good(".loop 1000000\n.loop 1000000\n" NOP ".endloop\n.endloop\n" EXIT);
    next_cta();
    const struct dyn_inst *first = step(0);
    for (int i = 1; i < 100000; i++) {
        const struct dyn_inst *d = step(0);
        assert_non_null(d);
        assert_true(d >= first && d < first + 256);
    }
}

static void empty_loops_end_at_once(void **state)
{
    (void)state;
    open_good(".warps 2\n.loop 1000000000000\n.loop 1000000000000\n.warp 1\n.loop 2\n" NOP
              ".endloop\n.endwarp\n.endloop\n.endloop\n" EXIT);
    next_cta();
    expect_stream(0, "1");
}

static void branches_follow_taken(void **state)
{
    (void)state;
    open_good("TOP:\n" NOP C "@P0 BRA TOP ; // @taken 2\n" C "@P0 BRA `(.L_x_1) ; // @taken\n" NOP
              ".L_x_1:\n" C "@P1 BRA TOP ;\n" EXIT);
    next_cta();
    expect_stream(0, "0 1 0 1 0 1 2 4 5");
}

static void branch_leaves_loops(void **state)
{
    (void)state;
    open_good("TOP:\n.loop 3\n" NOP ".loop 4\n" C "@P0 BRA NEXT ; // @taken 1\n.endloop\nNEXT:\n"
              ".endloop\n" C "@P0 BRA TOP ; // @taken 1\n" EXIT);
    next_cta();
    /* The branch goes to the end of the outer loop, which has two more rounds. */
    expect_stream(0, "0 1 0 1 1 1 1 0 1 1 1 1 2 0 1 1 1 1 0 1 1 1 1 0 1 1 1 1 2 3");
}

static void branch_to_an_offset_enters_no_loop(void **state)
{
    (void)state;
    assert_false(open_text(C "@P0 BRA 0x10 ; // @taken 1\n.loop 2\n" NOP ".endloop\n" EXIT));
    assert_string_equal(err.msg, "a branch into a .loop or .warp section, to \"0x10\"");
}

static void endless_branch_is_an_error_when_it_comes_again(void **state)
{
    (void)state;
    open_good("TOP:\n.loop 3\n" NOP ".endloop\n" C "@P0 BRA TOP ; // @taken\n" EXIT);
    next_cta();
    bool ok = true;
    for (int i = 0; ok && i < 100; i++) {
        cta->warps[0].next = cta->warps[0].end;
        ok = kernel->ops->refill(&cta->warps[0], &err);
    }
    assert_false(ok);
    assert_int_equal(err.line, 5);
    assert_int_equal(err.code, ERR_INPUT);
}

static void always_taken_branch_in_a_loop_is_no_endless_loop(void **state)
{
    (void)state;
    open_good(".loop 3\n" C "@P0 BRA OVER ; // @taken\n" NOP "OVER:\n" NOP ".endloop\n" EXIT);
    next_cta();
    expect_stream(0, "0 2 0 2 0 2 3");
}

static void guarded_exit_is_not_taken(void **state)
{
    (void)state;
    open_good(C "@P0 EXIT ;\n" NOP C "@!P0 EXIT ; // @taken\n" NOP EXIT);
    next_cta();
    const struct dyn_inst *d = step(0);
    assert_int_equal(d->mask, 0);
    step(0);
    d = step(0);
    assert_int_equal(d->inst, 2);
    assert_int_equal(d->mask, 0xffffffff);
    assert_null(step(0));
}

static void warp_sections_are_for_their_warps(void **state)
{
    (void)state;
    open_good(".warps 3\n" NOP ".warp 0,2\n" NOP ".warp 2\n" NOP ".endwarp\n.endwarp\n" EXIT);
    next_cta();
    expect_stream(0, "0 1 3");
    expect_stream(1, "0 3");
    expect_stream(2, "0 1 2 3");
}

static void inactive_warps_exit_at_once(void **state)
{
    (void)state;
    open_good(".warps 5\n.active_warps 0,4\n" NOP C "@P0 EXIT ;\n" EXIT);
    next_cta();
    assert_int_equal(cta->warp_count, 5);
    expect_stream(0, "0 1 2");
    expect_stream(1, "2");
    expect_stream(3, "2");
    expect_stream(4, "0 1 2");
}

static void addresses_are_affine_in_warp_and_cta(void **state)
{
    (void)state;
    open_good(".grid 2,2,1\n.warps 2\n" LDG "@addr 0x1000 stride -4 warp 0x80 cta 4096\n" EXIT);
    for (uint64_t c = 0; c < 4; c++) {
        next_cta();
        assert_int_equal(cta->linear_id, c);
        assert_int_equal(cta->id.x, c % 2);
        assert_int_equal(cta->id.y, c / 2);
        for (uint32_t w = 0; w < 2; w++) {
            const struct dyn_inst *d = step(w);
            assert_int_equal(d->addr_mode, ADDR_STRIDE);
            assert_int_equal(d->stride, -4);
            assert_int_equal(d->addr.base, 0x1000 + 0x80 * w + 4096 * c);
        }
    }
    next_cta();
    assert_null(cta);
}

static void address_lists_hold_zero_in_missing_lanes(void **state)
{
    (void)state;
    open_good(".block 4\n" LDG "@addrs 0x10,0x20,0x30,0x40,0x50\n" EXIT);
    next_cta();
    const struct dyn_inst *d = step(0);
    assert_int_equal(d->addr_mode, ADDR_LIST);
    assert_int_equal(d->mask, 0xf);
    assert_int_equal(d->addr.list[3], 0x40);
    for (int lane = 4; lane < 32; lane++)
        assert_int_equal(d->addr.list[lane], 0);
}

static void last_warp_of_an_odd_block_is_partial(void **state)
{
    (void)state;
    open_good(".block 5,7,2\n" EXIT);
    next_cta();
    assert_int_equal(cta->warp_count, 3);
    assert_int_equal(step(0)->mask, 0xffffffff);
    assert_int_equal(step(1)->mask, 0xffffffff);
    assert_int_equal(step(2)->mask, 0x3f);
}

static void masks_hold_for_their_warps(void **state)
{
    (void)state;
    open_good(".warps 3\n" C "@P0 LDG.E R4, [R2.64] ; // @addr -4 stride 4 @mask 0xfffffffe warps "
              "0 @mask 0 warps 1 // lanes t >= 1\n" EXIT);
    next_cta();
    assert_int_equal(step(0)->mask, 0xfffffffe);
    const struct dyn_inst *d = step(1);
    assert_int_equal(d->mask, 0);
    assert_int_equal(d->addr_mode, ADDR_NONE);
    assert_int_equal(step(2)->mask, 0xffffffff);
}

static void free_comments_are_no_annotations(void **state)
{
    (void)state;
    open_good(LDG "guarded by @P0 // @addr 0x40 stride 0 // see above\n" C "EXIT ; // end @x\n");
    next_cta();
    assert_int_equal(step(0)->addr.base, 0x40);
}

#define FUNCTION_F                                                                                 \
    "\tcode for sm_80\n\t\tFunction : f\n\t.headerflags\t@\"X\"\n"                                 \
    "        /*0000*/    LDG.E R4, [R4.64] ;   /* 0x0000000404047981 */ // @addr 0x80 stride 4\n"  \
    "                                          /* 0x000ea8000c1e1900 */\n"                         \
    "        /*0010*/    EXIT ;                /* 0x000000000000794d */\n"                         \
    "                                          /* 0x000fea0003800000 */\n"                         \
    "        /*0020*/    BRA 0x20;             /* 0xfffffff000007947 */\n"                         \
    "                                          /* 0x000fc0000383ffff */\n"                         \
    "        /*0030*/    NOP;                  /* 0x0000000000007918 */\n"                         \
    "                                          /* 0x000fc00000000000 */\n"                         \
    "\t\t..........\n"
#define FUNCTION_G                                                                                 \
    "\n\t\tFunction : g\n        /*0000*/    EXIT ;  /* 0x000000000000794d */\n"                   \
    "                                /* 0x000fea0003800000 */\n\t\t..........\n"

static void cuobjdump_listing_ends_before_its_padding(void **state)
{
    (void)state;
    open_good(FUNCTION_F);
    assert_string_equal(kernel->name, "f");
    assert_int_equal(kernel->sm_version, 80);
    assert_true(kernel->has_ctrl);
    assert_int_equal(kernel->insts[0]->ctrl.write_bar, 2);
    assert_int_equal(diag.count, 0);
    next_cta();
    expect_stream(0, "0 1");
}

static void annotation_may_follow_the_high_word(void **state)
{
    (void)state;
    open_good("/*0000*/ LDG.E R4, [R4.64] ; /* 0x0000000404047981 */\n"
              " /* 0x000ea8000c1e1900 */ // @addr 0x80 stride 4\n"
              "/*0010*/ EXIT ; /* 0x000000000000794d */\n /* 0x000fea0003800000 */\n");
    next_cta();
    assert_int_equal(step(0)->addr.base, 0x80);
}

static void kernel_picks_a_function_of_a_dump(void **state)
{
    (void)state;
    open_good(".kernel g\n" FUNCTION_F FUNCTION_G);
    assert_int_equal(kernel->inst_count, 1);
    assert_string_equal(kernel->name, "g");
}

static void unguarded_branch_without_taken_is_warned_of(void **state)
{
    (void)state;
    open_good("L:\n" NOP C "BRA L ;\n" EXIT);
    assert_int_equal(diag.count, 1);
    next_cta();
    expect_stream(0, "0 1 2");
}

static bool probe(const char *text)
{
    return listing_probe(text, strlen(text));
}

static void unknown_opcodes_and_too_few_registers_are_warned_of(void **state)
{
    (void)state;
    open_good(".kernel k\n.registers 8\nFROB.X R1, R2 ;\nMOV R40, R1 ;\nEXIT ;\n");
    assert_int_equal(diag.count, 2);
    assert_non_null(strstr(diag.items[0].text, "the code uses 41 registers, .registers says 8"));
    assert_non_null(strstr(diag.items[1].text, ":3: opcode FROB.X is not known"));
}

static void probe_tells_listings_from_traces(void **state)
{
    (void)state;
    assert_true(probe("\n// x\n.kernel a\n"));
    assert_true(probe("# x\n[B------:R-:W-:-:S01] NOP ;"));
    assert_true(probe("\n\tcode for sm_86\n"));
    assert_true(probe("\nFatbin elf code:\n"));
    assert_true(probe("\t.headerflags\t@\"X\"\n"));
    assert_true(probe("\t\tFunction : f\n"));
    assert_true(probe("  /*0000*/  EXIT ;\n"));
    assert_true(probe("\t.section\t.text.f\n"));
    assert_true(probe("// only a long comment"));
    assert_false(probe(""));
    assert_false(probe("-kernel name = _Z6vecadd\n-kernel id = 1\n"));
    assert_false(probe("MemcpyHtoD,0x7f,16\nkernel-1.traceg\n"));
    assert_false(probe("kernel-1.traceg.xz\n"));
    assert_false(probe("- {name: a}\n"));
    assert_false(probe(".unheard of\n"));
}

#define T(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(directives_fill_the_kernel),
        T(defaults_are_one_warp_on_sm_86),
        T(registers_are_counted_from_the_code),
        T(control_code_is_kept),
        T(offsets_are_honoured),
        T(code_without_control_bits_is_marked),
        T(clock_is_a_read_of_the_cycle_counter),
        T(loops_nest_and_repeat_their_pcs),
        T(long_loops_take_no_memory),
        T(empty_loops_end_at_once),
        T(branches_follow_taken),
        T(branch_leaves_loops),
        T(branch_to_an_offset_enters_no_loop),
        T(endless_branch_is_an_error_when_it_comes_again),
        T(always_taken_branch_in_a_loop_is_no_endless_loop),
        T(guarded_exit_is_not_taken),
        T(warp_sections_are_for_their_warps),
        T(inactive_warps_exit_at_once),
        T(addresses_are_affine_in_warp_and_cta),
        T(address_lists_hold_zero_in_missing_lanes),
        T(last_warp_of_an_odd_block_is_partial),
        T(masks_hold_for_their_warps),
        T(free_comments_are_no_annotations),
        T(cuobjdump_listing_ends_before_its_padding),
        T(annotation_may_follow_the_high_word),
        T(kernel_picks_a_function_of_a_dump),
        T(unguarded_branch_without_taken_is_warned_of),
        T(unknown_opcodes_and_too_few_registers_are_warned_of),
        T(probe_tells_listings_from_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
