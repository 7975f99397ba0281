/* ffi-cluster-morse.c - modes and passes of mixtures. */

#include "cluster-morse.h"
#include "ffi.h"
#include "ffi-cluster-mixture.h"
#include "ffi-read.h"

static SEXP write_indices(const ptrdiff_t *index, ptrdiff_t count) {
  SEXP numbers = PROTECT(ffi_new_doubles(count));
  for (ptrdiff_t i = 0; i < count; i++) REAL(numbers)[i] = (double) (index[i] + 1);
  UNPROTECT(1);
  return numbers;
}

static SEXP write_doubles(const double *values, ptrdiff_t count) {
  SEXP numbers = PROTECT(ffi_new_doubles(count));
  for (ptrdiff_t i = 0; i < count; i++) REAL(numbers)[i] = values[i];
  UNPROTECT(1);
  return numbers;
}

static SEXP write_points(const double *points, ptrdiff_t dimension, ptrdiff_t count) {
  SEXP rows = PROTECT(ffi_new_matrix(count, dimension));
  for (ptrdiff_t i = 0; i < count; i++)
    for (ptrdiff_t j = 0; j < dimension; j++) REAL(rows)[i + j * count] = points[i * dimension + j];
  UNPROTECT(1);
  return rows;
}

static SEXP write_places(const double *const *place, ptrdiff_t dimension, ptrdiff_t count) {
  SEXP rows = PROTECT(ffi_new_matrix(count, dimension));
  for (ptrdiff_t i = 0; i < count; i++)
    for (ptrdiff_t j = 0; j < dimension; j++) REAL(rows)[i + j * count] = place[i] ? place[i][j] : NA_REAL;
  UNPROTECT(1);
  return rows;
}

static SEXP search_graph(dpt_ctx *ctx, void *data) {
  const ffi_mixture *request = data;
  const dpt_mixture mixture = ffi_prepare_mixture(ctx, request);
  dpt_morse_graph graph;
  dpt_morse_search(ctx, &mixture, &graph);
  SEXP modes = ffi_keep(ctx, write_points(graph.mode, mixture.dimension, graph.modes));
  SEXP levels = ffi_keep(ctx, write_doubles(graph.mode_level, graph.modes));
  SEXP mode_of = ffi_keep(ctx, write_indices(graph.mode_of, mixture.components));
  SEXP from = ffi_keep(ctx, write_indices(graph.from, graph.passes));
  SEXP to = ffi_keep(ctx, write_indices(graph.to, graph.passes));
  SEXP level = ffi_keep(ctx, write_doubles(graph.level, graph.passes));
  SEXP place = ffi_keep(ctx, write_places(graph.place, mixture.dimension, graph.passes));
  return ffi_named_list(7, (const char *const[]){"modes", "levels", "mode_of", "from", "to", "level", "place"},
                        (const SEXP[]){modes, levels, mode_of, from, to, level, place});
}

/* All modes and passes of a mixture. */
SEXP ffi_cluster_morse(SEXP weights, SEXP means, SEXP covariances, SEXP options) {
  ffi_mixture request = ffi_read_mixture(weights, means, covariances);
  return ffi_call(search_graph, &request, options);
}

typedef struct {
  ffi_mixture mixture;
  ffi_matrix modes, points;
} basin_request;

static SEXP find_basins(dpt_ctx *ctx, void *data) {
  const basin_request *request = data;
  const dpt_mixture mixture = ffi_prepare_mixture(ctx, &request->mixture);
  const ffi_matrix *modes = &request->modes;
  double *mode = DPT_NEW(ctx, double, modes->rows * modes->columns);
  for (ptrdiff_t i = 0; i < modes->rows; i++)
    for (ptrdiff_t j = 0; j < modes->columns; j++) mode[i * modes->columns + j] = modes->at[i + j * modes->rows];
  SEXP label = ffi_keep(ctx, ffi_new_doubles(request->points.rows));
  dpt_morse_basins(ctx, &mixture, modes->rows, mode, request->points.rows, request->points.at, REAL(label));
  return label;
}

/* modes: a finite matrix, points: any, both as wide as the means. */
SEXP ffi_cluster_basins(SEXP weights, SEXP means, SEXP covariances, SEXP modes, SEXP points, SEXP options) {
  basin_request request = {ffi_read_mixture(weights, means, covariances), ffi_finite_matrix(modes, "modes"),
                           ffi_any_matrix(points, "points")};
  if (request.modes.columns != request.mixture.dimension) ffi_refuse("modes", "as wide as `means`");
  if (request.points.columns != request.mixture.dimension) ffi_refuse("points", "as wide as `means`");
  return ffi_call(find_basins, &request, options);
}
