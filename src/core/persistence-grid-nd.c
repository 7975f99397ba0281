/* persistence-grid-nd.c - persistence on any grid complex of two to four dimensions.
 *
 * On the critical cells of the gradient (-gradient.c):
 *   dimension 0      a critical edge joins the two minima below its ends: union-find, ascending;
 *   dimension d - 1  a critical (d-1)-cell joins the two maxima above its sides, or the outside: union-find, descending
 *                    A merge in this dual closes a class of dimension d - 1 (Alexander duality on a sphere, with the
 *                    outside as one more top cell);
 *   between          the boundary of the critical (k+1)-cells, followed down the gradient and reduced (-reduce.c). k
 *                    descends, so that cells that gave birth in the dimension above need no column (clearing, Chen
 *                    and Kerber 2011). In three dimensions the dual has already found these cells.
 *
 * The gradient has already removed apparent pairs, the short cut of the cohomology of Rips complexes. Cost: the
 * gradient is linear. The reduction is cubic in the number of critical cells at worst. In three dimensions it takes
 * about as long as the gradient for noise, and very little time for smooth images. */
#include "persistence-grid-nd.h"

#include <math.h>
#include <string.h>

#include "persistence-grid-reduce.h"

enum { UNKNOWN = -1, OUTSIDE = 0 };

static double value_of(const dpt_grid_field *field, const dpt_grid_cell_name *cell) {
  return field->image->values[cell->vertex];
}

/* ---- critical cells ---- */

static ptrdiff_t visit_criticals(const dpt_grid_field *field, int dimension, dpt_grid_cell_name *cells) {
  ptrdiff_t count = 0;
  for (ptrdiff_t i = 0; i < field->vertices; i++) {
    if (i % DPT_GRID_CHUNK == 0) dpt_tick(field->ctx, 8 * DPT_GRID_CHUNK);
    const int32_t v = field->order[i];
    if (!(field->critical[v] >> dimension & 1)) continue;
    const uint8_t *match = dpt_grid_matches_of(field, v);
    const dpt_grid_star *star = dpt_grid_star_of(field, v);
    for (int place = star->first[dimension]; place < star->first[dimension + 1]; place++) {
      if (match[place] != place) continue;
      if (cells) {
        const dpt_grid_cell_name name = {v, place};
        cells[count] = name;
      }
      count++;
    }
  }
  return count;
}

static void list_criticals(const dpt_grid_field *field, int dimension, dpt_grid_criticals *list) {
  list->count = visit_criticals(field, dimension, NULL);
  list->cells = DPT_NEW(field->ctx, dpt_grid_cell_name, list->count);
  list->paired = DPT_NEW(field->ctx, uint8_t, list->count);
  visit_criticals(field, dimension, list->cells);
  memset(list->paired, 0, (size_t) list->count);
}

/* ---- dimension 0 ---- */

/* The minimum below a vertex, or the oldest minimum merged with it. `parent` is filled during walks, and compressed. */
static int32_t find_minimum(const dpt_grid_field *field, int32_t *parent, int32_t v) {
  int32_t root = v;
  for (;;) {
    if (parent[root] == UNKNOWN) {
      const int down = dpt_grid_matches_of(field, root)[0];
      parent[root] = down == 0 ? root : root + dpt_grid_star_of(field, root)->cells[down].tip;
    }
    if (parent[root] == root) break;
    root = parent[root];
  }
  while (parent[v] != root) {
    const int32_t next = parent[v];
    parent[v] = root;
    v = next;
  }
  return root;
}

