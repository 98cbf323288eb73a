#include "mem/memory.h"

#include <string.h>

#include "cfg/topology.h"

/* A line on its way through its part. */
struct place {
    struct memory_part *part;
    struct l2_slice *near, *home; /* the same when the line is at home in the SM's partition */
    struct l2_slice *other;       /* of the partition that is not home; NULL = there is one */
    struct dram_channel *channel;
    uint64_t slice_index;   /* of the line in its slice */
    uint64_t channel_index; /* and in its channel */
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Units are what a part has most of, slices or channels; each goes with one of the others. */
static void assign_units(struct memory *m)
{
    uint32_t slices = m->partitions * m->slices;
    uint32_t units = slices > m->channels ? slices : m->channels;
    for (uint32_t u = 0; u < units; u++) {
        uint32_t slice = u * slices / units;
        m->home[u] = (uint8_t)(slice / m->slices);
        m->slice[u] = (uint8_t)(slice % m->slices);
        m->channel[u] = (uint8_t)(u * m->channels / units);
    }
    m->part_of = divider_make(m->part_count);
    m->unit_of = divider_make(units);
    m->slice_of = divider_make(m->slices);
    m->channel_of = divider_make(m->channels);
}

static bool init_part(struct memory *m, uint32_t index, struct arena *arena)
{
    const struct l2_cfg *l2 = &m->cfg->l2;
    struct memory_part *p = &m->parts[index];
    uint32_t slices = m->partitions * m->slices;
    uint32_t sets = l2->bytes / l2->line_bytes / l2->ways / l2->slices;
    p->slices = arena_array(arena, slices, sizeof *p->slices);
    p->channels = arena_array(arena, m->channels, sizeof *p->channels);
    if (!p->slices || !p->channels)
        return false;
    for (uint32_t i = 0; i < slices; i++) {
        if (!l2_slice_init(&p->slices[i], arena, sets, l2->ways))
            return false;
    }
    for (uint32_t i = 0; i < m->channels; i++) {
        if (!dram_channel_init(&p->channels[i], &m->dram, index * m->channels + i,
                               m->cfg->dram.channels, arena))
            return false;
    }
    return true;
}

/* SMs of a GPC are in one partition, and GPCs alternate. */
static bool place_sms(struct memory *m, struct arena *arena)
{
    struct topology t;
    uint32_t sms = m->cfg->gpu.sms;
    m->partition = arena_array(arena, sms, sizeof *m->partition);
    m->gpc = arena_array(arena, sms, sizeof *m->gpc);
    if (!m->partition || !m->gpc)
        return false;
    topology_init(&t, m->cfg, sms);
    for (uint32_t i = 0; i < sms; i++) {
        m->partition[i] = (uint8_t)(t.gpc[i] % m->partitions);
        m->gpc[i] = t.gpc[i];
    }
    return true;
}

bool memory_init(struct memory *m, const struct config *cfg, struct arena *arena)
{
    const struct l2_cfg *l2 = &cfg->l2;
    *m = (struct memory){.cfg = cfg, .partitions = l2->partitions};
    m->part_count = smaller(l2->slices / l2->partitions, cfg->dram.channels);
    m->slices = l2->slices / l2->partitions / m->part_count;
    m->channels = cfg->dram.channels / m->part_count;
    assign_units(m);
    dram_timing_init(&m->dram, cfg);
    m->clock = server_cost(cfg->gpu.core_mhz, l2->mhz);
    m->link_sector =
        server_cost((uint64_t)cfg->l1d.sector_bytes * m->part_count, cfg->l2.partition_bytes);
    m->parts = arena_array(arena, m->part_count, sizeof *m->parts);
    if (!m->parts || !place_sms(m, arena))
        return false;
    for (uint32_t i = 0; i < m->part_count; i++) {
        if (!init_part(m, i, arena))
            return false;
    }
    return true;
}

cycle_t memory_latency(const struct config *cfg)
{
    return (cycle_t)cfg->l2.request_cycles + cfg->l2.access_cycles + cfg->l2.reply_cycles;
}

static struct place find_place(const struct memory *m, uint64_t line, uint32_t partition)
{
    uint64_t in_part, in_unit, slice_index, channel_index;
    struct memory_part *part = &m->parts[spread(&m->part_of, fold_line(line), &in_part)];
    uint32_t u = spread(&m->unit_of, in_part, &in_unit);
    uint32_t home = m->home[u];
    spread(&m->slice_of, in_part, &slice_index);
    spread(&m->channel_of, in_part, &channel_index);
    struct l2_slice *slices = &part->slices[m->slice[u]];
    return (struct place){.part = part,
                          .near = &slices[partition * m->slices],
                          .home = &slices[home * m->slices],
                          .other = m->partitions > 1 ? &slices[(1 - home) * m->slices] : NULL,
                          .channel = &part->channels[m->channel[u]],
                          .slice_index = slice_index,
                          .channel_index = channel_index};
}

/* The line's entry in a slice. What has to make room goes to DRAM. */
static struct l2_line *line_in(const struct memory *m, const struct place *p, struct l2_slice *s,
                               uint64_t line, struct trip *t)
{
    struct l2_line *l = l2_find(s, line, p->slice_index);
    if (l)
        return l;
    struct l2_victim victim;
    l = l2_insert(s, line, p->slice_index, &victim);
    if (victim.dirty)
        trip_until(t, dram_write(find_place(m, victim.line, 0).channel, victim.dirty, t->in,
                                 &p->part->stats));
    return l;
}

/* Takes the pipeline of a slice for some of its clocks. */
static void look_up(const struct memory *m, struct l2_slice *s, struct trip *t, uint32_t clocks)
{
    trip_take(t, &s->pipe, clocks * m->clock);
    trip_go(t, m->cfg->l2.access_cycles);
}

/* Clocks in which a slice looks sectors of one line up. */
static uint32_t clocks(const struct memory *m, uint32_t sectors)
{
    return (popcount32(sectors) + m->cfg->l2.slice_sectors - 1) / m->cfg->l2.slice_sectors;
}

/* Brings sectors of a line to its home: there they can be read when the trip ends. */
static struct l2_line *read_home(struct memory *m, const struct place *p, uint64_t line,
                                 uint32_t sectors, struct trip *t)
{
    struct l2_line *l = line_in(m, p, p->home, line, t);
    cycle_t ready = l2_ready(l, sectors, t->now);
    uint32_t missing = sectors & ~(uint32_t)l->valid;
    if (missing) {
        missing = dram_whole(&m->dram, missing);
        dram_read(p->channel, p->channel_index, missing, t, &p->part->stats);
        l2_fill(l, missing & ~(uint32_t)l->valid, t->now);
    }
    t->now = max_u64(t->now, ready);
    return l;
}

/* To the home with so many sectors of data, when that is in the other partition. */
static void to_home(const struct memory *m, const struct place *p, uint32_t sectors, struct trip *t)
{
    if (p->near == p->home)
        return;
    if (sectors)
        trip_take(t, &p->part->link, popcount32(sectors) * m->link_sector);
    trip_go(t, m->cfg->l2.partition_cycles / 2);
}

static void from_home(const struct memory *m, const struct place *p, uint32_t sectors,
                      struct trip *t)
{
    if (p->near == p->home)
        return;
    if (sectors)
        trip_take(t, &p->part->link, popcount32(sectors) * m->link_sector);
    trip_go(t, m->cfg->l2.partition_cycles - m->cfg->l2.partition_cycles / 2);
}

static void serve_read(struct memory *m, const struct place *p, const struct mem_request *r,
                       struct trip *t)
{
    struct sim_stats *stats = &p->part->stats;
    uint32_t n = popcount32(r->sectors);
    look_up(m, p->near, t, clocks(m, r->sectors));
    struct l2_line *l = line_in(m, p, p->near, r->line, t);
    cycle_t ready = l2_ready(l, r->sectors, t->now);
    uint32_t missing = r->sectors & ~(uint32_t)l->valid;
    bool counts = r->kind == MEM_READ || r->kind == MEM_READ_DIRECT;
    if (counts) {
        stats->l2_read_sectors += n;
        stats->l2_read_hits += n - popcount32(missing);
    } else {
        stats->l2_gpc_cache_sectors += n;
    }
    if (missing) {
        missing = dram_whole(&m->dram, missing) & ~(uint32_t)l->valid;
        stats->l2_read_misses += counts ? popcount32(missing) : 0;
        to_home(m, p, 0, t);
        if (p->near != p->home)
            look_up(m, p->home, t, clocks(m, missing));
        read_home(m, p, r->line, missing, t);
        from_home(m, p, missing, t);
        if (p->near != p->home)
            l2_fill(l, missing, t->now);
    }
    t->now = max_u64(t->now, ready);
}

/* A write or atomic goes on to the home. A copy that it does not pass is no longer right. */
static void change(struct memory *m, const struct place *p, const struct mem_request *r,
                   struct trip *t)
{
    if (p->near != p->home) {
        look_up(m, p->near, t, clocks(m, r->sectors));
    } else if (p->other) {
        struct l2_line *copy = l2_find(p->other, r->line, p->slice_index);
        if (copy)
            l2_drop(copy, r->sectors);
    }
    to_home(m, p, r->sectors, t);
}

static void serve_write(struct memory *m, const struct place *p, const struct mem_request *r,
                        struct trip *t)
{
    uint32_t partial = popcount32(r->sectors & r->partial);
    p->part->stats.l2_write_sectors += popcount32(r->sectors);
    change(m, p, r, t);
    look_up(m, p->home, t,
            clocks(m, r->sectors & ~(uint32_t)r->partial) +
                partial * m->cfg->l2.partial_write_cycles);
    l2_write(line_in(m, p, p->home, r->line, t), r->sectors);
    from_home(m, p, 0, t);
}

/* The result of an atomic, or that a reduction has been taken. The slice takes a clock a pass. */
static void serve_atomic(struct memory *m, const struct place *p, const struct mem_request *r,
                         struct trip *t)
{
    change(m, p, r, t);
    look_up(m, p->home, t, r->passes);
    struct trip result = *t;
    l2_write(read_home(m, p, r->line, r->sectors, &result), r->sectors);
    if (r->kind == MEM_ATOMIC) {
        p->part->stats.l2_atomic_sectors += popcount32(r->sectors);
        trip_go(&result, m->cfg->l2.atomic_cycles);
        *t = result;
    } else {
        p->part->stats.l2_reduction_sectors += popcount32(r->sectors);
    }
    from_home(m, p, r->kind == MEM_ATOMIC ? r->sectors : 0, t);
}

static cycle_t serve(struct memory *m, const struct mem_request *r)
{
    struct place p = find_place(m, r->line, m->partition[r->sm]);
    struct trip t = {.in = r->send, .now = r->send};
    trip_go(&t, m->cfg->l2.request_cycles);
    if (r->kind != MEM_IFETCH && r->kind != MEM_CFETCH)
        p.part->stats.l2_sectors += popcount32(r->sectors);
    switch ((enum mem_kind)r->kind) {
    case MEM_WRITE:
        serve_write(m, &p, r, &t);
        break;
    case MEM_ATOMIC:
    case MEM_REDUCTION:
        serve_atomic(m, &p, r, &t);
        break;
    case MEM_READ:
    case MEM_READ_DIRECT:
    case MEM_IFETCH:
    case MEM_CFETCH:
        serve_read(m, &p, r, &t);
        break;
    }
    return t.now + m->cfg->l2.reply_cycles;
}

cycle_t memory_serve(struct memory *m, const struct mem_request *r)
{
    if (m->cfg->l2.coalesce_requests == 1 || (r->kind != MEM_READ && r->kind != MEM_READ_DIRECT))
        return serve(m, r);
    uint16_t gpc = m->gpc[r->sm];
    struct memory_part *part = &m->parts[memory_part(m, r->line)];
    struct coalesced *c = coalescer_entry(&part->coalescer, r->line, gpc);
    if (coalescer_join(c, &m->cfg->l2, r, gpc)) {
        part->stats.l2_coalesced_sectors += popcount32(r->sectors);
        return max_u64(c->reply, r->send + memory_latency(m->cfg));
    }
    cycle_t reply = serve(m, r);
    *c = (struct coalesced){.line = r->line,
                            .sent = r->send,
                            .reply = reply,
                            .sectors = r->sectors,
                            .gpc = gpc,
                            .requests = 1};
    return reply;
}

void memory_prefetch(const struct memory *m, const struct mem_request *r)
{
    struct place p = find_place(m, r->line, m->partition[r->sm]);
    l2_prefetch(p.near, p.slice_index);
    if (p.home != p.near)
        l2_prefetch(p.home, p.slice_index);
}

void memory_copy(struct memory *m, uint64_t addr, uint64_t bytes)
{
    uint32_t line_bytes = m->cfg->l2.line_bytes;
    if (bytes == 0)
        return;
    uint64_t first = addr / line_bytes, last = (addr + bytes - 1) / line_bytes;
    /* Only what can stay is worth putting in. */
    uint64_t most = m->cfg->l2.bytes / line_bytes;
    if (last - first >= most)
        first = last - most + 1;
    uint32_t sectors = (1u << (line_bytes / m->cfg->l1d.sector_bytes)) - 1;
    for (uint64_t line = first; line <= last; line++) {
        struct place p = find_place(m, line, 0);
        struct trip t = {0};
        l2_fill(line_in(m, &p, p.home, line, &t), sectors, 0);
    }
}

void memory_take_stats(struct memory *m, struct sim_stats *out)
{
    for (uint32_t i = 0; i < m->part_count; i++) {
        stats_add(out, &m->parts[i].stats);
        memset(&m->parts[i].stats, 0, sizeof m->parts[i].stats);
    }
}
