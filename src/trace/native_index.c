#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/native_block.h"

bool native_probe(const char *bytes, size_t n)
{
    return n >= NATIVE_MAGIC_BYTES && memcmp(bytes, NATIVE_MAGIC, NATIVE_MAGIC_BYTES) == 0;
}

FILE *native_open_file(const char *path, uint64_t *size, struct sim_err *err)
{
    uint8_t head[NATIVE_HEADER_BYTES];
    FILE *f = fopen(path, "rb");
    if (!f) {
        err_set(err, ERR_INPUT, path, 0, 0, "cannot open: %s", strerror(errno));
        return NULL;
    }
    size_t n = fread(head, 1, sizeof head, f);
    uint32_t version = n == sizeof head ? (uint32_t)native_get_le(head + NATIVE_MAGIC_BYTES, 4) : 0;
    if (n != sizeof head || !native_probe((const char *)head, n))
        err_set(err, ERR_INPUT, path, 0, 0, "expected a subcore trace, found something else");
    else if (version != NATIVE_VERSION)
        err_set(err, ERR_INPUT, path, 0, 0,
                "expected version %u of the trace format, found version %u", NATIVE_VERSION,
                version);
    else if (fseeko(f, 0, SEEK_END) == 0) {
        *size = (uint64_t)ftello(f);
        return f;
    }
    fclose(f);
    return NULL;
}

static bool parse_index(const struct native_block *b, struct native_item **items, size_t *n)
{
    const uint8_t *p = b->data, *end = b->data + b->len;
    uint64_t count, is_kernel;
    TRY(pack_get(&p, end, &count));
    if (count > b->len)
        return false;
    *items = calloc(count ? (size_t)count : 1, sizeof **items);
    TRY(*items != NULL);
    for (*n = 0; *n < count; (*n)++) {
        struct native_item *it = &(*items)[*n];
        TRY(pack_get(&p, end, &is_kernel));
        it->is_kernel = is_kernel != 0;
        if (it->is_kernel)
            TRY(pack_get(&p, end, &it->offset));
        else
            TRY(pack_get(&p, end, &it->copy_addr) && pack_get(&p, end, &it->copy_bytes));
    }
    return true;
}

bool native_index(const char *path, struct native_item **items, size_t *n, struct sim_err *err)
{
    uint64_t size;
    uint8_t trailer[NATIVE_TRAILER_BYTES];
    FILE *f = native_open_file(path, &size, err);
    *items = NULL;
    *n = 0;
    TRY(f != NULL);
    bool whole = size >= NATIVE_HEADER_BYTES + NATIVE_TRAILER_BYTES &&
                 fseeko(f, (off_t)(size - NATIVE_TRAILER_BYTES), SEEK_SET) == 0 &&
                 fread(trailer, 1, sizeof trailer, f) == sizeof trailer &&
                 memcmp(trailer + 8, NATIVE_END_MAGIC, 8) == 0;
    uint64_t at = whole ? native_get_le(trailer, 8) : 0;
    if (!whole || at < NATIVE_HEADER_BYTES || at >= size || fseeko(f, (off_t)at, SEEK_SET) != 0) {
        fclose(f);
        return err_set(err, ERR_INPUT, path, 0, 0,
                       "the trace is cut off: its index is missing at the end");
    }
    struct native_block b;
    bool ok = native_get_block(f, path, &b, err);
    fclose(f);
    TRY(ok);
    ok = b.kind == NATIVE_INDEX && parse_index(&b, items, n);
    free(b.data);
    if (!ok) {
        free(*items);
        *items = NULL;
        return err_set(err, ERR_INPUT, path, 0, 0, "the index of the trace is damaged");
    }
    return true;
}
