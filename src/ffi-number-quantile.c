/* ffi-number-quantile.c - quantiles drawn by their ranks, for R. */
#include "ffi.h"

#include <math.h>
#include <string.h>

#include "ffi-read.h"
#include "number-quantile.h"

static const double most_rows = 4503599627370496; /* 2^52 */
static const double most_cells = 16777216;        /* 2^24 */

static double read_epsilon(SEXP epsilon) { return ffi_number(epsilon, 0, 1024, "epsilon"); }

typedef struct {
  double epsilon, most;
} weights_request;

/* Returns the weights as doubles, for display, or none if there would be too many. */
static SEXP rank_weights(dpt_ctx *ctx, void *data) {
  const weights_request *request = data;
  dpt_rank_weights weights;
  if (!dpt_rank_weights_make(ctx, request->epsilon, request->most, &weights)) return ffi_new_doubles(0);
  SEXP result = ffi_keep(ctx, ffi_new_doubles(weights.last + 1));
  for (ptrdiff_t k = 0; k <= weights.last; k++) REAL(result)[k] = (double) weights.weight[k];
  return result;
}

/* Returns the weights of distances 0, 1, ... up to `most`, or up to the last different weight. */
SEXP ffi_number_rank_weights(SEXP epsilon, SEXP most, SEXP options) {
  weights_request request = {read_epsilon(epsilon), (double) ffi_count(most, 0, (ptrdiff_t) most_rows, "most")};
  return ffi_call(rank_weights, &request, options);
}

static bool is_whole(double x) { return x == floor(x); }

/* Numerator, denominator, and unit, as dpt_rank_of_share() takes them. */
static bool is_share(const double *share) {
  for (int j = 0; j < 3; j++)
    if (!(is_whole(share[j]) && share[j] >= 1 && share[j] <= 1073741824)) return false;
  return share[0] < share[1] && share[2] <= 64 && fmod(share[2], 2) == 0;
}

/* `least`: the smallest number of occupied cells. */
static dpt_line read_line(SEXP cell, SEXP count, SEXP cells, ptrdiff_t least, double *rows) {
  double size = (double) ffi_count(cells, 1, (ptrdiff_t) most_cells, "cells");
  ffi_vector cell_of = ffi_doubles_within(cell, 1, size, "cell");
  ffi_vector count_of = ffi_doubles_within(count, 1, most_rows, "count");
  if (cell_of.count != count_of.count || cell_of.count < least) ffi_refuse("count", "one number for each cell");
  *rows = 0;
  for (ptrdiff_t i = 0; i < cell_of.count; i++) {
    if (!is_whole(cell_of.at[i]) || (i > 0 && cell_of.at[i] <= cell_of.at[i - 1]))
      ffi_refuse("cell", "integers that increase");
    if (!is_whole(count_of.at[i])) ffi_refuse("count", "integers");
    *rows += count_of.at[i];
    if (*rows > most_rows) ffi_refuse("count", "at most 2^52 in all");
  }
  return (dpt_line){cell_of.count, cell_of.at, count_of.at, size};
}

/* ---- one target at a time ---- */

typedef struct {
  dpt_line line;
  const dpt_rank_target *target;
  ptrdiff_t count;
  double epsilon, most;
} ranks_request;

static SEXP draw_ranks(dpt_ctx *ctx, void *data) {
  const ranks_request *request = data;
  SEXP cell = ffi_keep(ctx, ffi_new_doubles(request->count));
  dpt_rank_weights weights;
  if (!dpt_rank_weights_make(ctx, request->epsilon, request->most, &weights))
    dpt_escape(ctx, DPT_ERROR_ARGUMENT, "epsilon is too small for weights of so many ranks");
  for (ptrdiff_t i = 0; i < request->count; i++)
    REAL(cell)[i] = dpt_draw_rank(ctx, &request->line, &weights, request->target[i]);
  return cell;
}

/* Draws a cell, from 0, for each rank, for rows in occupied cells, numbered from 1. Each draw has the privacy
 * parameter `epsilon`. */
SEXP ffi_number_draw_ranks(SEXP cell, SEXP count, SEXP cells, SEXP ranks, SEXP epsilon, SEXP options) {
  ranks_request request = {.epsilon = read_epsilon(epsilon)};
  request.line = read_line(cell, count, cells, 1, &request.most);
  ffi_vector all = ffi_doubles_within(ranks, 1, request.most, "ranks");
  request.count = all.count;
  dpt_rank_target *target = (dpt_rank_target *) R_alloc((size_t) all.count + 1, sizeof(dpt_rank_target));
  for (ptrdiff_t i = 0; i < all.count; i++) {
    if (!is_whole(all.at[i])) ffi_refuse("ranks", "integers");
    target[i] = dpt_rank_of(all.at[i]);
  }
  request.target = target;
  return ffi_call(draw_ranks, &request, options);
}

