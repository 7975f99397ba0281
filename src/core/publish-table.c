/* publish-table.c - tables over some columns, the first fastest, and loops that map one table to another.
 *
 * A table over a few columns is added to a table over many, or the latter is summed to the former. Both are one loop
 * over the cells of the larger table, with a step for each table and axis. The step is zero if a table does not have
 * the column. The loop is planned once. Axes of one code are dropped. Neighboring axes that both tables traverse
 * contiguously are joined. The innermost run is a plain loop of constant steps, mostly 0 and 1. Cost: about a
 * nanosecond per cell. The limit is memory for tables beyond the cache, and the length of a run for small ones.
 *
 * Rejected: a list of positions for each cell (four more bytes to read for each number of eight), and transposing
 * tables so that the shared columns are innermost (costs one pass more than it saves). */
#include "publish-table.h"

#include "base-simd.h"

bool dpt_axes_have(dpt_axes axes, int column) {
  for (int i = 0; i < axes.count; i++)
    if (axes.column[i] == column) return true;
  return false;
}

bool dpt_axes_have_all(dpt_axes axes, dpt_axes others) {
  for (int i = 0; i < others.count; i++)
    if (!dpt_axes_have(axes, others.column[i])) return false;
  return true;
}

double dpt_table_cells(const ptrdiff_t *size, dpt_axes axes) {
  double cells = 1;
  for (int i = 0; i < axes.count; i++) cells *= (double) size[axes.column[i]];
  return cells;
}

static ptrdiff_t step_of(const ptrdiff_t *size, dpt_axes axes, int column) {
  ptrdiff_t step = 1;
  for (int i = 0; i < axes.count; i++) {
    if (axes.column[i] == column) return step;
    step *= size[axes.column[i]];
  }
  return 0;
}

void dpt_walk_plan(dpt_walk *walk, const ptrdiff_t *size, dpt_axes over, int tables, const dpt_axes *axes) {
  int used = 0; /* the run is axis 0 at first */
  ptrdiff_t length[DPT_TABLE_BITS + 1], step[DPT_WALK_TABLES][DPT_TABLE_BITS + 1] = {{0}};
  for (int i = 0; i < over.count; i++) {
    const int column = over.column[i];
    if (size[column] == 1) continue;
    ptrdiff_t own[DPT_WALK_TABLES] = {0};
    bool joins = used > 0;
    for (int t = 0; t < tables; t++) {
      own[t] = step_of(size, axes[t], column);
      joins = joins && own[t] == step[t][used - 1] * length[used - 1];
    }
    if (joins) {
      length[used - 1] *= size[column];
      continue;
    }
    length[used] = size[column];
    for (int t = 0; t < tables; t++) step[t][used] = own[t];
    used++;
  }
  walk->length = used ? length[0] : 1;
  walk->axes = used ? used - 1 : 0;
  walk->runs = 1;
  for (int t = 0; t < DPT_WALK_TABLES; t++) walk->run_step[t] = used ? step[t][0] : 0;
  for (int a = 0; a < walk->axes; a++) {
    walk->size[a] = length[a + 1];
    walk->runs *= length[a + 1];
    for (int t = 0; t < DPT_WALK_TABLES; t++) walk->step[t][a] = step[t][a + 1];
  }
}

/* The start of a run in each table. */
typedef struct {
  ptrdiff_t at[DPT_WALK_TABLES], digit[DPT_TABLE_BITS];
} walk_place;

static walk_place place_of(const dpt_walk *walk, ptrdiff_t run) {
  walk_place place = {.at = {0}};
  for (int a = 0; a < walk->axes; a++) {
    place.digit[a] = run % walk->size[a];
    run /= walk->size[a];
    for (int t = 0; t < DPT_WALK_TABLES; t++) place.at[t] += place.digit[a] * walk->step[t][a];
  }
  return place;
}

static inline void next_run(const dpt_walk *walk, walk_place *place) {
  for (int a = 0; a < walk->axes; a++) {
    for (int t = 0; t < DPT_WALK_TABLES; t++) place->at[t] += walk->step[t][a];
    if (++place->digit[a] < walk->size[a]) return;
    place->digit[a] = 0;
    for (int t = 0; t < DPT_WALK_TABLES; t++) place->at[t] -= walk->size[a] * walk->step[t][a];
  }
}

void dpt_walk_add(const dpt_walk *walk, ptrdiff_t from, ptrdiff_t to, double *to_table, const double *table) {
  walk_place place = place_of(walk, from);
  const ptrdiff_t length = walk->length, s0 = walk->run_step[0], s1 = walk->run_step[1];
  for (ptrdiff_t run = from; run < to; run++, next_run(walk, &place)) {
    double *a = to_table + place.at[0];
    const double *b = table + place.at[1];
    if (s0 == 1 && s1 == 1) {
      DPT_SIMD("omp simd")
      for (ptrdiff_t i = 0; i < length; i++) a[i] += b[i];
    } else if (s0 == 1 && s1 == 0) {
      const double one = b[0];
      DPT_SIMD("omp simd")
      for (ptrdiff_t i = 0; i < length; i++) a[i] += one;
    } else if (s0 == 0 && s1 == 1) {
      double sum = 0;
      DPT_SIMD("omp simd reduction(+ : sum)")
      for (ptrdiff_t i = 0; i < length; i++) sum += b[i];
      a[0] += sum;
    } else {
      for (ptrdiff_t i = 0; i < length; i++) a[i * s0] += b[i * s1];
    }
  }
}

void dpt_walk_scale(const dpt_walk *walk, ptrdiff_t from, ptrdiff_t to, double *table, const double *by) {
  walk_place place = place_of(walk, from);
  const ptrdiff_t length = walk->length, s0 = walk->run_step[0], s1 = walk->run_step[1];
  for (ptrdiff_t run = from; run < to; run++, next_run(walk, &place)) {
    double *a = table + place.at[0];
    const double *b = by + place.at[1];
    for (ptrdiff_t i = 0; i < length; i++) a[i * s0] *= b[i * s1];
  }
}

void dpt_walk_product(const dpt_walk *walk, double *sum, const double *a, const double *b) {
  walk_place place = place_of(walk, 0);
  const ptrdiff_t length = walk->length, s0 = walk->run_step[0], s1 = walk->run_step[1], s2 = walk->run_step[2];
  for (ptrdiff_t run = 0; run < walk->runs; run++, next_run(walk, &place)) {
    double *c = sum + place.at[0];
    const double *x = a + place.at[1], *y = b + place.at[2];
    if (s0 == 0) {
      double total = 0;
      for (ptrdiff_t i = 0; i < length; i++) total += x[i * s1] * y[i * s2];
      c[0] += total;
    } else if (s0 == 1 && s1 == 1 && s2 == 0) {
      const double one = y[0];
      DPT_SIMD("omp simd")
      for (ptrdiff_t i = 0; i < length; i++) c[i] += x[i] * one;
    } else {
      for (ptrdiff_t i = 0; i < length; i++) c[i * s0] += x[i * s1] * y[i * s2];
    }
  }
}
