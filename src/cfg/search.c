/* Finding configuration files. */
#include "cfg/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool join(char out[SEARCH_PATH_SIZE], const char *a, const char *b, const char *c)
{
    int n = snprintf(out, SEARCH_PATH_SIZE, "%s%s%s", a, b, c);
    return n >= 0 && n < SEARCH_PATH_SIZE;
}

/* Folder of the executable, with the last '/' cut. */
static bool executable_dir(char out[SEARCH_PATH_SIZE])
{
    ssize_t n = readlink("/proc/self/exe", out, SEARCH_PATH_SIZE - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    char *slash = strrchr(out, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

size_t search_dirs(char dirs[SEARCH_DIRS][SEARCH_PATH_SIZE])
{
    size_t n = 0;
    char exe[SEARCH_PATH_SIZE];
    const char *env = getenv("SUBCORE_CONFIGS");
    if (env && env[0] && join(dirs[n], env, "", ""))
        n++;
    if (join(dirs[n], "configs", "", ""))
        n++;
    if (executable_dir(exe) && join(dirs[n], exe, "/../share/subcore/configs", ""))
        n++;
    if (SUBCORE_SOURCE_CONFIGS[0] && join(dirs[n], SUBCORE_SOURCE_CONFIGS, "", ""))
        n++;
    if (join(dirs[n], SUBCORE_INSTALL_CONFIGS, "", "")) /* of programs that use the library */
        n++;
    return n;
}

/* True for anything that can be read as a file; a folder sets *directory. */
static bool is_file(const char *path, bool *directory)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    if (S_ISDIR(st.st_mode)) {
        *directory = true;
        return false;
    }
    return true;
}

static bool try_path(char out[SEARCH_PATH_SIZE], const char *dir, const char *name, bool *directory)
{
    const char *slash = dir[0] ? "/" : "";
    if (join(out, dir, slash, name) && is_file(out, directory))
        return true;
    char with_suffix[SEARCH_PATH_SIZE];
    return join(with_suffix, name, ".yaml", "") && join(out, dir, slash, with_suffix) &&
           is_file(out, directory);
}

/* Turns "a/b/../c" into "a/c" when both name the same file (they need not, with links). */
static void shorten(char path[SEARCH_PATH_SIZE])
{
    char *up = strstr(path, "/../");
    if (!up || up == path)
        return;
    char *start = up;
    while (start > path && start[-1] != '/')
        start--;
    if (strncmp(start, "..", 2) == 0 || start == up)
        return;
    char other[SEARCH_PATH_SIZE];
    int n = snprintf(other, sizeof other, "%.*s%s", (int)(start - path), path, up + 4);
    struct stat a, b;
    if (n > 0 && (size_t)n < sizeof other && stat(path, &a) == 0 && stat(other, &b) == 0 &&
        a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
        memcpy(path, other, (size_t)n + 1);
        shorten(path);
    }
}

bool search_config(const char *name, const char *from, char out[SEARCH_PATH_SIZE], bool *directory)
{
    *directory = false;
    char dir[SEARCH_PATH_SIZE] = "";
    const char *slash = from && name[0] != '/' ? strrchr(from, '/') : NULL;
    if (slash && !join(dir, from, "", ""))
        return false;
    if (slash)
        dir[slash == from ? 1 : slash - from] = '\0';
    /* A bare name of the command line means the card, unless a file has that very name. */
    bool bare = !from && !strchr(name, '/');
    bool found = bare ? join(out, name, "", "") && is_file(out, directory)
                      : try_path(out, dir, name, directory);
    if (found) {
        shorten(out);
        return true;
    }
    char dirs[SEARCH_DIRS][SEARCH_PATH_SIZE];
    size_t n = name[0] == '/' ? 0 : search_dirs(dirs);
    for (size_t i = 0; i < n; i++)
        if (try_path(out, dirs[i], name, directory))
            return true;
    return false;
}
