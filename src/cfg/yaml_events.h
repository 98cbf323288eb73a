/* A cursor over the events of one YAML text. Internal to the YAML reader. */
#ifndef SUBCORE_CFG_YAML_EVENTS_H
#define SUBCORE_CFG_YAML_EVENTS_H

#include <yaml.h>

#include "cfg/value.h"

#define YAML_MAX_DEPTH 16

struct yaml_reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
    bool have_event;
    const char *file, *text;
    size_t len;
    bool places; /* report lines and columns */
    struct err_list *errors;
};

bool yaml_open(struct yaml_reader *r, const char *file, const char *text, size_t len,
               struct err_list *errors);
void yaml_close(struct yaml_reader *r);

/* Moves to the next event; false (and an error) on malformed YAML, an anchor, an alias or a tag. */
bool yaml_next(struct yaml_reader *r);

/* Place of the current event, counted from 1. */
uint32_t yaml_line(const struct yaml_reader *r);
uint32_t yaml_col(const struct yaml_reader *r);

/* The current event begins a value: passes it. Both return false only when the text is malformed.
 */
bool yaml_take_value(struct yaml_reader *r, struct value *v);
bool yaml_skip_value(struct yaml_reader *r);

#endif
