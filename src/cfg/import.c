#include "cfg/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/import_parts.h"
#include "cfg/schema.h"

enum row_kind { ROW_CARRY, ROW_WORD, ROW_PART, ROW_LEFT };
enum row_op { OF, BY, SUM };
enum row_files { ANY, ACCELSIM, ARTIFACT };

struct row {
    enum row_kind kind;
    enum row_files files;
    const char *option;
    const char *key;  /* CARRY, WORD */
    const char *text; /* WORD: the option's value; PART, LEFT: why */
    const char *word; /* WORD */
    uint32_t part;
    enum row_op op;
    uint32_t mul, div, add;
};

static const struct row rows[] = {
#define CARRY(option, part, op, key, mul, div, add, files)                                         \
    {ROW_CARRY, files, option, key, NULL, NULL, part, op, mul, div, add},
#define WORD(option, value, key, word, files)                                                      \
    {ROW_WORD, files, option, key, value, word, 0, OF, 1, 1, 0},
#define PART(option, why) {ROW_PART, ANY, option, NULL, why, NULL, 0, OF, 1, 1, 0},
#define LEFT(option, why) {ROW_LEFT, ANY, option, NULL, why, NULL, 0, OF, 1, 1, 0},
#include "cfg/import.def"
#undef CARRY
#undef WORD
#undef PART
#undef LEFT
};
#define ROWS (sizeof rows / sizeof rows[0])

size_t import_row_count(void)
{
    return ROWS;
}

const char *import_row_key(size_t row)
{
    return rows[row].key;
}

/* Numbers of the files have three decimals at most ("3500.5" MHz). */
#define DECIMALS 1000u

struct fraction {
    uint64_t num, den;
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a ? a : 1;
}

/* f *= num / den. False when the number gets too large. */
static bool multiply(struct fraction *f, uint64_t num, uint64_t den)
{
    if (den == 0 || (num != 0 && f->num > UINT64_MAX / num) || f->den > UINT64_MAX / den)
        return false;
    f->num *= num;
    f->den *= den;
    uint64_t d = common_divisor(f->num, f->den);
    f->num /= d;
    f->den /= d;
    return true;
}

/* Part `part` of a value in units of 1 / DECIMALS. */
static bool part_of(const char *value, uint32_t part, uint64_t *out)
{
    for (; part > 0; part--) {
        value += strcspn(value, ":,");
        if (*value == '\0')
            return false;
        value++;
    }
    uint64_t v = 0, scale = DECIMALS;
    size_t n = strcspn(value, ":,"), digits = 0;
    bool fraction = false;
    for (size_t i = 0; i < n; i++) {
        if (value[i] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (value[i] < '0' || value[i] > '9' || v > UINT32_MAX)
            return false;
        digits++;
        if (fraction && scale == 1)
            continue; /* finer than any clock is given */
        v = v * 10 + (uint64_t)(value[i] - '0');
        if (fraction)
            scale /= 10;
    }
    *out = v * scale;
    return digits > 0;
}

static bool applies(const struct row *r, bool artifact)
{
    return r->files == ANY || (r->files == ARTIFACT) == artifact;
}

static void say_why(struct import *im, const char *option, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The first reason given for an option stays. */
static void say_why(struct import *im, const char *option, const char *fmt, ...)
{
    struct import_option *o = import_find(im, option);
    va_list ap;
    if (!o || o->why[0])
        return;
    va_start(ap, fmt);
    vsnprintf(o->why, sizeof o->why, fmt, ap);
    va_end(ap);
}

/* Takes one row into the value of its key. */
static bool take_row(struct import *im, const struct row *r, struct fraction *f)
{
    uint64_t v;
    const struct import_option *o = import_find(im, r->option);
    if (!part_of(o->value, r->part, &v)) {
        say_why(im, r->option, "%s not set: expected a number as part %u of the value", r->key,
                r->part + 1);
        return false;
    }
    bool ok = true;
    if (r->op == BY) {
        ok = multiply(f, (uint64_t)DECIMALS * r->div, v * r->mul);
    } else if (r->op == OF) {
        ok = multiply(f, v * r->mul, (uint64_t)DECIMALS * r->div);
    } else {
        struct fraction sum = {v * r->mul, (uint64_t)DECIMALS * r->div};
        ok = sum.num <= UINT64_MAX / f->den && f->num <= UINT64_MAX / sum.den / 2;
        if (ok)
            *f = (struct fraction){f->num * sum.den + sum.num * f->den, f->den * sum.den};
        ok = ok && multiply(f, 1, 1);
    }
    if (!ok)
        say_why(im, r->option, "%s not set: the value is too large, or divided by 0", r->key);
    return ok;
}

static void add_from(struct import_key *k, const struct import_option *o)
{
    char part[2 * IMPORT_VALUE_SIZE + 2];
    snprintf(part, sizeof part, "%s %s", o->name, o->value);
    if (strstr(k->from, part))
        return;
    size_t len = strlen(k->from);
    snprintf(k->from + len, sizeof k->from - len, "%s%s", len > 0 ? ", " : "", part);
}

/* Writes the number as the key's type wants it; false when it is out of range. */
static bool print_number(struct import_key *k, uint64_t v)
{
    if (k->key->type == KEY_TYPE_BOOL) {
        snprintf(k->value, sizeof k->value, "%s", v ? "true" : "false");
        return v <= 1;
    }
    if (k->key->type == KEY_TYPE_W3)
        snprintf(k->value, sizeof k->value, "[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", v, v, v);
    else
        snprintf(k->value, sizeof k->value, "%" PRIu64, v);
    return v >= k->key->min && v <= k->key->max;
}

/* Forms one key out of the CARRY rows that name it; false when it gets no value. */
static bool form_number(struct import *im, const char *path, bool artifact, struct import_key *k)
{
    struct fraction f = {1, 1};
    uint64_t add = 0;
    bool first = true;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        if (r->kind != ROW_CARRY || strcmp(r->key, path) != 0 || !applies(r, artifact))
            continue;
        if (first && r->op == SUM)
            f.num = 0;
        if (!take_row(im, r, &f))
            return false;
        add_from(k, import_find(im, r->option));
        add += r->add;
        first = false;
    }
    uint64_t v = f.num / f.den + (f.num % f.den >= f.den - f.num % f.den) + add;
    if (print_number(k, v))
        return true;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].kind == ROW_CARRY && strcmp(rows[i].key, path) == 0 &&
            applies(&rows[i], artifact))
            say_why(im, rows[i].option, "%s not set: %" PRIu64 " is outside of its range %u to %u",
                    path, v, k->key->min, k->key->max);
    return false;
}

