/* `convert`, the own format as an input, and --keep-going, from outside. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "place.h"

#define LAUNCHES SUBCORE_SOURCE_DIR "/tests/data/launch/launches.yaml"
#define KERNELS SUBCORE_SOURCE_DIR "/traces/kernels"
#define SHARED SUBCORE_SOURCE_DIR "/../shared/traces/accelsim/"

/* CTAs of the kernels in the traces that tests write; more than one SM takes at a time. */
#define CTAS 100

/* The file holds `text`. */
static void expect_part(const char *name, const char *text)
{
    char command[512];
    snprintf(command, sizeof command, "grep -qF -- '%s' %s", text, name);
    if (shell(command) != 0)
        fail_msg("expected '%s' in %s", text, name);
}

static void put_cta(FILE *f, uint32_t cta, bool damaged)
{
    fprintf(f, "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = 3\n", cta);
    fprintf(f, "0000 ffffffff 1 R1 S2R 0 0 0 \n0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x7f%06x00 4 0 \n",
            cta);
    fputs(damaged ? "0020 oops 0 EXIT 0 0 0 \n#END_TB\n" : "0020 ffffffff 0 EXIT 0 0 0 \n#END_TB\n",
          f);
}

/* A trace of one kernel; the last CTA may be damaged. */
static void write_kernel(const char *name, uint32_t id, bool damaged)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "-kernel name = k%u\n-kernel id = %u\n-grid dim = (%d,1,1)\n-block dim = (32,1,1)\n"
            "-shmem = 0\n-nregs = 24\n-binary version = 86\n-cuda stream id = 0\n"
            "-shmem base_addr = 0x0000700000000000\n-local mem base_addr = 0x0000700001000000\n"
            "-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format = ...\n",
            id, id, CTAS);
    for (uint32_t cta = 0; cta < CTAS; cta++)
        put_cta(f, cta, damaged && cta == CTAS - 1);
    assert_int_equal(fclose(f), 0);
}

/* Three kernels with copies between them; the second may be damaged. */
static void write_list(bool damaged)
{
    write_kernel("kernel-1.traceg", 1, false);
    write_kernel("kernel-2.traceg", 2, damaged);
    write_kernel("kernel-3.traceg", 3, false);
    expect("printf 'MemcpyHtoD,0x00007f0000000000,4096\\nkernel-1.traceg\\nkernel-2.traceg\\n"
           "MemcpyHtoD,0x7f0000100000,64\\nkernel-3.traceg\\n' > kernelslist.g",
           0);
}

static void text_of_the_own_writer_comes_back_byte_by_byte(void **state)
{
    (void)state;
    expect("$S trace " LAUNCHES ":small -o t/ -q", 0);
    expect("$S convert t a.sct -q && $S convert a.sct u/ -q && diff -r t u", 0);
    expect("$S convert u b.sct -q && cmp a.sct b.sct", 0);
    expect("$S convert t v/ -q && diff -r t v", 0);
}

static void copies_numbers_and_streams_are_kept(void **state)
{
    (void)state;
    write_list(false);
    expect("$S convert . a.sct > out", 0);
    expect_part("out", "kernel 2 k2: 100 CTAs, 300 warp instructions");
    expect_part("out", "3 kernels, 2 copies to the device (4,160 bytes)");
    expect("$S convert a.sct u/ -q && $S convert u b.sct -q && cmp a.sct b.sct", 0);
    expect_part("u/kernelslist.g", "MemcpyHtoD,0x00007f0000000000,4096");
    expect_part("u/kernel-3.traceg", "-kernel id = 3");
    expect("$S inspect --dump kernelslist.g > 1 && $S inspect --dump a.sct > 2 && cmp 1 2", 0);
}

static void the_own_format_is_inspected_and_run_like_text(void **state)
{
    (void)state;
    write_list(false);
    expect("$S convert . a.sct -q", 0);
    expect("$S inspect . > 1 && $S inspect a.sct > 2 && cmp 1 2", 0);
    expect("$S inspect --check . > 1 ; $S inspect --check a.sct > 2 ; cmp 1 2", 0);
    expect("$S inspect --format json . | grep -v '\"input\"\\|\"file\"' > 1 && "
           "$S inspect --format json a.sct | grep -v '\"input\"\\|\"file\"' > 2 && cmp 1 2",
           0);
    expect(
        "$S run . --sms 2 --no-host -q -o - > 1 && $S run a.sct --sms 2 --no-host -q -o - > 2 && "
        "grep -v '\"file\"\\|^    \"' 1 > 3 && grep -v '\"file\"\\|^    \"' 2 > 4 && cmp 3 4 && "
        "grep -q cycles 3",
        0);
}

