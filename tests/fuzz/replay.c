/* Replays a fuzz target on every file of a folder, in the order of their names.
 *
 * Linked with one fuzz_<what>.c; an ordinary test that needs no libFuzzer. Fails when the folder
 * cannot be read or is empty, so that a misplaced corpus is not taken for a passed test. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/target.h"

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_file(const char *folder, const char *name)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) {
        fprintf(stderr, "%s/%s: path is too long\n", folder, name);
        return 1;
    }
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    uint8_t *data = NULL;
    size_t size = 0;
    size_t got;
    uint8_t block[4096];
    while ((got = fread(block, 1, sizeof block, f)) > 0) {
        uint8_t *grown = realloc(data, size + got);
        if (!grown) {
            fprintf(stderr, "%s: out of memory\n", path);
            free(data);
            fclose(f);
            return 1;
        }
        data = grown;
        memcpy(data + size, block, got);
        size += got;
    }
    fclose(f);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    struct dirent **entries = NULL;
    int count = scandir(argv[1], &entries, visible, alphasort);
    if (count <= 0) {
        fprintf(stderr, "%s: %s\n", argv[1],
                count < 0 ? strerror(errno) : "no input in the folder");
        free(entries);
        return 1;
    }
    int failed = 0;
    for (int i = 0; i < count; i++) {
        failed |= replay_file(argv[1], entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    printf("replayed %d inputs of %s\n", count, argv[1]);
    return failed;
}
