/* ffi-publish-counts.c - joint counts of coded columns, from R. */
#include "ffi.h"

#include "ffi-publish-codes.h"
#include "ffi-read.h"
#include "publish-counts.h"

enum { MOST_CELLS = 100000000 };

typedef struct {
  ffi_codes codes;
  SEXP scopes;
} count_request;

static void check_scope(SEXP scope, const ffi_codes *codes) {
  const ffi_integers places = ffi_whole(scope, "scopes");
  double cells = 1;
  for (ptrdiff_t j = 0; j < places.count; j++) {
    if (places.at[j] < 1 || places.at[j] > codes->columns) ffi_refuse("scopes", "columns of `codes`");
    cells *= (double) codes->size[places.at[j] - 1];
  }
  if (places.count > codes->columns || cells > MOST_CELLS) ffi_refuse("scopes", "of fewer cells");
}

/* The columns of a scope from 0, and room for its counts. */
static dpt_scope open_scope(dpt_ctx *ctx, const ffi_codes *codes, SEXP scope, SEXP *counts) {
  const ffi_integers places = ffi_whole(scope, "scopes");
  dpt_scope read = {.count = (int) places.count, .cells = 1};
  int *column = DPT_NEW(ctx, int, places.count + 1);
  for (ptrdiff_t j = 0; j < places.count; j++) {
    column[j] = places.at[j] - 1;
    read.cells *= codes->size[column[j]];
  }
  *counts = ffi_new_doubles(read.cells);
  read.column = column;
  read.number = REAL(*counts);
  return read;
}

static SEXP count_scopes(dpt_ctx *ctx, void *data) {
  const count_request *request = data;
  const ptrdiff_t count = (ptrdiff_t) XLENGTH(request->scopes);
  SEXP result = ffi_keep(ctx, Rf_allocVector(VECSXP, count));
  dpt_scope *scopes = DPT_NEW(ctx, dpt_scope, count + 1);
  for (ptrdiff_t s = 0; s < count; s++) {
    SEXP counts;
    scopes[s] = open_scope(ctx, &request->codes, VECTOR_ELT(request->scopes, s), &counts);
    SET_VECTOR_ELT(result, s, counts);
  }
  const dpt_codes codes = ffi_narrow_codes(ctx, &request->codes);
  dpt_scopes_count(ctx, &codes, scopes, count);
  return result;
}

/* codes: an integer matrix, from 0; sizes: how many codes each column has; scopes: a list of columns, from 1. A list of
 * counts. */
SEXP ffi_publish_joint_counts(SEXP codes, SEXP sizes, SEXP scopes, SEXP options) {
  count_request request = {ffi_read_codes(codes, sizes), scopes};
  ffi_list(scopes, 0, FFI_COUNT_MOST, "scopes");
  for (ptrdiff_t s = 0; s < (ptrdiff_t) XLENGTH(scopes); s++) check_scope(VECTOR_ELT(scopes, s), &request.codes);
  return ffi_call(count_scopes, &request, options);
}
