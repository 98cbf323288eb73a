/* "Did you mean": the nearest known name by edit distance. */
#include <string.h>

#include "base/distance.h"
#include "cfg/schema.h"

struct best {
    char name[SCHEMA_PATH_SIZE];
    unsigned cost; /* the first of equals wins: the order of the table */
    size_t wanted; /* bytes of the user's name */
};

static void consider(struct best *b, const char *name, size_t len, unsigned cost)
{
    /* A name that shares no letter with the user's is no suggestion. */
    if (cost >= b->cost || cost >= len || cost >= b->wanted || len >= sizeof b->name)
        return;
    b->cost = cost;
    memcpy(b->name, name, len);
    b->name[len] = '\0';
}

/* A third of the name may be wrong, at least two letters. */
static unsigned tolerance(size_t len)
{
    return len < 6 ? 2 : (unsigned)(len / 3);
}

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static unsigned dots_of(const char *path)
{
    unsigned dots = 0;
    for (; *path != '\0'; path++)
        dots += *path == '.';
    return dots;
}

/* Length of the front of `path` with `dots` dots, or 0 when it has fewer. */
static size_t front_length(const char *path, unsigned dots)
{
    size_t len = 0;
    for (; path[len] != '\0'; len++)
        if (path[len] == '.' && dots-- == 0)
            return len;
    return dots == 0 ? len : 0;
}

bool schema_suggest(const char *path, char out[SCHEMA_PATH_SIZE])
{
    size_t len = strlen(path);
    if (len == 0 || len > DISTANCE_MAX_LEN)
        return false;
    const char *leaf = last_part(path);
    unsigned dots = dots_of(path);
    struct best best = {"", tolerance(strlen(leaf)) + 1, len};
    char front[SCHEMA_PATH_SIZE] = "";
    for (size_t i = 0; i < SCHEMA_KEYS; i++) {
        const char *key = config_key(i)->path;
        size_t n = front_length(key, dots);
        if (n > 0 && (strncmp(front, key, n) != 0 || front[n] != '\0')) {
            memcpy(front, key, n);
            front[n] = '\0';
            consider(&best, front, n, edit_distance(path, front));
        }
        /* The right key in the wrong section; members of groups all have the same keys. */
        if (dots_of(key) == 1 && strcmp(last_part(key), leaf) == 0)
            consider(&best, key, strlen(key), 2);
    }
    memcpy(out, best.name, sizeof best.name);
    return best.name[0] != '\0';
}

bool schema_suggest_word(const struct key_info *key, const char *word, char out[SCHEMA_PATH_SIZE])
{
    size_t len = strlen(word);
    if (len == 0 || len > DISTANCE_MAX_LEN)
        return false;
    struct best best = {"", tolerance(len) + 1, len};
    for (uint32_t i = 0; i < key->word_count; i++) {
        const char *name = key->words[i].word;
        consider(&best, name, strlen(name), edit_distance(word, name));
    }
    memcpy(out, best.name, sizeof best.name);
    return best.name[0] != '\0';
}
