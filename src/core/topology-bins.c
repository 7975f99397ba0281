/* topology-bins.c - points counted at the nearest point of a lattice.
 *
 * One pass over the points in chunks, axis by axis, so that each column is read in order; then one pass over the
 * cells. Cost: O(points + cells), a few nanoseconds for each coordinate; the limit is reading the points. Memory: one
 * count for each cell. The nearest point of an axis is guessed as if the axis were evenly spaced, then corrected by
 * comparison with its neighbors, so that the outcome does not depend on the rounding of the guess; a point in the middle
 * between two goes up. Rejected: sorting the cell numbers of the points (several passes over all of them, to save
 * memory only where almost all cells are empty). */
#include "topology-bins.h"

#include <string.h>

enum { CHUNK = 4096 };

typedef struct {
  const double *axis;
  ptrdiff_t last;
  double per_step;
} axis_search;

static axis_search search_axis(const double *axis, ptrdiff_t size) {
  axis_search search = {axis, size - 1, 0};
  if (size > 1) search.per_step = (double) (size - 1) / (axis[size - 1] - axis[0]);
  return search;
}

static ptrdiff_t nearest(const axis_search *search, double x) {
  const double *axis = search->axis;
  if (x <= axis[0]) return 0;
  if (x >= axis[search->last]) return search->last;
  double guess = (x - axis[0]) * search->per_step + 0.5; /* infinite where the spacing is a denormal */
  ptrdiff_t i = guess < (double) search->last ? (ptrdiff_t) guess : search->last;
  while (i > 0 && x - axis[i - 1] < axis[i] - x) i--;
  while (i < search->last && x - axis[i] >= axis[i + 1] - x) i++;
  return i;
}

static void count_chunk(const dpt_lattice *lattice, const axis_search *search, const double *points, ptrdiff_t rows,
                        ptrdiff_t count, ptrdiff_t *number) {
  ptrdiff_t cell[CHUNK] = {0}, stride = 1;
  for (int j = 0; j < lattice->dimension; j++) {
    const double *x = points + j * rows;
    for (ptrdiff_t i = 0; i < count; i++) cell[i] += stride * nearest(search + j, x[i]);
    stride *= lattice->size[j];
  }
  for (ptrdiff_t i = 0; i < count; i++) number[cell[i]]++;
}

static ptrdiff_t cell_count(const dpt_lattice *lattice) {
  ptrdiff_t cells = 1;
  for (int j = 0; j < lattice->dimension; j++) cells *= lattice->size[j];
  return cells;
}

/* Moves the occupied cells to the front of the counts. */
static void gather(dpt_ctx *ctx, ptrdiff_t cells, dpt_bins *bins) {
  for (ptrdiff_t i = 0; i < cells; i++) {
    if (bins->number[i] > 0) {
      bins->cell[bins->count] = i;
      bins->number[bins->count++] = bins->number[i];
    }
    if (i % CHUNK == 0) dpt_tick(ctx, CHUNK);
  }
}

dpt_status dpt_bins_count(dpt_ctx *ctx, const dpt_lattice *lattice, const double *points, ptrdiff_t count,
                          dpt_bins *bins) {
  const ptrdiff_t cells = cell_count(lattice);
  axis_search search[DPT_BINS_MAX_DIMENSION];
  for (int j = 0; j < lattice->dimension; j++) search[j] = search_axis(lattice->axis[j], lattice->size[j]);
  bins->count = 0;
  bins->cell = DPT_NEW(ctx, ptrdiff_t, count < cells ? count : cells);
  bins->number = DPT_NEW(ctx, ptrdiff_t, cells);
  memset(bins->number, 0, (size_t) cells * sizeof *bins->number);
  for (ptrdiff_t from = 0; from < count; from += CHUNK) {
    ptrdiff_t size = count - from < CHUNK ? count - from : CHUNK;
    count_chunk(lattice, search, points + from, count, size, bins->number);
    ctx->fraction = (double) from / (double) count;
    dpt_tick(ctx, 4 * size * lattice->dimension);
  }
  gather(ctx, cells, bins);
  return DPT_OK;
}
