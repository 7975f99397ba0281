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
  const int *weight; /* of each row, or NULL where each counts one */
  double total;      /* of all rows */
} ffi_codes;

/* An integer matrix of codes from 0 and the sizes of its columns; every code is looked at. */
ffi_codes ffi_read_codes(SEXP codes, SEXP sizes);

/* The same with what each row weighs: whole numbers from 0, of at most 2^52 together, or NULL. */
ffi_codes ffi_read_weighted_codes(SEXP codes, SEXP sizes, SEXP weights);

/* Sizes of columns alone. */
ffi_integers ffi_read_sizes(SEXP sizes);

/* A set of columns, from 1, of at most 10^8 cells together. */
void ffi_check_scope(SEXP scope, const ffi_codes *codes);

/* The same from 0, in the arena; room for its counts is still to be given. */
dpt_scope ffi_open_scope(dpt_ctx *ctx, const ffi_codes *codes, SEXP scope);

/* The codes in 16 bits, in the arena. */
dpt_codes ffi_narrow_codes(dpt_ctx *ctx, const ffi_codes *codes);

#endif
