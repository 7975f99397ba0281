/* ffi-cluster-mixture.c - log densities of mixtures, and draws from them. */
#include "ffi-cluster-mixture.h"

#include <float.h>
#include <math.h>

#include "ffi.h"
#include "ffi-read.h"

ffi_mixture ffi_read_mixture(SEXP weights, SEXP means, SEXP covariances) {
  ffi_vector weight = ffi_doubles_within(weights, DBL_MIN, DBL_MAX, "weights");
  ffi_matrix mean = ffi_finite_matrix(means, "means");
  ffi_vector covariance = ffi_doubles_within(covariances, -DBL_MAX, DBL_MAX, "covariances");
  if (weight.count < 1) ffi_refuse("weights", "at least one number");
  if (mean.rows != weight.count || mean.columns < 1) ffi_refuse("means", "a matrix with a row for each weight");
  if ((double) mean.columns * (double) mean.columns * (double) mean.rows != (double) covariance.count)
    ffi_refuse("covariances", "a square matrix for each weight");
  return (ffi_mixture){mean.rows, mean.columns, weight.at, mean.at, covariance.at};
}

dpt_mixture ffi_prepare_mixture(dpt_ctx *ctx, const ffi_mixture *read) {
  dpt_mixture mixture;
  dpt_require(ctx, dpt_mixture_prepare(ctx, read->components, read->dimension, read->weights, read->means,
                                       read->covariances, &mixture));
  return mixture;
}

typedef struct {
  ffi_mixture mixture;
  ptrdiff_t rows;
  const double *X;
} mixture_request;

static SEXP log_parts(dpt_ctx *ctx, void *data) {
  const mixture_request *request = data;
  const dpt_mixture mixture = ffi_prepare_mixture(ctx, &request->mixture);
  SEXP parts = ffi_keep(ctx, ffi_new_matrix(request->rows, mixture.components));
  dpt_mixture_log_parts(ctx, &mixture, request->rows, request->X, REAL(parts));
  return parts;
}

/* points: a double matrix as wide as the means, NaN and infinities allowed. */
SEXP ffi_cluster_log_parts(SEXP weights, SEXP means, SEXP covariances, SEXP points, SEXP options) {
  mixture_request request = {.mixture = ffi_read_mixture(weights, means, covariances)};
  ffi_matrix rows = ffi_any_matrix(points, "points");
  if (rows.columns != request.mixture.dimension) ffi_refuse("points", "as wide as `means`");
  request.rows = rows.rows;
  request.X = rows.at;
  return ffi_call(log_parts, &request, options);
}

static SEXP draw_rows(dpt_ctx *ctx, void *data) {
  const mixture_request *request = data;
  const dpt_mixture mixture = ffi_prepare_mixture(ctx, &request->mixture);
  SEXP X = ffi_keep(ctx, ffi_new_matrix(request->rows, mixture.dimension));
  SEXP component = ffi_keep(ctx, ffi_new_doubles(request->rows));
  dpt_mixture_draw(ctx, &mixture, request->mixture.weights, request->rows, REAL(X), REAL(component));
  return ffi_named_list(2, (const char *const[]){"X", "component"}, (const SEXP[]){X, component});
}

/* Returns `rows` draws. */
SEXP ffi_cluster_draw(SEXP weights, SEXP means, SEXP covariances, SEXP rows, SEXP options) {
  mixture_request request = {.mixture = ffi_read_mixture(weights, means, covariances),
                             .rows = ffi_count(rows, 0, INT32_MAX, "rows")};
  return ffi_call(draw_rows, &request, options);
}
