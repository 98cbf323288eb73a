/* From the code of a probe to a listing. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/probe.h"

#define WARM_BYTES                                                                                 \
    0x2000           /* what the loads of 512 threads read, and of 32 lanes 128 bytes apart        \
                      */
#define FILLER_MAX 8 /* instructions jumped over are not executed: a few stand for many */
#define TAIL 12      /* NOPs behind the code */

struct source {
    struct probe_listing *out;
    const char *at;
    uint32_t labels;
    bool failed;
};

static void fail(struct source *s, const char *what)
{
    if (s->failed)
        return;
    s->failed = true;
    buf_free(&s->out->text);
    buf_printf(&s->out->text, "%s at \"%.40s\"", what, s->at);
}

static void skip_blanks(struct source *s)
{
    while (*s->at == ' ')
        s->at++;
}

static bool accept(struct source *s, char c)
{
    skip_blanks(s);
    if (*s->at != c)
        return false;
    s->at++;
    return true;
}

static uint32_t number(struct source *s, int base)
{
    char *end;
    unsigned long v = strtoul(s->at, &end, base);
    if (end == s->at)
        fail(s, "number expected");
    s->at = end;
    return (uint32_t)v;
}

/* Text of an instruction with the (A+B%M) of repetition `i` worked out. */
static void expand(char *out, size_t size, const char *text, size_t len, uint32_t i)
{
    size_t n = 0;
    for (size_t k = 0; k < len && n + 16 < size; k++) {
        unsigned a, b, m;
        int used = 0;
        if (text[k] == '(' && sscanf(text + k, "(%u+%u%%%u)%n", &a, &b, &m, &used) == 3 && used) {
            bool hex = k > 0 && strchr("xgs", text[k - 1]);
            n += (size_t)sprintf(out + n, hex ? "%x" : "%u", a + b * (i % m));
            k += (size_t)used - 1;
        } else
            out[n++] = text[k];
    }
    out[n] = '\0';
}

struct control {
    unsigned stall, write, read, wait;
    bool yield, off, lane0;
};

static struct control parse_control(struct source *s)
{
    struct control c = {.stall = 1, .write = 7, .read = 7};
    skip_blanks(s);
    if (*s->at != '{')
        return c;
    do {
        s->at++;
        if (strncmp(s->at, "off", 3) == 0) {
            c.off = true;
            s->at += 3;
        } else if (strncmp(s->at, "lane0", 5) == 0) {
            c.lane0 = true;
            s->at += 5;
        } else {
            char what = *s->at++;
            switch (what) {
            case 's':
                c.stall = number(s, 10);
                break;
            case 'w':
                c.write = number(s, 10);
                break;
            case 'r':
                c.read = number(s, 10);
                break;
            case 'b':
                c.wait = number(s, 16);
                break;
            case 'y':
                c.yield = true;
                break;
            default:
                fail(s, "unknown control");
            }
        }
    } while (*s->at == ',' && !s->failed);
    if (!accept(s, '}'))
        fail(s, "} expected");
    c.yield |= c.stall > 11;
    return c;
}

static void control_code(struct buf *b, const struct control *c)
{
    char wait[7] = "------";
    for (unsigned i = 0; i < 6; i++) {
        if (c->wait >> i & 1)
            wait[i] = (char)('0' + i);
    }
    buf_printf(b, "[B%s:R", wait);
    buf_printf(b, c->read < 6 ? "%u:" : "-:", c->read);
    buf_printf(b, c->write < 6 ? "W%u:" : "W-:", c->write);
    buf_printf(b, "%c:S%02u] ", c->yield ? 'Y' : '-', c->stall);
}

static void emit(struct source *s, const struct control *c, const char *text, const char *note)
{
    struct probe_listing *l = s->out;
    if (l->count == PROBE_INSTS) {
        fail(s, "too many instructions");
        return;
    }
    l->marked[l->count++] = *text == '!' || strncmp(text, "CLOCK", 5) == 0;
    text += *text == '!';
    control_code(&l->text, c);
    buf_printf(&l->text, "%s%s ; %s%s%s%s\n", c->off || c->lane0 ? "@P6 " : "", text,
               *note || c->off || c->lane0 ? "// " : "", note, c->off ? " @mask 0" : "",
               c->lane0 ? " @mask 1" : "");
}

/* BRA +K: over K instructions that nobody executes. */
static void emit_taken(struct source *s, const struct control *c, uint32_t over)
{
    static const struct control plain = {.stall = 1, .write = 7, .read = 7};
    uint32_t label = s->labels++;
    char text[32];
    snprintf(text, sizeof text, "BRA L%u", label);
    emit(s, c, text, "@taken");
    for (uint32_t i = 0; i < over && i < FILLER_MAX; i++)
        emit(s, &plain, "NOP", "");
    buf_printf(&s->out->text, "L%u:\n", label);
}

