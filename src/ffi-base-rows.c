/* ffi-base-rows.c - counts of rows in memory by cell, their sums by group, and their weights by people, for R. */
#include "ffi.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "base-people.h"
#include "base-rows.h"
#include "ffi-base-rows.h"
#include "ffi-read.h"

typedef struct {
  int dimension;
  ptrdiff_t rows;
  dpt_column column[DPT_ROWS_MAX_COLUMNS];
} row_columns;

static ptrdiff_t read_column(SEXP x, dpt_column *column) {
  *column = (dpt_column){NULL, NULL};
  if (TYPEOF(x) == REALSXP) {
    column->real = REAL_RO(x);
  } else if (TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP) {
    column->whole = TYPEOF(x) == INTSXP ? INTEGER_RO(x) : LOGICAL_RO(x);
  } else {
    ffi_refuse("columns", "vectors of doubles or integers");
  }
  return (ptrdiff_t) XLENGTH(x);
}

/* Reads a matrix of doubles, or a list of vectors of one length. */
static row_columns read_columns(SEXP columns) {
  row_columns read = {0};
  if (TYPEOF(columns) == REALSXP) {
    const ffi_matrix matrix = ffi_any_matrix(columns, "columns");
    if (matrix.columns < 1 || matrix.columns > DPT_ROWS_MAX_COLUMNS) ffi_refuse("columns", "1 to 1024");
    read.dimension = (int) matrix.columns;
    read.rows = matrix.rows;
    for (int j = 0; j < read.dimension; j++) read.column[j] = (dpt_column){matrix.at + j * matrix.rows, NULL};
    return read;
  }
  ffi_list(columns, 1, DPT_ROWS_MAX_COLUMNS, "columns");
  read.dimension = (int) XLENGTH(columns);
  for (int j = 0; j < read.dimension; j++) {
    const ptrdiff_t rows = read_column(VECTOR_ELT(columns, j), read.column + j);
    if (j > 0 && rows != read.rows) ffi_refuse("columns", "of one length");
    read.rows = rows;
  }
  return read;
}

static double field(SEXP axis, const char *name) {
  return ffi_number(ffi_element(axis, name), -DBL_MAX, DBL_MAX, name);
}

static bool is_increasing(ffi_vector cuts) {
  for (ptrdiff_t i = 1; i < cuts.count; i++)
    if (!(cuts.at[i - 1] < cuts.at[i])) return false;
  return true;
}

static dpt_axis read_uniform(SEXP axis, ptrdiff_t size) {
  const dpt_axis read = {DPT_AXIS_UNIFORM,    size, field(axis, "origin"), field(axis, "per"), field(axis, "first"),
                         field(axis, "last"), NULL};
  const double lowest = (read.first - read.origin) * read.per, highest = (read.last - read.origin) * read.per;
  /* The map never falls, so these two bounds keep all values within the table. */
  const bool within = read.per > 0 && read.first <= read.last && lowest >= 0 && (size == 1 || lowest < 1) &&
                      highest >= (double) (size - 1) && highest <= DPT_ROWS_MAX_CELLS;
  if (!within) ffi_refuse("axes", "cells from 0 to size - 1");
  return read;
}

/* Reads list(size, origin, per, first, last), list(size, cuts) or list(size). */
static dpt_axis read_axis(SEXP axis) {
  const ptrdiff_t size = ffi_count(ffi_element(axis, "size"), 1, DPT_ROWS_MAX_CELLS, "size");
  if (ffi_element(axis, "origin") != R_NilValue) return read_uniform(axis, size);
  if (ffi_element(axis, "cuts") == R_NilValue) return (dpt_axis){DPT_AXIS_CODES, size, 0, 0, 0, 0, NULL};
  const ffi_vector cuts = ffi_doubles_within(ffi_element(axis, "cuts"), -DBL_MAX, DBL_MAX, "cuts");
  if (cuts.count != size - 1 || !is_increasing(cuts)) ffi_refuse("cuts", "increasing, one fewer than the cells");
  dpt_axis read = {DPT_AXIS_CUTS, size, 0, 0, 0, 0, cuts.at};
  dpt_axis_near(&read);
  return read;
}

static void check_codes(const int *code, ptrdiff_t rows, ptrdiff_t size) {
  bool good = code != NULL;
  if (good)
    for (ptrdiff_t i = 0; i < rows; i++) good &= (code[i] >= 1 && code[i] <= size) || code[i] == INT_MIN;
  if (!good) ffi_refuse("columns", "integers from 1 to the number of cells");
}

