/* What the points of a sweep say together: speed-ups against the base, errors against measurements,
 * and the CSV file, table and plots of them.
 *
 * Text of points is by integer arithmetic; means are doubles, printed with few digits. */
#ifndef SUBCORE_STUDY_SWEEP_RESULT_H
#define SUBCORE_STUDY_SWEEP_RESULT_H

#include "study/point.h"

struct sweep_result {
    const struct plan *plan;
    const struct point_result *points; /* [point_count]; one that is not done counts as failed */
    const double *measured;            /* [inputs of the sweep], NAN = not measured; NULL = none */
};

/* Statistic of a point and of the point it is compared with: the speed-up is base / own. False when
 * there is none. */
bool sweep_speedup(const struct sweep_result *r, uint32_t point, uint64_t *base, uint64_t *own);

/* Reads the measurements that a sweep names: *values, a heap array for sweep_result.measured. The
 * median of rows of the same name counts. */
bool sweep_read_measured(const struct sweep *s, double **values, struct sim_err *err);

/* Measured value of a point; false when there is none. */
bool sweep_measurement(const struct sweep_result *r, uint32_t point, double *value);

/* (simulated - measured) / measured of a point; false when either is missing. */
bool sweep_error(const struct sweep_result *r, uint32_t point, double *error);

/* Over the inputs of a variant: geometric mean of the speed-ups, mean absolute error as a fraction.
 * False when no input has one. */
bool sweep_mean_speedup(const struct sweep_result *r, uint32_t variant, double *mean);
bool sweep_mape(const struct sweep_result *r, uint32_t variant, double *mape);

/* Variants that stand in one table: those of one card of the sweep's list. */
uint32_t sweep_group_count(const struct sweep_result *r);

/* First variant of group g; a group has variant_count / group_count. */
uint32_t sweep_group_first(const struct sweep_result *r, uint32_t g);

/* True when the area of dependence management differs within a group. */
bool sweep_area_differs(const struct sweep_result *r);

/* One row a point; every statistic that point_keeps(). */
void sweep_csv(const struct sweep_result *r, struct buf *out);

/* One table a card: configurations side by side, means first, then every input. */
void sweep_text(const struct sweep_result *r, struct buf *out);

enum sweep_plot { SWEEP_PLOT_SPEEDUP, SWEEP_PLOT_ERROR, SWEEP_PLOT_COUNT };

/* A gnuplot script that draws a plot of group g into the file `svg`; nothing when there is nothing
 * to draw. */
void sweep_plot_script(const struct sweep_result *r, enum sweep_plot plot, uint32_t g,
                       const char *svg, struct buf *out);

/* Name of a plot's file without suffix: "speedup", or "speedup-rtx_a6000" with several groups. */
void sweep_plot_name(const struct sweep_result *r, enum sweep_plot plot, uint32_t g,
                     struct buf *out);

#endif
