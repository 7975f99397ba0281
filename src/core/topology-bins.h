/* topology-bins.h - points counted at the nearest point of a lattice. */
#ifndef DPT_TOPOLOGY_BINS_H
#define DPT_TOPOLOGY_BINS_H

#include "base-context.h"

enum { DPT_BINS_MAX_DIMENSION = 4 };

/* A lattice is the product of its axes, each strictly increasing. Points beyond its ends, infinite ones too, count at
 * the ends. */
typedef struct {
  int dimension;
  const double *axis[DPT_BINS_MAX_DIMENSION];
  ptrdiff_t size[DPT_BINS_MAX_DIMENSION];
} dpt_lattice;

/* The occupied cells in the lattice's order (first axis fastest); the arrays are in the arena. */
typedef struct {
  ptrdiff_t count;
  ptrdiff_t *cell;   /* where in that order */
  ptrdiff_t *number; /* of points */
} dpt_bins;

/* Counts `count` points (column-major, no NaN) at the cells of the lattice. */
void dpt_bins_count(dpt_ctx *ctx, const dpt_lattice *lattice, const double *points, ptrdiff_t count, dpt_bins *bins);

#endif
