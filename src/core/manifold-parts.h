/* manifold-parts.h - what the files of several manifolds share: vectors, the ratio of sines, and the missing drift. */
#ifndef DPT_MANIFOLD_PARTS_H
#define DPT_MANIFOLD_PARTS_H

#include <math.h>
#include <string.h>

#include "manifold.h"

static const double dpt_pi = 3.14159265358979323846;

static inline void dpt_vector_copy(ptrdiff_t n, const double *from, double *to) {
  memcpy(to, from, (size_t) n * sizeof(double));
}

static inline double dpt_vector_dot(ptrdiff_t n, const double *a, const double *b) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* The Euclidean length; scaled by the largest entry only where the squares leave the range of a double. */
static inline double dpt_vector_length(ptrdiff_t n, const double *a) {
  const double square = dpt_vector_dot(n, a, a);
  if (square > 1e-280 && square < 1e280) return sqrt(square);
  double largest = 0, sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    if (!isfinite(a[i])) return isnan(square) ? NAN : INFINITY;
    largest = fmax(largest, fabs(a[i]));
  }
  if (largest == 0) return 0;
  for (ptrdiff_t i = 0; i < n; i++) sum += (a[i] / largest) * (a[i] / largest);
  return largest * sqrt(sum);
}

/* A direction drawn uniformly from the unit sphere of R^n. */
static inline void dpt_vector_direction(dpt_ctx *ctx, ptrdiff_t n, double *direction) {
  double length;
  do {
    for (ptrdiff_t i = 0; i < n; i++) direction[i] = dpt_random_normal(ctx);
    length = dpt_vector_length(n, direction);
  } while (length == 0);
  for (ptrdiff_t i = 0; i < n; i++) direction[i] /= length;
}

/* log(sin(x) / x), for |x| < pi. */
static inline double dpt_log_sine_ratio(double x) { return x == 0 ? 0 : log(sin(x) / x); }

/* The tangent at t > 0 of the concave function log(1 - exp(-2 x)): its value at zero, and its slope. */
static inline double dpt_drift_tangent(double t, double *slope) {
  const double fall = exp(-2 * t);
  *slope = 2 * fall / (1 - fall);
  return fall > 0 ? log1p(-fall) - *slope * t : 0;
}

/* The drift of a flat or compact manifold: none. Its proposals are tangent coordinates already, and what is left to
 * accept is the Jacobian, which is at most one. */
static inline double dpt_manifold_no_drift(const dpt_manifold *manifold, double spread, double *delta) {
  (void) spread;
  for (ptrdiff_t i = 0; i < manifold->drift_size; i++) delta[i] = 0;
  return 0;
}

static inline double dpt_manifold_from_no_drift(dpt_ctx *ctx, const dpt_manifold *manifold, const double *l, double *v,
                                                double *work) {
  (void) ctx;
  dpt_vector_copy(manifold->dimension, l, v);
  return manifold->of->log_jacobian(manifold, v, work);
}

#endif
