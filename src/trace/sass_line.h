/* One line of what `cuobjdump -sass` and `nvdisasm -hex` print, told apart.
 *
 * An instruction takes two lines: offset, text and the low word of the encoding, then the high word
 * alone. Also understands an offset with text only (nvdisasm without -hex), which has no encoding.
 */
#ifndef SUBCORE_TRACE_SASS_LINE_H
#define SUBCORE_TRACE_SASS_LINE_H

#include "trace/span.h"

enum sass_line_kind {
    SASS_LINE_BLANK,
    SASS_LINE_INST,      /* an offset and text */
    SASS_LINE_HIGH,      /* the high word alone */
    SASS_LINE_FUNCTION,  /* "Function : NAME" */
    SASS_LINE_SM,        /* "code for sm_90a", ".target sm_90", "arch = sm_86" */
    SASS_LINE_SECTION,   /* ".section NAME,..." */
    SASS_LINE_LABEL,     /* "NAME:" */
    SASS_LINE_SOURCE,    /* "//## File "x.cu", line 12" */
    SASS_LINE_COMMENT,   /* "// ..." */
    SASS_LINE_END,       /* the row of dots after a function of cuobjdump */
    SASS_LINE_DIRECTIVE, /* any other line that begins with a dot */
    SASS_LINE_TEXT,      /* anything else */
    SASS_LINE_BAD        /* begins as an instruction or word, but is none; `name` says why */
};

struct sass_line {
    enum sass_line_kind kind;
    uint32_t pc;         /* INST */
    struct span text;    /* INST: without the closing semicolon */
    bool has_word;       /* INST: the low word is there */
    uint64_t word;       /* INST: low word; HIGH: high word */
    uint32_t number;     /* SM: 90; SOURCE: line */
    struct span name;    /* FUNCTION, SECTION, LABEL, SOURCE (file), DIRECTIVE (first word), BAD
                            (reason) */
    struct span comment; /* INST, HIGH: what follows a trailing "//", trimmed */
};

/* Tells what `text` (one line without its end) is. */
struct sass_line sass_line_read(struct span text);

/* Reads what follows the offset of an instruction (text, semicolon, word, comment) into `l`. */
void sass_line_rest(struct span rest, struct sass_line *l);

#endif
