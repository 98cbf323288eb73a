#include "app/run_output.h"

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "report/pc_counts.h"

static bool is_stdout(const struct cli *cli, enum cli_option option)
{
    return cli->given[option] && strcmp(cli->text[option], "-") == 0;
}

/* Options whose file is the standard output; more than one would mix them. */
static bool count_stdout(const struct cli *cli, uint32_t *count, struct sim_err *err)
{
    *count = (uint32_t)is_stdout(cli, CLI_OUTPUT) + is_stdout(cli, CLI_ISSUE_LOG) +
             is_stdout(cli, CLI_PC_COUNTS);
    if (*count > 1)
        return err_set(err, ERR_USAGE, NULL, 0, 0,
                       "only one of --output, --issue-log and --pc-counts can be '-'");
    return true;
}

/* A result under the name of another one or of an input would replace it. */
static bool check_name(const struct cli *cli, enum cli_option option, enum cli_option other,
                       struct sim_err *err)
{
    const char *name = cli->text[option];
    if (!cli->given[option] || strncmp(name, "/dev/", 5) == 0)
        return true;
    if (cli->given[other] && strcmp(name, cli->text[other]) == 0)
        return err_set(err, ERR_USAGE, NULL, 0, 0, "--%s and --%s name one file, '%s'",
                       cli_option_name(option), cli_option_name(other), name);
    for (size_t i = 0; i < cli->arg_count; i++)
        if (strcmp(name, cli->args[i]) == 0)
            return err_set(err, ERR_USAGE, NULL, 0, 0, "--%s names an input, '%s'",
                           cli_option_name(option), name);
    return true;
}

static bool check_names(const struct cli *cli, struct sim_err *err)
{
    return check_name(cli, CLI_OUTPUT, CLI_ISSUE_LOG, err) &&
           check_name(cli, CLI_ISSUE_LOG, CLI_PC_COUNTS, err) &&
           check_name(cli, CLI_PC_COUNTS, CLI_OUTPUT, err) &&
           check_name(cli, CLI_TIMELINE, CLI_OUTPUT, err) &&
           check_name(cli, CLI_TIMELINE, CLI_ISSUE_LOG, err) &&
           check_name(cli, CLI_TIMELINE, CLI_PC_COUNTS, err);
}

static bool drain_file(struct outfile *file, struct buf *text, struct sim_err *err)
{
    if (text->failed)
        return err_memory(err, "writing results");
    bool ok = outfile_write(file, text->data, text->len, err);
    text->len = 0;
    return ok;
}

static bool drain(struct run_output *o, struct sim_err *err)
{
    if (o->result.on)
        TRY(drain_file(&o->result_file, &o->result.text, err));
    return !o->table.on || app_write(o->stream, &o->table.text, err);
}

static void begin_sink(struct run_sink *sink, enum report_format format,
                       const struct run_info *info, bool with_host)
{
    sink->on = true;
    sink->info = *info;
    sink->info.with_host = with_host;
    run_report_begin(&sink->report, format, &sink->info, &sink->text);
}

static struct timeline_range filter_range(const struct cli *cli, enum cli_option option)
{
    if (!cli->given[option])
        return (struct timeline_range){0, UINT64_MAX};
    return (struct timeline_range){cli->number[option], cli->number_last[option]};
}

static bool open_timeline(struct run_output *o, const struct cli *cli, struct sim_err *err)
{
    static const enum cli_option filters[] = {CLI_TIMELINE_CYCLES, CLI_TIMELINE_SM,
                                              CLI_TIMELINE_SUBCORE, CLI_TIMELINE_WARP};
    enum timeline_format format;
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        if (cli->given[filters[i]] && !cli->given[CLI_TIMELINE])
            return err_set(err, ERR_USAGE, NULL, 0, 0, "--%s needs --timeline",
                           cli_option_name(filters[i]));
    o->filter = (struct timeline_filter){.cycles = filter_range(cli, CLI_TIMELINE_CYCLES),
                                         .sms = filter_range(cli, CLI_TIMELINE_SM),
                                         .subcores = filter_range(cli, CLI_TIMELINE_SUBCORE),
                                         .slots = filter_range(cli, CLI_TIMELINE_WARP)};
    if (!cli->given[CLI_TIMELINE])
        return true;
    TRY(timeline_format_of(cli->text[CLI_TIMELINE], &format, err));
    TRY(outfile_open(&o->timeline_file, cli->text[CLI_TIMELINE], err));
    return timeline_begin(&o->timeline, &o->timeline_file, format, &o->filter, err);
}

