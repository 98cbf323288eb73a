/* The generated pages of docs/ are those of the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/docs.h"

static char *read_file(const char *path)
{
    struct buf text = {0};
    char part[4096];
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s is missing; run gen_docs docs", path);
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        buf_add(&text, part, n);
    fclose(in);
    return buf_take(&text);
}

static void generated_pages_are_fresh(void **state)
{
    (void)state;
    for (const struct docs_page *page = docs_pages(); page->name; page++) {
        char path[1024];
        struct buf want = {0};
        snprintf(path, sizeof path, "%s/docs/%s", SUBCORE_SOURCE_DIR, page->name);
        char *have = read_file(path);
        page->write(&want);
        assert_false(want.failed);
        if (strcmp(have, want.data) != 0)
            fail_msg("docs/%s is stale; run gen_docs docs", page->name);
        free(have);
        buf_free(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(generated_pages_are_fresh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
