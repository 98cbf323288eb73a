#include "study/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"

#define PATH_MAX_SIZE 256

static bool no_memory(struct sim_err *err)
{
    return err_memory(err, "comparing results");
}

static bool read_result(struct comparison *c, int i, const char *path, struct sim_err *err)
{
    struct stream *s = NULL;
    struct buf text = {0};
    char block[1 << 16];
    size_t got = 0;
    bool ok = stream_open(&s, path, err);
    while (ok && (ok = stream_read(s, block, sizeof block, &got, err)) && got > 0)
        buf_add(&text, block, got);
    stream_close(s);
    if (ok && text.failed)
        ok = no_memory(err);
    if (ok)
        c->json[i] = json_parse(&c->arena, path, text.data ? text.data : "", text.len, err);
    buf_free(&text);
    c->file[i] = path;
    TRY(ok && c->json[i]);
    const struct json_value *kernels = json_member(c->json[i], "kernels");
    if (!kernels || kernels->kind != JSON_ARRAY || !json_member(c->json[i], "config"))
        return err_set(err, ERR_INPUT, path, 0, 0, "expected a result of `subcore run`");
    return true;
}

/* Values of one kernel being collected. */
struct values {
    struct comparison_value *items;
    size_t count, cap;
    struct arena *arena;
    bool failed;
};

static struct comparison_value *find_value(struct values *v, const char *path)
{
    for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->items[i].path, path) == 0)
            return &v->items[i];
    if (v->count == v->cap) {
        size_t cap = v->cap ? 2 * v->cap : 256;
        struct comparison_value *p = arena_array(v->arena, cap, sizeof *p);
        if (!p) {
            v->failed = true;
            return NULL;
        }
        if (v->count > 0)
            memcpy(p, v->items, v->count * sizeof *p);
        v->items = p;
        v->cap = cap;
    }
    struct comparison_value *item = &v->items[v->count++];
    *item = (struct comparison_value){arena_strndup(v->arena, path, strlen(path)), {NAN, NAN}};
    v->failed = v->failed || !item->path;
    return v->failed ? NULL : item;
}

