#include "study/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "base/stream.h"
#include "cfg/yaml_events.h"

struct parser {
    struct yaml_reader r;
    struct tree *tree;
    uint32_t depth;
};

#define FAIL_HERE(p, ...)                                                                          \
    err_list_add((p)->tree->errors, ERR_CONFIG, (p)->tree->file, yaml_line(&(p)->r),               \
                 yaml_col(&(p)->r), __VA_ARGS__)

static bool no_memory(struct tree *t)
{
    return err_list_add(t->errors, ERR_RESOURCE, t->file, 0, 0, "out of memory while reading YAML");
}

/* Text of the current scalar in the arena. */
static char *take_text(struct parser *p)
{
    const char *text = (const char *)p->r.event.data.scalar.value;
    size_t len = p->r.event.data.scalar.length;
    char *copy = arena_strndup(&p->tree->arena, text, len);
    if (!copy) {
        no_memory(p->tree);
        return NULL;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)copy[i];
        if (c < 0x20 || c == 0x7f) {
            FAIL_HERE(p, "a text must not hold control characters");
            return NULL;
        }
    }
    return copy;
}

static struct tree_node *take_node(struct parser *p);

static bool append(struct tree_node *parent, struct tree_node **last, struct tree_node *child)
{
    if (!child)
        return false;
    if (*last)
        (*last)->next = child;
    else
        parent->first = child;
    *last = child;
    parent->count++;
    return true;
}

static bool take_list(struct parser *p, struct tree_node *list)
{
    struct tree_node *last = NULL;
    for (;;) {
        TRY(yaml_next(&p->r));
        if (p->r.event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        TRY(append(list, &last, take_node(p)));
    }
}

static bool take_mapping(struct parser *p, struct tree_node *mapping)
{
    struct tree_node *last = NULL;
    for (;;) {
        TRY(yaml_next(&p->r));
        if (p->r.event.type == YAML_MAPPING_END_EVENT)
            return true;
        if (p->r.event.type != YAML_SCALAR_EVENT)
            return FAIL_HERE(p, "a key must be a single word");
        uint32_t line = yaml_line(&p->r), col = yaml_col(&p->r);
        const char *key = take_text(p);
        TRY(key);
        const struct tree_node *same = tree_find(mapping, key);
        if (same)
            return FAIL_HERE(p, "duplicate key '%s' (first at line %u)", key, same->key_line);
        TRY(yaml_next(&p->r));
        struct tree_node *node = take_node(p);
        TRY(append(mapping, &last, node));
        node->key = key;
        node->key_line = line;
        node->key_col = col;
    }
}

/* The current event begins a value. NULL after an error. */
static struct tree_node *take_node(struct parser *p)
{
    struct tree_node *node = arena_alloc(&p->tree->arena, sizeof *node);
    bool ok = true;
    if (!node) {
        no_memory(p->tree);
        return NULL;
    }
    node->line = yaml_line(&p->r);
    node->col = yaml_col(&p->r);
    if (++p->depth > YAML_MAX_DEPTH) {
        FAIL_HERE(p, "values are nested deeper than %d", YAML_MAX_DEPTH);
        return NULL;
    }
    if (p->r.event.type == YAML_SCALAR_EVENT) {
        node->quoted = p->r.event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        node->text = take_text(p);
        ok = node->text != NULL;
    } else if (p->r.event.type == YAML_SEQUENCE_START_EVENT) {
        node->kind = TREE_LIST;
        ok = take_list(p, node);
    } else {
        node->kind = TREE_MAPPING;
        ok = take_mapping(p, node);
    }
    p->depth--;
    return ok ? node : NULL;
}

static bool take_document(struct parser *p)
{
    TRY(yaml_next(&p->r)); /* stream start */
    TRY(yaml_next(&p->r));
    if (p->r.event.type != YAML_DOCUMENT_START_EVENT)
        return err_list_add(p->tree->errors, ERR_CONFIG, p->tree->file, 1, 1, "the file is empty");
    TRY(yaml_next(&p->r));
    if (p->r.event.type != YAML_MAPPING_START_EVENT)
        return FAIL_HERE(p, "expected a mapping of keys, found a %s",
                         p->r.event.type == YAML_SCALAR_EVENT ? "scalar" : "list");
    p->tree->root = take_node(p);
    TRY(p->tree->root);
    TRY(yaml_next(&p->r)); /* document end */
    TRY(yaml_next(&p->r));
    if (p->r.event.type != YAML_STREAM_END_EVENT)
        return FAIL_HERE(p, "expected one YAML document, but a second one starts here");
    return true;
}

bool tree_parse(struct tree *t, const char *file, const char *text, size_t len,
                struct err_list *errors)
{
    memset(t, 0, sizeof *t);
    t->errors = errors;
    t->file = arena_strndup(&t->arena, file, strlen(file));
    if (!t->file)
        return err_list_add(errors, ERR_RESOURCE, file, 0, 0, "out of memory while reading YAML");
    struct parser *p = calloc(1, sizeof *p);
    if (!p)
        return no_memory(t);
    p->tree = t;
    bool ok = yaml_open(&p->r, t->file, text, len, errors);
    if (ok) {
        ok = take_document(p);
        yaml_close(&p->r);
    }
    free(p);
    return ok;
}

/* A whole file; longer ones than TREE_MAX_BYTES are an error. */
static bool read_all(const char *path, struct buf *out, struct sim_err *err)
{
    struct stream *s = NULL;
    char part[16384];
    size_t got = 0;
    TRY(stream_open(&s, path, err));
    bool ok;
    do {
        ok = stream_read(s, part, sizeof part, &got, err);
        if (ok)
            buf_add(out, part, got);
    } while (ok && got == sizeof part && out->len <= TREE_MAX_BYTES);
    stream_close(s);
    if (ok && out->len > TREE_MAX_BYTES)
        return err_set(err, ERR_CONFIG, path, 0, 0, "the file is larger than %zu bytes",
                       TREE_MAX_BYTES);
    if (ok && out->failed)
        return err_memory(err, "reading YAML");
    return ok;
}

bool tree_read(struct tree *t, const char *path, struct err_list *errors)
{
    struct buf text = {0};
    struct sim_err err = {0};
    memset(t, 0, sizeof *t);
    bool ok = read_all(path, &text, &err);
    if (ok)
        ok = tree_parse(t, path, text.data, text.len, errors);
    else
        err_list_add(errors, err.code, err.file, err.line, err.col, "%s", err.msg);
    buf_free(&text);
    return ok;
}

void tree_free(struct tree *t)
{
    arena_free(&t->arena);
    memset(t, 0, sizeof *t);
}
