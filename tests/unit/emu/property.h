/* Property tests of instructions that compute lane by lane: a template with operand places is
 * filled with random operands many times, run, and compared with a reference on whole warps.
 *
 * Places, each an argument of its own, with a sign in front where the instruction has one:
 *   D W        destination of 32 and 64 bits
 *   A B C      sources of 32 bits: register, RZ, uniform register, constant, immediate
 *   X Y Z      sources of 64 bits
 *   P Q        predicates written, or PT
 *   p q r      predicates read, or PT; "!" is put in front at random
 * The reference gets values without the signs of the template, and predicates with their "!".
 * Opcodes with U in front get uniform registers and predicates. */
#ifndef SUBCORE_TESTS_UNIT_EMU_PROPERTY_H
#define SUBCORE_TESTS_UNIT_EMU_PROPERTY_H

#include "support.h"

struct inputs {
    uint64_t s[3]; /* A B C or X Y Z */
    bool p[3];     /* p q r */
};

struct outputs {
    uint64_t d;
    bool p[2]; /* P Q */
};

typedef void (*reference_fn)(const struct inputs *in, struct outputs *out);

struct property {
    const char *text;
    reference_fn reference;
};

/* Operands chosen for one run. */
struct chosen {
    bool uniform;
    uint32_t dest, dest_words; /* 0 words = none, or RZ */
    uint32_t pdest[2];         /* 7 = none */
    uint64_t s[WARP_LANES][3];
    uint32_t p[3]; /* lane masks, "!" applied */
};

static inline uint64_t value_of(const uint32_t *lo, const uint32_t *hi, uint32_t i, bool wide)
{
    return wide ? (uint64_t)hi[i] << 32 | lo[i] : lo[i];
}

/* Writes a random source to `out` and its values to c->s[][k]. */
static inline void choose_source(struct chosen *c, const struct emu_warp *w, uint32_t k, bool wide,
                                 bool no_immediate, uint64_t *state, char *out, size_t size)
{
    uint32_t reg = (uint32_t)(test_random(state) % 10) * 2, kind = test_random(state) % 8;
    if (kind == 7 && no_immediate)
        kind = 0;
    if (c->uniform && kind < 5)
        kind = 5;
    uint64_t immediate = wide ? test_random(state) >> 1 : test_word(state);
    uint32_t offset = (uint32_t)(test_random(state) % 64) * 8;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint64_t constant = test_constant(3, offset);
        if (wide)
            constant |= (uint64_t)test_constant(3, offset + 4) << 32;
        uint64_t uniform = value_of(&w->ur[reg], &w->ur[reg + 1], 0, wide);
        c->s[i][k] = kind < 4    ? value_of(w->r[reg], w->r[reg + 1], i, wide)
                     : kind == 4 ? 0
                     : kind == 5 ? uniform
                     : kind == 6 ? constant
                                 : immediate;
    }
    if (kind < 4)
        snprintf(out, size, "R%u", reg);
    else if (kind == 4)
        snprintf(out, size, "RZ");
    else if (kind == 5)
        snprintf(out, size, "UR%u", reg);
    else if (kind == 6)
        snprintf(out, size, "c[0x3][0x%x]", offset);
    else
        snprintf(out, size, "0x%llx", (unsigned long long)immediate);
}

static inline void choose_predicate(struct chosen *c, const struct emu_warp *w, uint32_t k,
                                    uint64_t *state, char *out, size_t size)
{
    uint32_t index = (uint32_t)(test_random(state) % 8);
    bool neg = test_random(state) & 1;
    uint32_t v = c->uniform ? 0 - (uint32_t)(w->up >> index & 1) : w->p[index];
    c->p[k] = neg ? ~v : v;
    const char *file = c->uniform ? "UP" : "P";
    if (index == 7)
        snprintf(out, size, "%s%sT", neg ? "!" : "", file);
    else
        snprintf(out, size, "%s%s%u", neg ? "!" : "", file, index);
}

static inline void choose_dest(struct chosen *c, uint32_t words, uint64_t *state, char *out,
                               size_t size)
{
    uint32_t reg = (uint32_t)(test_random(state) % 12) * 2;
    bool zero = reg == 22;
    c->dest = reg;
    c->dest_words = zero ? 0 : words;
    if (zero)
        snprintf(out, size, "%sZ", c->uniform ? "UR" : "R");
    else
        snprintf(out, size, "%s%u", c->uniform ? "UR" : "R", reg);
}

/* Predicates written are different ones. */
static inline void choose_pdest(struct chosen *c, uint32_t k, uint64_t *state, char *out,
                                size_t size)
{
    uint32_t index = (uint32_t)(test_random(state) % 4) * 2 + k; /* 0 2 4 6, 1 3 5 7 */
    c->pdest[k] = index;
    if (index == 7)
        snprintf(out, size, "%sPT", c->uniform ? "U" : "");
    else
        snprintf(out, size, "%sP%u", c->uniform ? "U" : "", index);
}

