/* ffi-privacy-noise.c - vectors of exact noise for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "base-draws.h"
#include "ffi-read.h"
#include "privacy-noise.h"

/* The least scale of noise that is at least `scale`, one for each; NA where there is none. */
SEXP ffi_privacy_round_scale(SEXP scale) {
  ffi_vector wanted = ffi_doubles(scale, "scale");
  SEXP rounded = PROTECT(ffi_new_doubles(wanted.count));
  for (ptrdiff_t i = 0; i < wanted.count; i++) {
    dpt_dyadic least;
    REAL(rounded)[i] = dpt_noise_scale(wanted.at[i], &least) ? dpt_dyadic_value(least) : NA_REAL;
  }
  UNPROTECT(1);
  return rounded;
}

/* The least scale that keeps the promise `budget` for `sensitivity`, one for each; NA where there is none. */
SEXP ffi_privacy_scale_for(SEXP kind, SEXP sensitivity, SEXP budget) {
  dpt_noise_kind noise = (dpt_noise_kind) ffi_choice(kind, 0, 1, "kind");
  ffi_vector sensitivities = ffi_doubles_within(sensitivity, 0, DBL_MAX, "sensitivity");
  double measure = ffi_number(budget, DBL_TRUE_MIN, DBL_MAX, "budget");
  SEXP scale = PROTECT(ffi_new_doubles(sensitivities.count));
  for (ptrdiff_t i = 0; i < sensitivities.count; i++) {
    dpt_dyadic least;
    bool found = dpt_noise_scale_for(noise, sensitivities.at[i], measure, &least);
    REAL(scale)[i] = found ? dpt_dyadic_value(least) : NA_REAL;
  }
  UNPROTECT(1);
  return scale;
}

typedef struct {
  ffi_vector value, scale;
  dpt_noise_kind kind;
} noise_request;

static SEXP add_noise(dpt_ctx *ctx, void *data, dpt_status *status) {
  const noise_request *request = data;
  SEXP released = PROTECT(ffi_new_doubles(request->value.count));
  for (ptrdiff_t i = 0; i < request->value.count; i++) {
    dpt_dyadic scale;
    dpt_noise_scale(request->scale.at[i % request->scale.count], &scale); /* which are in its range */
    int64_t noise = request->kind == DPT_NOISE_LAPLACE ? dpt_draw_discrete_laplace(ctx, scale)
                                                       : dpt_draw_discrete_gaussian(ctx, scale);
    /* the integers are added before anything is rounded: what is released is a function of their sum alone */
    REAL(released)[i] = (double) ((int64_t) request->value.at[i] + noise);
    ctx->fraction = (double) i / (double) request->value.count;
    dpt_tick(ctx, 300);
  }
  *status = DPT_OK;
  UNPROTECT(1);
  return released;
}

static const double MOST_VALUE = 9007199254740992, MOST_SCALE = 1099511627776; /* 2^53, 2^40 */

/* Whole numbers up to 2^53 in absolute value, plus noise; `scale` is recycled. */
SEXP ffi_privacy_add_noise(SEXP value, SEXP scale, SEXP kind, SEXP options) {
  noise_request request = {ffi_doubles_within(value, -MOST_VALUE, MOST_VALUE, "value"),
                           ffi_doubles_within(scale, 0, MOST_SCALE, "scale"),
                           (dpt_noise_kind) ffi_choice(kind, 0, 1, "kind")};
  if (request.scale.count == 0) ffi_refuse("scale", "at least one number");
  return ffi_call(add_noise, &request, options);
}

typedef struct {
  ptrdiff_t count;
  double parameter;
  int what;
} coin_request;

static SEXP draw_coins(dpt_ctx *ctx, void *data, dpt_status *status) {
  const coin_request *request = data;
  SEXP drawn = PROTECT(ffi_new_doubles(request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    switch (request->what) {
    case 0: REAL(drawn)[i] = dpt_draw_bernoulli(ctx, request->parameter); break;
    case 1: REAL(drawn)[i] = dpt_draw_bernoulli_exp(ctx, request->parameter); break;
    default: REAL(drawn)[i] = (double) dpt_draw_below(ctx, (uint64_t) request->parameter);
    }
    dpt_tick(ctx, 100);
  }
  *status = DPT_OK;
  UNPROTECT(1);
  return drawn;
}

/* For the tests: Bernoulli(parameter), Bernoulli(exp(-parameter)) or a whole number below it, as `what` is 0, 1, 2. */
SEXP ffi_privacy_coins(SEXP count, SEXP parameter, SEXP what, SEXP options) {
  int coin = ffi_choice(what, 0, 2, "what");
  const double most[] = {1, INFINITY, 9223372036854775808.0}; /* 2^63 */
  coin_request request = {ffi_count(count, 0, FFI_COUNT_MOST, "count"),
                          ffi_number(parameter, 0, most[coin], "parameter"), coin};
  return ffi_call(draw_coins, &request, options);
}
