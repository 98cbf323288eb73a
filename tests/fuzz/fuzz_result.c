/* Fuzzes the reader of results: any text is refused with an error, or makes a page. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/target.h"
#include "page/page.h"

static bool draw(void *user, const char *script, struct buf *svg, struct sim_err *err)
{
    (void)user;
    (void)script;
    (void)err;
    buf_puts(svg, "<svg></svg>");
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct buf page = {0};
    struct sim_err err = {0};
    struct page_input in;
    char *text = calloc(1, size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    bool ok = page_parse(&in, &arena, "fuzz.json", text, size, &err) &&
              page_write(&page, &in, 1, "0", draw, NULL, &err);
    if (ok != (err.code == ERR_NONE))
        abort();
    err_clear(&err);
    buf_free(&page);
    arena_free(&arena);
    free(text);
    return 0;
}
