/* diagram-lattice-staircase.h - the lattice points that the points of a diagram open above the band, in closed form. */
#ifndef DPT_DIAGRAM_LATTICE_STAIRCASE_H
#define DPT_DIAGRAM_LATTICE_STAIRCASE_H

#include "base-context.h"

/* The intervals [birth, death] of a set of points that are nested in no other, by increasing birth (so by increasing
 * death too), births and deaths whole. At radius tau >= 0, with h = floor(tau / 2) and delta = tau + 1 - 2h (1 or 2), they
 * open, above the band {death - birth <= tau} of 0 <= birth <= death <= bound,
 *     { (s - h, e + h) : birth_j <= s, e <= death_j for some j,  e - s >= delta,  h <= s,  e <= bound - h }. */
typedef struct {
  ptrdiff_t count;
  int64_t *birth, *death;
  uint64_t
      *below[2]; /* below[delta - 1][j]: lattice points of the pieces before j, a piece being what interval j adds */
} dpt_lattice_staircase;

/* From `count` points sorted by birth; of equal births any order will do. Linear time. */
dpt_lattice_staircase dpt_lattice_staircase_build(dpt_ctx *ctx, const int64_t *birth, const int64_t *death,
                                                  const bool *skip, ptrdiff_t count);

/* How many lattice points it opens. */
uint64_t dpt_lattice_staircase_count(const dpt_lattice_staircase *staircase, int64_t bound, int64_t tau);

/* One of them, uniformly; there must be one. */
void dpt_lattice_staircase_draw(dpt_ctx *ctx, const dpt_lattice_staircase *staircase, int64_t bound, int64_t tau,
                                int64_t *birth, int64_t *death);

/* Does it open a point of the triangle above the band? */
bool dpt_lattice_staircase_contains(const dpt_lattice_staircase *staircase, int64_t tau, int64_t birth, int64_t death);

#endif
