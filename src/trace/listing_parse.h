/* The state of parsing one listing. Private to listing_parse.c and listing_directive.c. */
#ifndef SUBCORE_TRACE_LISTING_PARSE_H
#define SUBCORE_TRACE_LISTING_PARSE_H

#include "trace/listing_note.h"
#include "trace/sass_line.h"

struct listing_parser {
    struct listing *l;
    struct listing_place at; /* the line being read */
    uint32_t block;          /* the innermost open block */
    uint32_t seen;           /* bit i = directive i of the table was given */
    uint32_t next_pc;
    /* Dumps: one function is the code, the others are skipped. */
    bool skipping;        /* in a function or section that is not the code */
    const char *function; /* name of the function read as code, or NULL */
    const char *other;    /* a function that was skipped, or NULL */
    /* An instruction that waits for its high word. */
    bool pending;
    uint32_t pending_line;
    struct sass_line inst;
    struct listing_note note;
    bool has_ctrl;
    struct ctrl ctrl;
    const char *text;
};

#define LISTING_ERROR(p, err, ...)                                                                 \
    err_set(err, ERR_INPUT, (p)->at.file, (p)->at.line, 0, __VA_ARGS__)

/* Executes the directive on `line`, which begins with a dot. Directives of dumps are accepted and
 * mean nothing here. */
bool listing_directive(struct listing_parser *p, struct span line, struct sim_err *err);

/* True for the name of a directive of listings or dumps. */
bool listing_directive_known(struct span name);

/* The architecture named by the input: it must not change. */
bool listing_set_sm(struct listing_parser *p, uint32_t sm, struct sim_err *err);

/* Appends an operation and returns it through `out`. */
bool listing_add_op(struct listing_parser *p, struct listing_op op, struct sim_err *err);

/* Makes room for one more element of an array of the listing. */
bool listing_grow(void *array, uint32_t count, uint32_t *cap, size_t size, struct sim_err *err);

#endif
