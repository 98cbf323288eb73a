/* `axes` of a sweep file: grid, zip and list. */
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "study/sweep_file.h"

/* Words of sweep_words.def. */
static const struct {
    const char *key, *word, *set;
} words[] = {
#define WORD(key, word, set) {key, word, set},
#include "study/sweep_words.def"
#undef WORD
};

/* The setting that a word of a key stands for, or NULL. */
static const char *find_word(struct sweep *s, const struct key_info *key, const char *text)
{
    bool on = strcmp(text, "on") == 0;
    if (key->type == KEY_TYPE_BOOL && (on || strcmp(text, "off") == 0))
        return tree_printf(&s->tree, "%s=%s", key->path, on ? "true" : "false");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].key, key->path) == 0 && strcmp(words[i].word, text) == 0)
            return words[i].set;
    return NULL;
}

/* A word that is none of the key's, but near one: an error. */
static bool check_word(struct sweep *s, const struct tree_node *node, const struct key_info *key)
{
    struct closest near = {.word = node->text};
    if (key->type == KEY_TYPE_BOOL) {
        closest_offer(&near, "on");
        closest_offer(&near, "off");
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].key, key->path) == 0)
            closest_offer(&near, words[i].word);
    bool letter = (node->text[0] | 0x20) >= 'a' && (node->text[0] | 0x20) <= 'z';
    if (!letter || !near.found || strcmp(node->text, "true") == 0 ||
        strcmp(node->text, "false") == 0)
        return true;
    return TREE_FAIL(&s->tree, node, "%s has no value '%s' (did you mean '%s'?)", key->path,
                     node->text, near.found);
}

static bool check_value(struct sweep *s, const struct tree_node *node, const struct key_info *key)
{
    struct value v;
    struct config *scratch = malloc(sizeof *scratch);
    if (!scratch)
        return TREE_FAIL(&s->tree, node, "out of memory");
    tree_value(node, &v);
    bool ok = value_store(scratch, key, &v, s->tree.file, s->tree.errors);
    free(scratch);
    return ok;
}

static bool set_input(struct sweep *s, const struct tree_node *node, struct sweep_value *value)
{
    struct closest near = {.word = node->text};
    for (uint32_t i = 0; i < s->input_count; i++) {
        closest_offer(&near, s->inputs[i].name);
        if (strcmp(s->inputs[i].name, node->text) == 0) {
            value->input = s->inputs[i].name;
            return true;
        }
    }
    return TREE_FAIL(&s->tree, node, "axes: unknown input '%s'%s%s%s", node->text,
                     near.found ? " (did you mean '" : "", near.found ? near.found : "",
                     near.found ? "'?)" : "");
}

bool sweep_read_setting(struct sweep *s, const struct tree_node *key_at,
                        const struct tree_node *node, const char **set)
{
    const struct key_info *key = config_need_key(key_at->key, s->tree.file, key_at->key_line,
                                                 key_at->key_col, s->tree.errors);
    *set = NULL;
    TRY(key);
    if (node->kind == TREE_SCALAR && !node->quoted)
        *set = find_word(s, key, node->text);
    if (*set)
        return true;
    struct buf text = {0};
    if (node->kind == TREE_SCALAR && !node->quoted)
        TRY(check_word(s, node, key));
    TRY(check_value(s, node, key));
    tree_print(node, &text);
    *set = tree_printf(&s->tree, "%s=%s", key_at->key, text.data ? text.data : "");
    buf_free(&text);
    return *set != NULL;
}

/* Adds what `key: node` says to a value: a setting, a card or an input. `sets` of the value has
 * room. */
static bool add_setting(struct sweep *s, const struct tree_node *key_at,
                        const struct tree_node *node, struct sweep_value *value)
{
    const char *name = key_at->key;
    bool card = strcmp(name, "card") == 0, input = strcmp(name, "input") == 0;
    if (!card && !input)
        return sweep_read_setting(s, key_at, node, &value->sets[value->set_count++]);
    const char *text = tree_text(&s->tree, node, name);
    TRY(text);
    if (input)
        return set_input(s, node, value);
    return sweep_card(s, text, &value->card);
}

