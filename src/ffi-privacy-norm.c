/* ffi-privacy-norm.c - vectors with exact K-norm noise for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "ffi-read.h"
#include "privacy-norm.h"

typedef struct {
  double squared, epsilon;
} scale_request;

static SEXP find_scale(dpt_ctx *ctx, void *data) {
  const scale_request *request = data;
  double least;
  const bool found = dpt_norm_scale_for(ctx, request->squared, request->epsilon, &least);
  return Rf_ScalarReal(found ? least : NA_REAL);
}

/* Returns the smallest scale that keeps `epsilon` for vectors whose squared difference is at most `squared`, or NA. */
SEXP ffi_privacy_norm_scale(SEXP squared, SEXP epsilon, SEXP options) {
  scale_request request = {ffi_number(squared, DBL_TRUE_MIN, DBL_MAX, "squared"),
                           ffi_number(epsilon, DBL_TRUE_MIN, DBL_MAX, "epsilon")};
  return ffi_call(find_scale, &request, options);
}

typedef struct {
  ffi_vector value;
  dpt_norm_noise noise;
  ptrdiff_t draws;
} norm_request;

static SEXP add_norm(dpt_ctx *ctx, void *data) {
  const norm_request *request = data;
  SEXP released = ffi_keep(ctx, ffi_new_matrix(request->value.count, request->draws));
  dpt_draw_norm(ctx, &request->noise, request->value.count, request->value.at, request->draws, REAL(released));
  return released;
}

/* Returns `draws` columns: integers up to 2^53 in absolute value, plus noise, in steps of 2^shift. */
SEXP ffi_privacy_add_norm(SEXP value, SEXP scale, SEXP shift, SEXP draws, SEXP options) {
  norm_request request = {
      .value = ffi_doubles_within(value, -0x1p53, 0x1p53, "value"),
      .noise = {.scale = ffi_number(scale, 0x1p-64, 0x1p140, "scale"),
                .shift = ffi_choice(shift, 0, DPT_NORM_MOST_SHIFT, "shift"),
                .first = DPT_NORM_FIRST},
      .draws = ffi_count(draws, 0, FFI_COUNT_MOST, "draws"),
  };
  return ffi_call(add_norm, &request, options);
}
