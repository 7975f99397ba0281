/* persistence-grid-stars.c - the complexes as tables.
 *
 * A cell is named by the lowest corner of its bounding box (the base) and by the set of corners of the unit cube at
 * the base that are its vertices: 16 bits at most, corner c being base + (bits of c). Both complexes are periodic,
 * the alternating one up to the parity of the base. The star of a vertex is therefore a short table of (base,
 * corners), one for each kind of vertex. Facets, cofacets, and the views of a cell's other vertices are looked up in
 * tables, which take a fraction of a millisecond to make. */
#include "persistence-grid-stars.h"

enum { MOST_NAMES = 64 }; /* 49 at most, in the alternating complex in space */

typedef struct {
  unsigned base;    /* the vertex is corner `base` of the cube */
  unsigned corners; /* bit set */
  int dimension;
} named_cell;

typedef struct {
  int axes;
  bool cut; /* alternating */
  int32_t corner_step[DPT_GRID_MOST_CORNERS];
  named_cell named[DPT_GRID_KINDS][MOST_NAMES]; /* by the kind of their base */
  int names[DPT_GRID_KINDS];
  named_cell star[DPT_GRID_KINDS][DPT_GRID_MOST_STAR];
  int count[DPT_GRID_KINDS];
} builder;

static int count_bits(unsigned x) {
  int count = 0;
  for (; x; x &= x - 1) count++;
  return count;
}

static unsigned parity(unsigned x) { return (unsigned) count_bits(x) & 1; }

/* The coordinates common to all corners, and the coordinates set in at least one. */
static void span(unsigned corners, unsigned *common, unsigned *some) {
  *common = ~0u;
  *some = 0;
  for (unsigned c = 0; c < DPT_GRID_MOST_CORNERS; c++) {
    if (!(corners >> c & 1)) continue;
    *common &= c;
    *some |= c;
  }
}

/* The simplices of a cube: all odd corners with their neighbors, and the even corners, and their faces. */
static bool is_simplex(const builder *b, unsigned corners, unsigned kind) {
  unsigned even = 0;
  for (unsigned c = 0; c < 1u << b->axes; c++) {
    if (parity(c) == kind) {
      even |= 1u << c;
      continue;
    }
    unsigned around = 1u << c;
    for (int axis = 0; axis < b->axes; axis++) around |= 1u << (c ^ (1u << axis));
    if ((corners & ~around) == 0) return true;
  }
  return (corners & ~even) == 0;
}

static void add_named(builder *b, unsigned kind, unsigned corners, int dimension) {
  const named_cell cell = {0, corners, dimension};
  b->named[kind][b->names[kind]++] = cell;
}

/* Lists the cells whose base is of this kind: corner sets that touch all lower sides of the unit cube. */
static void name_cells(builder *b, unsigned kind) {
  const unsigned cubes = 1u << b->axes;
  if (!b->cut) {
    for (unsigned some = 0; some < cubes; some++) {
      unsigned corners = 0;
      for (unsigned c = 0; c < cubes; c++)
        if ((c & ~some) == 0) corners |= 1u << c;
      add_named(b, kind, corners, count_bits(some));
    }
    return;
  }
  for (unsigned corners = 1; corners < 1u << cubes; corners++) {
    unsigned common, some;
    span(corners, &common, &some);
    if (common == 0 && is_simplex(b, corners, kind)) add_named(b, kind, corners, count_bits(corners) - 1);
  }
}

static void list_star(builder *b, unsigned kind) {
  for (int dimension = 0; dimension <= b->axes; dimension++) {
    for (unsigned base = 0; base < 1u << b->axes; base++) {
      const unsigned base_kind = kind ^ parity(base);
      for (int i = 0; i < b->names[base_kind]; i++) {
        named_cell cell = b->named[base_kind][i];
        if (cell.dimension != dimension || !(cell.corners >> base & 1)) continue;
        cell.base = base;
        b->star[kind][b->count[kind]++] = cell;
      }
    }
  }
}

static uint8_t place_of(const builder *b, unsigned kind, unsigned base, unsigned corners) {
  int place = 0;
  while (b->star[kind][place].base != base || b->star[kind][place].corners != corners) place++;
  return (uint8_t) place;
}

/* The same corners, counted from the lowest corner of their bounding box. `shift` is that corner. */
static unsigned rebase(unsigned corners, unsigned *shift) {
  unsigned some, moved = 0;
  span(corners, shift, &some);
  for (unsigned c = 0; c < DPT_GRID_MOST_CORNERS; c++)
    if (corners >> c & 1) moved |= 1u << (c & ~*shift);
  return moved;
}

/* Views of a face from its vertices. `kind`: the kind of the cube's lowest corner. `origin`: the corner at which
 * steps start. */
static void view_face(const builder *b, unsigned corners, unsigned kind, unsigned origin, dpt_grid_face *face) {
  unsigned shift;
  const unsigned moved = rebase(corners, &shift);
  face->count = 0;
  for (unsigned c = 0; c < DPT_GRID_MOST_CORNERS; c++) {
    if (!(corners >> c & 1)) continue;
    dpt_grid_view *view = &face->views[face->count++];
    view->step = b->corner_step[c] - b->corner_step[origin];
    view->place = place_of(b, kind ^ parity(c), c & ~shift, moved);
  }
}

