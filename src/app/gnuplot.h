/* Runs gnuplot. */
#ifndef SUBCORE_APP_GNUPLOT_H
#define SUBCORE_APP_GNUPLOT_H

#include "base/buf.h"
#include "base/err.h"

/* Appends what gnuplot writes for a script; fits page_draw. What gnuplot complains about is the
 * error. */
bool gnuplot_draw(void *user, const char *script, struct buf *svg, struct sim_err *err);

#endif
