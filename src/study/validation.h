/* A suite simulated and compared with its measurements. */
#ifndef SUBCORE_STUDY_VALIDATION_H
#define SUBCORE_STUDY_VALIDATION_H

#include <signal.h>

#include "base/diag.h"
#include "report/number.h"
#include "study/agreement.h"
#include "study/suite.h"

struct validation_options {
    const char *card; /* instead of all that the suite names; NULL = as the suite says */
    const char *default_card;
    const char *const *sets; /* behind those of the suite */
    size_t set_count;
    const char *part;         /* the only part to compare; NULL = all */
    const char *const *names; /* the only inputs; none = all */
    size_t name_count;
    uint32_t threads; /* simulations at a time; never changes a result */
    const volatile sig_atomic_t *stop;
    struct diag *diag; /* warnings, also of the simulations, in order of the inputs */
    /* Called when a simulation has ended, one at a time; may be NULL. */
    void (*done)(void *user, uint32_t done, uint32_t all, const char *name);
    void *user;
};

struct validation_row {
    uint32_t part; /* index in the suite */
    const char *name;
    struct pair pair;
};

struct validation_part {
    bool selected;
    uint32_t first, count; /* its rows */
    const char *column;    /* that it was compared with */
    struct agreement agreement;
};

/* An input that could not be simulated. */
struct validation_failure {
    const char *name;
    enum sim_err_code code;
    const char *message;
};

struct validation {
    const struct suite *suite;
    struct arena arena;
    bool chosen;                 /* one part was asked for */
    const char *card;            /* as the options or the suite name it */
    struct validation_row *rows; /* by part, then in the suite's order */
    uint32_t row_count, row_cap;
    struct validation_part *parts; /* [suite->part_count] */
    struct validation_failure *failures;
    uint32_t failure_count;
};

/* Simulates what the options select and compares it. `suite` must outlive `out`, which can be freed
 * in any case. Inputs that fail are in `failures`; errors are faults of the suite, of measurements
 * or of options, and an interruption. */
bool validation_run(struct validation *out, const struct suite *suite,
                    const struct validation_options *opt, struct err_list *errors);

void validation_free(struct validation *v);

/* Checks the limits of the selected parts. False with an error (ERR_LIMIT) for each that does not
 * hold. A limit on a number that is not defined does not hold. */
bool validation_check(const struct validation *v, struct err_list *errors);

/* The number of an agreement that a limit is about. */
double validation_limited(const struct agreement *a, enum suite_limit_name limit);

bool validation_limit_holds(const struct agreement *a, const struct suite_part *p,
                            enum suite_limit_name limit);

/* Its value as text: "12.30 %", of a correlation "0.9912", "infinite", "not defined". */
void validation_limit_value(char out[NUMBER_SIZE], enum suite_limit_name limit, double v);

/* Writers. Text lists the rows of a part from the largest error down and ends with a line a part.
 * Rows without error, and those of lists of statistics when no part was chosen, are shown only with
 * `all`. JSON and CSV have every row, in order; what stands
 * outermost in the JSON is the first part. */
void validation_text(struct buf *out, const struct validation *v, bool all);
void validation_json(struct buf *out, const struct validation *v, const char *version);
void validation_csv(struct buf *out, const struct validation *v);

#endif
