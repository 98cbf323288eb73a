/* Sweep files: which configurations are simulated with which inputs.
 *
 * docs/studies.md describes the format. All faults of a file are reported at once, with line and
 * column. Paths in a file are relative to its folder. Nothing is simulated here. */
#ifndef SUBCORE_STUDY_SWEEP_FILE_H
#define SUBCORE_STUDY_SWEEP_FILE_H

#include "study/input.h"

#define SWEEP_MAX_AXES 8

struct sweep_card {
    const char *name; /* as written */
    const char *path; /* for config_load() */
};

/* One value of an axis: settings that hold together. */
struct sweep_value {
    const char *label; /* as tables show it */
    const char **sets; /* "key.path=value" */
    uint32_t set_count;
    struct sweep_card card; /* instead of the sweep's cards; its name is NULL where there is none */
    const char *input;      /* name of the one input, or NULL */
};

struct sweep_axis {
    const char *name;
    struct sweep_value *values;
    uint32_t count;
    uint32_t base;            /* what others are compared with */
    bool has_card, has_input; /* a value names one */
};

/* Cycles measured on hardware, by name of the input. */
struct sweep_measured {
    const char *file; /* NULL = none */
    const char *column;
    const char *card; /* of the sweep's cards; NULL = all */
};

struct sweep {
    struct tree tree; /* owns all text */
    const char *name; /* the file's name without folder and suffix */
    const char *title;
    struct sweep_card *cards;
    uint32_t card_count;
    const char **sets; /* of every point */
    uint32_t set_count;
    struct study_input *inputs;
    uint32_t input_count;
    struct sweep_axis axes[SWEEP_MAX_AXES];
    uint32_t axis_count;
    struct sweep_measured measured;
    double limit_mape; /* of base configurations, at most; negative = none */
    uint32_t limit_line, limit_col;
    uint32_t statistic; /* what is compared (study/statistic.h) */
    bool warm;
    uint64_t max_cycles; /* 0 = no limit */
};

/* Reads a sweep file. False with at least one item in `errors`; `out` can be freed in any case. */
bool sweep_read(struct sweep *out, const char *path, struct err_list *errors);

void sweep_free(struct sweep *s);

/* Parts of the reader: the lists `inputs` and `axes`. False when there was an error. */
bool sweep_read_inputs(struct sweep *s, const struct tree_node *list);
bool sweep_read_axes(struct sweep *s, const struct tree_node *list);

/* The setting "key=value" of a key (its node is `key_at`) and a value, which may be a word such as
 * `off`. False when there was an error. */
bool sweep_read_setting(struct sweep *s, const struct tree_node *key_at,
                        const struct tree_node *node, const char **set);

/* The card that a text of the file means: one with a '/' is a path. False when memory is out. */
bool sweep_card(struct sweep *s, const char *text, struct sweep_card *out);

#endif
