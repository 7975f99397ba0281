/* manifold-ball.c - consequences of curvature and the radius of a ball for the mean of points in it.
 *
 * inst/proofs/manifold-mean.md has the statements and proofs. Its names are h (convexity), L (smoothness), a (step),
 * kappa and -k (bounds of the curvature). In short: with F half the mean squared distance to points of the ball of
 * radius r,
 *     h = theta / tan(theta), theta = 2 r sqrt(kappa)       F is h-convex on the ball (Hessian comparison)
 *     L = z coth(z), z = 2 r sqrt(k)                        F grows by L / 2 |v|^2 at most (Toponogov)
 * and a step of a times the gradient, a <= 1 / L, ends so near to the ball that the clamp brings it closer to every
 * point of the ball (balls up to the radius min(injectivity radius, pi / sqrt(kappa)) / 2 are convex).
 *
 * manifold-rounding.c bounds rounding errors for the whole ball, from its radius.
 *
 * Cost: a few operations. */
#include "manifold-ball.h"

#include <math.h>

#include "manifold-parts.h"
#include "manifold-rounding.h"

static double convex_radius(const dpt_manifold *manifold, double angle) {
  double root = dpt_root_curvature_above(manifold), turn = root > 0 ? angle / root : INFINITY;
  return fmin(manifold->injectivity_radius, turn) / 2;
}

double dpt_ball_limit(const dpt_manifold *manifold) { return convex_radius(manifold, dpt_pi / 2); }

double dpt_ball_limit_around_mean(const dpt_manifold *manifold) { return convex_radius(manifold, dpt_pi); }

double dpt_ball_convexity(const dpt_manifold *manifold, double reach) {
  double theta = reach * dpt_root_curvature_above(manifold);
  if (theta == 0) return 1;
  return theta < dpt_pi / 2 ? theta / tan(theta) : 0;
}

/* z coth(z) */
static double stretch(const dpt_manifold *manifold, double reach) {
  double z = reach * dpt_root_curvature_below(manifold);
  return z > 1e-8 ? z / tanh(z) : 1;
}

/* Computes the largest fraction of the gradient for which the point surely stays where balls around the center are
 * convex. It is the root a of (1 + a (s - 1))^2 + 4 a^2 (L - 1) = (room / r)^2 with s = theta / sin(theta). */
static double longest_step(const dpt_manifold *manifold, double radius, double smoothness) {
  double room = dpt_ball_limit_around_mean(manifold);
  if (!isfinite(room)) return INFINITY;
  double theta = 2 * radius * dpt_root_curvature_above(manifold);
  double spread = theta > 1e-8 ? theta / sin(theta) - 1 : 0;
  double square = spread * spread + 4 * (smoothness - 1), free = (room / radius) * (room / radius) - 1;
  return free / (spread + sqrt(spread * spread + square * free));
}

dpt_ball_descent dpt_ball_plan(const dpt_manifold *manifold, double radius) {
  dpt_ball_descent plan = {.convexity = dpt_ball_convexity(manifold, 2 * radius),
                           .smoothness = stretch(manifold, 2 * radius)};
  if (!isfinite(plan.smoothness)) return plan;
  plan.step = fmin(1 / plan.smoothness, 0.9 * longest_step(manifold, radius, plan.smoothness));
  plan.rate = plan.step * plan.convexity / 2;
  return plan;
}

double dpt_ball_steps(const dpt_ball_descent *plan, double gradient, double tolerance) {
  if (!(gradient > tolerance)) return 0;
  if (!(plan->rate > 0)) return INFINITY;
  double ratio = plan->smoothness / plan->convexity * (2 * gradient / tolerance) * (2 * gradient / tolerance);
  return ceil(log(ratio) / -log1p(-plan->rate));
}

/* theta / sin(theta), theta <= pi / 2. */
double dpt_ball_stretch(const dpt_manifold *manifold) {
  return dpt_root_curvature_above(manifold) > 0 ? dpt_pi / 2 : 1;
}

/* Squares of lengths below this have lost digits. */
static const double SHORTEST = 1e-140;

/* A step of the plan is at most 2 a r long and ends within the root of (5) times r of the center. */
double dpt_ball_rounding(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, double radius) {
  dpt_ball_descent plan = dpt_ball_plan(manifold, radius);
  if (!(plan.step > 0)) return INFINITY;
  double theta = 2 * radius * dpt_root_curvature_above(manifold), spread = theta > 1e-8 ? theta / sin(theta) - 1 : 0;
  double far = hypot(1 + plan.step * spread, 2 * plan.step * sqrt(plan.smoothness - 1));
  dpt_rounding_ball ball = {.radius = radius, .step = 2.01 * plan.step * radius, .reach = 1.01 * far * radius};
  dpt_rounding_within rounding = dpt_rounding_in_ball(ctx, manifold, center, ball);
  return SHORTEST +
         fmax(rounding.log.tangent + dpt_ball_stretch(manifold) * rounding.log.point, rounding.end + rounding.frame);
}
