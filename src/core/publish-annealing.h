/* publish-annealing.h - moves points of a box until the diagram of their distance to a measure is near a given one. */
#ifndef DPT_PUBLISH_ANNEALING_H
#define DPT_PUBLISH_ANNEALING_H

#include "persistence-points.h"

enum { DPT_ANNEALING_AXES = 3, DPT_ANNEALING_LEVELS = 512 };

typedef struct {
  int axes;                               /* 1 .. DPT_ANNEALING_AXES */
  const double *axis[DPT_ANNEALING_AXES]; /* the grid, increasing on each axis */
  ptrdiff_t size[DPT_ANNEALING_AXES];
  ptrdiff_t points, steps;
  ptrdiff_t neighbors;      /* of the distance to a measure: 1 .. points */
  double clip;              /* distances are cut there; positive */
  const double *proposal;   /* steps x axes: proposed places of a point */
  const double *which;      /* the number of the point to move, from 1 */
  const double *coin;       /* in (0, 1) */
  double first, last;       /* temperatures, positive: they fall geometrically */
  const dpt_points *target; /* diagrams of dimensions 0 to axes - 1 (at least one), sorted by birth */
  int dimensions;           /* their number */
} dpt_annealing;

/* Anneals `place` (points x axes), which holds the first cloud before and the best cloud afterwards. `distance`
 * (dimensions) receives the bottleneck distances of the best cloud to the targets, `start` the distances of the first
 * cloud. */
dpt_status dpt_publish_anneal(dpt_ctx *ctx, const dpt_annealing *annealing, double *place, double *start,
                              double *distance);

#endif
