#include "trace/listing_parse.h"

#define MAX_THREADS 1024u
#define MAX_REGISTERS 255u
#define MAX_GRID_X 0x7fffffffu
#define MAX_GRID_YZ 65535u

static bool count_value(struct listing_parser *p, struct span s, uint64_t low, uint64_t high,
                        uint64_t *out, struct sim_err *err)
{
    if (!span_u64(s, out) || *out < low || *out > high)
        return LISTING_ERROR(p, err, "expected a number from %llu to %llu, found \"" SPAN_FMT "\"",
                             (unsigned long long)low, (unsigned long long)high, SPAN_ARG(s));
    return true;
}

/* "X,Y,Z"; Y and Z may be left out. */
static bool dim_value(struct listing_parser *p, struct span s, struct dim3 *out,
                      struct sim_err *err)
{
    uint32_t *to[3] = {&out->x, &out->y, &out->z};
    *out = (struct dim3){1, 1, 1};
    for (int i = 0; i < 3 && (i == 0 || s.n > 0); i++) {
        uint64_t v;
        TRY(count_value(p, span_field(&s, ','), 1, i == 0 ? MAX_GRID_X : MAX_GRID_YZ, &v, err));
        *to[i] = (uint32_t)v;
    }
    if (s.n > 0)
        return LISTING_ERROR(p, err, "expected at most three numbers, found \"" SPAN_FMT "\" more",
                             SPAN_ARG(s));
    return true;
}

static bool set_kernel(struct listing_parser *p, struct span s, struct sim_err *err)
{
    struct span name = span_word(&s);
    if (name.n == 0 || s.n > 0)
        return LISTING_ERROR(p, err, "expected one name after .kernel");
    p->l->kernel.name = arena_strndup(&p->l->arena, name.p, name.n);
    return p->l->kernel.name || err_memory(err, "reading a listing");
}

static bool set_sm(struct listing_parser *p, struct span s, struct sim_err *err)
{
    uint64_t v;
    if (!span_u64(s, &v) || v > UINT32_MAX || !sm_version_known((uint32_t)v))
        return LISTING_ERROR(p, err,
                             "expected a known architecture such as 86 after .sm, found "
                             "\"" SPAN_FMT "\"",
                             SPAN_ARG(s));
    return listing_set_sm(p, (uint32_t)v, err);
}

static bool set_grid(struct listing_parser *p, struct span s, struct sim_err *err)
{
    return dim_value(p, s, &p->l->kernel.grid, err);
}

static bool set_threads(struct listing_parser *p, struct dim3 block, struct sim_err *err)
{
    uint64_t threads = (uint64_t)block.x * block.y;
    threads = threads > MAX_THREADS ? threads : threads * block.z;
    if (threads > MAX_THREADS)
        return LISTING_ERROR(p, err, "a block has at most %u threads", MAX_THREADS);
    struct listing *l = p->l;
    if (l->warp_count != 0)
        return LISTING_ERROR(p, err, "the block is given twice: .block and .warps");
    l->kernel.block = block;
    l->warp_count = ((uint32_t)threads + WARP_LANES - 1) / WARP_LANES;
    uint32_t lanes = (uint32_t)threads - (l->warp_count - 1) * WARP_LANES;
    l->last_lanes = UINT32_MAX >> (WARP_LANES - lanes);
    return true;
}

static bool set_block(struct listing_parser *p, struct span s, struct sim_err *err)
{
    struct dim3 block;
    TRY(dim_value(p, s, &block, err));
    return set_threads(p, block, err);
}

static bool set_warps(struct listing_parser *p, struct span s, struct sim_err *err)
{
    uint64_t n;
    TRY(count_value(p, s, 1, LISTING_MAX_WARPS, &n, err));
    return set_threads(p, (struct dim3){(uint32_t)n * WARP_LANES, 1, 1}, err);
}