/* Text up to an address, control, repetition or end; returns its length without blanks behind. */
static size_t text_length(const char *p)
{
    size_t n = 0;
    while (p[n] && p[n] != ';' && p[n] != '>' &&
           !(p[n] == '{' && isalpha((unsigned char)p[n + 1])) &&
           !(p[n] == ' ' && (p[n + 1] == '*' || p[n + 1] == '@' || p[n + 1] == ')')))
        n++;
    while (n > 0 && p[n - 1] == ' ')
        n--;
    return n;
}

static void emit_instruction(struct source *s, const char *text, size_t len, const char *where,
                             size_t where_len, const struct control *c, uint32_t i)
{
    char line[160], place[64], note[128] = "";
    expand(line, sizeof line, text, len, i);
    expand(place, sizeof place, where, where_len, i);
    unsigned base, stride, warp;
    char space;
    int found = sscanf(place, "@%c%x/%u/%u", &space, &base, &stride, &warp);
    if (found >= 3)
        snprintf(note, sizeof note, "@addr 0x%llx stride %u warp %u",
                 (space == 'g' ? PROBE_GLOBAL : 0) + base, stride, found > 3 ? warp : stride * 32);
    unsigned over;
    if (sscanf(line, "BRA +%u", &over) == 1) {
        emit_taken(s, c, over);
        return;
    }
    if (strcmp(line, "BRA") == 0) {
        snprintf(line, sizeof line, "@P5 BRA L%u", s->labels);
        emit(s, c, line, "");
        buf_printf(&s->out->text, "L%u:\n", s->labels++);
        return;
    }
    bool clock = strcmp(line, "CLOCK") == 0;
    emit(s, c, clock ? "CLOCK R8" : line, note);
}

static uint32_t parse_repeat(struct source *s)
{
    return accept(s, '*') ? number(s, 10) : 1;
}

static void sequence(struct source *s, uint32_t turn);

static void group(struct source *s, uint32_t turn)
{
    const char *start = s->at;
    uint32_t n = 1;
    for (uint32_t i = 0; i < n && !s->failed; i++) {
        s->at = start;
        sequence(s, turn + i);
        if (!accept(s, ')'))
            fail(s, ") expected");
        n = parse_repeat(s);
    }
}

static void of_warps(struct source *s)
{
    size_t n = strcspn(s->at, ":");
    buf_printf(&s->out->text, ".warp %.*s\n", (int)n, s->at);
    s->at += n + 1;
    sequence(s, 0);
    if (!accept(s, '>'))
        fail(s, "> expected");
    buf_puts(&s->out->text, ".endwarp\n");
}

static void element(struct source *s, uint32_t turn)
{
    if (accept(s, '(')) {
        group(s, 0);
        return;
    }
    if (accept(s, '<')) {
        of_warps(s);
        return;
    }
    const char *text = s->at;
    size_t len = text_length(text), where_len = 0;
    s->at += len;
    skip_blanks(s);
    const char *where = s->at;
    if (*where == '@') {
        where_len = strcspn(where, " ;>");
        s->at += where_len;
    }
    struct control c = parse_control(s);
    bool repeated = (skip_blanks(s), *s->at == '*');
    uint32_t n = parse_repeat(s);
    for (uint32_t i = 0; i < n && !s->failed; i++)
        emit_instruction(s, text, len, where, where_len, &c, repeated ? i : turn);
}

static void sequence(struct source *s, uint32_t turn)
{
    do {
        element(s, turn);
        skip_blanks(s);
    } while (!s->failed && (accept(s, ';') || *s->at == '<'));
}

static void header(struct probe_listing *l, const char *warps)
{
    uint32_t last = 0;
    for (const char *p = warps; *p; p += *p == ',') {
        char *end;
        last = (uint32_t)strtoul(p, &end, 10);
        l->warps |= 1u << last;
        p = end;
    }
    buf_printf(&l->text,
               ".kernel probe\n.sm 90\n.warps %u\n.active_warps %s\n.shared 32768\n"
               ".warm code\n.warm const\n.warm data 0x%llx %u\n",
               last + 1, warps, PROBE_GLOBAL, WARM_BYTES);
}

bool probe_make_listing(struct probe_listing *l, const char *warps, bool bar, const char *code)
{
    static const struct control slow = {.stall = 15, .yield = true, .write = 7, .read = 7};
    static const struct control drain = {
        .stall = 15, .yield = true, .write = 7, .read = 7, .wait = 0x3f};
    struct source s = {.out = l, .at = code};
    memset(l, 0, sizeof *l);
    header(l, warps);
    /* Warps start one after the other: the second barrier finds them together. */
    for (uint32_t i = 0; i < (bar ? 2 : 0); i++)
        emit(&s, &slow, "BAR.SYNC.DEFER_BLOCKING 0x0", "");
    emit(&s, &slow, "NOP", "");
    emit(&s, &slow, "NOP", "");
    emit(&s, &drain, "NOP", "");
    sequence(&s, 0);
    if (!s.failed && *s.at)
        fail(&s, "end expected");
    for (uint32_t i = 0; i < TAIL; i++)
        emit(&s, &slow, "NOP", "");
    emit(&s, &slow, "EXIT", "");
    return !s.failed;
}
