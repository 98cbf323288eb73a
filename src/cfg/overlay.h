/* Laying files and --set over the defaults, with origins. Internal to the cfg layer. */
#ifndef SUBCORE_CFG_OVERLAY_H
#define SUBCORE_CFG_OVERLAY_H

#include "cfg/yaml.h"

/* Lays what a file sets over `out`. */
void overlay_patch(struct loaded_config *out, const struct yaml_patch *patch, const char *file);

/* Lays one "key.path=value" over `out`. */
bool overlay_set(struct loaded_config *out, const char *set, struct err_list *errors);

#endif
