/* cluster-ball.h - counts of rows by their distance from a public center. */
#ifndef DPT_CLUSTER_BALL_H
#define DPT_CLUSTER_BALL_H

#include "cluster-lattice.h"

enum { DPT_BALL_MAX_RADII = 1024 };

/* A public box, a center, and `radii` increasing squares of distances from it. */
typedef struct {
  int dimension, radii;
  const double *lower, *upper;
  const double *center;
  const double *square;
} dpt_ball;

/* Sums the weights of rows by distance from the center, after the rows are moved into the box. Cell i has the rows
 * whose distance exceeds radius i - 1 and does not exceed radius i. The last of the radii + 1 cells has the rows beyond
 * all radii. Each row is in exactly one cell, regardless of its values. */
void dpt_ball_count(dpt_ctx *ctx, const dpt_ball *ball, dpt_cluster_rows X, int64_t *counts);

#endif
