/* `inputs` of the files that describe studies: launches one by one, traces and listings whole, by
 * path or pattern. Paths are relative to the file. */
#ifndef SUBCORE_STUDY_INPUT_H
#define SUBCORE_STUDY_INPUT_H

#include "launch/source.h"
#include "study/tree.h"

struct study_input {
    const char *name;
    const char *path; /* for source_open() */
    struct source_files files;
};

/* Keys of an input that study_inputs() understands. */
#define STUDY_INPUT_KEYS "launches", "trace", "listing", "name", "sass", "cubin", "res_usage"

/* Reads the inputs that a path or a mapping stands for and gives each to `add`, with the node to
 * complain about. Text is in the tree's arena. False when there was an error. */
bool study_inputs(struct tree *t, const struct tree_node *node,
                  bool (*add)(void *user, const struct tree_node *node,
                              const struct study_input *in),
                  void *user);

#endif
