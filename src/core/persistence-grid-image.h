/* persistence-grid-image.h - the input of the algorithms for grids: the values of a sublevel filtration with a
 * border around them. */
#ifndef DPT_PERSISTENCE_GRID_IMAGE_H
#define DPT_PERSISTENCE_GRID_IMAGE_H

#include "base-context.h"

enum { DPT_GRID_MOST_AXES = 4 };

enum { DPT_GRID_CHUNK = 1 << 14 }; /* items between two ticks */

typedef enum {
  DPT_GRID_CUBICAL,    /* cells are cubes */
  DPT_GRID_ALTERNATING /* cubes are cut into simplices by diagonals that join vertices of even coordinate sum */
} dpt_grid_complex;

/* The grid with one layer of border on every side, first axis fastest. A superlevel filtration is the sublevel
 * filtration of the negated values. */
typedef struct {
  int axes;
  ptrdiff_t size[DPT_GRID_MOST_AXES];   /* without the border */
  ptrdiff_t stride[DPT_GRID_MOST_AXES]; /* with it */
  ptrdiff_t count;                      /* vertices, with the border */
  const double *values;                 /* NaN on the border: it compares as neither lower nor higher */
} dpt_grid_image;

#endif
