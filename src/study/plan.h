/* The points of a sweep: every configuration with every input, in the order of the file.
 *
 * A point is known by its key, a text of all that its result depends on: the program, the resolved
 * configuration, the input's files by size and time, and options. */
#ifndef SUBCORE_STUDY_PLAN_H
#define SUBCORE_STUDY_PLAN_H

#include "study/sweep_file.h"

#define PLAN_MAX_POINTS 1000000u

/* One configuration: a card and a value of every axis. */
struct plan_variant {
    struct sweep_card card;
    uint32_t value[SWEEP_MAX_AXES];
    const char *input; /* the only input, or NULL */
    uint64_t config_hash;
    const char *error; /* why there is no such configuration, or NULL */
    bool has_area;     /* of dependence management, cfg/area.h */
    uint64_t area_bits, area_percent_hundredths;
};

struct plan_point {
    uint32_t variant, input;
    const char *key;
    uint64_t id; /* hash of the key */
};

struct plan {
    const struct sweep *sweep;
    struct arena arena;
    const char *const *sets; /* of the command line: over those of the file, under those of axes */
    size_t set_count;
    struct plan_variant *variants;
    uint32_t variant_count;
    struct plan_point *points;
    uint32_t point_count;
};

/* Makes the points. `sweep` has at least one card or an axis that names them; it and `sets` must
 * outlive the plan. A configuration that cannot be loaded is no error here but one of its variant.
 */
bool plan_make(struct plan *p, const struct sweep *sweep, const char *const *sets, size_t set_count,
               const char *version, struct sim_err *err);

void plan_free(struct plan *p);

/* The configuration of a variant. False with its faults in `errors`. */
bool plan_load_config(const struct plan *p, const struct plan_variant *v, struct loaded_config *out,
                      struct err_list *errors);

/* The variant that another one is compared with: the base value of every axis, but the same card
 * and input where axes name them. */
uint32_t plan_base(const struct plan *p, uint32_t variant);

/* Point of a variant and an input (an index of the sweep's); point_count when there is none. */
uint32_t plan_find_point(const struct plan *p, uint32_t variant, uint32_t input);

/* "rtx_a6000, 16, vecadd": card, values and input of a point. */
void plan_describe(const struct plan *p, uint32_t point, struct buf *out);

#endif
