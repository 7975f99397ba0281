/* diagram-lattice-staircase.h - the lattice points above the band within reach of points of a diagram, in closed
 * form. */
#ifndef DPT_DIAGRAM_LATTICE_STAIRCASE_H
#define DPT_DIAGRAM_LATTICE_STAIRCASE_H

#include "base-context.h"

/* The intervals [birth, death] of a set of points that are not nested in another, by increasing birth (and so by
 * increasing death), with integer births and deaths. At radius tau >= 0, with h = floor(tau / 2) and delta = tau + 1
 * - 2h (1 or 2), they open, above the band {death - birth <= tau} of 0 <= birth <= death <= bound,
 *     { (s - h, e + h) : birth_j <= s, e <= death_j for some j,  e - s >= delta,  h <= s,  e <= bound - h }. */
typedef struct {
  ptrdiff_t count;
  int64_t *birth, *death;
  uint64_t *below[2]; /* below[delta - 1][j]: number of lattice points of the pieces before j */
} dpt_lattice_staircase;

/* Builds it from `count` points sorted by birth, with ties in any order. Linear time. */
dpt_lattice_staircase dpt_lattice_staircase_build(dpt_ctx *ctx, const int64_t *birth, const int64_t *death,
                                                  const bool *skip, ptrdiff_t count);

/* Number of lattice points that it opens. */
uint64_t dpt_lattice_staircase_count(const dpt_lattice_staircase *staircase, int64_t bound, int64_t tau);

/* Draws one of them uniformly. There must be at least one. */
void dpt_lattice_staircase_draw(dpt_ctx *ctx, const dpt_lattice_staircase *staircase, int64_t bound, int64_t tau,
                                int64_t *birth, int64_t *death);

/* Whether it opens a point of the triangle above the band. */
bool dpt_lattice_staircase_contains(const dpt_lattice_staircase *staircase, int64_t tau, int64_t birth, int64_t death);

#endif
