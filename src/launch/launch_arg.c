/* Arguments of a launch: {TYPE: value} or {buf: TYPE, count: N, init: HOW}. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "launch/launch_reader.h"
#include "trace/span.h"

static const struct launch_type_info types[LAUNCH_TYPE_COUNT] = {
#define LAUNCH_TYPE(name, bytes, kind) {#name, bytes, LAUNCH_##kind},
#include "launch/launch_types.def"
#undef LAUNCH_TYPE
};

/* Keys of an argument: the buffer's, then the types. */
enum { ARG_BUF, ARG_COUNT, ARG_INIT, ARG_TYPES, ARG_KEYS = ARG_TYPES + LAUNCH_TYPE_COUNT };

static const struct init_info {
    const char *name, *argument;
} inits[LAUNCH_INIT_COUNT] = {
#define X(name, argument) {#name, argument},
    LAUNCH_INITS(X)
#undef X
};

const struct launch_type_info *launch_type_info(enum launch_type t)
{
    return &types[t];
}

struct arg_reader {
    struct launch_arg *arg;
    uint32_t values; /* {TYPE: value} pairs */
};

/* Plain scalars only: quotes make a text. */
static bool plain(const struct launch_reader *l)
{
    return l->r.event.type == YAML_SCALAR_EVENT &&
           l->r.event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static uint64_t all_ones(uint32_t bytes)
{
    return UINT64_MAX >> (64 - 8 * bytes);
}

static bool read_integer(struct launch_reader *l, const struct launch_type_info *t, uint64_t *out)
{
    char text[LAUNCH_NAME_SHOWN];
    uint64_t most = all_ones(t->bytes);
    int64_t v = 0;
    if (t->kind == LAUNCH_UNSIGNED)
        return launch_read_number(l, t->name, 0, most, out);
    int64_t top = (int64_t)(most >> 1);
    const char *s = launch_shown(l, text), *digits = s[0] == '-' ? s + 1 : s;
    bool octal = digits[0] == '0' && digits[1] != '\0' && digits[1] != 'x';
    if (!plain(l) || octal || !span_i64(span_of(s), &v) || v > top || v < -top - 1)
        return LAUNCH_FAIL(
            l, "%s: %s is %s, but must be a whole number between %" PRId64 " and %" PRId64,
            l->where, t->name, s, -top - 1, top);
    *out = (uint64_t)v & most;
    return true;
}

/* YAML's words for what is no number. */
static bool float_word(const char *s, double *out)
{
    if (strcmp(s, ".inf") == 0)
        *out = HUGE_VAL;
    else if (strcmp(s, "-.inf") == 0)
        *out = -HUGE_VAL;
    else if (strcmp(s, ".nan") == 0)
        *out = NAN;
    else
        return false;
    return true;
}

/* Characters of decimal and hexadecimal numbers: keeps "nan", "infinity" and blanks out of strtod.
 */
static bool float_text(const char *s)
{
    bool hex = strncmp(s + (s[0] == '-' || s[0] == '+'), "0x", 2) == 0;
    return s[0] != '\0' &&
           s[strspn(s, hex ? "+-.0123456789abcdefABCDEFxp" : "+-.0123456789eE")] == '\0';
}

static bool read_float(struct launch_reader *l, const struct launch_type_info *t, uint64_t *out)
{
    char text[LAUNCH_NAME_SHOWN];
    const char *s = launch_shown(l, text);
    char *end = text;
    double d = 0;
    float f = 0;
    bool word = plain(l) && float_word(s, &d);
    f = (float)d;
    if (!word) {
        if (plain(l) && float_text(s)) {
            d = strtod(s, &end);
            f = strtof(s, &end); /* one rounding, unlike (float)d */
        }
        if (end == text || *end != '\0')
            return LAUNCH_FAIL(l, "%s: %s is %s, but must be a number", l->where, t->name, s);
        if (isinf(t->bytes == 4 ? (double)f : d))
            return LAUNCH_FAIL(l, "%s: %s is %s, which is too large for %u bits", l->where, t->name,
                               s, 8 * t->bytes);
    }
    uint32_t low = 0;
    memcpy(&low, &f, sizeof low);
    *out = low;
    if (t->bytes == 8)
        memcpy(out, &d, sizeof *out);
    return true;
}

static void read_scalar(struct launch_reader *l, struct arg_reader *a, enum launch_type type)
{
    const struct launch_type_info *t = &types[type];
    if (++a->values > 1)
        LAUNCH_FAIL(l, "%s: an argument has one type, but a second one, %s, stands here", l->where,
                    t->name);
    a->arg->type = type;
    if (t->kind != LAUNCH_FLOAT)
        read_integer(l, t, &a->arg->value);
    else if (t->bytes == 2)
        LAUNCH_FAIL(l, "%s: f16 is a type of buffers only", l->where);
    else
        read_float(l, t, &a->arg->value);
}

static void read_type(struct launch_reader *l, struct launch_arg *arg)
{
    char text[LAUNCH_NAME_SHOWN];
    const char *s = launch_shown(l, text);
    arg->is_buffer = true;
    for (uint32_t i = 0; i < LAUNCH_TYPE_COUNT; i++) {
        if (l->r.event.type == YAML_SCALAR_EVENT && strcmp(s, types[i].name) == 0) {
            arg->type = (enum launch_type)i;
            return;
        }
    }
    LAUNCH_FAIL(l, "%s: buf is %s, but must be a type such as u32, f32, f16 or f64", l->where, s);
}

static void unknown_init(struct launch_reader *l, const char *word)
{
    struct closest near = {.word = word};
    for (uint32_t i = 0; i < LAUNCH_INIT_COUNT; i++)
        closest_offer(&near, inits[i].name);
    LAUNCH_FAIL(l,
                "%s: init is '%s', but must be zeros, iota, hash SEED, ring STRIDE, times N or "
                "file PATH%s%s%s",
                l->where, word, near.found ? " (did you mean '" : "", near.found ? near.found : "",
                near.found ? "'?)" : "");
}

static void read_init(struct launch_reader *l, struct launch_arg *arg)
{
    const char *text = launch_read_text(l, "init");
    if (!text)
        return;
    struct span rest = span_trim(span_of(text)), word = span_word(&rest);
    char name[LAUNCH_NAME_SHOWN];
    value_text(name, sizeof name, word.p, word.n);
    uint32_t i = 0;
    while (i < LAUNCH_INIT_COUNT && strcmp(name, inits[i].name) != 0)
        i++;
    if (i == LAUNCH_INIT_COUNT) {
        unknown_init(l, name);
        return;
    }
    arg->init = (enum launch_init)i;
    rest = span_trim(rest);
    bool number = arg->init == LAUNCH_INIT_hash || arg->init == LAUNCH_INIT_ring ||
                  arg->init == LAUNCH_INIT_times;
    if (inits[i].argument[0] == '\0' && rest.n > 0)
        LAUNCH_FAIL(l, "%s: init %s takes no argument, found '" SPAN_FMT "'", l->where, name,
                    SPAN_ARG(rest));
    else if (number && !span_u64(rest, &arg->number))
        LAUNCH_FAIL(l, "%s: init %s needs %s, a whole number, found '" SPAN_FMT "'", l->where, name,
                    inits[i].argument, SPAN_ARG(rest));
    else if (arg->init == LAUNCH_INIT_file && rest.n == 0)
        LAUNCH_FAIL(l, "%s: init file needs PATH", l->where);
    arg->path = rest.p;
}

static bool take_arg_key(struct launch_reader *l, uint32_t key, void *user)
{
    struct arg_reader *a = user;
    if (key == ARG_BUF)
        read_type(l, a->arg);
    else if (key == ARG_COUNT)
        launch_read_number(l, "count", 1, LAUNCH_MAX_BYTES, &a->arg->count);
    else if (key == ARG_INIT)
        read_init(l, a->arg);
    else
        read_scalar(l, a, (enum launch_type)(key - ARG_TYPES));
    return yaml_skip_value(&l->r);
}

static void check_arg(struct launch_reader *l, const struct arg_reader *a,
                      const struct launch_keys *keys)
{
    const struct launch_arg *arg = a->arg;
    bool buf = keys->seen[ARG_BUF] != 0, count = keys->seen[ARG_COUNT] != 0;
    bool init = keys->seen[ARG_INIT] != 0;
    if ((buf || count || init) && a->values > 0)
        LAUNCH_FAIL(l, "%s: an argument is either a buffer or a value, but this is both", l->where);
    else if (!buf && !count && !init && a->values == 0 && keys->unknown == 0)
        LAUNCH_FAIL(l,
                    "%s: the argument is empty: expected {buf: u32, count: N, init: zeros} or "
                    "a value such as {i32: 4}",
                    l->where);
    else if (a->values == 0 && keys->unknown == 0 && (!buf || !count || !init))
        LAUNCH_FAIL(l, "%s: the buffer has no '%s'", l->where,
                    !buf     ? "buf"
                    : !count ? "count"
                             : "init");
    else if (init && arg->init == LAUNCH_INIT_ring && count && arg->count > 0 &&
             (arg->number == 0 || arg->number > arg->count))
        LAUNCH_FAIL(l, "%s: init ring %" PRIu64 ": the stride must be between 1 and the count",
                    l->where, arg->number);
}

bool launch_read_arg(struct launch_reader *l, struct launch_arg *arg)
{
    static const char *const names[ARG_KEYS] = {
        "buf",
        "count",
        "init",
#define LAUNCH_TYPE(name, bytes, kind) #name,
#include "launch/launch_types.def"
#undef LAUNCH_TYPE
    };
    struct arg_reader a = {.arg = arg};
    arg->line = yaml_line(&l->r);
    if (l->r.event.type != YAML_MAPPING_START_EVENT) {
        LAUNCH_FAIL(l, "%s: an argument must be a mapping, such as {i32: 4}", l->where);
        return yaml_skip_value(&l->r);
    }
    struct launch_keys keys = {.names = names, .count = ARG_KEYS, .take = take_arg_key, .user = &a};
    TRY(launch_read_keys(l, &keys));
    check_arg(l, &a, &keys);
    return true;
}
