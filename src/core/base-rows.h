/* base-rows.h - the two operations of private mechanisms on rows of a table: counts by cell, and sums as integers by
 * group. */
#ifndef DPT_BASE_ROWS_H
#define DPT_BASE_ROWS_H

#include "base-context.h"

enum { DPT_ROWS_MAX_COLUMNS = 1024, DPT_ROWS_MAX_CELLS = 1000000000 };

/* One value per row: doubles, with NaN for missing values, or ints, with the smallest int for missing values. */
typedef struct {
  const double *real; /* or NULL */
  const int *whole;
} dpt_column;

typedef enum {
  DPT_AXIS_UNIFORM, /* floor((x - origin) * per) with x moved into [first, last], and at most size - 1. `first` is in
                     * cell 0, `last` in cell size - 1. */
  DPT_AXIS_CUTS,    /* number of the size - 1 increasing cuts that are at most x */
  DPT_AXIS_NEAR,    /* the same for cuts that are nearly equally spaced (dpt_axis_near()) */
  DPT_AXIS_CODES    /* the column has ints from 1 to size */
} dpt_axis_kind;

/* A public total map from values to `size` cells, numbered from 0. */
typedef struct {
  dpt_axis_kind kind;
  ptrdiff_t size;
  double origin, per, first, last;
  const double *cuts;
} dpt_axis;

/* Turns cuts into DPT_AXIS_NEAR if they are nearly equally spaced. The nearest of equally spaced places must
 * identify the only cut that may be on either side of a value. Checking each cut and the double below it proves this
 * for all doubles. */
void dpt_axis_near(dpt_axis *axis);

/* The cells of a table are the product of its axes, one for each of the columns, at most DPT_ROWS_MAX_CELLS, the
 * first axis fastest. Without axes there is one cell. */
typedef struct {
  int dimension;
  dpt_axis axes[DPT_ROWS_MAX_COLUMNS];
  dpt_column columns[DPT_ROWS_MAX_COLUMNS];
} dpt_table;

/* The occupied cells in that order, in arrays of the arena. If a value was `missing`, the other fields have no
 * meaning. */
typedef struct {
  bool missing;
  ptrdiff_t occupied;
  ptrdiff_t *cell;
  int64_t *number;
} dpt_row_counts;

/* weight: the weight of each row, or NULL for weights of one. */
void dpt_rows_count(dpt_ctx *ctx, const dpt_table *table, ptrdiff_t rows, const int *weight, dpt_row_counts *counts);

/* The lattice of a column, in steps of a power of two: x becomes floor(x / step + 1/2), moved into [first, last],
 * minus first. */
typedef struct {
  double step, first, last;
} dpt_row_lattice;

/* Sums rows in steps of the lattices of their columns, times the weights of the rows, by the cells of `groups`.
 * sums: cells x dimension, by column. The total weight times (last - first) must be below 2^63.
 * spreads: NULL, or sums like `sums` of z (w - z), for z of w steps, without their last dropped[j] binary digits. Then
 * w must be below 2^31, and the total weight times w^2 / 2^(2 + dropped[j]) must be below 2^63. */
void dpt_rows_sum(dpt_ctx *ctx, const dpt_row_lattice *lattices, const dpt_column *columns, int dimension,
                  const dpt_table *groups, ptrdiff_t rows, const int *weight, int64_t *sums, const int *dropped,
                  int64_t *spreads, bool *missing);

#endif
