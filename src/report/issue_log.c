#include "report/issue_log.h"

#include <string.h>

/* Longest line: eight decimal numbers of at most 20 digits, a pc and an opcode. */
#define OPCODE_MAX 128
#define LINE_MAX_BYTES (8 * 21 + 16 + OPCODE_MAX)

static char *put_decimal(char *at, uint64_t v, char end)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    while (n > 0)
        *at++ = digits[--n];
    *at++ = end;
    return at;
}

/* At least four digits, as the listings print a pc. */
static char *put_pc(char *at, uint32_t pc)
{
    *at++ = '0';
    *at++ = 'x';
    int shift = 12;
    while (shift < 28 && (pc >> (shift + 4)) != 0)
        shift += 4;
    for (; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[(pc >> shift) & 15];
    *at++ = ',';
    return at;
}

static bool flush_buffer(struct issue_log *log, struct sim_err *err)
{
    TRY(outfile_write(log->file, log->buffer, log->used, err));
    log->used = 0;
    return true;
}

bool issue_log_begin(struct issue_log *log, struct outfile *file, struct sim_err *err)
{
    static const char header[] = "kernel,cycle,sm,subcore,warp_slot,cta,warp,pc,opcode\n";
    log->file = file;
    log->used = 0;
    return outfile_write(file, header, sizeof header - 1, err);
}

bool issue_log_add(void *user, const struct kernel *k, const struct issue_record *r, size_t n,
                   struct sim_err *err)
{
    struct issue_log *log = user;
    for (size_t i = 0; i < n; i++) {
        if (log->used + LINE_MAX_BYTES > sizeof log->buffer)
            TRY(flush_buffer(log, err));
        const struct inst *in = k->insts[r[i].inst];
        size_t len = strlen(in->opcode);
        if (len > OPCODE_MAX)
            len = OPCODE_MAX;
        char *at = log->buffer + log->used;
        at = put_decimal(at, k->id, ',');
        at = put_decimal(at, r[i].cycle, ',');
        at = put_decimal(at, r[i].sm, ',');
        at = put_decimal(at, r[i].subcore, ',');
        at = put_decimal(at, r[i].warp_slot, ',');
        at = put_decimal(at, r[i].cta, ',');
        at = put_decimal(at, r[i].warp, ',');
        at = put_pc(at, in->pc);
        memcpy(at, in->opcode, len);
        at += len;
        *at++ = '\n';
        log->used = (size_t)(at - log->buffer);
    }
    return true;
}

void issue_log_drop(struct issue_log *log)
{
    log->used = 0;
}

bool issue_log_end(struct issue_log *log, struct sim_err *err)
{
    return flush_buffer(log, err);
}
