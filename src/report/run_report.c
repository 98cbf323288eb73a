#include "report/run_report.h"

#include <string.h>

#include "report/result_accelsim.h"

void run_report_begin(struct run_report *r, enum report_format format, const struct run_info *info,
                      struct buf *out)
{
    memset(r, 0, sizeof *r);
    r->info = info;
    r->out = out;
    r->format = format;
    json_init(&r->json, out);
    if (format == REPORT_JSON)
        result_json_begin(&r->json, info);
    else if (format == REPORT_CSV)
        result_csv_begin(out, info);
    else if (format == REPORT_ACCELSIM)
        result_accelsim_begin(out, info);
}

void run_report_kernel(struct run_report *r, const struct kernel_report *k)
{
    if (r->format == REPORT_JSON)
        result_json_kernel(&r->json, r->info, k);
    else if (r->format == REPORT_CSV)
        result_csv_kernel(r->out, k);
    else if (r->format == REPORT_ACCELSIM)
        result_accelsim_kernel(r->out, r->info, &r->so_far, k);
    else
        result_text_kernel(r->out, r->info, k);
}

void run_report_failed(struct run_report *r, const struct sim_err *why)
{
    char text[SIM_ERR_MESSAGE_SIZE + SIM_ERR_FILE_SIZE + 32];
    err_format(why, text, sizeof text);
    for (char *s = text; *s; s++)
        if (*s == '\n')
            *s = ' ';
    buf_printf(&r->failures, "%s\n", text);
}

void run_report_end(struct run_report *r, const struct run_end *end)
{
    if (r->failures.failed)
        r->out->failed = true;
    if (r->format == REPORT_JSON)
        result_json_end(&r->json, r->info, end, r->failures.data);
    else if (r->format == REPORT_TEXT)
        result_text_end(r->out, r->info, end, r->failures.data);
    else if (r->format == REPORT_ACCELSIM)
        result_accelsim_end(r->out, end, r->failures.data);
    buf_free(&r->failures);
}
