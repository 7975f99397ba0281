/* ffi-base.c - random numbers that are no noise: for identities, and to see that the system gives entropy. */
#include "ffi.h"

#include "base-draws.h"
#include "ffi-read.h"

typedef struct {
  ptrdiff_t count;
} draw_request;

static SEXP draw_units(dpt_ctx *ctx, void *data) {
  const draw_request *request = data;
  SEXP units = PROTECT(ffi_new_doubles(request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    REAL(units)[i] = dpt_draw_unit(ctx);
    dpt_tick(ctx, 10);
  }
  UNPROTECT(1);
  return units;
}

/* Uniform doubles from the random source of a call. */
SEXP ffi_base_draw_units(SEXP count, SEXP options) {
  draw_request request = {ffi_count(count, 0, FFI_COUNT_MOST, "count")};
  return ffi_call(draw_units, &request, options);
}
