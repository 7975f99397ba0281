/* ffi-cluster-fit.c - a round of expectation and maximization, from R. */
#include <string.h>

#include "cluster-fit.h"
#include "ffi-cluster-mixture.h"
#include "ffi-read.h"
#include "ffi.h"

typedef struct {
  ffi_mixture mixture;
  ffi_matrix X;
} fit_request;

static double *new_zeros(SEXP *vector, ptrdiff_t count) {
  *vector = PROTECT(ffi_new_doubles(count));
  memset(REAL(*vector), 0, (size_t) count * sizeof(double));
  return REAL(*vector);
}

static SEXP fit_round(dpt_ctx *ctx, void *data) {
  const fit_request *request = data;
  const dpt_mixture mixture = ffi_prepare_mixture(ctx, &request->mixture);
  const ptrdiff_t d = mixture.dimension, K = mixture.components;
  SEXP count, sum, product, log_likelihood, lower;
  dpt_fit_sums sums = {
      .count = new_zeros(&count, K), .sum = new_zeros(&sum, K * d), .product = new_zeros(&product, K * d * d)};
  dpt_fit_round(ctx, &mixture, request->X.rows, request->X.at, &sums);
  new_zeros(&log_likelihood, 1)[0] = sums.log_likelihood;
  memcpy(new_zeros(&lower, K * d * d), mixture.lower, (size_t) (K * d * d) * sizeof(double));
  static const char *const names[] = {"count", "sum", "product", "log_likelihood", "lower"};
  const SEXP values[] = {count, sum, product, log_likelihood, lower};
  SEXP list = ffi_named_list(5, names, values);
  UNPROTECT(5);
  return list;
}

/* points: finite. The sums of dpt_fit_sums, and the factors of the covariances in whose coordinates they are. */
SEXP ffi_cluster_fit(SEXP weights, SEXP means, SEXP covariances, SEXP points, SEXP options) {
  fit_request request = {.mixture = ffi_read_mixture(weights, means, covariances)};
  request.X = ffi_finite_matrix(points, "points");
  if (request.X.columns != request.mixture.dimension) ffi_refuse("points", "as wide as `means`");
  return ffi_call(fit_round, &request, options);
}
