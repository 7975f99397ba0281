/* ffi-privacy-noise.c - vectors of exact noise for R. */
#include "ffi.h"
#include "privacy-noise.h"

/* The least scale of noise that is at least `scale`, one for each; NA where there is none. */
SEXP ffi_privacy_round_scale(SEXP scale) {
  R_xlen_t count = Rf_xlength(scale);
  SEXP rounded = PROTECT(Rf_allocVector(REALSXP, count));
  for (R_xlen_t i = 0; i < count; i++) {
    dpt_dyadic least;
    REAL(rounded)[i] = dpt_noise_scale(REAL(scale)[i], &least) ? dpt_dyadic_value(least) : NA_REAL;
  }
  UNPROTECT(1);
  return rounded;
}

/* The least scale that keeps the promise `budget` for `sensitivity`, one for each; NA where there is none. */
SEXP ffi_privacy_scale_for(SEXP kind, SEXP sensitivity, SEXP budget) {
  R_xlen_t count = Rf_xlength(sensitivity);
  SEXP scale = PROTECT(Rf_allocVector(REALSXP, count));
  for (R_xlen_t i = 0; i < count; i++) {
    dpt_dyadic least;
    bool found = dpt_noise_scale_for((dpt_noise_kind) Rf_asInteger(kind), REAL(sensitivity)[i], Rf_asReal(budget), &least);
    REAL(scale)[i] = found ? dpt_dyadic_value(least) : NA_REAL;
  }
  UNPROTECT(1);
  return scale;
}

typedef struct {
  const double *value, *scale;
  ptrdiff_t count, scales;
  dpt_noise_kind kind;
} noise_request;

static SEXP add_noise(dpt_ctx *ctx, void *data, dpt_status *status) {
  const noise_request *request = data;
  SEXP released = PROTECT(Rf_allocVector(REALSXP, request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    dpt_dyadic scale;
    dpt_noise_scale(request->scale[i % request->scales], &scale); /* checked in R */
    int64_t noise = request->kind == DPT_NOISE_LAPLACE ? dpt_draw_discrete_laplace(ctx, scale)
                                                       : dpt_draw_discrete_gaussian(ctx, scale);
    /* the integers are added before anything is rounded: what is released is a function of their sum alone */
    REAL(released)[i] = (double) ((int64_t) request->value[i] + noise);
    ctx->fraction = (double) i / (double) request->count;
    dpt_tick(ctx, 300);
  }
  *status = DPT_OK;
  UNPROTECT(1);
  return released;
}

/* Whole numbers up to 2^53 in absolute value, plus noise; `scale` is recycled. */
SEXP ffi_privacy_add_noise(SEXP value, SEXP scale, SEXP kind, SEXP options) {
  noise_request request = {REAL(value), REAL(scale), Rf_xlength(value), Rf_xlength(scale),
                           (dpt_noise_kind) Rf_asInteger(kind)};
  return ffi_call(add_noise, &request, options);
}

typedef struct {
  ptrdiff_t count;
  double parameter;
  int what;
} coin_request;

static SEXP draw_coins(dpt_ctx *ctx, void *data, dpt_status *status) {
  const coin_request *request = data;
  SEXP drawn = PROTECT(Rf_allocVector(REALSXP, request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    switch (request->what) {
    case 0: REAL(drawn)[i] = dpt_draw_bernoulli(ctx, request->parameter); break;
    case 1: REAL(drawn)[i] = dpt_draw_bernoulli_exp(ctx, request->parameter); break;
    default: REAL(drawn)[i] = (double) dpt_random_below(ctx, (uint64_t) request->parameter);
    }
    dpt_tick(ctx, 100);
  }
  *status = DPT_OK;
  UNPROTECT(1);
  return drawn;
}

/* For the tests: Bernoulli(parameter), Bernoulli(exp(-parameter)) or a whole number below it, as `what` is 0, 1, 2. */
SEXP ffi_privacy_coins(SEXP count, SEXP parameter, SEXP what, SEXP options) {
  coin_request request = {(ptrdiff_t) Rf_asReal(count), Rf_asReal(parameter), Rf_asInteger(what)};
  return ffi_call(draw_coins, &request, options);
}