static bool set_registers(struct listing_parser *p, struct span s, struct sim_err *err)
{
    uint64_t n;
    TRY(count_value(p, s, 1, MAX_REGISTERS, &n, err));
    p->l->kernel.registers = (uint32_t)n;
    return true;
}

static bool set_shared(struct listing_parser *p, struct span s, struct sim_err *err)
{
    uint64_t n;
    TRY(count_value(p, s, 0, UINT32_MAX, &n, err));
    p->l->kernel.shared_bytes = (uint32_t)n;
    return true;
}

static bool set_active_warps(struct listing_parser *p, struct span s, struct sim_err *err)
{
    p->l->active_line = p->at.line;
    return listing_warp_set(s, &p->l->active_warps, p->at, err);
}

static bool add_warm_data(struct listing_parser *p, struct span s, struct sim_err *err)
{
    struct kernel *k = &p->l->kernel;
    struct span addr = span_word(&s);
    struct warm_region r;
    if (!span_u64(addr, &r.addr) || !span_u64(s, &r.bytes) || r.bytes == 0 ||
        r.bytes - 1 > UINT64_MAX - r.addr)
        return LISTING_ERROR(p, err, "expected \".warm data ADDRESS BYTES\"");
    if (k->warm_data_count == KERNEL_MAX_WARM)
        return LISTING_ERROR(p, err, "more than %d .warm data regions", KERNEL_MAX_WARM);
    k->warm_data[k->warm_data_count++] = r;
    return true;
}

static bool set_warm(struct listing_parser *p, struct span s, struct sim_err *err)
{
    struct span what = span_word(&s);
    if (span_is(what, "data"))
        return add_warm_data(p, s, err);
    bool code = span_is(what, "code");
    if ((!code && !span_is(what, "const")) || s.n > 0)
        return LISTING_ERROR(p, err,
                             "expected \".warm code\", \".warm const\" or \".warm data ADDRESS "
                             "BYTES\"");
    *(code ? &p->l->kernel.warm_code : &p->l->kernel.warm_const) = true;
    return true;
}

static bool open_block(struct listing_parser *p, struct listing_op op, struct sim_err *err)
{
    struct listing *l = p->l;
    struct listing_block b = l->blocks[p->block];
    if (b.depth == LISTING_MAX_DEPTH)
        return LISTING_ERROR(p, err, ".loop and .warp nest more than %d deep", LISTING_MAX_DEPTH);
    TRY(listing_grow(&l->blocks, l->block_count, &l->block_cap, sizeof *l->blocks, err));
    l->blocks[l->block_count] = (struct listing_block){
        .parent = p->block,
        .start = l->op_count,
        .depth = b.depth + 1,
        .loop_depth = b.loop_depth + (op.kind == LISTING_LOOP),
    };
    TRY(listing_add_op(p, op, err));
    p->block = l->block_count++;
    return true;
}

static bool close_block(struct listing_parser *p, struct span s, enum listing_op_kind kind,
                        struct sim_err *err)
{
    struct listing *l = p->l;
    bool loop = kind == LISTING_END_LOOP;
    struct listing_block b = l->blocks[p->block];
    if (s.n > 0)
        return LISTING_ERROR(p, err, "expected nothing after %s", loop ? ".endloop" : ".endwarp");
    if (p->block == 0)
        return LISTING_ERROR(p, err, "%s without %s", loop ? ".endloop" : ".endwarp",
                             loop ? ".loop" : ".warp");
    struct listing_op *start = &l->ops[b.start];
    if ((start->kind == LISTING_LOOP) != loop)
        return LISTING_ERROR(p, err, "%s inside the %s of line %u", loop ? ".endloop" : ".endwarp",
                             loop ? ".warp" : ".loop", start->line);
    start->index = l->op_count;
    p->block = b.parent;
    return listing_add_op(p, (struct listing_op){.kind = kind, .index = b.start}, err);
}

