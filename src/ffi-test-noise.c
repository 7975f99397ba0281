/* ffi-test-noise.c - coins and scales of exact noise, for the tests. */
#include "ffi.h"

#include <math.h>

#include "base-draws.h"
#include "ffi-read.h"
#include "privacy-noise.h"

/* Returns the smallest scale of noise that is at least `scale`, one for each, or NA if there is none. */
SEXP ffi_test_round_scale(SEXP scale) {
  ffi_vector wanted = ffi_doubles(scale, "scale");
  SEXP rounded = PROTECT(ffi_new_doubles(wanted.count));
  for (ptrdiff_t i = 0; i < wanted.count; i++) {
    dpt_dyadic least;
    REAL(rounded)[i] = dpt_noise_scale(wanted.at[i], &least) ? dpt_dyadic_value(least) : NA_REAL;
  }
  UNPROTECT(1);
  return rounded;
}

typedef struct {
  ptrdiff_t count;
  double parameter;
  int what;
} coin_request;

static SEXP draw_coins(dpt_ctx *ctx, void *data) {
  const coin_request *request = data;
  SEXP drawn = ffi_keep(ctx, ffi_new_doubles(request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    switch (request->what) {
    case 0: REAL(drawn)[i] = dpt_draw_bernoulli(ctx, request->parameter); break;
    case 1: REAL(drawn)[i] = dpt_draw_bernoulli_exp(ctx, request->parameter); break;
    default: REAL(drawn)[i] = (double) dpt_draw_below(ctx, (uint64_t) request->parameter);
    }
    dpt_tick(ctx, 100);
  }
  return drawn;
}

/* Draws Bernoulli(parameter), Bernoulli(exp(-parameter)) or an integer below it, if `what` is 0, 1, 2. */
SEXP ffi_test_coins(SEXP count, SEXP parameter, SEXP what, SEXP options) {
  int coin = ffi_choice(what, 0, 2, "what");
  const double most[] = {1, INFINITY, 9223372036854775808.0}; /* 2^63 */
  coin_request request = {ffi_count(count, 0, FFI_COUNT_MOST, "count"),
                          ffi_number(parameter, 0, most[coin], "parameter"), coin};
  return ffi_call(draw_coins, &request, options);
}
