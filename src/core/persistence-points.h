/* persistence-points.h - the points of a persistence diagram in one dimension, and what it costs to match them.
 *
 * Births never exceed deaths: the caller turns superlevel diagrams round. */
#ifndef DPT_PERSISTENCE_POINTS_H
#define DPT_PERSISTENCE_POINTS_H

#include <float.h>

#include "base-context.h"

typedef struct {
  const double *birth, *death;
  ptrdiff_t count;
} dpt_points;

/* What it costs to match two points, and to match one with the diagonal. Every comparison goes through these two
 * expressions, so that rounding can never make two kernels disagree. */
static inline double dpt_points_gap(double birth_x, double death_x, double birth_y, double death_y) {
  double births = birth_x < birth_y ? birth_y - birth_x : birth_x - birth_y;
  double deaths = death_x < death_y ? death_y - death_x : death_x - death_y;
  return births > deaths ? births : deaths;
}

/* A persistence may be beyond all doubles, and its half is none the less one. */
static inline double dpt_point_exit(double birth, double death) {
  double persistence = death - birth;
  return persistence <= DBL_MAX ? 0.5 * persistence : 0.5 * death - 0.5 * birth;
}

#endif