/* A fraction of a private number of rows (dpt_rank_of_share()) and the privacy parameter of its draw, by units. */
typedef struct {
  int64_t numerator, denominator, unit;
  double epsilon;
} share;

typedef struct {
  dpt_line line;
  const share *shares;
  ptrdiff_t count;
  double rows;
} shares_request;

static SEXP draw_shares(dpt_ctx *ctx, void *data) {
  const shares_request *request = data;
  SEXP cell = ffi_keep(ctx, ffi_new_doubles(request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    const share *one = request->shares + i;
    /* a table is as long as the number of rows, so only one at a time is in memory */
    const dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
    dpt_rank_weights weights;
    if (!dpt_rank_weights_make(ctx, one->epsilon, request->rows * (double) one->unit, &weights))
      dpt_escape(ctx, DPT_ERROR_ARGUMENT, "epsilon is too small for weights of so many ranks");
    dpt_rank_target target = dpt_rank_of_share(request->rows, one->numerator, one->denominator, one->unit);
    REAL(cell)[i] = dpt_draw_rank(ctx, &request->line, &weights, target);
    dpt_arena_release(&ctx->arena, mark);
  }
  return cell;
}

static const share *read_shares(SEXP shares, ptrdiff_t *count) {
  ffi_matrix all = ffi_finite_matrix(shares, "shares");
  if (all.columns != 4) ffi_refuse("shares", "a matrix of four columns");
  *count = all.rows;
  share *read = (share *) R_alloc((size_t) all.rows + 1, sizeof(share));
  for (ptrdiff_t i = 0; i < all.rows; i++) {
    double column[4];
    for (int j = 0; j < 4; j++) column[j] = all.at[i + j * all.rows];
    if (!is_share(column) || !(column[3] >= 0 && column[3] <= 1024)) ffi_refuse("shares", "in their range");
    read[i] = (share){(int64_t) column[0], (int64_t) column[1], (int64_t) column[2], column[3]};
  }
  return read;
}

/* Draws a cell, from 0, for each row of the matrix of shares, for any number of rows on the line. Its columns:
 * numerator, denominator, unit, epsilon. */
SEXP ffi_number_draw_shares(SEXP cell, SEXP count, SEXP cells, SEXP shares, SEXP options) {
  shares_request request = {.rows = 0};
  request.line = read_line(cell, count, cells, 0, &request.rows);
  request.shares = read_shares(shares, &request.count);
  return ffi_call(draw_shares, &request, options);
}

/* ---- several targets in one draw ---- */

typedef struct {
  dpt_line line;
  dpt_rank_target target[DPT_RANK_TARGETS_MOST];
  ptrdiff_t count;
  double epsilon, most;
} together_request;

static SEXP draw_together(dpt_ctx *ctx, void *data) {
  const together_request *request = data;
  SEXP cell = ffi_keep(ctx, ffi_new_doubles(request->count));
  if (!dpt_draw_rank_together(ctx, &request->line, request->epsilon, request->most, request->target, request->count,
                              REAL(cell)))
    dpt_escape(ctx, DPT_ERROR_ARGUMENT, "epsilon is too small for weights of so many ranks");
  return cell;
}

typedef struct {
  double epsilon, most, cells;
  ptrdiff_t count;
} wide_request;

/* Returns the weights of results as fractions of the largest one, or none if there would be too many. */
static SEXP together_weights(dpt_ctx *ctx, void *data) {
  const wide_request *request = data;
  dpt_wide_weights weights;
  if (!dpt_rank_together_weights(ctx, request->epsilon, request->most, request->cells, request->count, &weights))
    return ffi_new_doubles(0);
  SEXP result = ffi_keep(ctx, ffi_new_doubles(weights.last + 1));
  for (ptrdiff_t k = 0; k <= weights.last; k++)
    REAL(result)[k] = (double) weights.weight[k] / (double) weights.weight[0];
  return result;
}

static double read_together_cells(SEXP cells) {
  return (double) ffi_count(cells, 1, DPT_RANK_TOGETHER_MOST_CELLS, "cells");
}

/* Returns the weights of distances 0, 1, ... up to `most`, or up to the last different weight, for so many targets. */
SEXP ffi_number_together_weights(SEXP epsilon, SEXP most, SEXP cells, SEXP targets, SEXP options) {
  wide_request request = {read_epsilon(epsilon), (double) ffi_count(most, 0, (ptrdiff_t) most_rows, "most"),
                          read_together_cells(cells), ffi_count(targets, 1, DPT_RANK_TARGETS_MOST, "targets")};
  return ffi_call(together_weights, &request, options);
}

/* Draws a cell, from 0, for each of up to three ranks, together. */
SEXP ffi_number_draw_together(SEXP cell, SEXP count, SEXP cells, SEXP ranks, SEXP epsilon, SEXP options) {
  together_request request = {.epsilon = read_epsilon(epsilon)};
  request.line = read_line(cell, count, cells, 1, &request.most);
  ffi_vector all = ffi_doubles_within(ranks, 1, request.most, "ranks");
  if (all.count < 1 || all.count > DPT_RANK_TARGETS_MOST) ffi_refuse("ranks", "one to three");
  if (request.line.cells > (double) DPT_RANK_TOGETHER_MOST_CELLS) ffi_refuse("cells", "at most 2^17");
  request.count = all.count;
  for (ptrdiff_t i = 0; i < all.count; i++) {
    if (!is_whole(all.at[i])) ffi_refuse("ranks", "integers");
    request.target[i] = dpt_rank_of(all.at[i]);
  }
  return ffi_call(draw_together, &request, options);
}

/* Draws a cell, from 0, for each row of the matrix of shares, together, for any number of rows on the line. Its columns:
 * numerator, denominator, and unit, the same one for all. */
SEXP ffi_number_draw_together_shares(SEXP cell, SEXP count, SEXP cells, SEXP shares, SEXP epsilon, SEXP options) {
  together_request request = {.epsilon = read_epsilon(epsilon)};
  double rows;
  read_together_cells(cells);
  request.line = read_line(cell, count, cells, 0, &rows);
  ffi_matrix all = ffi_finite_matrix(shares, "shares");
  if (all.columns != 3 || all.rows < 1 || all.rows > DPT_RANK_TARGETS_MOST)
    ffi_refuse("shares", "a matrix of one to three rows and three columns");
  request.count = all.rows;
  for (ptrdiff_t i = 0; i < all.rows; i++) {
    double column[3];
    for (int j = 0; j < 3; j++) column[j] = all.at[i + j * all.rows];
    if (!is_share(column) || column[2] != all.at[2 * all.rows]) ffi_refuse("shares", "in their range");
    request.target[i] = dpt_rank_of_share(rows, (int64_t) column[0], (int64_t) column[1], (int64_t) column[2]);
    request.most = rows * column[2];
  }
  return ffi_call(draw_together, &request, options);
}

/* ---- halving ---- */

typedef struct {
  dpt_line line;
  dpt_rank_split *split;
  ptrdiff_t count;
  int digits;
} splits_request;

static SEXP draw_splits(dpt_ctx *ctx, void *data) {
  const splits_request *request = data;
  SEXP cell = ffi_keep(ctx, ffi_new_doubles(request->count));
  dpt_draw_splits(ctx, &request->line, request->split, request->count, request->digits, REAL(cell));
  return cell;
}

/* Reads splits. Each place occurs once, between two earlier places, in their order. The ends of the line come first. */
static void read_splits(ffi_matrix splits, dpt_rank_split *split) {
  const ptrdiff_t m = splits.rows;
  char *found = R_alloc((size_t) m + 2, 1);
  memset(found, 0, (size_t) m + 2);
  found[0] = found[m + 1] = 1;
  for (ptrdiff_t i = 0; i < m; i++) {
    double column[7];
    for (int j = 0; j < 7; j++) {
      column[j] = splits.at[i + j * m];
      if (j < 6 && !(is_whole(column[j]) && column[j] >= 0 && column[j] <= 1073741824)) ffi_refuse("splits", "whole");
    }
    if (!(column[1] < column[0] && column[0] < column[2] && column[2] <= (double) m + 1))
      ffi_refuse("splits", "in order");
    if (!is_share(column + 3) || !(column[6] >= 0 && column[6] <= 1024))
      ffi_refuse("splits", "shares, units and epsilons in their range");
    split[i] = (dpt_rank_split){(ptrdiff_t) column[0],
                                (ptrdiff_t) column[1],
                                (ptrdiff_t) column[2],
                                (int64_t) column[3],
                                (int64_t) column[4],
                                (int64_t) column[5],
                                column[6]};
    if (found[split[i].place] || !found[split[i].lower] || !found[split[i].upper]) ffi_refuse("splits", "in order");
    found[split[i].place] = 1;
  }
}

/* Draws a cell, from 0, for each row of the matrix of splits, in the order of their places. Its columns: place,
 * lower, upper, numerator, denominator, unit, epsilon (dpt_rank_split). `digits`: 24, or fewer in tests. */
SEXP ffi_number_draw_splits(SEXP cell, SEXP count, SEXP cells, SEXP splits, SEXP digits, SEXP options) {
  double rows;
  splits_request request = {.line = read_line(cell, count, cells, 0, &rows)};
  if (rows > (double) DPT_HALVING_MOST_ROWS) ffi_refuse("count", "at most 2^25 in all");
  ffi_matrix all = ffi_finite_matrix(splits, "splits");
  if (all.columns != 7 || all.rows < 1) ffi_refuse("splits", "a matrix of seven columns");
  request.count = all.rows;
  request.digits = ffi_choice(digits, 0, 24, "digits");
  request.split = (dpt_rank_split *) R_alloc((size_t) all.rows, sizeof(dpt_rank_split));
  read_splits(all, request.split);
  return ffi_call(draw_splits, &request, options);
}
