/* Two results of `run`, side by side.
 *
 * Kernels are paired by launch or name, the first of a name with the first of that name in the
 * other file, and so on. What is compared are all numbers of the JSON by their place in it. */
#ifndef SUBCORE_STUDY_COMPARISON_H
#define SUBCORE_STUDY_COMPARISON_H

#include "base/buf.h"
#include "page/json.h"

/* A number of both files; NAN where a file has none. */
struct comparison_value {
    const char *path; /* "l2.read_misses" */
    double v[2];
};

/* An instruction that both files have statistics of. */
struct comparison_pc {
    const char *pc, *sass;
    const struct json_value *row[2]; /* NULL = never reached */
    double cycles[2];                /* warp cycles */
};

struct comparison_kernel {
    const char *label;
    const struct json_value *json[2];
    double cycles[2];
    struct comparison_value *values; /* all that differ, by importance */
    size_t value_count;
    bool by_pc;                /* both have statistics by instruction */
    struct comparison_pc *pcs; /* whose warp cycles differ, by how much */
    size_t pc_count;
};

struct comparison {
    struct arena arena;
    const char *file[2];
    const struct json_value *json[2];
    struct comparison_kernel *kernels; /* of both, by the change of their cycles */
    size_t kernel_count;
    struct comparison_kernel total;
    const char **only[2]; /* kernels of one file */
    size_t only_count[2];
};

/* Reads and compares both files, plain or compressed; `out` can be freed in any case. */
bool comparison_make(struct comparison *out, const char *a, const char *b, struct sim_err *err);

void comparison_free(struct comparison *c);

/* Weight of a change in the order of values: its share of the larger number, more for large
 * numbers, as few more of few events matter little. */
double comparison_weight(const struct comparison_value *v);

/* Writers. Without `all` the text shows the kernels, values and instructions that changed most. */
void comparison_text(struct buf *out, const struct comparison *c, bool all);
void comparison_json(struct buf *out, const struct comparison *c);
void comparison_csv(struct buf *out, const struct comparison *c);

/* Calls `add` for each key of the configurations that differs, with both values as text ("" where a
 * file has none). */
void comparison_config(const struct comparison *c,
                       void (*add)(void *user, const char *key, const char *a, const char *b),
                       void *user);

#endif
