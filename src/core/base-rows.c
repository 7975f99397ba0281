/* base-rows.c - counts of rows by cell, and sums of rows as integers by group.
 *
 * Counting. One pass over the rows in chunks that stay in the first cache, column by column, so that each is read in
 * order. A column turns the chunk's cell numbers into cell numbers of the next product, then the chunk is counted.
 * The maps are loops without branches. On the way to a cell there are only subtractions and products, never a
 * product followed by a sum: a compiler that fuses the two would give a different cell than a database. Cost: O(rows
 * x columns + cells). The limit is reading memory, 8 bytes per double, 0.6 ns on one core of 2023 (finding the
 * maximum takes as long). Measured there: 2 ns per value for cells of one width and for integer steps. Between cuts,
 * 3 ns plus about 0.7 ns for each halving of the cuts: 7 ns for 40 cells and 10 ns for 1,000. Counting itself waits
 * for the cache that holds the counts.
 *
 * Rejected: a search in the axis for each value (several times slower for many cells of one width); such searches
 * one value after the other (every second halving is mispredicted: 24 ns for 40 cells); sorting the cell numbers
 * (several passes over all of them, and less memory only if almost all cells are empty); threads (two, with their
 * own tables, read no faster than one, and wait for each other on a busy machine).
 *
 * Sums. Steps are integers of at most 63 bits in total, so that sums do not depend on the order either. */
#include "base-rows.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 2048 };

static bool any_missing(const double *value, int count) {
  int missing = 0;
  for (int i = 0; i < count; i++) missing |= value[i] != value[i];
  return missing != 0;
}

/* Returns the values of a chunk of a column as doubles, in place or in `room`. */
static const double *read_chunk(const dpt_column *column, ptrdiff_t from, int count, double *room, bool *missing) {
  if (column->real != NULL) {
    *missing |= any_missing(column->real + from, count);
    return column->real + from;
  }
  const int *whole = column->whole + from;
  int absent = 0;
  for (int i = 0; i < count; i++) {
    room[i] = (double) whole[i];
    absent |= whole[i] == INT_MIN;
  }
  *missing |= absent != 0;
  return room;
}

/* Moves x into [first, last]. NaN becomes `first`. Written this way, minimum and maximum are one processor
 * instruction each. */
static double within(double x, double first, double last) {
  x = x > first ? x : first;
  return x < last ? x : last;
}

static void add_uniform(const dpt_axis *axis, const double *value, int count, int32_t stride, int32_t *cell) {
  const double origin = axis->origin, per = axis->per, first = axis->first, last = axis->last;
  const int32_t highest = (int32_t) axis->size - 1;
  for (int i = 0; i < count; i++) {
    const int32_t place = (int32_t) ((within(value[i], first, last) - origin) * per);
    cell[i] += stride * (place < highest ? place : highest);
  }
}

/* Halves the remaining cuts for all values of a chunk before the next halving. No value waits for another, and a
 * mask replaces the branch. */
static void add_cuts(const dpt_axis *axis, const double *value, int count, int32_t stride, int32_t *cell) {
  int32_t below[CHUNK] = {0}, half;
  for (int32_t left = (int32_t) axis->size - 1; left > 0; left -= half) {
    half = (left + 1) / 2;
    const double *cut = axis->cuts + half - 1;
    for (int i = 0; i < count; i++) below[i] += half & -(int32_t) (cut[below[i]] <= value[i]);
  }
  for (int i = 0; i < count; i++) cell[i] += stride * below[i];
}

/* Returns the number (from 1) of the equally spaced place nearest to x. It never falls as x grows. */
static int32_t nearest_place(double x, double first, double last, double per) {
  return (int32_t) ((within(x, first, last) - first) * per + 1.5);
}

void dpt_axis_near(dpt_axis *axis) {
  const ptrdiff_t count = axis->size - 1;
  if (count < 2) return;
  const double *cuts = axis->cuts, first = cuts[0], last = cuts[count - 1];
  const double per = (double) (count - 1) / (last - first);
  if (!(per > 0 && per <= DBL_MAX && last - first <= DBL_MAX)) return;
  for (ptrdiff_t k = 0; k < count; k++) {
    const int32_t at = nearest_place(cuts[k], first, last, per);
    const int32_t below = nearest_place(nextafter(cuts[k], -DBL_MAX), first, last, per);
    if (at < k + 1 || at > count || below > k + 1) return;
  }
  *axis = (dpt_axis){DPT_AXIS_NEAR, axis->size, first, per, first, last, cuts};
}

/* Compares each value with the cut at its place only. No other cut can be on the wrong side. */
static void add_near(const dpt_axis *axis, const double *value, int count, int32_t stride, int32_t *cell) {
  const double *cuts = axis->cuts, first = axis->first, last = axis->last, per = axis->per;
  for (int i = 0; i < count; i++) {
    const int32_t place = nearest_place(value[i], first, last, per);
    cell[i] += stride * (place - (value[i] < cuts[place - 1]));
  }
}

static bool add_codes(const int *code, int count, int32_t stride, int32_t *cell) {
  bool missing = false;
  for (int i = 0; i < count; i++) {
    missing |= code[i] == INT_MIN;
    cell[i] += stride * (code[i] == INT_MIN ? 0 : code[i] - 1);
  }
  return missing;
}

