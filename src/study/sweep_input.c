/* `inputs` of a sweep file. */
#include <string.h>

#include "study/sweep_file.h"

struct inputs {
    struct sweep *s;
    uint32_t capacity;
};

static bool add(void *user, const struct tree_node *node, const struct study_input *input)
{
    struct inputs *in = user;
    struct sweep *s = in->s;
    for (uint32_t i = 0; i < s->input_count; i++)
        if (strcmp(s->inputs[i].name, input->name) == 0)
            return TREE_FAIL(&s->tree, node, "inputs: two are called '%s'; give one a name",
                             input->name);
    if (s->input_count == in->capacity) {
        uint32_t capacity = in->capacity ? 2 * in->capacity : 32;
        struct study_input *more = arena_array(&s->tree.arena, capacity, sizeof *more);
        if (!more)
            return TREE_FAIL(&s->tree, node, "out of memory");
        if (in->capacity > 0)
            memcpy(more, s->inputs, s->input_count * sizeof *more);
        s->inputs = more;
        in->capacity = capacity;
    }
    s->inputs[s->input_count++] = *input;
    return true;
}

bool sweep_read_inputs(struct sweep *s, const struct tree_node *list)
{
    static const char *const keys[] = {STUDY_INPUT_KEYS, NULL};
    struct inputs in = {.s = s};
    bool ok = true;
    TRY(tree_check_kind(&s->tree, list, TREE_LIST, "inputs"));
    if (list->count == 0)
        return TREE_FAIL(&s->tree, list, "inputs: expected at least one, found none");
    for (const struct tree_node *n = list->first; n; n = n->next)
        ok = (n->kind != TREE_MAPPING || tree_check_keys(&s->tree, n, keys, "inputs: ")) &&
             study_inputs(&s->tree, n, add, &in) && ok;
    return ok;
}
