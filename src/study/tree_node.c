/* Questions to the nodes of a tree. */
#include <stdio.h>
#include <string.h>

#include "base/distance.h"
#include "study/csv_line.h"
#include "study/tree.h"

static const char *const kind_names[] = {"a scalar", "a list", "a mapping"};

const struct tree_node *tree_find(const struct tree_node *mapping, const char *key)
{
    for (const struct tree_node *n = mapping->first; n; n = n->next)
        if (n->key && strcmp(n->key, key) == 0)
            return n;
    return NULL;
}

bool tree_check_keys(struct tree *t, const struct tree_node *mapping, const char *const *keys,
                     const char *where)
{
    bool ok = true;
    for (const struct tree_node *n = mapping->first; n; n = n->next) {
        struct closest near = {.word = n->key};
        size_t i = 0;
        for (; keys[i] && strcmp(keys[i], n->key) != 0; i++)
            closest_offer(&near, keys[i]);
        if (keys[i])
            continue;
        ok = false;
        if (near.found)
            TREE_FAIL_KEY(t, n, "%sunknown key '%s' (did you mean '%s'?)", where, n->key,
                          near.found);
        else
            TREE_FAIL_KEY(t, n, "%sunknown key '%s'", where, n->key);
    }
    return ok;
}

bool tree_check_kind(struct tree *t, const struct tree_node *node, enum tree_kind kind,
                     const char *name)
{
    if (node->kind == kind)
        return true;
    return TREE_FAIL(t, node, "%s: expected %s, found %s", name, kind_names[kind],
                     kind_names[node->kind]);
}

const char *tree_text(struct tree *t, const struct tree_node *node, const char *name)
{
    if (!tree_check_kind(t, node, TREE_SCALAR, name))
        return NULL;
    if (node->text[0])
        return node->text;
    TREE_FAIL(t, node, "%s: expected a text, found nothing", name);
    return NULL;
}

bool tree_bool(struct tree *t, const struct tree_node *node, const char *name, bool *out)
{
    TRY(tree_check_kind(t, node, TREE_SCALAR, name));
    *out = strcmp(node->text, "true") == 0;
    if (node->quoted || (!*out && strcmp(node->text, "false") != 0))
        return TREE_FAIL(t, node, "%s: expected true or false, found '%s'", name, node->text);
    return true;
}

bool tree_number(struct tree *t, const struct tree_node *node, const char *name, uint64_t *out)
{
    TRY(tree_check_kind(t, node, TREE_SCALAR, name));
    uint64_t v = 0;
    bool ok = !node->quoted && node->text[0] != '0' && node->text[0] != '\0';
    for (const char *s = node->text; ok && *s; s++) {
        uint64_t digit = (uint64_t)(*s - '0');
        ok = *s >= '0' && *s <= '9' && v <= (UINT64_MAX - digit) / 10;
        v = v * 10 + digit;
    }
    *out = v;
    return ok || TREE_FAIL(t, node, "%s: expected a whole number from 1 on, found '%s'", name,
                           node->text);
}

bool tree_fraction(struct tree *t, const struct tree_node *node, const char *name, double *out)
{
    char text[32];
    const char *whole = tree_text(t, node, name);
    TRY(whole);
    size_t n = strlen(whole);
    bool percent = whole[n - 1] == '%';
    n -= percent;
    while (n > 0 && whole[n - 1] == ' ')
        n--;
    bool ok = n > 0 && n < sizeof text;
    if (ok) {
        memcpy(text, whole, n);
        text[n] = '\0';
        ok = csv_number(text, out);
    }
    if (!ok)
        return TREE_FAIL(t, node, "%s: expected a number or a percentage, found '%s'", name, whole);
    if (percent)
        *out /= 100;
    return true;
}

static void take_item(const struct tree_node *node, struct value_item *it)
{
    memset(it, 0, sizeof *it);
    it->line = node->line;
    it->col = node->col;
    it->nested = node->kind != TREE_SCALAR;
    if (it->nested)
        return;
    it->quoted = node->quoted;
    it->len = strlen(node->text);
    value_text(it->text, sizeof it->text, node->text, it->len);
}

void tree_value(const struct tree_node *node, struct value *out)
{
    memset(out, 0, sizeof *out);
    out->line = node->line;
    out->col = node->col;
    out->kind = node->kind == TREE_SCALAR ? VALUE_SCALAR
                : node->kind == TREE_LIST ? VALUE_LIST
                                          : VALUE_MAPPING;
    out->count = node->kind == TREE_SCALAR ? 1 : node->count;
    if (node->kind == TREE_SCALAR)
        take_item(node, &out->items[0]);
    uint32_t i = 0;
    for (const struct tree_node *n = node->first; n && i < VALUE_MAX_ITEMS; n = n->next)
        take_item(n, &out->items[i++]);
}

void tree_print(const struct tree_node *node, struct buf *out)
{
    if (node->kind == TREE_SCALAR) {
        const char *quote = node->quoted ? "'" : "";
        buf_puts(out, quote);
        for (const char *s = node->text; *s; s++)
            buf_printf(out, "%s%c", node->quoted && *s == '\'' ? "'" : "", *s);
        buf_puts(out, quote);
        return;
    }
    buf_puts(out, "[");
    for (const struct tree_node *n = node->first; n; n = n->next) {
        tree_print(n, out);
        if (n->next)
            buf_puts(out, ", ");
    }
    buf_puts(out, "]");
}

char *tree_printf(struct tree *t, const char *fmt, ...)
{
    struct buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    char *copy = text.failed ? NULL : arena_strndup(&t->arena, text.data, text.len);
    buf_free(&text);
    if (!copy)
        err_list_add(t->errors, ERR_RESOURCE, t->file, 0, 0, "out of memory while reading YAML");
    return copy;
}

char *tree_path(struct tree *t, const char *path)
{
    const char *slash = strrchr(t->file, '/');
    if (path[0] == '/' || !slash)
        return tree_printf(t, "%s", path);
    return tree_printf(t, "%.*s/%s", (int)(slash - t->file), t->file, path);
}
