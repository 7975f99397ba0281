/* dtm-cloud.h - weighted points and queries, copied axis by axis into the coordinates that a kernel works in. */
#ifndef DPT_DTM_CLOUD_H
#define DPT_DTM_CLOUD_H

#include <stdbool.h>

#include "base-context.h"

typedef struct {
  double **axis; /* one array for each coordinate */
  double *weight;
} dpt_cloud;

/* How a coordinate is copied: times a power of two, and `whole` to the nearest whole number, 2^450 at most. */
typedef struct {
  double scale;
  bool whole;
} dpt_placing;

double dpt_cloud_place(dpt_placing placing, double x);

/* Room for this many points. */
dpt_cloud dpt_cloud_new(dpt_ctx *ctx, int dimension, ptrdiff_t count);

/* Copies the points (column-major) that have a weight, or all with a weight of one for NULL; with `merge` most of those
 * that are then equal as one, with the sum of their weights. Gives back how many there are. */
ptrdiff_t dpt_cloud_load(dpt_ctx *ctx, const double *points, const double *weight, ptrdiff_t count, int dimension,
                         dpt_placing placing, bool merge, dpt_cloud *cloud);

/* The squared distances of `count` points from number `from` on to a center. */
void dpt_cloud_squares(const dpt_cloud *cloud, int dimension, ptrdiff_t from, ptrdiff_t count, const double *center,
                       double *squares);

#endif
