/* One argument of an instruction's text. */
#include "isa/sass_text.h"

#include <ctype.h>
#include <string.h>

#define SHOWN 60 /* characters of the argument shown in a message */

/* The text of one argument while it is read. */
struct reader {
    const char *s, *end;
    const char *start;
    const struct sass_place *at;
    struct sim_err *err;
};

static bool bad(struct reader *r, const char *what)
{
    size_t len = (size_t)(r->end - r->start);
    return err_set(r->err, ERR_INPUT, r->at->file, r->at->line, 0, "%s in operand \"%.*s\"", what,
                   (int)(len < SHOWN ? len : SHOWN), r->start);
}

static char peek(const struct reader *r)
{
    return r->s < r->end ? *r->s : '\0';
}

static bool accept(struct reader *r, char ch)
{
    if (peek(r) != ch || ch == '\0')
        return false;
    r->s++;
    return true;
}

static void blanks(struct reader *r)
{
    while (isspace((unsigned char)peek(r)))
        r->s++;
}

static bool is_word(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

uint16_t sass_zero_index(enum reg_file file, uint32_t sm)
{
    switch (file) {
    case REG_GENERAL:
        return REG_RZ;
    case REG_UNIFORM:
        return sm >= 100 ? 255 : 63;
    case REG_PREDICATE:
    case REG_UNIFORM_PREDICATE:
        return 7;
    default:
        return UINT16_MAX;
    }
}

struct reg_name {
    const char *prefix;
    char zero; /* the letter that stands for the zero register, or 0 */
    uint8_t file;
};

/* Longer prefixes first. */
static const struct reg_name reg_names[] = {
    {"UR", 'Z', REG_UNIFORM},  {"UP", 'T', REG_UNIFORM_PREDICATE}, {"R", 'Z', REG_GENERAL},
    {"P", 'T', REG_PREDICATE}, {"B", '\0', REG_BARRIER},
};

#define MAX_BARRIER_REGISTER 15u

/* Length of the register name at the cursor, or 0 when there is none. *number is UINT32_MAX for the
 * zero register, and saturates. */
static size_t reg_name_length(const struct reader *r, const struct reg_name *n, uint32_t *number)
{
    size_t left = (size_t)(r->end - r->s);
    size_t len = strlen(n->prefix);
    if (left <= len || memcmp(r->s, n->prefix, len) != 0)
        return 0;
    if (n->zero && r->s[len] == n->zero) {
        *number = UINT32_MAX;
        len++;
    } else {
        size_t digits = len;
        *number = 0;
        while (len < left && isdigit((unsigned char)r->s[len])) {
            if (*number < 100000)
                *number = *number * 10 + (uint32_t)(r->s[len] - '0');
            len++;
        }
        if (len == digits)
            return 0;
    }
    return len < left && is_word(r->s[len]) ? 0 : len;
}

static const struct reg_name *find_reg_name(const struct reader *r, size_t *len, uint32_t *number)
{
    for (size_t i = 0; i < sizeof reg_names / sizeof reg_names[0]; i++) {
        *len = reg_name_length(r, &reg_names[i], number);
        if (*len)
            return &reg_names[i];
    }
    return NULL;
}

/* ".64", ".reuse", ".H0_H0" and the like. */
static bool read_reg_modifiers(struct reader *r, struct sass_reg *reg)
{
    while (accept(r, '.')) {
        const char *from = r->s;
        while (is_word(peek(r)))
            r->s++;
        size_t len = (size_t)(r->s - from);
        if (len == 0)
            return bad(r, "nothing after a dot");
        if (len == 2 && memcmp(from, "64", 2) == 0)
            reg->wide = true;
        else if (len == 3 && memcmp(from, "U32", 3) == 0)
            reg->narrow = true;
        else if (len == 5 && memcmp(from, "reuse", 5) == 0)
            reg->reuse = true;
    }
    return true;
}

/* Reads the register at the cursor, which find_reg_name() found. */
static bool read_reg(struct reader *r, const struct reg_name *name, size_t len, uint32_t number,
                     struct sass_reg *out)
{
    *out = (struct sass_reg){.file = name->file};
    uint16_t zero = sass_zero_index(name->file, r->at->sm);
    uint32_t limit = name->file == REG_BARRIER ? MAX_BARRIER_REGISTER : zero;
    if (number == UINT32_MAX)
        number = zero;
    if (number > limit)
        return bad(r, "register number out of range");
    out->index = (uint16_t)number;
    out->zero = number == zero;
    r->s += len;
    return read_reg_modifiers(r, out);
}

static int digit_value(char ch)
{
    if (ch >= '0' && ch <= '9')
        return ch - '0';
    if (ch >= 'a' && ch <= 'f')
        return ch - 'a' + 10;
    if (ch >= 'A' && ch <= 'F')
        return ch - 'A' + 10;
    return 99;
}

/* A number at the cursor: *integer tells whether *value holds it (floats are passed over). */
static bool read_number(struct reader *r, uint64_t *value, bool *integer)
{
    int base = r->end - r->s >= 2 && r->s[0] == '0' && r->s[1] == 'x' ? 16 : 10;
    if (base == 16)
        r->s += 2;
    const char *from = r->s;
    *value = 0;
    bool overflow = false;
    while (digit_value(peek(r)) < base) {
        overflow |= __builtin_mul_overflow(*value, (uint64_t)base, value);
        overflow |= __builtin_add_overflow(*value, (uint64_t)digit_value(peek(r)), value);
        r->s++;
    }
    bool digits = r->s > from;
    *integer = digits && !is_word(peek(r)) && peek(r) != '.';
    if (*integer && overflow)
        return bad(r, "number above 64 bits");
    if (*integer)
        return true;
    *value = 0;
    while (is_word(peek(r)) || peek(r) == '.' ||
           ((peek(r) == '-' || peek(r) == '+') && (r->s[-1] == 'e' || r->s[-1] == 'E')))
        r->s++;
    return r->s > from || bad(r, "expected a number");
}

/* One term between brackets: a register, a number, or a symbol. */
static bool read_term(struct reader *r, struct sass_arg *out, bool negative, bool descriptor)
{
    size_t len;
    uint32_t number;
    const struct reg_name *name = find_reg_name(r, &len, &number);
    if (name) {
        if (out->reg_count == SASS_MAX_ARG_REGS)
            return bad(r, "too many registers");
        struct sass_reg *reg = &out->regs[out->reg_count++];
        TRY(read_reg(r, name, len, number, reg));
        reg->descriptor = descriptor;
        return true;
    }
    if (isdigit((unsigned char)peek(r))) {
        uint64_t value;
        bool integer;
        TRY(read_number(r, &value, &integer));
        if (!integer)
            return bad(r, "expected a whole number between brackets");
        out->value += negative ? 0 - value : value; /* wraps like the address */
        return true;
    }
    if (accept(r, '`')) { /* a symbol, to the end of the brackets */
        while (peek(r) && peek(r) != ']')
            r->s++;
        return true;
    }
    return bad(r, "expected a register or a number between brackets");
}

/* "[term+term+-0x10]" with the cursor at "[". */
static bool read_brackets(struct reader *r, struct sass_arg *out, bool descriptor)
{
    if (!accept(r, '['))
        return bad(r, "expected \"[\"");
    do {
        bool negative = false;
        while (peek(r) == '-' || peek(r) == '+' || peek(r) == '~')
            negative |= *r->s++ == '-';
        TRY(read_term(r, out, negative, descriptor));
        if (peek(r) == '-')
            continue;
        if (!accept(r, '+'))
            break;
    } while (true);
    return accept(r, ']') || bad(r, "expected \"]\"");
}

/* What may follow a closing bracket: ".F32", "|". */
static void read_tail(struct reader *r)
{
    while (is_word(peek(r)) || peek(r) == '.' || peek(r) == '|')
        r->s++;
}

/* "c[0x0][R2+0x160]" or "cx[UR4][0x8]"; a blank between the brackets occurs. */
static bool read_const(struct reader *r, struct sass_arg *out)
{
    out->kind = SASS_CONST;
    while (peek(r) != '[')
        r->s++;
    TRY(read_brackets(r, out, true));
    if (out->value > SASS_MAX_CONST_BANK)
        return bad(r, "constant bank above 31");
    out->bank = (uint8_t)out->value;
    out->value = 0;
    blanks(r);
    TRY(read_brackets(r, out, false));
    out->is_integer = true;
    if (out->value > UINT32_MAX && (int64_t)out->value >= 0)
        return bad(r, "constant offset above 32 bits");
    read_tail(r);
    return true;
}

/* "[R2.64+0x10]", "desc[UR4][R2.64]", "gdesc[UR8]". */
static bool read_address(struct reader *r, struct sass_arg *out)
{
    out->kind = SASS_ADDRESS;
    bool prefixed = peek(r) != '[';
    while (peek(r) != '[')
        r->s++;
    TRY(read_brackets(r, out, prefixed));
    if (prefixed && peek(r) == '[') {
        out->value = 0;
        TRY(read_brackets(r, out, false));
    }
    read_tail(r);
    return true;
}

/* "{3,1}". */
static bool read_counter_set(struct reader *r, struct sass_arg *out)
{
    out->kind = SASS_COUNTER_SET;
    accept(r, '{');
    do {
        blanks(r);
        uint64_t value;
        bool integer;
        TRY(read_number(r, &value, &integer));
        if (!integer || value >= DEP_COUNTERS)
            return bad(r, "expected counters 0 to 5");
        out->value |= (uint64_t)1 << value;
        blanks(r);
    } while (accept(r, ','));
    return accept(r, '}') || bad(r, "expected \"}\"");
}

static bool starts_with_bracket(const struct reader *r)
{
    const char *p = r->s;
    while (p < r->end && is_word(*p))
        p++;
    return p < r->end && *p == '[';
}

static bool starts_number(const struct reader *r)
{
    size_t left = (size_t)(r->end - r->s);
    if (isdigit((unsigned char)peek(r)) || peek(r) == '.')
        return true;
    return (left >= 3 && memcmp(r->s, "INF", 3) == 0) ||
           (left >= 4 && (memcmp(r->s, "QNAN", 4) == 0 || memcmp(r->s, "SNAN", 4) == 0));
}

/* Arguments that are words: SB0, PR, SR_TID.X, labels. */
static bool read_word(struct reader *r, struct sass_arg *out)
{
    size_t len = (size_t)(r->end - r->s);
    out->kind = SASS_NAME;
    if (len >= 3 && memcmp(r->s, "SB", 2) == 0 && isdigit((unsigned char)r->s[2])) {
        r->s += 2;
        out->kind = SASS_COUNTER;
        TRY(read_number(r, &out->value, &out->is_integer));
        if (!out->is_integer || out->value >= DEP_COUNTERS)
            return bad(r, "expected a counter SB0 to SB5");
        return true;
    }
    if ((len == 2 && memcmp(r->s, "PR", 2) == 0) || (len == 3 && memcmp(r->s, "UPR", 3) == 0))
        out->kind = SASS_PREDICATE_SET;
    for (const char *p = r->s; p < r->end; p++)
        if ((!isprint((unsigned char)*p) && *p != '\t') || *p == ';')
            return bad(r, "unexpected character");
    r->s = r->end;
    return true;
}

bool sass_arg_parse(struct sass_arg *out, const char *s, size_t len, const char **rest,
                    const struct sass_place *at, struct sim_err *err)
{
    struct reader r = {.s = s, .end = s + len, .start = s, .at = at, .err = err};
    *out = (struct sass_arg){0};
    while (peek(&r) == '-' || peek(&r) == '+' || peek(&r) == '~' || peek(&r) == '!' ||
           peek(&r) == '|')
        out->negated |= *r.s++ == '!';
    out->text = r.s;
    size_t name_len;
    uint32_t number;
    const struct reg_name *name = find_reg_name(&r, &name_len, &number);
    if (r.s == r.end)
        return bad(&r, "nothing after a sign");
    if (name) {
        out->kind = SASS_REGISTER;
        out->reg_count = 1;
        TRY(read_reg(&r, name, name_len, number, &out->regs[0]));
        while (accept(&r, '|'))
            TRY(read_reg_modifiers(&r, &out->regs[0]));
    } else if (starts_with_bracket(&r)) {
        bool constant = peek(&r) == 'c' && (r.s[1] == '[' || (r.s[1] == 'x' && r.s[2] == '['));
        TRY(constant ? read_const(&r, out) : read_address(&r, out));
    } else if (peek(&r) == '{') {
        TRY(read_counter_set(&r, out));
    } else if (starts_number(&r)) {
        out->kind = SASS_IMMEDIATE;
        TRY(read_number(&r, &out->value, &out->is_integer));
        read_tail(&r);
        if (peek(&r) == '@') /* 32@lo((symbol)) */
            TRY(read_word(&r, out));
    } else {
        TRY(read_word(&r, out));
    }
    out->len = (size_t)(r.s - out->text);
    if (r.s < r.end && !isspace((unsigned char)*r.s))
        return bad(&r, "unexpected character");
    *rest = r.s;
    return true;
}