static void pair_minima(const dpt_grid_field *field, dpt_grid_criticals *edges, dpt_grid_diagram *diagram) {
  const double *f = field->image->values;
  dpt_arena_mark mark = dpt_arena_here(&field->ctx->arena);
  int32_t *parent = DPT_NEW(field->ctx, int32_t, field->image->count);
  memset(parent, 0xff, (size_t) field->image->count * sizeof *parent);
  for (ptrdiff_t i = 0; i < edges->count; i++) {
    const dpt_grid_cell_name edge = edges->cells[i];
    const int32_t other = edge.vertex + dpt_grid_star_of(field, edge.vertex)->cells[edge.place].tip;
    const int32_t a = find_minimum(field, parent, edge.vertex), b = find_minimum(field, parent, other);
    if (i % 1024 == 0) dpt_tick(field->ctx, 64 * 1024);
    if (a == b) continue;
    const bool a_older = field->rank[a] < field->rank[b];
    parent[a_older ? b : a] = a_older ? a : b;
    edges->paired[i] = 1;
    dpt_grid_emit(diagram, 0, f[a_older ? b : a], f[edge.vertex]);
  }
  dpt_arena_release(&field->ctx->arena, mark);
}

/* ---- dimension d - 1 ---- */

/* Top cells are numbered by the lowest corner of their cube and the piece. Number 0 is the outside, the oldest root. */
typedef struct {
  const dpt_grid_field *field;
  int32_t *parent;
  int pieces;
} dual;

static inline int32_t number_of(const dual *d, int32_t v, const dpt_grid_cell *top) {
  return (v + top->cube) * d->pieces + top->piece;
}

static inline dpt_grid_cell_name name_of(const dual *d, int32_t number) {
  const int32_t cube = number / d->pieces;
  return dpt_grid_owner(d->field, &d->field->tables->pieces_of[d->field->kind[cube]][number % d->pieces], cube);
}

/* The next top cell on the way up, across the facet matched with it. A maximum is its own. */
static int32_t next_up(const dual *d, int32_t number) {
  const dpt_grid_cell_name name = name_of(d, number);
  const int facet = dpt_grid_matches_of(d->field, name.vertex)[name.place];
  if (facet == name.place) return number;
  const dpt_grid_star *star = dpt_grid_star_of(d->field, name.vertex);
  const uint8_t *sides = star->cells[facet].cofacet;
  return number_of(d, name.vertex, &star->cells[sides[0] == name.place ? sides[1] : sides[0]]);
}

static int32_t find_maximum(const dual *d, int32_t number) {
  int32_t root = number;
  for (;;) {
    if (d->parent[root] == UNKNOWN) d->parent[root] = next_up(d, root);
    if (d->parent[root] == root) break;
    root = d->parent[root];
  }
  while (d->parent[number] != root) {
    const int32_t next = d->parent[number];
    d->parent[number] = root;
    number = next;
  }
  return root;
}

/* Labels cubes that extend beyond the grid as the outside. */
static void open_dual(const dual *d) {
  const dpt_grid_image *image = d->field->image;
  for (ptrdiff_t cube = 0; cube < image->count; cube++) {
    bool outside = false;
    for (int axis = 0; axis < image->axes; axis++) {
      const ptrdiff_t at = cube / image->stride[axis] % (image->size[axis] + 2);
      outside = outside || at == 0 || at >= image->size[axis];
    }
    for (int piece = 0; piece < d->pieces; piece++) d->parent[cube * d->pieces + piece] = outside ? OUTSIDE : UNKNOWN;
    if (cube % DPT_GRID_CHUNK == 0) dpt_tick(d->field->ctx, 20 * DPT_GRID_CHUNK);
  }
}

