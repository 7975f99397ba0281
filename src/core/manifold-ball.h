/* manifold-ball.h - what follows from curvature and the radius of a ball for the mean of points in it. */
#ifndef DPT_MANIFOLD_BALL_H
#define DPT_MANIFOLD_BALL_H

#include "manifold.h"

/* Half the distance up to which the squared distance is sure to be strongly convex: points in a ball of a smaller
 * radius have their mean in it, and nothing about it is open (Assumption 1 of Reimherr et al. 2021). */
double dpt_ball_limit(const dpt_manifold *manifold);

/* The same for a ball around the mean itself: within a smaller radius it is the only one (Afsari 2011). */
double dpt_ball_limit_around_mean(const dpt_manifold *manifold);

/* A lower bound of the second derivative of half the squared distance along unit geodesics, from points up to
 * `reach` away: 1 without positive curvature, else theta / tan(theta), theta = reach sqrt(curvature). */
double dpt_ball_convexity(const dpt_manifold *manifold, double reach);

/* Descent with a proof, in a ball below the limit: a step of this fraction of the gradient, then the clamp to the
 * ball, takes the part `rate` off the excess of the function over its minimum, as long as the rounding errors of the
 * gradient and of the step are less than rate / (4 smoothness) times the gradient. `smoothness`: an upper bound in
 * place of the convexity's lower one. The step is zero where nothing is known of negative curvature. */
typedef struct {
  double convexity, smoothness, step, rate;
} dpt_ball_descent;

dpt_ball_descent dpt_ball_plan(const dpt_manifold *manifold, double radius);

/* How many such steps make the gradient at most `tolerance`, from a point of the ball with a gradient of at most
 * `gradient`. A double: it may be large. */
double dpt_ball_steps(const dpt_ball_descent *plan, double gradient, double tolerance);

/* How far, at most, a point's logarithm moves for each unit that the point moves, as far out as certificates reach. */
double dpt_ball_stretch(const dpt_manifold *manifold);

/* A bound of the rounding errors of gradients and of steps of the plan, for all points of a ball around the origin (for
 * what the host defines, a guess, around its center). */
double dpt_ball_rounding(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, double radius);

#endif
