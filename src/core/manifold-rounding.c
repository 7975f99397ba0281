/* manifold-rounding.c - rounding errors of logarithms, frames and steps of any manifold, including products.
 *
 * The bounds come from the manifolds' own tables, and are proved in inst/proofs/manifold-mean.md, section 8. Errors of
 * the factors of a product add up like lengths, because tangent spaces and distances do.
 *
 * If the host defines the functions, nothing is proved, and the bound is a guess. Doubles represent each coordinate of
 * a point up to half a unit in the last place. The resulting distance in the manifold's metric is computed by
 * coordinates(). The guess is this distance plus a unit for the scale of the curvature, times exp(2 sqrt(k) reach),
 * times the root of the number of coordinates and a small constant. The exponential is the condition number of points
 * that far apart in negative curvature.
 *
 * Cost: depends on the manifold. The guess takes one call of coordinates() for each nonzero coordinate. */
#include "manifold-rounding.h"

#include "manifold-parts.h"

dpt_rounding dpt_rounding_of_log(const dpt_manifold *manifold, const double *frame, const double *y, const double *v,
                                 double *work) {
  if (manifold->of->rounding) return manifold->of->rounding(manifold, frame, y, v, work);
  dpt_rounding all = {0, 0};
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    const dpt_rounding one = dpt_rounding_of_log(factor, frame, y, v, work);
    all = (dpt_rounding){hypot(all.point, one.point), hypot(all.tangent, one.tangent)};
    frame += factor->frame_size;
    y += factor->size;
    v += factor->dimension;
  }
  return all;
}

double dpt_rounding_of_frame(const dpt_manifold *manifold, const double *frame, const double *x, double *work) {
  if (manifold->of->frame_rounding) return manifold->of->frame_rounding(manifold, frame, x, work);
  double all = 0;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    all = hypot(all, dpt_rounding_of_frame(factor, frame, x, work));
    frame += factor->frame_size;
    x += factor->size;
  }
  return all;
}

/* ---- the guess ---- */

/* The small constant, in units of DBL_EPSILON. */
static const double GUESS = 8;

/* Computes the distance that the last bits of x may move it, summed over its coordinates. */
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
    sum += dpt_vector_length(manifold->dimension, v);
    dpt_tick(ctx, 20 * manifold->size);
  }
  dpt_arena_release(&ctx->arena, here);
  return sum;
}

static double guess_of_one(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x, double reach) {
  double above = dpt_root_curvature_above(manifold), below = dpt_root_curvature_below(manifold);
  double convex = fmin(manifold->injectivity_radius,
                       above > 0 ? dpt_pi / above : INFINITY); /* balls up to half of it */
  double unit = fmin(convex / dpt_pi, below > 0 ? 1 / below : INFINITY);
  double scale = coarseness(ctx, manifold, x) + reach + (isfinite(unit) ? unit : 0);
  return GUESS * DBL_EPSILON * sqrt((double) manifold->size) * scale * exp(2 * below * reach);
}

double dpt_rounding_guess(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x, double reach) {
  if (manifold->of->rounding) return 0;
  if (manifold->factors == 0) return guess_of_one(ctx, manifold, x, reach);
  double all = 0;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    all = hypot(all, dpt_rounding_guess(ctx, manifold->factor[f], x, reach));
    x += manifold->factor[f]->size;
  }
  return all;
}

/* ---- a ball ---- */

dpt_rounding_within dpt_rounding_in_ball(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center,
                                         dpt_rounding_ball ball) {
  if (manifold->of->rounding_within) return manifold->of->rounding_within(manifold, ball);
  if (manifold->factors == 0) {
    const double guess = guess_of_one(ctx, manifold, center, 2 * ball.radius);
    return (dpt_rounding_within){.log = {0, guess}, .end = guess};
  }
  dpt_rounding_within all = {{0, 0}, 0, 0};
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_rounding_within one = dpt_rounding_in_ball(ctx, manifold->factor[f], center, ball);
    all = (dpt_rounding_within){
        .log = {hypot(all.log.point, one.log.point), hypot(all.log.tangent, one.log.tangent)},
        .frame = hypot(all.frame, one.frame),
        .end = hypot(all.end, one.end),
    };
    center += manifold->factor[f]->size;
  }
  return all;
}
