#include "trace/accelsim_place.h"

#include <stdio.h>

#include "base/buf.h"
#include "trace/accelsim_text.h"

/* Longer kernel names, tokens and lines are cut in messages. */
#define NAME_SHOWN 120
#define SHOWN 60

uint32_t place_line(const struct accelsim_place *at)
{
    return at->line > UINT32_MAX ? UINT32_MAX : (uint32_t)at->line;
}

bool place_error(const struct accelsim_place *at, struct sim_err *err, const char *fmt, ...)
{
    struct buf b = {0};
    if (at->kernel)
        buf_printf(&b, "kernel %.*s", NAME_SHOWN, at->kernel);
    if (at->in_cta)
        buf_printf(&b, ", CTA %u,%u,%u", at->cta.x, at->cta.y, at->cta.z);
    if (at->in_cta && at->in_warp)
        buf_printf(&b, ", warp %u", at->warp);
    if (b.len > 0)
        buf_puts(&b, ": ");
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (b.failed)
        err_memory(err, "writing a message");
    else
        err_set(err, ERR_INPUT, at->file, place_line(at), 0, "%s", b.data);
    buf_free(&b);
    return false;
}

/* Copies printable text up to NUL, or up to a blank with `token`. */
static void copy_shown(char out[SHOWN + 1], const char *text, bool token)
{
    size_t n = 0;
    for (; n < SHOWN && text[n] && !(token && text_token_end(text[n])); n++)
        out[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    out[n] = '\0';
}

bool place_expected(const struct accelsim_place *at, const char *what, const char *found,
                    struct sim_err *err)
{
    char token[SHOWN + 1];
    copy_shown(token, text_skip_blanks(found), true);
    if (token[0] == '\0')
        return place_error(at, err, "expected %s, found the end of the line", what);
    return place_error(at, err, "expected %s, found '%s'", what, token);
}

bool place_expected_line(const struct accelsim_place *at, const char *what, const char *line,
                         struct sim_err *err)
{
    char text[SHOWN + 1];
    copy_shown(text, line, false);
    return place_error(at, err, "expected %s, found '%s'", what, text);
}

bool place_warn(const struct accelsim_place *at, struct sim_err *err, const char *fmt, ...)
{
    if (!at->diag)
        return true;
    char msg[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return diag_warn(at->diag, err, at->file, place_line(at), "kernel %.*s: %s", NAME_SHOWN,
                     at->kernel ? at->kernel : "?", msg);
}
