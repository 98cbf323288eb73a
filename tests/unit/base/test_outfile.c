/* Output files: nothing under the name before they are complete. */
#define _XOPEN_SOURCE 700 /* mkdtemp, symlink */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"

struct folder {
    char dir[64];
    char file[128];
};

static int make_folder(void **state)
{
    struct folder *f = calloc(1, sizeof *f);
    strcpy(f->dir, "/tmp/subcore-test-XXXXXX");
    if (!f || !mkdtemp(f->dir))
        return -1;
    snprintf(f->file, sizeof f->file, "%s/result.json", f->dir);
    *state = f;
    return 0;
}

/* Entries of the folder. */
static size_t entries(const struct folder *f)
{
    size_t n = 0;
    DIR *d = opendir(f->dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(d);
    return n;
}

static int remove_folder(void **state)
{
    struct folder *f = *state;
    char link[160];
    snprintf(link, sizeof link, "%s/link", f->dir);
    unlink(link);
    unlink(f->file);
    int rc = rmdir(f->dir);
    free(f);
    return rc;
}

static void expect_text(const char *path, const char *text)
{
    char got[64] = "";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    size_t n = fread(got, 1, sizeof got - 1, in);
    got[n] = '\0';
    fclose(in);
    assert_string_equal(got, text);
}

static void write_text(struct outfile *o, const char *path, const char *text)
{
    struct sim_err err = {0};
    assert_true(outfile_open(o, path, &err));
    assert_true(outfile_write(o, text, strlen(text), &err));
    assert_true(outfile_flush(o, &err));
}

static void name_appears_at_commit_only(void **state)
{
    struct folder *f = *state;
    struct outfile o;
    struct sim_err err = {0};
    write_text(&o, f->file, "new");
    assert_int_equal(access(f->file, F_OK), -1);
    assert_true(outfile_commit(&o, &err));
    expect_text(f->file, "new");
    assert_int_equal(entries(f), 1);
}

static void abort_leaves_the_old_file_and_nothing_else(void **state)
{
    struct folder *f = *state;
    struct outfile o;
    struct sim_err err = {0};
    write_text(&o, f->file, "old");
    assert_true(outfile_commit(&o, &err));
    write_text(&o, f->file, "new");
    assert_int_equal(entries(f), 2);
    outfile_abort(&o);
    expect_text(f->file, "old");
    assert_int_equal(entries(f), 1);
    outfile_abort(&o);
}

static void mode_follows_the_umask(void **state)
{
    struct folder *f = *state;
    struct outfile o;
    struct sim_err err = {0};
    struct stat st;
    mode_t old = umask(027);
    write_text(&o, f->file, "x");
    umask(old);
    assert_true(outfile_commit(&o, &err));
    assert_int_equal(stat(f->file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void symbolic_link_stays_a_link(void **state)
{
    struct folder *f = *state;
    struct outfile o;
    struct sim_err err = {0};
    struct stat st;
    char link[160];
    snprintf(link, sizeof link, "%s/link", f->dir);
    write_text(&o, f->file, "old");
    assert_true(outfile_commit(&o, &err));
    assert_int_equal(symlink(f->file, link), 0);
    write_text(&o, link, "new");
    assert_true(outfile_commit(&o, &err));
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    expect_text(f->file, "new");
}

static void device_is_written_directly(void **state)
{
    (void)state;
    struct outfile o;
    struct sim_err err = {0};
    struct stat st;
    write_text(&o, "/dev/null", "x");
    assert_null(o.tmp_path);
    assert_true(outfile_commit(&o, &err));
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void full_disk_is_a_resource_error(void **state)
{
    (void)state;
    struct outfile o;
    struct sim_err err = {0};
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_true(outfile_open(&o, "/dev/full", &err));
    assert_true(outfile_write(&o, "x", 1, &err));
    assert_false(outfile_commit(&o, &err));
    assert_int_equal(err.code, ERR_RESOURCE);
    assert_string_equal(err.file, "/dev/full");
    assert_null(o.stream);
}

static void missing_folder_and_folder_as_file_are_errors(void **state)
{
    struct folder *f = *state;
    struct outfile o;
    struct sim_err err = {0};
    char path[160];
    snprintf(path, sizeof path, "%s/none/x", f->dir);
    assert_false(outfile_open(&o, path, &err));
    assert_int_equal(err.code, ERR_RESOURCE);
    assert_string_equal(err.file, path);
    err_clear(&err);
    assert_false(outfile_open(&o, f->dir, &err));
    assert_int_equal(err.code, ERR_RESOURCE);
    assert_int_equal(entries(f), 0);
}

static void held_text_is_kept_or_dropped(void **state)
{
    struct folder *f = *state;
    struct outfile o;
    struct sim_err err = {0};
    write_text(&o, f->file, "a");
    assert_true(outfile_hold(&o, &err));
    assert_true(outfile_write(&o, "bb", 2, &err));
    assert_true(outfile_drop(&o, &err));
    assert_true(outfile_write(&o, "c", 1, &err));
    assert_true(outfile_hold(&o, &err));
    assert_true(outfile_write(&o, "d", 1, &err));
    assert_true(outfile_keep(&o, &err));
    assert_true(outfile_drop(&o, &err)); /* nothing is held */
    assert_true(outfile_commit(&o, &err));
    expect_text(f->file, "acd");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(name_appears_at_commit_only),
        IN_FOLDER(abort_leaves_the_old_file_and_nothing_else),
        IN_FOLDER(mode_follows_the_umask),
        IN_FOLDER(symbolic_link_stays_a_link),
        cmocka_unit_test(device_is_written_directly),
        cmocka_unit_test(full_disk_is_a_resource_error),
        IN_FOLDER(held_text_is_kept_or_dropped),
        IN_FOLDER(missing_folder_and_folder_as_file_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
