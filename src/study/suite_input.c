/* `inputs` of a suite: what every study has, and what the suite says of each. */
#include <string.h>

#include "study/input.h"
#include "study/suite.h"

/* An input of the suite is made of what stands beside its path, and of its name and path. */
struct like {
    struct suite *s;
    struct suite_input in;
};

static bool add(void *user, const struct tree_node *node, const struct study_input *in)
{
    struct like *like = user;
    struct suite *s = like->s;
    for (uint32_t i = 0; i < s->input_count; i++)
        if (strcmp(s->inputs[i].name, in->name) == 0)
            return TREE_FAIL(&s->tree, node, "inputs: two are called '%s'; give one a name",
                             in->name);
    TRY(suite_grow(s, &s->inputs, s->input_count, &s->input_cap, sizeof *s->inputs));
    struct suite_input *made = &s->inputs[s->input_count++];
    *made = like->in;
    made->name = in->name;
    made->path = in->path;
    made->files = in->files;
    return true;
}

/* What a suite says of an input besides. */
static bool read_own(struct suite *s, const struct tree_node *node, struct suite_input *in)
{
    const struct tree_node *set = tree_find(node, "set"), *card = tree_find(node, "config"),
                           *measured = tree_find(node, "measured"),
                           *hazards = tree_find(node, "check_hazards");
    bool ok = true;
    if (card) {
        in->card = tree_text(&s->tree, card, "inputs: config");
        if (in->card && strchr(in->card, '/'))
            in->card = tree_path(&s->tree, in->card);
        ok = in->card && ok;
    }
    if (set)
        ok = suite_read_sets(s, set, &in->sets, &in->set_count) && ok;
    if (measured)
        ok = suite_read_measured(s, measured, &in->measured) && ok;
    if (hazards)
        ok = tree_bool(&s->tree, hazards, "inputs: check_hazards", &in->check_hazards) && ok;
    return ok;
}

static bool read_input(struct suite *s, const struct tree_node *node)
{
    static const char *const keys[] = {STUDY_INPUT_KEYS, "config",        "set",
                                       "measured",       "check_hazards", NULL};
    struct like like = {.s = s, .in.measured = MEASURED_NONE};
    if (node->kind == TREE_MAPPING)
        TRY(tree_check_keys(&s->tree, node, keys, "inputs: ") && read_own(s, node, &like.in));
    return study_inputs(&s->tree, node, add, &like);
}

bool suite_read_inputs(struct suite *s, const struct tree_node *list)
{
    bool ok = true;
    TRY(tree_check_kind(&s->tree, list, TREE_LIST, "inputs"));
    for (const struct tree_node *n = list->first; n; n = n->next)
        ok = read_input(s, n) && ok;
    if (ok && s->input_count == 0)
        return TREE_FAIL(&s->tree, list, "inputs: expected at least one, found none");
    return ok;
}
