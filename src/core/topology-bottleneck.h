/* topology-bottleneck.h - the bottleneck distance of two persistence diagrams, and its decision procedure.
 *
 * Births never exceed deaths: the caller turns superlevel diagrams round. */
#ifndef DPT_TOPOLOGY_BOTTLENECK_H
#define DPT_TOPOLOGY_BOTTLENECK_H

#include "base-context.h"

typedef struct {
  const double *birth, *death;
  ptrdiff_t count;
} dpt_points;

/* Whether every point of `from` with persistence above 2t can be matched to its own point of `to` within t. Finite
 * points; `to` is sorted by birth. With few such points the cost is a binary search and a scan of the births within t
 * for each of them, and no memory is taken. */
bool dpt_bottleneck_covers(dpt_ctx *ctx, const dpt_points *from, const dpt_points *to, double t);

/* Whether the distance is at most t. Finite points, both sorted by birth. */
bool dpt_bottleneck_within(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y, double t);

/* The distance, exactly: a difference of two births or of two deaths, or half a persistence, as doubles compute them.
 * Any order; infinite points are matched among their own kind, and unequal numbers of one give infinity. */
dpt_status dpt_bottleneck_distance(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y, double *distance);

/* What it costs to match two points, and to match one with the diagonal. Every comparison in the two kernels goes
 * through these two expressions, so that rounding can never make them disagree. */
static inline double dpt_points_gap(double birth_x, double death_x, double birth_y, double death_y) {
  double births = birth_x < birth_y ? birth_y - birth_x : birth_x - birth_y;
  double deaths = death_x < death_y ? death_y - death_x : death_x - death_y;
  return births > deaths ? births : deaths;
}

static inline double dpt_point_exit(double birth, double death) { return 0.5 * (death - birth); }

#endif
