/* manifold-sums.h - the functions that a mean and a median minimize, with their gradients. */
#ifndef DPT_MANIFOLD_SUMS_H
#define DPT_MANIFOLD_SUMS_H

#include "manifold.h"

/* The points, one per column, with weights of at least zero that have a positive sum (NULL: all equal). */
typedef struct {
  const double *points, *weights;
  ptrdiff_t count;
} dpt_weighted;

/* The objective: half the mean squared distance to the points, or the mean distance. */
typedef struct dpt_objective dpt_objective;

/* Makes an objective, in memory of the context. `median`: the mean distance. For a median, points within `coincident`
 * of an iterate count as equal to it. */
dpt_objective *dpt_objective_new(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, bool median,
                                 double coincident);

/* A point of the manifold and the objective there. */
typedef struct {
  double *point, *frame;
  double *gradient;  /* its coordinates; for a median the shortest subgradient */
  double norm;       /* its length */
  double value;      /* of the objective */
  double divisor;    /* the step to try is -gradient / divisor: 1 for a mean, Weiszfeld's for a median */
  double radius;     /* distance of the farthest point of positive weight */
  ptrdiff_t nearest; /* the nearest point of positive weight */
} dpt_iterate;

dpt_iterate *dpt_iterate_new(dpt_ctx *ctx, const dpt_manifold *manifold);

/* Fills in an iterate whose point is set. The result does not depend on the number of threads. */
void dpt_objective_evaluate(dpt_ctx *ctx, const dpt_objective *objective, dpt_iterate *iterate);

/* Certified bounds at an iterate in spite of rounding. For a mean: the length of the gradient of half the mean squared
 * distance at a point within `offset` of the iterate. For a median: the length of a subgradient, at such a point, of a
 * function that differs by at most half of `value` from the mean distance. */
typedef struct {
  double gradient; /* at most */
  double rounding; /* the part of it that rounding may have made */
  double radius;   /* distance of the farthest point, at most */
  double offset, value;
} dpt_objective_bounds;

/* Makes one more pass, which costs about three evaluations. */
dpt_objective_bounds dpt_objective_bound(dpt_ctx *ctx, const dpt_objective *objective, const dpt_iterate *iterate);

#endif
