/* manifold-mean.h - the Frechet mean and the geometric median, with a bound of their error. */
#ifndef DPT_MANIFOLD_MEAN_H
#define DPT_MANIFOLD_MEAN_H

#include "manifold-sums.h"

typedef struct {
  dpt_weighted points;
  bool median;
  double tolerance; /* stop if the gradient is at most this long (for a median: if the excess of the value is at most
                       this); 0: stop when rounding prevents progress */
  double max_steps;
  bool sure; /* afterwards a mean may continue with steps of proved progress */
} dpt_mean_problem;

typedef struct {
  double gradient; /* its length at the end of the descent */
  double error;    /* bound of the distance from the true mean, or of the excess of a median's mean distance; infinite
                      without a proof */
  double value;    /* mean squared distance, or mean distance */
  double radius;   /* distance of the farthest point */
  double steps;
  bool converged;
} dpt_mean_result;

/* Computes the mean or median of any points. */
void dpt_manifold_mean(dpt_ctx *ctx, const dpt_manifold *manifold, const dpt_mean_problem *problem, double *mean,
                       dpt_mean_result *result);

/* Bounds for the mean of any points in a ball: it is found up to `error`, by a gradient of at most `tolerance`. They
 * are not finite if the ball is not below dpt_ball_limit(), or if double precision cannot distinguish its points. If
 * the center is the origin of the manifold, the bounds are proved. For a manifold that the host defines, the center is
 * any point, and the bounds are a guess. */
typedef struct {
  double tolerance, error;
} dpt_mean_bound;

dpt_mean_bound dpt_manifold_mean_bound(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, double radius);

/* Computes the mean of points in a ball with finite bounds, within these bounds. The number of steps has a bound that
 * depends on the ball alone. Returns the length of the gradient. */
double dpt_manifold_mean_in_ball(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, const double *center,
                                 double radius, double *mean);

#endif
