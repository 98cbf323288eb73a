#include "support/random_listing.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

uint64_t random_next(struct random_state *r)
{
    uint64_t z = (r->state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

uint32_t random_below(struct random_state *r, uint32_t n)
{
    return (uint32_t)(random_next(r) % n);
}

static bool one_in(struct random_state *r, uint32_t n)
{
    return random_below(r, n) == 0;
}

static uint32_t reg(struct random_state *r)
{
    return 2 + random_below(r, 38);
}

static uint32_t even(struct random_state *r)
{
    return 2 * (1 + random_below(r, 18));
}

static const char *reuse(struct random_state *r)
{
    return one_in(r, 3) ? ".reuse" : "";
}

/* Control code. `queued`: may have barriers of its own. */
static void control(struct random_state *r, struct buf *out, bool queued)
{
    uint32_t wait = one_in(r, 6) ? random_below(r, 64) : 0;
    buf_puts(out, "[B");
    for (uint32_t i = 0; i < 6; i++)
        buf_printf(out, "%c", wait >> i & 1 ? (char)('0' + i) : '-');
    if (queued && one_in(r, 2))
        buf_printf(out, ":R%u", random_below(r, 6));
    else
        buf_puts(out, ":R-");
    if (queued && one_in(r, 2))
        buf_printf(out, ":W%u", random_below(r, 6));
    else
        buf_puts(out, ":W-");
    uint32_t stall = one_in(r, 3) ? 1 + random_below(r, 15) : 1 + random_below(r, 4);
    bool yield = one_in(r, 8);
    if (one_in(r, 40))
        stall = 0;
    buf_printf(out, ":%c:S%02u] ", yield ? 'Y' : '-', stall);
}

static void fixed(struct random_state *r, struct buf *out)
{
    control(r, out, false);
    switch (random_below(r, 12)) {
    case 0:
    case 1:
    case 2:
        buf_printf(out, "FFMA R%u, R%u%s, R%u%s, R%u ;\n", reg(r), reg(r), reuse(r), reg(r),
                   reuse(r), reg(r));
        break;
    case 3:
        buf_printf(out, "IADD3 R%u, R%u%s, R%u, R%u%s ;\n", reg(r), reg(r), reuse(r), reg(r),
                   reg(r), reuse(r));
        break;
    case 4:
        buf_printf(out, "IMAD R%u, R%u, R%u, R%u ;\n", reg(r), reg(r), reg(r), reg(r));
        break;
    case 5:
        buf_printf(out, "IMAD.WIDE R%u, R%u, R%u, R%u ;\n", even(r), reg(r), reg(r), even(r));
        break;
    case 6:
        buf_printf(out, "HADD2 R%u, R%u, R%u ;\n", reg(r), reg(r), reg(r));
        break;
    case 7:
        buf_printf(out, "FADD R%u, R%u, c[0x0][0x%x] ;\n", reg(r), reg(r),
                   4 * random_below(r, 256));
        break;
    case 8:
        buf_printf(out, "ISETP.GE.AND P%u, PT, R%u, R%u, PT ;\n", random_below(r, 6), reg(r),
                   reg(r));
        break;
    case 9:
        buf_printf(out, "UIADD3 UR%u, UR%u, UR%u, URZ ;\n", 4 + random_below(r, 8),
                   4 + random_below(r, 8), 4 + random_below(r, 8));
        break;
    case 10:
        buf_printf(out, "HMMA.16816.F32 R%u, R%u, R%u, R%u ;\n", 8 * random_below(r, 4),
                   8 * random_below(r, 4), 8 * random_below(r, 4), 8 * random_below(r, 4));
        break;
    default:
        buf_puts(out, "NOP ;\n");
    }
}

static void address(struct random_state *r, struct buf *out, bool shared, uint32_t align)
{
    static const int32_t strides[] = {4, 4, 0, 8, 16, 32, 128, -4};
    int32_t stride = strides[random_below(r, 8)];
    uint64_t base = shared ? 4096 : 0x7f0000000000ull + 1024ull * random_below(r, 64);
    if (stride % (int32_t)align != 0)
        stride = (int32_t)align;
    buf_printf(out, " // @addr 0x%" PRIx64 " stride %d", base, stride);
    if (one_in(r, 2))
        buf_printf(out, " warp %u", 128 * random_below(r, 8));
    if (!shared && one_in(r, 2))
        buf_printf(out, " cta %u", 512 * random_below(r, 8));
}

static void memory(struct random_state *r, struct buf *out)
{
    static const char *const width[] = {"", ".64", ".128"};
    uint32_t w = random_below(r, 3), value = 8 * random_below(r, 4);
    bool guarded = one_in(r, 4), shared = false;
    control(r, out, true);
    if (guarded)
        buf_puts(out, "@P0 ");
    switch (random_below(r, 10)) {
    case 0:
    case 1:
    case 2:
        buf_printf(out, "LDG.E%s R%u, [R%u.64] ;", width[w], value, even(r));
        break;
    case 3:
        buf_printf(out, "STG.E%s [R%u.64], R%u ;", width[w], even(r), value);
        break;
    case 4:
        buf_printf(out, "LDS%s R%u, [R%u] ;", width[w], value, reg(r));
        shared = true;
        break;
    case 5:
        buf_printf(out, "STS%s [R%u], R%u ;", width[w], reg(r), value);
        shared = true;
        break;
    case 6:
        w = 0;
        buf_printf(out, "ATOMS.ADD R%u, [R%u], R%u ;", reg(r), reg(r), reg(r));
        shared = true;
        break;
    case 7:
        w = 0;
        buf_printf(out, "RED.E.ADD.STRONG.GPU [R%u.64], R%u ;", even(r), reg(r));
        break;
    case 8:
        w = 0;
        buf_printf(out, "LDL R%u, [R%u] ;", reg(r), reg(r));
        shared = true;
        break;
    default:
        w = 0;
        buf_printf(out, "LDGSTS.E [R%u], [R%u.64] ;", reg(r), even(r));
    }
    address(r, out, shared, 4u << w);
    if (guarded)
        buf_printf(out, " @mask 0x%08x",
                   one_in(r, 4) ? 0u : (uint32_t)(random_next(r) & 0xffffffffu));
    buf_puts(out, "\n");
}

static void queued(struct random_state *r, struct buf *out)
{
    control(r, out, true);
    switch (random_below(r, 7)) {
    case 0:
        buf_printf(out, "MUFU.RCP R%u, R%u ;\n", reg(r), reg(r));
        break;
    case 1:
        buf_printf(out, "S2R R%u, SR_TID.X ;\n", reg(r));
        break;
    case 2:
        buf_printf(out, "SHFL.BFLY PT, R%u, R%u, 0x1, 0x1f ;\n", reg(r), reg(r));
        break;
    case 3:
        buf_printf(out, "LDC R%u, c[0x3][0x%x] ;\n", reg(r), 4 * random_below(r, 512));
        break;
    case 4:
        buf_printf(out, "DADD R%u, R%u, R%u ;\n", even(r), even(r), even(r));
        break;
    case 5:
        buf_puts(out, "LDGDEPBAR ;\n");
        break;
    default:
        buf_printf(out, "R2UR UR%u, R%u ;\n", 4 + random_below(r, 8), reg(r));
    }
}

static void synchronise(struct random_state *r, struct buf *out)
{
    static const char *const kinds[] = {
        "BAR.SYNC 0x0",       "BAR.SYNC 0x1", "MEMBAR.SC.GPU", "MEMBAR.ALL.CTA",
        "DEPBAR.LE SB0, 0x1", "BAR.SYNC 0x0", "BAR.SYNC 0x0",  "DEPBAR.LE SB2, 0x0, {3,1}"};
    control(r, out, false);
    buf_printf(out, "%s ;\n", kinds[random_below(r, 8)]);
}

static void body(struct random_state *r, struct buf *out, uint32_t count, uint32_t depth,
                 bool barriers, uint32_t *label)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = random_below(r, 20);
        if (kind < 9) {
            fixed(r, out);
        } else if (kind < 14) {
            memory(r, out);
        } else if (kind < 16) {
            queued(r, out);
        } else if (kind == 16) {
            if (barriers)
                synchronise(r, out);
        } else if (kind == 17 && depth > 0) {
            buf_printf(out, ".loop %u\n", 2 + random_below(r, 3));
            body(r, out, count / 4 + 1, depth - 1, barriers, label);
            buf_puts(out, ".endloop\n");
        } else if (kind == 18 && depth > 0) {
            buf_printf(out, ".warp %u\n", random_below(r, 2));
            body(r, out, count / 4 + 1, depth - 1, false, label);
            buf_puts(out, ".endwarp\n");
        } else if (kind == 19) {
            uint32_t l = (*label)++;
            control(r, out, false);
            buf_printf(out, "@P0 BRA L%u ; //%s\n", l, one_in(r, 4) ? "" : " @taken");
            fixed(r, out);
            fixed(r, out);
            buf_printf(out, "L%u:\n", l);
        }
    }
}

void random_listing(struct random_state *r, const char *name, struct buf *out)
{
    uint32_t label = 0;
    uint32_t warps = 2 + random_below(r, 10);
    buf_printf(out, ".kernel %s\n.grid %u,1,1\n.warps %u\n.registers %u\n.shared %u\n", name,
               1 + random_below(r, 12), warps, 40 + 8 * random_below(r, 17),
               8192 + 1024 * random_below(r, 40));
    if (one_in(r, 2))
        buf_puts(out, ".warm code\n");
    if (one_in(r, 3))
        buf_puts(out, ".warm const\n");
    if (one_in(r, 3))
        buf_puts(out, ".warm data 0x7f0000000000 16384\n");
    body(r, out, 10 + random_below(r, 40), 2, true, &label);
    if (one_in(r, 3)) {
        buf_puts(out, ".warp 1\n");
        control(r, out, false);
        buf_puts(out, "EXIT ;\n.endwarp\n");
        body(r, out, 10, 1, true, &label);
    }
    control(r, out, false);
    buf_puts(out, "EXIT ;\n");
}
