/* dtm-cloud.h - weighted points and queries, copied axis by axis into the coordinates of a kernel. */
#ifndef DPT_DTM_CLOUD_H
#define DPT_DTM_CLOUD_H

#include <stdbool.h>

#include "base-context.h"

typedef struct {
  double **axis; /* one array for each coordinate */
  double *weight;
} dpt_cloud;

/* Rule for copying a coordinate: times a power of two, and if `whole`, rounded to the nearest integer, at most
 * 2^450. */
typedef struct {
  double scale;
  bool whole;
} dpt_placing;

double dpt_cloud_place(dpt_placing placing, double x);

/* Allocates room for this many points. */
dpt_cloud dpt_cloud_new(dpt_ctx *ctx, int dimension, ptrdiff_t count);

/* Copies the points (column-major) with positive weights, or all with weight one if `weight` is NULL. With `merge`,
 * most points that are then equal become one, with the sum of their weights. Returns the number of points. */
ptrdiff_t dpt_cloud_load(dpt_ctx *ctx, const double *points, const double *weight, ptrdiff_t count, int dimension,
                         dpt_placing placing, bool merge, dpt_cloud *cloud);

/* Writes the squared distances of `count` points, from number `from` on, to a center. */
void dpt_cloud_squares(const dpt_cloud *cloud, int dimension, ptrdiff_t from, ptrdiff_t count, const double *center,
                       double *squares);

#endif
