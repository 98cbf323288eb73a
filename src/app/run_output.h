/* Everything a run writes: the table on a stream, the JSON result, issue log, timeline, executions
 * by pc.
 *
 * Files appear under their names only when the run succeeds. */
#ifndef SUBCORE_APP_RUN_OUTPUT_H
#define SUBCORE_APP_RUN_OUTPUT_H

#include <stdio.h>

#include "app/cli.h"
#include "base/outfile.h"
#include "report/issue_log.h"
#include "report/run_report.h"
#include "report/timeline.h"

/* A report and the text of it that was not written yet. */
struct run_sink {
    bool on;
    struct run_info info;
    struct run_report report;
    struct buf text;
};

struct run_output {
    struct run_sink table; /* on `stream` */
    FILE *stream;
    struct run_sink result; /* -o */
    struct outfile result_file;
    struct issue_log *log; /* NULL = none */
    struct outfile log_file;
    struct timeline *timeline; /* NULL = none */
    struct timeline_filter filter;
    struct outfile timeline_file;
    struct outfile pc_file;
    bool pc_counts;
};

/* Opens what the command line asks for and begins the reports. */
bool run_output_open(struct run_output *o, const struct cli *cli, const struct run_info *info,
                     struct sim_err *err);

/* Reports a kernel. */
bool run_output_kernel(struct run_output *o, const struct kernel_report *k, struct sim_err *err);

/* With `droppable` (--keep-going) a kernel's part of issue log and timeline is held back until it
 * is reported. Call before it is simulated. */
bool run_output_begin(struct run_output *o, bool droppable, struct sim_err *err);

/* Takes out the rows of a kernel that was begun and is passed over. */
bool run_output_drop(struct run_output *o, struct sim_err *err);

/* Reports a kernel that was passed over. */
void run_output_failed(struct run_output *o, const struct sim_err *why);

/* Ends the reports. With `keep` the files get their names, else nothing of them is left; what goes
 * to a stream is completed in any case. */
bool run_output_close(struct run_output *o, const struct run_end *end, bool keep,
                      struct sim_err *err);

/* Drops everything; harmless after run_output_close(). */
void run_output_free(struct run_output *o);

#endif
