/* publish-annealing.h - points of a box, moved until the diagram of their distance to a measure is near a given one. */
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
  const double *proposal;   /* steps x axes: where a point would go */
  const double *which;      /* which one, from 1 */
  const double *coin;       /* in (0, 1) */
  double first, last;       /* temperatures, positive: they fall geometrically */
  const dpt_points *target; /* one for each dimension from 0 to axes - 1 (at least one), sorted by birth */
  int dimensions;           /* how many of them */
} dpt_annealing;

/* `place` (points x axes) holds the points of the start, and then the best that were seen. `distance` (dimensions)
 * receives their bottleneck distances to the targets, `start` those of the start. */
dpt_status dpt_publish_anneal(dpt_ctx *ctx, const dpt_annealing *annealing, double *place, double *start,
                              double *distance);

#endif
