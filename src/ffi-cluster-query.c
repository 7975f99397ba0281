/* ffi-cluster-query.c - queries of the rows by cluster, and the choice of a start, for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "cluster-query.h"
#include "ffi-base-rows.h"

/* Reads list(lower, upper, mean). `mean` is a matrix with one column per cluster and at most `most` rows. */
static dpt_query_model read_means(SEXP list, int most) {
  const ffi_matrix mean = ffi_finite_matrix(ffi_element(list, "mean"), "mean");
  if (mean.rows < 1 || mean.rows > most) ffi_refuse("mean", "of one row or more, and not too many");
  if (mean.columns < 1 || mean.columns > 10000) ffi_refuse("mean", "of 1 to 10000 columns");
  const ffi_vector lower = ffi_doubles_within(ffi_element(list, "lower"), -DBL_MAX, DBL_MAX, "lower");
  const ffi_vector upper = ffi_doubles_within(ffi_element(list, "upper"), -DBL_MAX, DBL_MAX, "upper");
  if (lower.count != mean.rows || upper.count != mean.rows)
    ffi_refuse("lower", "as long as `upper` and the rows of `mean`");
  for (ptrdiff_t j = 0; j < lower.count; j++)
    if (!(lower.at[j] < upper.at[j])) ffi_refuse("lower", "below `upper`");
  return (dpt_query_model){(int) mean.rows, (int) mean.columns, lower.at, upper.at, mean.at, NULL, NULL, 1, NULL};
}

/* The same, with `whiten`, `level`, `stretch`, and `nearest`, a matrix as `mean` or NULL. */
static dpt_query_model read_model(SEXP list) {
  dpt_query_model model = read_means(list, DPT_LOOK_MAX_DIMENSION);
  const ffi_vector whiten = ffi_doubles_within(ffi_element(list, "whiten"), -DBL_MAX, DBL_MAX, "whiten");
  const ffi_vector level = ffi_doubles_within(ffi_element(list, "level"), -DBL_MAX, DBL_MAX, "level");
  if (whiten.count != (ptrdiff_t) model.dimension * model.dimension * model.clusters)
    ffi_refuse("whiten", "one matrix for each column of `mean`");
  if (level.count != model.clusters) ffi_refuse("level", "one number for each column of `mean`");
  model.whiten = whiten.at;
  model.level = level.at;
  model.stretch = ffi_number(ffi_element(list, "stretch"), DBL_MIN, DBL_MAX, "stretch");
  SEXP nearest = ffi_element(list, "nearest");
  if (nearest != R_NilValue) {
    const ffi_matrix place = ffi_finite_matrix(nearest, "nearest");
    if (place.rows != model.dimension || place.columns != model.clusters) ffi_refuse("nearest", "as large as `mean`");
    model.nearest = place.at;
  }
  return model;
}

/* `total`: the total weight of all rows. */
typedef struct {
  dpt_cluster_rows at;
  double total;
} query_rows;

static query_rows read_rows(SEXP X, SEXP weights, int dimension) {
  const ffi_matrix rows = ffi_doubles_matrix(X, "X");
  if (rows.columns != dimension) ffi_refuse("X", "of as many columns as the model has");
  const ffi_row_weights weight = ffi_read_weights(weights, rows.rows);
  return (query_rows){{rows.at, rows.rows, weight.each}, weight.total};
}

typedef struct {
  dpt_query_model model;
  dpt_query_options options;
  query_rows X;
} query_request;

static SEXP write_sums(const int64_t *sums, ptrdiff_t size, ptrdiff_t clusters) {
  SEXP result = PROTECT(ffi_new_matrix(size, clusters));
  for (ptrdiff_t i = 0; i < size * clusters; i++) REAL(result)[i] = (double) sums[i];
  UNPROTECT(1);
  return result;
}

/* Returns one column per cluster. */
static SEXP query_sum(dpt_ctx *ctx, void *data) {
  const query_request *request = data;
  const ptrdiff_t size = dpt_query_size(request->model.dimension), count = size * request->model.clusters;
  int64_t *sums = DPT_NEW(ctx, int64_t, count);
  dpt_query_sum(ctx, &request->model, &request->options, request->X.at, sums);
  return write_sums(sums, size, request->model.clusters);
}

