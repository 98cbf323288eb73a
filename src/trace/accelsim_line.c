#include "trace/accelsim_line.h"

#include <string.h>

#include "trace/accelsim_addr.h"
#include "trace/accelsim_text.h"

/* A pc is printed as %04x, a mask as %08x. */
#define PC_DIGITS_MIN 4
#define MASK_DIGITS 8

const uint8_t text_hex_value[256] = {
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  16, 16, 16, 16, 16, 16, 16, 10, 11, 12, 13, 14, 15, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
};

bool line_is_instruction(const char *line)
{
    if (*line == '-')
        return line[1] >= '0' && line[1] <= '9';
    return text_hex_digit(*line) < 16 && strncmp(line, "cluster", 7) != 0;
}

static size_t token_length(const char *p)
{
    return (size_t)(text_skip_token(p) - text_skip_blanks(p));
}

/* True when pc, mask, register count stand behind `skip` tokens. */
static bool fits(const char *p, uint32_t skip)
{
    for (uint32_t i = 0; i < skip; i++)
        p = text_skip_token(p);
    uint64_t v;
    uint32_t n;
    if (token_length(p) < PC_DIGITS_MIN || !text_hex(&p, &v))
        return false;
    if (token_length(p) != MASK_DIGITS || !text_hex(&p, &v))
        return false;
    if (!text_u32(&p, &n) || n > LINE_REGS_MAX)
        return false;
    for (uint32_t i = 0; i < n; i++)
        p = text_skip_token(p);
    p = text_skip_blanks(p);
    return *p >= 'A' && *p <= 'Z';
}

bool line_detect_prefix(struct accelsim_format *format, const char *line, bool raw,
                        const struct accelsim_place *at, struct sim_err *err)
{
    /* 4: CTA and warp; 6: with SM and warp slot; 11, 13: with cluster (tracer 2.0);
     * 2: what post-processing leaves of 6. */
    static const uint8_t of_raw[] = {4, 11, 6, 13}, of_old[] = {4, 0, 6, 2},
                         of_new[] = {0, 2, 4, 6};
    const uint8_t *candidates = raw ? of_raw : format->version < 3 ? of_old : of_new;
    for (uint32_t i = 0; i < sizeof of_raw; i++) {
        if (!fits(line, candidates[i] + format->lineinfo))
            continue;
        format->prefix = candidates[i];
        bool traced_core = format->prefix == 2 || format->prefix == 6 || format->prefix == 13;
        if (!traced_core)
            return true;
        return place_warn(at, err, "lines carry an SM and a warp slot (TOOL_TRACE_CORE), ignored");
    }
    return place_expected_line(
        at, raw ? "'CTA.x CTA.y CTA.z warp PC mask ...'" : "an instruction 'PC mask ...'", line,
        err);
}

static bool read_prefix(uint32_t tokens, const char **p, struct line_head *out,
                        const struct accelsim_place *at, struct sim_err *err)
{
    uint32_t done = 0;
    if (tokens >= 4) {
        if (!text_u32(p, &out->cta.x) || !text_u32(p, &out->cta.y) || !text_u32(p, &out->cta.z))
            return place_expected(at, "a CTA coordinate", *p, err);
        if (!text_u32(p, &out->warp))
            return place_expected(at, "a warp number", *p, err);
        done = 4;
    }
    for (; done < tokens; done++) {
        int64_t ignored;
        if (!text_i64(p, &ignored))
            return place_expected(at, "a number", *p, err);
    }
    return true;
}

bool line_read_head(const struct accelsim_format *format, const char **p, struct line_head *out,
                    const struct accelsim_place *at, struct sim_err *err)
{
    if (format->prefix > 0)
        TRY(read_prefix(format->prefix, p, out, at, err));
    out->source_line = 0;
    if (format->lineinfo) {
        int64_t n;
        if (!text_i64(p, &n))
            return place_expected(at, "a source line number", *p, err);
        out->source_line = n > 0 && n <= UINT32_MAX ? (uint32_t)n : 0;
    }
    uint64_t pc, mask;
    const char *start = *p;
    if (!text_hex(p, &pc) || pc > UINT32_MAX || pc % 8 != 0)
        return place_expected(at, "a pc (hexadecimal multiple of 8)", start, err);
    start = *p;
    if (!text_hex(p, &mask) || mask > UINT32_MAX)
        return place_expected(at, "a mask of 8 hexadecimal digits", start, err);
    out->pc = (uint32_t)pc;
    out->mask = (uint32_t)mask;
    return true;
}

/* Names of register files in traces, longest first, with the highest index. */
static const struct {
    const char *name;
    uint8_t len, file;
    uint16_t max;
} reg_names[] = {
    {"UR", 2, REG_UNIFORM, 255}, {"UP", 2, REG_UNIFORM_PREDICATE, 7}, {"R", 1, REG_GENERAL, 255},
    {"P", 1, REG_PREDICATE, 7},  {"B", 1, REG_BARRIER, 15},
};

