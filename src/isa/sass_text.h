/* Splits the text of one instruction into guard, opcode and arguments. Knows no opcode. */
#ifndef SUBCORE_ISA_SASS_TEXT_H
#define SUBCORE_ISA_SASS_TEXT_H

#include "base/err.h"
#include "isa/inst.h"

#define SASS_MAX_ARGS 16
#define SASS_MAX_ARG_REGS 4
#define SASS_MAX_CONST_BANK 31

struct sass_reg {
    uint8_t file; /* enum reg_file */
    uint16_t index;
    bool zero;       /* RZ, URZ, PT or UPT */
    bool wide;       /* ".64" */
    bool narrow;     /* ".U32" */
    bool reuse;      /* ".reuse" */
    bool descriptor; /* in the first brackets of desc[..][..], cx[..][..], gdesc[..] */
};

enum sass_arg_kind {
    SASS_REGISTER,      /* regs[0] */
    SASS_IMMEDIATE,     /* value, when is_integer */
    SASS_CONST,         /* c[bank][value + regs], cx[regs][value] */
    SASS_ADDRESS,       /* [regs + value], desc[regs][regs] */
    SASS_COUNTER,       /* SB<value> */
    SASS_COUNTER_SET,   /* {3,1}: value is a mask */
    SASS_PREDICATE_SET, /* PR or UPR */
    SASS_NAME           /* special registers, labels and what else is no register */
};

struct sass_arg {
    uint8_t kind; /* enum sass_arg_kind */
    uint8_t reg_count;
    bool negated; /* "!" */
    bool is_integer;
    uint8_t bank;
    uint64_t value;
    const char *text; /* without sign; not terminated */
    size_t len;
    struct sass_reg regs[SASS_MAX_ARG_REGS];
};

struct sass_text {
    const char *body; /* all without the closing ';' and blanks; not terminated */
    size_t body_len;
    const char *opcode; /* not terminated */
    size_t opcode_len;
    uint8_t guard_file, guard; /* 7 = always */
    bool guard_negate;
    uint32_t arg_count;
    struct sass_arg args[SASS_MAX_ARGS];
};

/* Where text comes from. */
struct sass_place {
    const char *file;
    uint32_t line;
    uint32_t sm;
};

/* Splits `text`. Pointers in *out point into `text`. */
bool sass_text_parse(struct sass_text *out, const char *text, const struct sass_place *at,
                     struct sim_err *err);

/* Index of the register of `file` that reads as zero or true; 0xffff when the file has none. */
uint16_t sass_zero_index(enum reg_file file, uint32_t sm);

/* Parses one argument without commas around it, such as "-|R2.reuse|" or "desc[UR4][R2.64+0x10]".
 * *rest is what follows it (RET R4 0x0 has two arguments and no comma). */
bool sass_arg_parse(struct sass_arg *out, const char *s, size_t len, const char **rest,
                    const struct sass_place *at, struct sim_err *err);

#endif
