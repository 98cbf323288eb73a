/* A folder in which tests run the program from outside. */
#ifndef SUBCORE_TESTS_APP_PLACE_H
#define SUBCORE_TESTS_APP_PLACE_H

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

/* The program: set it before the first use. */
static const char *program;

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/subcore-app-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Runs a line of shell in the folder, where $S is the program. */
static inline int shell(const char *line)
{
    char command[2048];
    snprintf(command, sizeof command, "cd %s && export SUBCORE_CONFIGS=%s/configs S=%s && %s",
             folder, SUBCORE_SOURCE_DIR, program, line);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void expect(const char *line, int status)
{
    int got = shell(line);
    if (got != status)
        fail_msg("`%s`: expected exit status %d, found %d", line, status, got);
}

/* Text of a file in the folder; the caller frees it. */
static inline char *read_file(const char *name)
{
    char path[160], part[4096];
    struct buf text = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s is missing", path);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_add(&text, part, n);
    fclose(f);
    if (text.len == 0)
        buf_puts(&text, "");
    return buf_take(&text);
}

#endif
