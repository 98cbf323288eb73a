/* libsubcore: the simulator as a library.
 *
 *   struct subcore *s = subcore_open("rtx_a6000", NULL, 0);
 *   if (subcore_run(s, "kernelslist.g") != SUBCORE_OK)
 *       fprintf(stderr, "%s\n", subcore_error(s));
 *   uint64_t cycles;
 *   subcore_stat(s, SUBCORE_TOTAL, "cycles", &cycles);
 *   subcore_close(s);
 *
 * A handle belongs to one thread at a time; different handles are independent. Nothing is printed
 * and the process is never ended. Results do not depend on the number of threads. */
#ifndef SUBCORE_SUBCORE_H
#define SUBCORE_SUBCORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses: the exit statuses of the program. */
#define SUBCORE_OK 0
#define SUBCORE_USAGE 2      /* wrong argument, such as an unknown name of a counter */
#define SUBCORE_INPUT 3      /* bad configuration or trace */
#define SUBCORE_SIMULATION 4 /* a deadlock, or another error of the simulation */
#define SUBCORE_RESOURCE 5   /* out of memory, or a file cannot be read */

/* In place of a kernel's index: all kernels together. */
#define SUBCORE_TOTAL ((size_t)-1)

/* A card and what it has simulated so far. */
struct subcore;

/* Version of the library, "1.2.3". */
const char *subcore_version(void);

/* A card's name or the path of a YAML file, with `set_count` overrides "key.path=value". NULL only
 * when memory is out: a bad configuration gives a handle whose subcore_status() is SUBCORE_INPUT.
 */
struct subcore *subcore_open(const char *config, const char *const *sets, size_t set_count);

/* Frees everything; NULL is allowed. */
void subcore_close(struct subcore *s);

/* Status of the last call that could fail, and its message ("" when there was none). */
int subcore_status(const struct subcore *s);
const char *subcore_error(const struct subcore *s);

/* Threads of the simulation, from 1 on; SMs to simulate, 0 = all. Only before the first run. */
int subcore_set_threads(struct subcore *s, uint32_t threads);
int subcore_set_sms(struct subcore *s, uint32_t sms);

/* Simulates all kernels of an input, after those of earlier calls. Returns a status; kernels that
 * ended before an error count. */
int subcore_run(struct subcore *s, const char *input);

/* Kernels simulated, and the name of one (NULL beyond the last). */
size_t subcore_kernel_count(const struct subcore *s);
const char *subcore_kernel_name(const struct subcore *s, size_t kernel);

/* A number of the results by its place in the JSON: "cycles", "warp_instructions",
 * "l1d.fill_sectors", "icache.l0.misses", "issue.stalls.wait" (docs/stats.md, docs/stalls.md).
 * Returns SUBCORE_USAGE and leaves *value alone when there is no such kernel or name. */
int subcore_stat(const struct subcore *s, size_t kernel, const char *name, uint64_t *value);

#ifdef __cplusplus
}
#endif

#endif
