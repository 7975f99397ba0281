/* ffi-graph-simulate.c - random graphs. */
#include <float.h>
#include <math.h>

#include "ffi.h"
#include "ffi-call.h"
#include "ffi-read.h"
#include "graph-simulate.h"

#define MOST_VERTICES 2147483647

static SEXP edge_list(dpt_ctx *ctx, const dpt_edges *edges, ptrdiff_t n) {
  static const char *const names[] = {"from", "to"};
  SEXP values[2];
  values[0] = ffi_keep(ctx, ffi_new_integers(edges->count));
  values[1] = ffi_keep(ctx, ffi_new_integers(edges->count));
  dpt_edges_write(ctx, edges, n, INTEGER(values[0]), INTEGER(values[1]));
  return ffi_named_list(2, names, values);
}

static SEXP draw_positions(dpt_ctx *ctx, void *data) {
  const dpt_graph_positions *model = data;
  dpt_edges edges = dpt_graph_draw_positions(ctx, model);
  return edge_list(ctx, &edges, model->n);
}

SEXP ffi_graph_draw_positions(SEXP positions, SEXP options) {
  ffi_matrix X = ffi_finite_matrix(positions, "positions");
  dpt_graph_positions model = {X.at, X.rows, X.columns};
  return ffi_call(draw_positions, &model, options);
}

typedef struct {
  dpt_graph_blocks model;
  ptrdiff_t n;
} blocks_request;

static SEXP draw_blocks(dpt_ctx *ctx, void *data) {
  const blocks_request *request = data;
  dpt_edges edges = dpt_graph_draw_blocks(ctx, &request->model);
  return edge_list(ctx, &edges, request->n);
}

/* Adds up integers, at most to the largest int. */
static ptrdiff_t count_vertices(ffi_vector sizes) {
  double n = 0;
  for (ptrdiff_t k = 0; k < sizes.count; k++) {
    if (floor(sizes.at[k]) < sizes.at[k]) ffi_refuse("sizes", "integers");
    n += sizes.at[k];
  }
  if (n > MOST_VERTICES) ffi_refuse("sizes", "at most 2^31 - 1 in total");
  return (ptrdiff_t) n;
}

/* `weights`: one for each vertex, or none. */
SEXP ffi_graph_draw_blocks(SEXP sizes, SEXP rates, SEXP weights, SEXP options) {
  ffi_vector counts = ffi_doubles_within(sizes, 0, MOST_VERTICES, "sizes");
  ffi_matrix table = ffi_doubles_matrix(rates, "rates");
  ffi_vector each = ffi_doubles_within(weights, 0, DBL_MAX, "weights");
  blocks_request request = {.n = count_vertices(counts)};
  if (table.rows != counts.count || table.columns != counts.count) ffi_refuse("rates", "square, a row for each block");
  for (ptrdiff_t k = 0; k < table.rows * table.columns; k++) {
    if (!(table.at[k] >= 0 && table.at[k] <= DBL_MAX)) ffi_refuse("rates", "finite and not below 0");
  }
  if (each.count > 0 && each.count != request.n) ffi_refuse("weights", "one for each vertex");
  request.model = (dpt_graph_blocks){counts.at, counts.count, table.at, each.count > 0 ? each.at : NULL};
  return ffi_call(draw_blocks, &request, options);
}
