/* Suite files of `validate`: what is simulated, and what it is compared with.
 *
 * docs/studies.md describes the format. All faults of a file are reported at once, with line and
 * column; files of measurements are read with it. Paths are relative to the file's folder. Nothing
 * is simulated here. */
#ifndef SUBCORE_STUDY_SUITE_H
#define SUBCORE_STUDY_SUITE_H

#include "launch/source.h"
#include "study/measured.h"
#include "study/tree.h"

/* A thing to simulate: one launch, or all kernels of a trace or listing. */
struct suite_input {
    const char *name;
    const char *path; /* for source_open() */
    struct source_files files;
    const char *card;  /* NULL = the suite's */
    const char **sets; /* "key.path=value", behind the suite's */
    uint32_t set_count;
    uint32_t measured; /* index of its own measurements, or MEASURED_NONE */
    bool check_hazards;
};

/* What of a simulation is compared. */
enum suite_kind {
    SUITE_STATISTIC, /* a statistic by name (study/statistic.h) */
    SUITE_ISSUE,     /* cycles from the issue of one instruction to that of another */
    SUITE_CONTROL,   /* the same of Control, where clocks are read */
    SUITE_AREA       /* storage of dependence management, in percent of the register file */
};

/* Limits: LIMIT(name, true = an upper one). */
#define SUITE_LIMITS(X)                                                                            \
    X(mape, true)                                                                                  \
    X(bias, true)                                                                                  \
    X(p50, true)                                                                                   \
    X(p90, true)                                                                                   \
    X(max, true)                                                                                   \
    X(pearson, false)                                                                              \
    X(spearman, false)                                                                             \
    X(within_5, false)                                                                             \
    X(within_10, false)                                                                            \
    X(within_25, false)

enum suite_limit_name {
#define LIMIT(name, upper) SUITE_LIMIT_##name,
    SUITE_LIMITS(LIMIT)
#undef LIMIT
        SUITE_LIMIT_COUNT
};

struct suite_limit {
    bool given;
    double value;
    uint32_t line, col;
};

/* A comparison: one statistic of the inputs with one column. */
struct suite_part {
    const char *name; /* NULL when the suite has no parts */
    enum suite_kind kind;
    uint32_t statistic; /* SUITE_STATISTIC */
    const char *statistic_name;
    const uint32_t *measured; /* measurements of the same launches, one or several times */
    uint32_t measured_count;
    const char *column, *column_min, *column_max; /* NULL = none; column: by the statistic */
    bool warm;
    bool one_of_many; /* of a list of statistics, or `all` */
    struct suite_limit limits[SUITE_LIMIT_COUNT];
    uint32_t line, col; /* where it stands in the suite */
};

struct suite {
    struct tree tree; /* owns all text */
    const char *title;
    const char *card; /* NULL = not given */
    const char **sets;
    uint32_t set_count;
    struct suite_input *inputs;
    uint32_t input_count, input_cap;
    struct measured *measured;
    uint32_t measured_count, measured_cap;
    struct suite_part *parts;
    uint32_t part_count, part_cap;
};

/* Reads a suite and its measurements. False with at least one item in `errors`; `out` can be freed
 * in any case. */
bool suite_read(struct suite *out, const char *path, struct err_list *errors);

void suite_free(struct suite *s);

/* Name of a limit, and whether it is an upper one. */
const char *suite_limit_name(enum suite_limit_name limit, bool *upper);

/* Parts of the reader. Each is false when there was an error. */
bool suite_read_inputs(struct suite *s, const struct tree_node *list);
bool suite_read_parts(struct suite *s);
bool suite_read_sets(struct suite *s, const struct tree_node *mapping, const char ***sets,
                     uint32_t *count);

/* Index of the measurements in the file that a scalar names, which is read when it is new. */
bool suite_read_measured(struct suite *s, const struct tree_node *node, uint32_t *index);

/* Makes room for one more item of an array in the arena. */
bool suite_grow(struct suite *s, void *array, uint32_t count, uint32_t *cap, size_t size);

#endif
