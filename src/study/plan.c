#include "study/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "cfg/area.h"

/* What one plan_make() needs besides the plan. */
struct maker {
    struct plan *p;
    struct sim_err *err;
    const char *version;
    uint64_t program;         /* hash of the executable */
    const char **input_texts; /* the part of a key about each input */
    struct err_list errors;
};

static bool no_memory(struct maker *m)
{
    return err_memory(m->err, "planning a sweep");
}

bool plan_load_config(const struct plan *p, const struct plan_variant *v, struct loaded_config *out,
                      struct err_list *errors)
{
    const struct sweep *s = p->sweep;
    size_t count = s->set_count + p->set_count, n = 0;
    for (uint32_t a = 0; a < s->axis_count; a++)
        count += s->axes[a].values[v->value[a]].set_count;
    const char **sets = calloc(count + 1, sizeof *sets);
    if (!sets)
        return err_list_add(errors, ERR_RESOURCE, NULL, 0, 0, "out of memory while planning");
    for (uint32_t i = 0; i < s->set_count; i++)
        sets[n++] = s->sets[i];
    for (size_t i = 0; i < p->set_count; i++)
        sets[n++] = p->sets[i];
    for (uint32_t a = 0; a < s->axis_count; a++) {
        const struct sweep_value *value = &s->axes[a].values[v->value[a]];
        for (uint32_t i = 0; i < value->set_count; i++)
            sets[n++] = value->sets[i];
    }
    bool ok = config_load(out, v->card.path, sets, n, errors);
    free(sets);
    return ok;
}

/* Hash of the program, so that a new build does not go on with the results of an old one. */
static uint64_t hash_program(void)
{
    uint64_t h = HASH_START;
    char part[65536];
    FILE *f = fopen("/proc/self/exe", "rb");
    if (!f)
        return 0;
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        h = hash_bytes(h, part, n);
    fclose(f);
    return h;
}

static uint64_t hash_config(const struct config *cfg, bool *ok)
{
    struct buf text = {0};
    uint64_t h = HASH_START;
    for (size_t i = 0; i < config_key_count(); i++) {
        const struct key_info *key = config_key(i);
        text.len = 0;
        buf_printf(&text, "%s: ", key->path);
        config_print_value(cfg, key, &text);
        buf_puts(&text, "\n");
        if (!text.failed)
            h = hash_bytes(h, text.data, text.len);
    }
    *ok = !text.failed;
    buf_free(&text);
    return h;
}

static void set_area(struct plan_variant *v, const struct config *cfg)
{
    uint64_t file = area_register_file_bits(cfg->sm.registers);
    struct area a = {0};
    v->has_area = true;
    if (cfg->dependence.mode == DEPENDENCE_control_bits)
        a = area_control_bits(cfg->sm.warps, file);
    else if (cfg->dependence.mode == DEPENDENCE_scoreboard && cfg->dependence.war_consumers > 0)
        a = area_scoreboards(cfg->sm.warps, cfg->dependence.war_consumers, file);
    else
        v->has_area = false;
    v->area_bits = a.sm_bits;
    v->area_percent_hundredths = a.percent_hundredths;
}

/* The first of the errors as text, with the number of the others. */
static const char *error_text(struct maker *m)
{
    struct buf text = {0};
    char line[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32] = "";
    if (m->errors.count > 0)
        err_format(&m->errors.items[0], line, sizeof line);
    buf_puts(&text, line);
    if (m->errors.count + m->errors.dropped > 1)
        buf_printf(&text, " (and %u more)", m->errors.count + m->errors.dropped - 1);
    const char *copy = text.failed ? NULL : arena_strndup(&m->p->arena, text.data, text.len);
    buf_free(&text);
    return copy;
}

static bool resolve_variant(struct maker *m, struct plan_variant *v)
{
    struct loaded_config config;
    bool ok = true;
    memset(&m->errors, 0, sizeof m->errors);
    if (!plan_load_config(m->p, v, &config, &m->errors)) {
        v->error = error_text(m);
        return v->error || no_memory(m);
    }
    v->config_hash = hash_config(&config.cfg, &ok);
    set_area(v, &config.cfg);
    config_free(&config);
    return ok || no_memory(m);
}

/* Variants: cards outside, then the axes in order, the last one fastest. */
static bool make_variants(struct maker *m)
{
    struct plan *p = m->p;
    const struct sweep *s = p->sweep;
    uint32_t cards = s->card_count > 0 ? s->card_count : 1;
    uint64_t count = cards;
    for (uint32_t a = 0; a < s->axis_count && count <= PLAN_MAX_POINTS; a++)
        count *= s->axes[a].count;
    if (count * s->input_count > PLAN_MAX_POINTS)
        return err_set(m->err, ERR_CONFIG, s->tree.file, 0, 0, "the sweep has more than %u points",
                       PLAN_MAX_POINTS);
    p->variant_count = (uint32_t)count;
    p->variants = arena_array(&p->arena, p->variant_count, sizeof *p->variants);
    if (!p->variants)
        return no_memory(m);
    for (uint32_t i = 0; i < p->variant_count; i++) {
        struct plan_variant *v = &p->variants[i];
        uint32_t rest = i;
        for (uint32_t a = s->axis_count; a-- > 0;) {
            v->value[a] = rest % s->axes[a].count;
            rest /= s->axes[a].count;
        }
        if (s->card_count > 0)
            v->card = s->cards[rest];
        for (uint32_t a = 0; a < s->axis_count; a++) {
            const struct sweep_value *value = &s->axes[a].values[v->value[a]];
            if (value->card.name)
                v->card = value->card;
            v->input = value->input ? value->input : v->input;
        }
        TRY(resolve_variant(m, v));
    }
    return true;
}

