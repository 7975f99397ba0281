/* ffi-privacy-noise.h - noise as R asks for it: a kind, and a scale for each number. */
#ifndef FFI_PRIVACY_NOISE_H
#define FFI_PRIVACY_NOISE_H

#include "ffi-read.h"
#include "privacy-noise.h"

typedef struct {
  ffi_vector scale; /* recycled */
  dpt_noise_kind kind;
} ffi_noise;

/* scale: from 0 to 2^40; kind: 0 Laplace, 1 Gaussian. */
ffi_noise ffi_read_noise(SEXP scale, SEXP kind);

/* Whole numbers up to 2^53 in absolute value plus noise; `value` and `released` may be the same. */
void ffi_draw_noise(dpt_ctx *ctx, const ffi_noise *noise, const double *value, ptrdiff_t count, double *released);

#endif
