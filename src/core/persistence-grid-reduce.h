/* persistence-grid-reduce.h - the dimensions between: pairs of critical cells, a birth and the cell that closes its
 * class. */
#ifndef DPT_PERSISTENCE_GRID_REDUCE_H
#define DPT_PERSISTENCE_GRID_REDUCE_H

#include "persistence-grid-gradient.h"

/* The critical cells of one dimension, in the order of the filtration. */
typedef struct {
  ptrdiff_t count;
  dpt_grid_cell_name *cells;
  uint8_t *paired; /* already paired in another dimension, and skipped */
} dpt_grid_criticals;

/* For each critical (k+1)-cell that is not yet paired, finds the position of the critical k-cell whose class it
 * closes, or -1. */
void dpt_grid_reduce(const dpt_grid_field *field, int dimension, const dpt_grid_criticals *lower,
                     const dpt_grid_criticals *upper, int32_t *birth_of);

#endif
