/* Issue log: CSV, one line an issued instruction:
 * kernel,cycle,sm,subcore,warp_slot,cta,warp,pc,opcode (pc as 0x hex, the rest decimal). */
#ifndef SUBCORE_REPORT_ISSUE_LOG_H
#define SUBCORE_REPORT_ISSUE_LOG_H

#include "base/outfile.h"
#include "sim/result.h"
#include "trace/kernel.h"

#define ISSUE_LOG_BUFFER 65536

struct issue_log {
    struct outfile *file;
    size_t used;
    char buffer[ISSUE_LOG_BUFFER];
};

/* Starts a log in an open file and writes the header. */
bool issue_log_begin(struct issue_log *log, struct outfile *file, struct sim_err *err);

/* Appends records; `user` is the struct issue_log. Fits struct sim_options. */
bool issue_log_add(void *user, const struct kernel *k, const struct issue_record *r, size_t n,
                   struct sim_err *err);

/* Forgets what is buffered since the last issue_log_end(). */
void issue_log_drop(struct issue_log *log);

/* Writes what is buffered. The file stays open. */
bool issue_log_end(struct issue_log *log, struct sim_err *err);

#endif
