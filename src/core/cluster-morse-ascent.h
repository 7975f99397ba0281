/* cluster-morse-ascent.h - the log density of a mixture with its derivatives, and the ascent to a mode. */
#ifndef DPT_CLUSTER_MORSE_ASCENT_H
#define DPT_CLUSTER_MORSE_ASCENT_H

#include "cluster-mixture.h"

/* Replaces -inf, so that heights are finite. */
#define DPT_ASCENT_LOWEST (-1e300)

/* Where an ascent from a saddle starts, in standard deviations. */
#define DPT_ASCENT_SIDE 0.05

/* How often an ascent may leave a critical point that is no mode, besides once for each dimension: a density that is
 * symmetric in each coordinate may need that. */
#define DPT_ASCENT_ESCAPES 20

typedef struct {
  dpt_ctx *ctx;
  const dpt_mixture *mixture;
  ptrdiff_t n, K;
  double *precision; /* n x n for each component */
  double *part, *z, *pull, *gradient, *metric, *spread, *lower, *square, *values, *vectors, *work, *step, *trial;
} dpt_ascent;

dpt_ascent dpt_ascent_new(dpt_ctx *ctx, const dpt_mixture *mixture);

/* Computes the log density at x. */
double dpt_ascent_level(dpt_ascent *s, const double *x);

/* Also computes its gradient and the metric A. With `second`, also the sum of w_k u_k u_k' for the pulls u_k = P_k
 * (mu_k - x), in `spread`. */
double dpt_ascent_see(dpt_ascent *s, const double *x, bool second);

/* Factors the metric into `lower`, after dpt_ascent_see(). Returns false if it has no factor (a density that
 * underflows). */
bool dpt_ascent_factor(dpt_ascent *s);

/* Computes step := A^-1 gradient after dpt_ascent_factor(), and returns its length. */
double dpt_ascent_step(dpt_ascent *s);

/* Computes the distance of x and y in a metric. */
double dpt_ascent_length(ptrdiff_t n, const double *metric, const double *x, const double *y);

/* Computes the eigenvectors of the Hessian in the metric's coordinates, after dpt_ascent_see() with `second`, and the
 * gradient along them in s->step. Eigenvalues fall. Returns the change of level that Newton's step predicts, or -1. */
double dpt_ascent_turn(dpt_ascent *s);

/* Adds to x the sum of these eigenvectors weighted by `along`. */
void dpt_ascent_move(dpt_ascent *s, const double *along, double *x);

/* Moves x up to a critical point and returns the level there. The last metric is kept. The level on the way stays above
 * `first`, the level at which the way began, up to DPT_ASCENT_SIDE^2 / 2. */
double dpt_ascent_climb(dpt_ascent *s, double *x, double first);

/* Moves x from a critical point that is no mode to a higher point at most DPT_ASCENT_SIDE away. Returns false at a
 * mode, and if no higher point is found. The metric at the critical point is kept. */
bool dpt_ascent_leave(dpt_ascent *s, double *x);

#endif
