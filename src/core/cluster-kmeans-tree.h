/* cluster-kmeans-tree.h - counts and sums of rows at the nodes of a public tree where their walks end. */
#ifndef DPT_CLUSTER_KMEANS_TREE_H
#define DPT_CLUSTER_KMEANS_TREE_H

#include "cluster-lattice.h"

/* Nodes from 0, the root. At each level a row has a code below 2^digits, and a node has either a child for each code or
 * no children. There are two kinds of codes:
 *   planes   digits = 1: whether the inner product with the normal of the level is above its offset
 *   cubes    digits = numbers of the image: for each number, the side of the middle of its cube on which it lies. The
 *            root is the cube from -2^bits - corner to 3 * 2^bits - corner */
typedef struct {
  dpt_lattice lattice;
  dpt_lattice_map map; /* of cubes */
  const int64_t
      *plane; /* of planes: (dimension + 1) x levels, entries up to 2^20 and last the offset; NULL for cubes */
  const int64_t *corner; /* of cubes: 0 .. 2^(bits + 1) - 1 */
  int digits;
  ptrdiff_t nodes;
  const ptrdiff_t *first; /* the first child of each node, after it; 0 if it has none */
} dpt_kmeans_tree;

/* Computes, for each node, the total weight of the rows that end there. With `sums`, also the weighted sums of their
 * integers. This gives 1 or 1 + dimension numbers per node. The depth of a node is at most the number of planes, or
 * bits + 2 for cubes. The total weight of all rows times 2^bits is below 2^62. */
void dpt_kmeans_tree_sum(dpt_ctx *ctx, const dpt_kmeans_tree *tree, bool sums, dpt_cluster_rows X, int64_t *total);

#endif
