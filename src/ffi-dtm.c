/* ffi-dtm.c - the distance to a measure, for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "ffi-dtm-read.h"

static SEXP evaluate(dpt_ctx *ctx, void *data) {
  const dpt_dtm_problem *problem = data;
  SEXP values = ffi_keep(ctx, ffi_new_doubles(problem->query_count));
  dpt_dtm_evaluate(ctx, problem, REAL(values));
  return values;
}

/* Reads points and queries, for both entry points. */
static dpt_dtm_problem read_problem(const ffi_matrix *data, SEXP queries) {
  ffi_matrix places = ffi_finite_matrix(queries, "queries");
  if (data->columns == 0 || data->columns != places.columns) ffi_refuse("queries", "as wide as `points`");
  return (dpt_dtm_problem){.points = data->at,
                           .count = data->rows,
                           .queries = places.at,
                           .query_count = places.rows,
                           .dimension = (int) data->columns};
}

/* points, queries: double matrices with the same columns. weights: doubles or NULL. */
SEXP ffi_dtm_values(SEXP points, SEXP weights, SEXP queries, SEXP neighbors, SEXP r, SEXP clip, SEXP options) {
  const ffi_matrix data = ffi_finite_matrix(points, "points");
  dpt_dtm_problem problem = read_problem(&data, queries);
  const dtm_mass mass = dtm_read_mass(data.rows, weights, neighbors);
  problem.weight = mass.weight.at;
  problem.neighbors = mass.neighbors;
  problem.r = ffi_number(r, 1, DBL_MAX, "r");
  problem.clip = ffi_number(clip, DBL_TRUE_MIN, INFINITY, "clip");
  return ffi_call(evaluate, &problem, options);
}

/* Returns the same in integers. scale: a power of two. */
SEXP ffi_dtm_lattice_distance(SEXP points, SEXP weights, SEXP queries, SEXP neighbors, SEXP r, SEXP clip, SEXP scale,
                              SEXP change, SEXP steps, SEXP unit, SEXP options) {
  const ffi_matrix data = ffi_finite_matrix(points, "points");
  dpt_dtm_problem problem = read_problem(&data, queries);
  const dtm_rule rule = dtm_read_rule(data.rows, weights, neighbors, r, clip, scale, change, steps, unit);
  dtm_check_scale(&rule);
  problem.weight = rule.mass.weight.at;
  problem.neighbors = rule.mass.neighbors;
  problem.r = rule.r;
  problem.clip = rule.clip;
  problem.lattice = &rule.lattice;
  return ffi_call(evaluate, &problem, options);
}