static bool begin_loop(struct listing_parser *p, struct span s, struct sim_err *err)
{
    struct listing_op op = {.kind = LISTING_LOOP};
    TRY(count_value(p, s, 0, INT64_MAX, &op.count, err));
    return open_block(p, op, err);
}

static bool end_loop(struct listing_parser *p, struct span s, struct sim_err *err)
{
    return close_block(p, s, LISTING_END_LOOP, err);
}

static bool begin_warp(struct listing_parser *p, struct span s, struct sim_err *err)
{
    struct listing_op op = {.kind = LISTING_WARP};
    TRY(listing_warp_set(s, &op.warps, p->at, err));
    return open_block(p, op, err);
}

static bool end_warp(struct listing_parser *p, struct span s, struct sim_err *err)
{
    return close_block(p, s, LISTING_END_WARP, err);
}

enum directive_place { ONCE_BEFORE_CODE, BEFORE_CODE, IN_CODE };

static const struct directive {
    const char *name;
    enum directive_place place;
    bool (*run)(struct listing_parser *p, struct span s, struct sim_err *err);
} directives[] = {
    {".kernel", ONCE_BEFORE_CODE, set_kernel},
    {".sm", ONCE_BEFORE_CODE, set_sm},
    {".grid", ONCE_BEFORE_CODE, set_grid},
    {".block", ONCE_BEFORE_CODE, set_block},
    {".warps", ONCE_BEFORE_CODE, set_warps},
    {".registers", ONCE_BEFORE_CODE, set_registers},
    {".shared", ONCE_BEFORE_CODE, set_shared},
    {".active_warps", ONCE_BEFORE_CODE, set_active_warps},
    {".warm", BEFORE_CODE, set_warm},
    {".loop", IN_CODE, begin_loop},
    {".endloop", IN_CODE, end_loop},
    {".warp", IN_CODE, begin_warp},
    {".endwarp", IN_CODE, end_warp},
};

#define DIRECTIVE_COUNT (sizeof directives / sizeof directives[0])

static const char *const dump_directives[] = {
    ".headerflags",  ".target",      ".elftype", ".align",          ".global",
    ".weak",         ".local",       ".type",    ".size",           ".other",
    ".sectionflags", ".sectioninfo", ".section", ".sectionentsize",
};

static bool is_dump_directive(struct span name)
{
    for (size_t i = 0; i < sizeof dump_directives / sizeof dump_directives[0]; i++)
        if (span_is(name, dump_directives[i]))
            return true;
    return false;
}

static uint32_t find_directive(struct span name)
{
    uint32_t i = 0;
    while (i < DIRECTIVE_COUNT && !span_is(name, directives[i].name))
        i++;
    return i;
}

bool listing_directive_known(struct span name)
{
    return find_directive(name) < DIRECTIVE_COUNT || is_dump_directive(name);
}

bool listing_directive(struct listing_parser *p, struct span line, struct sim_err *err)
{
    struct span s = {line.p, span_find(line, "//")};
    struct span name = span_word(&s);
    uint32_t i = find_directive(name);
    if (i == DIRECTIVE_COUNT) {
        if (is_dump_directive(name))
            return true;
        return LISTING_ERROR(p, err, "unknown directive \"" SPAN_FMT "\"", SPAN_ARG(name));
    }
    const struct directive *d = &directives[i];
    if (d->place != IN_CODE && (p->l->op_count > 0 || p->l->label_count > 0))
        return LISTING_ERROR(p, err, "%s must stand before the code%s", d->name,
                             d->run == set_kernel ? ": a listing holds one kernel" : "");
    if (d->place == ONCE_BEFORE_CODE && (p->seen & 1u << i) != 0)
        return LISTING_ERROR(p, err, "a second %s%s", d->name,
                             d->run == set_kernel ? ": a listing holds one kernel" : "");
    p->seen |= 1u << i;
    return d->run(p, s, err);
}
