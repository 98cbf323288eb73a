/* Fills buffers as a launch file says, bit by bit the same everywhere.
 *
 * Element i, with all integer arithmetic modulo 2^64 and stored modulo 2^bits:
 *   zeros       0
 *   iota        i
 *   times N     N * i
 *   ring STRIDE where STRIDE divides i: ((i / STRIDE * 1664525 + 1013904223) mod (count / STRIDE))
 * * STRIDE; 0 elsewhere hash SEED   h64 = splitmix64's finaliser of (SEED * G + i + 1) * G, G =
 * 0x9E3779B97F4A7C15; 64-bit integers take h64, shorter ones the low bits of h = h64 >> 32, f32 (h
 * >> 8) * 2^-24, f16 that value rounded, f64 (h64 >> 11) * 2^-53 file PATH   the bytes of the file,
 * which must have the buffer's size Integers become floats with rounding to nearest even; f16 by
 * way of f32. */
#ifndef SUBCORE_LAUNCH_LAUNCH_INIT_H
#define SUBCORE_LAUNCH_LAUNCH_INIT_H

#include "launch/launch_file.h"

/* Fills count * bytes of `data`, which holds zeros. `path` is the resolved path of
 * LAUNCH_INIT_file, else NULL. Fails only for files. */
bool launch_init_fill(uint8_t *data, const struct launch_arg *arg, const char *path,
                      struct sim_err *err);

/* Bits of the FP16 number nearest to `f`, ties to even. */
uint16_t launch_init_half(float f);

#endif
