/* ffi-topology-dtm.c - the distance to a measure, from R. */
#include "ffi.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

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

/* Reads what both entry points share. */
static dpt_dtm_problem read_problem(SEXP points, SEXP weights, SEXP queries, SEXP neighbors) {
  ffi_matrix data = ffi_finite_matrix(points, "points"), places = ffi_finite_matrix(queries, "queries");
  if (data.columns == 0 || data.columns != places.columns) ffi_refuse("queries", "as wide as `points`");
  ffi_vector weight = read_weights(weights, data.rows);
  return (dpt_dtm_problem){.points = data.at,
                           .weight = weight.at,
                           .count = data.rows,
                           .queries = places.at,
                           .query_count = places.rows,
                           .dimension = (int) data.columns,
                           .neighbors = ffi_number(neighbors, 1, total_weight(&weight, data.rows), "neighbors")};
}

/* points, queries: double matrices with the same columns; weights: doubles or NULL. */
SEXP ffi_topology_dtm(SEXP points, SEXP weights, SEXP queries, SEXP neighbors, SEXP r, SEXP clip, SEXP options) {
  dpt_dtm_problem problem = read_problem(points, weights, queries, neighbors);
  problem.r = ffi_number(r, 1, DBL_MAX, "r");
  problem.clip = ffi_number(clip, DBL_TRUE_MIN, INFINITY, "clip");
  return ffi_call(evaluate, &problem, options);
}

static double read_whole(SEXP x, ptrdiff_t most, const char *what) { return (double) ffi_count(x, 1, most, what); }

/* The same in whole numbers, as `dpt_dtm_lattice` says; r is 1 or 2. */
SEXP ffi_topology_lattice_distance(SEXP points, SEXP weights, SEXP queries, SEXP neighbors, SEXP r, SEXP clip,
                                   SEXP scale, SEXP change, SEXP steps, SEXP options) {
  dpt_dtm_problem problem = read_problem(points, weights, queries, neighbors);
  problem.r = ffi_choice(r, 1, 2, "r");
  problem.clip = read_whole(clip, 1 << 26, "clip");
  if (problem.neighbors != floor(problem.neighbors) || problem.neighbors * problem.clip > (double) FFI_COUNT_MOST)
    ffi_refuse("neighbors", "a whole number that times `clip` is at most 2^52");
  const dpt_dtm_lattice lattice = {.scale = ffi_number(scale, DBL_MIN, DBL_MAX, "scale"),
                                   .change = read_whole(change, 1 << 26, "change"),
                                   .steps = read_whole(steps, INT32_MAX, "steps")};
  int exponent = 0;
  if (frexp(lattice.scale, &exponent) > 0.5) ffi_refuse("scale", "a power of two");
  const double norm = problem.clip * (problem.r == 1 ? problem.neighbors : sqrt(problem.neighbors));
  if (norm * lattice.steps / lattice.change > 0x1p31) ffi_refuse("steps", "so few that no value exceeds 2^31");
  problem.lattice = &lattice;
  return ffi_call(evaluate, &problem, options);
}