/* Not numbers of the model, or compared by themselves. */
static bool is_left_out(const char *key)
{
    static const char *const keys[] = {"host",  "kernel",         "start_cycle", "by_pc",  "grid",
                                       "block", "no_instruction", "kernels",     "hazards"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static void collect(struct values *v, const struct json_value *object, const char *prefix, int side)
{
    for (const struct json_value *m = object ? object->first : NULL; m; m = m->next) {
        char path[PATH_MAX_SIZE];
        if (!m->key || (!prefix[0] && is_left_out(m->key)))
            continue;
        snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", m->key);
        if (m->kind == JSON_OBJECT) {
            collect(v, m, path, side);
        } else if (m->kind == JSON_NUMBER) {
            struct comparison_value *value = find_value(v, path);
            if (value)
                value->v[side] = m->number;
        }
    }
}

double comparison_weight(const struct comparison_value *v)
{
    double a = isnan(v->v[0]) ? 0 : fabs(v->v[0]), b = isnan(v->v[1]) ? 0 : fabs(v->v[1]);
    double larger = a > b ? a : b;
    return larger > 0 ? fabs(a - b) / larger * log2(2 + larger) : 0;
}

static int by_weight(const void *pa, const void *pb)
{
    double a = comparison_weight(pa), b = comparison_weight(pb);
    if (a != b)
        return a > b ? -1 : 1;
    return strcmp(((const struct comparison_value *)pa)->path,
                  ((const struct comparison_value *)pb)->path);
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool compare_values(struct comparison *c, struct comparison_kernel *k, struct sim_err *err)
{
    struct values v = {.arena = &c->arena};
    for (int side = 0; side < 2; side++)
        collect(&v, k->json[side], "", side);
    if (v.failed)
        return no_memory(err);
    for (size_t i = 0; i < v.count; i++)
        if (!same(v.items[i].v[0], v.items[i].v[1]))
            v.items[k->value_count++] = v.items[i];
    k->values = v.items;
    if (k->value_count > 1)
        qsort(k->values, k->value_count, sizeof *k->values, by_weight);
    return true;
}

static int by_change(const void *pa, const void *pb)
{
    const struct comparison_pc *a = pa, *b = pb;
    double x = fabs(a->cycles[1] - a->cycles[0]), y = fabs(b->cycles[1] - b->cycles[0]);
    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(a->pc, b->pc);
}

static int by_pc(const void *pa, const void *pb)
{
    const struct comparison_pc *a = pa, *b = pb;
    size_t n = strlen(a->pc), m = strlen(b->pc);
    return n != m ? (n < m ? -1 : 1) : strcmp(a->pc, b->pc);
}

/* Rows of both files in one list, then the pairs of one pc as one. */
static bool compare_pcs(struct comparison *c, struct comparison_kernel *k, struct sim_err *err)
{
    const struct json_value *rows[2] = {json_member(k->json[0], "by_pc"),
                                        json_member(k->json[1], "by_pc")};
    k->by_pc = rows[0] && rows[1];
    if (!k->by_pc)
        return true;
    struct comparison_pc *all =
        arena_array(&c->arena, rows[0]->count + rows[1]->count + 1, sizeof *all);
    if (!all)
        return no_memory(err);
    size_t n = 0;
    for (int side = 0; side < 2; side++) {
        for (const struct json_value *r = rows[side]->first; r; r = r->next) {
            struct comparison_pc *p = &all[n++];
            p->pc = json_text(r, "pc");
            p->sass = json_text(r, "sass");
            p->row[side] = r;
            p->cycles[side] = json_number(r, "warp_cycles", 0);
        }
    }
    qsort(all, n, sizeof *all, by_pc);
    for (size_t i = 0; i < n; i++) {
        struct comparison_pc p = all[i];
        if (i + 1 < n && strcmp(p.pc, all[i + 1].pc) == 0) {
            i++;
            for (int side = 0; side < 2; side++) {
                p.row[side] = p.row[side] ? p.row[side] : all[i].row[side];
                p.cycles[side] += all[i].cycles[side];
            }
        }
        if (p.cycles[0] != p.cycles[1])
            all[k->pc_count++] = p;
    }
    k->pcs = all;
    qsort(k->pcs, k->pc_count, sizeof *k->pcs, by_change);
    return true;
}

static bool compare_kernel(struct comparison *c, struct comparison_kernel *k, struct sim_err *err)
{
    for (int side = 0; side < 2; side++)
        k->cycles[side] = json_number(k->json[side], "cycles", NAN);
    return compare_values(c, k, err) && compare_pcs(c, k, err);
}

/* The launch's name, else the kernel's. */
static const char *label_of(const struct json_value *kernel)
{
    const char *launch = json_text(kernel, "launch");
    return launch[0] ? launch : json_text(kernel, "name");
}

/* The nth kernel (from 0) with this label. */
static const struct json_value *find_kernel(const struct json_value *kernels, const char *label,
                                            size_t nth)
{
    for (const struct json_value *k = kernels->first; k; k = k->next)
        if (strcmp(label_of(k), label) == 0 && nth-- == 0)
            return k;
    return NULL;
}

/* How many kernels before this one have its label. */
static size_t rank_of(const struct json_value *kernels, const struct json_value *kernel)
{
    size_t n = 0;
    for (const struct json_value *k = kernels->first; k != kernel; k = k->next)
        n += strcmp(label_of(k), label_of(kernel)) == 0;
    return n;
}

static int by_cycles(const void *pa, const void *pb)
{
    const struct comparison_kernel *a = pa, *b = pb;
    double x = fabs(a->cycles[1] - a->cycles[0]), y = fabs(b->cycles[1] - b->cycles[0]);
    if (x != y)
        return x > y ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool pair_kernels(struct comparison *c, struct sim_err *err)
{
    const struct json_value *lists[2] = {json_member(c->json[0], "kernels"),
                                         json_member(c->json[1], "kernels")};
    c->kernels = arena_array(&c->arena, lists[0]->count + 1, sizeof *c->kernels);
    if (!c->kernels)
        return no_memory(err);
    for (int side = 0; side < 2; side++) {
        c->only[side] = arena_array(&c->arena, lists[side]->count + 1, sizeof *c->only[side]);
        if (!c->only[side])
            return no_memory(err);
        for (const struct json_value *k = lists[side]->first; k; k = k->next) {
            const struct json_value *other =
                find_kernel(lists[1 - side], label_of(k), rank_of(lists[side], k));
            if (!other) {
                c->only[side][c->only_count[side]++] = label_of(k);
            } else if (side == 0) {
                struct comparison_kernel *pair = &c->kernels[c->kernel_count++];
                *pair = (struct comparison_kernel){.label = label_of(k), .json = {k, other}};
                TRY(compare_kernel(c, pair, err));
            }
        }
    }
    if (c->kernel_count == 0)
        return err_set(err, ERR_INPUT, c->file[1], 0, 0, "has no kernel of %s", c->file[0]);
    qsort(c->kernels, c->kernel_count, sizeof *c->kernels, by_cycles);
    return true;
}

bool comparison_make(struct comparison *out, const char *a, const char *b, struct sim_err *err)
{
    memset(out, 0, sizeof *out);
    TRY(read_result(out, 0, a, err) && read_result(out, 1, b, err));
    TRY(pair_kernels(out, err));
    out->total.label = "total";
    for (int side = 0; side < 2; side++)
        out->total.json[side] = json_member(out->json[side], "total");
    return compare_kernel(out, &out->total, err);
}

void comparison_free(struct comparison *c)
{
    arena_free(&c->arena);
    memset(c, 0, sizeof *c);
}

/* A value of the configuration as text: a scalar, or the members of a list. */
static void value_text(char *out, size_t size, const struct json_value *v)
{
    size_t n = 0;
    out[0] = '\0';
    v = json_member(v, "value");
    if (!v)
        return;
    if (v->kind != JSON_ARRAY) {
        snprintf(out, size, "%s", v->text ? v->text : "");
        return;
    }
    for (const struct json_value *m = v->first; m && n < size; m = m->next)
        n += (size_t)snprintf(out + n, size - n, "%s%s", n > 0 ? ", " : "", m->text ? m->text : "");
}

static bool is_value(const struct json_value *v)
{
    return json_member(v, "value") && json_member(v, "origin");
}

static void compare_config(const struct json_value *a, const struct json_value *b,
                           const char *prefix, bool missing_only,
                           void (*add)(void *, const char *, const char *, const char *),
                           void *user)
{
    for (const struct json_value *m = a->first; m; m = m->next) {
        char path[PATH_MAX_SIZE], va[PATH_MAX_SIZE], vb[PATH_MAX_SIZE];
        const struct json_value *other = json_member(b, m->key);
        snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", m->key);
        if (m->kind == JSON_OBJECT && !is_value(m)) {
            static const struct json_value empty = {.kind = JSON_OBJECT};
            compare_config(m, other ? other : &empty, path, missing_only, add, user);
            continue;
        }
        value_text(va, sizeof va, m);
        value_text(vb, sizeof vb, other);
        if (missing_only && !other)
            add(user, path, "", va);
        else if (!missing_only && strcmp(va, vb) != 0)
            add(user, path, va, vb);
    }
}

void comparison_config(const struct comparison *c,
                       void (*add)(void *user, const char *key, const char *a, const char *b),
                       void *user)
{
    const struct json_value *a = json_member(c->json[0], "config"),
                            *b = json_member(c->json[1], "config");
    compare_config(a, b, "", false, add, user);
    compare_config(b, a, "", true, add, user);
}
