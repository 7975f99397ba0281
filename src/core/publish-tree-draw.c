/* publish-tree-draw.c - records from a graphical model.
 *
 * Clique by clique from the root, the columns that the parent does not have are drawn given the others. The rows of one
 * state of the separator are a group, with m rows and probabilities p_1, p_2, ... of the cells. Each cell gets floor(m
 * p) rows, or one more with the fractional part of m p as its probability, and the cells get m rows in all. For this,
 * the points u, u + 1, ..., u + m - 1, with one uniform u, are placed along the cumulative m p (systematic sampling,
 * Madow 1949). The cells are assigned to the rows at random. So the table differs from n p by rounding, not by the
 * noise of independent draws, and each row has the model's distribution.
 *
 * Cost: for each clique and row a few reads and one draw for the shuffle, and for each group with rows one pass over
 * its cells. Memory read in random order is the limit: about 20 nanoseconds per row and clique. Rejected: independent
 * draws (a standard error of sqrt(n p) on each count), and successive draws without replacement (their inclusion
 * probabilities are not the fractions). */
#include "publish-tree-draw.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"

/* Finds the state of the separator for each row. */
static void find_states(const dpt_tree *tree, int c, ptrdiff_t rows, const int *code, ptrdiff_t *state) {
  memset(state, 0, (size_t) rows * sizeof *state);
  ptrdiff_t step = 1;
  for (int i = tree->inner[c]; i < tree->axes[c].count; i++) {
    const int column = tree->axes[c].column[i];
    const int *own = code + (ptrdiff_t) column * rows;
    for (ptrdiff_t r = 0; r < rows; r++) state[r] += step * own[r];
    step *= tree->size[column];
  }
}

/* Chooses cells for the m rows of a group. */
static void divide_group(dpt_ctx *ctx, ptrdiff_t cells, const double *p, ptrdiff_t m, ptrdiff_t *cell) {
  double sum = 0;
  for (ptrdiff_t j = 0; j < cells; j++) sum += p[j];
  const bool flat = !(sum > 0); /* a state with probability zero in the model: all cells are equally likely */
  const double by = (double) m / (flat ? (double) cells : sum), start = dpt_draw_unit(ctx);
  double up_to = 0;
  ptrdiff_t done = 0;
  for (ptrdiff_t j = 0; j < cells && done < m; j++) {
    up_to += flat ? 1 : p[j];
    /* points below up_to */
    const double places = ceil(up_to * by - start);
    const ptrdiff_t wanted = places < (double) m ? (ptrdiff_t) places : m;
    while (done < wanted) cell[done++] = j;
  }
  ptrdiff_t last = cells - 1; /* rows left over by rounding */
  while (!flat && last > 0 && !(p[last] > 0)) last--;
  while (done < m) cell[done++] = last;
  for (ptrdiff_t i = m - 1; i > 0; i--) {
    const ptrdiff_t j = (ptrdiff_t) dpt_draw_below(ctx, (uint64_t) i + 1), swap = cell[i];
    cell[i] = cell[j];
    cell[j] = swap;
  }
}

typedef struct {
  ptrdiff_t *state, *row, *cell; /* rows */
  ptrdiff_t *first;              /* the most states of any separator, plus two */
} draw_room;

static void draw_clique(dpt_ctx *ctx, const dpt_belief *belief, int c, ptrdiff_t rows, draw_room *room, int *code) {
  const dpt_tree *tree = belief->tree;
  const ptrdiff_t rest = tree->rest[c], states = tree->cells[c] / rest;
  const double *p = belief->belief + tree->offset[c];
  find_states(tree, c, rows, code, room->state);
  memset(room->first, 0, (size_t) (states + 2) * sizeof *room->first);
  for (ptrdiff_t r = 0; r < rows; r++) room->first[room->state[r] + 2]++;
  for (ptrdiff_t s = 2; s < states + 2; s++) room->first[s] += room->first[s - 1];
  for (ptrdiff_t r = 0; r < rows; r++) room->row[room->first[room->state[r] + 1]++] = r;
  dpt_tick(ctx, rows * (4 + tree->axes[c].count - tree->inner[c]) + states);
  for (ptrdiff_t s = 0; s < states; s++) {
    const ptrdiff_t from = room->first[s], count = room->first[s + 1] - from;
    if (count == 0) continue;
    divide_group(ctx, rest, p + s * rest, count, room->cell + from);
    dpt_tick(ctx, 10 * count + 2 * rest);
  }
  ptrdiff_t step = 1;
  for (int i = 0; i < tree->inner[c]; i++) {
    const int column = tree->axes[c].column[i];
    const ptrdiff_t size = tree->size[column];
    int *own = code + (ptrdiff_t) column * rows;
    for (ptrdiff_t r = 0; r < rows; r++) own[room->row[r]] = (int) (room->cell[r] / step % size);
    step *= size;
    dpt_tick(ctx, 10 * rows);
  }
}

void dpt_tree_draw(dpt_ctx *ctx, const dpt_belief *belief, ptrdiff_t rows, int *code) {
  const dpt_tree *tree = belief->tree;
  ptrdiff_t most = 1;
  for (int c = 0; c < tree->cliques; c++) {
    const ptrdiff_t states = tree->cells[c] / tree->rest[c];
    most = states > most ? states : most;
  }
  draw_room room = {.state = DPT_NEW(ctx, ptrdiff_t, rows),
                    .row = DPT_NEW(ctx, ptrdiff_t, rows),
                    .cell = DPT_NEW(ctx, ptrdiff_t, rows),
                    .first = DPT_NEW(ctx, ptrdiff_t, most + 2)};
  for (int c = 0; c < tree->cliques; c++) {
    draw_clique(ctx, belief, c, rows, &room, code);
    ctx->fraction = (double) (c + 1) / (double) tree->cliques;
  }
}
