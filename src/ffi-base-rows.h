/* ffi-base-rows.h - what each row weighs, as entry points of several families read it. */
#ifndef FFI_BASE_ROWS_H
#define FFI_BASE_ROWS_H

#include "ffi-read.h"

/* `each`: NULL where each row weighs one; `total`: all of them together. */
typedef struct {
  const int *each;
  double total;
} ffi_row_weights;

/* NULL, or an integer of at least 0 for each row. */
ffi_row_weights ffi_read_weights(SEXP weights, ptrdiff_t rows);

#endif
