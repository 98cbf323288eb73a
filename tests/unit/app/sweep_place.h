/* A folder in which sweeps are run with the program itself. */
#ifndef SUBCORE_TESTS_APP_SWEEP_PLACE_H
#define SUBCORE_TESTS_APP_SWEEP_PLACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"

static char folder[64];

/* The program and the source tree: set them before the first use. */
static const char *program, *source_dir;

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/subcore-sweep-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

/* Runs a piece of shell in the folder, where $SUBCORE is the program; what it prints is in .out and
 * .err there. Returns the exit status. */
static inline int shell(const char *script)
{
    char command[4096];
    int n =
        snprintf(command, sizeof command,
                 "cd %s && export SUBCORE=%s SUBCORE_CONFIGS=%s/configs && { %s\n} >.out 2>.err",
                 folder, program, source_dir, script);
    assert_true(n > 0 && (size_t)n < sizeof command);
    int rc = system(command);
    assert_true(WIFEXITED(rc));
    return WEXITSTATUS(rc);
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* The text of a file in the folder, on the heap. */
static inline char *text_of(const char *name)
{
    struct buf text = {0};
    char path[256], part[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("no file %s", name);
    buf_puts(&text, "");
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_add(&text, part, n);
    fclose(f);
    return buf_take(&text);
}

static inline void write_text(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* A script that must end with this exit status. */
static inline void expect_status(const char *script, int status)
{
    int found = shell(script);
    if (found != status) {
        char *said = text_of(".err");
        fail_msg("`%s`: expected exit status %d, found %d: %s", script, status, found, said);
    }
}

/* What the last script printed on the standard error. */
static inline void expect_said(const char *expected)
{
    char *said = text_of(".err");
    assert_string_equal(said, expected);
    free(said);
}

static inline void expect_same(const char *a, const char *b)
{
    char *one = text_of(a), *other = text_of(b);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

#endif
