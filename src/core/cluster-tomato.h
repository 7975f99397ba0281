/* cluster-tomato.h - clusters of the points of a graph along a density, and the graphs and densities themselves. */
#ifndef DPT_CLUSTER_TOMATO_H
#define DPT_CLUSTER_TOMATO_H

#include "base-context.h"

/* Writes into neighbor (count x k) the numbers, from 0, of the k < count nearest other rows of X (count x dimension),
 * the nearest first. The first row wins ties. */
void dpt_cluster_neighbors(dpt_ctx *ctx, ptrdiff_t count, ptrdiff_t dimension, const double *X, ptrdiff_t k,
                           ptrdiff_t *neighbor);

/* Computes the log of the normal kernel density at each row of X, which counts itself, with a bandwidth for each
 * column. */
void dpt_cluster_kernel_density(dpt_ctx *ctx, ptrdiff_t count, ptrdiff_t dimension, const double *X,
                                const double *bandwidth, double *log_density);

/* An undirected graph: `edges` pairs of numbers from 0 to count - 1. */
typedef struct {
  ptrdiff_t count, edges;
  const ptrdiff_t *from, *to;
} dpt_cluster_graph;

/* Writes into root the peak of each point's cluster. Clusters merge at a pass if the lower of their peaks is less than
 * `prominence` above it, or not above it. `lower` and `pass` receive each merge's lower peak and its point. Returns the
 * number of merges, which is below `count`. */
ptrdiff_t dpt_cluster_tomato(dpt_ctx *ctx, const dpt_cluster_graph *graph, const double *density, double prominence,
                             ptrdiff_t *root, ptrdiff_t *lower, ptrdiff_t *pass);

#endif
