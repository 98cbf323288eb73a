/* What an open CTA of a text trace costs, and that nothing is lost by packing it. */
#include "trace_support.h"

#include "trace/accelsim_cta.h"

#define TRIPS 1000u
#define BODY 10u
#define INSTS (TRIPS * BODY)
#define WARPS 2u

/* A loop of ten instructions: one access that moves evenly, one to odd places. */
static void put_warp(struct buf *b, uint32_t warp)
{
    buf_printf(b, "warp = %u\ninsts = %u\n", warp, INSTS);
    for (uint32_t t = 0; t < TRIPS; t++) {
        buf_printf(b, "0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 0\n", 0x100000 + t * 128);
        buf_printf(b, "0010 00000007 1 R3 LDG.E 1 R6 4 0 0x%x 0x%x 0x%x 0\n", 0x1000 + t * 4,
                   0x1000 + t * 8, 0x1010 + t * 4);
        for (uint32_t i = 2; i < BODY - 1; i++)
            buf_printf(b, "%04x ffffffff 1 R5 FADD 2 R5 R2 0 0\n", i * 16);
        buf_printf(b,
                   t + 1 < TRIPS ? "0090 ffffffff 0 BRA 0 0 0\n" : "0090 ffffffff 0 EXIT 0 0 0\n");
    }
}

static struct kernel *open_loop(struct diag *diag)
{
    char path[64];
    struct buf text = {0};
    struct sim_err err = {0};
    struct kernel *k;
    buf_puts(&text, HEADER("5") "#BEGIN_TB\nthread block = 0,0,0\n");
    for (uint32_t w = 0; w < WARPS; w++)
        put_warp(&text, w);
    buf_puts(&text, "#END_TB\n");
    temp_write(path, text.data, text.len);
    buf_free(&text);
    if (!accelsim_open(&k, path, NULL, diag, &err))
        fail_msg("%u: %s", err.line, err.msg);
    unlink(path);
    return k;
}

static size_t bytes_of(const struct accelsim_cta *cta)
{
    size_t n = cta->bytes.cap;
    for (uint32_t w = 0; w < cta->stream.warp_count; w++) {
        const struct pack_stream *s = &cta->streams[w];
        n += sizeof *s + s->cursor.state.cap * sizeof *s->cursor.state.entries;
        for (uint32_t i = 0; i < PACK_CHUNKS_ALIVE; i++)
            n += s->alive[i].cap * sizeof *s->alive[i].lists;
    }
    return n;
}

static void an_open_cta_takes_a_fifth_of_its_instructions(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k = open_loop(&diag);
    struct cta_stream *cta;
    assert_true(k->ops->open_cta(k, &cta, &err));
    assert_non_null(cta);
    assert_true(k->ops->refill(&cta->warps[0], &err));
    assert_true(k->ops->refill(&cta->warps[1], &err));
    size_t plain = WARPS * INSTS * sizeof(struct dyn_inst);
    assert_true(bytes_of(cta->state) * 5 < plain);
    accelsim_close(k);
}

static void packed_instructions_come_back_with_their_addresses(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct sim_err err = {0};
    struct kernel *k = open_loop(&diag);
    struct cta_stream *cta;
    const uint64_t *before = NULL; /* the list of the trip before: alive for 64 instructions */
    uint32_t n = 0;
    assert_true(k->ops->open_cta(k, &cta, &err));
    struct warp_stream *w = &cta->warps[1];
    for (; !w->finished; assert_true(w->next < w->end || k->ops->refill(w, &err))) {
        for (; w->next < w->end; w->next++, n++) {
            const struct dyn_inst *d = w->next;
            uint32_t trip = n / BODY;
            assert_int_equal(k->insts[d->inst]->pc, n % BODY * 16);
            if (n % BODY == 0) {
                assert_int_equal(d->addr_mode, ADDR_STRIDE);
                assert_int_equal(d->addr.base, 0x100000 + trip * 128);
            }
            if (n % BODY != 1)
                continue;
            if (d->addr_mode != ADDR_LIST) { /* the third trip: 0x1008, 0x1010, 0x1018 */
                assert_int_equal(trip, 2);
                before = NULL;
                continue;
            }
            assert_int_equal(d->addr.list[1], 0x1000 + trip * 8);
            assert_int_equal(d->addr.list[2], 0x1010 + trip * 4);
            if (before)
                assert_int_equal(before[1], 0x1000 + (trip - 1) * 8);
            before = d->addr.list;
        }
    }
    assert_int_equal(n, INSTS);
    accelsim_close(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_cta_takes_a_fifth_of_its_instructions),
        cmocka_unit_test(packed_instructions_come_back_with_their_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
