/* A sweep that is killed at any time goes on where it was: twenty times, the same bytes. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <time.h>

#include "sweep_place.h"

#define KILLS 20u

/* Twelve points of some milliseconds. */
static void write_study(void)
{
    write_text("work.sass", ".kernel work\n.grid 8,1,1\n.block 128,1,1\n.loop 40\n"
                            "[B------:R-:W-:-:S01] FFMA R6, R2, R4, R6 ;\n"
                            "[B------:R-:W-:-:S01] FFMA R8, R2, R4, R8 ;\n"
                            ".endloop\n"
                            "[B------:R-:W-:-:S05] EXIT ;\n");
    write_text("study.yaml", "title: Killed\ncards: [rtx_a6000]\ninputs: [work.sass]\n"
                             "set: {gpu.sms: 4}\naxes:\n"
                             "  - grid:\n"
                             "      register_file.read_ports: [1, 2]\n"
                             "      icache.stream_buffer_lines: [off, 1, 2, 4, 8, perfect]\n");
}

static uint64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Starts the sweep and kills it after `us`; true when it had not ended by itself. */
static bool start_and_kill(uint64_t us)
{
    struct timespec t = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000};
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (chdir(folder) == 0)
            execl(SUBCORE_PROGRAM, "subcore", "sweep", "study.yaml", "-q", "-j2", "-o", "killed",
                  (char *)NULL);
        _exit(127);
    }
    nanosleep(&t, NULL);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status);
}

static void a_killed_sweep_goes_on_to_the_same_bytes(void **state)
{
    (void)state;
    uint32_t random = 12345, killed = 0;
    setenv("SUBCORE_CONFIGS", SUBCORE_SOURCE_DIR "/configs", 1);
    write_study();
    uint64_t start = now_us();
    expect_status("$SUBCORE sweep study.yaml -q -j2 -o whole", 0);
    uint64_t whole = now_us() - start;
    for (uint32_t i = 0; i < KILLS; i++) {
        random = random * 1664525u + 1013904223u;
        /* From the start of a fresh sweep, or of one that goes on. */
        if (i % 4 == 0)
            expect_status("rm -rf killed", 0);
        killed += start_and_kill(whole * (random >> 16) / 65536);
        if (i % 4 == 3) {
            expect_status("$SUBCORE sweep study.yaml -q -j2 -o killed", 0);
            expect_same("killed/results.csv", "whole/results.csv");
            expect_same("killed/table.txt", "whole/table.txt");
        }
    }
    assert_true(killed > 0);
}

int main(void)
{
    program = SUBCORE_PROGRAM;
    source_dir = SUBCORE_SOURCE_DIR;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_sweep_goes_on_to_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
