/* ffi-test-whole.c - coins of rational probability, for the tests. */
#include <math.h>

#include "base-whole.h"
#include "ffi-read.h"
#include "ffi.h"

typedef struct {
  ptrdiff_t count;
  double above, below;
} coin_request;

static SEXP throw_coins(dpt_ctx *ctx, void *data) {
  const coin_request *request = data;
  double true_ones = 0;
  for (ptrdiff_t i = 0; i < request->count; i++) {
    true_ones += dpt_coin(ctx, (dpt_wide) request->above, (dpt_wide) request->below);
    dpt_tick(ctx, 50);
  }
  return Rf_ScalarReal(true_ones);
}

static double whole_number(SEXP x, double least, const char *what) {
  double value = ffi_number(x, least, 0x1p126, what);
  if (value != floor(value)) ffi_refuse(what, "an integer");
  return value;
}

/* Returns how many of `count` coins are true, each with probability above / below, integers up to 2^126. */
SEXP ffi_test_ratio_coins(SEXP count, SEXP above, SEXP below, SEXP options) {
  coin_request request = {ffi_count(count, 0, FFI_COUNT_MOST, "count"), whole_number(above, 0, "above"),
                          whole_number(below, 1, "below")};
  return ffi_call(throw_coins, &request, options);
}
