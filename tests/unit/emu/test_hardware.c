/* Compiled integer operations give what an H200 gave (tests/data/emu/int_h200.txt). */
#include "support.h"

#define DATA SUBCORE_SOURCE_DIR "/tests/data/emu/int_h200.txt"
#define MAX_LINES 40
#define LINE_SIZE 160

struct program {
    char name[LINE_SIZE];
    char lines[MAX_LINES][LINE_SIZE];
    uint32_t count, sm;
};

/* Lanes whose guard is true. */
static uint32_t guard_mask(const struct emu_warp *w, const char **text)
{
    uint32_t mask = ~0u;
    bool negate = false;
    unsigned index;
    const char *s = *text;
    if (*s != '@')
        return mask;
    negate = *++s == '!';
    s += negate;
    assert_int_equal(sscanf(s, "P%u ", &index), 1);
    *text = strchr(s, ' ') + 1;
    return negate ? ~w->p[index] : w->p[index];
}

/* "< R7 c" as register and index of the letter in `letters`. */
static void read_place(const char *line, const char *letters, uint32_t *reg, uint32_t *index)
{
    char letter;
    unsigned number;
    assert_int_equal(sscanf(line + 2, "R%u %c", &number, &letter), 2);
    const char *at = strchr(letters, letter);
    assert_non_null(at);
    *reg = number;
    *index = (uint32_t)(at - letters);
}

static void run_program(const struct program *p, struct emu_warp *w, const uint32_t in[4],
                        uint32_t out[4])
{
    test_warp_clear(w);
    for (uint32_t n = 0; n < p->count; n++) {
        const char *line = p->lines[n];
        uint32_t reg, index;
        if (line[0] == '<') {
            read_place(line, "abcd", &reg, &index);
            for (uint32_t i = 0; i < WARP_LANES; i++)
                w->r[reg][i] = in[index];
        } else if (line[0] == '>') {
            read_place(line, "xyze", &reg, &index);
            out[index] = w->r[reg][WARP_LANES - 1];
        } else {
            uint32_t mask = guard_mask(w, &line);
            if (mask)
                test_run(w, line, p->sm, mask);
        }
    }
}

/* ": a b c d = x y z e" */
static void check_row(const struct program *p, struct emu_warp *w, const char *row)
{
    uint32_t in[4], out[4] = {0};
    char expected[4][16];
    assert_int_equal(sscanf(row, ": %x %x %x %x = %15s %15s %15s %15s", &in[0], &in[1], &in[2],
                            &in[3], expected[0], expected[1], expected[2], expected[3]),
                     8);
    run_program(p, w, in, out);
    for (uint32_t k = 0; k < 4; k++)
        if (expected[k][0] != '-' && out[k] != (uint32_t)strtoul(expected[k], NULL, 16))
            fail_msg("%s: %s: found 0x%x for %c", p->name, row, out[k], "xyze"[k]);
}

static void compiled_operations_give_what_hardware_gave(void **state)
{
    (void)state;
    FILE *f = fopen(DATA, "r");
    struct program *p = calloc(1, sizeof *p);
    struct emu_warp *w = malloc(sizeof *w);
    assert_true(f && p && w);
    char line[LINE_SIZE];
    uint32_t rows = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (line[0] == '=') {
            p->count = 0;
            memcpy(p->name, line, sizeof line);
            p->sm = (uint32_t)strtoul(strstr(line, "sm_") + 3, NULL, 10);
        } else if (line[0] == ':') {
            check_row(p, w, line);
            rows++;
        } else {
            assert_true(p->count < MAX_LINES);
            memcpy(p->lines[p->count++], line, sizeof line);
        }
    }
    assert_true(rows > 900);
    free(w);
    free(p);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_operations_give_what_hardware_gave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
