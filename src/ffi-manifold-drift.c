/* ffi-manifold-drift.c - what the tests need to see of a manifold's proposals near the threshold, which only the
 * samplers use otherwise. */
#include <math.h>
#include <string.h>

#include "ffi.h"
#include "ffi-manifold.h"

static SEXP run_drift(dpt_ctx *ctx, void *data, dpt_status *status) {
  const dpt_manifold *manifold = ffi_read_manifold(ctx, data);
  if (!manifold->of->drift) ffi_refuse("manifold", "one whose volume is known");
  SEXP delta = PROTECT(ffi_new_doubles(manifold->drift_size));
  manifold->of->drift(manifold, INFINITY, REAL(delta));
  *status = DPT_OK;
  UNPROTECT(1);
  return delta;
}

SEXP ffi_manifold_drift(SEXP manifold, SEXP options) { return ffi_call(run_drift, manifold, options); }

typedef struct {
  SEXP manifold, columns;
} drift_request;

/* list(v, log_accept) for the columns l; a column of v without a chance is zero. */
static SEXP run_from_drift(dpt_ctx *ctx, void *data, dpt_status *status) {
  const drift_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  if (!manifold->of->from_drift) ffi_refuse("manifold", "one whose volume is known");
  double *work = DPT_NEW(ctx, double, manifold->work_size);
  dpt_columns drawn = ffi_read_columns(request->columns, manifold->drift_size, "l");
  ptrdiff_t count = drawn.count;
  SEXP v = PROTECT(ffi_new_matrix(manifold->dimension, count));
  SEXP log_accept = PROTECT(ffi_new_doubles(count));
  memset(REAL(v), 0, (size_t) Rf_xlength(v) * sizeof(double));
  for (ptrdiff_t i = 0; i < count; i++) {
    const double *l = drawn.at + i * manifold->drift_size;
    REAL(log_accept)[i] = manifold->of->from_drift(ctx, manifold, l, REAL(v) + i * manifold->dimension, work);
  }
  *status = DPT_OK;
  SEXP result = ffi_named_list(2, (const char *const[]){"v", "log_accept"}, (const SEXP[]){v, log_accept});
  UNPROTECT(2);
  return result;
}

SEXP ffi_manifold_from_drift(SEXP manifold, SEXP l, SEXP options) {
  drift_request request = {manifold, l};
  return ffi_call(run_from_drift, &request, options);
}
