/* Helpers of the trace tests: temporary files, and a kernel as text that tests can compare. */
#ifndef TRACE_SUPPORT_H
#define TRACE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "trace/accelsim.h"

#define BLOCK_BEGIN "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
#define BLOCK_END "#END_TB\n"

/* Header of a kernel of 2 CTAs of 2 warps; `version` is a whole line or "". */
#define HEADER_OF(version)                                                                         \
    "-kernel name = k\n-kernel id = 7\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 128\n" \
    "-nregs = 24\n-binary version = 86\n-cuda stream id = 3\n"                                     \
    "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0001000000\n" version   \
    "\n#traces format = ...\n"
#define HEADER(n) HEADER_OF("-accelsim tracer version = " n "\n")

/* One block with one warp of `n` lines, the first of which is FIRST_LINE behind HEADER(n). */
#define FIRST_LINE 18
#define ONE_WARP(n, lines) BLOCK_BEGIN "insts = " n "\n" lines BLOCK_END

static inline void temp_write(char path[64], const char *text, size_t len)
{
    strcpy(path, "/tmp/subcore_trace_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t)len);
    assert_int_equal(close(fd), 0);
}

static inline void dump_address(const struct dyn_inst *d, const struct inst *i, struct buf *out)
{
    static const char *const spaces[] = {"none",    "global",   "shared", "local",
                                         "generic", "constant", "texture"};
    if (d->addr_mode == ADDR_NONE)
        return;
    buf_printf(out, " %s/%u", spaces[i->mem_space], i->mem_width);
    if (d->addr_mode == ADDR_STRIDE) {
        buf_printf(out, " 0x%llx%+d", (unsigned long long)d->addr.base, d->stride);
        return;
    }
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        if (d->mask >> lane & 1)
            buf_printf(out, " %u:0x%llx", lane, (unsigned long long)d->addr.list[lane]);
        else
            assert_int_equal(d->addr.list[lane], 0);
}

static inline bool dump_warp(struct warp_stream *ws, struct buf *out, struct sim_err *err)
{
    const struct kernel *k = ws->cta->kernel;
    for (;;) {
        for (; ws->next != ws->end; ws->next++) {
            const struct dyn_inst *d = ws->next;
            assert_true(d->inst < k->inst_count);
            const struct inst *i = k->insts[d->inst];
            buf_printf(out, "%u: %04x %s %08x", ws->warp, i->pc, i->opcode, d->mask);
            dump_address(d, i, out);
            buf_puts(out, "\n");
        }
        if (ws->finished)
            return true;
        TRY(k->ops->refill(ws, err));
    }
}

static inline bool dump_cta(struct cta_stream *cta, struct buf *out, struct sim_err *err)
{
    buf_printf(out, "cta %u,%u,%u\n", cta->id.x, cta->id.y, cta->id.z);
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        assert_int_equal(cta->warps[w].warp, w);
        TRY(dump_warp(&cta->warps[w], out, err));
    }
    return true;
}

/* Reads all CTAs; text is appended to `out` (may be NULL). */
static inline bool dump_kernel(struct kernel *k, struct buf *out, struct sim_err *err)
{
    for (;;) {
        struct cta_stream *cta;
        TRY(k->ops->open_cta(k, &cta, err));
        if (!cta)
            return true;
        bool ok = !out || dump_cta(cta, out, err);
        k->ops->close_cta(cta);
        TRY(ok);
    }
}

/* Opens and reads the file at `path`. */
static inline bool read_path(const char *path, struct buf *out, struct diag *diag,
                             struct sim_err *err)
{
    struct kernel *k;
    TRY(accelsim_open(&k, path, NULL, diag, err));
    bool ok = dump_kernel(k, out, err);
    accelsim_close(k);
    return ok;
}

/* The traces of these tests are parts of kernels. */
static inline bool is_about_loss(const char *warning)
{
    return strstr(warning, "CTAs of the grid") || strstr(warning, "ends without an EXIT") ||
           strstr(warning, "has no instructions in the trace");
}

/* The trace `text` reads as `want`, without a warning but those in `diag` (may be NULL). */
static inline void expect_dump(const char *text, const char *want, struct diag *diag)
{
    char path[64];
    struct diag own = {0};
    struct diag *d = diag ? diag : &own;
    struct sim_err err = {0};
    struct buf out = {0};
    temp_write(path, text, strlen(text));
    bool ok = read_path(path, &out, d, &err);
    unlink(path);
    if (!ok)
        fail_msg("%u: %s", err.line, err.msg);
    assert_string_equal(out.data, want);
    for (uint32_t i = 0; !diag && i < own.count; i++)
        if (!is_about_loss(own.items[i].text))
            fail_msg("unexpected warning: %s", own.items[i].text);
    buf_free(&out);
}

/* The trace `text` fails at `line` with `msg`. */
static inline void expect_error(const char *text, uint32_t line, const char *msg)
{
    char path[64];
    struct diag diag = {0};
    struct sim_err err = {0};
    temp_write(path, text, strlen(text));
    bool ok = read_path(path, NULL, &diag, &err);
    unlink(path);
    assert_false(ok);
    assert_string_equal(err.msg, msg);
    assert_int_equal(err.line, line);
    assert_string_equal(err.file, path);
    assert_int_equal(err.code, ERR_INPUT);
}

/* One warning of `diag` ends with `text`. */
static inline void expect_warning(const struct diag *diag, const char *text)
{
    for (uint32_t i = 0; i < diag->count; i++)
        if (strstr(diag->items[i].text, text))
            return;
    fail_msg("no warning '%s', first of %u: %s", text, diag->count,
             diag->count ? diag->items[0].text : "none");
}

#endif
