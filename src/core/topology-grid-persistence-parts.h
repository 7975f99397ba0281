/* topology-grid-persistence-parts.h - what the engines for grids share among themselves. */
#ifndef DPT_TOPOLOGY_GRID_PERSISTENCE_PARTS_H
#define DPT_TOPOLOGY_GRID_PERSISTENCE_PARTS_H

#include <string.h>

#include "topology-grid-persistence.h"

enum { DPT_GRID_CHUNK = 1 << 14 }; /* items between two ticks */

/* ---- sorting (topology-grid-persistence-sort.c) ---- */

typedef struct {
  uint64_t key;
  uint32_t id;
} dpt_grid_record;

/* A key whose order as an integer is the order of the doubles; -0 and 0 have one key. */
static inline uint64_t dpt_grid_key(double x) {
  uint64_t bits;
  x += 0.0;
  memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | (UINT64_C(1) << 63);
}

/* The double of a key. */
static inline double dpt_grid_value(uint64_t key) {
  const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Sorts by key, increasing and stable. */
void dpt_grid_sort(dpt_ctx *ctx, dpt_grid_record *records, ptrdiff_t count);

/* ---- an image: the values of a sublevel filtration with a border around them ---- */

/* The grid with one layer of border on every side, first axis fastest. A superlevel filtration is the sublevel
 * filtration of the negated values. */
typedef struct {
  int axes;
  ptrdiff_t size[DPT_GRID_MOST_AXES];   /* without the border */
  ptrdiff_t stride[DPT_GRID_MOST_AXES]; /* with it */
  ptrdiff_t count;                      /* vertices, with the border */
  const double *values;                 /* NaN on the border: it compares as neither lower nor higher */
} dpt_grid_image;

/* ---- what an engine hands back, in any order, as a sublevel filtration ---- */

static inline void dpt_grid_emit(dpt_grid_diagram *diagram, int dimension, double birth, double death) {
  if (!(birth < death)) return;
  diagram->dimension[diagram->count] = dimension;
  diagram->birth[diagram->count] = birth;
  diagram->death[diagram->count] = death;
  diagram->count++;
}

/* Room for `most` pairs. */
void dpt_grid_open_diagram(dpt_ctx *ctx, dpt_grid_diagram *diagram, ptrdiff_t most);

/* Cubical complexes of two axes, and paths (-2d.c). */
dpt_status dpt_grid_plane(dpt_ctx *ctx, const dpt_grid_image *image, int max_dimension, dpt_grid_diagram *diagram);

/* Any complex (-nd.c). */
dpt_status dpt_grid_general(dpt_ctx *ctx, const dpt_grid_image *image, dpt_grid_complex complex, int max_dimension,
                            dpt_grid_diagram *diagram);

#endif
