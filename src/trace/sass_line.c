#include "trace/sass_line.h"

static bool bad(struct sass_line *l, const char *why)
{
    l->kind = SASS_LINE_BAD;
    l->name = span_of(why);
    return false;
}

/* Takes a C comment, its marks and its end off `s`; the text between them goes to `inside`. */
static bool take_c_comment(struct span *s, struct span *inside)
{
    struct span body = span_skip(*s, 2);
    size_t end = span_find(body, "*/");
    if (end == body.n)
        return false;
    *inside = span_trim((struct span){body.p, end});
    *s = span_trim(span_skip(body, end + 2));
    return true;
}

/* Takes a C comment with a hexadecimal word off `s`. */
static bool take_word(struct span *s, uint64_t *out)
{
    struct span word;
    if (!take_c_comment(s, &word))
        return false;
    return span_starts(word, "0x") && word.n <= 18 && span_u64(word, out);
}

/* What may follow the last word of a line: nothing or a comment. */
static bool take_comment(struct span s, struct sass_line *l)
{
    if (s.n == 0)
        return true;
    if (!span_starts(s, "//"))
        return bad(l, "text after the encoding");
    l->comment = span_trim(span_skip(s, 2));
    return true;
}

void sass_line_rest(struct span rest, struct sass_line *l)
{
    size_t comment = span_find(rest, "//");
    size_t word = span_find(rest, "/*");
    size_t end = comment < word ? comment : word;
    l->text = span_trim((struct span){rest.p, end});
    if (l->text.n > 0 && l->text.p[l->text.n - 1] == ';') {
        l->text.n--;
        l->text = span_trim(l->text);
    }
    rest = span_skip(rest, end);
    if (word < comment) {
        l->has_word = take_word(&rest, &l->word);
        if (!l->has_word) {
            bad(l, "the encoding is not a word as /* 0x0123456789abcdef */");
            return;
        }
    }
    if (!take_comment(rest, l))
        return;
    if (l->text.n == 0)
        bad(l, "no instruction before the end of the line");
}

/* A line that begins with a C comment: an instruction's offset or a high word. */
static void read_offset(struct span s, struct sass_line *l)
{
    struct span whole = s;
    struct span inside;
    if (!take_c_comment(&s, &inside)) {
        bad(l, "a comment that is not closed on its line");
        return;
    }
    if (span_starts(inside, "0x")) {
        l->kind = SASS_LINE_HIGH;
        if (!take_word(&whole, &l->word))
            bad(l, "the encoding is not a word as /* 0x0123456789abcdef */");
        else
            take_comment(whole, l);
        return;
    }
    uint64_t pc;
    if (!span_hex(inside, &pc) || pc > UINT32_MAX) {
        bad(l, "the offset is not a hexadecimal number of at most 32 bits");
        return;
    }
    l->kind = SASS_LINE_INST;
    l->pc = (uint32_t)pc;
    sass_line_rest(s, l);
}

/* The number after "sm_", or 0. */
static uint32_t sm_number(struct span s)
{
    size_t at = span_find(s, "sm_");
    uint32_t v = 0;
    for (at += 3; at < s.n && s.p[at] >= '0' && s.p[at] <= '9' && v < 1000; at++)
        v = v * 10 + (uint32_t)(s.p[at] - '0');
    return v;
}

/* The number after the last "line " of a source comment, or 0. */
static uint32_t source_line(struct span s)
{
    size_t quote = s.n;
    while (quote > 0 && s.p[quote - 1] != '"')
        quote--;
    size_t at = quote + span_find(span_skip(s, quote), "line ");
    uint32_t v = 0;
    for (at += 5; at < s.n && s.p[at] >= '0' && s.p[at] <= '9' && v < 100000000; at++)
        v = v * 10 + (uint32_t)(s.p[at] - '0');
    return v;
}

/* The text between the last two quotes of a source comment. */
static struct span source_file(struct span s)
{
    while (s.n > 0 && s.p[s.n - 1] != '"')
        s.n--;
    s.n -= s.n > 0;
    size_t start = s.n;
    while (start > 0 && s.p[start - 1] != '"')
        start--;
    return span_skip(s, start);
}

static bool is_dots(struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '.')
            return false;
    return s.n >= 3;
}

static bool is_label(struct span s)
{
    if (s.n < 2 || s.p[s.n - 1] != ':')
        return false;
    for (size_t i = 0; i + 1 < s.n; i++)
        if (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == ':' || s.p[i] == '"')
            return false;
    return true;
}

static void read_directive(struct span s, struct sass_line *l)
{
    l->kind = SASS_LINE_DIRECTIVE;
    l->name = span_word(&s);
    if (span_is(l->name, ".section")) {
        l->kind = SASS_LINE_SECTION;
        l->name = span_field(&s, ',');
    } else if (span_is(l->name, ".target") && (l->number = sm_number(s)) != 0) {
        l->kind = SASS_LINE_SM;
    }
}

struct sass_line sass_line_read(struct span text)
{
    struct sass_line l = {.kind = SASS_LINE_TEXT};
    struct span s = span_trim(text);
    if (s.n == 0) {
        l.kind = SASS_LINE_BLANK;
    } else if (span_starts(s, "/*")) {
        read_offset(s, &l);
    } else if (span_starts(s, "//## File ")) {
        l.kind = SASS_LINE_SOURCE;
        l.number = source_line(s);
        l.name = source_file(s);
    } else if (span_starts(s, "//")) {
        l.kind = SASS_LINE_COMMENT;
    } else if (is_dots(s)) {
        l.kind = SASS_LINE_END;
    } else if (is_label(s)) {
        l.kind = SASS_LINE_LABEL;
        l.name = (struct span){s.p, s.n - 1};
    } else if (s.p[0] == '.') {
        read_directive(s, &l);
    } else if (span_starts(s, "Function : ")) {
        l.kind = SASS_LINE_FUNCTION;
        l.name = span_trim(span_skip(s, 11));
    } else if (span_starts(s, "code for sm_") || span_starts(s, "arch = sm_")) {
        l.kind = SASS_LINE_SM;
        l.number = sm_number(s);
    }
    return l;
}
