/* cluster-kmeans-tree.c - counts and sums of rows at the nodes of a public tree where their walks end.
 *
 * A row's path is a function of the tree and of this row, in integers. So counts and sums are exact in any order, and
 * replacing one row changes two nodes at most (inst/proofs/cluster-kmeans-tree.md). Nothing is remembered about a row
 * between two trees: walking from the root again costs less than reading a stored position for each row, up to some
 * twenty levels, and a database could do it.
 *
 * Cost: rows x dimension x depth of the tree so far. Growing a tree of 20 levels for 1e5 rows of 5 numbers takes 0.3
 * s. */
#include "cluster-kmeans-tree.h"

#include <string.h>

/* Computes the code of the child to which the row goes at this level. */
static ptrdiff_t code_at(const dpt_kmeans_tree *tree, const int64_t *q, const int64_t *y, int level) {
  if (tree->plane) {
    const int d = tree->lattice.dimension;
    const int64_t *plane = tree->plane + (ptrdiff_t) level * (d + 1);
    int64_t sum = 0; /* at most 2^50 */
    for (int j = 0; j < d; j++) sum += plane[j] * q[j];
    return sum > plane[d];
  }
  const int64_t half = (int64_t) 1 << tree->lattice.bits;
  ptrdiff_t code = 0;
  for (int j = 0; j < tree->digits; j++) {
    const int64_t place = y[j] + half + tree->corner[j]; /* 0 .. 4 half - 1 */
    code |= (ptrdiff_t) ((place >> (tree->lattice.bits + 1 - level)) & 1) << j;
  }
  return code;
}

void dpt_kmeans_tree_sum(dpt_ctx *ctx, const dpt_kmeans_tree *tree, bool sums, dpt_cluster_rows X, int64_t *total) {
  const int d = tree->lattice.dimension;
  const ptrdiff_t size = sums ? 1 + d : 1;
  int64_t q[DPT_LATTICE_MAX_DIMENSION], y[DPT_LATTICE_MAX_DIMENSION];
  memset(total, 0, (size_t) (size * tree->nodes) * sizeof *total);
  for (ptrdiff_t row = 0; row < X.count; row++) {
    const int64_t weight = dpt_cluster_weight(&X, row);
    dpt_lattice_row(&tree->lattice, X.at, X.count, row, q);
    if (!tree->plane) dpt_lattice_image(&tree->lattice, &tree->map, q, y);
    ptrdiff_t node = 0;
    int level = 0;
    for (; tree->first[node] > 0; level++) node = tree->first[node] + code_at(tree, q, y, level);
    int64_t *here = total + node * size;
    here[0] += weight;
    for (ptrdiff_t j = 1; j < size; j++) here[j] += weight * q[j - 1];
    ctx->fraction = (double) row / (double) X.count;
    dpt_tick(ctx, (int64_t) (level + 4) * (2 + d));
  }
}
