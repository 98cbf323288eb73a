/* Every file of tests/bad/sweep is refused with exactly the messages of its .expect. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "study/sweep_file.h"

#define FOLDER "tests/bad/sweep"

static struct err_list errors;
static struct sweep sweep;

static void read_text(const char *path, struct buf *out)
{
    char block[4096];
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        buf_add(out, block, n);
    fclose(f);
}

static void check_file(const char *name)
{
    char path[512], expect[512], message[4096];
    snprintf(path, sizeof path, FOLDER "/%s", name);
    snprintf(expect, sizeof expect, "%.*s.expect", (int)(strlen(path) - strlen(".yaml")), path);
    memset(&errors, 0, sizeof errors);
    bool read = sweep_read(&sweep, path, &errors);
    sweep_free(&sweep);
    if (read)
        fail_msg("%s was accepted", path);
    struct buf got = {0}, want = {0};
    for (uint32_t i = 0; i < errors.count; i++) {
        err_format(&errors.items[i], message, sizeof message);
        buf_printf(&got, "%s\n", message);
        assert_int_equal(err_exit_status(errors.items[i].code), 3);
    }
    read_text(expect, &want);
    if (!want.data || strcmp(got.data, want.data) != 0)
        fail_msg("%s gives\n%sbut %s holds\n%s", path, got.data, expect, want.data);
    buf_free(&got);
    buf_free(&want);
}

static void faulty_files_give_their_exact_messages(void **state)
{
    (void)state;
    DIR *d = opendir(FOLDER);
    unsigned files = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".yaml")) {
            check_file(e->d_name);
            files++;
        }
    closedir(d);
    assert_true(files > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faulty_files_give_their_exact_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
