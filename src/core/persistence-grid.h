/* persistence-grid.h - persistent homology of functions on grids of 1 to 4 dimensions. */
#ifndef DPT_PERSISTENCE_GRID_H
#define DPT_PERSISTENCE_GRID_H

#include "persistence-grid-diagram.h"
#include "persistence-grid-image.h"

typedef enum { DPT_GRID_KEEP, DPT_GRID_DROP, DPT_GRID_CAP } dpt_grid_essential;

typedef struct {
  const double *values; /* first axis fastest, no NaN, infinite values allowed */
  int axes;
  ptrdiff_t size[DPT_GRID_MOST_AXES];
  int max_dimension;
  bool superlevel;
  dpt_grid_complex complex;
  dpt_grid_essential essential;
  double cap;         /* the death of essential classes under DPT_GRID_CAP */
  bool plane_allowed; /* if false, always uses the general algorithm, for the tests */
} dpt_grid_request;

/* The filtration by sublevel (or superlevel) sets: vertices carry the values, a cell enters with its last vertex,
 * ties are broken by index. A class that dies at infinity, or never, is essential. The pairs are ordered by
 * dimension, persistence (decreasing), birth. */
dpt_status dpt_grid_persistence(dpt_ctx *ctx, const dpt_grid_request *request, dpt_grid_diagram *diagram);

/* Sorts by dimension, then birth. Rows of one birth stay in their order. */
void dpt_grid_sort_by_birth(dpt_ctx *ctx, dpt_grid_diagram *diagram);

#endif
