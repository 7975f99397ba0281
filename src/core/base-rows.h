/* base-rows.h - rows of a table touched in the two ways that private mechanisms touch them: counted by cell, and summed
 * as whole numbers by group. */
#ifndef DPT_BASE_ROWS_H
#define DPT_BASE_ROWS_H

#include "base-context.h"

enum { DPT_ROWS_MAX_COLUMNS = 1024, DPT_ROWS_MAX_CELLS = 1000000000 };

/* One value a row: doubles, where NaN is a missing value, or ints, where the least int is. */
typedef struct {
  const double *real; /* or NULL */
  const int *whole;
} dpt_column;

typedef enum {
  DPT_AXIS_UNIFORM, /* floor((x - origin) * per) with x moved into [first, last], size - 1 where that is less; `first` is
                       in cell 0, `last` in cell size - 1 */
  DPT_AXIS_CUTS,    /* how many of the size - 1 increasing cuts are at most x */
  DPT_AXIS_NEAR,    /* the same, of cuts that are nearly equally spaced (dpt_axis_near()) */
  DPT_AXIS_CODES    /* the column has ints from 1 to size */
} dpt_axis_kind;

/* A public total map from a value to one of `size` cells, from 0. */
typedef struct {
  dpt_axis_kind kind;
  ptrdiff_t size;
  double origin, per, first, last;
  const double *cuts;
} dpt_axis;

/* Cuts of which the place of a value among equally spaced ones tells one that alone may be at or above it, below those that
 * are, become DPT_AXIS_NEAR; that this holds of all doubles is seen at each cut and at the double below it. */
void dpt_axis_near(dpt_axis *axis);

/* The cells of a table are the product of its axes, one for each of the columns, at most DPT_ROWS_MAX_CELLS, the first
 * axis fastest. Without axes it has one cell. */
typedef struct {
  int dimension;
  dpt_axis axes[DPT_ROWS_MAX_COLUMNS];
  dpt_column columns[DPT_ROWS_MAX_COLUMNS];
} dpt_table;

/* The occupied cells in that order; the arrays are in the arena. `missing`: whether a value was missing, then the rest is
 * no matter. */
typedef struct {
  bool missing;
  ptrdiff_t occupied;
  ptrdiff_t *cell;
  int64_t *number;
} dpt_row_counts;

/* weight: what each row counts, NULL where each counts one. */
void dpt_rows_count(dpt_ctx *ctx, const dpt_table *table, ptrdiff_t rows, const int *weight, dpt_row_counts *counts);

/* The lattice of a column, in steps of a power of two: x becomes floor(x / step + 1/2), moved into [first, last], less
 * first. */
typedef struct {
  double step, first, last;
} dpt_row_lattice;

/* Sums rows in steps of the lattices of their columns, each as many times as it weighs, by the cells of `groups`. sums:
 * cells x dimension, by column. What all rows weigh times (last - first) must be below 2^63. */
void dpt_rows_sum(dpt_ctx *ctx, const dpt_row_lattice *lattices, const dpt_column *columns, int dimension,
                  const dpt_table *groups, ptrdiff_t rows, const int *weight, int64_t *sums, bool *missing);

#endif
