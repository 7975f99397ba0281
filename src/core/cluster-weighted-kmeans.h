/* cluster-weighted-kmeans.h - k-means of public points with weights. */
#ifndef DPT_CLUSTER_WEIGHTED_KMEANS_H
#define DPT_CLUSTER_WEIGHTED_KMEANS_H

#include "base-context.h"

/* Points with weights of at least 0, finite, one column per point. */
typedef struct {
  int dimension;
  ptrdiff_t count; /* at least 1 */
  const double *points;
  const double *weight;
} dpt_weighted_points;

/* Runs k-means from each of `starts` seedings, each selected by `clusters` numbers in [0, 1), until nothing changes or
 * `rounds` are over. Writes the best centers (dimension x clusters) and their weights. Returns the sum of weighted
 * squared distances. */
double dpt_weighted_kmeans(dpt_ctx *ctx, const dpt_weighted_points *data, int clusters, const double *unit, int starts,
                           int rounds, double *center, double *size);

#endif
