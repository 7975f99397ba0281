/* dtm.h - the distance to a measure. */
#ifndef DPT_DTM_H
#define DPT_DTM_H

#include "base-context.h"

/* A lattice of integers: coordinates times `scale`, a power of two, are rounded to integers, and so are all later
 * quantities. A value is then floor(norm * steps / change), where norm is the norm of the `neighbors` smallest
 * distances of lattice points, min(d_i, clip), for r = 2, and the sum of the floors of these for r = 1. `clip` is an
 * integer of at most 2^26, `neighbors` times it at most 2^52, `change` an integer of at most 2^26, the largest
 * change of the norm if one point is replaced, `steps` an integer below 2^31, and no value may exceed 2^31.
 *
 * If the points that are replaced together have the weight `unit`, the norm is divided by `unit` (r = 1) or by its
 * root, exactly. `unit` is an integer of at most 2^20, 1 for single points. */
typedef struct {
  double scale, change, unit, steps;
} dpt_dtm_lattice;

/* The problem: at each query x, with d_1 <= d_2 <= ... the distances of x to the points, and a point of weight w
 * counted w times, the mean of min(d_i, clip)^r over the `neighbors` nearest, to the power 1/r. */
typedef struct {
  const double *points; /* count rows, `dimension` columns, column-major, finite */
  const double *weight; /* integers >= 0, one for each point, or NULL for weights of one */
  ptrdiff_t count;
  const double *queries; /* as the points */
  ptrdiff_t query_count;
  int dimension;
  double neighbors;               /* an integer, at least 1, at most the total weight */
  double r;                       /* at least 1, finite */
  double clip;                    /* positive, INFINITY for none */
  const dpt_dtm_lattice *lattice; /* or NULL, for distances as doubles */
} dpt_dtm_problem;

/* Writes query_count values. The result does not depend on the number of threads. */
void dpt_dtm_evaluate(dpt_ctx *ctx, const dpt_dtm_problem *problem, double *values);

#endif
