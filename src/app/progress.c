#include "app/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/number.h"

#define REDRAW_MS 200

/* Cells of the bar. */
#define BAR 20u

static uint64_t now_ms(void)
{
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void progress_begin(struct progress *p, enum cli_when when, bool quiet)
{
    memset(p, 0, sizeof *p);
    p->on =
        when == CLI_WHEN_ALWAYS || (when == CLI_WHEN_AUTO && !quiet && isatty(STDERR_FILENO) == 1);
    p->started_ms = now_ms();
}

/* Thousandths of the run that are done: kernels count alike, a running one by its CTAs. */
static uint64_t permille(const struct progress_state *s)
{
    uint64_t part = s->ctas > 0 ? s->ctas_done * 1000 / s->ctas : 0;
    uint64_t kernels = s->kernels > 0 ? s->kernels : s->kernel;
    uint64_t done = ((s->kernel - 1) * 1000 + part) / kernels;
    return done > 1000 ? 1000 : done;
}

static void add_time(struct buf *out, uint64_t seconds)
{
    if (seconds >= 3600)
        buf_printf(out, "%" PRIu64 ":%02u:%02u", seconds / 3600, (unsigned)(seconds / 60 % 60),
                   (unsigned)(seconds % 60));
    else
        buf_printf(out, "%u:%02u", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
}

static void add_bar(struct buf *out, uint64_t permille_done)
{
    buf_puts(out, "[");
    for (uint64_t i = 0; i < BAR; i++)
        buf_puts(out, i < permille_done * BAR / 1000 ? "#" : ".");
    buf_printf(out, "] %3u %%", (unsigned)(permille_done / 10));
}

void progress_line(struct buf *out, const struct progress_state *s)
{
    uint64_t done = permille(s);
    add_bar(out, done);
    buf_printf(out, "  kernel %" PRIu64, s->kernel);
    if (s->kernels > 0)
        buf_printf(out, "/%" PRIu64, s->kernels);
    char cycles[NUMBER_SIZE], rate[NUMBER_SIZE];
    number_grouped(cycles, s->cycles);
    number_grouped(rate, s->elapsed_ms > 0 ? s->instructions * 1000 / s->elapsed_ms : 0);
    buf_printf(out, "  %s cycles  %s wi/s  ", cycles, rate);
    if (done == 0) {
        buf_puts(out, "ETA -");
    } else {
        buf_puts(out, "ETA ");
        add_time(out, s->elapsed_ms * (1000 - done) / done / 1000);
    }
}

/* Shows a line and frees it. */
static void draw(struct progress *p, struct buf *line)
{
    if (!line->failed)
        fprintf(stderr, "\r%s\033[K", line->data);
    fflush(stderr);
    buf_free(line);
    p->shown = true;
}

void progress_update(void *user, const struct kernel *k, uint64_t cycles,
                     uint64_t warp_instructions, uint64_t ctas_done, uint64_t ctas)
{
    struct progress *p = user;
    (void)k;
    if (!p->on)
        return;
    uint64_t now = now_ms();
    if (p->drawn_ms != 0 && now - p->drawn_ms < REDRAW_MS)
        return;
    p->drawn_ms = now;
    struct progress_state s = {.kernel = p->kernels_done + 1,
                               .kernels = p->kernels,
                               .ctas_done = ctas_done,
                               .ctas = ctas,
                               .cycles = cycles,
                               .instructions = p->instructions + warp_instructions,
                               .elapsed_ms = now - p->started_ms};
    struct buf line = {0};
    progress_line(&line, &s);
    draw(p, &line);
}

void progress_points_line(struct buf *out, uint64_t done, uint64_t points, uint64_t failed,
                          uint64_t fresh, uint64_t elapsed_ms)
{
    add_bar(out, points > 0 ? done * 1000 / points : 1000);
    buf_printf(out, "  %" PRIu64 "/%" PRIu64 " points", done, points);
    if (failed > 0)
        buf_printf(out, "  %" PRIu64 " failed", failed);
    buf_puts(out, "  ETA ");
    if (fresh == 0)
        buf_puts(out, "-");
    else
        add_time(out, elapsed_ms * (points - done) / fresh / 1000);
}

void progress_points(struct progress *p, uint64_t done, uint64_t points, uint64_t failed,
                     uint64_t fresh)
{
    uint64_t now = now_ms();
    if (!p->on || (p->drawn_ms != 0 && now - p->drawn_ms < REDRAW_MS && done < points))
        return;
    p->drawn_ms = now;
    struct buf line = {0};
    progress_points_line(&line, done, points, failed, fresh, now - p->started_ms);
    draw(p, &line);
}

void progress_kernel_done(struct progress *p, uint64_t warp_instructions)
{
    p->kernels_done++;
    p->instructions += warp_instructions;
}

void progress_clear(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
