/* topology-grid-persistence-trace.c - the boundary of critical cells along the gradient, mod 2.
 *
 * The boundary of a critical (k+1)-cell is the sum of the critical k-cells that end a path from it: step to a facet;
 * if the facet is matched with a (k+1)-cell, go on to the other facets of that; if it is matched downwards, the path is
 * void. Paths meet and part, so their number may be exponential; only its parity counts. The cells that are reached form
 * an acyclic graph: one search counts how often each is entered, a second visits it when all its entries have been seen
 * (topological order) and passes the parity on. Linear in the cells reached, one byte of state a cell, zero again
 * when the search is over. */
#include "topology-grid-persistence-nd.h"

enum { ODD = 128 }; /* of a state: the parity so far; the bits below count entries, 32 at most */

typedef struct {
  dpt_ctx *ctx;
  const dpt_grid_field *field;
  const dpt_grid_criticals *lower;
  const int32_t *first; /* of a vertex: the first of its critical k-cells in the list */
  int dimension;        /* k */
  uint8_t *state;
  dpt_grid_cell_name *stack;
  ptrdiff_t stack_size, stack_room;
  int32_t *rows; /* what was found, as positions in the list */
  ptrdiff_t found, room;
} tracer;

/* A list with room for one more item. */
static void *with_room(dpt_ctx *ctx, void *items, ptrdiff_t count, ptrdiff_t *room, size_t size) {
  if (count < *room) return items;
  *room = *room < 512 ? 1024 : 2 * *room;
  void *moved = dpt_alloc(ctx, *room, size);
  if (count > 0) memcpy(moved, items, (size_t) count * size);
  return moved;
}

static void push(tracer *t, dpt_grid_cell_name cell) {
  t->stack = with_room(t->ctx, t->stack, t->stack_size, &t->stack_room, sizeof *t->stack);
  t->stack[t->stack_size++] = cell;
}

static inline uint8_t *state_of(const tracer *t, dpt_grid_cell_name cell) {
  return t->state + (ptrdiff_t) cell.vertex * t->field->tables->slots + cell.place;
}

static inline int match_of(const tracer *t, dpt_grid_cell_name cell) {
  return dpt_grid_matches_of(t->field, cell.vertex)[cell.place];
}

/* Does a path end here for nothing: matched with a cell below? */
static inline bool is_void(const tracer *t, dpt_grid_cell_name cell) {
  return match_of(t, cell) < dpt_grid_star_of(t->field, cell.vertex)->first[t->dimension];
}

/* Facets of a (k+1)-cell other than `skip`, a place in the star of the same vertex (or -1); at most eight. */
static int list_facets(const tracer *t, int32_t vertex, int place, int skip, dpt_grid_cell_name facets[8]) {
  const dpt_grid_cell *cell = &dpt_grid_star_of(t->field, vertex)->cells[place];
  int count = 0;
  for (int i = 0; i < cell->near_count; i++) {
    const dpt_grid_cell_name facet = {vertex, cell->near[i]};
    if (facet.place != skip && !is_void(t, facet)) facets[count++] = facet;
  }
  for (int i = 0; i < cell->far_count; i++) {
    const dpt_grid_cell_name facet = dpt_grid_owner(t->field, &cell->far[i], vertex);
    if (!is_void(t, facet)) facets[count++] = facet;
  }
  return count;
}

static void enter_facets(tracer *t, int32_t vertex, int place, int skip) {
  dpt_grid_cell_name facets[8];
  const int count = list_facets(t, vertex, place, skip, facets);
  for (int i = 0; i < count; i++)
    if ((*state_of(t, facets[i]))++ == 0) push(t, facets[i]);
}

/* `odd`: ODD or 0, the parity that is passed on. */
static void leave_facets(tracer *t, int32_t vertex, int place, int skip, int odd) {
  dpt_grid_cell_name facets[8];
  const int count = list_facets(t, vertex, place, skip, facets);
  for (int i = 0; i < count; i++) {
    uint8_t *state = state_of(t, facets[i]);
    *state = (uint8_t) ((*state ^ odd) - 1);
    if ((*state & (ODD - 1)) == 0) push(t, facets[i]);
  }
}

static int32_t position_of(const tracer *t, dpt_grid_cell_name cell) {
  int32_t position = t->first[cell.vertex];
  while (t->lower->cells[position].place != cell.place) position++;
  return position;
}

static void found_critical(tracer *t, dpt_grid_cell_name cell) {
  const int32_t position = position_of(t, cell);
  if (t->lower->paired[position]) return;
  t->rows = with_room(t->ctx, t->rows, t->found, &t->room, sizeof *t->rows);
  t->rows[t->found++] = position;
}

static void trace_one(tracer *t, dpt_grid_cell_name start) {
  int64_t steps = 0;
  enter_facets(t, start.vertex, start.place, -1);
  while (t->stack_size > 0) {
    const dpt_grid_cell_name cell = t->stack[--t->stack_size];
    const int match = match_of(t, cell);
    if (match != cell.place) enter_facets(t, cell.vertex, match, cell.place);
    if (++steps % 1024 == 0) dpt_tick(t->ctx, 32 * 1024);
  }
  leave_facets(t, start.vertex, start.place, -1, ODD);
  while (t->stack_size > 0) {
    const dpt_grid_cell_name cell = t->stack[--t->stack_size];
    uint8_t *state = state_of(t, cell);
    const int odd = *state, match = match_of(t, cell);
    *state = 0;
    if (match != cell.place)
      leave_facets(t, cell.vertex, match, cell.place, odd);
    else if (odd)
      found_critical(t, cell);
    if (++steps % 1024 == 0) dpt_tick(t->ctx, 32 * 1024);
  }
  dpt_tick(t->ctx, 100 + 32 * (steps % 1024));
}

static int32_t *index_vertices(const dpt_grid_field *field, const dpt_grid_criticals *list) {
  int32_t *first = DPT_NEW(field->ctx, int32_t, field->image->count);
  for (ptrdiff_t i = list->count - 1; i >= 0; i--) first[list->cells[i].vertex] = (int32_t) i;
  return first;
}

void dpt_grid_trace(const dpt_grid_field *field, const dpt_grid_criticals *lower, const dpt_grid_criticals *upper,
                    dpt_grid_matrix *matrix) {
  dpt_ctx *ctx = field->ctx;
  const ptrdiff_t cells = field->image->count * field->tables->slots;
  tracer t = {.ctx = ctx, .field = field, .lower = lower, .first = index_vertices(field, lower)};
  t.state = DPT_NEW(ctx, uint8_t, cells);
  memset(t.state, 0, (size_t) cells);
  matrix->columns = upper->count;
  matrix->rows = lower->count;
  matrix->start = DPT_NEW(ctx, ptrdiff_t, upper->count + 1);
  for (ptrdiff_t i = 0; i < upper->count; i++) {
    matrix->start[i] = t.found;
    const dpt_grid_cell_name cell = upper->cells[i];
    t.dimension = dpt_grid_star_of(field, cell.vertex)->cells[cell.place].dimension - 1;
    if (!upper->paired[i]) trace_one(&t, cell);
  }
  matrix->start[upper->count] = t.found;
  matrix->row = t.rows;
}
