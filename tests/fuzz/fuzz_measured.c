/* Fuzzes the readers of results: whatever the bytes, measurements and JSON are read or refused, and
 * every cell of what was read can be looked at. */
#define _GNU_SOURCE /* memfd_create */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/target.h"
#include "page/json.h"
#include "study/measured.h"

static void look_at(const struct measured *m)
{
    for (uint32_t r = 0; r < m->row_count; r++) {
        if (!m->rows[r].name)
            abort();
        measured_same_kernel(m->rows[r].name, "_Z6vecaddPKfi");
        for (uint32_t c = 0; c < m->column_count; c++) {
            struct sim_err err = {0};
            double v;
            bool found;
            if (measured_value(m, &m->rows[r], c, &v, &found, &err) && found && isnan(v))
                abort();
            err_clear(&err);
        }
    }
}

static void read_measured(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("fuzz", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        close(fd);
        return;
    }
    struct measured m;
    struct sim_err err = {0};
    bool ok = measured_read(&m, path, &err);
    if (ok != (err.code == ERR_NONE))
        abort();
    if (ok)
        look_at(&m);
    measured_free(&m);
    err_clear(&err);
    close(fd);
}

static void read_json(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct sim_err err = {0};
    const struct json_value *v = json_parse(&arena, "fuzz.json", (const char *)data, size, &err);
    if ((v != NULL) != (err.code == ERR_NONE))
        abort();
    json_number(v, "total.cycles", 0);
    arena_free(&arena);
    err_clear(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_measured(data, size);
    read_json(data, size);
    return 0;
}
