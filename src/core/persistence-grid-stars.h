/* persistence-grid-stars.h - the cells of a complex as tables: the star of each kind of vertex. */
#ifndef DPT_PERSISTENCE_GRID_STARS_H
#define DPT_PERSISTENCE_GRID_STARS_H

#include "persistence-grid-image.h"

enum {
  DPT_GRID_MOST_STAR = 99, /* cells in a star: 3^d for cubes (81 at most), 99 around an even vertex in space */
  DPT_GRID_MOST_CORNERS = 16,
  DPT_GRID_KINDS = 2 /* even and odd vertices have different stars in the alternating complex */
};

/* A cell from the view of one of its vertices: the vertex is `step` away, and the cell is `place` in its star. */
typedef struct {
  int32_t step;
  uint8_t place;
} dpt_grid_view;

typedef struct {
  int count;
  dpt_grid_view views[DPT_GRID_MOST_CORNERS];
} dpt_grid_face;

/* A cell of the star of v. Its place in the star is its name. Place 0 is v itself, and places ascend with dimension. */
typedef struct {
  int dimension;
  int32_t tip;               /* step to the vertex that lies on none of the near facets, or 0 */
  int near_count, far_count; /* facets that contain v, and facets that do not */
  uint8_t near[4];           /* places */
  dpt_grid_face far[4];      /* from the view of each of their vertices */
  int cofacet_count;
  uint8_t cofacet[32]; /* places; all cofacets contain v */
  int32_t cube;        /* top cells: step to the lowest corner of their cube */
  int piece;           /* and which piece of the cube they are */
} dpt_grid_cell;

typedef struct {
  int count;
  int first[DPT_GRID_MOST_AXES + 2]; /* place of the first cell of each dimension */
  dpt_grid_cell cells[DPT_GRID_MOST_STAR];
} dpt_grid_star;

typedef struct {
  int axes;
  int slots;  /* cells in the larger star: cell `place` at vertex v is number v * slots + place */
  int pieces; /* top cells in a cube */
  dpt_grid_star stars[DPT_GRID_KINDS];
  dpt_grid_face pieces_of[DPT_GRID_KINDS][5]; /* the top cells of a cube, by the kind of its lowest corner */
} dpt_grid_tables;

void dpt_grid_make_tables(const dpt_grid_image *image, dpt_grid_complex complex, dpt_grid_tables *tables);

#endif
