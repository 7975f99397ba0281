/* cluster-morse-ascent.h - the log density of a mixture with its derivatives, and the way up to a mode. */
#ifndef DPT_CLUSTER_MORSE_ASCENT_H
#define DPT_CLUSTER_MORSE_ASCENT_H

#include "cluster-mixture.h"

/* In place of -inf, so that heights are finite. */
#define DPT_ASCENT_LOWEST (-1e300)

typedef struct {
  dpt_ctx *ctx;
  const dpt_mixture *mixture;
  ptrdiff_t n, K;
  double *precision; /* n x n for each component */
  double *part, *z, *pull, *gradient, *metric, *spread, *lower, *square, *values, *vectors, *work, *step, *trial;
} dpt_ascent;

dpt_ascent dpt_ascent_new(dpt_ctx *ctx, const dpt_mixture *mixture);

/* The log density at x. */
double dpt_ascent_level(dpt_ascent *s, const double *x);

/* The same, its gradient, and the metric A; with `second` the sum of w_k u_k u_k' of the pulls u_k = P_k (mu_k - x), in
 * `spread`, as well. */
double dpt_ascent_see(dpt_ascent *s, const double *x, bool second);

/* After a query: the factor of the metric, in `lower`; false where it has none (a density below all doubles). */
bool dpt_ascent_factor(dpt_ascent *s);

/* After that: step := A^-1 gradient, and its length. */
double dpt_ascent_step(dpt_ascent *s);

/* The distance of x and y in a metric. */
double dpt_ascent_length(ptrdiff_t n, const double *metric, const double *x, const double *y);

/* Moves x up to its mode, and gives back the level there. The metric at the end stays. */
double dpt_ascent_climb(dpt_ascent *s, double *x);

#endif
