/* ffi-cluster-weighted-kmeans.c - centers of weighted public points, for R. */
#include "ffi.h"

#include <float.h>

#include "cluster-weighted-kmeans.h"
#include "ffi-read.h"

typedef struct {
  dpt_weighted_points data;
  int clusters, starts, rounds;
  const double *unit;
} kmeans_request;

static SEXP weighted_kmeans(dpt_ctx *ctx, void *data) {
  const kmeans_request *request = data;
  static const char *const names[] = {"centers", "size", "loss"};
  SEXP values[3];
  values[0] = ffi_keep(ctx, ffi_new_matrix(request->data.dimension, request->clusters));
  values[1] = ffi_keep(ctx, ffi_new_doubles(request->clusters));
  values[2] = ffi_keep(ctx, ffi_new_doubles(1));
  REAL(values[2])
  [0] = dpt_weighted_kmeans(ctx, &request->data, request->clusters, request->unit, request->starts, request->rounds,
                            REAL(values[0]), REAL(values[1]));
  return ffi_named_list(3, names, values);
}

/* points: one column per point. units: for each seeding, `clusters` numbers in [0, 1]. */
SEXP ffi_cluster_weighted_kmeans(SEXP points, SEXP weights, SEXP clusters, SEXP units, SEXP rounds, SEXP options) {
  const ffi_matrix place = ffi_finite_matrix(points, "points");
  if (place.rows < 1 || place.columns < 1) ffi_refuse("points", "at least one point of at least one number");
  for (ptrdiff_t i = 0; i < place.rows * place.columns; i++)
    if (place.at[i] < -1e100 || place.at[i] > 1e100) ffi_refuse("points", "between -1e100 and 1e100");
  const ffi_vector weight = ffi_doubles_within(weights, 0, 1e50, "weights");
  if (weight.count != place.columns) ffi_refuse("weights", "one number for each point");
  kmeans_request request = {.data = {(int) place.rows, place.columns, place.at, weight.at}};
  request.clusters = ffi_choice(clusters, 1, 1000000, "clusters");
  const ffi_vector unit = ffi_doubles_within(units, 0, 1, "units");
  if (unit.count < 1 || unit.count % request.clusters != 0 || unit.count / request.clusters > 10000)
    ffi_refuse("units", "`clusters` numbers for each of 1 to 10^4 seedings");
  request.starts = (int) (unit.count / request.clusters);
  request.unit = unit.at;
  request.rounds = ffi_choice(rounds, 0, 1000000, "rounds");
  return ffi_call(weighted_kmeans, &request, options);
}
