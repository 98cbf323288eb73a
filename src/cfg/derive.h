/* Rules that hold between keys. Internal to the cfg layer. */
#ifndef SUBCORE_CFG_DERIVE_H
#define SUBCORE_CFG_DERIVE_H

#include "cfg/load.h"

/* Checks all rules; each broken one is an error at the origin of a key it is about. */
bool derive_check(const struct loaded_config *c, struct err_list *errors);

#endif
