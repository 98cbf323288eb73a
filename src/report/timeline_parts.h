/* Parts of the timeline: following instructions (timeline.c) and the two formats. Internal. */
#ifndef SUBCORE_REPORT_TIMELINE_PARTS_H
#define SUBCORE_REPORT_TIMELINE_PARTS_H

#include "report/timeline.h"

/* An instruction from fetch to the end of its last stage. A cycle that has not come is UNKNOWN. */
#define UNKNOWN UINT64_MAX
struct flight {
    uint64_t id;
    uint32_t inst;
    uint64_t fetch, ready, issue, control;
    uint64_t read, execute, write; /* fixed latency */
    uint64_t start, hand_over;     /* with a queue */
    uint64_t done;                 /* last stage */
    bool queued;
};

/* What the timeline knows of a warp slot. */
struct lane {
    struct flight *flights; /* in order of fetch */
    uint32_t count, cap;
    bool resident; /* a warp has been charged up to the end of the stall */
    uint64_t cta;
    uint16_t warp;
    uint8_t reason;                /* of the stall that runs */
    uint64_t stall_from, stall_to; /* to: charged so far */
    bool stall_shown;              /* Kanata: on the instruction with this id */
    uint64_t stall_id;
};

/* Sums of an SM over intervals of COUNTER_CYCLES that are not complete. */
struct counters {
    struct counter {
        uint64_t resident, issued;
    } * items;
    uint64_t first; /* interval of items[0] */
    uint32_t count, cap;
    bool shown; /* the value shown last was not 0 */
};

/* Text of trace events that waits for its cycle; in timeline.waiting. */
struct piece {
    uint64_t cycle;
    uint32_t sm, slot, order;
    size_t at, len;
};

/* One line of a Kanata log that waits for its cycle. */
enum step_kind { STEP_BEGIN, STEP_STAGE, STEP_STALL_END, STEP_STALL, STEP_RETIRE };
struct step {
    uint64_t cycle, id;
    uint32_t order; /* of the steps of an instruction */
    enum step_kind kind;
    const char *name; /* stage or reason */
    uint32_t sm, inst;
    uint64_t cta;
    uint16_t slot, warp;
    bool flushed; /* STEP_RETIRE */
};

#define LANES_PER_SM 64
#define COUNTER_CYCLES 100

struct timeline {
    struct outfile *file;
    enum timeline_format format;
    struct timeline_filter filter;
    struct buf text;
    const struct kernel *kernel; /* of the events; NULL between kernels */
    uint64_t base;               /* added to the kernel's cycles */
    uint64_t latest;             /* of everything written of the kernel */
    uint64_t next_id, begun_ids; /* begun_ids: when the kernel began */
    uint64_t retired, begun_retired;
    uint64_t cycle, begun_cycle; /* of the last line of the log */
    struct lane *lanes;          /* [sm_count * LANES_PER_SM] */
    struct counters *counters;   /* [sm_count]; Perfetto */
    bool *named;                 /* [sm_count]: Perfetto knows the SM's tracks */
    uint32_t sm_count;
    struct step *steps; /* Kanata */
    uint32_t step_count, step_cap;
    struct piece *pieces; /* Perfetto */
    uint32_t piece_count, piece_cap;
    struct buf waiting, kept;
};

/* timeline_kanata.c */
void kanata_begin(struct timeline *t);
bool kanata_fetch(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                  const struct flight *f, struct sim_err *err);
bool kanata_stage(struct timeline *t, const struct flight *f, const char *name, uint64_t cycle,
                  struct sim_err *err);
bool kanata_stall(struct timeline *t, struct lane *l, uint64_t id, uint64_t cycle,
                  struct sim_err *err);
bool kanata_stall_end(struct timeline *t, struct lane *l, struct sim_err *err);
bool kanata_retire(struct timeline *t, uint64_t id, uint64_t cycle, bool flushed,
                   struct sim_err *err);
/* Writes all steps before `until`: none of them can come any more. */
bool kanata_drain(struct timeline *t, uint64_t until, struct sim_err *err);

/* timeline_perfetto.c */
void perfetto_begin(struct timeline *t);
bool perfetto_flight(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                     const struct flight *f, struct sim_err *err);
bool perfetto_stall(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                    struct sim_err *err);
/* The warp is there from `cycle` on. */
bool perfetto_warp(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                   uint64_t cycle, struct sim_err *err);
/* It has left after the stall that ran. */
bool perfetto_warp_end(struct timeline *t, uint32_t sm, uint32_t slot, const struct lane *l,
                       struct sim_err *err);
/* Names the tracks of an SM of which nothing was shown before `cycle`. */
bool perfetto_name(struct timeline *t, uint32_t sm, uint64_t cycle, struct sim_err *err);
/* Adds to the counters of the intervals that [at, at + cycles) touches. */
bool perfetto_count(struct timeline *t, uint32_t sm, uint64_t at, uint64_t cycles,
                    struct counter each, struct sim_err *err);
/* Writes all that lies before `until`: none of it can come any more. */
bool perfetto_drain(struct timeline *t, uint64_t until, struct sim_err *err);
void perfetto_end(struct timeline *t);

#endif
