/* cluster-kmeans-tree.h - rows walk down a public tree and are counted and summed where they end. */
#ifndef DPT_CLUSTER_KMEANS_TREE_H
#define DPT_CLUSTER_KMEANS_TREE_H

#include "cluster-lattice.h"

/* Nodes from 0, the root. At each level a row has a code below 2^digits, and a node has a child for each code or none.
 * The codes are one of two kinds:
 *   planes   digits = 1: whether the inner product with the normal of the level is above its offset
 *   cubes    digits = numbers of the image: on which side of the middle of its cube each number of the row's image is. The
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

/* For each node what the rows that end there weigh and, with `sums`, the sums of their whole numbers, each as many times as it
 * weighs: 1 or 1 + dimension numbers a node. No node is deeper than there are planes, or bits + 2. What all rows weigh times
 * 2^bits is below 2^62. */
void dpt_kmeans_tree_sum(dpt_ctx *ctx, const dpt_kmeans_tree *tree, bool sums, dpt_cluster_rows X, int64_t *total);

#endif
