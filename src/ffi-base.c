/* ffi-base.c - random numbers for identities and for checking that the system gives entropy, and a clock. */
#include "ffi.h"

#include <math.h>

#include "base-clock.h"
#include "base-draws.h"
#include "ffi-read.h"

typedef struct {
  double *unit;
  ptrdiff_t count;
} draw_request;

static SEXP draw_units(dpt_ctx *ctx, void *data) {
  const draw_request *request = data;
  for (ptrdiff_t i = 0; i < request->count; i++) {
    request->unit[i] = dpt_draw_unit(ctx);
    dpt_tick(ctx, 10);
  }
  return R_NilValue;
}

/* Draws uniform doubles from the random source of a call. If `count` has several numbers, each is drawn as in its
 * own call, with its own key for R's stream, one after the other. */
SEXP ffi_base_draw_units(SEXP count, SEXP options) {
  const ffi_vector counts = ffi_doubles_within(count, 0, (double) FFI_COUNT_MOST, "count");
  if (counts.count < 1) ffi_refuse("count", "at least one number");
  double total = 0;
  for (ptrdiff_t i = 0; i < counts.count; i++) {
    if (counts.at[i] != floor(counts.at[i])) ffi_refuse("count", "integers");
    total += counts.at[i];
  }
  if (total > (double) FFI_COUNT_MOST) ffi_refuse("count", "at most 2^52 together");
  SEXP units = PROTECT(ffi_new_doubles((ptrdiff_t) total));
  draw_request request = {.unit = REAL(units)};
  for (ptrdiff_t i = 0; i < counts.count; i++) {
    request.count = (ptrdiff_t) counts.at[i];
    ffi_call(draw_units, &request, options);
    request.unit += request.count;
  }
  UNPROTECT(1);
  return units;
}

SEXP ffi_base_seconds(void) { return Rf_ScalarReal(dpt_seconds()); }