/* A value of `room` settings at most; NULL and an error when memory is out. */
static bool begin_value(struct sweep *s, const struct tree_node *node, struct sweep_value *value,
                        uint32_t room)
{
    value->sets = arena_array(&s->tree.arena, room, sizeof *value->sets);
    return value->sets || TREE_FAIL(&s->tree, node, "out of memory");
}

static const char *label_of(struct sweep *s, const struct tree_node *node)
{
    struct buf text = {0};
    if (node->kind == TREE_SCALAR)
        buf_puts(&text, node->text);
    else
        tree_print(node, &text);
    const char *label = tree_printf(&s->tree, "%s", text.data ? text.data : "");
    buf_free(&text);
    return label;
}

/* Two values of one label could not be told apart in the results. */
static bool check_labels(struct sweep *s, const struct tree_node *node,
                         const struct sweep_axis *axis)
{
    for (uint32_t i = 0; i < axis->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(axis->values[i].label, axis->values[j].label) == 0)
                return TREE_FAIL(&s->tree, node, "axes: '%s' has the value '%s' twice", axis->name,
                                 axis->values[i].label);
    return true;
}

/* A new axis with room for `count` values. */
static struct sweep_axis *begin_axis(struct sweep *s, const struct tree_node *node,
                                     const char *name, uint32_t count)
{
    if (!name)
        return NULL;
    if (count == 0) {
        TREE_FAIL(&s->tree, node, "axes: expected values of '%s', found none", name);
        return NULL;
    }
    if (s->axis_count == SWEEP_MAX_AXES) {
        TREE_FAIL(&s->tree, node, "axes: expected at most %d, found more", SWEEP_MAX_AXES);
        return NULL;
    }
    for (uint32_t i = 0; i < s->axis_count; i++)
        if (strcmp(s->axes[i].name, name) == 0) {
            TREE_FAIL(&s->tree, node, "axes: two are called '%s'", name);
            return NULL;
        }
    struct sweep_axis *axis = &s->axes[s->axis_count];
    axis->name = name;
    axis->count = count;
    axis->values = arena_array(&s->tree.arena, count, sizeof *axis->values);
    if (!axis->values) {
        TREE_FAIL(&s->tree, node, "out of memory");
        return NULL;
    }
    return axis;
}

static bool end_axis(struct sweep *s, const struct tree_node *node, struct sweep_axis *axis)
{
    uint32_t cards = 0, inputs = 0;
    for (uint32_t i = 0; i < axis->count; i++) {
        cards += axis->values[i].card.name != NULL;
        inputs += axis->values[i].input != NULL;
    }
    axis->has_card = cards > 0;
    axis->has_input = inputs > 0;
    s->axis_count++;
    if ((axis->has_card && cards < axis->count) || (axis->has_input && inputs < axis->count))
        return TREE_FAIL(&s->tree, node, "axes: not every value of '%s' names %s", axis->name,
                         axis->has_card && cards < axis->count ? "a card" : "an input");
    return check_labels(s, node, axis);
}

/* grid: {KEY: [VALUE, ...], ...}: an axis a key. */
static bool read_grid(struct sweep *s, const struct tree_node *grid)
{
    bool ok = true;
    TRY(tree_check_kind(&s->tree, grid, TREE_MAPPING, "grid"));
    for (const struct tree_node *n = grid->first; n; n = n->next) {
        TRY(tree_check_kind(&s->tree, n, TREE_LIST, n->key));
        struct sweep_axis *axis = begin_axis(s, n, n->key, n->count);
        TRY(axis);
        uint32_t i = 0;
        bool good = true;
        for (const struct tree_node *v = n->first; v; v = v->next, i++) {
            axis->values[i].label = label_of(s, v);
            TRY(axis->values[i].label && begin_value(s, v, &axis->values[i], 1));
            good = add_setting(s, n, v, &axis->values[i]) && good;
        }
        ok = good && end_axis(s, n, axis) && ok;
    }
    return ok;
}

