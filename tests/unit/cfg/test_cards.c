/* The shipped configurations: all load, hold the paper's numbers, and ablations change what they
 * say. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bits.h"
#include "cfg/schema.h"

static struct err_list errors;

static void load(struct loaded_config *c, const char *name)
{
    char message[4096];
    memset(&errors, 0, sizeof errors);
    if (config_load(c, name, NULL, 0, &errors))
        return;
    err_format(&errors.items[0], message, sizeof message);
    fail_msg("%s: %s", name, message);
}

/* Table 4 of the paper. */
static const struct {
    const char *card, *name;
    uint32_t sm_version, core, memory, sms, warps, unified_kb, partitions, l2_kb;
} table4[] = {
    {"rtx_3080", "RTX 3080", 86, 1710, 9500, 68, 48, 128, 20, 5 * 1024},
    {"rtx_3080_ti", "RTX 3080 Ti", 86, 1365, 9500, 80, 48, 128, 24, 6 * 1024},
    {"rtx_3090", "RTX 3090", 86, 1395, 9750, 82, 48, 128, 24, 6 * 1024},
    {"rtx_a6000", "RTX A6000", 86, 1800, 8000, 84, 48, 128, 24, 6 * 1024},
    {"rtx_2080_ti", "RTX 2080 Ti", 75, 1350, 7000, 68, 32, 96, 22, 5 * 1024 + 512},
};

static void cards_hold_the_papers_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table4 / sizeof table4[0]; i++) {
        struct loaded_config c;
        load(&c, table4[i].card);
        assert_string_equal(c.name, table4[i].name);
        assert_int_equal(c.cfg.gpu.sm_version, table4[i].sm_version);
        assert_int_equal(c.cfg.gpu.core_mhz, table4[i].core);
        assert_int_equal(c.cfg.dram.memory_mhz, table4[i].memory);
        assert_int_equal(c.cfg.gpu.sms, table4[i].sms);
        assert_int_equal(c.cfg.sm.warps, table4[i].warps);
        assert_int_equal(c.cfg.l1d.unified_bytes, table4[i].unified_kb * 1024);
        assert_int_equal(c.cfg.l2.bytes, table4[i].l2_kb * 1024);
        assert_int_equal(c.cfg.l2.slices, 2 * table4[i].partitions);
        assert_int_equal(c.cfg.dram.bus_bits, 16 * table4[i].partitions);
        config_free(&c);
    }
}

/* What the vendors state of whole cards: DRAM bandwidth in GB/s, FP32 FMA lanes of an SM,
 * capacities. */
static const struct {
    const char *card, *name;
    uint32_t sm_version, sms, warps, ctas, shared_kb, unified_kb, l2_kb, gigabytes_s, fp32_lanes;
} vendor[] = {
    {"a100", "A100 SXM4 40GB", 80, 108, 64, 32, 164, 192, 40 * 1024, 1555, 64},
    {"b200", "B200", 100, 148, 64, 32, 228, 256, 126 * 1024, 7999, 128},
    {"h100_sxm", "H100 SXM", 90, 132, 64, 32, 228, 256, 50 * 1024, 3352, 128},
    {"h200", "H200", 90, 132, 64, 32, 228, 256, 60 * 1024, 4814, 128},
    {"rtx_4090", "RTX 4090", 89, 128, 48, 24, 100, 128, 72 * 1024, 1008, 128},
    {"rtx_5090", "RTX 5090", 120, 170, 48, 24, 100, 128, 96 * 1024, 1792, 128},
};

