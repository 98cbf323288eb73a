/* The entry point of a fuzz target, as libFuzzer and replay.c call it. */
#ifndef SUBCORE_FUZZ_TARGET_H
#define SUBCORE_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Feeds one input. Always returns 0; a fault shows as a crash, a hang or a sanitizer report. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
