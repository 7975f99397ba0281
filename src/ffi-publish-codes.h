/* ffi-publish-codes.h - tables of codes as R has them. */
#ifndef FFI_PUBLISH_CODES_H
#define FFI_PUBLISH_CODES_H

#include "ffi-call.h"
#include "ffi-read.h"
#include "publish-counts.h"

typedef struct {
  const int *code;
  ptrdiff_t rows;
  int columns;
  const int *size;
} ffi_codes;

/* An integer matrix of codes from 0 and the sizes of its columns; every code is looked at. */
ffi_codes ffi_read_codes(SEXP codes, SEXP sizes);

/* Sizes of columns alone. */
ffi_integers ffi_read_sizes(SEXP sizes);

/* The same in 16 bits, in the arena. */
dpt_codes ffi_narrow_codes(dpt_ctx *ctx, const ffi_codes *codes);

#endif