static void cards_add_up_to_what_vendors_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vendor / sizeof vendor[0]; i++) {
        struct loaded_config c;
        load(&c, vendor[i].card);
        const struct dram_cfg *dram = &c.cfg.dram;
        const struct op_cfg *fma = &c.cfg.op[OP_CLASS_fma];
        uint64_t rate = (uint64_t)dram->bus_bits * dram->transfers_per_clock * dram->memory_mhz;
        assert_string_equal(c.name, vendor[i].name);
        assert_int_equal(c.cfg.gpu.sm_version, vendor[i].sm_version);
        assert_int_equal(c.cfg.gpu.sms, vendor[i].sms);
        assert_int_equal(c.cfg.sm.warps, vendor[i].warps);
        assert_int_equal(c.cfg.sm.ctas, vendor[i].ctas);
        assert_int_equal(c.cfg.sm.shared_bytes, vendor[i].shared_kb * 1024);
        assert_int_equal(c.cfg.l1d.unified_bytes, vendor[i].unified_kb * 1024);
        assert_int_equal(c.cfg.l2.bytes, vendor[i].l2_kb * 1024);
        assert_int_equal(rate / 8 / 1000, vendor[i].gigabytes_s);
        assert_int_equal(4 * 32 * popcount32(fma->units) / fma->interval[0], vendor[i].fp32_lanes);
        config_free(&c);
    }
}

static void turing_differs_in_structure(void **state)
{
    (void)state;
    struct loaded_config c;
    load(&c, "rtx_2080_ti");
    assert_int_equal(c.cfg.sm.shared_bytes, 65536);
    assert_int_equal(c.cfg.op[OP_CLASS_fma].units, UNIT_BIT(fma_heavy));
    assert_int_equal(c.cfg.op[OP_CLASS_half].units, UNIT_BIT(fma_heavy));
    assert_int_equal(c.cfg.queue[QUEUE_memory].entries, 4);
    assert_int_equal(c.cfg.icache.l0_bytes, 16384);
    assert_int_equal(c.cfg.dram.access_cycles, 175);
    assert_int_equal(c.cfg.l2.request_cycles + c.cfg.l2.access_cycles + c.cfg.l2.reply_cycles, 182);
    config_free(&c);
}

/* The golden cycle tests stand on these. */
static void the_a6000_holds_the_golden_latencies(void **state)
{
    (void)state;
    static const struct {
        enum op_class op;
        uint32_t war[3], raw[3];
        bool raw_known;
    } g2[] = {
        {OP_CLASS_ldg_ureg, {9, 9, 9}, {29, 31, 35}, true},
        {OP_CLASS_ldg_reg, {11, 11, 11}, {32, 34, 38}, true},
        {OP_CLASS_stg_ureg, {10, 12, 16}, {0}, false},
        {OP_CLASS_stg_reg, {14, 16, 20}, {0}, false},
        {OP_CLASS_lds_ureg, {9, 9, 9}, {23, 23, 25}, true},
        {OP_CLASS_lds_reg, {9, 9, 9}, {24, 24, 26}, true},
        {OP_CLASS_sts_ureg, {10, 12, 16}, {0}, false},
        {OP_CLASS_sts_reg, {12, 14, 18}, {0}, false},
        {OP_CLASS_ldc_imm, {10, 10, 10}, {26, 26, 26}, true},
        {OP_CLASS_ldc_reg, {29, 29, 29}, {29, 29, 29}, true},
        {OP_CLASS_ldgsts, {13, 13, 13}, {39, 39, 39}, true},
    };
    struct loaded_config c;
    load(&c, "rtx_a6000");
    for (size_t i = 0; i < sizeof g2 / sizeof g2[0]; i++) {
        const struct op_cfg *op = &c.cfg.op[g2[i].op];
        assert_memory_equal(op->war, g2[i].war, sizeof op->war);
        if (g2[i].raw_known)
            assert_memory_equal(op->raw, g2[i].raw, sizeof op->raw);
    }
    assert_int_equal(c.cfg.queue[QUEUE_memory].entries, 5);
    assert_int_equal(c.cfg.shared_unit[SHARED_UNIT_memory].interval, 2);
    assert_int_equal(c.cfg.op[OP_CLASS_ldg_reg].interval[0], 4);
    assert_int_equal(c.cfg.op[OP_CLASS_alu].latency, 4);
    assert_int_equal(c.cfg.op[OP_CLASS_fma].latency, 4);
    assert_int_equal(c.cfg.constant.l0_miss_cycles, 79);
    assert_int_equal(c.cfg.icache.stream_buffer_lines, 16);
    config_free(&c);
}