/* Finds the cells of a chunk of rows. Returns whether a value is missing. */
static bool find_cells(const dpt_table *table, ptrdiff_t from, int count, int32_t *cell) {
  int32_t stride = 1;
  double room[CHUNK];
  bool missing = false;
  memset(cell, 0, (size_t) count * sizeof *cell);
  for (int j = 0; j < table->dimension; j++) {
    const dpt_axis *axis = table->axes + j;
    const dpt_column *column = table->columns + j;
    if (axis->kind == DPT_AXIS_CODES) {
      missing |= add_codes(column->whole + from, count, stride, cell);
    } else {
      const double *value = read_chunk(column, from, count, room, &missing);
      if (axis->kind == DPT_AXIS_UNIFORM) {
        add_uniform(axis, value, count, stride, cell);
      } else if (axis->kind == DPT_AXIS_NEAR) {
        add_near(axis, value, count, stride, cell);
      } else {
        add_cuts(axis, value, count, stride, cell);
      }
    }
    stride *= (int32_t) axis->size;
  }
  return missing;
}

static bool count_chunk(const dpt_table *table, ptrdiff_t from, int count, const int *weight, int64_t *number) {
  int32_t cell[CHUNK];
  const bool missing = find_cells(table, from, count, cell);
  if (weight == NULL) {
    for (int i = 0; i < count; i++) number[cell[i]]++;
  } else {
    for (int i = 0; i < count; i++) number[cell[i]] += weight[from + i];
  }
  return missing;
}

static ptrdiff_t cell_count(const dpt_table *table) {
  ptrdiff_t cells = 1;
  for (int j = 0; j < table->dimension; j++) cells *= table->axes[j].size;
  return cells;
}

/* Moves the occupied cells to the front of the counts. */
static void gather(dpt_ctx *ctx, ptrdiff_t cells, dpt_row_counts *counts) {
  for (ptrdiff_t i = 0; i < cells; i++) {
    if (counts->number[i] > 0) {
      counts->cell[counts->occupied] = i;
      counts->number[counts->occupied++] = counts->number[i];
    }
    if (i % CHUNK == 0) dpt_tick(ctx, CHUNK);
  }
}

void dpt_rows_count(dpt_ctx *ctx, const dpt_table *table, ptrdiff_t rows, const int *weight, dpt_row_counts *counts) {
  const ptrdiff_t cells = cell_count(table);
  counts->cell = DPT_NEW(ctx, ptrdiff_t, rows < cells ? rows : cells);
  counts->number = DPT_NEW(ctx, int64_t, cells);
  memset(counts->number, 0, (size_t) cells * sizeof *counts->number);
  counts->missing = false;
  counts->occupied = 0;
  for (ptrdiff_t from = 0; from < rows; from += CHUNK) {
    const int count = rows - from < CHUNK ? (int) (rows - from) : CHUNK;
    counts->missing |= count_chunk(table, from, count, weight, counts->number);
    ctx->fraction = (double) from / (double) rows;
    dpt_tick(ctx, (int64_t) count * 2 * table->dimension);
  }
  gather(ctx, cells, counts);
}

/* floor(x / step + 1/2) within the lattice, minus its first step. Moving x into the bounds before rounding is exact:
 * a step is a power of two, and the bounds are fewer than 2^52 steps from zero, so that adding the half is exact. */
static int64_t whole_steps(const dpt_row_lattice *lattice, double x) {
  const double place = within(x, lattice->first * lattice->step, lattice->last * lattice->step) / lattice->step + 0.5;
  const int64_t cut = (int64_t) place; /* rounds toward zero, because floor() itself is a function call */
  return cut - ((double) cut > place) - (int64_t) lattice->first;
}

static void add_steps(const dpt_row_lattice *lattice, const double *value, int count, const int *weight,
                      const int32_t *group, int64_t *sums) {
  if (weight == NULL) {
    for (int i = 0; i < count; i++) sums[group[i]] += whole_steps(lattice, value[i]);
  } else {
    for (int i = 0; i < count; i++) sums[group[i]] += weight[i] * whole_steps(lattice, value[i]);
  }
}

static void add_spreads(const dpt_row_lattice *lattice, int dropped, const double *value, int count, const int *weight,
                        const int32_t *group, int64_t *sums, int64_t *spreads) {
  const int64_t most = (int64_t) (lattice->last - lattice->first);
  for (int i = 0; i < count; i++) {
    const int64_t steps = whole_steps(lattice, value[i]), times = weight == NULL ? 1 : weight[i];
    sums[group[i]] += times * steps;
    spreads[group[i]] += times * ((steps * (most - steps)) >> dropped);
  }
}

void dpt_rows_sum(dpt_ctx *ctx, const dpt_row_lattice *lattices, const dpt_column *columns, int dimension,
                  const dpt_table *groups, ptrdiff_t rows, const int *weight, int64_t *sums, const int *dropped,
                  int64_t *spreads, bool *missing) {
  const ptrdiff_t size = cell_count(groups);
  int32_t group[CHUNK];
  double room[CHUNK];
  *missing = false;
  memset(sums, 0, (size_t) (size * dimension) * sizeof *sums);
  if (spreads != NULL) memset(spreads, 0, (size_t) (size * dimension) * sizeof *spreads);
  for (ptrdiff_t from = 0; from < rows; from += CHUNK) {
    const int count = rows - from < CHUNK ? (int) (rows - from) : CHUNK;
    *missing |= find_cells(groups, from, count, group);
    for (int j = 0; j < dimension; j++) {
      const double *value = read_chunk(columns + j, from, count, room, missing);
      const int *times = weight == NULL ? NULL : weight + from;
      if (spreads == NULL) {
        add_steps(lattices + j, value, count, times, group, sums + j * size);
      } else {
        add_spreads(lattices + j, dropped[j], value, count, times, group, sums + j * size, spreads + j * size);
      }
    }
    ctx->fraction = (double) from / (double) rows;
    dpt_tick(ctx, (int64_t) count * 4 * (dimension + groups->dimension));
  }
}
