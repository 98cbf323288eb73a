#include "hw_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/stream.h"

char *slurp(const char *path, size_t *len)
{
    struct sim_err err = {.code = ERR_NONE};
    struct stream *s = NULL;
    struct buf out = {0};
    char block[65536];
    size_t got = 0;
    bool ok = stream_open(&s, path, &err);
    while (ok && (ok = stream_read(s, block, sizeof block, &got, &err)) && got > 0)
        buf_add(&out, block, got);
    stream_close(s);
    if (!ok || out.failed) {
        fprintf(stderr, "%s: %s\n", path, ok ? "out of memory" : err.msg);
        exit(2);
    }
    *len = out.len;
    return out.data ? out.data : calloc(1, 1);
}

const char *blanks(const char *p)
{
    return p + strspn(p, " \t\r\n,:");
}

const char *after(const char *p)
{
    int depth = 0;
    p = blanks(p);
    do {
        if (*p == '"')
            p = strchr(p + 1, '"');
        else if (*p == '{' || *p == '[')
            depth++;
        else if (*p == '}' || *p == ']')
            depth--;
        else if (depth == 0)
            return p + strcspn(p, ",]} \t\r\n");
        if (!p || !*p) {
            fprintf(stderr, "unexpected end of JSON\n");
            exit(2);
        }
        p++;
    } while (depth > 0);
    return p;
}

const char *member(const char *p, const char *key)
{
    size_t n = strlen(key);
    p = p ? blanks(p) : NULL;
    if (!p || *p != '{')
        return NULL;
    for (p = blanks(p + 1); *p == '"'; p = blanks(after(p))) {
        const char *name = p + 1;
        p = blanks(after(p));
        if (strncmp(name, key, n) == 0 && name[n] == '"')
            return p;
    }
    return NULL;
}
