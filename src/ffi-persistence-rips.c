/* ffi-persistence-rips.c - edge values of a weighted Rips filtration, and its connected components. */
#include <float.h>
#include <math.h>

#include "ffi.h"
#include "ffi-read.h"
#include "persistence-rips.h"

typedef struct {
  dpt_rips rips;
  double cap;
} rips_request;

static dpt_rips read_rips(SEXP values, SEXP lengths, SEXP whole) {
  const bool is_valid = ffi_flag(whole, "whole");
  const double most = is_valid ? (double) FFI_COUNT_MOST : INFINITY, least = is_valid ? -most : -DBL_MAX;
  ffi_vector value = ffi_doubles_within(values, least, most, "values");
  if (value.count < 1) ffi_refuse("values", "at least one number");
  ffi_matrix length = ffi_any_matrix(lengths, "lengths");
  if (length.rows != value.count || length.columns != value.count)
    ffi_refuse("lengths", "a square matrix with a row for each of `values`");
  ffi_doubles_within(lengths, 0, most, "lengths");
  return (dpt_rips){.count = value.count, .value = value.at, .length = length.at, .whole = is_valid};
}

static SEXP list_edges(dpt_ctx *ctx, void *data) {
  const rips_request *request = data;
  const ptrdiff_t count = request->rips.count;
  SEXP edges = ffi_keep(ctx, ffi_new_doubles(count * (count - 1) / 2));
  SEXP cone = ffi_keep(ctx, Rf_ScalarReal(dpt_rips_edges(ctx, &request->rips, REAL(edges))));
  return ffi_named_list(2, (const char *const[]){"edges", "cone"}, (const SEXP[]){edges, cone});
}

/* values: a number for each vertex. lengths: a symmetric matrix. whole: whether half sums are rounded down. */
SEXP ffi_persistence_rips_edges(SEXP values, SEXP lengths, SEXP whole, SEXP options) {
  rips_request request = {.rips = read_rips(values, lengths, whole)};
  return ffi_call(list_edges, &request, options);
}

static SEXP write_doubles(const double *from, ptrdiff_t count) {
  SEXP result = PROTECT(ffi_new_doubles(count));
  for (ptrdiff_t i = 0; i < count; i++) REAL(result)[i] = from[i];
  UNPROTECT(1);
  return result;
}

static SEXP pair_components(dpt_ctx *ctx, void *data) {
  const rips_request *request = data;
  const ptrdiff_t count = request->rips.count;
  double *birth = DPT_NEW(ctx, double, count), *death = DPT_NEW(ctx, double, count);
  const ptrdiff_t pairs = dpt_rips_components(ctx, &request->rips, request->cap, birth, death);
  SEXP births = ffi_keep(ctx, write_doubles(birth, pairs));
  SEXP deaths = ffi_keep(ctx, write_doubles(death, pairs));
  return ffi_named_list(2, (const char *const[]){"birth", "death"}, (const SEXP[]){births, deaths});
}

/* Returns the components with values cut at `cap`, which may be infinite. */
SEXP ffi_persistence_rips_components(SEXP values, SEXP lengths, SEXP cap, SEXP whole, SEXP options) {
  rips_request request = {.rips = read_rips(values, lengths, whole)};
  request.cap = ffi_number(cap, -INFINITY, INFINITY, "cap");
  return ffi_call(pair_components, &request, options);
}
