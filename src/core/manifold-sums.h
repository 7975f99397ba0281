/* manifold-sums.h - the functions that a mean and a median make least, with their gradients. */
#ifndef DPT_MANIFOLD_SUMS_H
#define DPT_MANIFOLD_SUMS_H

#include "manifold.h"

/* The points, one per column, with weights of at least zero that have a positive sum (NULL: all equal). */
typedef struct {
  const double *points, *weights;
  ptrdiff_t count;
} dpt_weighted;

/* Half the mean squared distance to the points, or their mean distance. */
typedef struct dpt_objective dpt_objective;

/* Memory of the context. `median`: the mean distance. Points within `coincident` of an iterate are taken for it, as far
 * as a median is concerned. */
dpt_objective *dpt_objective_new(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, bool median,
                                 double coincident);

/* A point of the manifold and the objective there. */
typedef struct {
  double *point, *frame;
  double *gradient;  /* its coordinates; for a median the shortest subgradient */
  double norm;       /* its length */
  double value;      /* of the objective */
  double divisor;    /* the step -gradient / divisor is the one to try: 1 for a mean, Weiszfeld's for a median */
  double radius;     /* distance of the farthest point of positive weight */
  ptrdiff_t nearest; /* the nearest point of positive weight */
} dpt_iterate;

dpt_iterate *dpt_iterate_new(dpt_ctx *ctx, const dpt_manifold *manifold);

/* Fills in an iterate whose point is set. The result does not depend on the number of threads. */
void dpt_objective_evaluate(dpt_ctx *ctx, const dpt_objective *objective, dpt_iterate *iterate);

/* What is certain at an iterate in spite of rounding. A mean: the length of the gradient of half the mean squared
 * distance at a point within `offset` of the iterate. A median: that of a subgradient, there, of a function that
 * differs by at most half of `value` from the mean distance. */
typedef struct {
  double gradient; /* at most */
  double rounding; /* the part of it that rounding may have made */
  double radius;   /* distance of the farthest point, at most */
  double offset, value;
} dpt_objective_bounds;

/* One more pass, of about three evaluations. */
dpt_objective_bounds dpt_objective_bound(dpt_ctx *ctx, const dpt_objective *objective, const dpt_iterate *iterate);

#endif
