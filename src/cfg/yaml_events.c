/* A cursor over the events of one YAML text. */
#include "cfg/yaml_events.h"

#include <string.h>

bool yaml_open(struct yaml_reader *r, const char *file, const char *text, size_t len,
               struct err_list *errors)
{
    memset(r, 0, sizeof *r);
    r->file = file;
    r->text = text;
    r->len = len;
    r->places = true;
    r->errors = errors;
    if (!yaml_parser_initialize(&r->parser))
        return err_list_add(errors, ERR_RESOURCE, file, 0, 0, "out of memory while reading YAML");
    /* libyaml wants an address even for no bytes. */
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)(text ? text : ""), len);
    return true;
}

void yaml_close(struct yaml_reader *r)
{
    if (r->have_event)
        yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
}

uint32_t yaml_line(const struct yaml_reader *r)
{
    return r->places ? (uint32_t)r->event.start_mark.line + 1 : 0;
}

uint32_t yaml_col(const struct yaml_reader *r)
{
    return r->places ? (uint32_t)r->event.start_mark.column + 1 : 0;
}

static bool malformed(struct yaml_reader *r)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return err_list_add(r->errors, ERR_RESOURCE, r->file, 0, 0,
                            "out of memory while reading YAML");
    uint32_t line = (uint32_t)p->problem_mark.line + 1;
    uint32_t col = (uint32_t)p->problem_mark.column + 1;
    if (p->error == YAML_READER_ERROR) {
        /* Bad bytes come with an offset instead of a mark. */
        line = 1;
        for (size_t i = 0; i < p->problem_offset && i < r->len; i++)
            line += r->text[i] == '\n';
        col = 0;
    }
    if (!r->places)
        line = col = 0;
    return err_list_add(r->errors, ERR_CONFIG, r->file, line, col, "malformed YAML: %s",
                        p->problem ? p->problem : "unknown problem");
}

static bool refused(struct yaml_reader *r, const char *what)
{
    return err_list_add(r->errors, ERR_CONFIG, r->file, yaml_line(r), yaml_col(r),
                        "YAML %s are not supported", what);
}

bool yaml_next(struct yaml_reader *r)
{
    if (r->have_event)
        yaml_event_delete(&r->event);
    r->have_event = yaml_parser_parse(&r->parser, &r->event) != 0;
    if (!r->have_event)
        return malformed(r);
    const yaml_event_t *e = &r->event;
    const void *anchor = NULL, *tag = NULL;
    switch (e->type) {
    case YAML_ALIAS_EVENT:
        return refused(r, "aliases");
    case YAML_SCALAR_EVENT:
        anchor = e->data.scalar.anchor;
        tag = e->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = e->data.sequence_start.anchor;
        tag = e->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = e->data.mapping_start.anchor;
        tag = e->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor)
        return refused(r, "anchors");
    if (tag)
        return refused(r, "tags");
    return true;
}

bool yaml_skip_value(struct yaml_reader *r)
{
    unsigned depth = 0;
    for (;;) {
        switch (r->event.type) {
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT:
            if (++depth > YAML_MAX_DEPTH)
                return err_list_add(r->errors, ERR_CONFIG, r->file, yaml_line(r), yaml_col(r),
                                    "values are nested deeper than %d", YAML_MAX_DEPTH);
            break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
            depth--;
            break;
        default:
            break;
        }
        if (depth == 0)
            return true;
        TRY(yaml_next(r));
    }
}

static void take_scalar(const struct yaml_reader *r, struct value_item *it)
{
    it->line = yaml_line(r);
    it->col = yaml_col(r);
    it->nested = r->event.type != YAML_SCALAR_EVENT;
    it->quoted = false;
    it->unprintable = false;
    it->len = 0;
    it->text[0] = '\0';
    if (it->nested)
        return;
    it->len = r->event.data.scalar.length;
    it->quoted = r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    it->unprintable =
        !value_text(it->text, sizeof it->text, (const char *)r->event.data.scalar.value, it->len);
}

bool yaml_take_value(struct yaml_reader *r, struct value *v)
{
    v->line = yaml_line(r);
    v->col = yaml_col(r);
    v->count = 0;
    if (r->event.type == YAML_MAPPING_START_EVENT) {
        v->kind = VALUE_MAPPING;
        return yaml_skip_value(r);
    }
    if (r->event.type != YAML_SEQUENCE_START_EVENT) {
        v->kind = VALUE_SCALAR;
        v->count = 1;
        take_scalar(r, &v->items[0]);
        return true;
    }
    v->kind = VALUE_LIST;
    for (;;) {
        TRY(yaml_next(r));
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        if (v->count < VALUE_MAX_ITEMS)
            take_scalar(r, &v->items[v->count]);
        v->count++;
        TRY(yaml_skip_value(r));
    }
}
