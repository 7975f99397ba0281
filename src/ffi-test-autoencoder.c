/* ffi-test-autoencoder.c - losses and gradients of rows of an autoencoder, complete and cut, for the tests. */
#include "ffi-publish-autoencoder.h"
#include "ffi.h"
#include "ffi-read.h"

typedef struct {
  dpt_autoencoder_rows rows;
  const double *weight;
  double clip;
} gradient_request;

static SEXP find_gradients(dpt_ctx *ctx, void *data) {
  const gradient_request *request = data;
  const dpt_autoencoder_rows *rows = &request->rows;
  const ptrdiff_t count = dpt_autoencoder_weights(rows);
  SEXP loss = ffi_keep(ctx, ffi_new_doubles(rows->rows));
  SEXP gradient = ffi_keep(ctx, ffi_new_matrix(count, rows->rows));
  SEXP cut = ffi_keep(ctx, ffi_new_matrix(count, rows->rows));
  double *scratch = DPT_NEW(ctx, double, rows->cells + 4 * rows->hidden);
  int32_t *q = DPT_NEW(ctx, int32_t, count);
  for (ptrdiff_t i = 0; i < rows->rows; i++) {
    double *own = REAL(gradient) + i * count;
    REAL(loss)[i] = dpt_autoencoder_gradient(rows, i, request->weight, own, scratch);
    dpt_autoencoder_cut(count, own, request->clip, q);
    for (ptrdiff_t k = 0; k < count; k++) REAL(cut)[k + i * count] = q[k];
  }
  return ffi_named_list(3, (const char *const[]){"loss", "gradient", "cut"}, (const SEXP[]){loss, gradient, cut});
}

SEXP ffi_test_autoencoder(SEXP codes, SEXP sizes, SEXP hidden, SEXP weight, SEXP clip, SEXP options) {
  gradient_request request = {.rows = ffi_read_autoencoder(codes, sizes, hidden)};
  const ffi_vector weights = ffi_doubles(weight, "weight");
  if (weights.count != dpt_autoencoder_weights(&request.rows))
    ffi_refuse("weight", "as many numbers as there are weights");
  request.weight = weights.at;
  request.clip = ffi_number(clip, 1e-100, 1e100, "clip");
  return ffi_call(find_gradients, &request, options);
}
