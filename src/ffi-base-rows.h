/* ffi-base-rows.h - weights of rows, as entry points of several families read them. */
#ifndef FFI_BASE_ROWS_H
#define FFI_BASE_ROWS_H

#include "ffi-read.h"

/* `each`: NULL if each row has weight one. `total`: the sum of all weights. */
typedef struct {
  const int *each;
  double total;
} ffi_row_weights;

/* Reads NULL, or an integer of at least 0 for each row. */
ffi_row_weights ffi_read_weights(SEXP weights, ptrdiff_t rows);

#endif
