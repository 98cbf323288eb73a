#include "trace/listing_note.h"

#define PLACE_ERROR(at, err, ...) err_set(err, ERR_INPUT, (at).file, (at).line, 0, __VA_ARGS__)

bool listing_warp_set(struct span text, uint32_t *out, struct listing_place at, struct sim_err *err)
{
    *out = 0;
    do {
        struct span field = span_field(&text, ',');
        uint64_t w;
        if (!span_u64(field, &w) || w >= LISTING_MAX_WARPS)
            return PLACE_ERROR(at, err, "expected warps as 0,4,8 (0 to %d), found \"" SPAN_FMT "\"",
                               LISTING_MAX_WARPS - 1, SPAN_ARG(field));
        *out |= 1u << w;
    } while (text.n > 0);
    return true;
}

static bool claim_address(struct listing_note *note, struct listing_place at, struct sim_err *err)
{
    if (note->addr_kind != LISTING_ADDR_NONE)
        return PLACE_ERROR(at, err, "a second address for one instruction");
    return true;
}

/* "A stride S [warp W] [cta C]" */
static bool read_addr(struct listing_note *note, struct span *s, struct listing_place at,
                      struct sim_err *err)
{
    TRY(claim_address(note, at, err));
    struct span word = span_word(s);
    /* Guards may switch off the lanes below a negative base. */
    int64_t below;
    bool negative = span_starts(word, "-") && span_i64(word, &below);
    if (negative)
        note->base = (uint64_t)below;
    else if (!span_u64(word, &note->base))
        return PLACE_ERROR(at, err, "expected an address after @addr, found \"" SPAN_FMT "\"",
                           SPAN_ARG(word));
    word = span_word(s);
    if (!span_is(word, "stride"))
        return PLACE_ERROR(at, err, "expected \"stride\" after the address, found \"" SPAN_FMT "\"",
                           SPAN_ARG(word));
    word = span_word(s);
    if (!span_i64(word, &note->stride) || note->stride < INT32_MIN || note->stride > INT32_MAX)
        return PLACE_ERROR(at, err, "expected a stride of at most 32 bits, found \"" SPAN_FMT "\"",
                           SPAN_ARG(word));
    note->addr_kind = LISTING_ADDR_AFFINE;
    for (;;) {
        struct span rest = *s;
        struct span name = span_word(&rest);
        int64_t *to = span_is(name, "warp")  ? &note->warp
                      : span_is(name, "cta") ? &note->cta
                                             : NULL;
        if (!to)
            return true;
        word = span_word(&rest);
        if (!span_i64(word, to))
            return PLACE_ERROR(at, err,
                               "expected a number after \"" SPAN_FMT "\", found \"" SPAN_FMT "\"",
                               SPAN_ARG(name), SPAN_ARG(word));
        *s = rest;
    }
}

/* "a,b,...": one address a lane */
static bool read_addrs(struct listing_note *note, struct span *s, struct arena *arena,
                       struct listing_place at, struct sim_err *err)
{
    TRY(claim_address(note, at, err));
    note->list = arena_array(arena, WARP_LANES, sizeof *note->list);
    if (!note->list)
        return err_memory(err, "reading a listing");
    struct span text = span_word(s);
    note->addr_kind = LISTING_ADDR_LIST;
    do {
        struct span field = span_field(&text, ',');
        if (note->list_count == WARP_LANES)
            return PLACE_ERROR(at, err, "@addrs gives more than %d addresses", WARP_LANES);
        if (!span_u64(field, &note->list[note->list_count++]))
            return PLACE_ERROR(at, err,
                               "expected addresses as 0x100,0x104,... without blanks, found "
                               "\"" SPAN_FMT "\"",
                               SPAN_ARG(field));
    } while (text.n > 0);
    return true;
}

/* Nothing (always) or the number of times. */
static bool read_taken(struct listing_note *note, struct span *s, struct listing_place at,
                       struct sim_err *err)
{
    if (note->has_taken)
        return PLACE_ERROR(at, err, "a second @taken for one instruction");
    note->has_taken = true;
    note->taken = UINT64_MAX;
    struct span rest = *s;
    struct span word = span_word(&rest);
    if (word.n == 0 || word.p[0] == '@' || word.p[0] == '/')
        return true;
    if (!span_u64(word, &note->taken))
        return PLACE_ERROR(at, err,
                           "expected a number of times after @taken, found \"" SPAN_FMT "\"",
                           SPAN_ARG(word));
    *s = rest;
    return true;
}

/* "LANES [warps 0,4]" */
static bool read_mask(struct listing_note *note, struct span *s, struct arena *arena,
                      struct listing_place at, struct sim_err *err)
{
    struct listing_mask *m = arena_alloc(arena, sizeof *m);
    if (!m)
        return err_memory(err, "reading a listing");
    struct span word = span_word(s);
    uint64_t lanes;
    if (!span_u64(word, &lanes) || lanes > UINT32_MAX)
        return PLACE_ERROR(at, err,
                           "expected a mask of 32 lanes after @mask, found \"" SPAN_FMT "\"",
                           SPAN_ARG(word));
    *m = (struct listing_mask){.warps = UINT32_MAX, .lanes = (uint32_t)lanes, .next = note->masks};
    note->masks = m;
    struct span rest = *s;
    if (!span_is(span_word(&rest), "warps"))
        return true;
    *s = rest;
    return listing_warp_set(span_word(s), &m->warps, at, err);
}

bool listing_note_read(struct listing_note *note, struct span comment, struct arena *arena,
                       struct listing_place at, struct sim_err *err)
{
    struct span s = span_trim(comment);
    while (s.n > 0 && s.p[0] != '@') {
        size_t inner = span_find(s, "//");
        s = inner < s.n ? span_trim(span_skip(s, inner + 2)) : span_skip(s, s.n);
    }
    while ((s = span_trim(s)).n > 0 && !span_starts(s, "//")) {
        struct span name = span_word(&s);
        bool ok;
        if (span_is(name, "@addr"))
            ok = read_addr(note, &s, at, err);
        else if (span_is(name, "@addrs"))
            ok = read_addrs(note, &s, arena, at, err);
        else if (span_is(name, "@taken"))
            ok = read_taken(note, &s, at, err);
        else if (span_is(name, "@mask"))
            ok = read_mask(note, &s, arena, at, err);
        else
            ok = PLACE_ERROR(at, err,
                             "expected @addr, @addrs, @taken or @mask, found \"" SPAN_FMT "\"",
                             SPAN_ARG(name));
        TRY(ok);
    }
    return true;
}