static bool open_files(struct run_output *o, const struct cli *cli, struct sim_err *err)
{
    if (cli->given[CLI_OUTPUT])
        TRY(outfile_open(&o->result_file, cli->text[CLI_OUTPUT], err));
    if (cli->given[CLI_ISSUE_LOG]) {
        TRY(outfile_open(&o->log_file, cli->text[CLI_ISSUE_LOG], err));
        o->log = malloc(sizeof *o->log);
        if (!o->log)
            return err_memory(err, "opening the issue log");
        TRY(issue_log_begin(o->log, &o->log_file, err));
    }
    TRY(open_timeline(o, cli, err));
    if (cli->given[CLI_PC_COUNTS]) {
        TRY(outfile_open(&o->pc_file, cli->text[CLI_PC_COUNTS], err));
        struct buf text = {0};
        pc_counts_begin(&text);
        o->pc_counts = true;
        bool ok = drain_file(&o->pc_file, &text, err);
        buf_free(&text);
        return ok;
    }
    return true;
}

bool run_output_open(struct run_output *o, const struct cli *cli, const struct run_info *info,
                     struct sim_err *err)
{
    static const enum report_format formats[] = {[CLI_FORMAT_TEXT] = REPORT_TEXT,
                                                 [CLI_FORMAT_JSON] = REPORT_JSON,
                                                 [CLI_FORMAT_CSV] = REPORT_CSV,
                                                 [CLI_FORMAT_ACCELSIM] = REPORT_ACCELSIM};
    uint32_t on_stdout;
    memset(o, 0, sizeof *o);
    uint64_t format = cli->number[CLI_FORMAT];
    TRY(count_stdout(cli, &on_stdout, err));
    TRY(check_names(cli, err));
    o->stream = on_stdout > 0 ? stderr : stdout;
    TRY(open_files(o, cli, err));
    if (cli->given[CLI_OUTPUT])
        begin_sink(&o->result, REPORT_JSON, info, !cli->given[CLI_NO_HOST]);
    if (!cli->given[CLI_QUIET])
        begin_sink(&o->table, formats[format], info,
                   format == CLI_FORMAT_TEXT ? cli->given[CLI_VERBOSE] : !cli->given[CLI_NO_HOST]);
    return true;
}

bool run_output_begin(struct run_output *o, bool droppable, struct sim_err *err)
{
    if (!droppable)
        return true;
    if (o->log)
        TRY(issue_log_end(o->log, err) && outfile_hold(&o->log_file, err));
    return !o->timeline || outfile_hold(&o->timeline_file, err);
}

bool run_output_kernel(struct run_output *o, const struct kernel_report *k, struct sim_err *err)
{
    if (o->log)
        TRY(issue_log_end(o->log, err) && outfile_keep(&o->log_file, err));
    if (o->timeline)
        TRY(timeline_end_kernel(o->timeline, err) && outfile_keep(&o->timeline_file, err));
    if (o->table.on)
        run_report_kernel(&o->table.report, k);
    if (o->result.on)
        run_report_kernel(&o->result.report, k);
    if (o->pc_counts) {
        struct buf text = {0};
        bool ok = pc_counts_kernel(&text, k->kernel, k->result, err) &&
                  drain_file(&o->pc_file, &text, err);
        buf_free(&text);
        TRY(ok);
    }
    return drain(o, err);
}

bool run_output_drop(struct run_output *o, struct sim_err *err)
{
    if (o->timeline) {
        timeline_drop(o->timeline);
        TRY(outfile_drop(&o->timeline_file, err));
    }
    if (!o->log)
        return true;
    issue_log_drop(o->log);
    return outfile_drop(&o->log_file, err);
}

void run_output_failed(struct run_output *o, const struct sim_err *why)
{
    if (o->table.on)
        run_report_failed(&o->table.report, why);
    if (o->result.on)
        run_report_failed(&o->result.report, why);
}

/* A file that goes to the standard output is completed whatever happened. */
static bool close_file(struct outfile *file, bool keep, struct sim_err *err)
{
    if (!file->stream)
        return true;
    if (keep || !file->tmp_path)
        return outfile_commit(file, err);
    outfile_abort(file);
    return true;
}

bool run_output_close(struct run_output *o, const struct run_end *end, bool keep,
                      struct sim_err *err)
{
    if (o->table.on)
        run_report_end(&o->table.report, end);
    if (o->result.on)
        run_report_end(&o->result.report, end);
    TRY(drain(o, err));
    if (o->log)
        TRY(issue_log_end(o->log, err));
    if (o->timeline)
        TRY(timeline_end(o->timeline, err));
    TRY(close_file(&o->timeline_file, keep, err));
    TRY(close_file(&o->result_file, keep, err));
    TRY(close_file(&o->log_file, keep, err));
    return close_file(&o->pc_file, keep, err);
}

void run_output_free(struct run_output *o)
{
    outfile_abort(&o->result_file);
    outfile_abort(&o->log_file);
    outfile_abort(&o->timeline_file);
    timeline_free(o->timeline);
    outfile_abort(&o->pc_file);
    free(o->log);
    buf_free(&o->table.text);
    buf_free(&o->result.text);
    buf_free(&o->table.report.failures);
    buf_free(&o->result.report.failures);
    memset(o, 0, sizeof *o);
}
