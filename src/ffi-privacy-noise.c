/* ffi-privacy-noise.c - vectors of exact noise for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "ffi-read.h"
#include "privacy-noise.h"
#include "privacy-rounded-normal.h"

static const double LEAST_SENSITIVITY = 0x1p-900;

/* Returns the smallest scale that keeps `budget`, one for each `sensitivity`, or NA if there is none. A sensitivity is 0
 * or at least 2^-900. */
SEXP ffi_privacy_scale_for(SEXP kind, SEXP sensitivity, SEXP budget) {
  dpt_noise_kind noise = (dpt_noise_kind) ffi_choice(kind, 0, DPT_NOISE_ROUNDED_NORMAL, "kind");
  ffi_vector sensitivities = ffi_doubles_within(sensitivity, 0, DBL_MAX, "sensitivity");
  for (ptrdiff_t i = 0; i < sensitivities.count; i++)
    if (sensitivities.at[i] > 0 && sensitivities.at[i] < LEAST_SENSITIVITY)
      ffi_refuse("sensitivity", "0 or at least 2^-900");
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

static const double MOST_VALUE = 9007199254740992, MOST_SCALE = 1099511627776; /* 2^53, 2^40 */

typedef struct {
  ffi_vector scale; /* recycled */
  dpt_noise_kind kind;
} scaled_noise;

static scaled_noise read_noise(SEXP scale, SEXP kind) {
  const scaled_noise noise = {ffi_doubles_within(scale, 0, MOST_SCALE, "scale"),
                              (dpt_noise_kind) ffi_choice(kind, 0, DPT_NOISE_ROUNDED_NORMAL, "kind")};
  if (noise.scale.count == 0) ffi_refuse("scale", "at least one number");
  return noise;
}

static void draw_rounded_normals(dpt_ctx *ctx, const ffi_vector *scale, const double *value, ptrdiff_t count,
                                 double *released) {
  dpt_rounded_normal sampler;
  dpt_rounded_normal_open(ctx, &sampler, 0);
  for (ptrdiff_t i = 0; i < count; i++) {
    released[i] = (double) dpt_add_rounded_normal(ctx, &sampler, scale->at[i % scale->count], (int64_t) value[i]);
    ctx->fraction = (double) i / (double) count;
    dpt_tick(ctx, 100);
  }
}

static void draw_noise(dpt_ctx *ctx, const scaled_noise *noise, const double *value, ptrdiff_t count,
                       double *released) {
  if (noise->kind == DPT_NOISE_ROUNDED_NORMAL) {
    draw_rounded_normals(ctx, &noise->scale, value, count, released);
    return;
  }
  for (ptrdiff_t i = 0; i < count; i++) {
    dpt_dyadic scale;
    dpt_noise_scale(noise->scale.at[i % noise->scale.count], &scale); /* scales are in its range */
    int64_t drawn = noise->kind == DPT_NOISE_LAPLACE ? dpt_draw_discrete_laplace(ctx, scale)
                                                     : dpt_draw_discrete_gaussian(ctx, scale);
    /* The integers are added before any rounding, so that the release is a function of their sum only. */
    released[i] = (double) ((int64_t) value[i] + drawn);
    ctx->fraction = (double) i / (double) count;
    dpt_tick(ctx, 300);
  }
}

typedef struct {
  ffi_vector value;
  scaled_noise noise;
} noise_request;

static SEXP add_noise(dpt_ctx *ctx, void *data) {
  const noise_request *request = data;
  SEXP released = ffi_keep(ctx, ffi_new_doubles(request->value.count));
  draw_noise(ctx, &request->noise, request->value.at, request->value.count, REAL(released));
  return released;
}

static ffi_vector read_values(SEXP value) { return ffi_doubles_within(value, -MOST_VALUE, MOST_VALUE, "value"); }

/* Adds noise to integers up to 2^53 in absolute value. `scale` is recycled. Each element of a list is drawn as in
 * its own call, with its own key for R's stream, one after the other. */
SEXP ffi_privacy_add_noise(SEXP value, SEXP scale, SEXP kind, SEXP options) {
  noise_request request = {.noise = read_noise(scale, kind)};
  if (TYPEOF(value) != VECSXP) {
    request.value = read_values(value);
    return ffi_call(add_noise, &request, options);
  }
  const ptrdiff_t count = (ptrdiff_t) XLENGTH(value);
  for (ptrdiff_t i = 0; i < count; i++) read_values(VECTOR_ELT(value, i)); /* checks all before any draw */
  SEXP released = PROTECT(Rf_allocVector(VECSXP, count));
  for (ptrdiff_t i = 0; i < count; i++) {
    request.value = read_values(VECTOR_ELT(value, i));
    SET_VECTOR_ELT(released, i, ffi_call(add_noise, &request, options));
  }
  UNPROTECT(1);
  return released;
}
