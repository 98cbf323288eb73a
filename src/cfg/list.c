/* The cards of the search path. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/load.h"
#include "cfg/search.h"

struct names {
    char **items;
    size_t count, cap;
};

static void add_name(struct names *names, const char *file)
{
    static const char suffix[] = ".yaml";
    size_t len = strlen(file), cut = sizeof suffix - 1;
    if (file[0] == '.' || len <= cut || strcmp(file + len - cut, suffix) != 0)
        return;
    if (names->count == names->cap) {
        size_t cap = names->cap ? 2 * names->cap : 16;
        char **items = realloc(names->items, cap * sizeof *items);
        if (!items)
            return;
        names->items = items;
        names->cap = cap;
    }
    char *name = strndup(file, len - cut);
    if (name)
        names->items[names->count++] = name;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **config_list(size_t *n)
{
    struct names names = {0};
    char dirs[SEARCH_DIRS][SEARCH_PATH_SIZE];
    size_t dir_count = search_dirs(dirs);
    for (size_t i = 0; i < dir_count; i++) {
        DIR *d = opendir(dirs[i]);
        if (!d)
            continue;
        for (struct dirent *e = readdir(d); e; e = readdir(d))
            add_name(&names, e->d_name);
        closedir(d);
    }
    if (names.count > 0)
        qsort(names.items, names.count, sizeof *names.items, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < names.count; i++) {
        if (kept > 0 && strcmp(names.items[kept - 1], names.items[i]) == 0)
            free(names.items[i]);
        else
            names.items[kept++] = names.items[i];
    }
    *n = kept;
    return names.items;
}
