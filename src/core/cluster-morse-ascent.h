/* cluster-morse-ascent.h - the log density of a mixture with its derivatives, and the ascent to a mode. */
#ifndef DPT_CLUSTER_MORSE_ASCENT_H
#define DPT_CLUSTER_MORSE_ASCENT_H

#include "cluster-mixture.h"

/* Replaces -inf, so that heights are finite. */
#define DPT_ASCENT_LOWEST (-1e300)

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

/* Moves x up to its mode and returns the level there. The last metric is kept. */
double dpt_ascent_climb(dpt_ascent *s, double *x);

#endif
