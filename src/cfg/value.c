/* Values as written by the user, and their check against a key. */
#include "cfg/value.h"

#include <string.h>

#include "cfg/schema.h"

bool value_text(char *out, size_t size, const char *text, size_t len)
{
    size_t n = len < size - 1 ? len : size - 1;
    bool printable = true;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        bool control = c < 0x20 || c == 0x7f;
        out[i] = control ? '?' : text[i];
        printable = printable && !control;
    }
    out[n] = '\0';
    return printable;
}

struct check {
    const struct key_info *key;
    const char *file;
    struct err_list *errors;
};

#define FAIL(c, item, ...)                                                                         \
    err_list_add((c)->errors, ERR_CONFIG, (c)->file, (item)->line, (item)->col, __VA_ARGS__)

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Digits with single '_' between them. Values beyond 64 bits stay at UINT64_MAX. */
static bool parse_digits(const char *s, int base, uint64_t *out)
{
    uint64_t v = 0;
    bool digit_before = false;
    for (; *s != '\0'; s++) {
        int d = digit_of(*s);
        if (*s == '_') {
            if (!digit_before)
                return false;
            digit_before = false;
            continue;
        }
        if (d >= base)
            return false;
        digit_before = true;
        v = v > (UINT64_MAX - 15) / 16 ? UINT64_MAX : v * (uint64_t)base + (uint64_t)d;
    }
    *out = v;
    return digit_before;
}

/* Decimal or 0x hexadecimal. A leading zero is refused: YAML 1.1 reads octal there, 1.2 does not.
 */
static bool parse_number(const char *s, uint64_t *out)
{
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        return parse_digits(s + 2, 16, out);
    if (s[0] == '0' && s[1] != '\0')
        return false;
    return parse_digits(s, 10, out);
}

static bool store_number(struct check *c, const struct value_item *it, uint32_t *out)
{
    const struct key_info *k = c->key;
    const char *space = k->unit[0] ? " " : "";
    uint64_t v = 0;
    const char *digits = it->text[0] == '-' ? it->text + 1 : it->text;
    if (it->nested || it->quoted || it->len >= VALUE_TEXT_SIZE || !parse_number(digits, &v)) {
        const char *quote = it->quoted ? "\"" : "";
        return FAIL(c, it, "%s is %s%s%s, but must be a whole number between %u and %u%s%s",
                    k->path, quote,
                    it->nested     ? "a nested value"
                    : it->len == 0 ? "empty"
                                   : it->text,
                    quote, k->min, k->max, space, k->unit);
    }
    bool negative = digits != it->text && v != 0;
    if (negative || v < k->min || v > k->max)
        return FAIL(c, it, "%s is %s, but must be between %u and %u%s%s", k->path, it->text, k->min,
                    k->max, space, k->unit);
    *out = (uint32_t)v;
    return true;
}

static bool store_bool(struct check *c, const struct value_item *it, bool *out)
{
    bool yes = strcmp(it->text, "true") == 0;
    if (it->quoted || (!yes && strcmp(it->text, "false") != 0))
        return FAIL(c, it, "%s is '%s', but must be true or false", c->key->path, it->text);
    *out = yes;
    return true;
}

static bool find_word(struct check *c, const struct value_item *it, uint32_t *index)
{
    const struct key_info *k = c->key;
    for (uint32_t i = 0; !it->nested && i < k->word_count; i++) {
        if (strcmp(k->words[i].word, it->text) == 0) {
            *index = i;
            return true;
        }
    }
    struct buf legal = {0};
    for (uint32_t i = 0; i < k->word_count; i++)
        buf_printf(&legal, "%s%s", i ? ", " : "", k->words[i].word);
    char near[SCHEMA_PATH_SIZE] = "";
    bool hint = !it->nested && schema_suggest_word(k, it->text, near);
    FAIL(c, it, "%s %s '%s', but must be %s %s%s%s%s", k->path,
         k->type == KEY_TYPE_SET ? "holds" : "is", it->nested ? "a nested value" : it->text,
         k->type == KEY_TYPE_SET ? "a list of words out of" : "one of",
         legal.data ? legal.data : "its words", hint ? " (did you mean '" : "", near,
         hint ? "'?)" : "");
    buf_free(&legal);
    return false;
}

static bool store_set(struct check *c, const struct value *v, uint32_t *out)
{
    if (v->kind != VALUE_LIST)
        return FAIL(c, v, "%s must be a list of words, such as [%s]", c->key->path,
                    c->key->words[0].word);
    if (v->count > VALUE_MAX_ITEMS)
        return FAIL(c, v, "%s is a list of %u words, but there are only %u", c->key->path, v->count,
                    c->key->word_count);
    uint32_t mask = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t index = 0;
        TRY(find_word(c, &v->items[i], &index));
        if (mask & (1u << index))
            return FAIL(c, &v->items[i], "%s names '%s' twice", c->key->path, v->items[i].text);
        mask |= 1u << index;
    }
    *out = mask;
    return true;
}

static bool store_w3(struct check *c, const struct value *v, uint32_t out[3])
{
    uint32_t n[3] = {0};
    if (v->kind == VALUE_LIST && v->count != 3)
        return FAIL(c, v, "%s is a list of %u numbers, but must be three: for 32, 64 and 128 bits",
                    c->key->path, v->count);
    for (uint32_t i = 0; i < 3; i++)
        TRY(store_number(c, &v->items[v->kind == VALUE_LIST ? i : 0], &n[i]));
    memcpy(out, n, sizeof n);
    return true;
}

static bool store_text(struct check *c, const struct value_item *it, char *out)
{
    size_t size = sizeof((struct gpu_cfg *)0)->name;
    if (it->len >= size)
        return FAIL(c, it, "%s is a text of %zu bytes, but must have at most %zu", c->key->path,
                    it->len, size - 1);
    if (it->unprintable)
        return FAIL(c, it, "%s is '%s', but must not hold control characters", c->key->path,
                    it->text);
    memset(out, 0, size);
    memcpy(out, it->text, it->len);
    return true;
}

static const char *expected(const struct key_info *k)
{
    switch (k->type) {
    case KEY_TYPE_U32:
        return "a number";
    case KEY_TYPE_BOOL:
        return "true or false";
    case KEY_TYPE_ENUM:
        return "a word";
    case KEY_TYPE_SET:
        return "a list of words";
    case KEY_TYPE_W3:
        return "three numbers, such as [1, 2, 4]";
    case KEY_TYPE_STR:
        break;
    }
    return "a text";
}

bool value_store(struct config *cfg, const struct key_info *key, const struct value *v,
                 const char *file, struct err_list *errors)
{
    struct check c = {key, file, errors};
    bool list_type = key->type == KEY_TYPE_SET || key->type == KEY_TYPE_W3;
    if (v->kind == VALUE_MAPPING || (v->kind == VALUE_LIST && !list_type))
        return FAIL(&c, v, "%s is a %s, but must be %s", key->path,
                    v->kind == VALUE_LIST ? "list" : "mapping", expected(key));
    void *field = schema_field(cfg, key);
    switch (key->type) {
    case KEY_TYPE_U32:
        return store_number(&c, &v->items[0], field);
    case KEY_TYPE_BOOL:
        return store_bool(&c, &v->items[0], field);
    case KEY_TYPE_ENUM:
        return find_word(&c, &v->items[0], field);
    case KEY_TYPE_SET:
        return store_set(&c, v, field);
    case KEY_TYPE_W3:
        return store_w3(&c, v, field);
    case KEY_TYPE_STR:
        break;
    }
    return store_text(&c, &v->items[0], field);
}
