/* ffi-cluster-tomato.c - clusters along a density on a graph. */
#include <float.h>
#include <math.h>

#include "cluster-tomato.h"
#include "ffi.h"
#include "ffi-read.h"

typedef struct {
  ffi_matrix points;
  ptrdiff_t k;
  const double *bandwidth;
} points_request;

static SEXP find_neighbors(dpt_ctx *ctx, void *data) {
  const points_request *request = data;
  const ptrdiff_t count = request->points.rows, k = request->k;
  SEXP result = ffi_keep(ctx, ffi_new_matrix(count, k));
  ptrdiff_t *neighbor = DPT_NEW(ctx, ptrdiff_t, count * k);
  dpt_cluster_neighbors(ctx, count, request->points.columns, request->points.at, k, neighbor);
  for (ptrdiff_t i = 0; i < count * k; i++) REAL(result)[i] = (double) (neighbor[i] + 1);
  return result;
}

/* Returns the k nearest other rows of each row. */
SEXP ffi_cluster_neighbors(SEXP points, SEXP k, SEXP options) {
  points_request request = {.points = ffi_finite_matrix(points, "points")};
  if (request.points.rows < 1) ffi_refuse("points", "at least one row");
  request.k = ffi_count(k, 0, request.points.rows - 1, "k");
  return ffi_call(find_neighbors, &request, options);
}

static SEXP kernel_density(dpt_ctx *ctx, void *data) {
  const points_request *request = data;
  SEXP density = ffi_keep(ctx, ffi_new_doubles(request->points.rows));
  dpt_cluster_kernel_density(ctx, request->points.rows, request->points.columns, request->points.at, request->bandwidth,
                             REAL(density));
  return density;
}

/* Returns the log kernel density at each row. */
SEXP ffi_cluster_kernel_density(SEXP points, SEXP bandwidth, SEXP options) {
  points_request request = {.points = ffi_finite_matrix(points, "points")};
  ffi_vector widths = ffi_doubles_within(bandwidth, DBL_MIN, DBL_MAX, "bandwidth");
  if (widths.count != request.points.columns) ffi_refuse("bandwidth", "a number for each column of `points`");
  request.bandwidth = widths.at;
  return ffi_call(kernel_density, &request, options);
}

typedef struct {
  ffi_vector density, from, to;
  double prominence;
} tomato_request;

static SEXP write_numbers(const ptrdiff_t *number, ptrdiff_t count) {
  SEXP result = PROTECT(ffi_new_doubles(count));
  for (ptrdiff_t i = 0; i < count; i++) REAL(result)[i] = (double) (number[i] + 1);
  UNPROTECT(1);
  return result;
}

static const ptrdiff_t *read_numbers(dpt_ctx *ctx, const ffi_vector *from) {
  ptrdiff_t *number = DPT_NEW(ctx, ptrdiff_t, from->count);
  for (ptrdiff_t i = 0; i < from->count; i++) number[i] = (ptrdiff_t) from->at[i] - 1;
  return number;
}

static SEXP cluster_graph(dpt_ctx *ctx, void *data) {
  const tomato_request *request = data;
  const ptrdiff_t count = request->density.count;
  const dpt_cluster_graph graph = {.count = count,
                                   .edges = request->from.count,
                                   .from = read_numbers(ctx, &request->from),
                                   .to = read_numbers(ctx, &request->to)};
  ptrdiff_t *root = DPT_NEW(ctx, ptrdiff_t, count), *lower = DPT_NEW(ctx, ptrdiff_t, count),
            *pass = DPT_NEW(ctx, ptrdiff_t, count);
  const ptrdiff_t merges = dpt_cluster_tomato(ctx, &graph, request->density.at, request->prominence, root, lower, pass);
  SEXP roots = ffi_keep(ctx, write_numbers(root, count));
  SEXP lowers = ffi_keep(ctx, write_numbers(lower, merges));
  SEXP passes = ffi_keep(ctx, write_numbers(pass, merges));
  return ffi_named_list(3, (const char *const[]){"root", "lower", "pass"}, (const SEXP[]){roots, lowers, passes});
}

/* density: doubles. from, to: endpoints of the edges, from 1. prominence: at least 0, possibly infinite. */
SEXP ffi_cluster_tomato(SEXP density, SEXP from, SEXP to, SEXP prominence, SEXP options) {
  tomato_request request = {.density = ffi_doubles_within(density, -DBL_MAX, DBL_MAX, "density")};
  request.from = ffi_doubles_within(from, 1, (double) request.density.count, "from");
  request.to = ffi_doubles_within(to, 1, (double) request.density.count, "to");
  if (request.from.count != request.to.count) ffi_refuse("to", "as long as `from`");
  request.prominence = ffi_number(prominence, 0, INFINITY, "prominence");
  return ffi_call(cluster_graph, &request, options);
}
