#include "study/sweep_file.h"

#include <string.h>

#include "study/point.h"
#include "study/statistic.h"

bool sweep_card(struct sweep *s, const char *text, struct sweep_card *out)
{
    out->name = text;
    out->path = strchr(text, '/') ? tree_path(&s->tree, text) : text;
    return out->path != NULL;
}

/* Name of the file without folder and suffix. */
static bool name_file(struct sweep *s)
{
    const char *slash = strrchr(s->tree.file, '/');
    const char *base = slash ? slash + 1 : s->tree.file;
    size_t len = strlen(base);
    if (len > 5 && strcmp(base + len - 5, ".yaml") == 0)
        len -= 5;
    s->name = tree_printf(&s->tree, "%.*s", (int)len, base);
    return s->name != NULL;
}

/* set: {KEY: VALUE, ...}, of every point. */
static bool read_set(struct sweep *s, const struct tree_node *node)
{
    bool ok = true;
    TRY(tree_check_kind(&s->tree, node, TREE_MAPPING, "set"));
    s->sets = arena_array(&s->tree.arena, node->count, sizeof *s->sets);
    if (!s->sets)
        return TREE_FAIL(&s->tree, node, "out of memory");
    for (const struct tree_node *n = node->first; n; n = n->next) {
        if (sweep_read_setting(s, n, n, &s->sets[s->set_count]))
            s->set_count++;
        else
            ok = false;
    }
    return ok;
}

static bool read_cards(struct sweep *s, const struct tree_node *node)
{
    bool single = node->kind == TREE_SCALAR;
    if (!single)
        TRY(tree_check_kind(&s->tree, node, TREE_LIST, "cards"));
    if (!single && node->count == 0)
        return TREE_FAIL(&s->tree, node, "cards: expected at least one card, found none");
    s->cards = arena_array(&s->tree.arena, single ? 1 : node->count, sizeof *s->cards);
    if (!s->cards)
        return TREE_FAIL(&s->tree, node, "out of memory");
    for (const struct tree_node *n = single ? node : node->first; n; n = single ? NULL : n->next) {
        const char *card = tree_text(&s->tree, n, "cards");
        TRY(card);
        for (uint32_t i = 0; i < s->card_count; i++)
            if (strcmp(s->cards[i].name, card) == 0)
                return TREE_FAIL(&s->tree, n, "cards: '%s' is listed twice", card);
        TRY(sweep_card(s, card, &s->cards[s->card_count++]));
    }
    return true;
}

static bool read_measured(struct sweep *s, const struct tree_node *node)
{
    static const char *const keys[] = {"file", "column", "card", NULL};
    struct sweep_measured *m = &s->measured;
    TRY(tree_check_kind(&s->tree, node, TREE_MAPPING, "measured"));
    TRY(tree_check_keys(&s->tree, node, keys, "measured: "));
    const struct tree_node *file = tree_find(node, "file"), *column = tree_find(node, "column"),
                           *card = tree_find(node, "card");
    if (!file || !column)
        return TREE_FAIL(&s->tree, node, "measured: expected the keys file and column, found no %s",
                         file ? "column" : "file");
    const char *path = tree_text(&s->tree, file, "measured: file");
    m->column = tree_text(&s->tree, column, "measured: column");
    m->card = card ? tree_text(&s->tree, card, "measured: card") : NULL;
    TRY(path && m->column && (!card || m->card));
    m->file = tree_path(&s->tree, path);
    return m->file != NULL;
}

/* limits: {mape: X}. */
static bool read_limits(struct sweep *s, const struct tree_node *node)
{
    static const char *const keys[] = {"mape", NULL};
    TRY(tree_check_kind(&s->tree, node, TREE_MAPPING, "limits"));
    TRY(tree_check_keys(&s->tree, node, keys, "limits: "));
    const struct tree_node *mape = tree_find(node, "mape");
    if (!mape)
        return true;
    if (!s->measured.file)
        return TREE_FAIL_KEY(&s->tree, mape, "limits: mape: nothing is measured");
    s->limit_line = mape->line;
    s->limit_col = mape->col;
    return tree_fraction(&s->tree, mape, "limits: mape", &s->limit_mape);
}

static bool read_statistic(struct sweep *s, const struct tree_node *node)
{
    uint32_t near;
    const char *name = STATISTIC_DEFAULT;
    char hint[STATISTIC_NAME_SIZE] = "";
    if (node)
        name = tree_text(&s->tree, node, "statistic");
    if (!name)
        return false;
    bool found = statistic_find(name, &s->statistic, &near);
    if (found && point_keeps(s->statistic))
        return true;
    if (found)
        return TREE_FAIL(&s->tree, node, "statistic: expected a count, found '%s'", name);
    if (near < statistic_count())
        statistic_name(near, hint);
    return TREE_FAIL(&s->tree, node, "statistic: unknown statistic '%s'%s%s%s", name,
                     hint[0] ? " (did you mean '" : "", hint, hint[0] ? "'?)" : "");
}