/* All options of the key are there? Those that are there without the others are told so. */
static bool options_given(struct import *im, const char *path, bool artifact, bool *any)
{
    const char *missing = NULL;
    *any = false;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        if (r->kind != ROW_CARRY || strcmp(r->key, path) != 0 || !applies(r, artifact))
            continue;
        if (import_find(im, r->option))
            *any = true;
        else
            missing = r->option;
    }
    for (size_t i = 0; missing && i < ROWS; i++)
        if (rows[i].kind == ROW_CARRY && strcmp(rows[i].key, path) == 0 &&
            applies(&rows[i], artifact))
            say_why(im, rows[i].option, "%s not set: it needs %s too", path, missing);
    return *any && !missing;
}

static bool form_word(struct import *im, const char *path, bool artifact, struct import_key *k)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        if (r->kind != ROW_WORD || strcmp(r->key, path) != 0 || !applies(r, artifact))
            continue;
        const struct import_option *o = import_find(im, r->option);
        if (!o || strcmp(o->value, r->text) != 0)
            continue;
        snprintf(k->value, sizeof k->value, "%s", r->word);
        add_from(k, o);
        return true;
    }
    return false;
}

/* The options of a key that was set went over. */
static void mark_carried(struct import *im, const char *path, bool artifact)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (!rows[i].key || strcmp(rows[i].key, path) != 0 || !applies(&rows[i], artifact))
            continue;
        struct import_option *o = import_find(im, rows[i].option);
        if (o)
            o->carried = true;
    }
}

static bool form_keys(struct import *im, bool artifact, struct sim_err *err)
{
    im->keys = calloc(config_key_count(), sizeof *im->keys);
    if (!im->keys)
        return err_memory(err, "importing a configuration");
    for (size_t i = 0; i < config_key_count(); i++) {
        const char *path = config_key(i)->path;
        struct import_key *k = &im->keys[im->key_count];
        bool any = false;
        memset(k, 0, sizeof *k);
        k->key = config_key(i);
        if (options_given(im, path, artifact, &any) ? form_number(im, path, artifact, k)
                                                    : form_word(im, path, artifact, k)) {
            mark_carried(im, path, artifact);
            im->key_count++;
        }
    }
    return true;
}

static bool matches(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);
    if (n > 0 && pattern[n - 1] == '*')
        return strncmp(pattern, name, n - 1) == 0;
    return strcmp(pattern, name) == 0;
}

/* A reason for every option that went nowhere, or not as a whole. */
static void explain_rest(struct import *im)
{
    for (size_t i = 0; i < im->option_count; i++) {
        struct import_option *o = &im->options[i];
        for (size_t r = 0; r < ROWS; r++)
            if (rows[r].kind == (o->carried ? ROW_PART : ROW_LEFT) &&
                matches(rows[r].option, o->name))
                say_why(im, o->name, "%s", rows[r].text);
        if (!o->carried)
            say_why(im, o->name, "unknown option");
    }
}

/* The shipped card of the nearest architecture. */
static const char *nearest_card(const struct import *im)
{
    uint64_t major = 0, minor = 0;
    const struct import_option *a = import_find(im, "-gpgpu_compute_capability_major");
    const struct import_option *b = import_find(im, "-gpgpu_compute_capability_minor");
    if (a)
        part_of(a->value, 0, &major);
    if (b)
        part_of(b->value, 0, &minor);
    uint64_t sm = (10 * major + minor) / DECIMALS;
    return sm == 0 ? "rtx_a6000" : sm < 80 ? "rtx_2080_ti" : sm < 90 ? "rtx_a6000" : "h200";
}

bool import_read(struct import *im, const char *const *paths, size_t count, const char *base,
                 struct sim_err *err)
{
    memset(im, 0, sizeof *im);
    for (size_t i = 0; i < count; i++)
        TRY(import_read_file(im, paths[i], err));
    const struct import_option *o = import_find(im, "-is_SM_remodeling_enabled");
    TRY(form_keys(im, o && strcmp(o->value, "1") == 0, err));
    explain_rest(im);
    snprintf(im->base, sizeof im->base, "%s", base ? base : nearest_card(im));
    return true;
}

void import_free(struct import *im)
{
    free(im->options);
    free(im->keys);
    memset(im, 0, sizeof *im);
}

size_t import_carried(const struct import *im)
{
    size_t n = 0;
    for (size_t i = 0; i < im->option_count; i++)
        n += im->options[i].carried;
    return n;
}
