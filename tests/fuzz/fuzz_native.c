/* Fuzzes the reader of the own trace format: whatever the bytes, reading ends with a result or an
 * error, and what is read stays within what the kernel declares.
 *
 * An input that does not start like a trace is a list of blocks - kind, two bytes of length,
 * content - from which a file is made, since no fuzzer finds checksums and zlib streams. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/target.h"
#include "trace/native_block.h"

/* Runs of one instruction are short in a file and long when read. */
#define MAX_REFILLS 1000

static bool check_warp(const struct kernel *k, struct warp_stream *w, struct sim_err *err)
{
    for (uint32_t i = 0; i < MAX_REFILLS; i++) {
        for (; w->next < w->end; w->next++) {
            const struct dyn_inst *d = w->next;
            if (d->inst >= k->inst_count || !k->insts[d->inst]->opcode ||
                (d->addr_mode == ADDR_LIST && !d->addr.list))
                abort();
        }
        if (w->finished)
            return true;
        TRY(k->ops->refill(w, err));
    }
    return true;
}

/* Leaves the last CTA open for a while, so that blocks have several users. */
static bool read_kernel(struct kernel *k, struct sim_err *err)
{
    struct cta_stream *last = NULL, *cta;
    bool ok;
    while ((ok = k->ops->open_cta(k, &cta, err)) && cta) {
        if (last)
            k->ops->close_cta(last);
        last = cta;
        for (uint32_t w = 0; ok && w < cta->warp_count; w++)
            ok = check_warp(k, &cta->warps[w], err);
        if (!ok)
            break;
    }
    if (last)
        k->ops->close_cta(last);
    return ok;
}

static void read_file(const char *path)
{
    struct native_item *items = NULL;
    size_t n = 0;
    struct sim_err err = {.code = ERR_NONE};
    bool ok = native_index(path, &items, &n, &err);
    for (size_t i = 0; ok && i < n && i < 4; i++) {
        struct kernel *k = NULL;
        if (!items[i].is_kernel)
            continue;
        ok = native_kernel_open(&k, path, items[i].offset, &err) && read_kernel(k, &err);
        if (k)
            native_kernel_close(k);
    }
    if (!ok && err.code == ERR_NONE)
        abort();
    free(items);
    err_clear(&err);
}

/* Blocks, an index that lists the first kernel block, and the trailer. */
static bool write_blocks(struct outfile *o, const uint8_t *data, size_t size, struct sim_err *err)
{
    static const char head[] = NATIVE_MAGIC "\x01\0\0";
    uint64_t at = NATIVE_HEADER_BYTES, kernel = 0;
    struct pack_bytes index = {0};
    TRY(outfile_write(o, head, NATIVE_HEADER_BYTES, err));
    while (size >= 3) {
        size_t len = (size_t)data[1] | (size_t)data[2] << 8;
        len = len < size - 3 ? len : size - 3;
        struct pack_bytes content = {0};
        kernel = kernel == 0 && data[0] == NATIVE_KERNEL ? at : kernel;
        bool ok = pack_put_bytes(&content, data + 3, len) &&
                  native_put_block(o, (enum native_kind)data[0], &content, &at, err);
        free(content.data);
        TRY(ok);
        data += 3 + len;
        size -= 3 + len;
    }
    uint64_t index_at = at;
    bool ok = pack_put(&index, 1) && pack_put(&index, 1) && pack_put(&index, kernel) &&
              native_put_block(o, NATIVE_INDEX, &index, &at, err);
    free(index.data);
    char trailer[NATIVE_TRAILER_BYTES];
    for (uint32_t i = 0; i < 8; i++)
        trailer[i] = (char)(index_at >> (8 * i));
    memcpy(trailer + 8, NATIVE_END_MAGIC, 8);
    return ok && outfile_write(o, trailer, sizeof trailer, err) && outfile_commit(o, err);
}

static bool write_file(const char *path, const uint8_t *data, size_t size)
{
    struct outfile o;
    struct sim_err err = {.code = ERR_NONE};
    bool ok = outfile_open(&o, path, &err);
    if (ok && native_probe((const char *)data, size))
        ok = outfile_write(&o, (const char *)data, size, &err) && outfile_commit(&o, &err);
    else
        ok = ok && write_blocks(&o, data, size, &err);
    outfile_abort(&o);
    err_clear(&err);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/subcore_fuzz_native_XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        return 0;
    close(fd);
    if (write_file(path, data, size))
        read_file(path);
    unlink(path);
    return 0;
}
