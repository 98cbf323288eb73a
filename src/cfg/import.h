/* Import of Accel-Sim configurations: gpgpusim.config and trace.config to a card in YAML.
 *
 * What becomes of an option is a row of import.def. Values that our keys cannot take are not
 * carried over either; nothing is changed silently. */
#ifndef SUBCORE_CFG_IMPORT_H
#define SUBCORE_CFG_IMPORT_H

#include "base/buf.h"
#include "cfg/load.h"

#define IMPORT_VALUE_SIZE 160

/* An option as the files give it; the last of several counts. */
struct import_option {
    char name[IMPORT_VALUE_SIZE];
    char value[IMPORT_VALUE_SIZE];
    char file[256];
    uint32_t line;
    bool carried;
    char why[256]; /* why not */
};

/* A key that gets a value. */
struct import_key {
    const struct key_info *key;
    char value[64];
    char from[512]; /* "-gpgpu_n_clusters 46, -gpgpu_n_cores_per_cluster 1" */
};

struct import {
    struct import_option *options;
    size_t option_count;
    struct import_key *keys; /* in order of output */
    size_t key_count;
    char base[256]; /* card that is extended */
};

/* Reads the files, the later ones overriding the earlier ones, and forms the keys. `base` NULL: the
 * shipped card of the nearest architecture. The caller frees `im` in any case. */
bool import_read(struct import *im, const char *const *paths, size_t count, const char *base,
                 struct sim_err *err);

void import_free(struct import *im);

/* True when the card would load; else its faults. */
bool import_check(const struct import *im, struct err_list *errors);

/* The card as YAML, every option that was not carried over listed at its end. */
void import_yaml(const struct import *im, const char *name, struct buf *out);

/* Options that went into a key. */
size_t import_carried(const struct import *im);

/* Number of rows of the table, and the key of one (NULL: an option that is left out). For tests. */
size_t import_row_count(void);
const char *import_row_key(size_t row);

#endif
