/* dtm.h - the distance to a measure. */
#ifndef DPT_DTM_H
#define DPT_DTM_H

#include "base-context.h"

/* A lattice of whole numbers: coordinates times `scale`, a power of two, are rounded to whole numbers, and so is all
 * that is made of them. A value is then floor(norm * steps / change), where norm is that of the `neighbors` smallest
 * distances of lattice points, min(d_i, clip), for r = 2, and the sum of the floors of these for r = 1. `clip` is a
 * whole number of at most 2^26, `neighbors` times it at most 2^52, `change` a whole number of at most 2^26 by which
 * replacing one point changes the norm at most, `steps` one below 2^31, and no value may exceed 2^31.
 *
 * Where what is replaced are points that weigh `unit` together, the norm is divided by `unit` (r = 1) or by its root,
 * exactly: `unit` is a whole number of at most 2^20, 1 for single points. */
typedef struct {
  double scale, change, unit, steps;
} dpt_dtm_lattice;

/* What to compute: at each query x, with d_1 <= d_2 <= ... the distances of x to the points, a point of weight w
 * counting w times, the mean of min(d_i, clip)^r over the `neighbors` nearest, to the power 1/r. */
typedef struct {
  const double *points; /* count rows, `dimension` columns, column-major, finite */
  const double *weight; /* whole numbers >= 0, one for each point, or NULL: all one */
  ptrdiff_t count;
  const double *queries; /* as the points */
  ptrdiff_t query_count;
  int dimension;
  double neighbors;               /* a whole number, at least 1, at most the total weight */
  double r;                       /* at least 1, finite */
  double clip;                    /* positive, INFINITY for none */
  const dpt_dtm_lattice *lattice; /* or NULL, for distances as doubles */
} dpt_dtm_problem;

/* Writes query_count values. The result does not depend on the number of threads. */
void dpt_dtm_evaluate(dpt_ctx *ctx, const dpt_dtm_problem *problem, double *values);

#endif
