#include "trace/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum pack_kind { PACK_NONE, PACK_BASE, PACK_STRIDE, PACK_LIST };

static bool reserve(struct pack_bytes *b, size_t extra)
{
    if (b->len + extra <= b->cap)
        return true;
    size_t cap = b->cap ? b->cap + b->cap / 2 : 64;
    if (cap < b->len + extra)
        cap = b->len + extra;
    uint8_t *p = realloc(b->data, cap);
    if (!p)
        return false;
    b->data = p;
    b->cap = cap;
    return true;
}

bool pack_put_bytes(struct pack_bytes *b, const void *data, size_t len)
{
    TRY(reserve(b, len));
    if (len)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    return true;
}

/* A varint of 64 bits has no more bytes. */
#define VARINT_MAX 10

/* Writes a varint where there is room; returns its end. */
static uint8_t *write_varint(uint8_t *at, uint64_t v)
{
    while (v >= 0x80) {
        *at++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    return at;
}

bool pack_put(struct pack_bytes *b, uint64_t v)
{
    TRY(reserve(b, VARINT_MAX));
    b->len = (size_t)(write_varint(b->data + b->len, v) - b->data);
    return true;
}

static uint64_t zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

bool pack_put_signed(struct pack_bytes *b, int64_t v)
{
    return pack_put(b, zigzag(v));
}

bool pack_get(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
    uint64_t n = 0;
    for (uint32_t shift = 0; shift < 64 && *p < end; shift += 7) {
        uint8_t byte = *(*p)++;
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *v = n;
            return true;
        }
    }
    return false;
}