/* The sums of all rows must be exact doubles. weights: an integer per row, or NULL for weights of one. */
SEXP ffi_cluster_query(SEXP points, SEXP weights, SEXP model, SEXP hard, SEXP whitened, SEXP far, SEXP bits,
                       SEXP options) {
  query_request request = {.model = read_model(model)};
  request.X = read_rows(points, weights, request.model.dimension);
  request.options.hard = ffi_flag(hard, "hard");
  request.options.whitened = ffi_flag(whitened, "whitened");
  request.options.far = ffi_flag(far, "far");
  if (request.options.far && !request.options.whitened) ffi_refuse("far", "false where features are those of the box");
  if (request.model.nearest && !(request.options.hard && request.options.whitened))
    ffi_refuse("nearest", "NULL unless rows belong to one cluster each, in its coordinates");
  const ffi_vector both = ffi_doubles_within(bits, 0, DPT_LOOK_MAX_BITS, "bits");
  if (both.count != 2 || both.at[0] != floor(both.at[0]) || both.at[1] != floor(both.at[1])) {
    ffi_refuse("bits", "two integers");
  }
  if (both.at[0] > DPT_LOOK_FEATURE_BITS) ffi_refuse("bits", "at most 20 for a feature");
  request.options.bits = (int) both.at[0];
  request.options.share_bits = (int) both.at[1];
  const double shared = weights == R_NilValue ? ldexp(request.X.total, request.options.share_bits) : request.X.total;
  if (ldexp(shared * request.model.dimension, 2 * request.options.bits) > 0x1p52)
    ffi_refuse("bits", "so few that the sums are exact");
  return ffi_call(query_sum, &request, options);
}

static SEXP query_means(dpt_ctx *ctx, void *data) {
  const query_request *request = data;
  const ptrdiff_t size = 1 + request->model.dimension;
  int64_t *sums = DPT_NEW(ctx, int64_t, size * request->model.clusters);
  dpt_query_means(ctx, &request->model, request->options.bits, request->X.at, sums);
  return write_sums(sums, size, request->model.clusters);
}

/* Returns counts and sums of the rows nearest to each mean, one column per mean. */
SEXP ffi_cluster_means(SEXP points, SEXP weights, SEXP model, SEXP bits, SEXP options) {
  query_request request = {.model = read_means(model, DPT_LATTICE_MAX_DIMENSION)};
  request.X = read_rows(points, weights, request.model.dimension);
  request.options.bits = ffi_choice(bits, 0, DPT_LOOK_MAX_BITS, "bits");
  if (ldexp(request.X.total, request.options.bits) > 0x1p52) ffi_refuse("bits", "so few that the sums are exact");
  return ffi_call(query_means, &request, options);
}

typedef struct {
  dpt_query_model model;
  ffi_matrix centers;
  query_rows X;
  int each, starts, bits;
  double spread;
} score_request;

static SEXP query_scores(dpt_ctx *ctx, void *data) {
  const score_request *request = data;
  int64_t *scores = DPT_NEW(ctx, int64_t, request->starts);
  dpt_query_scores(ctx, &request->model, request->centers.at, request->each, request->starts, request->spread,
                   request->bits, request->X.at, scores);
  SEXP result = ffi_keep(ctx, ffi_new_doubles(request->starts));
  for (int s = 0; s < request->starts; s++) REAL(result)[s] = (double) scores[s];
  return result;
}

/* centers: one column per center, `each` of them per start. */
SEXP ffi_cluster_scores(SEXP points, SEXP weights, SEXP model, SEXP centers, SEXP each, SEXP spread, SEXP bits,
                        SEXP options) {
  score_request request = {.model = read_model(model)};
  request.X = read_rows(points, weights, request.model.dimension);
  request.centers = ffi_finite_matrix(centers, "centers");
  if (request.centers.rows != request.model.dimension) ffi_refuse("centers", "of as many rows as the model has");
  if (request.centers.columns < 1 || request.centers.columns > 1000000) ffi_refuse("centers", "of 1 to 10^6 columns");
  request.each = ffi_choice(each, 1, 1000000, "each");
  if (request.centers.columns % request.each != 0) ffi_refuse("each", "a divisor of the number of centers");
  request.starts = (int) (request.centers.columns / request.each);
  request.spread = ffi_number(spread, 0x1p-30, 0x1p30, "spread");
  request.bits = ffi_choice(bits, 0, DPT_LOOK_MAX_BITS, "bits");
  if (request.X.total * ldexp(6, request.bits) > 0x1p52) ffi_refuse("bits", "so few that the sums are exact");
  return ffi_call(query_scores, &request, options);
}

typedef struct {
  ffi_vector loss;
  double factor;
} choice_request;

static SEXP query_choose(dpt_ctx *ctx, void *data) {
  const choice_request *request = data;
  const int one = dpt_query_choose(ctx, request->loss.at, (int) request->loss.count, request->factor);
  SEXP result = ffi_new_doubles(1);
  REAL(result)[0] = one + 1;
  return result;
}

/* Draws one of the losses and returns its index from 1. The smallest loss is 0. */
SEXP ffi_cluster_choose(SEXP loss, SEXP factor, SEXP options) {
  choice_request request = {ffi_doubles_within(loss, 0, 0x1p41, "loss"), ffi_number(factor, 0, DBL_MAX, "factor")};
  bool zero = false;
  for (ptrdiff_t i = 0; i < request.loss.count; i++) zero |= request.loss.at[i] == 0;
  if (!zero || request.loss.count > 1000000) ffi_refuse("loss", "at most 10^6 numbers, one of them 0");
  return ffi_call(query_choose, &request, options);
}
