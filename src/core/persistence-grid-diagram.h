/* persistence-grid-diagram.h - the result of an algorithm: the pairs of a sublevel filtration, in any order. */
#ifndef DPT_PERSISTENCE_GRID_DIAGRAM_H
#define DPT_PERSISTENCE_GRID_DIAGRAM_H

#include "base-context.h"

/* Pairs of nonzero persistence, in memory of the arena. */
typedef struct {
  ptrdiff_t count;
  int *dimension;
  double *birth, *death;
} dpt_grid_diagram;

/* Makes room for `most` pairs. */
static inline void dpt_grid_open_diagram(dpt_ctx *ctx, dpt_grid_diagram *diagram, ptrdiff_t most) {
  diagram->count = 0;
  diagram->dimension = DPT_NEW(ctx, int, most);
  diagram->birth = DPT_NEW(ctx, double, most);
  diagram->death = DPT_NEW(ctx, double, most);
}

/* Adds a pair, unless it has no persistence. */
static inline void dpt_grid_emit(dpt_grid_diagram *diagram, int dimension, double birth, double death) {
  if (!(birth < death)) return;
  diagram->dimension[diagram->count] = dimension;
  diagram->birth[diagram->count] = birth;
  diagram->death[diagram->count] = death;
  diagram->count++;
}

#endif
