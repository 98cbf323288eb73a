#include "support/distance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

void run_code(struct run *r, const char *head, const char *code, const struct run_setup *setup)
{
    struct buf text = {0};
    buf_printf(&text, ".kernel timing\n.registers 64\n%s\n%s\n" S(01) "EXIT ;\n", head, code);
    run_text(r, text.data, setup);
    buf_free(&text);
}

void check_distance(const struct distance_row *row)
{
    struct run_setup setup = {0};
    struct run r;
    memcpy(setup.sets, row->sets, sizeof setup.sets);
    run_code(&r, row->head, row->code, &setup);
    uint64_t from = run_issue(&r, row->from.warp, row->from.opcode, row->from.nth);
    uint64_t to = run_issue(&r, row->to.warp, row->to.opcode, row->to.nth);
    run_free(&r);
    if (to - from != row->distance)
        fail_msg("%s: %lld cycles from %s to %s, expected %llu", row->name, (long long)(to - from),
                 row->from.opcode, row->to.opcode, (unsigned long long)row->distance);
}

void issue_order(const struct run *r, const char *opcode, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < r->issue_count && n + 1 < size; i++) {
        if (strcmp(run_opcode(r, &r->issues[i]), opcode) == 0)
            out[n++] = (char)('a' + r->issues[i].warp);
    }
    out[n] = '\0';
}
