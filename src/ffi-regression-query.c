/* ffi-regression-query.c - queries of the rows of a regression, for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "ffi-base-rows.h"
#include "regression-query.h"

typedef struct {
  dpt_regression_model model;
  dpt_cluster_rows X;
  int bits;
  bool scores;
} regression_request;

/* Reads list(lower, upper, beta, map, cut, binomial). `map` is a square matrix. */
static dpt_regression_model read_model(SEXP list) {
  const ffi_vector lower = ffi_doubles_within(ffi_element(list, "lower"), -DBL_MAX, DBL_MAX, "lower");
  const ffi_vector upper = ffi_doubles_within(ffi_element(list, "upper"), -DBL_MAX, DBL_MAX, "upper");
  const ffi_vector beta = ffi_doubles_within(ffi_element(list, "beta"), -DBL_MAX, DBL_MAX, "beta");
  const ffi_matrix map = ffi_finite_matrix(ffi_element(list, "map"), "map");
  if (beta.count < 1 || beta.count > DPT_REGRESSION_MAX_COLUMNS) ffi_refuse("beta", "1 to 255 numbers");
  if (map.rows != beta.count || map.columns != beta.count) ffi_refuse("map", "square, as large as `beta`");
  if (lower.count != beta.count + 1 || upper.count != lower.count) ffi_refuse("lower", "as long as `upper` and a row");
  for (ptrdiff_t j = 0; j < lower.count; j++)
    if (!(lower.at[j] < upper.at[j])) ffi_refuse("lower", "below `upper`");
  return (dpt_regression_model){
      (int) beta.count, ffi_flag(ffi_element(list, "binomial"), "binomial"),          lower.at, upper.at, beta.at,
      map.at,           ffi_number(ffi_element(list, "cut"), DBL_MIN, DBL_MAX, "cut")};
}

/* Reads rows of any doubles, so that no design column can fail. `step`: the largest integer that a row adds. */
static regression_request read_request(SEXP points, SEXP weights, SEXP model, SEXP bits, double step, int power) {
  regression_request request = {.model = read_model(model)};
  const ffi_matrix rows = ffi_any_matrix(points, "X");
  if (rows.columns != request.model.columns + 1) ffi_refuse("X", "of as many columns as the model has, and y");
  const ffi_row_weights weight = ffi_read_weights(weights, rows.rows);
  request.X = (dpt_cluster_rows){rows.at, rows.rows, weight.each};
  request.bits = ffi_choice(bits, 0, DPT_REGRESSION_MAX_BITS, "bits");
  if (ldexp(weight.total * step, power * request.bits) > 0x1p52) ffi_refuse("bits", "so few that the sums are exact");
  return request;
}

static SEXP query_sum(dpt_ctx *ctx, void *data) {
  const regression_request *request = data;
  const ptrdiff_t size = dpt_regression_size(request->model.columns, request->scores);
  int64_t *sums = DPT_NEW(ctx, int64_t, size);
  dpt_regression_sum(ctx, &request->model, request->bits, request->scores, request->X, sums);
  SEXP result = ffi_keep(ctx, ffi_new_doubles(size));
  for (ptrdiff_t i = 0; i < size; i++) REAL(result)[i] = (double) sums[i];
  return result;
}

/* Returns the upper triangle of the sum of products of features, or of scores. weights: an integer per row, or NULL for
 * weights of one. */
SEXP ffi_regression_query(SEXP points, SEXP weights, SEXP model, SEXP bits, SEXP scores, SEXP options) {
  regression_request request = read_request(points, weights, model, bits, 2, 2);
  request.scores = ffi_flag(scores, "scores");
  return ffi_call(query_sum, &request, options);
}

static SEXP query_level(dpt_ctx *ctx, void *data) {
  const regression_request *request = data;
  const int64_t total = dpt_regression_level(ctx, &request->model, request->bits, request->X);
  SEXP result = ffi_new_doubles(1);
  REAL(result)[0] = (double) total;
  return result;
}

/* Returns the sum of the residuals. */
SEXP ffi_regression_level(SEXP points, SEXP weights, SEXP model, SEXP bits, SEXP options) {
  regression_request request = read_request(points, weights, model, bits, 1, 1);
  if (request.model.binomial) ffi_refuse("binomial", "FALSE for residuals of a linear model");
  return ffi_call(query_level, &request, options);
}
