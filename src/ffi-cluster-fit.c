/* ffi-cluster-fit.c - a round of expectation and maximization, for R. */
#include <string.h>

#include "cluster-fit.h"
#include "ffi-cluster-mixture.h"
#include "ffi-read.h"
#include "ffi.h"

typedef struct {
  ffi_mixture mixture;
  ffi_matrix X;
} fit_request;

static double *new_zeros(dpt_ctx *ctx, SEXP *vector, ptrdiff_t count) {
  *vector = ffi_keep(ctx, ffi_new_doubles(count));
  memset(REAL(*vector), 0, (size_t) count * sizeof(double));
  return REAL(*vector);
}

static SEXP fit_round(dpt_ctx *ctx, void *data) {
  const fit_request *request = data;
  const dpt_mixture mixture = ffi_prepare_mixture(ctx, &request->mixture);
  const ptrdiff_t d = mixture.dimension, K = mixture.components;
  SEXP count, sum, product, log_likelihood, lower;
  dpt_fit_sums sums = {.count = new_zeros(ctx, &count, K),
                       .sum = new_zeros(ctx, &sum, K * d),
                       .product = new_zeros(ctx, &product, K * d * d)};
  dpt_fit_round(ctx, &mixture, request->X.rows, request->X.at, &sums);
  new_zeros(ctx, &log_likelihood, 1)[0] = sums.log_likelihood;
  memcpy(new_zeros(ctx, &lower, K * d * d), mixture.lower, (size_t) (K * d * d) * sizeof(double));
  return ffi_named_list(5, (const char *const[]){"count", "sum", "product", "log_likelihood", "lower"},
                        (const SEXP[]){count, sum, product, log_likelihood, lower});
}

/* points: finite. Returns the sums of dpt_fit_sums, and the factors of the covariances that define their
 * coordinates. */
SEXP ffi_cluster_fit(SEXP weights, SEXP means, SEXP covariances, SEXP points, SEXP options) {
  fit_request request = {.mixture = ffi_read_mixture(weights, means, covariances)};
  request.X = ffi_finite_matrix(points, "points");
  if (request.X.columns != request.mixture.dimension) ffi_refuse("points", "as wide as `means`");
  return ffi_call(fit_round, &request, options);
}
