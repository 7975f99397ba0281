/* manifold-ball.h - consequences of curvature and the radius of a ball for the mean of points in it. */
#ifndef DPT_MANIFOLD_BALL_H
#define DPT_MANIFOLD_BALL_H

#include "manifold.h"

/* Computes half the distance up to which the squared distance is surely strongly convex. Points in a ball of a smaller
 * radius have a unique mean, which lies in the ball (Assumption 1 of Reimherr et al. 2021). */
double dpt_ball_limit(const dpt_manifold *manifold);

/* The same for a ball around the mean itself: if the radius is smaller, the mean is unique (Afsari 2011). */
double dpt_ball_limit_around_mean(const dpt_manifold *manifold);

/* Computes a lower bound of the second derivative of half the squared distance along unit geodesics, from points up to
 * `reach` away. It is 1 without positive curvature, and otherwise theta / tan(theta) with theta = reach
 * sqrt(curvature). */
double dpt_ball_convexity(const dpt_manifold *manifold, double reach);

/* Descent with proved progress, in a ball below the limit. A step of this fraction of the gradient, followed by the
 * clamp to the ball, reduces the excess of the function over its minimum by the fraction `rate`. This holds as long as
 * the rounding errors of the gradient and of the step are less than rate / (4 smoothness) times the gradient.
 * `smoothness` is the upper bound of the second derivative, as convexity is the lower one. The step is zero if no bound
 * of negative curvature is known. */
typedef struct {
  double convexity, smoothness, step, rate;
} dpt_ball_descent;

dpt_ball_descent dpt_ball_plan(const dpt_manifold *manifold, double radius);

/* Computes the number of such steps that make the gradient at most `tolerance`, from a point of the ball with a
 * gradient of at most `gradient`. It is a double because it may be large. */
double dpt_ball_steps(const dpt_ball_descent *plan, double gradient, double tolerance);

/* Bounds the distance that a point's logarithm moves per unit that the point moves, in the range of the
 * certificates. */
double dpt_ball_stretch(const dpt_manifold *manifold);

/* Bounds the rounding errors of gradients and of steps of the plan, for all points of a ball around the origin. For
 * manifolds that the host defines it is a guess, for a ball around its center. */
double dpt_ball_rounding(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, double radius);

#endif
