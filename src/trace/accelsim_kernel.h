/* Private state of an open Accel-Sim kernel, shared by the readers of the grouped and raw forms. */
#ifndef SUBCORE_TRACE_ACCELSIM_KERNEL_H
#define SUBCORE_TRACE_ACCELSIM_KERNEL_H

#include "base/stream.h"
#include "trace/accelsim_cta.h"
#include "trace/trace_sort.h"
#include "trace/tracez.h"

struct accelsim_kernel {
    struct kernel k; /* first: the public part */
    char *path;
    struct arena arena; /* header texts */
    struct accelsim_header header;
    struct accelsim_format format;
    bool format_known;
    struct accelsim_place at;
    struct accelsim_table table;
    struct accelsim_builder builder;
    struct stream *in;
    struct tracez *binary; /* instead of `in`; NULL = text */
    char *line;            /* the current line, when `held` not consumed yet; NULL at the end */
    size_t len;
    bool held;
    bool raw;
    struct trace_sort *sort;
    struct sort_record record; /* of the raw form: the next line */
    uint64_t cta_seen;
    struct cta_stream *ahead; /* the first CTA, which tells the code: read but not opened */
    struct accelsim_cta *open, *free;
};

/* Makes the next line that is not blank or a comment current (k->line, NULL at the end). A held
 * line is given first. `#BEGIN_TB` and `#END_TB` are no comments. */
bool accelsim_next_line(struct accelsim_kernel *k, struct sim_err *err);

/* Finds the form of instruction lines at the first one. */
bool accelsim_learn_format(struct accelsim_kernel *k, const char *line, struct sim_err *err);

/* Opens the binary form: header, and what accelsim_binary_cta() needs, which reads one CTA of it.
 */
bool accelsim_binary_open(struct accelsim_kernel *k, struct sim_err *err);
bool accelsim_binary_cta(struct accelsim_kernel *k, struct accelsim_cta *cta, bool *end,
                         struct sim_err *err);

/* Reads one CTA of the grouped form into `cta`; *end = true when there is none left. */
bool accelsim_grouped_cta(struct accelsim_kernel *k, struct accelsim_cta *cta, bool *end,
                          struct sim_err *err);

/* Sorts the raw form (k->line is its first instruction), and reads one CTA of it. */
bool accelsim_raw_sort(struct accelsim_kernel *k, struct sim_err *err);
bool accelsim_raw_cta(struct accelsim_kernel *k, struct accelsim_cta *cta, bool *end,
                      struct sim_err *err);

#endif