/* Size and time of a file tell whether it is still the same; contents would take too long. */
static void add_file(struct buf *text, const char *what, const char *path)
{
    struct stat st;
    if (!path)
        return;
    const char *slash = strrchr(path, '/'), *colon = strrchr(path, ':');
    bool found = stat(path, &st) == 0;
    if (!found && colon) { /* FILE:NAME */
        char *file = strndup(path, (size_t)(colon - path));
        found = file && stat(file, &st) == 0;
        free(file);
    }
    buf_printf(text, "%s %s", what, slash ? slash + 1 : path);
    if (found)
        buf_printf(text, " %" PRIu64 " %" PRId64 ".%09ld", (uint64_t)st.st_size,
                   (int64_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    buf_puts(text, "\n");
}

static bool make_input_texts(struct maker *m)
{
    const struct sweep *s = m->p->sweep;
    m->input_texts = arena_array(&m->p->arena, s->input_count, sizeof *m->input_texts);
    if (!m->input_texts)
        return no_memory(m);
    for (uint32_t i = 0; i < s->input_count; i++) {
        const struct study_input *in = &s->inputs[i];
        struct buf text = {0};
        buf_printf(&text, "name %s\n", in->name);
        add_file(&text, "input", in->path);
        add_file(&text, "sass", in->files.sass);
        add_file(&text, "cubin", in->files.cubin);
        add_file(&text, "res_usage", in->files.res_usage);
        m->input_texts[i] = text.failed ? NULL : arena_strndup(&m->p->arena, text.data, text.len);
        buf_free(&text);
        if (!m->input_texts[i])
            return no_memory(m);
    }
    return true;
}

static bool add_point(struct maker *m, uint32_t variant, uint32_t input)
{
    struct plan *p = m->p;
    struct plan_point *point = &p->points[p->point_count++];
    struct buf text = {0};
    buf_printf(&text,
               "subcore point 1\nprogram %s %016" PRIx64 "\nconfiguration %016" PRIx64
               "\n%swarm %d\nmax_cycles %" PRIu64 "\n",
               m->version, m->program, p->variants[variant].config_hash, m->input_texts[input],
               p->sweep->warm, p->sweep->max_cycles);
    point->variant = variant;
    point->input = input;
    point->key = text.failed ? NULL : arena_strndup(&p->arena, text.data, text.len);
    point->id = text.failed ? 0 : hash_bytes(HASH_START, text.data, text.len);
    buf_free(&text);
    return point->key || no_memory(m);
}

static bool make_points(struct maker *m)
{
    struct plan *p = m->p;
    const struct sweep *s = p->sweep;
    p->points =
        arena_array(&p->arena, (size_t)p->variant_count * s->input_count, sizeof *p->points);
    if (!p->points)
        return no_memory(m);
    for (uint32_t v = 0; v < p->variant_count; v++)
        for (uint32_t i = 0; i < s->input_count; i++)
            if (!p->variants[v].input || strcmp(p->variants[v].input, s->inputs[i].name) == 0)
                TRY(add_point(m, v, i));
    return true;
}

bool plan_make(struct plan *p, const struct sweep *sweep, const char *const *sets, size_t set_count,
               const char *version, struct sim_err *err)
{
    memset(p, 0, sizeof *p);
    p->sweep = sweep;
    p->sets = sets;
    p->set_count = set_count;
    struct maker *m = calloc(1, sizeof *m);
    if (!m)
        return err_memory(err, "planning a sweep");
    *m = (struct maker){.p = p, .err = err, .version = version, .program = hash_program()};
    bool ok = make_variants(m) && make_input_texts(m) && make_points(m);
    free(m);
    return ok;
}

void plan_free(struct plan *p)
{
    arena_free(&p->arena);
    memset(p, 0, sizeof *p);
}

uint32_t plan_base(const struct plan *p, uint32_t variant)
{
    const struct sweep *s = p->sweep;
    const struct plan_variant *v = &p->variants[variant];
    uint32_t base = variant, stride = 1;
    for (uint32_t a = s->axis_count; a-- > 0;) {
        const struct sweep_axis *axis = &s->axes[a];
        if (!axis->has_card && !axis->has_input)
            base = base - v->value[a] * stride + axis->base * stride;
        stride *= axis->count;
    }
    return base;
}

uint32_t plan_find_point(const struct plan *p, uint32_t variant, uint32_t input)
{
    /* Points are ordered by variant, then input. */
    uint32_t low = 0, high = p->point_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct plan_point *point = &p->points[mid];
        if (point->variant < variant || (point->variant == variant && point->input < input))
            low = mid + 1;
        else
            high = mid;
    }
    bool found =
        low < p->point_count && p->points[low].variant == variant && p->points[low].input == input;
    return found ? low : p->point_count;
}

void plan_describe(const struct plan *p, uint32_t point, struct buf *out)
{
    const struct sweep *s = p->sweep;
    const struct plan_variant *v = &p->variants[p->points[point].variant];
    buf_puts(out, v->card.name);
    for (uint32_t a = 0; a < s->axis_count; a++)
        buf_printf(out, ", %s", s->axes[a].values[v->value[a]].label);
    buf_printf(out, ", %s", s->inputs[p->points[point].input].name);
}