/* Name of a zip that has none: its keys. */
static const char *zip_name(struct sweep *s, const struct tree_node *zip)
{
    struct buf joined = {0};
    for (const struct tree_node *n = zip->first; n; n = n->next)
        buf_printf(&joined, "%s%s", joined.len > 0 ? " + " : "", n->key);
    const char *name = tree_printf(&s->tree, "%s", joined.data ? joined.data : "zip");
    buf_free(&joined);
    return name;
}

/* zip: {KEY: [VALUE, ...], ...}: one axis whose i-th value takes the i-th of every list. */
static bool read_zip(struct sweep *s, const struct tree_node *zip, const char *name)
{
    TRY(tree_check_kind(&s->tree, zip, TREE_MAPPING, "zip"));
    uint32_t count = zip->first ? zip->first->count : 0;
    for (const struct tree_node *n = zip->first; n; n = n->next) {
        TRY(tree_check_kind(&s->tree, n, TREE_LIST, n->key));
        if (n->count != count)
            return TREE_FAIL(&s->tree, n, "zip: expected %u values as in the first list, found %u",
                             count, n->count);
    }
    struct sweep_axis *axis = begin_axis(s, zip, name ? name : zip_name(s, zip), count);
    TRY(axis);
    for (uint32_t i = 0; i < count; i++) {
        struct sweep_value *value = &axis->values[i];
        TRY(begin_value(s, zip, value, zip->count));
        for (const struct tree_node *n = zip->first; n; n = n->next) {
            const struct tree_node *v = n->first;
            for (uint32_t at = 0; at < i; at++)
                v = v->next;
            const char *label = label_of(s, v);
            TRY(label);
            value->label =
                value->label ? tree_printf(&s->tree, "%s + %s", value->label, label) : label;
            TRY(value->label);
            TRY(add_setting(s, n, v, value));
        }
    }
    return end_axis(s, zip, axis);
}

/* list: [{name: LABEL, KEY: VALUE, ...}, ...]: one axis, a value an item. */
static bool read_list(struct sweep *s, const struct tree_node *list, const char *name)
{
    TRY(tree_check_kind(&s->tree, list, TREE_LIST, "list"));
    struct sweep_axis *axis = begin_axis(s, list, name ? name : "configuration", list->count);
    TRY(axis);
    uint32_t i = 0;
    bool ok = true;
    for (const struct tree_node *item = list->first; item; item = item->next, i++) {
        struct sweep_value *value = &axis->values[i];
        TRY(tree_check_kind(&s->tree, item, TREE_MAPPING, "list"));
        const struct tree_node *label = tree_find(item, "name");
        if (!label)
            return TREE_FAIL(&s->tree, item, "list: expected the key 'name', found none");
        value->label = tree_text(&s->tree, label, "name");
        TRY(value->label && begin_value(s, item, value, item->count));
        for (const struct tree_node *n = item->first; n; n = n->next)
            ok = (n == label || add_setting(s, n, n, value)) && ok;
    }
    return ok && end_axis(s, list, axis);
}

static bool read_axis(struct sweep *s, const struct tree_node *node)
{
    static const char *const keys[] = {"name", "grid", "zip", "list", NULL};
    TRY(tree_check_kind(&s->tree, node, TREE_MAPPING, "axes"));
    TRY(tree_check_keys(&s->tree, node, keys, "axes: "));
    const struct tree_node *grid = tree_find(node, "grid"), *zip = tree_find(node, "zip"),
                           *list = tree_find(node, "list"), *name = tree_find(node, "name");
    if ((grid != NULL) + (zip != NULL) + (list != NULL) != 1)
        return TREE_FAIL(&s->tree, node, "axes: expected one of the keys grid, zip and list");
    if (grid && name)
        return TREE_FAIL_KEY(&s->tree, name, "axes: the axes of a grid are called by their keys");
    const char *called = name ? tree_text(&s->tree, name, "name") : NULL;
    TRY(!name || called);
    return grid ? read_grid(s, grid) : zip ? read_zip(s, zip, called) : read_list(s, list, called);
}

bool sweep_read_axes(struct sweep *s, const struct tree_node *list)
{
    bool ok = true;
    TRY(tree_check_kind(&s->tree, list, TREE_LIST, "axes"));
    for (const struct tree_node *n = list->first; n; n = n->next)
        ok = read_axis(s, n) && ok;
    return ok;
}
