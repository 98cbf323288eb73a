/* Parts of the import. Internal to the cfg layer. */
#ifndef SUBCORE_CFG_IMPORT_PARTS_H
#define SUBCORE_CFG_IMPORT_PARTS_H

#include "cfg/import.h"

/* Adds the options of one file. */
bool import_read_file(struct import *im, const char *path, struct sim_err *err);

/* Option of this name, or NULL. */
struct import_option *import_find(const struct import *im, const char *name);

#endif
