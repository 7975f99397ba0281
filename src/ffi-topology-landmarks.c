/* ffi-topology-landmarks.c - the distance to a measure at landmarks, in whole numbers, from R. */
#include "ffi.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "ffi-read.h"
#include "topology-landmarks-table.h"
#include "topology-landmarks.h"

/* Without weights: NULL and no count. */
static ffi_vector read_weights(SEXP weights, ptrdiff_t count) {
  if (weights == R_NilValue) return (ffi_vector){NULL, 0};
  ffi_vector weight = ffi_doubles_within(weights, 0, (double) FFI_COUNT_MOST, "weights");
  if (weight.count != count) ffi_refuse("weights", "as many as there are rows");
  return weight;
}

static double total_weight(const ffi_vector *weight, ptrdiff_t count) {
  if (!weight->at) return (double) count;
  double total = 0;
  for (ptrdiff_t i = 0; i < weight->count; i++) total += weight->at[i];
  return total;
}

/* What both entry points share. */
typedef struct {
  ffi_vector weight;
  double neighbors, r, clip;
  dpt_dtm_lattice lattice;
} landmark_rule;

static double read_whole(SEXP x, ptrdiff_t most, const char *what) { return (double) ffi_count(x, 1, most, what); }

static landmark_rule read_rule(ptrdiff_t rows, SEXP weights, SEXP neighbors, SEXP r, SEXP clip, SEXP scale, SEXP change,
                               SEXP steps) {
  landmark_rule rule = {.weight = read_weights(weights, rows)};
  rule.neighbors = ffi_number(neighbors, 1, total_weight(&rule.weight, rows), "neighbors");
  rule.r = ffi_choice(r, 1, 2, "r");
  rule.clip = read_whole(clip, 1 << 26, "clip");
  if (rule.neighbors != floor(rule.neighbors) || rule.neighbors * rule.clip > (double) FFI_COUNT_MOST)
    ffi_refuse("neighbors", "a whole number that times `clip` is at most 2^52");
  rule.lattice.scale = ffi_number(scale, DBL_TRUE_MIN, DBL_MAX, "scale");
  rule.lattice.change = read_whole(change, 1 << 26, "change");
  rule.lattice.steps = read_whole(steps, INT32_MAX, "steps");
  const double norm = rule.clip * (rule.r == 1 ? rule.neighbors : sqrt(rule.neighbors));
  if (norm * rule.lattice.steps / rule.lattice.change > 0x1p31)
    ffi_refuse("steps", "so few that no value exceeds 2^31");
  return rule;
}

static SEXP evaluate(dpt_ctx *ctx, void *data, dpt_status *status) {
  const dpt_dtm_problem *problem = data;
  SEXP values = PROTECT(ffi_new_doubles(problem->query_count));
  dpt_landmarks_evaluate(ctx, problem, REAL(values));
  *status = DPT_OK;
  UNPROTECT(1);
  return values;
}

/* points, places: double matrices with the same columns; weights: doubles or NULL; scale: a power of two. */
SEXP ffi_topology_landmark_values(SEXP points, SEXP weights, SEXP places, SEXP neighbors, SEXP r, SEXP clip, SEXP scale,
                                  SEXP change, SEXP steps, SEXP options) {
  const ffi_matrix data = ffi_finite_matrix(points, "points"), queries = ffi_finite_matrix(places, "places");
  if (data.columns == 0 || data.columns != queries.columns) ffi_refuse("places", "as wide as `points`");
  const landmark_rule rule = read_rule(data.rows, weights, neighbors, r, clip, scale, change, steps);
  int exponent = 0;
  if (rule.lattice.scale < DBL_MIN || frexp(rule.lattice.scale, &exponent) > 0.5) ffi_refuse("scale", "a power of two");
  dpt_dtm_problem problem = {.points = data.at,
                             .weight = rule.weight.at,
                             .count = data.rows,
                             .queries = queries.at,
                             .query_count = queries.rows,
                             .dimension = (int) data.columns,
                             .neighbors = rule.neighbors,
                             .r = rule.r,
                             .clip = rule.clip,
                             .lattice = &rule.lattice};
  return ffi_call(evaluate, &problem, options);
}

static SEXP count_steps(dpt_ctx *ctx, void *data, dpt_status *status) {
  const dpt_landmarks_table *table = data;
  SEXP values = PROTECT(ffi_new_doubles(table->landmarks));
  dpt_landmarks_steps(ctx, table, REAL(values));
  *status = DPT_OK;
  UNPROTECT(1);
  return values;
}

/* distances: a matrix of any doubles with a row for each row of the data; scale: any positive number. */
SEXP ffi_topology_distance_steps(SEXP distances, SEXP weights, SEXP neighbors, SEXP r, SEXP clip, SEXP scale,
                                 SEXP change, SEXP steps, SEXP options) {
  const ffi_matrix all = ffi_any_matrix(distances, "distances");
  const landmark_rule rule = read_rule(all.rows, weights, neighbors, r, clip, scale, change, steps);
  dpt_landmarks_table table = {.distances = all.at,
                               .weight = rule.weight.at,
                               .count = all.rows,
                               .landmarks = all.columns,
                               .neighbors = rule.neighbors,
                               .r = rule.r,
                               .clip = rule.clip,
                               .lattice = &rule.lattice};
  return ffi_call(count_steps, &table, options);
}
