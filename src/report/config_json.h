/* A resolved configuration as JSON: nested by section, each key {"value": ..., "origin": ...}. */
#ifndef SUBCORE_REPORT_CONFIG_JSON_H
#define SUBCORE_REPORT_CONFIG_JSON_H

#include "cfg/load.h"
#include "report/json_writer.h"

/* Writes the object under `key`. An origin is "default", "--set" or "file:line". */
void config_json(struct json *j, const char *key, const struct loaded_config *config);

#endif
