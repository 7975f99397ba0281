/* ffi-test-decode.c - codes of a decoder at given places and coins, for the tests. */
#include "ffi-publish-decode.h"
#include "ffi-read.h"
#include "ffi.h"

typedef struct {
  dpt_decoder decoder;
  ptrdiff_t rows;
  const double *place, *coin;
} decode_request;

static SEXP decode(dpt_ctx *ctx, void *data) {
  const decode_request *request = data;
  SEXP code = ffi_keep(ctx, ffi_new_integer_matrix(request->rows, request->decoder.columns));
  dpt_decode_places(ctx, &request->decoder, request->rows, request->place, request->coin, INTEGER(code));
  return code;
}

/* places: rows x 2. coins: rows x columns, from 0 to 1. */
SEXP ffi_test_decode(SEXP places, SEXP coins, SEXP back, SEXP back_shift, SEXP slope, SEXP shift, SEXP sizes,
                     SEXP options) {
  decode_request request = {.decoder = ffi_read_decoder(back, back_shift, slope, shift, sizes)};
  request.place = ffi_read_places(places, &request.rows, "places");
  const ffi_matrix coin = ffi_finite_matrix(coins, "coins");
  ffi_doubles_within(coins, 0, 1, "coins");
  if (coin.rows != request.rows || coin.columns != request.decoder.columns)
    ffi_refuse("coins", "a matrix with a row for each place and a column for each size");
  request.coin = coin.at;
  return ffi_call(decode, &request, options);
}
