/* Launch files as inputs: `FILE` gives all launches in order, `FILE:NAME` one of them.
 *
 * One launch is alive at a time; each starts with freshly initialised buffers. Main thread only. */
#ifndef SUBCORE_LAUNCH_LAUNCH_INPUT_H
#define SUBCORE_LAUNCH_LAUNCH_INPUT_H

#include "launch/launch.h"
#include "trace/kernel.h"

struct launch_input_options {
    const char *sass, *cubin, *res_usage; /* NULL = not given; these win over the launch file */
    struct emu_checks checks;
    bool keep_going; /* a bad launch is reported through `failed` and skipped */
    void (*failed)(void *user, const struct sim_err *err); /* with keep_going; may be NULL */
    void *user;
    uint64_t kernel_first, kernel_last; /* by position, 1-based; 0, 0 = all */
};

struct launch_input;

/* Tells by content whether `path` (FILE or FILE:NAME) is a launch file. A file that cannot be read
 * is none: whoever opens it next says why. */
bool launch_input_probe(const char *path);

/* Opens it. All faults of the file are in *err: the first as its message, the others as detail. */
bool launch_input_open(struct launch_input **out, const char *path,
                       const struct launch_input_options *opt, struct sim_err *err);

/* Next launch as a kernel, valid until the next call; *out = NULL at the end. */
bool launch_input_next(struct launch_input *in, struct kernel **out, struct sim_err *err);

/* The launch given last once more, on its buffers as they are now. Its old struct kernel becomes
 * invalid. */
bool launch_input_again(struct launch_input *in, struct kernel **out, struct sim_err *err);

/* The launch of the kernel given last. */
struct launch *launch_input_launch(const struct launch_input *in);

/* True when that kernel failed while it was executed, for a reason of its own. */
bool launch_input_failed(const struct launch_input *in);

/* Its position in the input, from 1 on. */
uint64_t launch_input_position(const struct launch_input *in);

/* Launches in the file, or 1 with a NAME. */
uint64_t launch_input_count(const struct launch_input *in);

/* NULL is allowed. */
void launch_input_close(struct launch_input *in);

#endif
