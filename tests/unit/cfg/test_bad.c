/* Every file of tests/bad/config is refused with exactly the messages of its .expect. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cfg/load.h"
#include "cfg/yaml.h"

#define FOLDER "tests/bad/config"

static struct err_list errors;

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
    struct loaded_config c;
    memset(&errors, 0, sizeof errors);
    if (config_load(&c, path, NULL, 0, &errors))
        fail_msg("%s was accepted", path);
    assert_null(c.origins);
    struct buf got = {0}, want = {0};
    for (uint32_t i = 0; i < errors.count; i++) {
        err_format(&errors.items[i], message, sizeof message);
        buf_printf(&got, "%s\n", message);
        assert_int_equal(err_exit_status(errors.items[i].code), 3);
    }
    if (errors.dropped)
        buf_printf(&got, "and %u more\n", errors.dropped);
    read_text(expect, &want);
    if (strcmp(got.data, want.data) != 0)
        fail_msg("%s gives\n%sbut %s holds\n%s", path, got.data, expect, want.data);
    buf_free(&got);
    buf_free(&want);
}

static void faulty_files_give_their_exact_messages(void **state)
{
    (void)state;
    DIR *d = opendir(FOLDER);
    assert_non_null(d);
    unsigned checked = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        size_t len = strlen(e->d_name);
        if (len > 5 && strcmp(e->d_name + len - 5, ".yaml") == 0) {
            check_file(e->d_name);
            checked++;
        }
    }
    closedir(d);
    assert_true(checked >= 40);
}

static void expect_error(const char *name, const char *message)
{
    struct loaded_config c;
    char got[4096];
    memset(&errors, 0, sizeof errors);
    assert_false(config_load(&c, name, NULL, 0, &errors));
    assert_int_equal(errors.count, 1);
    err_format(&errors.items[0], got, sizeof got);
    assert_string_equal(got, message);
}

static void a_name_that_is_no_file_is_refused(void **state)
{
    (void)state;
    expect_error("no_such_card",
                 "no configuration 'no_such_card': no such file, and no such card in the search "
                 "path (see `subcore config list`)");
    expect_error("configs", "'configs' is a directory, but must be a configuration file");
    expect_error("./configs", "'./configs' is a directory, but must be a configuration file");
}

static void a_large_file_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/subcore_test_XXXXXX", message[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)YAML_MAX_BYTES + 1), 0);
    close(fd);
    snprintf(message, sizeof message,
             "%s: the file is larger than 4194304 bytes: not a configuration", path);
    expect_error(path, message);
    unlink(path);
}

static void a_large_file_of_unknown_keys_is_read_in_bounded_time(void **state)
{
    (void)state;
    struct buf text = {0};
    for (unsigned i = 0; text.len < YAML_MAX_BYTES - 32; i++)
        buf_printf(&text, "k%u: {a: [1]}\n", i);
    struct yaml_patch *patch = malloc(sizeof *patch);
    memset(&errors, 0, sizeof errors);
    assert_false(yaml_read("x.yaml", text.data, text.len, patch, &errors));
    assert_int_equal(errors.count, ERR_LIST_MAX);
    assert_true(errors.dropped > 100000);
    free(patch);
    buf_free(&text);
}

static int enter_source(void **state)
{
    (void)state;
    unsetenv("SUBCORE_CONFIGS");
    return chdir(SUBCORE_SOURCE_DIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faulty_files_give_their_exact_messages),
        cmocka_unit_test(a_name_that_is_no_file_is_refused),
        cmocka_unit_test(a_large_file_is_refused),
        cmocka_unit_test(a_large_file_of_unknown_keys_is_read_in_bounded_time),
    };
    return cmocka_run_group_tests(tests, enter_source, NULL);
}
