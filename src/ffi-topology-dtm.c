/* ffi-topology-dtm.c - the distance to a measure, from R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "ffi-read.h"
#include "topology-dtm.h"

static SEXP evaluate(dpt_ctx *ctx, void *data, dpt_status *status) {
  const dpt_dtm_problem *problem = data;
  SEXP values = PROTECT(ffi_new_doubles(problem->query_count));
  dpt_dtm_evaluate(ctx, problem, REAL(values));
  *status = DPT_OK;
  UNPROTECT(1);
  return values;
}

/* Without weights: NULL and no count. */
static ffi_vector read_weights(SEXP weights, ptrdiff_t count) {
  if (weights == R_NilValue) return (ffi_vector){NULL, 0};
  ffi_vector weight = ffi_doubles_within(weights, 0, (double) FFI_COUNT_MOST, "weights");
  if (weight.count != count) ffi_refuse("weights", "as many as there are points");
  return weight;
}

static double total_weight(const ffi_vector *weight, ptrdiff_t count) {
  if (!weight->at) return (double) count;
  double total = 0;
  for (ptrdiff_t i = 0; i < weight->count; i++) total += weight->at[i];
  return total;
}

/* points, queries: double matrices with the same columns; weights: doubles or NULL. */
SEXP ffi_topology_dtm(SEXP points, SEXP weights, SEXP queries, SEXP neighbors, SEXP r, SEXP clip, SEXP options) {
  ffi_matrix data = ffi_finite_matrix(points, "points"), places = ffi_finite_matrix(queries, "queries");
  if (data.columns == 0 || data.columns != places.columns) ffi_refuse("queries", "as wide as `points`");
  ffi_vector weight = read_weights(weights, data.rows);
  dpt_dtm_problem problem = {.points = data.at,
                             .weight = weight.at,
                             .count = data.rows,
                             .queries = places.at,
                             .query_count = places.rows,
                             .dimension = (int) data.columns,
                             .neighbors = ffi_number(neighbors, 1, total_weight(&weight, data.rows), "neighbors"),
                             .r = ffi_number(r, 1, DBL_MAX, "r"),
                             .clip = ffi_number(clip, DBL_TRUE_MIN, INFINITY, "clip")};
  return ffi_call(evaluate, &problem, options);
}
