/* ffi-publish-codes.h - tables of codes from R. */
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
  const int *weight; /* weight of each row, or NULL for weights of one */
  double total;      /* total weight of all rows */
} ffi_codes;

/* Reads an integer matrix of codes from 0 and the sizes of its columns. Every code is checked. */
ffi_codes ffi_read_codes(SEXP codes, SEXP sizes);

/* The same with the weights of rows: integers from 0, with a sum of at most 2^52, or NULL. */
ffi_codes ffi_read_weighted_codes(SEXP codes, SEXP sizes, SEXP weights);

/* Reads only the sizes of columns. */
ffi_integers ffi_read_sizes(SEXP sizes);

/* Checks a set of columns, from 1, with at most 10^8 cells in total. */
void ffi_check_scope(SEXP scope, const ffi_codes *codes);

/* The same from 0, in the arena. The caller adds room for its counts. */
dpt_scope ffi_open_scope(dpt_ctx *ctx, const ffi_codes *codes, SEXP scope);

/* The codes in 16 bits, in the arena. */
dpt_codes ffi_narrow_codes(dpt_ctx *ctx, const ffi_codes *codes);

#endif
