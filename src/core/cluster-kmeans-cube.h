/* cluster-kmeans-cube.h - the losses of neighboring choices of centers, and the rows of each center. */
#ifndef DPT_CLUSTER_KMEANS_CUBE_H
#define DPT_CLUSTER_KMEANS_CUBE_H

#include "cluster-lattice.h"

/* Places in the image of a lattice, whole numbers, one column a place: map.dimension x count. */
typedef struct {
  dpt_lattice lattice;
  dpt_lattice_map map;
  int count;
  const double *place;
} dpt_lattice_places;

/* A row loses, with a set of places, the squared distance from its image to the nearest, in steps of 2^step, rounded down
 * and at most `clip` (up to 2^20), times what it weighs. loss[i + c * clusters]: the sum over all rows of what is lost with the places `taken`
 * (`clusters` numbers from 0) when the i-th of these is exchanged for place c. What all rows weigh times `clip` is at most 2^52. */
void dpt_kmeans_swaps(dpt_ctx *ctx, const dpt_lattice_places *places, const int *taken, int clusters, int step,
                      int clip, dpt_cluster_rows X, int64_t *loss);

/* For each place what the rows weigh that have it as the nearest, of equal ones the first, and the sums of their whole
 * numbers, each as many times: (1 + dimension) x count. */
void dpt_kmeans_nearest(dpt_ctx *ctx, const dpt_lattice_places *places, dpt_cluster_rows X, int64_t *total);

#endif
