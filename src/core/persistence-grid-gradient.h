/* persistence-grid-gradient.h - the discrete gradient on a grid complex. */
#ifndef DPT_PERSISTENCE_GRID_GRADIENT_H
#define DPT_PERSISTENCE_GRID_GRADIENT_H

#include "persistence-grid-stars.h"

enum {
  DPT_GRID_BORDER = INT32_MAX, /* the rank of a border vertex, never lower than any other */
  DPT_GRID_ABSENT = 255        /* a match: the cell is not in the lower star */
};

/* The gradient: every cell belongs to the lower star of its last vertex and is matched inside it. */
typedef struct {
  dpt_ctx *ctx;
  const dpt_grid_image *image;
  const dpt_grid_tables *tables;
  ptrdiff_t vertices; /* without the border */
  int32_t *order;     /* vertices in the order of the filtration */
  int32_t *rank;      /* position of each vertex in that order, DPT_GRID_BORDER on the border */
  uint8_t *kind;      /* of each vertex */
  uint8_t *match;     /* of each cell: the place of its partner, its own if it is critical, or DPT_GRID_ABSENT */
  uint8_t *critical;  /* for each vertex: bit k is set if it has critical cells of dimension k */
  int top;            /* largest dimension of cells in use */
} dpt_grid_field;

static inline const dpt_grid_star *dpt_grid_star_of(const dpt_grid_field *field, ptrdiff_t v) {
  return &field->tables->stars[field->kind[v]];
}

static inline uint8_t *dpt_grid_matches_of(const dpt_grid_field *field, ptrdiff_t v) {
  return field->match + v * field->tables->slots;
}

typedef struct {
  int32_t vertex;
  int32_t place;
} dpt_grid_cell_name;

/* The last vertex of a face given by views from v, and the face's place in that vertex's star. */
static inline dpt_grid_cell_name dpt_grid_owner(const dpt_grid_field *field, const dpt_grid_face *face, int32_t v) {
  int best = 0;
  int32_t last = field->rank[v + face->views[0].step];
  for (int i = 1; i < face->count; i++) {
    const int32_t rank = field->rank[v + face->views[i].step];
    if (rank > last) {
      last = rank;
      best = i;
    }
  }
  dpt_grid_cell_name name = {v + face->views[best].step, face->views[best].place};
  return name;
}

/* Ranks the vertices and matches the cells up to dimension `top`. */
void dpt_grid_make_field(dpt_ctx *ctx, const dpt_grid_image *image, const dpt_grid_tables *tables, int top,
                         dpt_grid_field *field);

#endif