static void a_range_of_kernels_is_converted(void **state)
{
    (void)state;
    write_list(false);
    expect("$S convert . a.sct --kernel 2-3 -q && $S inspect a.sct > out", 0);
    expect_part("out", "2 kernels, 2 copies");
    expect("$S convert . a.sct --kernel 4 2> err", 2);
}

static void listings_and_launches_are_converted(void **state)
{
    (void)state;
    expect("printf '.kernel small\\n.grid 2,1,1\\n.block 64,1,1\\n"
           "[B------:R-:W-:-:S01] MOV R1, 0x1 ;\\n[B------:R-:W-:-:S05] EXIT ;\\n' > l.sass",
           0);
    expect("$S convert l.sass a.sct -q && $S inspect --dump l.sass > 1 && "
           "$S inspect --dump a.sct > 2 && cmp 1 2",
           0);
    expect_part("2", "[B------:R-:W-:-:S05] EXIT");
    expect("$S trace " LAUNCHES ":small -o t.sct -q && $S convert " LAUNCHES ":small c.sct -q && "
           "cmp t.sct c.sct",
           0);
}

/* `trace` takes what execution has packed; `convert` reads instructions and packs them again. */
static void packed_ctas_are_written_as_they_are(void **state)
{
    (void)state;
    static const char *const names[] = {"diverge", "local_array", "spmv_csr"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[512];
        snprintf(line, sizeof line,
                 "$S trace %s/launches.yaml:%s --sass %s/sm_86.sass.gz --res-usage %s/sm_86.res "
                 "-o t.sct -q && $S convert t.sct c.sct -q && cmp t.sct c.sct",
                 KERNELS, names[i], KERNELS, KERNELS);
        expect(line, 0);
    }
}

static void sass_adds_control_bits(void **state)
{
    (void)state;
    expect("$S trace " LAUNCHES ":small -o t/ -q", 0);
    expect("$S convert t a.sct --sass " SUBCORE_SOURCE_DIR "/tests/data/launch/vecadd.sass -q && "
           "$S run a.sct --dependence control_bits -q --no-host -o r.json",
           0);
    expect("$S convert a.sct u/ -q && diff -r t u", 0);
}

static void what_cannot_be_read_leaves_nothing(void **state)
{
    (void)state;
    write_list(true);
    expect("$S convert . a.sct -q 2> err", 3);
    expect_part("err", "kernel k2, CTA 99,0,0, warp 0: expected a mask");
    expect("test -e a.sct", 1);
    expect("$S convert nothing u/ -q 2> err", 3);
    expect("test -e u", 1);
    expect("$S convert . 2> err", 2);
}

static void a_kernel_that_fails_in_the_middle_is_left_out(void **state)
{
    (void)state;
    write_list(true);
    expect("$S convert . a.sct --keep-going -q 2> err", 3);
    expect_part("err", "(kernel passed over)");
    expect("$S convert . u/ --keep-going -q 2> err", 3);
    expect("$S convert . - --keep-going -q > p.sct 2> err", 3);
    expect("cmp a.sct p.sct && $S inspect a.sct > out", 0);
    expect_part("out", "2 kernels, 2 copies");
    expect("test -e u/kernel-2.traceg", 1);
    expect("$S convert u b.sct -q && cmp a.sct b.sct", 0);
}

/* The kernel that fails has issued before its last CTA is read. */
static void nothing_of_a_failed_kernel_stays_in_what_a_run_writes(void **state)
{
    (void)state;
    write_list(true);
    expect(
        "$S run . --sms 1 --no-host -q --keep-going -o r.json --issue-log i.csv --pc-counts p.csv "
        "2> err",
        3);
    expect("cut -d, -f1 i.csv | sort | uniq -c | tr -s ' ' > out", 0);
    expect("printf ' 300 1\\n 300 3\\n 1 kernel\\n' | cmp - out", 0);
    expect("cut -d, -f1 p.csv | sort -u > out && printf 'k1\\nk3\\nkernel\\n' | cmp - out", 0);
    expect("$S run . --sms 1 --no-host -q --keep-going --issue-log - > j.csv 2> err", 3);
    expect("cmp i.csv j.csv", 0);
    expect("$S run . --sms 1 --no-host -q --keep-going --timeline t.kanata 2> err", 3);
    expect(
        "grep -c '^R.*0$' t.kanata > out; echo 600 | cmp - out && ! grep -q 'kernel 2,' t.kanata",
        0);
    expect("$S run . --sms 1 --no-host -q --keep-going --timeline t.json 2> err", 3);
    expect("grep -c '\"cat\":\"issue\"' t.json > out; echo 600 | cmp - out && tail -1 t.json | "
           "grep -qxF ']}'",
           0);
    expect("$S run . --sms 1 --no-host -q --keep-going --window 1 -j 2 -o s.json 2> err", 3);
    expect("cmp r.json s.json", 0);
}

