/* ffi-dtm-landmarks.c - the distance to a measure at landmarks, in integers, for R. */
#include "ffi.h"

#include "ffi-dtm-read.h"
#include "dtm-landmarks-table.h"
#include "dtm-landmarks.h"

static SEXP evaluate(dpt_ctx *ctx, void *data) {
  const dpt_dtm_problem *problem = data;
  SEXP values = ffi_keep(ctx, ffi_new_doubles(problem->query_count));
  dpt_landmarks_evaluate(ctx, problem, REAL(values));
  return values;
}

/* points, places: double matrices with the same columns. weights: doubles or NULL. scale: a power of two. */
SEXP ffi_dtm_landmark_values(SEXP points, SEXP weights, SEXP places, SEXP neighbors, SEXP r, SEXP clip, SEXP scale,
                             SEXP change, SEXP steps, SEXP unit, SEXP options) {
  const ffi_matrix data = ffi_finite_matrix(points, "points"), queries = ffi_finite_matrix(places, "places");
  if (data.columns == 0 || data.columns != queries.columns) ffi_refuse("places", "as wide as `points`");
  const dtm_rule rule = dtm_read_rule(data.rows, weights, neighbors, r, clip, scale, change, steps, unit);
  dtm_check_scale(&rule);
  dpt_dtm_problem problem = {.points = data.at,
                             .weight = rule.mass.weight.at,
                             .count = data.rows,
                             .queries = queries.at,
                             .query_count = queries.rows,
                             .dimension = (int) data.columns,
                             .neighbors = rule.mass.neighbors,
                             .r = rule.r,
                             .clip = rule.clip,
                             .lattice = &rule.lattice};
  return ffi_call(evaluate, &problem, options);
}

static SEXP count_steps(dpt_ctx *ctx, void *data) {
  const dpt_landmarks_table *table = data;
  SEXP values = ffi_keep(ctx, ffi_new_doubles(table->landmarks));
  dpt_landmarks_steps(ctx, table, REAL(values));
  return values;
}

/* distances: a matrix of any doubles with one row per row of the data. scale: any positive number. */
SEXP ffi_dtm_distance_steps(SEXP distances, SEXP weights, SEXP neighbors, SEXP r, SEXP clip, SEXP scale, SEXP change,
                            SEXP steps, SEXP unit, SEXP options) {
  const ffi_matrix all = ffi_any_matrix(distances, "distances");
  const dtm_rule rule = dtm_read_rule(all.rows, weights, neighbors, r, clip, scale, change, steps, unit);
  dpt_landmarks_table table = {.distances = all.at,
                               .weight = rule.mass.weight.at,
                               .count = all.rows,
                               .landmarks = all.columns,
                               .neighbors = rule.mass.neighbors,
                               .r = rule.r,
                               .clip = rule.clip,
                               .lattice = &rule.lattice};
  return ffi_call(count_steps, &table, options);
}
