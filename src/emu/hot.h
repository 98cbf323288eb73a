/* EMU_HOT marks functions with lane loops: compiled for several x86-64 levels, chosen when the
 * program is loaded. Empty where the compiler or the C library cannot (clang 14 gives such a
 * function a name that other files do not find), and under sanitizers, whose runtime is not ready
 * when that choice is made. */
#ifndef SUBCORE_EMU_HOT_H
#define SUBCORE_EMU_HOT_H

#include <stdint.h> /* defines __GLIBC__ */

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define EMU_HOT_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EMU_HOT_SANITIZED
#endif

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__OPTIMIZE__) &&    \
    !defined(__clang__) && !defined(EMU_HOT_SANITIZED)
#define EMU_HOT __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define EMU_HOT
#endif

#endif
