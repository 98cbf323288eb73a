/* Fuzzes the readers of Accel-Sim traces and kernelslists: whatever the bytes, reading ends with a
 * result or an error, and what is read stays within what the kernel declares. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/target.h"
#include "trace/accelsim.h"
#include "trace/list.h"

static bool check_warp(const struct kernel *k, struct warp_stream *w, struct sim_err *err)
{
    for (;;) {
        for (const struct dyn_inst *d = w->next; d < w->end; d++)
            if (d->inst >= k->inst_count || (d->addr_mode != ADDR_NONE && d->mask == 0) ||
                (d->addr_mode == ADDR_LIST && !d->addr.list))
                abort();
        w->next = w->end;
        if (w->finished)
            return true;
        TRY(k->ops->refill(w, err));
    }
}

/* Leaves the last CTA open: closing the kernel must free it. */
static bool read_kernel(struct kernel *k, struct sim_err *err)
{
    uint64_t next = 0;
    struct cta_stream *last = NULL;
    for (;;) {
        struct cta_stream *cta;
        TRY(k->ops->open_cta(k, &cta, err));
        if (last)
            k->ops->close_cta(last);
        if (!cta)
            return true;
        if (cta->linear_id < next || cta->linear_id >= k->cta_count)
            abort();
        next = cta->linear_id + 1;
        for (uint32_t w = 0; w < cta->warp_count; w++)
            if (!check_warp(k, &cta->warps[w], err))
                abort(); /* what was packed here can be unpacked */
        last = cta;
    }
}

static void read_trace(const char *path, struct diag *diag)
{
    struct kernel *k = NULL;
    struct sim_err err = {.code = ERR_NONE};
    bool ok = accelsim_open(&k, path, NULL, diag, &err);
    ok = ok && read_kernel(k, &err);
    if (!ok && err.code == ERR_NONE)
        abort();
    accelsim_close(k);
    err_clear(&err);
}

static void read_list(const char *path, struct diag *diag)
{
    struct kernel_list list = {.count = 0};
    struct sim_err err = {.code = ERR_NONE};
    if (!list_read(&list, path, diag, &err) && err.code == ERR_NONE)
        abort();
    list_free(&list);
    err_clear(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/subcore_fuzz_trace_XXXXXX";
    int fd = mkstemp(path);
    struct diag *diag = calloc(1, sizeof *diag);
    bool ready = fd >= 0 && diag && write(fd, data, size) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    accelsim_probe((const char *)data, size);
    list_probe((const char *)data, size);
    if (ready) {
        read_trace(path, diag);
        read_list(path, diag);
    }
    if (fd >= 0)
        unlink(path);
    free(diag);
    return 0;
}
