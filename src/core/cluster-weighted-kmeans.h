/* cluster-weighted-kmeans.h - centers of public points that weigh. */
#ifndef DPT_CLUSTER_WEIGHTED_KMEANS_H
#define DPT_CLUSTER_WEIGHTED_KMEANS_H

#include "base-context.h"

/* Points with weights of at least 0, finite, one column a point. */
typedef struct {
  int dimension;
  ptrdiff_t count; /* at least 1 */
  const double *points;
  const double *weight;
} dpt_weighted_points;

/* From each of `starts` seedings, told by `clusters` numbers of [0, 1) each, until nothing changes or `rounds` are over:
 * the best centers (dimension x clusters), the weight of each, and the sum of weighted squared distances. */
double dpt_weighted_kmeans(dpt_ctx *ctx, const dpt_weighted_points *data, int clusters, const double *unit, int starts,
                           int rounds, double *center, double *size);

#endif
