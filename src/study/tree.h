/* A YAML file as a tree of nodes with their places, for small files that describe studies.
 *
 * Everything lives in the tree's arena. Anchors, aliases, tags, control characters and duplicate
 * keys are errors; faults are collected in an err_list with file, line and column. */
#ifndef SUBCORE_STUDY_TREE_H
#define SUBCORE_STUDY_TREE_H

#include "base/arena.h"
#include "base/buf.h"
#include "cfg/value.h"

#define TREE_MAX_BYTES ((size_t)4 << 20)

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAPPING };

struct tree_node {
    enum tree_kind kind;
    const char *key; /* in a mapping; else NULL */
    uint32_t key_line, key_col;
    uint32_t line, col;
    const char *text; /* TREE_SCALAR */
    bool quoted;
    struct tree_node *first, *next; /* children in order; the next sibling */
    uint32_t count;                 /* children */
};

struct tree {
    struct arena arena;
    const char *file;       /* as given; owned */
    struct tree_node *root; /* a mapping */
    struct err_list *errors;
};

/* Reads the file at `path`, plain or compressed. False with at least one item in `errors`; the tree
 * can be freed in any case. */
bool tree_read(struct tree *t, const char *path, struct err_list *errors);

/* Parses text; `file` is for messages. */
bool tree_parse(struct tree *t, const char *file, const char *text, size_t len,
                struct err_list *errors);

void tree_free(struct tree *t);

/* Adds an error at a node's value. Always false. */
#define TREE_FAIL(t, node, ...)                                                                    \
    err_list_add((t)->errors, ERR_CONFIG, (t)->file, (node)->line, (node)->col, __VA_ARGS__)

/* As TREE_FAIL at the node's key. */
#define TREE_FAIL_KEY(t, node, ...)                                                                \
    err_list_add((t)->errors, ERR_CONFIG, (t)->file, (node)->key_line, (node)->key_col, __VA_ARGS__)

/* The child of a mapping with this key, or NULL. */
const struct tree_node *tree_find(const struct tree_node *mapping, const char *key);

/* Checks that a mapping has none but these keys, which NULL ends. An unknown one is an error with a
 * suggestion; `where` ("" or "inputs: ") begins it. */
bool tree_check_keys(struct tree *t, const struct tree_node *mapping, const char *const *keys,
                     const char *where);

/* Checks the kind of a node; `name` is for the message. */
bool tree_check_kind(struct tree *t, const struct tree_node *node, enum tree_kind kind,
                     const char *name);

/* Text of a scalar that must be one and not be empty; NULL after an error. */
const char *tree_text(struct tree *t, const struct tree_node *node, const char *name);

/* true or false. */
bool tree_bool(struct tree *t, const struct tree_node *node, const char *name, bool *out);

/* A whole number from 1 on. */
bool tree_number(struct tree *t, const struct tree_node *node, const char *name, uint64_t *out);

/* A number, or a percentage with a '%', as a fraction. */
bool tree_fraction(struct tree *t, const struct tree_node *node, const char *name, double *out);

/* The node as a configuration value, for value_store(). */
void tree_value(const struct tree_node *node, struct value *out);

/* The node as YAML on one line: "16", "[1, 2, 4]". */
void tree_print(const struct tree_node *node, struct buf *out);

/* Copies formatted text into the arena; NULL and an error when memory is out. */
char *tree_printf(struct tree *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* `path` relative to the folder of the tree's file, in the arena; NULL and an error when memory is
 * out. */
char *tree_path(struct tree *t, const char *path);

#endif
