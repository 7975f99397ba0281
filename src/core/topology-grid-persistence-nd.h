/* topology-grid-persistence-nd.h - the complexes as tables and the discrete gradient, for the general engine. */
#ifndef DPT_TOPOLOGY_GRID_PERSISTENCE_ND_H
#define DPT_TOPOLOGY_GRID_PERSISTENCE_ND_H

#include "topology-grid-persistence-parts.h"

enum {
  DPT_GRID_MOST_STAR = 99,  /* cells in a star: 3^d for cubes (81 at most), 99 around an even vertex in space */
  DPT_GRID_MOST_CORNERS = 16,
  DPT_GRID_KINDS = 2,       /* even and odd vertices have different stars in the alternating complex */
  DPT_GRID_BORDER = INT32_MAX, /* the rank of a border vertex: never lower than anything */
  DPT_GRID_ABSENT = 255     /* a match: the cell is not in the lower star */
};

/* A cell as one of its vertices sees it: the vertex is `step` away, the cell is `place` in its star. */
typedef struct {
  int32_t step;
  uint8_t place;
} dpt_grid_view;

typedef struct {
  int count;
  dpt_grid_view views[DPT_GRID_MOST_CORNERS];
} dpt_grid_face;

/* A cell of the star of v. Its place in the star is its name; place 0 is v itself, places ascend with dimension. */
typedef struct {
  int dimension;
  int32_t tip;                  /* step to the vertex that lies on none of the near facets, or 0 */
  int near_count, far_count;    /* facets that contain v, that do not */
  uint8_t near[4];              /* places */
  dpt_grid_face far[4];         /* seen from each of their vertices */
  int cofacet_count;
  uint8_t cofacet[32];          /* places; all cofacets contain v */
  int32_t cube;                 /* top cells: step to the lowest corner of their cube */
  int piece;                    /* and which piece of the cube they are */
} dpt_grid_cell;

typedef struct {
  int count;
  int first[DPT_GRID_MOST_AXES + 2]; /* place of the first cell of each dimension */
  dpt_grid_cell cells[DPT_GRID_MOST_STAR];
} dpt_grid_star;

typedef struct {
  int axes;
  int slots; /* cells in the larger star: cell `place` at vertex v is number v * slots + place */
  int pieces; /* top cells in a cube */
  dpt_grid_star stars[DPT_GRID_KINDS];
  dpt_grid_face pieces_of[DPT_GRID_KINDS][5]; /* the top cells of a cube, by the kind of its lowest corner */
} dpt_grid_tables;

/* (topology-grid-persistence-stars.c) */
void dpt_grid_make_tables(const dpt_grid_image *image, dpt_grid_complex complex, dpt_grid_tables *tables);

/* The gradient: every cell belongs to the lower star of its last vertex and is matched inside it. */
typedef struct {
  dpt_ctx *ctx;
  const dpt_grid_image *image;
  const dpt_grid_tables *tables;
  ptrdiff_t vertices; /* without the border */
  int32_t *order;     /* vertices as they enter */
  int32_t *rank;      /* when they enter; DPT_GRID_BORDER on the border */
  uint8_t *kind;      /* of each vertex */
  uint8_t *match;     /* of each cell: the place of its partner, its own if it is critical, or DPT_GRID_ABSENT */
  uint8_t *critical;  /* of each vertex: bit k tells of critical cells of dimension k */
  int top;            /* cells of larger dimension are not looked at */
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

/* Ranks the vertices and matches the cells up to dimension `top` (topology-grid-persistence-gradient.c). */
void dpt_grid_make_field(dpt_ctx *ctx, const dpt_grid_image *image, const dpt_grid_tables *tables, int top,
                         dpt_grid_field *field);

/* The critical cells of one dimension, in the order of the filtration. */
typedef struct {
  ptrdiff_t count;
  dpt_grid_cell_name *cells;
  uint8_t *paired; /* already born or died in another dimension: out of the question */
} dpt_grid_criticals;

/* For each critical (k+1)-cell that is not yet paired, the position of the critical k-cell whose class it closes, or -1
 * (topology-grid-persistence-reduce.c). */
void dpt_grid_reduce(const dpt_grid_field *field, int dimension, const dpt_grid_criticals *lower,
                     const dpt_grid_criticals *upper, int32_t *birth_of);

#endif
