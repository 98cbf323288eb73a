/* A launch as a kernel of the timing model: CTAs are executed when they are opened.
 *
 * open_cta executes the next CTA on the main thread and keeps what it did as a record; refill
 * decodes the record piece by piece. Memory is bounded by the CTAs that are open. */
#ifndef SUBCORE_LAUNCH_LAUNCH_KERNEL_H
#define SUBCORE_LAUNCH_LAUNCH_KERNEL_H

#include "launch/launch.h"
#include "trace/kernel.h"

/* Decodes the code of `launch`, which must outlive the kernel. Executions are counted in
 * launch->emu.counts while it is open. */
bool launch_kernel_open(struct kernel **out, struct launch *launch, uint64_t id,
                        struct sim_err *err);

/* True when the execution of a CTA has failed, for lack of memory aside. */
bool launch_kernel_failed(const struct kernel *k);

/* Frees the kernel and all CTAs; NULL is allowed. */
void launch_kernel_close(struct kernel *k);

#endif
