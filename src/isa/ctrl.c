/* Control bits: bits 105-124 of the encoding, which are 41-60 of the high word. */
#include "isa/opcode.h"

#include <stdio.h>
#include <string.h>

#define CTRL_SHIFT 41
#define CTRL_TEXT_LENGTH 19 /* "B------:R-:W-:-:S01" */

struct ctrl ctrl_decode(uint64_t hi)
{
    uint32_t c = (uint32_t)(hi >> CTRL_SHIFT);
    return (struct ctrl){
        .stall = c & 15u,
        .yield = !((c >> 4) & 1u), /* the bit is inverted: 0 = yield */
        .write_bar = (c >> 5) & 7u,
        .read_bar = (c >> 8) & 7u,
        .wait_mask = (c >> 11) & 63u,
    };
}

uint8_t ctrl_reuse(uint64_t hi)
{
    return (uint8_t)((hi >> (CTRL_SHIFT + 17)) & 7u);
}

static char barrier_char(uint8_t bar)
{
    return bar == NO_COUNTER ? '-' : (char)('0' + (bar & 7));
}

void ctrl_format(struct ctrl c, char out[24])
{
    char wait[DEP_COUNTERS + 1] = "------";
    for (uint32_t i = 0; i < DEP_COUNTERS; i++)
        if ((c.wait_mask >> i) & 1u)
            wait[i] = (char)('0' + i);
    snprintf(out, 24, "B%s:R%c:W%c:%c:S%02u", wait, barrier_char(c.read_bar),
             barrier_char(c.write_bar), c.yield ? 'Y' : '-', c.stall & 15u);
}

static bool parse_barrier(char ch, uint8_t *out)
{
    if (ch == '-')
        *out = NO_COUNTER;
    else if (ch >= '0' && ch < '0' + DEP_COUNTERS)
        *out = (uint8_t)(ch - '0');
    else
        return false;
    return true;
}

static bool parse_wait(const char *text, uint8_t *out)
{
    *out = 0;
    for (uint32_t i = 0; i < DEP_COUNTERS; i++) {
        if (text[i] == (char)('0' + i))
            *out = (uint8_t)(*out | 1u << i);
        else if (text[i] != '-')
            return false;
    }
    return true;
}

bool ctrl_parse(const char *text, size_t len, struct ctrl *out)
{
    /* '?' stands for a field. */
    static const char form[CTRL_TEXT_LENGTH + 1] = "B??????:R?:W?:?:S??";
    if (len != CTRL_TEXT_LENGTH)
        return false;
    for (size_t i = 0; i < len; i++)
        if (form[i] != '?' && text[i] != form[i])
            return false;
    struct ctrl c;
    if (!parse_wait(text + 1, &c.wait_mask) || !parse_barrier(text[9], &c.read_bar) ||
        !parse_barrier(text[12], &c.write_bar))
        return false;
    if (text[14] != 'Y' && text[14] != '-')
        return false;
    c.yield = text[14] == 'Y';
    if ((text[17] != '0' && text[17] != '1') || text[18] < '0' || text[18] > '9')
        return false;
    uint32_t stall = (uint32_t)(text[17] - '0') * 10u + (uint32_t)(text[18] - '0');
    if (stall > 15)
        return false;
    c.stall = (uint8_t)stall;
    *out = c;
    return true;
}
