/* Compares one executed launch with what was measured on a GPU. Called by tools/compare_hw.
 *
 *   compare_hw --list RESULTS.json
 *   compare_hw NAME HW_FOLDER DUMP_FOLDER PC.csv|-
 *
 * HW_FOLDER holds results.json (CRC-32 of every buffer), pc_counts.json.gz (executions by pc) and
 * buffers/NAME.ARG.bin.gz for results that are only close: within 2^-20 of the largest magnitude.
 * The last buffer of the chase launches holds clock values and is not compared. Prints one line of
 * the table; exit status 1 when something differs. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "hw_files.h"

#define MAX_ARGS 256
#define CLOSE 0x1p-20

static int list_names(const char *path)
{
    size_t len;
    char *text = slurp(path, &len);
    for (const char *p = blanks(blanks(text) + 1); *p == '"'; p = blanks(after(p))) {
        printf("%.*s\n", (int)strcspn(p + 1, "\""), p + 1);
        p = blanks(after(p));
    }
    free(text);
    return 0;
}

/* Largest difference as a share of the largest magnitude; infinite when sizes differ. */
static double distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    double largest = 0, difference = 0;
    if (a_len != b_len)
        return HUGE_VAL;
    for (size_t i = 0; i + 4 <= a_len; i += 4) {
        float x, y;
        memcpy(&x, a + i, 4);
        memcpy(&y, b + i, 4);
        if (isnan(x) || isnan(y) || isinf(x) || isinf(y)) {
            if (memcmp(a + i, b + i, 4) != 0)
                return HUGE_VAL;
            continue;
        }
        largest = fmax(largest, fabs((double)y));
        difference = fmax(difference, fabs((double)x - (double)y));
    }
    return difference == 0 ? 0 : difference / largest;
}

struct tally {
    unsigned buffers, equal, close, skipped;
    double worst;
    unsigned pcs, pcs_wrong;
    uint64_t insts;
    char note[160]; /* the first difference */
};

static void note(struct tally *t, const char *text)
{
    if (t->note[0] == '\0')
        snprintf(t->note, sizeof t->note, "%s", text);
}

static void compare_buffer(struct tally *t, const char *want, const char *path, const char *near)
{
    size_t len, near_len;
    char text[128];
    char *data = slurp(path, &len);
    uint32_t crc = (uint32_t)crc32(0, NULL, 0);
    for (size_t at = 0; at < len; at += 1u << 30)
        crc = (uint32_t)crc32(crc, (const Bytef *)data + at,
                              (uInt)(len - at < 1u << 30 ? len - at : 1u << 30));
    const char *expected = member(want, "crc32");
    uint32_t expected_crc = expected ? (uint32_t)strtoul(expected + 1, NULL, 16) : 0;
    if (crc == expected_crc) {
        t->equal++;
    } else if (access(near, R_OK) == 0) {
        char *reference = slurp(near, &near_len);
        double d = distance(data, len, reference, near_len);
        t->worst = fmax(t->worst, d);
        if (d <= CLOSE) {
            t->close++;
        } else {
            snprintf(text, sizeof text, "%s is off by %.3g", strrchr(path, '/') + 1, d);
            note(t, text);
        }
        free(reference);
    } else {
        snprintf(text, sizeof text, "%s has CRC %08x, expected %08x", strrchr(path, '/') + 1, crc,
                 expected_crc);
        note(t, text);
    }
    free(data);
}

static void compare_buffers(struct tally *t, const char *name, const char *results, const char *hw,
                            const char *dump)
{
    const char *p = member(member(results, name), "buffers");
    char path[4096], near[4096];
    if (!p) {
        note(t, "no such launch in results.json");
        t->buffers = 1;
        return;
    }
    unsigned arg = 0;
    for (p = blanks(p + 1); *p == '{'; p = blanks(after(p))) {
        t->buffers++;
        for (; arg < MAX_ARGS; arg++) {
            snprintf(path, sizeof path, "%s/%s.%u.bin", dump, name, arg);
            if (access(path, R_OK) == 0)
                break;
        }
        if (arg == MAX_ARGS) {
            note(t, "a buffer was not dumped");
            return;
        }
        snprintf(near, sizeof near, "%s/buffers/%s.%u.bin.gz", hw, name, arg++);
        if (strncmp(name, "chase", 5) == 0 && *blanks(after(p)) == ']')
            t->skipped++;
        else
            compare_buffer(t, p, path, near);
    }
}

