/* manifold-laplace-chain.c - the random walk Metropolis sampler, for manifolds with unknown Jacobian.
 *
 * A step is a geodesic from x with velocity v, whose coordinates in the orthonormal frame at x are independent normal
 * numbers. The reversed step has the same length, and the geodesic flow preserves the volume of the tangent bundle. So
 * the walk is reversible with respect to the Riemannian volume on every complete manifold, homogeneous or not, for
 * steps of any length (inst/proofs/manifold-laplace.md). Accepting with the ratio of the densities then leaves the
 * target invariant. The sampler needs neither the Jacobian nor the normalizing constant. It is exact only in the limit
 * of many steps.
 *
 * Cost: a step takes a frame, an exp and one or two distances. */
#include "manifold-laplace.h"

#include "base-draws.h"
#include "manifold-parts.h"

typedef struct {
  const dpt_manifold *manifold;
  const dpt_laplace_target *target;
  double *location_frame, *center_frame, *frame, *x, *y, *v, *work;
  double log_density, step;
  double steps, accepted;
} walker;

/* Computes the log density up to a constant; minus infinity outside the ball. */
static double log_density(const walker *chain, const double *y) {
  const dpt_manifold *manifold = chain->manifold;
  const dpt_laplace_target *target = chain->target;
  if (target->center && !(manifold->of->distance(manifold, chain->center_frame, y, chain->work) <= target->radius))
    return -INFINITY;
  if (isinf(target->scale)) return 0;
  return -manifold->of->distance(manifold, chain->location_frame, y, chain->work) / target->scale;
}

static void start_chain(dpt_ctx *ctx, walker *chain) {
  const dpt_manifold *manifold = chain->manifold;
  chain->location_frame = DPT_NEW(ctx, double, manifold->frame_size);
  chain->center_frame = DPT_NEW(ctx, double, manifold->frame_size);
  chain->frame = DPT_NEW(ctx, double, manifold->frame_size);
  chain->x = DPT_NEW(ctx, double, manifold->size);
  chain->y = DPT_NEW(ctx, double, manifold->size);
  chain->v = DPT_NEW(ctx, double, manifold->dimension);
  chain->work = DPT_NEW(ctx, double, manifold->work_size);
  manifold->of->frame(manifold, chain->target->location, chain->location_frame, chain->work);
  if (chain->target->center) manifold->of->frame(manifold, chain->target->center, chain->center_frame, chain->work);
  const bool in_ball = chain->target->center != NULL; /* the location may be outside */
  dpt_vector_copy(manifold->size, in_ball ? chain->target->center : chain->target->location, chain->x);
  dpt_vector_copy(manifold->frame_size, in_ball ? chain->center_frame : chain->location_frame, chain->frame);
  chain->log_density = log_density(chain, chain->x);
}

static void take_step(dpt_ctx *ctx, walker *chain) {
  const dpt_manifold *manifold = chain->manifold;
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) chain->v[i] = chain->step * dpt_draw_normal(ctx);
  manifold->of->exp(manifold, chain->frame, chain->v, chain->y, chain->work);
  const double proposed = log_density(chain, chain->y);
  chain->steps++;
  if (!(log(dpt_draw_float(ctx)) <= proposed - chain->log_density)) return;
  chain->accepted++;
  chain->log_density = proposed;
  dpt_vector_copy(manifold->size, chain->y, chain->x);
  manifold->of->frame(manifold, chain->x, chain->frame, chain->work);
}

void dpt_laplace_chain(dpt_ctx *ctx, const dpt_manifold *manifold, const dpt_laplace_target *target,
                       const dpt_laplace_walk *walk, ptrdiff_t n, double *points, double *acceptance) {
  const double size = (double) manifold->size;
  const int64_t cost = (int64_t) (500 + 100 * size * sqrt(size));
  const double all = (double) walk->burn + (double) n * (double) walk->thin;
  walker run = {.manifold = manifold, .target = target, .step = walk->step};
  start_chain(ctx, &run);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t left = i == 0 ? walk->burn : walk->thin; left > 0; left--) {
      take_step(ctx, &run);
      ctx->fraction = run.steps / all;
      dpt_tick(ctx, cost);
    }
    dpt_vector_copy(manifold->size, run.x, points + i * manifold->size);
    if (manifold->of->canonical) manifold->of->canonical(manifold, points + i * manifold->size, run.work);
  }
  *acceptance = run.accepted / run.steps;
}