/* Launches of which one reads outside its buffers. */
static void launches_that_fault_are_passed_over(void **state)
{
    (void)state;
    expect("$S trace " LAUNCHES " -o a.sct -q 2> err", 4);
    expect("$S trace " LAUNCHES " --keep-going -o a.sct -q --pc-counts p.csv 2> err", 3);
    expect_part("err", "(kernel passed over)");
    expect("$S inspect a.sct > /dev/null && cut -d, -f2 p.csv | grep -q small", 0);
    expect("$S run " LAUNCHES
           " --sms 1 --keep-going -q --no-host -o r.json --issue-log i.csv 2> err",
           3);
    expect("cut -d, -f1 i.csv | sort -u | grep -vc kernel > 1; "
           "grep -c '\"complete\": true' r.json > 2; cmp 1 2",
           0);
}

static void check_shared(const char *set, const char *options)
{
    char line[1024];
    if (access(SHARED, R_OK) != 0)
        skip();
    snprintf(line, sizeof line,
             "T=" SHARED "%s && $S convert $T a.sct -q && $S convert a.sct t/ -q && "
             "$S convert t b.sct -q && cmp a.sct b.sct && $S convert b.sct u/ -q && diff -r t u",
             set);
    expect(line, 0);
    snprintf(line, sizeof line,
             "T=" SHARED
             "%s && for i in $T a.sct t; do $S inspect --dump $i | cksum; done | uniq | "
             "wc -l | grep -qx 1",
             set);
    expect(line, 0);
    snprintf(
        line, sizeof line,
        "T=" SHARED "%s && for i in $T a.sct t; do $S run $i %s --sms 8 --no-host -q -o - "
        "2> /dev/null | sed -n '/\"kernels\": \\[/,/^  \\]/p' | grep -v '\"file\"' | cksum; done "
        "| tee n | uniq | wc -l | grep -qx 1 && ! grep -q ' 0$' n",
        set, options);
    expect(line, 0);
}

static void bfs_is_the_same_in_all_forms(void **state)
{
    (void)state;
    check_shared("bfs-rodinia-2.0-ft", "--kernel 1-4");
}

static void dataset_debug_is_the_same_in_all_forms(void **state)
{
    (void)state;
    check_shared("dataset_debug", "--kernel 1-4");
}

static void simple_example_is_the_same_in_all_forms(void **state)
{
    (void)state;
    check_shared("simple-trace-example", "");
}

static void ffma_kernel_is_the_same_in_all_forms(void **state)
{
    (void)state;
    check_shared("simtune-ffmakernel-1-32-10", "");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
    program = SUBCORE_PROGRAM;
    const struct CMUnitTest tests[] = {
        TEST(text_of_the_own_writer_comes_back_byte_by_byte),
        TEST(copies_numbers_and_streams_are_kept),
        TEST(the_own_format_is_inspected_and_run_like_text),
        TEST(a_range_of_kernels_is_converted),
        TEST(listings_and_launches_are_converted),
        TEST(packed_ctas_are_written_as_they_are),
        TEST(sass_adds_control_bits),
        TEST(what_cannot_be_read_leaves_nothing),
        TEST(a_kernel_that_fails_in_the_middle_is_left_out),
        TEST(nothing_of_a_failed_kernel_stays_in_what_a_run_writes),
        TEST(launches_that_fault_are_passed_over),
        TEST(bfs_is_the_same_in_all_forms),
        TEST(dataset_debug_is_the_same_in_all_forms),
        TEST(simple_example_is_the_same_in_all_forms),
        TEST(ffma_kernel_is_the_same_in_all_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
