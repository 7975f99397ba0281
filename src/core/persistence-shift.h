/* persistence-shift.h - the bottleneck distance of two diagrams, minimized over shifts of one along the diagonal. */
#ifndef DPT_PERSISTENCE_SHIFT_H
#define DPT_PERSISTENCE_SHIFT_H

#include "persistence-points.h"

typedef struct {
  double distance;
  double shift; /* of births and deaths of x, or NaN if no shift makes the distance finite */
} dpt_shift_best;

/* The smallest bottleneck distance over all shifts, and a shift that attains it. Points may be in any order.
 * Infinite points are matched within their kind, and unequal numbers of a kind give infinity. */
dpt_shift_best dpt_shift_distance(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y);

#endif
