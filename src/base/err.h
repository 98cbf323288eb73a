/* Errors as values.
 *
 * A function that can fail returns bool (true = success) and takes a `struct sim_err *` last.
 * The first failure fills it; callers pass it on untouched. Only the app layer prints it.
 * Thread rule: one sim_err belongs to one thread at a time. NULL is never allowed. */
#ifndef SUBCORE_BASE_ERR_H
#define SUBCORE_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Error classes: X(name, exit status, meaning). Exit statuses are the contract of the command line.
 */
#define ERR_CODES(X)                                                                               \
    X(NONE, 0, "no error")                                                                         \
    X(LIMIT, 1, "a stated limit was exceeded")                                                     \
    X(USAGE, 2, "wrong command line")                                                              \
    X(CONFIG, 3, "bad configuration")                                                              \
    X(INPUT, 3, "bad trace, listing or launch file")                                               \
    X(SIM, 4, "simulation error, such as a deadlock")                                              \
    X(RESOURCE, 5, "out of memory or disk, or a file cannot be written")                           \
    X(INTERRUPT, 130, "stopped by the user")

enum sim_err_code {
#define X(name, status, doc) ERR_##name,
    ERR_CODES(X)
#undef X
        ERR_CODE_COUNT
};

#define SIM_ERR_MESSAGE_SIZE 2048
#define SIM_ERR_FILE_SIZE 512

struct sim_err {
    enum sim_err_code code;
    char file[SIM_ERR_FILE_SIZE]; /* the input it is about; "" when about none */
    uint32_t line;                /* 1-based; 0 = unknown */
    uint32_t col;                 /* 1-based; 0 = unknown */
    char msg[SIM_ERR_MESSAGE_SIZE];
    /* Heap-owned lines printed after the message, or NULL. Lines that begin with a blank belong to
     * it (deadlock dump); the others are errors of their own, as err_format writes them. */
    char *detail;
};

/* Resets to "no error"; frees `detail`. */
void err_clear(struct sim_err *err);

/* Fills `err` unless it already holds an error. Always returns false, so `return err_set(...)`
 * reads well. `file` may be NULL. Text longer than the buffers is cut. */
bool err_set(struct sim_err *err, enum sim_err_code code, const char *file, uint32_t line,
             uint32_t col, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* As err_set with a va_list. */
bool err_setv(struct sim_err *err, enum sim_err_code code, const char *file, uint32_t line,
              uint32_t col, const char *fmt, va_list ap);

/* Out of memory while doing `what`. Returns false. */
bool err_memory(struct sim_err *err, const char *what);

/* Writes "file:line:col: message" (parts that are unknown are left out) into `out`. */
void err_format(const struct sim_err *err, char *out, size_t size);

/* Exit status of a code. */
int err_exit_status(enum sim_err_code code);

/* Passes a failure on. */
#define TRY(expr)                                                                                  \
    do {                                                                                           \
        if (!(expr))                                                                               \
            return false;                                                                          \
    } while (0)

/* A list of errors, for inputs whose faults are all reported in one run (configuration files).
 * At most ERR_LIST_MAX are kept; `dropped` counts the rest. */
#define ERR_LIST_MAX 20
struct err_list {
    struct sim_err items[ERR_LIST_MAX];
    uint32_t count;
    uint32_t dropped;
};

/* Adds one error to the list. Always returns false. */
bool err_list_add(struct err_list *list, enum sim_err_code code, const char *file, uint32_t line,
                  uint32_t col, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

#endif
