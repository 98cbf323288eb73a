/* Truth tables, selections, moves and byte permutation, bit by bit. */
#include "property.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define LOW 0xffffffffu

/* Bit by bit with a = 0xf0, b = 0xcc, c = 0xaa. */
static uint64_t look_up(const struct inputs *in, uint32_t table)
{
    uint64_t result = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t index = (in->s[0] >> i & 1) * 4 + (in->s[1] >> i & 1) * 2 + (in->s[2] >> i & 1);
        result |= (uint64_t)(table >> index & 1) << i;
    }
    return result;
}

#define TABLE(name, table)                                                                         \
    static void name(const struct inputs *in, struct outputs *out)                                 \
    {                                                                                              \
        out->d = look_up(in, table);                                                               \
        out->p[0] = out->d != 0 || in->p[0];                                                       \
    }
TABLE(table_c0, 0xc0)
TABLE(table_fc, 0xfc)
TABLE(table_3c, 0x3c)
TABLE(table_33, 0x33)
TABLE(table_48, 0x48)
TABLE(table_f8, 0xf8)
TABLE(table_1e, 0x1e)
TABLE(table_96, 0x96)
TABLE(table_0c, 0x0c)
TABLE(table_b1, 0xb1)

static void table_68_and(const struct inputs *in, struct outputs *out)
{
    out->d = look_up(in, 0x68);
    out->p[0] = out->d != 0 && in->p[0];
}

static void inverted_and(const struct inputs *in, struct outputs *out)
{
    out->d = (LOW - in->s[0]) & in->s[1];
}

static void truth_tables(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"LOP3.LUT D, A, B, C, 0xc0, !PT", table_c0},
        {"LOP3.LUT D, A, B, RZ, 0xc0, !PT", table_c0},
        {"LOP3.LUT D, A, B, RZ, 0xfc, !PT", table_fc},
        {"LOP3.LUT D, A, B, RZ, 0x3c, !PT", table_3c},
        {"LOP3.LUT D, RZ, B, RZ, 0x33, !PT", table_33},
        {"LOP3.LUT D, A, B, RZ, 0xc, !PT", table_0c},
        {"LOP3.LUT D, A, B, RZ, 0xb1, !PT", table_b1},
        {"LOP3.LUT D, A, B, C, 0x48, !PT", table_48},
        {"LOP3.LUT D, A, B, C, 0xf8, !PT", table_f8},
        {"LOP3.LUT D, A, B, C, 0x1e, !PT", table_1e},
        {"LOP3.LUT D, A, B, C, 0x96, !PT", table_96},
        {"LOP3.LUT P, D, A, B, C, 0xc0, p", table_c0},
        {"LOP3.LUT P, D, A, B, C, 0x1e, p", table_1e},
        {"LOP3.LUT.PAND P, D, A, B, C, 0x68, p", table_68_and},
        {"LOP3.LUT D, ~A, B, RZ, 0xc0, !PT", inverted_and},
        {"LOP.XOR D, A, B", table_3c},
        {"LOP32I.AND D, A, B", table_c0},
        {"ULOP3.LUT D, A, B, C, 0x96, !UPT", table_96},
        {"ULOP3.LUT D, A, B, URZ, 0xc0, !UPT", table_c0},
        {"ULOP3.LUT P, D, A, B, C, 0xf8, p", table_f8},
        {"ULOP3.LUT.PAND P, D, A, B, C, 0x68, p", table_68_and},
    };
    check_properties(list, COUNT(list), 100, 11);
}

static void choose(const struct inputs *in, struct outputs *out)
{
    out->d = in->s[in->p[0] ? 0 : 1];
}

static void copy(const struct inputs *in, struct outputs *out)
{
    out->d = in->s[0];
}

static void moves_and_selections(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"MOV D, A", copy},         {"MOV D, A, 0xf", copy},       {"MOV32I D, A", copy},
        {"MOV.64 W, X", copy},      {"UMOV D, A", copy},           {"UMOV.64 W, X", copy},
        {"SEL D, A, B, p", choose}, {"SEL.64 W, X, Y, p", choose}, {"USEL D, A, B, p", choose},
    };
    check_properties(list, COUNT(list), 120, 12);
}