/* Measured executions: three arrays, indexed by pc / 16. */
struct counts {
    uint64_t *v[3];
    size_t n;
};

static const char *const columns[3] = {"inst", "thread", "thread_true"};

static bool read_counts(struct counts *c, const char *launch)
{
    for (int k = 0; k < 3; k++) {
        const char *p = member(launch, columns[k]);
        size_t n = 0;
        if (!p)
            return false;
        const char *end = after(p);
        c->v[k] = calloc((size_t)(end - p), sizeof *c->v[k]);
        if (!c->v[k])
            exit(2);
        for (p = blanks(p + 1); *p != ']'; p = blanks(p)) {
            char *next;
            c->v[k][n++] = strtoull(p, &next, 10);
            p = next;
        }
        c->n = n;
    }
    return true;
}

static void wrong_pc(struct tally *t, uint64_t pc, int k, uint64_t got, uint64_t want)
{
    char text[128];
    snprintf(text, sizeof text, "0x%04" PRIx64 ": %s is %" PRIu64 ", expected %" PRIu64, pc,
             columns[k], got, want);
    note(t, text);
    t->pcs_wrong++;
}

/* Lines kernel,launch,pc,inst,thread,thread_true; a pc without a line was not executed. */
static void compare_counts(struct tally *t, const char *name, const char *all, char *csv)
{
    struct counts want = {.n = 0};
    if (!read_counts(&want, member(all, name))) {
        note(t, "no such launch in pc_counts.json");
        t->pcs_wrong = 1;
        return;
    }
    uint64_t *got = calloc(3 * want.n + 1, sizeof *got);
    if (!got)
        exit(2);
    for (char *line = strtok(csv, "\n"); line; line = strtok(NULL, "\n")) {
        char launch[256];
        uint64_t pc, v[3];
        if (sscanf(line, "%*[^,],%255[^,],0x%" SCNx64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64, launch,
                   &pc, &v[0], &v[1], &v[2]) != 5 ||
            strcmp(launch, name) != 0)
            continue;
        t->insts += v[0];
        if (pc / 16 >= want.n)
            wrong_pc(t, pc, 0, v[0], 0);
        else
            memcpy(got + 3 * (pc / 16), v, sizeof v);
    }
    t->pcs = (unsigned)want.n;
    for (size_t i = 0; i < want.n; i++)
        for (int k = 0; k < 3; k++)
            if (got[3 * i + (size_t)k] != want.v[k][i]) {
                wrong_pc(t, 16 * i, k, got[3 * i + (size_t)k], want.v[k][i]);
                break;
            }
    free(got);
    for (int k = 0; k < 3; k++)
        free(want.v[k]);
}

static int compare(const char *name, const char *hw, const char *dump, const char *csv_path)
{
    struct tally t = {.buffers = 0};
    char path[4096];
    size_t len;
    snprintf(path, sizeof path, "%s/results.json", hw);
    char *results = slurp(path, &len);
    compare_buffers(&t, name, results, hw, dump);
    bool with_counts = strcmp(csv_path, "-") != 0;
    if (with_counts) {
        snprintf(path, sizeof path, "%s/pc_counts.json.gz", hw);
        char *all = slurp(path, &len), *csv = slurp(csv_path, &len);
        compare_counts(&t, name, all, csv);
        free(all);
        free(csv);
    }
    free(results);
    bool ok = t.equal + t.close + t.skipped == t.buffers && t.pcs_wrong == 0;
    printf("%-20s %-4s %u/%u", name, ok ? "ok" : "DIFF", t.equal + t.close + t.skipped, t.buffers);
    if (with_counts)
        printf("  %4u/%-4u %12" PRIu64, t.pcs - (t.pcs_wrong < t.pcs ? t.pcs_wrong : t.pcs), t.pcs,
               t.insts);
    if (t.close > 0)
        printf("  %u close, %.2g at most", t.close, t.worst);
    if (t.note[0])
        printf("  %s", t.note);
    printf("\n");
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--list") == 0)
        return list_names(argv[2]);
    if (argc == 5)
        return compare(argv[1], argv[2], argv[3], argv[4]);
    fprintf(stderr, "usage: compare_hw --list RESULTS.json | compare_hw NAME HW DUMP PC.csv\n");
    return 2;
}
