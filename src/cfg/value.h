/* Values as written by the user, and their check against a key.
 *
 * Internal to the cfg layer. */
#ifndef SUBCORE_CFG_VALUE_H
#define SUBCORE_CFG_VALUE_H

#include "cfg/load.h"

#define VALUE_TEXT_SIZE 160
#define VALUE_MAX_ITEMS 16

/* One scalar; control characters are shown as '?' and long text is cut (`len` is the true length).
 */
struct value_item {
    char text[VALUE_TEXT_SIZE];
    size_t len;
    bool quoted;
    bool unprintable; /* has control characters */
    bool nested;      /* a list or mapping where a scalar should be */
    uint32_t line, col;
};

struct value {
    enum { VALUE_SCALAR, VALUE_LIST, VALUE_MAPPING } kind;
    uint32_t count; /* items seen; at most VALUE_MAX_ITEMS are kept */
    struct value_item items[VALUE_MAX_ITEMS];
    uint32_t line, col;
};

/* Copies text of the user for use in values and messages: cut to `size`, control characters as '?'.
 * Returns false when there were any. */
bool value_text(char *out, size_t size, const char *text, size_t len);

/* Checks the value and stores it in `cfg`. A fault is added to `errors` and false returned. */
bool value_store(struct config *cfg, const struct key_info *key, const struct value *v,
                 const char *file, struct err_list *errors);

#endif
