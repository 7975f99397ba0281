/* persistence-shift.h - the bottleneck distance of two diagrams, one of them shifted along the diagonal at will. */
#ifndef DPT_PERSISTENCE_SHIFT_H
#define DPT_PERSISTENCE_SHIFT_H

#include "persistence-points.h"

typedef struct {
  double distance;
  double shift; /* of births and deaths of x; NaN where none makes the distance finite */
} dpt_shift_best;

/* The smallest bottleneck distance over all shifts, and a shift at which it is attained. Any order; infinite points are
 * matched among their own kind, and unequal numbers of one give infinity. */
dpt_shift_best dpt_shift_distance(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y);

#endif
