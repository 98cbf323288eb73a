/* Report of a run: one writer a format, fed kernel by kernel.
 *
 *   begin once; kernel() for each kernel in order; failed() for each that could not be simulated;
 *   end once with the total. Text is appended to `out`, which the caller may empty in between.
 * Everything but wall time is the same for every run of the same input. */
#ifndef SUBCORE_REPORT_RUN_REPORT_H
#define SUBCORE_REPORT_RUN_REPORT_H

#include "base/buf.h"
#include "base/diag.h"
#include "cfg/load.h"
#include "report/json_writer.h"
#include "report/pc_table.h"
#include "report/summary.h"

/* What does not change during a run. */
struct run_info {
    const char *version;
    const struct loaded_config *config;
    const char *const *inputs;
    size_t input_count;
    uint32_t threads;
    bool with_host;    /* print wall time */
    bool with_hazards; /* hazards were checked */
    bool by_pc;        /* statistics were kept by instruction */
    bool by_line;      /* likewise, and printed by source line */
};

/* One kernel that was simulated, or as far as it was. */
struct kernel_report {
    const struct kernel *kernel;
    const struct kernel_result *result;
    const struct summary *summary;
    bool complete;              /* false: stopped early, the numbers are of what was simulated */
    bool warm;                  /* the second of two runs on the same buffers and caches (--warm) */
    const struct pc_table *pcs; /* with run_info.by_pc, else NULL */
};

/* The end of a run. */
struct run_end {
    const struct summary *total;
    const struct diag *diag;
    uint64_t kernels;
    uint64_t memcpy_count, memcpy_bytes;
    bool interrupted; /* by the user */
    bool stopped;     /* by an error: what follows the last kernel was not simulated */
};

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_ACCELSIM, REPORT_FORMAT_COUNT };

/* What Accel-Sim counts from the start of a run, up to the kernel printed last. */
struct accelsim_totals {
    uint64_t cycles, warp_instructions, thread_instructions, ctas, warp_capacity;
    struct sim_stats stats;
    double host_seconds;
};

struct run_report {
    const struct run_info *info;
    struct buf *out;
    enum report_format format;
    struct json json;
    struct accelsim_totals so_far; /* REPORT_ACCELSIM */
    struct buf failures;           /* kernels that failed, one message a line */
};

/* Starts a report; `info` and `out` must outlive it. */
void run_report_begin(struct run_report *r, enum report_format format, const struct run_info *info,
                      struct buf *out);

void run_report_kernel(struct run_report *r, const struct kernel_report *k);

/* A kernel that was passed over (--keep-going). */
void run_report_failed(struct run_report *r, const struct sim_err *why);

/* Completes the report and frees what it holds. */
void run_report_end(struct run_report *r, const struct run_end *end);

/* Writers of the formats. */
void result_json_begin(struct json *j, const struct run_info *info);
void result_json_kernel(struct json *j, const struct run_info *info, const struct kernel_report *k);
void result_json_end(struct json *j, const struct run_info *info, const struct run_end *end,
                     const char *failures);
void result_text_kernel(struct buf *out, const struct run_info *info,
                        const struct kernel_report *k);
void result_text_end(struct buf *out, const struct run_info *info, const struct run_end *end,
                     const char *failures);
void result_csv_begin(struct buf *out, const struct run_info *info);
void result_csv_kernel(struct buf *out, const struct kernel_report *k);

#endif