/* Names of the file that mean something together. */
static bool check_names(struct sweep *s)
{
    bool axis_card = false;
    for (uint32_t a = 0; a < s->axis_count; a++)
        axis_card = axis_card || s->axes[a].has_card;
    const struct tree_node *cards = tree_find(s->tree.root, "cards");
    if (axis_card && cards)
        return TREE_FAIL_KEY(&s->tree, cards, "cards: an axis names cards already");
    const char *card = s->measured.card;
    bool known = !card || axis_card;
    for (uint32_t i = 0; i < s->card_count; i++)
        known = known || strcmp(card, s->cards[i].name) == 0;
    const struct tree_node *measured = tree_find(s->tree.root, "measured");
    if (!known && measured)
        return TREE_FAIL(&s->tree, tree_find(measured, "card"),
                         "measured: the sweep has no card '%s'", card);
    return true;
}

/* base: {AXIS: LABEL}. */
static bool read_base(struct sweep *s, const struct tree_node *node)
{
    bool ok = true;
    TRY(tree_check_kind(&s->tree, node, TREE_MAPPING, "base"));
    for (const struct tree_node *n = node->first; n; n = n->next) {
        struct sweep_axis *axis = s->axes;
        while (axis < s->axes + s->axis_count && strcmp(axis->name, n->key) != 0)
            axis++;
        if (axis == s->axes + s->axis_count) {
            ok = TREE_FAIL_KEY(&s->tree, n, "base: no axis is called '%s'", n->key);
            continue;
        }
        struct buf label = {0};
        uint32_t i = 0;
        if (n->kind == TREE_SCALAR)
            buf_puts(&label, n->text);
        else if (n->kind == TREE_LIST)
            tree_print(n, &label);
        while (label.data && i < axis->count && strcmp(axis->values[i].label, label.data) != 0)
            i++;
        if (!label.data || i == axis->count)
            ok = TREE_FAIL(&s->tree, n, "base: axis '%s' has no value '%s'", n->key,
                           label.data ? label.data : "");
        else
            axis->base = i;
        buf_free(&label);
    }
    return ok;
}

static bool read_options(struct sweep *s, const struct tree_node *root)
{
    const struct tree_node *title = tree_find(root, "title"), *cards = tree_find(root, "cards"),
                           *set = tree_find(root, "set"), *warm = tree_find(root, "warm"),
                           *most = tree_find(root, "max_cycles"),
                           *measured = tree_find(root, "measured"),
                           *limits = tree_find(root, "limits");
    bool ok = true;
    s->title = title ? tree_text(&s->tree, title, "title") : s->name;
    ok = s->title && (!cards || read_cards(s, cards)) && ok;
    if (set)
        ok = read_set(s, set) && ok;
    if (warm)
        ok = tree_bool(&s->tree, warm, "warm", &s->warm) && ok;
    if (most)
        ok = tree_number(&s->tree, most, "max_cycles", &s->max_cycles) && ok;
    if (measured)
        ok = read_measured(s, measured) && ok;
    s->limit_mape = -1;
    if (limits)
        ok = read_limits(s, limits) && ok;
    return read_statistic(s, tree_find(root, "statistic")) && ok;
}

bool sweep_read(struct sweep *out, const char *path, struct err_list *errors)
{
    static const char *const keys[] = {"title",    "cards",     "set",    "inputs",
                                       "axes",     "base",      "warm",   "max_cycles",
                                       "measured", "statistic", "limits", NULL};
    memset(out, 0, sizeof *out);
    TRY(tree_read(&out->tree, path, errors));
    const struct tree_node *root = out->tree.root, *inputs = tree_find(root, "inputs"),
                           *axes = tree_find(root, "axes"), *base = tree_find(root, "base");
    TRY(name_file(out));
    bool ok = tree_check_keys(&out->tree, root, keys, "");
    ok = read_options(out, root) && ok;
    if (inputs)
        ok = sweep_read_inputs(out, inputs) && ok;
    else
        ok = TREE_FAIL(&out->tree, root, "expected the key 'inputs', found none");
    bool axes_ok = !axes || sweep_read_axes(out, axes);
    if (axes_ok && base)
        axes_ok = read_base(out, base);
    return axes_ok && check_names(out) && ok;
}

void sweep_free(struct sweep *s)
{
    tree_free(&s->tree);
    memset(s, 0, sizeof *s);
}
