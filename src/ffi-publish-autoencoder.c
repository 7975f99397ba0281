/* ffi-publish-autoencoder.c - autoencoders of codes. */
#include <float.h>
#include <string.h>

#include "ffi-publish-autoencoder.h"
#include "ffi-publish-codes.h"
#include "ffi.h"
#include "publish-autoencoder.h"

typedef struct {
  dpt_autoencoder_rows rows;
  dpt_autoencoder_training training;
  const double *weight;
} train_request;

static SEXP train(dpt_ctx *ctx, void *data) {
  const train_request *request = data;
  const ptrdiff_t count = dpt_autoencoder_weights(&request->rows);
  SEXP weight = ffi_keep(ctx, ffi_new_doubles(count));
  memcpy(REAL(weight), request->weight, (size_t) count * sizeof(double));
  dpt_require(ctx, dpt_autoencoder_train(ctx, &request->rows, &request->training, REAL(weight)));
  return weight;
}

dpt_autoencoder_rows ffi_read_autoencoder(SEXP codes, SEXP sizes, SEXP hidden) {
  const ffi_codes read = ffi_read_codes(codes, sizes);
  dpt_autoencoder_rows rows = {read.code, read.rows, read.columns, read.size, 0, ffi_count(hidden, 1, 1000, "hidden")};
  for (int j = 0; j < rows.columns; j++) rows.cells += rows.size[j];
  if (rows.rows < 1) ffi_refuse("codes", "at least one row");
  return rows;
}

/* weight: in the order of publish-autoencoder.h. */
SEXP ffi_publish_train_autoencoder(SEXP codes, SEXP sizes, SEXP hidden, SEXP weight, SEXP steps, SEXP batch, SEXP clip,
                                   SEXP scale, SEXP rate, SEXP options) {
  train_request request = {.rows = ffi_read_autoencoder(codes, sizes, hidden)};
  const ffi_vector weights = ffi_doubles_within(weight, -1e100, 1e100, "weight");
  if (weights.count != dpt_autoencoder_weights(&request.rows))
    ffi_refuse("weight", "as many numbers as there are weights");
  request.weight = weights.at;
  request.training = (dpt_autoencoder_training){
      ffi_count(steps, 0, FFI_COUNT_MOST, "steps"), ffi_count(batch, 1, request.rows.rows, "batch"),
      ffi_number(clip, 1e-100, 1e100, "clip"), ffi_number(scale, 0, DBL_MAX, "scale"), ffi_number(rate, 0, 1, "rate")};
  return ffi_call(train, &request, options);
}