ffi_row_weights ffi_read_weights(SEXP weights, ptrdiff_t rows) {
  if (weights == R_NilValue) return (ffi_row_weights){NULL, (double) rows};
  const ffi_integers each = ffi_whole(weights, "weights");
  if (each.count != rows) ffi_refuse("weights", "one for each row");
  int64_t total = 0;
  bool good = true;
  for (ptrdiff_t i = 0; i < rows; i++) {
    good &= each.at[i] >= 0;
    total += each.at[i];
  }
  if (!good || (double) total > 0x1p52) ffi_refuse("weights", "integers of at least 0, at most 2^52 in total");
  return (ffi_row_weights){each.at, (double) total};
}

typedef struct {
  ptrdiff_t rows;
  ffi_row_weights weights;
  dpt_table table;
} count_request;

/* Reads columns (a matrix of doubles or a list of vectors) and axes, one for each column. Returns the number of
 * rows, or -1 without columns. */
static ptrdiff_t read_table(SEXP columns, SEXP axes, dpt_table *table) {
  table->dimension = 0;
  if (axes == R_NilValue) return -1;
  const row_columns read = read_columns(columns);
  ffi_list(axes, read.dimension, read.dimension, "axes");
  double cells = 1;
  for (int j = 0; j < read.dimension; j++) {
    const dpt_axis axis = read_axis(VECTOR_ELT(axes, j));
    if (axis.kind == DPT_AXIS_CODES) check_codes(read.column[j].whole, read.rows, axis.size);
    table->axes[j] = axis;
    table->columns[j] = read.column[j];
    cells *= (double) axis.size;
  }
  if (cells > DPT_ROWS_MAX_CELLS) ffi_refuse("axes", "of fewer cells altogether");
  table->dimension = read.dimension;
  return read.rows;
}

/* Returns list(cell = occupied cells from 1, count = total weight of the rows in each), or NULL if a value is
 * missing. */
static SEXP count_rows(dpt_ctx *ctx, void *data) {
  const count_request *request = data;
  dpt_row_counts counts;
  dpt_rows_count(ctx, &request->table, request->rows, request->weights.each, &counts);
  if (counts.missing) return R_NilValue;
  SEXP cell = ffi_keep(ctx, ffi_new_doubles(counts.occupied));
  SEXP count = ffi_keep(ctx, ffi_new_doubles(counts.occupied));
  for (ptrdiff_t i = 0; i < counts.occupied; i++) {
    REAL(cell)[i] = (double) (counts.cell[i] + 1);
    REAL(count)[i] = (double) counts.number[i];
  }
  const char *names[] = {"cell", "count"};
  const SEXP values[] = {cell, count};
  return ffi_named_list(2, names, values);
}

/* weights: integers, or NULL if each row counts one. */
SEXP ffi_base_count_rows(SEXP columns, SEXP axes, SEXP weights, SEXP options) {
  count_request request;
  request.rows = read_table(columns, axes, &request.table);
  if (request.rows < 0) ffi_refuse("axes", "a list");
  request.weights = ffi_read_weights(weights, request.rows);
  return ffi_call(count_rows, &request, options);
}

typedef struct {
  row_columns columns;
  ffi_row_weights weights;
  dpt_row_lattice lattice[DPT_ROWS_MAX_COLUMNS];
  bool spread;
  int dropped[DPT_ROWS_MAX_COLUMNS];
  dpt_table groups;
  ptrdiff_t group_count;
} sum_request;

/* Returns a matrix with one row per group and one column per column, followed by the spreads of these columns if they
 * are requested, or NULL if a value is missing. */
static SEXP sum_rows(dpt_ctx *ctx, void *data) {
  const sum_request *request = data;
  const row_columns *columns = &request->columns;
  const ptrdiff_t each = request->group_count * columns->dimension, count = request->spread ? 2 * each : each;
  int64_t *sums = DPT_NEW(ctx, int64_t, count);
  bool missing;
  dpt_rows_sum(ctx, request->lattice, columns->column, columns->dimension, &request->groups, columns->rows,
               request->weights.each, sums, request->dropped, request->spread ? sums + each : NULL, &missing);
  if (missing) return R_NilValue;
  SEXP result = ffi_keep(ctx, ffi_new_matrix(request->group_count, (request->spread ? 2 : 1) * columns->dimension));
  for (ptrdiff_t i = 0; i < count; i++) REAL(result)[i] = (double) sums[i];
  return result;
}

