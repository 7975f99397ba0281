/* topology-staircase.h - the region that the insignificant points of a diagram open at radius t. */
#ifndef DPT_TOPOLOGY_STAIRCASE_H
#define DPT_TOPOLOGY_STAIRCASE_H

#include "base-context.h"

/* The intervals [birth, death] of a set of points that are nested in no other, by increasing birth (so by increasing
 * death too). At radius t, where each of their persistences is at most 2t, the part of their squares that lies above
 * the band {persistence <= 2t} inside the triangle 0 <= birth <= death <= 1 is
 *     { (s - t, e + t) : birth_j <= s < e <= death_j for some j,  t <= s,  e <= 1 - t }. */
typedef struct {
  ptrdiff_t count;
  double *birth, *death;
  double *below; /* below[j]: area of the pieces before j, a piece being what interval j adds to those after it */
} dpt_staircase;

/* From `count` points sorted by birth; of equal births any order will do. Linear time. */
dpt_staircase dpt_staircase_build(dpt_ctx *ctx, const double *birth, const double *death, const bool *skip,
                                  ptrdiff_t count);

double dpt_staircase_area(const dpt_staircase *staircase, double t);

/* A uniform point of the region, whose area must be positive. */
void dpt_staircase_draw(dpt_ctx *ctx, const dpt_staircase *staircase, double t, double *birth, double *death);

/* Is a point of the triangle, above the band, in the region? */
bool dpt_staircase_contains(const dpt_staircase *staircase, double t, double birth, double death);

#endif
