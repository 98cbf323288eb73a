/* Fuzzes the files that describe studies: whatever the bytes, a sweep or suite is read, or refused
 * with at least one error. */
#define _GNU_SOURCE /* memfd_create */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    /* Patterns stay in the folder of the file. */
    if (size > 0 && memchr(data, '/', size))
        return 0;
    int fd = memfd_create("fuzz", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
        read_sweep(path);
        read_suite(path);
    }
    close(fd);
    return 0;
}
