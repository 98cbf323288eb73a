/* Measured instruction sequences and what the model makes of them.
 *
 * A table (tests/data/probes/NAME.probes) has a row a probe, fields between " | ":
 *
 *   name | warps | bar or - | code | measured [| model | reason]
 *
 * The code is run by the listed warps of one CTA, behind a barrier if the third field says so.
 * CLOCK is a clock read that counts. `measured` has, for every warp, its clock reads relative to
 * the first one of its sub-core; warps are separated by " / ", sub-cores ordered by their values.
 * "span N" instead: the largest of them only. A row the model does not reproduce carries the
 * model's values and why, so the test stays exact and the gap is visible.
 *
 * With "stalls LIST" as the third field the code is "producer => consumer", and `measured` the
 * smallest stall count in the list with which the consumer reads the right value, or does not
 * disturb it. For the model that is: --check-hazards reports nothing with it or a longer one.
 *
 * Code: instructions separated by ";". Behind one, in this order, each if wanted:
 *   @gHEX/STRIDE or @sHEX/STRIDE   thread t accesses global or shared HEX + t * STRIDE; with /0
 *                                  behind it, the threads of every warp do as those of warp 0
 *   {s4,y,w0,r1,b3,off,lane0}      stall (1), yield, write and read counter, wait mask (hex); guard
 *                                  false, or true in lane 0 only
 *   *N                             N times; (A+B%M) in the text is A + B * (i mod M) in the ith
 * "( a; b ) *N" repeats a group; "<0,4: a; b>" is code of these warps only; "BRA +K" jumps over K
 * instructions, "BRA" is not taken. Stalls above 11 come with yield, as encoded in the probes. */
#ifndef SUBCORE_TESTS_PROBE_H
#define SUBCORE_TESTS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define PROBE_WARPS 32
#define PROBE_INSTS 1024
#define PROBE_GLOBAL 0x7f0000000000ull /* address of global 0 */

struct probe_listing {
    struct buf text;
    uint32_t warps;           /* mask */
    bool marked[PROBE_INSTS]; /* instruction i is a CLOCK, or has a "!" before it */
    uint32_t count;           /* instructions */
};

/* Makes the listing of a probe; false with a message in `text` on a mistake in the code. */
bool probe_make_listing(struct probe_listing *l, const char *warps, bool bar, const char *code);

#endif
