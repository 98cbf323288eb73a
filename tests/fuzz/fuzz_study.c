/* Fuzzes the files that describe studies: whatever the bytes, a sweep or suite is read, or refused
 * with at least one error. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/target.h"
#include "study/suite.h"
#include "study/sweep_file.h"

static struct err_list errors;

static void read_sweep(const char *path)
{
    struct sweep s;
    memset(&errors, 0, sizeof errors);
    if (sweep_read(&s, path, &errors) != (errors.count == 0))
        abort();
    sweep_free(&s);
}

static void read_suite(const char *path)
{
    struct suite s;
    memset(&errors, 0, sizeof errors);
    if (suite_read(&s, path, &errors) != (errors.count == 0))
        abort();
    suite_free(&s);
}

/* A folder of its own, in which nothing else lies that a file could name. */
static char folder[] = "/tmp/subcore-fuzz-study-XXXXXX";
static char path[sizeof folder + 8];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Patterns stay in the folder of the file. */
    if (size > 0 && memchr(data, '/', size))
        return 0;
    if (!path[0]) {
        if (!mkdtemp(folder))
            abort();
        snprintf(path, sizeof path, "%s/f", folder);
        atexit(remove_folder);
    }
    FILE *f = fopen(path, "wb");
    bool written = f && fwrite(data, 1, size, f) == size;
    if (f && fclose(f) == 0 && written) {
        read_sweep(path);
        read_suite(path);
    }
    return 0;
}