/* One argument of the template, sign included. */
static inline void fill_place(struct chosen *c, const struct emu_warp *w, const char *arg,
                              size_t len, uint64_t *state, char *out, size_t size)
{
    size_t sign = len == 2 && (arg[0] == '-' || arg[0] == '~');
    char place = len == sign + 1 ? arg[sign] : '\0';
    out[0] = arg[0];
    out += sign;
    size -= sign;
    if (place == 'D' || place == 'W')
        choose_dest(c, place == 'W' ? 2 : 1, state, out, size);
    else if (place == 'P' || place == 'Q')
        choose_pdest(c, (uint32_t)(place - 'P'), state, out, size);
    else if (place >= 'A' && place <= 'C')
        choose_source(c, w, (uint32_t)(place - 'A'), false, sign, state, out, size);
    else if (place >= 'X' && place <= 'Z')
        choose_source(c, w, (uint32_t)(place - 'X'), true, sign, state, out, size);
    else if (place >= 'p' && place <= 'r')
        choose_predicate(c, w, (uint32_t)(place - 'p'), state, out, size);
    else
        snprintf(out, size, "%.*s", (int)len, arg);
}

static inline void fill_template(struct chosen *c, const struct emu_warp *w, const char *text,
                                 uint64_t *state, char *out, size_t size)
{
    *c = (struct chosen){.uniform = text[0] == 'U', .pdest = {7, 7}};
    const char *s = strchr(text, ' ');
    size_t used = (size_t)(s - text);
    memcpy(out, text, used);
    while (*s) {
        s += strspn(s, " ,");
        size_t len = strcspn(s, ",");
        used += (size_t)snprintf(out + used, size - used, " ");
        fill_place(c, w, s, len, state, out + used, size - used);
        used += strlen(out + used);
        s += len;
        if (*s)
            used += (size_t)snprintf(out + used, size - used, ",");
    }
}

/* Applies to `w` what the instruction should do. */
static inline void apply_reference(struct emu_warp *w, const struct chosen *c,
                                   reference_fn reference, uint32_t mask)
{
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        struct inputs in;
        struct outputs out = {0};
        memcpy(in.s, c->s[i], sizeof in.s);
        for (uint32_t k = 0; k < 3; k++)
            in.p[k] = c->p[k] >> i & 1;
        reference(&in, &out);
        for (uint32_t k = 0; k < c->dest_words && (c->uniform || mask >> i & 1); k++)
            *(c->uniform ? &w->ur[c->dest + k] : &w->r[c->dest + k][i]) =
                (uint32_t)(out.d >> 32 * k);
        for (uint32_t k = 0; k < 2; k++) {
            if (c->pdest[k] == 7)
                continue;
            uint32_t bit = 1u << c->pdest[k];
            if (c->uniform)
                w->up = (uint8_t)(out.p[k] ? w->up | bit : w->up & ~bit);
            else if (mask >> i & 1)
                w->p[c->pdest[k]] = (w->p[c->pdest[k]] & ~(1u << i)) | (uint32_t)out.p[k] << i;
        }
    }
}

/* All that instructions may change. */
static inline void assert_same_warp(const struct emu_warp *found, const struct emu_warp *expected,
                                    const char *text)
{
    for (uint32_t r = 0; r < 256; r++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            if (found->r[r][i] != expected->r[r][i])
                fail_msg("%s: R%u lane %u is 0x%x, expected 0x%x", text, r, i, found->r[r][i],
                         expected->r[r][i]);
    for (uint32_t r = 0; r < 256; r++)
        if (found->ur[r] != expected->ur[r])
            fail_msg("%s: UR%u is 0x%x, expected 0x%x", text, r, found->ur[r], expected->ur[r]);
    for (uint32_t k = 0; k < 8; k++)
        if (found->p[k] != expected->p[k])
            fail_msg("%s: P%u is 0x%x, expected 0x%x", text, k, found->p[k], expected->p[k]);
    if (found->up != expected->up)
        fail_msg("%s: UP is 0x%x, expected 0x%x", text, found->up, expected->up);
}

/* Runs each property `times` times on sm_100, where all forms exist. */
static inline void check_properties(const struct property *list, size_t count, uint32_t times,
                                    uint64_t seed)
{
    uint64_t state = test_seed(seed);
    struct emu_warp *w = malloc(sizeof *w), *expected = malloc(sizeof *expected);
    assert_true(w && expected);
    for (size_t n = 0; n < count; n++) {
        for (uint32_t t = 0; t < times; t++) {
            struct chosen c;
            char text[160];
            if (t % 8 == 0)
                test_warp_random(w, &state);
            uint32_t mask = test_mask(&state);
            fill_template(&c, w, list[n].text, &state, text, sizeof text);
            *expected = *w;
            apply_reference(expected, &c, list[n].reference, mask);
            test_run(w, text, 100, mask);
            assert_same_warp(w, expected, text);
        }
    }
    free(expected);
    free(w);
}

/* Text must be refused when it is decoded. */
static inline void assert_refused(const char *text)
{
    struct test_op t;
    struct sim_err err = {0};
    if (test_try_decode(&t, text, 100, 0, 0, &err))
        fail_msg("%s: should not decode", text);
    assert_int_equal(err.code, ERR_INPUT);
    test_op_free(&t);
}

#endif
