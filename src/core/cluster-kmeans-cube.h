/* cluster-kmeans-cube.h - the losses of neighboring choices of centers, and the rows of each center. */
#ifndef DPT_CLUSTER_KMEANS_CUBE_H
#define DPT_CLUSTER_KMEANS_CUBE_H

#include "cluster-lattice.h"

/* Places in the image of a lattice, integers, one column per place: map.dimension x count. */
typedef struct {
  dpt_lattice lattice;
  dpt_lattice_map map;
  int count;
  const double *place;
} dpt_lattice_places;

/* Computes the loss of each swap. With a set of places, a row loses the squared distance from its image to the nearest
 * place, in steps of 2^step, rounded down, at most `clip` (up to 2^20), and times its weight. `taken` holds `clusters`
 * places, numbered from 0. loss[i + c * clusters] is the total loss after the i-th of them is replaced by place c. The
 * total weight of all rows times `clip` is at most 2^52. */
void dpt_kmeans_swaps(dpt_ctx *ctx, const dpt_lattice_places *places, const int *taken, int clusters, int step,
                      int clip, dpt_cluster_rows X, int64_t *loss);

/* Computes, for each place, the total weight of the rows nearest to it (the first place wins ties), and the weighted
 * sums of their integers: (1 + dimension) x count. */
void dpt_kmeans_nearest(dpt_ctx *ctx, const dpt_lattice_places *places, dpt_cluster_rows X, int64_t *total);

#endif
