/* Finding configuration files. Internal to the cfg layer. */
#ifndef SUBCORE_CFG_SEARCH_H
#define SUBCORE_CFG_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#define SEARCH_PATH_SIZE 512
#define SEARCH_DIRS 5

/* Folders of the search path that exist as text, in order; returns how many. */
size_t search_dirs(char dirs[SEARCH_DIRS][SEARCH_PATH_SIZE]);

/* Finds `name`, or `name`.yaml, first as a path (relative to the folder of `from`, the file that
 * extends it, unless NULL), then in the search path. False when there is no such file; *directory
 * then tells that the name is a folder. */
bool search_config(const char *name, const char *from, char out[SEARCH_PATH_SIZE], bool *directory);

#endif
