/* topology-bins.c - points counted at the nearest point of a lattice.
 *
 * One pass over the points in chunks, axis by axis, so that each column is read in order; then one pass over the
 * cells. Cost: O(points + cells), a few nanoseconds for each coordinate; the limit is reading the points. Memory: one
 * count for each cell. The nearest point of an axis is guessed as if the axis were evenly spaced, then corrected by
 * comparison with its neighbors, so that the outcome does not depend on the rounding of the guess; a point in the middle
 * between two goes up. Where the spacing is a denormal there is no guess, and the axis is halved. Rejected: sorting the
 * cell numbers of the points (several passes over all of them, to save memory only where almost all cells are empty). */
#include "topology-bins.h"

#include <math.h>
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

/* The last point of the axis that is not above x, which is within it. */
static ptrdiff_t bisect(const axis_search *search, double x) {
  ptrdiff_t low = 0, high = search->last;
  while (high - low > 1) {
    const ptrdiff_t middle = low + (high - low) / 2;
    if (search->axis[middle] <= x) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static ptrdiff_t guess_place(const axis_search *search, double x) {
  const double guess = (x - search->axis[0]) * search->per_step + 0.5;
  if (!(guess < INFINITY)) return bisect(search, x); /* the spacing is a denormal, its inverse infinite */
  return guess < (double) search->last ? (ptrdiff_t) guess : search->last;
}

static ptrdiff_t nearest(const axis_search *search, double x) {
  const double *axis = search->axis;
  if (x <= axis[0]) return 0;
  if (x >= axis[search->last]) return search->last;
  ptrdiff_t i = guess_place(search, x);
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

void dpt_bins_count(dpt_ctx *ctx, const dpt_lattice *lattice, const double *points, ptrdiff_t count, dpt_bins *bins) {
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
}
