/* manifold-laplace.h - exact draws with density exp(-d(x, location) / scale) against the Riemannian volume. */
#ifndef DPT_MANIFOLD_LAPLACE_H
#define DPT_MANIFOLD_LAPLACE_H

#include "manifold.h"

/* Kinds of proposals. All give the same distribution of draws. BEST is the kind with the best acceptance in trials of
 * all kinds that apply. */
typedef enum {
  DPT_LAPLACE_BEST = 0,
  DPT_LAPLACE_TANGENT, /* tangent space at the location, radial envelope */
  DPT_LAPLACE_DRIFT,   /* tangent space, with a drift as the volume grows: near the threshold */
  DPT_LAPLACE_STEEP,   /* the same with a steeper drift: not quite so near */
  DPT_LAPLACE_UNIFORM, /* uniform on a compact manifold */
  DPT_LAPLACE_BALL,    /* uniform in the ball */
  DPT_LAPLACE_CENTER   /* the same distribution about the center of the ball */
} dpt_laplace_proposal;

/* The target: on the whole manifold, or conditioned on the closed ball about `center`. An infinite scale means the
 * uniform distribution, on a compact manifold or in a ball. */
typedef struct {
  double scale;
  const double *location;
  const double *center; /* NULL: the whole manifold */
  double radius;
  bool quick; /* refuse an acceptance below one in a hundred: a release must not take long */
  dpt_laplace_proposal proposal;
} dpt_laplace_target;

typedef struct dpt_laplace dpt_laplace;

/* Is the integral of the density over the whole manifold finite? Decided without rounding of the threshold. */
bool dpt_laplace_is_finite(const dpt_manifold *manifold, double scale);

/* Prepares draws, and chooses the best proposal. It fails if the integral is infinite, if the Jacobian of exp is not
 * known, if the requested proposal does not apply, or if no proposal would ever be accepted. */
dpt_status dpt_laplace_open(dpt_ctx *ctx, const dpt_manifold *manifold, const dpt_laplace_target *target,
                            dpt_laplace **sampler);

/* Draws n points, one per column. */
void dpt_laplace_draw(dpt_ctx *ctx, dpt_laplace *sampler, ptrdiff_t n, double *points);

/* Makes the same draws, as coordinates of their logs in the frame of `origin`: `dimension` x n. Coordinates can
 * represent draws that are too far away for points in doubles. `origin` is the origin of the manifold, or any point of
 * a manifold that the host defines. */
void dpt_laplace_draw_coordinates(dpt_ctx *ctx, dpt_laplace *sampler, const double *origin, ptrdiff_t n, double *w);

/* Return the acceptance rate of all draws so far (NAN before the first), and the kind of proposal. Not for a release:
 * in a ball, the rate depends on the location. */
double dpt_laplace_acceptance(const dpt_laplace *sampler);
dpt_laplace_proposal dpt_laplace_chosen(const dpt_laplace *sampler);

/* Random walk Metropolis with Gaussian steps of standard deviation `step` in each coordinate: `burn` steps from the
 * location, or from the center of the ball, then a point every `thin` steps. For manifolds with unknown Jacobian. The
 * distribution reaches the target only in the limit. */
typedef struct {
  ptrdiff_t burn, thin;
  double step;
} dpt_laplace_walk;

void dpt_laplace_chain(dpt_ctx *ctx, const dpt_manifold *manifold, const dpt_laplace_target *target,
                       const dpt_laplace_walk *walk, ptrdiff_t n, double *points, double *acceptance);

#endif