/* The card restates defaults; if one of the two is changed alone, this tells. */
static void the_a6000_equals_the_defaults(void **state)
{
    (void)state;
    struct config defaults;
    struct loaded_config c;
    config_defaults(&defaults);
    load(&c, "rtx_a6000");
    for (size_t i = 0; i < config_key_count(); i++) {
        const struct key_info *key = config_key(i);
        if (strcmp(key->path, "gpu.name") != 0 && !schema_same(&defaults, &c.cfg, key))
            fail_msg("%s differs from its default", key->path);
    }
    config_free(&c);
}

static void every_ablation_changes_at_most_three_keys(void **state)
{
    (void)state;
    struct loaded_config base, c;
    load(&base, "rtx_a6000");
    DIR *d = opendir("configs/ablation");
    assert_non_null(d);
    unsigned files = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (e->d_name[0] == '.')
            continue;
        char path[512];
        snprintf(path, sizeof path, "configs/ablation/%s", e->d_name);
        load(&c, path);
        unsigned set = 0;
        for (size_t i = 0; i < config_key_count(); i++) {
            bool own = strcmp(c.origins[i].file, path) == 0;
            set += own;
            assert_true(own || schema_same(&base.cfg, &c.cfg, config_key(i)));
        }
        if (set < 1 || set > 3)
            fail_msg("%s sets %u keys", path, set);
        assert_int_equal(strncmp(c.name, e->d_name, strlen(c.name)), 0);
        config_free(&c);
        files++;
    }
    closedir(d);
    config_free(&base);
    assert_int_equal(files, 18);
}

static void ablations_do_what_their_names_say(void **state)
{
    (void)state;
    static const struct {
        const char *name, *key, *value;
    } rows[] = {
        {"stream_buffer_off", "icache.stream_buffer_lines", "0"},
        {"stream_buffer_1", "icache.stream_buffer_lines", "1"},
        {"stream_buffer_32", "icache.stream_buffer_lines", "32"},
        {"icache_perfect", "icache.perfect", "true"},
        {"rf_1r_rfc", "register_file.cache", "true"},
        {"rf_1r", "register_file.cache", "false"},
        {"rf_1r", "register_file.read_ports", "1"},
        {"rf_2r", "register_file.read_ports", "2"},
        {"rf_2r", "register_file.cache", "false"},
        {"rf_ideal", "register_file.ideal", "true"},
        {"scoreboard_63", "dependence.mode", "scoreboard"},
        {"scoreboard_63", "dependence.war_consumers", "63"},
        {"scoreboard_unlimited", "dependence.mode", "scoreboard"},
        {"scoreboard_unlimited", "dependence.war_consumers", "0"},
        {"control_bits", "dependence.mode", "control_bits"},
        {"scheduler_gto", "issue.scheduler", "gto"},
        {"scheduler_lrr", "issue.scheduler", "lrr"},
        {"scheduler_oldest", "issue.scheduler", "oldest"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct loaded_config c;
        struct buf value = {0};
        char path[256];
        snprintf(path, sizeof path, "configs/ablation/%s.yaml", rows[i].name);
        load(&c, path);
        config_print_value(&c.cfg, config_find_key(rows[i].key), &value);
        assert_string_equal(value.data, rows[i].value);
        buf_free(&value);
        config_free(&c);
    }
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
        cmocka_unit_test(cards_hold_the_papers_table),
        cmocka_unit_test(cards_add_up_to_what_vendors_state),
        cmocka_unit_test(turing_differs_in_structure),
        cmocka_unit_test(the_a6000_holds_the_golden_latencies),
        cmocka_unit_test(the_a6000_equals_the_defaults),
        cmocka_unit_test(every_ablation_changes_at_most_three_keys),
        cmocka_unit_test(ablations_do_what_their_names_say),
    };
    return cmocka_run_group_tests(tests, enter_source, NULL);
}
