/* Fuzzes the readers of SASS text: dumps (`--sass`) and listings. Whatever the input, both end with
 * a result or an error; a listing that is read gives a bounded piece of its dynamic stream. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/target.h"
#include "trace/listing.h"
#include "trace/sass_file.h"

#define MAX_REFILLS 64

static void read_dump(const char *path)
{
    struct sass_file *f = NULL;
    struct sim_err err = {.code = ERR_NONE};
    if (sass_file_load(&f, path, &err)) {
        for (size_t i = 0; i < sass_file_count(f); i++)
            if (sass_file_function(f, i)->inst_count == 0 ||
                !sass_file_find(f, sass_file_function(f, i)->name))
                abort();
        sass_file_free(f);
    } else if (err.code == ERR_NONE) {
        abort();
    }
    err_clear(&err);
}

/* Every instruction of the stream is one of the kernel's, and its lanes exist. */
static void read_stream(struct kernel *k)
{
    struct sim_err err = {.code = ERR_NONE};
    struct cta_stream *cta = NULL;
    if (!k->ops->open_cta(k, &cta, &err) || !cta)
        abort();
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        struct warp_stream *s = &cta->warps[w];
        for (int n = 0; n < MAX_REFILLS && !s->finished; n++) {
            if (!k->ops->refill(s, &err))
                break;
            for (; s->next < s->end; s->next++)
                if (s->next->inst >= k->inst_count ||
                    (s->next->addr_mode == ADDR_LIST && !s->next->addr.list))
                    abort();
        }
    }
    k->ops->close_cta(cta);
    err_clear(&err);
}

static void read_listing(const char *path)
{
    struct kernel *k = NULL;
    struct sim_err err = {.code = ERR_NONE};
    struct diag *diag = calloc(1, sizeof *diag);
    if (!diag)
        return;
    if (listing_open(&k, path, diag, &err)) {
        read_stream(k);
        listing_close(k);
    } else if (err.code == ERR_NONE) {
        abort();
    }
    err_clear(&err);
    free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/subcore_fuzz_sass_XXXXXX";
    listing_probe((const char *)data, size);
    int fd = mkstemp(path);
    if (fd < 0)
        return 0;
    bool written = write(fd, data, size) == (ssize_t)size;
    close(fd);
    if (written) {
        read_dump(path);
        read_listing(path);
    }
    unlink(path);
    return 0;
}
