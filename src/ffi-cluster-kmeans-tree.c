/* ffi-cluster-kmeans-tree.c - rows that walk down a public tree, for R. */
#include "ffi.h"

#include <math.h>
#include <string.h>

#include "cluster-kmeans-tree.h"
#include "ffi-cluster-lattice.h"

typedef struct {
  ffi_matrix X;
  ffi_row_weights weights;
  ffi_lattice lattice;
  ffi_vector plane, corner, first;
  bool planes, sums;
  int levels; /* depth limit of nodes */
} tree_request;

/* Whether children come after their parents, all of them exist, and none is too deep. */
static bool is_tree(const ptrdiff_t *first, ptrdiff_t nodes, int digits, int levels, int *depth) {
  const ptrdiff_t children = (ptrdiff_t) 1 << digits;
  memset(depth, 0, (size_t) nodes * sizeof *depth);
  for (ptrdiff_t i = 0; i < nodes; i++) {
    if (first[i] == 0) continue;
    if (first[i] <= i || first[i] > nodes - children || depth[i] >= levels) return false;
    for (ptrdiff_t j = 0; j < children; j++)
      if (depth[first[i] + j] < depth[i] + 1) depth[first[i] + j] = depth[i] + 1;
  }
  return true;
}

static SEXP tree_sum(dpt_ctx *ctx, void *data) {
  tree_request *request = data;
  const ptrdiff_t nodes = request->first.count;
  const int d = request->lattice.lattice.dimension, size = request->sums ? 1 + d : 1;
  ptrdiff_t *first = DPT_NEW(ctx, ptrdiff_t, nodes);
  for (ptrdiff_t i = 0; i < nodes; i++) first[i] = (ptrdiff_t) request->first.at[i];
  ffi_fill_map(ctx, &request->lattice);
  dpt_kmeans_tree tree = {
      .lattice = request->lattice.lattice, .map = request->lattice.map, .nodes = nodes, .first = first};
  tree.digits = request->planes ? 1 : tree.map.dimension;
  if (request->planes) tree.plane = ffi_whole_numbers(ctx, request->plane);
  else tree.corner = ffi_whole_numbers(ctx, request->corner);
  if (!is_tree(first, nodes, tree.digits, request->levels, DPT_NEW(ctx, int, nodes)))
    ffi_refuse("first", "the children of a tree");
  int64_t *total = DPT_NEW(ctx, int64_t, size * nodes);
  dpt_kmeans_tree_sum(ctx, &tree, request->sums, ffi_cluster_rows(&request->X, request->weights), total);
  SEXP result = ffi_keep(ctx, ffi_new_matrix(size, nodes));
  for (ptrdiff_t i = 0; i < size * nodes; i++) REAL(result)[i] = (double) total[i];
  return result;
}

/* weights: an integer per row, or NULL for weights of one. box: list(lower, upper, bits, matrix, shift). planes: one
 * column per level with normal and offset, or NULL. corner: corner of the root cube, or NULL. first: the number,
 * from 0, of the first child of each node, or 0. Returns one column per node. */
SEXP ffi_cluster_tree(SEXP points, SEXP weights, SEXP box, SEXP planes, SEXP corner, SEXP first, SEXP sums,
                      SEXP options) {
  tree_request request = {.X = ffi_doubles_matrix(points, "X")};
  request.weights = ffi_read_weights(weights, request.X.rows);
  request.lattice = ffi_read_lattice(box, &request.X);
  const dpt_lattice *lattice = &request.lattice.lattice;
  request.planes = planes != R_NilValue;
  if (request.planes) {
    if (request.lattice.matrix.at) ffi_refuse("matrix", "NULL where there are planes");
    const ffi_matrix plane = ffi_finite_matrix(planes, "planes");
    if (plane.rows != lattice->dimension + 1 || plane.columns > 1000)
      ffi_refuse("planes", "of a row for each side and one more, and at most 1000 columns");
    request.plane = ffi_whole_within(planes, 0x1p50, "planes");
    for (ptrdiff_t i = 0; i < request.plane.count; i++)
      if (i % plane.rows < lattice->dimension && fabs(request.plane.at[i]) > 0x1p20) ffi_refuse("planes", "up to 2^20");
    request.levels = (int) plane.columns;
  } else {
    request.corner = ffi_whole_within(corner, 0x1p21, "corner");
    if (request.corner.count != request.lattice.map.dimension || request.corner.count > 16)
      ffi_refuse("corner", "a number for each of at most 16 numbers of the image");
    for (ptrdiff_t j = 0; j < request.corner.count; j++)
      if (request.corner.at[j] < 0 || request.corner.at[j] >= ldexp(1, lattice->bits + 1))
        ffi_refuse("corner", "from 0 to 2^(bits + 1) - 1");
    request.levels = lattice->bits + 2;
  }
  request.first = ffi_whole_within(first, 0x1p31, "first");
  if (request.first.count < 1 || request.first.count > 100000000) ffi_refuse("first", "1 to 10^8 numbers");
  for (ptrdiff_t i = 0; i < request.first.count; i++)
    if (request.first.at[i] < 0) ffi_refuse("first", "not negative");
  request.sums = ffi_flag(sums, "sums");
  if (ldexp(request.weights.total, lattice->bits) > 0x1p52) ffi_refuse("bits", "so few that the sums are exact");
  return ffi_call(tree_sum, &request, options);
}
