/* Writes the generated pages into a folder: gen_docs docs */
#include <stdio.h>

#include "base/outfile.h"
#include "report/docs.h"

static bool write_page(const char *folder, const struct docs_page *page, struct sim_err *err)
{
    char path[1024];
    struct outfile file;
    struct buf text = {0};
    page->write(&text);
    snprintf(path, sizeof path, "%s/%s", folder, page->name);
    bool ok = !text.failed || err_memory(err, "writing a page");
    if (ok && outfile_open(&file, path, err)) {
        ok = outfile_write(&file, text.data, text.len, err);
        ok = outfile_commit(&file, err) && ok;
    } else {
        ok = false;
    }
    buf_free(&text);
    return ok;
}

int main(int argc, char **argv)
{
    struct sim_err err = {0};
    if (argc != 2) {
        fputs("usage: gen_docs FOLDER\n", stderr);
        return err_exit_status(ERR_USAGE);
    }
    for (const struct docs_page *page = docs_pages(); page->name; page++) {
        if (write_page(argv[1], page, &err))
            continue;
        fprintf(stderr, "gen_docs: %s: %s\n", err.file, err.msg);
        return err_exit_status(err.code);
    }
    return 0;
}