/* Reads a lattice. The sums of all rows must be exact doubles, and so must a half beside the bounds. Otherwise the
 * bounds themselves would have been rounded. */
static void read_lattice(SEXP lattice, const row_columns *columns, double total, sum_request *request) {
  const ffi_matrix table = ffi_finite_matrix(lattice, "lattice");
  request->spread = table.columns == 4;
  if (table.rows != columns->dimension || (table.columns != 3 && !request->spread))
    ffi_refuse("lattice", "a row for each column");
  for (int j = 0; j < columns->dimension; j++) {
    const double step = table.at[j], first = table.at[j + table.rows], last = table.at[j + 2 * table.rows];
    const bool whole = first == floor(first) && last == floor(last) && fabs(first) <= 0x1p52 && fabs(last) < 0x1p52;
    const bool good = whole && step > 0 && first <= last && (last - first) * total <= 0x1p53 &&
                      fabs(first * step) <= DBL_MAX && fabs(last * step) <= DBL_MAX;
    if (!good) ffi_refuse("lattice", "of steps above zero and whole ends whose sums are exact");
    request->lattice[j] = (dpt_row_lattice){step, first, last};
    if (!request->spread) continue;
    const double dropped = table.at[j + 3 * table.rows], steps = last - first;
    if (!(dropped >= 0 && dropped <= 60 && dropped == floor(dropped) && steps <= 0x1p30 &&
          total * steps * steps <= ldexp(1, 55 + (int) dropped)))
      ffi_refuse("lattice", "of dropped digits that leave exact sums");
    request->dropped[j] = (int) dropped;
  }
}

/* lattice: a matrix with the columns step, first and last, and a fourth, the dropped digits, if spreads are requested,
 * and a row for each column. group_columns and axes: as for
 * counts, or NULL for one group. weights: as for counts. */
SEXP ffi_base_sum_rows(SEXP columns, SEXP lattice, SEXP group_columns, SEXP axes, SEXP weights, SEXP options) {
  sum_request request = {.columns = read_columns(columns)};
  request.weights = ffi_read_weights(weights, request.columns.rows);
  read_lattice(lattice, &request.columns, request.weights.total, &request);
  const ptrdiff_t rows = read_table(group_columns, axes, &request.groups);
  if (rows >= 0 && rows != request.columns.rows) ffi_refuse("group_columns", "of the length of the columns");
  request.group_count = 1;
  for (int j = 0; j < request.groups.dimension; j++) request.group_count *= request.groups.axes[j].size;
  return ffi_call(sum_rows, &request, options);
}

typedef struct {
  row_columns columns;
  ffi_integers owner;
  ptrdiff_t people;
  int weight;
} weigh_request;

/* Returns an integer for each row. */
static SEXP weigh_rows(dpt_ctx *ctx, void *data) {
  const weigh_request *request = data;
  const row_columns *columns = &request->columns;
  SEXP weights = ffi_keep(ctx, ffi_new_integers(request->owner.count));
  dpt_people_weigh(ctx, columns->column, columns->dimension, request->owner.at, request->owner.count, request->people,
                   request->weight, INTEGER(weights));
  return weights;
}

/* columns: as for counts, all of them. owner: the person of each row, from 1 to `people`. weight: total of a person. */
SEXP ffi_base_weigh_rows(SEXP columns, SEXP owner, SEXP people, SEXP weight, SEXP options) {
  weigh_request request = {.columns = read_columns(columns), .owner = ffi_whole(owner, "owner")};
  request.people = ffi_count(people, 0, INT_MAX, "people");
  request.weight = (int) ffi_count(weight, 1, DPT_PEOPLE_MAX_WEIGHT, "weight");
  bool good = request.owner.count == request.columns.rows;
  int last = 0;
  for (ptrdiff_t i = 0; good && i < request.owner.count; i++) {
    good = request.owner.at[i] >= 1 && request.owner.at[i] <= request.people;
    if (request.owner.at[i] > last) last = request.owner.at[i];
  }
  if (!good) ffi_refuse("owner", "an integer from 1 to the number of people for each row");
  request.people = last; /* People without rows take no memory or time. */
  return ffi_call(weigh_rows, &request, options);
}
