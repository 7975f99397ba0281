/* ffi-publish-counts.c - joint counts of coded columns, for R. */
#include "ffi.h"

#include "ffi-publish-codes.h"
#include "ffi-read.h"
#include "publish-counts.h"

typedef struct {
  ffi_codes codes;
  SEXP scopes;
} count_request;

static SEXP count_scopes(dpt_ctx *ctx, void *data) {
  const count_request *request = data;
  const ptrdiff_t count = (ptrdiff_t) XLENGTH(request->scopes);
  SEXP result = ffi_keep(ctx, Rf_allocVector(VECSXP, count));
  dpt_scope *scopes = DPT_NEW(ctx, dpt_scope, count + 1);
  for (ptrdiff_t s = 0; s < count; s++) {
    scopes[s] = ffi_open_scope(ctx, &request->codes, VECTOR_ELT(request->scopes, s));
    SET_VECTOR_ELT(result, s, ffi_new_doubles(scopes[s].cells));
    scopes[s].number = REAL(VECTOR_ELT(result, s));
  }
  const dpt_codes codes = ffi_narrow_codes(ctx, &request->codes);
  dpt_scopes_count(ctx, &codes, scopes, count);
  return result;
}

/* codes: an integer matrix, from 0. sizes: the number of codes of each column. weights: integer weights of rows, or
 * NULL for weights of one. scopes: a list of columns, from 1. Returns a list of counts. */
SEXP ffi_publish_joint_counts(SEXP codes, SEXP sizes, SEXP weights, SEXP scopes, SEXP options) {
  count_request request = {ffi_read_weighted_codes(codes, sizes, weights), scopes};
  ffi_list(scopes, 0, FFI_COUNT_MOST, "scopes");
  for (ptrdiff_t s = 0; s < (ptrdiff_t) XLENGTH(scopes); s++) ffi_check_scope(VECTOR_ELT(scopes, s), &request.codes);
  return ffi_call(count_scopes, &request, options);
}
