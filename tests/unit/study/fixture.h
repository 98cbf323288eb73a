/* A folder with small inputs, and sweeps and plans over them. */
#ifndef SUBCORE_TESTS_STUDY_FIXTURE_H
#define SUBCORE_TESTS_STUDY_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/plan.h"

/* A listing that simulates in no time. */
static const char small_listing[] = ".kernel small\n.block 64,1,1\n"
                                    "[B------:R-:W-:-:S01] MOV R1, 0x1 ;\n"
                                    "[B------:R-:W-:-:S05] FADD R2, R1, R1 ;\n"
                                    "[B------:R-:W-:-:S05] EXIT ;\n";

static char place[64];

static inline const char *path_of(const char *name)
{
    static char path[2][512];
    static unsigned at;
    at = !at;
    snprintf(path[at], sizeof path[at], "%s/%s", place, name);
    return path[at];
}

static inline void write_file(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static inline int make_place(void **state)
{
    (void)state;
    strcpy(place, "/tmp/subcore-study-XXXXXX");
    if (!mkdtemp(place))
        return -1;
    write_file("a.sass", small_listing);
    write_file("b.sass", small_listing);
    return mkdir(path_of("points"), 0777);
}

static inline void remove_files(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

static inline int remove_place(void **state)
{
    (void)state;
    remove_files(path_of("points"));
    remove_files(place);
    return 0;
}

static struct err_list errors;

/* Reads `text` as the file sweep.yaml of the folder. */
static inline void read_sweep(struct sweep *s, const char *text)
{
    memset(&errors, 0, sizeof errors);
    write_file("sweep.yaml", text);
    if (!sweep_read(s, path_of("sweep.yaml"), &errors))
        fail_msg("line %u: %s", errors.items[0].line, errors.items[0].msg);
}

static inline void make_plan(struct plan *p, const struct sweep *s)
{
    struct sim_err err = {0};
    if (!plan_make(p, s, NULL, 0, "1.2.3", &err))
        fail_msg("%s", err.msg);
}

#endif