/* The facets of a set of corners, one by one, with `number` from 0. Returns 0 after the last. */
static unsigned facet_of(const builder *b, unsigned corners, int number) {
  unsigned common, some;
  if (b->cut) {
    for (unsigned c = 0; c < DPT_GRID_MOST_CORNERS; c++)
      if ((corners >> c & 1) && number-- == 0) return corners & ~(1u << c);
    return 0;
  }
  span(corners, &common, &some);
  for (int axis = 0; axis < b->axes; axis++) {
    if (!((some ^ common) >> axis & 1)) continue;
    for (unsigned side = 0; side < 2; side++) {
      if (number-- != 0) continue;
      unsigned facet = 0;
      for (unsigned c = 0; c < DPT_GRID_MOST_CORNERS; c++)
        if ((corners >> c & 1) && (c >> axis & 1) == side) facet |= 1u << c;
      return facet;
    }
  }
  return 0;
}

static void add_facets(const builder *b, unsigned kind, const named_cell *name, dpt_grid_cell *cell) {
  unsigned covered = 1u << name->base;
  cell->near_count = cell->far_count = 0;
  if (name->dimension == 0) return;
  for (int number = 0;; number++) {
    const unsigned corners = facet_of(b, name->corners, number);
    if (corners == 0) break;
    if (corners >> name->base & 1) {
      unsigned shift;
      const unsigned moved = rebase(corners, &shift);
      cell->near[cell->near_count++] = place_of(b, kind, name->base & ~shift, moved);
      covered |= corners;
    } else {
      view_face(b, corners, kind ^ parity(name->base), name->base, &cell->far[cell->far_count++]);
    }
  }
  cell->tip = 0;
  for (unsigned c = 0; c < DPT_GRID_MOST_CORNERS; c++)
    if ((name->corners & ~covered) >> c & 1) cell->tip = b->corner_step[c] - b->corner_step[name->base];
}

static void add_cofacets(dpt_grid_star *star) {
  for (int place = 0; place < star->count; place++) star->cells[place].cofacet_count = 0;
  for (int place = 0; place < star->count; place++) {
    const dpt_grid_cell *cell = &star->cells[place];
    for (int i = 0; i < cell->near_count; i++) {
      dpt_grid_cell *facet = &star->cells[cell->near[i]];
      facet->cofacet[facet->cofacet_count++] = (uint8_t) place;
    }
  }
}

/* The number of a top cell in its cube. */
static int piece_of(const builder *b, unsigned corners, unsigned kind) {
  int piece = 0;
  for (int i = 0; b->named[kind][i].corners != corners; i++) piece += b->named[kind][i].dimension == b->axes;
  return piece;
}

static void fill_star(const builder *b, unsigned kind, dpt_grid_tables *tables) {
  dpt_grid_star *star = &tables->stars[kind];
  star->count = b->count[kind];
  for (int dimension = 0; dimension < DPT_GRID_MOST_AXES + 2; dimension++) star->first[dimension] = 0;
  for (int place = 0; place < star->count; place++) {
    const named_cell *name = &b->star[kind][place];
    dpt_grid_cell *cell = &star->cells[place];
    cell->dimension = name->dimension;
    for (int above = name->dimension + 1; above < DPT_GRID_MOST_AXES + 2; above++) star->first[above] = place + 1;
    add_facets(b, kind, name, cell);
    if (name->dimension < b->axes) continue;
    const unsigned base_kind = kind ^ parity(name->base);
    cell->cube = -b->corner_step[name->base];
    cell->piece = piece_of(b, name->corners, base_kind);
    if (cell->piece >= tables->pieces) tables->pieces = cell->piece + 1;
    view_face(b, name->corners, base_kind, 0, &tables->pieces_of[base_kind][cell->piece]);
  }
  add_cofacets(star);
}

void dpt_grid_make_tables(const dpt_grid_image *image, dpt_grid_complex complex, dpt_grid_tables *tables) {
  builder b = {.axes = image->axes, .cut = complex == DPT_GRID_ALTERNATING};
  for (unsigned c = 0; c < DPT_GRID_MOST_CORNERS; c++)
    for (int axis = 0; axis < image->axes; axis++)
      if (c >> axis & 1) b.corner_step[c] += (int32_t) image->stride[axis];
  for (unsigned kind = 0; kind < DPT_GRID_KINDS; kind++) name_cells(&b, kind);
  for (unsigned kind = 0; kind < DPT_GRID_KINDS; kind++) list_star(&b, kind);
  tables->axes = image->axes;
  tables->pieces = 0;
  tables->slots = b.count[0] > b.count[1] ? b.count[0] : b.count[1];
  for (unsigned kind = 0; kind < DPT_GRID_KINDS; kind++) fill_star(&b, kind, tables);
}