static bool read_reg(const char **p, struct trace_reg *out, const struct accelsim_place *at,
                     struct sim_err *err)
{
    const char *s = text_skip_blanks(*p);
    for (size_t i = 0; i < sizeof reg_names / sizeof *reg_names; i++) {
        if (strncmp(s, reg_names[i].name, reg_names[i].len) != 0)
            continue;
        const char *digits = s + reg_names[i].len;
        uint64_t index;
        if (*digits < '0' || *digits > '9' || !text_u64(&digits, reg_names[i].max, &index))
            break;
        out->file = reg_names[i].file;
        out->index = (uint16_t)index;
        *p = digits;
        return true;
    }
    return place_expected(at, "a register such as R12", s, err);
}

static bool read_regs(const char **p, struct trace_reg *regs, uint32_t *count,
                      const struct accelsim_place *at, struct sim_err *err)
{
    const char *start = *p;
    if (!text_u32(p, count) || *count > LINE_REGS_MAX)
        return place_expected(at, "a number of registers from 0 to 32", start, err);
    for (uint32_t i = 0; i < *count; i++)
        TRY(read_reg(p, &regs[i], at, err));
    return true;
}

static bool contains(const char *s, size_t n, const char *what)
{
    size_t len = strlen(what);
    for (size_t i = 0; i + len <= n; i++)
        if (memcmp(s + i, what, len) == 0)
            return true;
    return false;
}

/* Opcodes whose memory part is that of a bulk or tensor copy in version 6. */
static bool is_tma(const char *opcode, size_t n)
{
    static const char *const names[] = {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG",
                                        "UBLKCP",  "UBLKPF",  "UBLKRED"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (contains(opcode, n, names[i]))
            return true;
    return false;
}

bool line_read_static(const struct accelsim_format *format, const char **p, struct line_static *out,
                      const struct accelsim_place *at, struct sim_err *err)
{
    TRY(read_regs(p, out->dst, &out->n_dst, at, err));
    const char *op = text_skip_blanks(*p);
    out->opcode = op;
    out->opcode_len = token_length(op);
    if (*op < 'A' || *op > 'Z' || out->opcode_len > LINE_OPCODE_MAX)
        return place_expected(at, "an opcode", op, err);
    *p = op + out->opcode_len;
    TRY(read_regs(p, out->src, &out->n_src, at, err));
    uint32_t commits;
    bool gmma = format->version >= 6 && contains(op, out->opcode_len, "GMMA");
    if (gmma && !text_u32(p, &commits))
        return place_expected(at, "the group flag of a GMMA instruction", *p, err);
    out->shape.tma = format->version >= 6 && is_tma(op, out->opcode_len);
    if (!text_u32(p, &out->shape.width))
        return place_expected(at, "a memory width", *p, err);
    return true;
}

/* "1 HEX" or "32 HEX x 32" for each register. SYNCS lines carry more than their registers. */
static bool read_values(const char **p, const struct accelsim_place *at, struct sim_err *err)
{
    while (*text_skip_blanks(*p)) {
        uint32_t count;
        const char *start = *p;
        if (!text_u32(p, &count) || (count != 1 && count != WARP_LANES))
            return place_expected(at, "a number of register values, 1 or 32", start, err);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t value;
            if (!text_hex(p, &value))
                return place_expected(at, "a hexadecimal register value", *p, err);
        }
    }
    return true;
}

static bool take_word(const char **p, const char *word)
{
    const char *s = text_skip_blanks(*p);
    size_t n = strlen(word);
    if (strncmp(s, word, n) != 0 || !text_token_end(s[n]))
        return false;
    *p = s + n;
    return true;
}

static bool read_immediates(const struct accelsim_format *format, const char **p, int64_t *imm,
                            const struct accelsim_place *at, struct sim_err *err)
{
    *imm = 0;
    if (format->version >= 1 && format->version <= 3)
        return true;
    /* Version 4 got the immediate without a new number; a file without version may be anything. */
    bool optional = format->version < 5;
    if (optional && *text_skip_blanks(*p) == '\0')
        return true;
    if (!text_i64(p, imm))
        return place_expected(at, "an immediate", *p, err);
    if (format->version < 6)
        return true;
    int64_t second;
    if (!text_i64(p, &second))
        return place_expected(at, "a second immediate", *p, err);
    if (take_word(p, "NoVal"))
        return true;
    if (!take_word(p, "Val"))
        return place_expected(at, "Val or NoVal", *p, err);
    return read_values(p, at, err);
}

bool line_read_tail(const struct accelsim_format *format, const struct line_shape *shape,
                    uint32_t mask, const char **p, struct line_tail *out,
                    const struct accelsim_place *at, struct sim_err *err)
{
    out->mode = LINE_ADDR_NONE;
    if (shape->tma)
        TRY(addr_read_tma(p, at, err));
    else if (shape->width > 0)
        TRY(addr_read(format->version, mask, p, out, at, err));
    TRY(read_immediates(format, p, &out->imm, at, err));
    *p = text_skip_blanks(*p);
    if (**p != '\0')
        return place_expected(at, "the end of the line", *p, err);
    return true;
}
