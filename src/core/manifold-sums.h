/* manifold-sums.h - half the mean squared distance to a cloud of points, or the mean distance, with its gradient. */
#ifndef DPT_MANIFOLD_SUMS_H
#define DPT_MANIFOLD_SUMS_H

#include "manifold.h"

/* The points, one a column, with weights of at least zero that have a positive sum (NULL: all equal). */
typedef struct {
  const double *points, *weights;
  ptrdiff_t count;
} dpt_weighted;

typedef struct dpt_cloud dpt_cloud;

/* Memory of the context. `median`: the mean distance in place of half the mean square. Points within `touch` of a
 * station stand there, as far as a median can tell. */
dpt_cloud *dpt_cloud_new(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, bool median, double touch);

/* A point of the manifold and what the cloud looks like from there. */
typedef struct {
  double *point, *frame;
  double *slope;     /* coordinates of the gradient; for a median the shortest subgradient */
  double length;     /* of the slope */
  double value;      /* of the function */
  double pull;       /* the step -slope / pull is the one to try: 1 for a mean, Weiszfeld's for a median */
  double radius;     /* distance of the farthest point of positive weight */
  ptrdiff_t nearest; /* the nearest point of positive weight */
} dpt_station;

dpt_station *dpt_station_new(dpt_ctx *ctx, const dpt_manifold *manifold);

/* Fills in a station whose point is set. The result does not depend on the number of threads. */
void dpt_cloud_look(dpt_ctx *ctx, const dpt_cloud *cloud, dpt_station *station);

/* What is certain at a station in spite of rounding. A mean: the length of the gradient of half the mean squared
 * distance at a point within `place` of the station's. A median: that of a subgradient, there, of a function that
 * differs by at most half of `value` from the mean distance. */
typedef struct {
  double gradient; /* at most */
  double noise;    /* the part of it that rounding may have made */
  double radius;   /* distance of the farthest point, at most */
  double place, value;
} dpt_cloud_bounds;

/* One more pass, of about three looks. */
dpt_cloud_bounds dpt_cloud_bound(dpt_ctx *ctx, const dpt_cloud *cloud, const dpt_station *station);

#endif