/* Byte n of {c,a}, or its sign eight times. */
static uint64_t byte_at(const struct inputs *in, uint64_t n)
{
    uint64_t byte = in->s[n & 4 ? 2 : 0] >> n % 4 * 8 & 0xff;
    return n & 8 ? (byte >= 128 ? 255 : 0) : byte;
}

static void permute(const struct inputs *in, struct outputs *out)
{
    for (uint32_t i = 4; i-- > 0;)
        out->d = out->d << 8 | byte_at(in, in->s[1] >> 4 * i & 15);
}

/* Modes by the rule for byte i at selector n. */
static void permute_by(const struct inputs *in, struct outputs *out,
                       uint64_t (*rule)(uint64_t n, uint64_t i))
{
    for (uint64_t i = 4; i-- > 0;)
        out->d = out->d << 8 | byte_at(in, rule(in->s[1] % 4, i));
}

static uint64_t rule_forward(uint64_t n, uint64_t i)
{
    return n + i;
}
static uint64_t rule_backward(uint64_t n, uint64_t i)
{
    return (n + 8 - i) % 8;
}
static uint64_t rule_same(uint64_t n, uint64_t i)
{
    (void)i;
    return n;
}
static uint64_t rule_edge_left(uint64_t n, uint64_t i)
{
    return i > n ? i : n;
}
static uint64_t rule_edge_right(uint64_t n, uint64_t i)
{
    return i < n ? i : n;
}
static uint64_t rule_half(uint64_t n, uint64_t i)
{
    return n % 2 * 2 + i % 2;
}

#define MODE(name, rule)                                                                           \
    static void name(const struct inputs *in, struct outputs *out)                                 \
    {                                                                                              \
        permute_by(in, out, rule);                                                                 \
    }
MODE(permute_f4e, rule_forward)
MODE(permute_b4e, rule_backward)
MODE(permute_rc8, rule_same)
MODE(permute_ecl, rule_edge_left)
MODE(permute_ecr, rule_edge_right)
MODE(permute_rc16, rule_half)

static void permute_5410(const struct inputs *in, struct outputs *out)
{
    out->d = in->s[0] % 65536 + in->s[2] % 65536 * 65536;
}

static void byte_permutations(void **state)
{
    (void)state;
    static const struct property list[] = {
        {"PRMT D, A, B, C", permute},         {"PRMT D, A, 0x5410, C", permute_5410},
        {"PRMT.F4E D, A, B, C", permute_f4e}, {"PRMT.B4E D, A, B, C", permute_b4e},
        {"PRMT.RC8 D, A, B, C", permute_rc8}, {"PRMT.ECL D, A, B, C", permute_ecl},
        {"PRMT.ECR D, A, B, C", permute_ecr}, {"PRMT.RC16 D, A, B, C", permute_rc16},
        {"UPRMT D, A, B, C", permute},
    };
    check_properties(list, COUNT(list), 150, 13);
}

static void unknown_forms_are_refused(void **state)
{
    (void)state;
    assert_refused("LOP3.LUT R0, R1, R2, R3, 0x100, !PT");
    assert_refused("LOP3.LUT R0, R1, R2, R3, R4, !PT");
    assert_refused("LOP.NAND R0, R1, R2");
    assert_refused("LOP R0, R1, R2");
    assert_refused("MOV R0, R1, 0x3");
    assert_refused("MOV P0, R1");
    assert_refused("SEL R0, R1, R2");
    assert_refused("SEL R0, R1, R2, R3");
    assert_refused("PRMT.ABC R0, R1, R2, R3");
    assert_refused("UMOV UR0, R1");
    assert_refused("USEL UR0, UR1, UR2, P0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_tables),
        cmocka_unit_test(moves_and_selections),
        cmocka_unit_test(byte_permutations),
        cmocka_unit_test(unknown_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
