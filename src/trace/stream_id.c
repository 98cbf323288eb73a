#include "trace/stream_id.h"

#include <stdlib.h>
#include <string.h>

#include "base/stream.h"
#include "trace/accelsim.h"
#include "trace/native.h"

#define HEADER_BYTES ((size_t)16 << 10)

static bool of_native(const char *path, uint64_t offset, uint64_t *stream)
{
    struct kernel *k;
    struct sim_err err = {0};
    bool ok = native_kernel_open(&k, path, offset, &err);
    if (ok) {
        *stream = k->stream;
        native_kernel_close(k);
    }
    err_clear(&err);
    return ok;
}

/* In the header of an Accel-Sim trace. */
static bool of_header(const char *bytes, size_t n, uint64_t *stream)
{
    static const char key[] = "-cuda stream id = ";
    size_t len = sizeof key - 1;
    for (size_t i = 0; i + len < n && bytes[i] != '#'; i++) {
        if ((i > 0 && bytes[i - 1] != '\n') || strncmp(bytes + i, key, len) != 0)
            continue;
        char number[24] = "";
        for (size_t d = 0; d < sizeof number - 1 && i + len + d < n; d++)
            number[d] = bytes[i + len + d];
        *stream = strtoull(number, NULL, 10);
        return true;
    }
    return false;
}

bool stream_id_of(const char *path, uint64_t offset, uint64_t *stream)
{
    struct sim_err err = {0};
    struct stream *s = NULL;
    const char *bytes;
    size_t n;
    if (offset > 0)
        return of_native(path, offset, stream);
    bool ok = stream_open(&s, path, &err) && stream_peek(s, HEADER_BYTES, &bytes, &n, &err) &&
              accelsim_probe(bytes, n) && of_header(bytes, n, stream);
    stream_close(s);
    err_clear(&err);
    return ok;
}
