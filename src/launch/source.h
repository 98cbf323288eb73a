/* Any input: traces and listings (trace/), or launches that are executed. */
#ifndef SUBCORE_LAUNCH_SOURCE_H
#define SUBCORE_LAUNCH_SOURCE_H

#include "launch/launch_input.h"
#include "trace/kernel.h"

struct source;

/* Files beside the input and checks, for launches; `sass` is joined to traces too. */
struct source_files {
    const char *sass, *cubin, *res_usage; /* NULL = not given */
    bool check_races;
};

/* Opens `path`, told by its content. `files` says what SASS is joined; the sass_path of `opt` is
 * not looked at. */
bool source_open(struct source **out, const char *path, const struct input_options *opt,
                 const struct source_files *files, struct sim_err *err);

/* True when the input is one of launches. */
bool source_is_launches(const struct source *s);

/* As input_next(). */
bool source_next(struct source *s, struct input_item *item, struct sim_err *err);

/* As input_next_beside(); launches run one after the other. */
bool source_next_beside(struct source *s, const uint64_t *streams, uint32_t count,
                        struct kernel **out, uint64_t *position, struct sim_err *err);

/* As input_again(); a launch goes on with its buffers as it left them. */
bool source_again(struct source *s, struct kernel **out, struct sim_err *err);

/* As input_kernel_count(). */
uint64_t source_kernel_count(const struct source *s);

/* The launch of the kernel given last; NULL when the input is none of launches. */
struct launch *source_launch(const struct source *s);

/* True when `err` is a fault of the kernel given last, which --keep-going passes over: its trace is
 * bad, or its execution failed. */
bool source_is_at_fault(const struct source *s, const struct sim_err *err);

/* NULL is allowed. */
void source_close(struct source *s);

#endif
