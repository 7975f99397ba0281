/* cluster-mixture.c - the log densities of the components of a mixture of normal distributions, and draws from it.
 *
 * Each covariance is factored once, after its columns have been brought to variance one (so that units do not matter),
 * and the factor is inverted: a row then costs dimension^2 / 2 products per component and no division. The inverse of a
 * triangular factor is as accurate, entry by entry, as solving with it, also for nearly singular covariances.
 * Everything is in logarithms: even the log of a density that underflows is computed from ordinary numbers, up to 1e150
 * standard deviations from every center. Beyond that it is -inf. Cost of rows: O(rows x components x dimension^2). */
#include "cluster-mixture.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "base-linear.h"

/* log(2 pi) / 2 */
static const double LOG_ROOT_TWO_PI = 0.91893853320467274178;

/* Inverts the factor in `lower`, column by column, into row-major order. */
static void invert_factor(ptrdiff_t n, const double *lower, double *whitener, double *column) {
  memset(whitener, 0, (size_t) (n * n) * sizeof *whitener);
  for (ptrdiff_t j = 0; j < n; j++) {
    memset(column, 0, (size_t) n * sizeof *column);
    column[j] = 1;
    for (ptrdiff_t k = j; k < n; k++) {
      column[k] /= lower[k + k * n];
      for (ptrdiff_t i = k + 1; i < n; i++) column[i] -= lower[i + k * n] * column[k];
      whitener[k * n + j] = column[k];
    }
  }
}

/* Factors one covariance. Returns false if it is not positive definite. */
static bool factor_covariance(ptrdiff_t n, const double *covariance, double *scaled, double *scale, double *lower,
                              double *whitener, double *log_scale) {
  for (ptrdiff_t i = 0; i < n; i++) {
    if (!(covariance[i + i * n] > 0)) return false;
    scale[i] = sqrt(covariance[i + i * n]);
  }
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++) scaled[i + j * n] = covariance[i + j * n] / scale[i] / scale[j];
  if (!dpt_linear_cholesky(n, scaled, lower)) return false;
  invert_factor(n, lower, whitener, scaled);
  for (ptrdiff_t i = 0; i < n; i++) {
    if (!(lower[i + i * n] > 0)) return false;
    *log_scale -= log(lower[i + i * n]) + log(scale[i]) + LOG_ROOT_TWO_PI;
  }
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++) {
      lower[i + j * n] = i < j ? 0 : lower[i + j * n] * scale[i];
      whitener[i * n + j] /= scale[j];
      if (!isfinite(whitener[i * n + j])) return false;
    }
  return isfinite(*log_scale);
}

dpt_status dpt_mixture_prepare(dpt_ctx *ctx, ptrdiff_t components, ptrdiff_t dimension, const double *weights,
                               const double *means, const double *covariances, dpt_mixture *mixture) {
  const ptrdiff_t square = dimension * dimension;
  *mixture = (dpt_mixture){.components = components,
                           .dimension = dimension,
                           .log_scale = DPT_NEW(ctx, double, components),
                           .mean = DPT_NEW(ctx, double, components *dimension),
                           .lower = DPT_NEW(ctx, double, components *square),
                           .whitener = DPT_NEW(ctx, double, components *square)};
  double *scaled = DPT_NEW(ctx, double, square), *scale = DPT_NEW(ctx, double, dimension);
  for (ptrdiff_t k = 0; k < components; k++) {
    mixture->log_scale[k] = log(weights[k]);
    for (ptrdiff_t i = 0; i < dimension; i++) mixture->mean[k * dimension + i] = means[k + i * components];
    if (!factor_covariance(dimension, covariances + k * square, scaled, scale, mixture->lower + k * square,
                           mixture->whitener + k * square, mixture->log_scale + k))
      return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "Covariances must be positive definite to working precision.");
    dpt_tick(ctx, square * dimension);
  }
  return DPT_OK;
}

double dpt_mixture_part(const dpt_mixture *mixture, ptrdiff_t k, const double *x, double *z) {
  const ptrdiff_t n = mixture->dimension;
  const double *mean = mixture->mean + k * n, *row = mixture->whitener + k * n * n;
  double squares = 0;
  for (ptrdiff_t i = 0; i < n; i++, row += n) {
    double sum = 0;
    for (ptrdiff_t j = 0; j <= i; j++) sum += row[j] * (x[j] - mean[j]);
    z[i] = sum;
    squares += sum * sum;
  }
  /* an overflow: the point is too far away */
  return isfinite(squares) ? mixture->log_scale[k] - squares / 2 : -INFINITY;
}

double dpt_mixture_log_sum(ptrdiff_t count, const double *part) {
  double highest = -INFINITY, sum = 0;
  for (ptrdiff_t k = 0; k < count; k++) highest = part[k] > highest ? part[k] : highest;
  if (highest == -INFINITY) return highest;
  for (ptrdiff_t k = 0; k < count; k++) sum += exp(part[k] - highest);
  return highest + log(sum);
}

void dpt_mixture_log_parts(dpt_ctx *ctx, const dpt_mixture *mixture, ptrdiff_t rows, const double *X, double *parts) {
  const ptrdiff_t n = mixture->dimension, K = mixture->components;
  double *x = DPT_NEW(ctx, double, n), *z = DPT_NEW(ctx, double, n);
  for (ptrdiff_t row = 0; row < rows; row++) {
    bool missing = false;
    for (ptrdiff_t i = 0; i < n; i++) {
      x[i] = X[row + i * rows];
      missing = missing || isnan(x[i]);
    }
    for (ptrdiff_t k = 0; k < K; k++) parts[row + k * rows] = missing ? NAN : dpt_mixture_part(mixture, k, x, z);
    ctx->fraction = (double) row / (double) rows;
    dpt_tick(ctx, 10 + K * (20 + n * n));
  }
}

void dpt_mixture_draw(dpt_ctx *ctx, const dpt_mixture *mixture, const double *weights, ptrdiff_t rows, double *X,
                      double *component) {
  const ptrdiff_t n = mixture->dimension, K = mixture->components;
  double *z = DPT_NEW(ctx, double, n), total = 0;
  for (ptrdiff_t k = 0; k < K; k++) total += weights[k];
  for (ptrdiff_t row = 0; row < rows; row++) {
    double left = total * dpt_draw_unit(ctx);
    ptrdiff_t k = 0;
    while (k < K - 1 && left >= weights[k]) left -= weights[k++];
    const double *lower = mixture->lower + k * n * n, *mean = mixture->mean + k * n;
    for (ptrdiff_t i = 0; i < n; i++) z[i] = dpt_draw_normal(ctx);
    for (ptrdiff_t i = 0; i < n; i++) {
      double sum = mean[i];
      for (ptrdiff_t j = 0; j <= i; j++) sum += lower[i + j * n] * z[j];
      X[row + i * rows] = sum;
    }
    component[row] = (double) (k + 1);
    dpt_tick(ctx, 10 * K + n * (50 + n));
  }
}
