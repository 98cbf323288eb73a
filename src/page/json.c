#include "page/json.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

struct parser {
    struct arena *arena;
    const char *file, *start, *at, *end;
    struct sim_err *err;
    uint32_t depth;
};

static bool fail(struct parser *p, const char *message)
{
    uint32_t line = 1, col = 1;
    for (const char *s = p->start; s < p->at && s < p->end; s++) {
        col = *s == '\n' ? 1 : col + 1;
        line += *s == '\n';
    }
    return err_set(p->err, ERR_INPUT, p->file, line, col, "not JSON: %s", message);
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at)
        p->at++;
}

static bool take(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* Four hexadecimal digits. */
static bool take_hex(struct parser *p, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        static const char digits[] = "0123456789abcdef";
        char c = p->at < p->end ? *p->at : '\0';
        if (c >= 'A' && c <= 'F')
            c = (char)(c - 'A' + 'a');
        const char *d = c ? strchr(digits, c) : NULL;
        if (!d)
            return fail(p, "expected four hexadecimal digits");
        *out = *out * 16 + (uint32_t)(d - digits);
    }
    return true;
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* What follows a backslash. */
static bool take_escape(struct parser *p, char *out, size_t *len)
{
    static const char plain[][2] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'b', '\b'},
                                    {'f', '\f'}, {'n', '\n'},  {'r', '\r'}, {'t', '\t'}};
    char c = p->at < p->end ? *p->at++ : '\0';
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i][0] == c) {
            out[(*len)++] = plain[i][1];
            return true;
        }
    uint32_t unit, low;
    if (c != 'u')
        return fail(p, "unknown escape in a string");
    TRY(take_hex(p, &unit));
    if (unit >= 0xd800 && unit < 0xdc00 && p->end - p->at > 6 && p->at[0] == '\\' &&
        p->at[1] == 'u') {
        p->at += 2;
        TRY(take_hex(p, &low));
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low & 0x3ff);
    }
    *len += put_utf8(out + *len, unit ? unit : 0xfffd);
    return true;
}

/* A string behind its first quotation mark; it is never longer than what it is written as. */
static const char *take_string(struct parser *p)
{
    const char *close = p->at;
    while (close < p->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= p->end) {
        p->at = p->end;
        fail(p, "a string without end");
        return NULL;
    }
    char *out = arena_alloc(p->arena, (size_t)(close - p->at) + 1);
    size_t len = 0;
    if (!out) {
        err_memory(p->err, "reading JSON");
        return NULL;
    }
    while (p->at < close) {
        if ((unsigned char)*p->at < 0x20) {
            fail(p, "a control character in a string");
            return NULL;
        }
        if (*p->at != '\\')
            out[len++] = *p->at++;
        else if (p->at++, !take_escape(p, out, &len))
            return NULL;
    }
    p->at = close + 1;
    out[len] = '\0';
    return out;
}

static bool take_value(struct parser *p, struct json_value *v);

/* Members up to the closing bracket. */
static bool take_members(struct parser *p, struct json_value *v, char close)
{
    struct json_value *last = NULL;
    if (++p->depth > DEPTH_MAX)
        return fail(p, "nested too deep");
    if (take(p, close)) {
        p->depth--;
        return true;
    }
    do {
        struct json_value *m = arena_alloc(p->arena, sizeof *m);
        if (!m)
            return err_memory(p->err, "reading JSON");
        if (v->kind == JSON_OBJECT) {
            if (!take(p, '"'))
                return fail(p, "expected a key in quotation marks");
            m->key = take_string(p);
            TRY(m->key);
            if (!take(p, ':'))
                return fail(p, "expected ':' behind a key");
        }
        TRY(take_value(p, m));
        if (last)
            last->next = m;
        else
            v->first = m;
        last = m;
        v->count++;
    } while (take(p, ','));
    p->depth--;
    return take(p, close) || fail(p, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
}

static bool take_word(struct parser *p, struct json_value *v)
{
    size_t n = 0;
    while (p->at + n < p->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", p->at[n]) &&
           p->at[n])
        n++;
    char *text = arena_strndup(p->arena, p->at, n), *end = NULL;
    if (!text)
        return err_memory(p->err, "reading JSON");
    v->text = text;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        v->kind = JSON_BOOL;
    } else if (strcmp(text, "null") == 0) {
        v->kind = JSON_NULL;
    } else {
        v->kind = JSON_NUMBER;
        v->number = strtod(text, &end);
        if (n == 0 || *end != '\0' || !strchr("-0123456789", text[0]))
            return fail(p, "expected a value");
    }
    p->at += n;
    return true;
}

static bool take_value(struct parser *p, struct json_value *v)
{
    if (take(p, '{')) {
        v->kind = JSON_OBJECT;
        return take_members(p, v, '}');
    }
    if (take(p, '[')) {
        v->kind = JSON_ARRAY;
        return take_members(p, v, ']');
    }
    if (take(p, '"')) {
        v->kind = JSON_STRING;
        v->text = take_string(p);
        return v->text != NULL;
    }
    return take_word(p, v);
}

struct json_value *json_parse(struct arena *arena, const char *file, const char *text, size_t len,
                              struct sim_err *err)
{
    struct parser p = {arena, file, text, text, text + len, err, 0};
    struct json_value *v = arena_alloc(arena, sizeof *v);
    if (!v) {
        err_memory(err, "reading JSON");
        return NULL;
    }
    if (!take_value(&p, v))
        return NULL;
    skip_blanks(&p);
    if (p.at < p.end) {
        fail(&p, "something follows the value");
        return NULL;
    }
    return v;
}

const struct json_value *json_member(const struct json_value *object, const char *key)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *m = object->first; m; m = m->next)
        if (strcmp(m->key, key) == 0)
            return m;
    return NULL;
}

const struct json_value *json_members(const struct json_value *v)
{
    return v && v->kind == JSON_OBJECT ? v->first : NULL;
}

const struct json_value *json_at(const struct json_value *object, const char *path)
{
    char key[128];
    while (object && *path) {
        size_t n = strcspn(path, ".");
        if (n >= sizeof key)
            return NULL;
        memcpy(key, path, n);
        key[n] = '\0';
        object = json_member(object, key);
        path += n + (path[n] == '.');
    }
    return object;
}

double json_number(const struct json_value *object, const char *path, double otherwise)
{
    const struct json_value *v = json_at(object, path);
    return v && v->kind == JSON_NUMBER ? v->number : otherwise;
}

const char *json_text(const struct json_value *object, const char *path)
{
    const struct json_value *v = json_at(object, path);
    return v && (v->kind == JSON_STRING || v->kind == JSON_NUMBER) ? v->text : "";
}
