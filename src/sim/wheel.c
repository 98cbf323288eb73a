#include "sim/wheel.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void wheel_init(struct wheel *w, cycle_t now)
{
    memset(w, 0, sizeof *w);
    memset(w->first, 0xff, sizeof w->first);
    memset(w->last, 0xff, sizeof w->last);
    w->now = now;
    w->free_node = WHEEL_NONE;
}

void wheel_free(struct wheel *w)
{
    free(w->nodes);
    free(w->heap);
    memset(w, 0, sizeof *w);
}

void wheel_restart(struct wheel *w, cycle_t now)
{
    w->now = now;
}

static bool grow_nodes(struct wheel *w)
{
    uint32_t cap = w->node_cap ? w->node_cap * 2 : 64;
    struct wheel_node *p = realloc(w->nodes, cap * sizeof *p);
    if (!p)
        return false;
    for (uint32_t i = w->node_cap; i < cap; i++)
        p[i].next = i + 1 < cap ? i + 1 : w->free_node;
    w->free_node = w->node_cap;
    w->nodes = p;
    w->node_cap = cap;
    return true;
}

static bool earlier(const struct wheel *w, uint32_t a, uint32_t b)
{
    const struct wheel_node *x = &w->nodes[a], *y = &w->nodes[b];
    return x->cycle != y->cycle ? x->cycle < y->cycle : x->seq < y->seq;
}

static bool heap_push(struct wheel *w, uint32_t node)
{
    if (w->heap_len == w->heap_cap) {
        uint32_t cap = w->heap_cap ? w->heap_cap * 2 : 64;
        uint32_t *p = realloc(w->heap, cap * sizeof *p);
        if (!p)
            return false;
        w->heap = p;
        w->heap_cap = cap;
    }
    uint32_t i = w->heap_len++;
    while (i > 0 && earlier(w, node, w->heap[(i - 1) / 2])) {
        w->heap[i] = w->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->heap[i] = node;
    return true;
}

static uint32_t heap_pop(struct wheel *w)
{
    uint32_t top = w->heap[0];
    uint32_t moved = w->heap[--w->heap_len];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= w->heap_len)
            break;
        if (child + 1 < w->heap_len && earlier(w, w->heap[child + 1], w->heap[child]))
            child++;
        if (!earlier(w, w->heap[child], moved))
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    if (w->heap_len > 0)
        w->heap[i] = moved;
    return top;
}

static void append(struct wheel *w, uint32_t node)
{
    uint32_t slot = (uint32_t)(w->nodes[node].cycle % WHEEL_SLOTS);
    w->nodes[node].next = WHEEL_NONE;
    if (w->first[slot] == WHEEL_NONE) {
        w->first[slot] = node;
        w->occupied[slot / 64] |= 1ull << (slot % 64);
    } else {
        w->nodes[w->last[slot]].next = node;
    }
    w->last[slot] = node;
}

void wheel_push(struct wheel *w, cycle_t cycle, struct event e)
{
    if (w->free_node == WHEEL_NONE && !grow_nodes(w)) {
        w->failed = true;
        return;
    }
    uint32_t node = w->free_node;
    struct wheel_node *n = &w->nodes[node];
    w->free_node = n->next;
    n->event = e;
    n->cycle = cycle < w->now ? w->now : cycle;
    n->seq = w->seq++;
    w->count++;
    if (n->cycle - w->now < WHEEL_SLOTS)
        append(w, node);
    else if (!heap_push(w, node))
        w->failed = true;
}

/* Moves the far events that now fit into buckets. They were inserted before any event that was put
 * directly into their bucket since then, so order within a cycle stays that of insertion. */
static void advance(struct wheel *w, cycle_t now)
{
    w->now = now;
    while (w->heap_len > 0 && w->nodes[w->heap[0]].cycle - now < WHEEL_SLOTS)
        append(w, heap_pop(w));
}

cycle_t wheel_next(const struct wheel *w)
{
    uint32_t start = (uint32_t)(w->now % WHEEL_SLOTS);
    uint64_t word = w->occupied[start / 64] & (~0ull << (start % 64));
    for (uint32_t i = 0; i <= WHEEL_SLOTS / 64; i++) {
        uint32_t index = (start / 64 + i) % (WHEEL_SLOTS / 64);
        if (i > 0)
            word = w->occupied[index];
        if (word != 0) {
            uint32_t slot = index * 64 + lowest_bit(word);
            return w->now + ((slot - start) % WHEEL_SLOTS);
        }
    }
    return w->heap_len > 0 ? w->nodes[w->heap[0]].cycle : CYCLE_NEVER;
}

bool wheel_pop(struct wheel *w, cycle_t now, struct event *out)
{
    if (w->count == 0) {
        w->now = now;
        return false;
    }
    cycle_t next = wheel_next(w);
    if (next > now) {
        advance(w, now);
        return false;
    }
    if (next != w->now)
        advance(w, next);
    uint32_t slot = (uint32_t)(next % WHEEL_SLOTS);
    uint32_t node = w->first[slot];
    *out = w->nodes[node].event;
    w->first[slot] = w->nodes[node].next;
    if (w->first[slot] == WHEEL_NONE) {
        w->last[slot] = WHEEL_NONE;
        w->occupied[slot / 64] &= ~(1ull << (slot % 64));
    }
    w->nodes[node].next = w->free_node;
    w->free_node = node;
    w->count--;
    return true;
}
