/* topology-dtm.h - the distance to a measure. */
#ifndef DPT_TOPOLOGY_DTM_H
#define DPT_TOPOLOGY_DTM_H

#include "base-context.h"

/* What to compute: at each query x, with d_1 <= d_2 <= ... the distances of x to the points, a point of weight w
 * counting w times, the mean of min(d_i, clip)^r over the `neighbors` nearest, to the power 1/r. */
typedef struct {
  const double *points; /* count rows, `dimension` columns, column-major, finite */
  const double *weight; /* whole numbers >= 0, one for each point, or NULL: all one */
  ptrdiff_t count;
  const double *queries; /* as the points */
  ptrdiff_t query_count;
  int dimension;
  double neighbors; /* a whole number, at least 1, at most the total weight */
  double r;         /* at least 1, finite */
  double clip;      /* positive, INFINITY for none */
} dpt_dtm_problem;

/* Writes query_count values. The result does not depend on the number of threads. */
void dpt_dtm_evaluate(dpt_ctx *ctx, const dpt_dtm_problem *problem, double *values);

#endif
