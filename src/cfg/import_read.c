/* Reading the options of gpgpusim.config and trace.config. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"
#include "cfg/import_parts.h"

struct import_option *import_find(const struct import *im, const char *name)
{
    for (size_t i = 0; i < im->option_count; i++)
        if (strcmp(im->options[i].name, name) == 0)
            return &im->options[i];
    return NULL;
}

/* The option of this name, made when it is new; a later one takes the place of an earlier one. */
static struct import_option *take_option(struct import *im, const char *name, struct sim_err *err)
{
    struct import_option *o = import_find(im, name);
    if (o)
        return o;
    struct import_option *grown =
        realloc(im->options, (im->option_count + 1) * sizeof *im->options);
    if (!grown) {
        err_memory(err, "importing a configuration");
        return NULL;
    }
    im->options = grown;
    o = &grown[im->option_count++];
    memset(o, 0, sizeof *o);
    snprintf(o->name, sizeof o->name, "%s", name);
    return o;
}

/* Next word of a line, a quoted one without its quotes; NULL at the end or a comment. */
static char *next_word(char **at)
{
    char *s = *at;
    while (isspace((unsigned char)*s))
        s++;
    if (*s == '\0' || *s == '#')
        return NULL;
    char *start = *s == '"' ? s + 1 : s;
    size_t n = *s == '"' ? strcspn(start, "\"") : strcspn(start, " \t\r\v\f#");
    *at = start + n;
    if (start[n] == '#')
        *at = start + strlen(start);
    else if (start[n] != '\0')
        (*at)++;
    start[n] = '\0';
    return start;
}

static bool is_name(const char *word)
{
    return word[0] == '-' && (isalpha((unsigned char)word[1]) || word[1] == '_');
}

static bool read_line(struct import *im, const char *path, uint32_t line, char *text,
                      struct sim_err *err)
{
    for (char *word = next_word(&text); word; word = next_word(&text)) {
        if (!is_name(word))
            return err_set(err, ERR_INPUT, path, line, 0,
                           "expected an option such as -gpgpu_n_clusters, found '%.80s'", word);
        if (strlen(word) >= IMPORT_VALUE_SIZE)
            return err_set(err, ERR_INPUT, path, line, 0, "option '%.40s...' is too long", word);
        char *value = next_word(&text);
        if (!value || is_name(value))
            return err_set(err, ERR_INPUT, path, line, 0, "option '%.80s' has no value", word);
        if (strlen(value) >= IMPORT_VALUE_SIZE)
            return err_set(err, ERR_INPUT, path, line, 0, "the value of %s is too long", word);
        struct import_option *o = take_option(im, word, err);
        TRY(o);
        snprintf(o->value, sizeof o->value, "%s", value);
        snprintf(o->file, sizeof o->file, "%s", path);
        o->line = line;
    }
    return true;
}

bool import_read_file(struct import *im, const char *path, struct sim_err *err)
{
    struct stream *s = NULL;
    char *text = NULL;
    size_t len = 0;
    TRY(stream_open(&s, path, err));
    bool ok = true;
    while ((ok = stream_line(s, &text, &len, err)) && text) {
        ok = read_line(im, path, (uint32_t)stream_line_number(s), text, err);
        if (!ok)
            break;
    }
    stream_close(s);
    if (ok && im->option_count == 0)
        return err_set(err, ERR_INPUT, path, 0, 0, "holds no option");
    return ok;
}
