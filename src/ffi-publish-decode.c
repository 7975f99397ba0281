/* ffi-publish-decode.c - rows that a decoder draws from a cloud in the plane. */
#include "ffi-publish-decode.h"
#include "ffi-publish-codes.h"
#include "ffi.h"

/* Products of two such numbers are far from infinite. */
static const double largest = 1e100;

const double *ffi_read_places(SEXP places, ptrdiff_t *rows, const char *what) {
  const ffi_matrix read = ffi_finite_matrix(places, what);
  if (read.columns != DPT_DECODER_LATENT) ffi_refuse(what, "a matrix of two columns");
  ffi_doubles_within(places, -largest, largest, what);
  *rows = read.rows;
  return read.at;
}

static ffi_matrix read_layer(SEXP x, ptrdiff_t rows, ptrdiff_t columns, const char *what) {
  const ffi_matrix read = ffi_finite_matrix(x, what);
  ffi_doubles_within(x, -largest, largest, what);
  if (read.rows != rows || read.columns != columns) ffi_refuse(what, "of the sizes of the other layers");
  return read;
}

dpt_decoder ffi_read_decoder(SEXP back, SEXP back_shift, SEXP slope, SEXP shift, SEXP sizes) {
  const ffi_integers size = ffi_read_sizes(sizes);
  dpt_decoder read = {.columns = (int) size.count, .size = size.at};
  for (int j = 0; j < read.columns; j++) read.cells += size.at[j];
  read.features = DPT_DECODER_LATENT;
  if (back != R_NilValue) {
    read.features = ffi_finite_matrix(back, "back").columns;
    if (read.features < 1 || read.features > 1000) ffi_refuse("back", "a matrix of 1 to 1000 columns");
    read.back = read_layer(back, DPT_DECODER_LATENT, read.features, "back").at;
    read.back_shift = read_layer(back_shift, read.features, 1, "back_shift").at;
  } else if (back_shift != R_NilValue) {
    ffi_refuse("back_shift", "NULL as `back` is");
  }
  read.slope = read_layer(slope, read.features, read.cells, "slope").at;
  read.shift = read_layer(shift, read.cells, 1, "shift").at;
  return read;
}

typedef struct {
  dpt_decoder decoder;
  dpt_cloud cloud;
  ptrdiff_t rows;
} draw_request;

static SEXP draw(dpt_ctx *ctx, void *data) {
  const draw_request *request = data;
  SEXP code = ffi_keep(ctx, ffi_new_integer_matrix(request->rows, request->decoder.columns));
  dpt_decode_draw(ctx, &request->decoder, &request->cloud, request->rows, INTEGER(code));
  return code;
}

/* cloud: points x 2. width: two numbers. The decoder is described in the header. rows: their number. Returns a
 * matrix of codes from 0. */
SEXP ffi_publish_decode(SEXP cloud, SEXP width, SEXP back, SEXP back_shift, SEXP slope, SEXP shift, SEXP sizes,
                        SEXP rows, SEXP options) {
  draw_request request = {.decoder = ffi_read_decoder(back, back_shift, slope, shift, sizes)};
  request.cloud.point = ffi_read_places(cloud, &request.cloud.points, "cloud");
  if (request.cloud.points < 1) ffi_refuse("cloud", "at least one point");
  const ffi_vector widths = ffi_doubles_within(width, 0, largest, "width");
  if (widths.count != DPT_DECODER_LATENT) ffi_refuse("width", "two numbers");
  for (int i = 0; i < DPT_DECODER_LATENT; i++) request.cloud.width[i] = widths.at[i];
  request.rows = ffi_count(rows, 0, INT32_MAX, "rows");
  return ffi_call(draw, &request, options);
}
