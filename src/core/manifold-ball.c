/* manifold-ball.c - what curvature and the radius of a ball promise about the mean of points in it.
 *
 * The statements and their proofs are in inst/proofs/manifold-mean.md; the names there are h (convexity), L
 * (smoothness), a (step), kappa and -k (bounds of the curvature). In short: with F half the mean squared distance to
 * points of the ball of radius r,
 *     h = theta / tan(theta), theta = 2 r sqrt(kappa)       F is h-convex on the ball (Hessian comparison)
 *     L = z coth(z), z = 2 r sqrt(k)                        F grows by L / 2 |v|^2 at most (Toponogov)
 * and a step of a times the gradient, a <= 1 / L, ends so near to the ball that the clamp brings it closer to every
 * point of the ball (balls up to the radius min(injectivity radius, pi / sqrt(kappa)) / 2 are convex).
 *
 * Rounding. Doubles do not hold a point better than the half unit in the last place of each coordinate; what that
 * moves the point in the manifold's metric is computed through coordinates(). The bound is that, plus a unit for the
 * curvature's own scale, times exp(2 sqrt(k) reach), the condition of points so far apart in negative curvature, times
 * the root of the number of coordinates and a small constant. It is a bound by experiment, not by proof: the tests hold
 * it against 60 digits.
 *
 * Cost: some flops; the rounding one call of coordinates() for each coordinate that is not zero. */
#include "manifold-ball.h"

#include <float.h>
#include <math.h>

#include "manifold-parts.h"

/* In units of DBL_EPSILON; the tests see 0.4, and 4.4 for subspaces that are all but orthogonal. */
static const double ROUNDING = 8;

/* sqrt(kappa) and sqrt(k); a curve has no curvature of its own, whatever its maker says. */
static double bend_above(const dpt_manifold *manifold) {
  return manifold->dimension > 1 && manifold->curvature_above > 0 ? sqrt(manifold->curvature_above) : 0;
}

static double bend_below(const dpt_manifold *manifold) {
  return manifold->dimension > 1 && manifold->curvature_below < 0 ? sqrt(-manifold->curvature_below) : 0;
}

static double convex_radius(const dpt_manifold *manifold, double angle) {
  double bend = bend_above(manifold), turn = bend > 0 ? angle / bend : INFINITY;
  return fmin(manifold->injectivity_radius, turn) / 2;
}

double dpt_ball_limit(const dpt_manifold *manifold) { return convex_radius(manifold, dpt_pi / 2); }

double dpt_ball_limit_around_mean(const dpt_manifold *manifold) { return convex_radius(manifold, dpt_pi); }

double dpt_ball_convexity(const dpt_manifold *manifold, double reach) {
  double theta = reach * bend_above(manifold);
  if (theta == 0) return 1;
  return theta < dpt_pi / 2 ? theta / tan(theta) : 0;
}

/* z coth(z) */
static double stretch(const dpt_manifold *manifold, double reach) {
  double z = reach * bend_below(manifold);
  return z > 1e-8 ? z / tanh(z) : 1;
}

/* The largest fraction of the gradient after which the point is sure to be where balls around the center are convex:
 * the root a of (1 + a (s - 1))^2 + 4 a^2 (L - 1) = (room / r)^2 with s = theta / sin(theta). */
static double longest_step(const dpt_manifold *manifold, double radius, double smoothness) {
  double room = dpt_ball_limit_around_mean(manifold);
  if (!isfinite(room)) return INFINITY;
  double theta = 2 * radius * bend_above(manifold);
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

/* How far the last bits of x may move it: the sum over its coordinates. */
static double coarseness(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x) {
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  double *frame = DPT_NEW(ctx, double, manifold->frame_size), *work = DPT_NEW(ctx, double, manifold->work_size);
  double *change = DPT_NEW(ctx, double, manifold->size), *v = DPT_NEW(ctx, double, manifold->dimension);
  double sum = 0;
  manifold->of->frame(manifold, x, frame, work);
  for (ptrdiff_t i = 0; i < manifold->size; i++) change[i] = 0;
  for (ptrdiff_t i = 0; i < manifold->size; i++) {
    if (x[i] == 0) continue;
    change[i] = x[i];
    manifold->of->coordinates(manifold, frame, change, v, work);
    change[i] = 0;
    double square = 0;
    for (ptrdiff_t j = 0; j < manifold->dimension; j++) square += v[j] * v[j];
    sum += sqrt(square);
    dpt_tick(ctx, 20 * manifold->size);
  }
  dpt_arena_release(&ctx->arena, here);
  return sum;
}

static double rounding_of_one(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x, double reach) {
  double below = bend_below(manifold);
  double unit = fmin(2 * dpt_ball_limit_around_mean(manifold) / dpt_pi, below > 0 ? 1 / below : INFINITY);
  double scale = coarseness(ctx, manifold, x) + reach + (isfinite(unit) ? unit : 0);
  return ROUNDING * DBL_EPSILON * sqrt((double) manifold->size) * scale *
         exp((2 * below + manifold->coarsening) * reach);
}

/* Each factor of a product has a scale of its own. */
double dpt_ball_rounding(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x, double reach) {
  if (manifold->factors == 0) return rounding_of_one(ctx, manifold, x, reach);
  double all = 0;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    all = hypot(all, dpt_ball_rounding(ctx, manifold->factor[f], x, reach));
    x += manifold->factor[f]->size;
  }
  return all;
}