static int64_t unzigzag(uint64_t n)
{
    return (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
}

bool pack_get_signed(const uint8_t **p, const uint8_t *end, int64_t *v)
{
    uint64_t n;
    TRY(pack_get(p, end, &n));
    *v = unzigzag(n);
    return true;
}

bool pack_has_address(const struct inst *in)
{
    return op_class_is_memory((enum op_class)in->op_class) && in->mem_space != MEM_CONSTANT;
}

static uint32_t slot_of(const struct pack_state *s, uint32_t inst)
{
    uint32_t i = (inst * 2654435769u) & (s->cap - 1);
    while (s->entries[i].inst != 0 && s->entries[i].inst != inst + 1)
        i = (i + 1) & (s->cap - 1);
    return i;
}

static bool grow_state(struct pack_state *s)
{
    struct pack_state old = *s;
    s->cap = old.cap ? old.cap * 2 : 8;
    s->entries = calloc(s->cap, sizeof *s->entries);
    if (!s->entries) {
        *s = old;
        return false;
    }
    for (uint32_t i = 0; i < old.cap; i++) {
        if (old.entries[i].inst)
            s->entries[slot_of(s, old.entries[i].inst - 1)] = old.entries[i];
    }
    free(old.entries);
    return true;
}

/* Predictor of an instruction, made when it has none. NULL when out of memory. */
static struct pack_predictor *predictor(struct pack_state *s, uint32_t inst)
{
    if (s->used * 4 >= s->cap * 3 && !grow_state(s))
        return NULL;
    struct pack_predictor *p = &s->entries[slot_of(s, inst)];
    if (p->inst == 0) {
        p->inst = inst + 1;
        s->used++;
    }
    return p;
}

static void forget(struct pack_state *s)
{
    if (s->entries)
        memset(s->entries, 0, s->cap * sizeof *s->entries);
    s->used = 0;
    s->last_base = 0;
}

/* Both sides move the predictor on by what was written or read. */
static void learn(struct pack_state *s, struct pack_predictor *p, uint64_t base, int32_t stride)
{
    p->delta = p->seen ? (int64_t)(base - p->base) : 0;
    p->base = base;
    p->stride = stride;
    p->seen = true;
    s->last_base = base;
}

void pack_reset(struct pack_warp *w)
{
    struct pack_warp keep = {.flow = w->flow, .addresses = w->addresses, .state = w->state};
    keep.flow.len = keep.addresses.len = 0;
    forget(&keep.state);
    keep.mask = ~0u;
    *w = keep;
}

void pack_free(struct pack_warp *w)
{
    free(w->flow.data);
    free(w->addresses.data);
    free(w->state.entries);
    memset(w, 0, sizeof *w);
}

/* The first instruction of the run starts at run_inst; next_inst is where a run without a jump
 * would have started. */
static bool flush_run(struct pack_warp *w)
{
    if (w->run_length == 0)
        return true;
    uint64_t token =
        (uint64_t)w->run_length << 2 | (uint64_t)w->run_jump << 1 | (uint64_t)w->run_mask;
    TRY(pack_put(&w->flow, token));
    if (w->run_jump)
        TRY(pack_put_signed(&w->flow, (int64_t)w->run_inst - (int64_t)w->next_inst));
    if (w->run_mask)
        TRY(pack_put(&w->flow, w->mask));
    w->next_inst = w->run_inst + w->run_length;
    w->run_length = 0;
    return true;
}

bool pack_add_plain(struct pack_warp *w, uint32_t inst, uint32_t mask)
{
    w->insts++;
    if (w->run_length > 0 && inst == w->run_inst + w->run_length && mask == w->mask) {
        w->run_length++;
        return true;
    }
    TRY(flush_run(w));
    w->run_jump = inst != w->next_inst;
    w->run_mask = mask != w->mask;
    w->run_inst = inst;
    w->run_length = 1;
    w->mask = mask;
    return true;
}

/* Lane addresses as base and stride when they are that. */
static bool as_stride(const struct dyn_inst *d, uint64_t *base, int32_t *stride)
{
    if (d->addr_mode == ADDR_STRIDE) {
        *base = d->addr.base;
        *stride = d->stride;
        return true;
    }
    const uint64_t *list = d->addr.list;
    uint32_t first = lowest_bit(d->mask);
    uint32_t rest = d->mask & (d->mask - 1);
    int64_t step = 0;
    if (rest) {
        uint32_t second = lowest_bit(rest);
        int64_t diff = (int64_t)(list[second] - list[first]);
        step = diff / (int64_t)(second - first);
        if (step * (int64_t)(second - first) != diff || step > INT32_MAX || step < INT32_MIN)
            return false;
    }
    *base = list[first] - (uint64_t)(step * (int64_t)first);
    *stride = (int32_t)step;
    for (uint32_t m = rest; m != 0; m &= m - 1) {
        uint32_t lane = lowest_bit(m);
        if (list[lane] != *base + (uint64_t)(step * (int64_t)lane))
            return false;
    }
    return true;
}

static bool put_kind(struct pack_warp *w, enum pack_kind kind)
{
    TRY(pack_put(&w->addresses, w->predicted));
    w->predicted = 0;
    return pack_put(&w->addresses, kind);
}

static bool put_list(struct pack_warp *w, const struct dyn_inst *d)
{
    uint64_t last = w->state.last_base;
    w->has_lists = true;
    TRY(put_kind(w, PACK_LIST));
    TRY(reserve(&w->addresses, (size_t)VARINT_MAX * WARP_LANES));
    uint8_t *at = w->addresses.data + w->addresses.len;
    for (uint32_t m = d->mask; m != 0; m &= m - 1) {
        uint64_t a = d->addr.list[lowest_bit(m)];
        at = write_varint(at, zigzag((int64_t)(a - last)));
        last = a;
    }
    w->addresses.len = (size_t)(at - w->addresses.data);
    w->state.last_base = last;
    return true;
}

bool pack_add(struct pack_warp *w, const struct dyn_inst *d)
{
    TRY(pack_add_plain(w, d->inst, d->mask));
    uint64_t base;
    int32_t stride;
    if (d->addr_mode == ADDR_NONE || d->mask == 0)
        return put_kind(w, PACK_NONE);
    if (!as_stride(d, &base, &stride))
        return put_list(w, d);
    struct pack_predictor *p = predictor(&w->state, d->inst);
    TRY(p != NULL);
    if (p->seen && stride == p->stride && base == p->base + (uint64_t)p->delta) {
        w->predicted++;
    } else {
        bool same = p->seen && stride == p->stride;
        uint64_t from = p->seen ? p->base : w->state.last_base;
        TRY(put_kind(w, same ? PACK_BASE : PACK_STRIDE));
        TRY(pack_put_signed(&w->addresses, (int64_t)(base - from)));
        if (!same)
            TRY(pack_put_signed(&w->addresses, stride));
    }
    learn(&w->state, p, base, stride);
    return true;
}

bool pack_end(struct pack_warp *w)
{
    TRY(flush_run(w));
    if (w->predicted)
        TRY(pack_put(&w->addresses, w->predicted));
    w->predicted = 0;
    return true;
}

void pack_open(struct pack_cursor *c, const uint8_t *flow, size_t flow_len,
               const uint8_t *addresses, size_t addresses_len)
{
    struct pack_state keep = c->state;
    forget(&keep);
    *c = (struct pack_cursor){.flow = flow,
                              .flow_end = flow + flow_len,
                              .addresses = addresses,
                              .addresses_end = addresses + addresses_len,
                              .mask = ~0u,
                              .predicted = UINT64_MAX,
                              .state = keep};
}

void pack_close(struct pack_cursor *c)
{
    free(c->state.entries);
    memset(c, 0, sizeof *c);
}

static bool next_run(struct pack_cursor *c, uint32_t inst_count, const char **why)
{
    uint64_t token;
    *why = "the flow of instructions is cut off";
    TRY(pack_get(&c->flow, c->flow_end, &token));
    if (token & 2) {
        int64_t jump;
        TRY(pack_get_signed(&c->flow, c->flow_end, &jump));
        int64_t to = (int64_t)((uint64_t)c->next_inst + (uint64_t)jump);
        *why = "a jump leads out of the kernel";
        if (to < 0 || to >= inst_count)
            return false;
        c->next_inst = (uint32_t)to;
    }
    if (token & 1) {
        uint64_t mask;
        *why = "a mask is cut off";
        TRY(pack_get(&c->flow, c->flow_end, &mask));
        c->mask = (uint32_t)mask;
    }
    uint64_t length = token >> 2;
    *why = "a run leads out of the kernel";
    if (length == 0 || length > inst_count - c->next_inst)
        return false;
    c->left = (uint32_t)length;
    return true;
}

static bool get_list(struct pack_cursor *c, struct dyn_inst *d, uint64_t list[WARP_LANES])
{
    uint64_t last = c->state.last_base;
    const uint8_t *p = c->addresses, *end = c->addresses_end;
    memset(list, 0, WARP_LANES * sizeof list[0]);
    for (uint32_t m = d->mask; m != 0; m &= m - 1) {
        int64_t diff;
        if (p < end && *p < 0x80) /* most lanes are near each other */
            diff = unzigzag(*p++);
        else
            TRY(pack_get_signed(&p, end, &diff));
        last += (uint64_t)diff;
        list[lowest_bit(m)] = last;
    }
    c->addresses = p;
    c->state.last_base = last;
    d->addr_mode = ADDR_LIST;
    d->addr.list = list;
    return true;
}

static bool get_explicit(struct pack_cursor *c, struct pack_predictor *p, struct dyn_inst *d,
                         uint64_t list[WARP_LANES])
{
    uint64_t kind;
    TRY(pack_get(&c->addresses, c->addresses_end, &kind));
    c->predicted = UINT64_MAX; /* the next count has not been read */
    if (kind == PACK_NONE)
        return true;
    if (kind == PACK_LIST)
        return list != NULL && get_list(c, d, list);
    uint64_t from = p->seen ? p->base : c->state.last_base;
    int64_t diff, stride = p->stride;
    TRY(kind == PACK_BASE || kind == PACK_STRIDE);
    TRY(pack_get_signed(&c->addresses, c->addresses_end, &diff));
    if (kind == PACK_STRIDE)
        TRY(pack_get_signed(&c->addresses, c->addresses_end, &stride));
    d->addr_mode = ADDR_STRIDE;
    d->addr.base = from + (uint64_t)diff;
    d->stride = (int32_t)stride;
    learn(&c->state, p, d->addr.base, d->stride);
    return true;
}

static bool get_address(struct pack_cursor *c, struct dyn_inst *d, uint64_t list[WARP_LANES],
                        const char **why)
{
    *why = "out of memory";
    struct pack_predictor *p = predictor(&c->state, d->inst);
    TRY(p != NULL);
    *why = "the addresses are damaged";
    if (c->predicted == UINT64_MAX)
        TRY(pack_get(&c->addresses, c->addresses_end, &c->predicted));
    if (c->predicted == 0)
        return get_explicit(c, p, d, list);
    c->predicted--;
    TRY(p->seen);
    d->addr_mode = ADDR_STRIDE;
    d->addr.base = p->base + (uint64_t)p->delta;
    d->stride = p->stride;
    learn(&c->state, p, d->addr.base, d->stride);
    return true;
}

bool pack_read(struct pack_cursor *c, const uint8_t *is_memory, uint32_t inst_count,
               struct dyn_inst *out, uint32_t n, uint64_t (*lists)[WARP_LANES], uint32_t *got,
               const char **why)
{
    uint32_t i = 0;
    while (i < n) {
        if (c->left == 0) {
            if (c->flow == c->flow_end)
                break;
            TRY(next_run(c, inst_count, why));
        }
        uint32_t take = c->left < n - i ? c->left : n - i;
        for (uint32_t k = 0; k < take; k++, i++) {
            uint32_t inst = c->next_inst + k;
            out[i] = (struct dyn_inst){.inst = inst, .mask = c->mask};
            if (is_memory[inst])
                TRY(get_address(c, &out[i], lists ? lists[i] : NULL, why));
        }
        c->next_inst += take;
        c->left -= take;
    }
    *got = i;
    return true;
}
