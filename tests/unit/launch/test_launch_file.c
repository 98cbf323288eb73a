/* Launch files: what is read, and the exact messages of bad ones. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "launch/launch_file.h"

#define FOLDER "tests/bad/launch"
#define SUITE SUBCORE_SOURCE_DIR "/../shared/kernels/launches.yaml"

static struct err_list errors;

static struct launch_file *parse(const char *text)
{
    struct launch_file *f = NULL;
    memset(&errors, 0, sizeof errors);
    if (!launch_file_parse(&f, "dir/l.yaml", text, strlen(text), &errors))
        fail_msg("%s", errors.items[0].msg);
    return f;
}

static void check_file(const char *name)
{
    char path[512], expect[512], message[4096], want[8192] = "";
    snprintf(path, sizeof path, FOLDER "/%s", name);
    snprintf(expect, sizeof expect, "%.*s.expect", (int)(strlen(path) - strlen(".yaml")), path);
    struct launch_file *f = NULL;
    memset(&errors, 0, sizeof errors);
    if (launch_file_load(&f, path, &errors))
        fail_msg("%s was accepted", path);
    assert_null(f);
    struct buf got = {0};
    for (uint32_t i = 0; i < errors.count; i++) {
        err_format(&errors.items[i], message, sizeof message);
        buf_printf(&got, "%s\n", message);
        assert_int_equal(err_exit_status(errors.items[i].code), 3);
    }
    FILE *e = fopen(expect, "r");
    if (!e)
        fail_msg("%s is missing; got:\n%s", expect, got.data);
    size_t n = fread(want, 1, sizeof want - 1, e);
    want[n] = '\0';
    fclose(e);
    if (!got.data || strcmp(got.data, want) != 0)
        fail_msg("%s gives\n%sbut %s holds\n%s", path, got.data ? got.data : "", expect, want);
    buf_free(&got);
}

static void faulty_files_give_their_exact_messages(void **state)
{
    (void)state;
    assert_int_equal(chdir(SUBCORE_SOURCE_DIR), 0);
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
    assert_true(checked >= 60);
}

static void all_keys_are_read(void **state)
{
    (void)state;
    struct launch_file *f =
        parse("- name: a\n  kernel: _Z1kPf\n  grid: [3, 2]\n  block: [0x20, 4, 2]\n"
              "  registers: 40\n  shared: 4096\n  sass: k.sass\n  cubin: k.cubin\n  cluster: [2]\n"
              "  args:\n"
              "  - {buf: f16, count: 7, init: times 3}\n"
              "  - {buf: u64, count: 2, init: file in/x.bin}\n"
              "  - {i32: -5}\n  - {u64: 0xffffffffffffffff}\n  - {f32: 0.1}\n  - {f64: -.inf}\n");
    assert_int_equal(f->count, 1);
    const struct launch_spec *s = &f->launches[0];
    assert_string_equal(s->name, "a");
    assert_string_equal(s->kernel, "_Z1kPf");
    assert_int_equal(s->grid.x, 3);
    assert_int_equal(s->grid.y, 2);
    assert_int_equal(s->grid.z, 1);
    assert_int_equal(s->block.x, 32);
    assert_int_equal(s->block.z, 2);
    assert_int_equal(s->cluster.x, 2);
    assert_int_equal(s->registers, 40);
    assert_int_equal(s->shared, 4096);
    assert_string_equal(s->sass, "k.sass");
    assert_string_equal(s->cubin, "k.cubin");
    assert_int_equal(s->arg_count, 6);
    assert_true(s->args[0].is_buffer);
    assert_int_equal(s->args[0].type, LAUNCH_TYPE_f16);
    assert_int_equal(s->args[0].init, LAUNCH_INIT_times);
    assert_int_equal(s->args[0].number, 3);
    assert_string_equal(s->args[1].path, "in/x.bin");
    assert_int_equal(s->args[2].value, 0xfffffffbu);
    assert_true(s->args[3].value == UINT64_MAX);
    assert_int_equal(s->args[4].value, 0x3dcccccdu);
    assert_true(s->args[5].value == 0xfff0000000000000u);
    launch_file_free(f);
}

static void launches_are_found_by_name(void **state)
{
    (void)state;
    struct launch_file *f = parse("- {name: a, kernel: k, grid: [1], block: [1], args: []}\n"
                                  "- {name: b, kernel: k, grid: [1], block: [1], args: []}\n");
    assert_ptr_equal(launch_file_find(f, "b"), &f->launches[1]);
    assert_null(launch_file_find(f, "c"));
    launch_file_free(f);
}

static void paths_are_relative_to_the_file(void **state)
{
    (void)state;
    struct arena a = {0};
    struct launch_file *f = parse("- {name: a, kernel: k, grid: [1], block: [1], args: []}\n");
    assert_string_equal(launch_file_path(&a, f, "x.sass"), "dir/x.sass");
    assert_string_equal(launch_file_path(&a, f, "/x.sass"), "/x.sass");
    launch_file_free(f);
    arena_free(&a);
}

static bool probes(const char *text)
{
    return launch_file_probe(text, strlen(text));
}

static void launch_files_are_told_by_content(void **state)
{
    (void)state;
    assert_true(probes("- {name: a, kernel: k}\n"));
    assert_true(probes("# comment\n---\n-\n  name: a\n  kernel: k\n"));
    assert_true(probes("[{kernel: k}]"));
    assert_false(probes(""));
    assert_false(probes("-kernel name = k\n"));
    assert_false(probes("kernel-1.traceg\n"));
    assert_false(probes(".kernel k\n"));
    assert_false(probes("- {name: a}\n"));
}

static void the_suite_is_read(void **state)
{
    (void)state;
    struct launch_file *f = NULL;
    if (access(SUITE, R_OK) != 0)
        skip();
    memset(&errors, 0, sizeof errors);
    assert_true(launch_file_load(&f, SUITE, &errors));
    assert_int_equal(f->count, 65);
    launch_file_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faulty_files_give_their_exact_messages),
        cmocka_unit_test(all_keys_are_read),
        cmocka_unit_test(launches_are_found_by_name),
        cmocka_unit_test(paths_are_relative_to_the_file),
        cmocka_unit_test(launch_files_are_told_by_content),
        cmocka_unit_test(the_suite_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
