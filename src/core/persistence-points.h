/* persistence-points.h - the points of a persistence diagram in one dimension, and the costs of matching them.
 *
 * Births never exceed deaths, because callers reverse superlevel diagrams. */
#ifndef DPT_PERSISTENCE_POINTS_H
#define DPT_PERSISTENCE_POINTS_H

#include <float.h>

#include "base-context.h"

typedef struct {
  const double *birth, *death;
  ptrdiff_t count;
} dpt_points;

/* The cost of matching two points, and below, of matching a point with the diagonal. Every comparison uses these two
 * expressions, so that rounding can never make two kernels disagree. */
static inline double dpt_points_gap(double birth_x, double death_x, double birth_y, double death_y) {
  double births = birth_x < birth_y ? birth_y - birth_x : birth_x - birth_y;
  double deaths = death_x < death_y ? death_y - death_x : death_x - death_y;
  return births > deaths ? births : deaths;
}

/* A persistence may exceed all doubles, but its half does not. */
static inline double dpt_point_exit(double birth, double death) {
  double persistence = death - birth;
  return persistence <= DBL_MAX ? 0.5 * persistence : 0.5 * death - 0.5 * birth;
}

#endif
