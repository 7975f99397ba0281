/* ffi-privacy-noise.c - vectors of exact noise for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "ffi-read.h"
#include "privacy-noise.h"

/* The least scale that keeps `budget` for `sensitivity`, one for each; NA where there is none. */
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

static SEXP add_noise(dpt_ctx *ctx, void *data) {
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