static void pair_maxima(const dpt_grid_field *field, dpt_grid_criticals *walls, bool report,
                        dpt_grid_diagram *diagram) {
  const int dimension = field->image->axes - 1;
  dpt_arena_mark mark = dpt_arena_here(&field->ctx->arena);
  dual d = {.field = field, .pieces = field->tables->pieces};
  d.parent = DPT_NEW(field->ctx, int32_t, field->image->count * d.pieces);
  open_dual(&d);
  for (ptrdiff_t i = walls->count - 1; i >= 0; i--) {
    const int32_t v = walls->cells[i].vertex;
    const dpt_grid_star *star = dpt_grid_star_of(field, v);
    const uint8_t *sides = star->cells[walls->cells[i].place].cofacet;
    const int32_t a = find_maximum(&d, number_of(&d, v, &star->cells[sides[0]]));
    const int32_t b = find_maximum(&d, number_of(&d, v, &star->cells[sides[1]]));
    if (i % 1024 == 0) dpt_tick(field->ctx, 128 * 1024);
    if (a == b) continue;
    const dpt_grid_cell_name top_a = name_of(&d, a == OUTSIDE ? b : a), top_b = name_of(&d, b == OUTSIDE ? a : b);
    const int32_t rank_a = field->rank[top_a.vertex], rank_b = field->rank[top_b.vertex];
    const bool a_older = a == OUTSIDE ||
                         (b != OUTSIDE && (rank_a > rank_b || (rank_a == rank_b && top_a.place > top_b.place)));
    d.parent[a_older ? b : a] = a_older ? a : b;
    walls->paired[i] = 1;
    if (report) dpt_grid_emit(diagram, dimension, field->image->values[v], value_of(field, a_older ? &top_b : &top_a));
  }
  dpt_arena_release(&field->ctx->arena, mark);
}

/* ---- the dimensions between ---- */

static void pair_between(const dpt_grid_field *field, int dimension, dpt_grid_criticals *lower,
                         const dpt_grid_criticals *upper, bool report, dpt_grid_diagram *diagram) {
  dpt_arena_mark mark = dpt_arena_here(&field->ctx->arena);
  int32_t *birth_of = DPT_NEW(field->ctx, int32_t, upper->count);
  dpt_grid_reduce(field, dimension, lower, upper, birth_of);
  for (ptrdiff_t death = 0; death < upper->count; death++) {
    if (birth_of[death] < 0) continue;
    const dpt_grid_cell_name *birth = &lower->cells[birth_of[death]];
    lower->paired[birth_of[death]] = 1;
    if (report) dpt_grid_emit(diagram, dimension, value_of(field, birth), value_of(field, &upper->cells[death]));
  }
  dpt_arena_release(&field->ctx->arena, mark);
}

dpt_status dpt_grid_general(dpt_ctx *ctx, const dpt_grid_image *image, dpt_grid_complex complex, int max_dimension,
                            dpt_grid_diagram *diagram) {
  const int axes = image->axes, highest = max_dimension < axes - 1 ? max_dimension : axes - 1;
  dpt_grid_tables *tables = DPT_NEW(ctx, dpt_grid_tables, 1);
  dpt_grid_make_tables(image, complex, tables);
  if (image->count > INT32_MAX / tables->pieces)
    return dpt_fail(ctx, DPT_ERROR_SIZE, "the grid has too many cells for this complex");
  dpt_grid_field field;
  dpt_grid_make_field(ctx, image, tables, highest == 0 ? 2 : axes, &field);

  dpt_grid_criticals lists[DPT_GRID_MOST_AXES];
  const int last = highest == 0 ? 1 : axes - 1;
  ptrdiff_t most = 1;
  for (int k = 1; k <= last; k++) {
    list_criticals(&field, k, &lists[k]);
    most += lists[k].count;
  }
  dpt_grid_open_diagram(ctx, diagram, most);
  pair_minima(&field, &lists[1], diagram);
  dpt_grid_emit(diagram, 0, image->values[field.order[0]], INFINITY);
  if (highest == 0) return DPT_OK;

  /* Dimensions above the requested ones are reduced for their births, which the next lower dimension can skip. */
  pair_maxima(&field, &lists[axes - 1], highest == axes - 1, diagram);
  for (int k = axes - 2; k >= 1; k--) pair_between(&field, k, &lists[k], &lists[k + 1], k <= highest, diagram);
  return DPT_OK;
}
