/* ffi-publish-codes.c - reads tables of codes. */
#include "ffi-publish-codes.h"
#include "ffi-base-rows.h"

ffi_integers ffi_read_sizes(SEXP sizes) {
  const ffi_integers read = ffi_whole(sizes, "sizes");
  if (read.count < 1 || read.count > DPT_CODES_MAX_COLUMNS) ffi_refuse("sizes", "1 to 256 integers");
  for (ptrdiff_t j = 0; j < read.count; j++)
    if (read.at[j] < 1 || read.at[j] > DPT_CODES_MAX_SIZE) ffi_refuse("sizes", "from 1 to 65535");
  return read;
}

ffi_codes ffi_read_codes(SEXP codes, SEXP sizes) {
  const ffi_integers size = ffi_read_sizes(sizes);
  const ffi_integers code = ffi_whole(codes, "codes");
  SEXP dim = Rf_getAttrib(codes, R_DimSymbol);
  if (TYPEOF(dim) != INTSXP || XLENGTH(dim) != 2 || INTEGER(dim)[1] != size.count) {
    ffi_refuse("codes", "an integer matrix with a column for each size");
  }
  const ptrdiff_t rows = INTEGER(dim)[0];
  const ffi_codes read = {code.at, rows, (int) size.count, size.at, NULL, (double) rows};
  bool good = true;
  for (int j = 0; j < read.columns; j++)
    for (ptrdiff_t i = 0; i < read.rows; i++) {
      const int one = read.code[i + j * read.rows];
      good &= one >= 0 && one < read.size[j];
    }
  if (!good) ffi_refuse("codes", "from 0 to the size of the column less one");
  return read;
}

ffi_codes ffi_read_weighted_codes(SEXP codes, SEXP sizes, SEXP weights) {
  ffi_codes read = ffi_read_codes(codes, sizes);
  if (weights == R_NilValue) return read;
  const ffi_row_weights row = ffi_read_weights(weights, read.rows);
  read.weight = row.each;
  read.total = row.total;
  return read;
}

dpt_codes ffi_narrow_codes(dpt_ctx *ctx, const ffi_codes *codes) {
  const ptrdiff_t count = codes->rows * codes->columns;
  uint16_t *code = DPT_NEW(ctx, uint16_t, count + 1);
  for (ptrdiff_t i = 0; i < count; i++) code[i] = (uint16_t) codes->code[i];
  dpt_tick(ctx, count / 4);
  return (dpt_codes){code, codes->rows, codes->columns, codes->size, codes->weight};
}

enum { MOST_CELLS = 100000000 };

void ffi_check_scope(SEXP scope, const ffi_codes *codes) {
  const ffi_integers places = ffi_whole(scope, "scopes");
  double cells = 1;
  for (ptrdiff_t j = 0; j < places.count; j++) {
    if (places.at[j] < 1 || places.at[j] > codes->columns) ffi_refuse("scopes", "columns of `codes`");
    cells *= (double) codes->size[places.at[j] - 1];
  }
  if (places.count > codes->columns || cells > MOST_CELLS) ffi_refuse("scopes", "of fewer cells");
}

dpt_scope ffi_open_scope(dpt_ctx *ctx, const ffi_codes *codes, SEXP scope) {
  const ffi_integers places = ffi_whole(scope, "scopes");
  dpt_scope read = {.count = (int) places.count, .cells = 1};
  int *column = DPT_NEW(ctx, int, places.count + 1);
  for (ptrdiff_t j = 0; j < places.count; j++) {
    column[j] = places.at[j] - 1;
    read.cells *= codes->size[column[j]];
  }
  read.column = column;
  return read;
}
