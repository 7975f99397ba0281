/* ffi-cluster-lattice.c - a public box and a linear map of its rows, for R. */
#include <float.h>
#include <math.h>

#include "ffi-cluster-lattice.h"

ffi_vector ffi_whole_within(SEXP x, double most, const char *what) {
  const ffi_vector numbers = ffi_doubles_within(x, -most, most, what);
  for (ptrdiff_t i = 0; i < numbers.count; i++)
    if (numbers.at[i] != floor(numbers.at[i])) ffi_refuse(what, "integers");
  return numbers;
}

int64_t *ffi_whole_numbers(dpt_ctx *ctx, ffi_vector from) {
  int64_t *whole = DPT_NEW(ctx, int64_t, from.count);
  for (ptrdiff_t i = 0; i < from.count; i++) whole[i] = (int64_t) from.at[i];
  return whole;
}

ffi_lattice ffi_read_lattice(SEXP list, const ffi_matrix *X) {
  const ffi_vector lower = ffi_doubles_within(ffi_element(list, "lower"), -DBL_MAX, DBL_MAX, "lower");
  const ffi_vector upper = ffi_doubles_within(ffi_element(list, "upper"), -DBL_MAX, DBL_MAX, "upper");
  if (lower.count < 1 || lower.count > DPT_LATTICE_MAX_DIMENSION || lower.count != upper.count)
    ffi_refuse("lower", "1 to 1024 numbers, as many as `upper`");
  for (ptrdiff_t j = 0; j < lower.count; j++)
    if (!(lower.at[j] < upper.at[j])) ffi_refuse("lower", "below `upper`");
  if (X->columns != lower.count) ffi_refuse("X", "of as many columns as the box has sides");
  const int bits = ffi_choice(ffi_element(list, "bits"), 0, DPT_LATTICE_MAX_BITS, "bits");
  ffi_lattice read = {.lattice = {(int) lower.count, bits, lower.at, upper.at}};
  read.map.dimension = (int) lower.count;
  SEXP matrix = ffi_element(list, "matrix");
  if (matrix != R_NilValue) {
    const ffi_matrix map = ffi_finite_matrix(matrix, "matrix");
    if (map.columns != lower.count || map.rows < 1 || map.rows > DPT_LATTICE_MAX_DIMENSION)
      ffi_refuse("matrix", "of 1 to 1024 rows and a column for each side");
    read.matrix = ffi_whole_within(matrix, 0x1p20, "matrix");
    read.map.dimension = (int) map.rows;
    read.map.shift = ffi_choice(ffi_element(list, "shift"), 0, 60, "shift");
  }
  return read;
}

void ffi_fill_map(dpt_ctx *ctx, ffi_lattice *lattice) {
  if (lattice->matrix.at) lattice->map.matrix = ffi_whole_numbers(ctx, lattice->matrix);
}
