/* cluster-ball.h - how many rows are how far from a public center. */
#ifndef DPT_CLUSTER_BALL_H
#define DPT_CLUSTER_BALL_H

#include "cluster-lattice.h"

enum { DPT_BALL_MAX_RADII = 1024 };

/* A public box, a place, and `radii` increasing squares of distances from it. */
typedef struct {
  int dimension, radii;
  const double *lower, *upper;
  const double *center;
  const double *square;
} dpt_ball;

/* What the rows weigh whose distance from the center, once they were moved into the box, is above the radius before and at
 * most this one; the last of radii + 1 numbers is of those beyond all radii. Each row is in one of them, whatever its numbers
 * are. */
void dpt_ball_count(dpt_ctx *ctx, const dpt_ball *ball, dpt_cluster_rows X, int64_t *counts);

#endif
