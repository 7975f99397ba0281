/* manifold-parts.h - functions shared by several manifolds: vectors, the ratio of sines, the missing drift, and the
 * constants of bounds of rounding errors. */
#ifndef DPT_MANIFOLD_PARTS_H
#define DPT_MANIFOLD_PARTS_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "manifold.h"

static const double dpt_pi = 3.14159265358979323846;

/* Takes the next `count` doubles of the scratch that the caller gave to a function of the table. */
static inline double *dpt_take(double **work, ptrdiff_t count) {
  double *taken = *work;
  *work += count;
  return taken;
}

static inline void dpt_vector_copy(ptrdiff_t n, const double *from, double *to) {
  memcpy(to, from, (size_t) n * sizeof(double));
}

static inline double dpt_vector_dot(ptrdiff_t n, const double *a, const double *b) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Computes the Euclidean length. Scales by the largest entry only if the squares leave the range of a double. */
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

/* Divides a by its Euclidean length, of any size. Returns false and leaves a unchanged if the length is zero or not
 * finite. */
static inline bool dpt_vector_normalize(ptrdiff_t n, double *a) {
  double length = dpt_vector_length(n, a);
  if (isnan(length) || length == 0) return false;
  if (!(length > 1e-140 && length < 1e140)) { /* a length may overflow, or have lost digits */
    double largest = 0;
    for (ptrdiff_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    if (isinf(largest)) return false;
    for (ptrdiff_t i = 0; i < n; i++) a[i] /= largest;
    length = dpt_vector_length(n, a);
  }
  for (ptrdiff_t i = 0; i < n; i++) a[i] /= length;
  return true;
}

/* Draws a direction uniformly from the unit sphere of R^n. */
static inline void dpt_vector_direction(dpt_ctx *ctx, ptrdiff_t n, double *direction) {
  double length;
  do {
    for (ptrdiff_t i = 0; i < n; i++) direction[i] = dpt_draw_normal(ctx);
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

/* The missing drift of a flat or compact manifold. Its proposals are already tangent coordinates, and the probability
 * of acceptance is the Jacobian, which is at most one. */
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

/* ---- rounding, as section 8 of inst/proofs/manifold-mean.md counts it ---- */

static const double dpt_unit = DBL_EPSILON / 2; /* relative error of one rounded operation */

/* Bounds the relative error of a result of n operations, with room for a hundred quotients and powers of it. */
static inline double dpt_unit_times(double n) { return 1.01 * n * dpt_unit; }

/* Bounds the backward error of a singular value, eigenvalue, or Schur decomposition of n columns, relative to the norm.
 * It allows eight sweeps of n - 1 rounds of rotations, each with an error of ten units. This is more than LAPACK's
 * routines were ever observed to make. */
static inline double dpt_unit_of_decomposition(ptrdiff_t n) {
  return dpt_unit_times(10 + 80 * (double) (n - 1) * sqrt((double) n));
}

/* Is this distance so near to the injectivity radius that rounding may move a point across the cut locus? */
static inline bool dpt_is_at_cut_locus(const dpt_manifold *manifold, double distance) {
  return !(distance < (1 - 1e-12) * manifold->injectivity_radius);
}

static const dpt_rounding_within dpt_rounding_unknown = {{INFINITY, INFINITY}, INFINITY, INFINITY};

/* The square roots of the parts of the curvature bounds above and below zero. A one-dimensional manifold has no
 * curvature, regardless of its declared bounds. */
static inline double dpt_root_curvature_above(const dpt_manifold *manifold) {
  return manifold->dimension > 1 && manifold->curvature_above > 0 ? sqrt(manifold->curvature_above) : 0;
}

static inline double dpt_root_curvature_below(const dpt_manifold *manifold) {
  return manifold->dimension > 1 && manifold->curvature_below < 0 ? sqrt(-manifold->curvature_below) : 0;
}

/* Computes sinh(x) / x, the factor by which exp stretches in negative curvature. */
static inline double dpt_sinh_ratio(double x) { return x > 1e-8 ? sinh(x) / x : 1; }

/* The rounding error of a frame that consists of the point's own doubles: zero. */
static inline double dpt_manifold_exact_frame(const dpt_manifold *manifold, const double *frame, const double *x,
                                              double *work) {
  (void) manifold;
  (void) frame;
  (void) x;
  (void) work;
  return 0;
}

#endif
