/* ffi-number-quantile.c - quantiles drawn by their ranks, for R. */
#include "ffi.h"

#include <math.h>

#include "ffi-read.h"
#include "number-quantile.h"

static const double most_rows = 4503599627370496; /* 2^52 */
static const double most_cells = 16777216;        /* 2^24 */

static double read_epsilon(SEXP epsilon) { return ffi_number(epsilon, 0, 1024, "epsilon"); }

typedef struct {
  double epsilon, most;
} weights_request;

/* In doubles, for the eye: none where there would be too many. */
static SEXP rank_weights(dpt_ctx *ctx, void *data) {
  const weights_request *request = data;
  dpt_rank_weights weights;
  if (!dpt_rank_weights_make(ctx, request->epsilon, request->most, &weights)) return ffi_new_doubles(0);
  SEXP result = ffi_keep(ctx, ffi_new_doubles(weights.last + 1));
  for (ptrdiff_t k = 0; k <= weights.last; k++) REAL(result)[k] = (double) weights.weight[k];
  return result;
}

/* The weights of distances 0, 1, ... up to `most`, or to the one that all further distances have. */
SEXP ffi_number_rank_weights(SEXP epsilon, SEXP most, SEXP options) {
  weights_request request = {read_epsilon(epsilon), (double) ffi_count(most, 0, (ptrdiff_t) most_rows, "most")};
  return ffi_call(rank_weights, &request, options);
}

typedef struct {
  dpt_line line;
  ffi_vector ranks;
  double epsilon, rows;
} ranks_request;

static bool is_whole(double x) { return x == floor(x); }

static dpt_line read_line(SEXP cell, SEXP count, SEXP cells, double *rows) {
  double size = (double) ffi_count(cells, 1, (ptrdiff_t) most_cells, "cells");
  ffi_vector cell_of = ffi_doubles_within(cell, 1, size, "cell");
  ffi_vector count_of = ffi_doubles_within(count, 1, most_rows, "count");
  if (cell_of.count != count_of.count || cell_of.count == 0) ffi_refuse("count", "one number for each cell");
  *rows = 0;
  for (ptrdiff_t i = 0; i < cell_of.count; i++) {
    if (!is_whole(cell_of.at[i]) || (i > 0 && cell_of.at[i] <= cell_of.at[i - 1]))
      ffi_refuse("cell", "whole numbers that increase");
    if (!is_whole(count_of.at[i])) ffi_refuse("count", "whole numbers");
    *rows += count_of.at[i];
    if (*rows > most_rows) ffi_refuse("count", "at most 2^52 in all");
  }
  return (dpt_line){cell_of.count, cell_of.at, count_of.at, size};
}

static SEXP draw_ranks(dpt_ctx *ctx, void *data) {
  const ranks_request *request = data;
  SEXP cell = ffi_keep(ctx, ffi_new_doubles(request->ranks.count));
  dpt_rank_weights weights;
  if (!dpt_rank_weights_make(ctx, request->epsilon, request->rows, &weights))
    dpt_escape(ctx, DPT_ERROR_ARGUMENT, "epsilon is too small for weights of so many ranks");
  for (ptrdiff_t i = 0; i < request->ranks.count; i++)
    REAL(cell)[i] = dpt_draw_rank(ctx, &request->line, &weights, request->ranks.at[i]);
  return cell;
}

/* A cell, from 0, for each rank, of rows in occupied cells, numbered from 1: `epsilon` is that of each. */
SEXP ffi_number_draw_ranks(SEXP cell, SEXP count, SEXP cells, SEXP ranks, SEXP epsilon, SEXP options) {
  ranks_request request = {.epsilon = read_epsilon(epsilon)};
  request.line = read_line(cell, count, cells, &request.rows);
  request.ranks = ffi_doubles_within(ranks, 1, request.rows, "ranks");
  for (ptrdiff_t i = 0; i < request.ranks.count; i++)
    if (!is_whole(request.ranks.at[i])) ffi_refuse("ranks", "whole numbers");
  return ffi_call(draw_ranks, &request, options);
}
