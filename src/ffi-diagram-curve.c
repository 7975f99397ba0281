/* ffi-diagram-curve.c - curves of diagrams as vectors of integers, for R. */
#include "ffi.h"

#include "diagram-curve.h"
#include "ffi-read.h"

typedef struct {
  ffi_matrix curves;
  double radius;
  int bits;
} cut_request;

static SEXP curve_cut(dpt_ctx *ctx, void *data) {
  const cut_request *request = data;
  const ffi_matrix *curves = &request->curves;
  SEXP cut = ffi_keep(ctx, ffi_new_matrix(curves->rows, curves->columns));
  dpt_curve_cut(ctx, curves->at, curves->rows, (int) curves->columns, request->radius, request->bits, REAL(cut));
  return cut;
}

/* curves: a matrix of any doubles with one row per person, whose length is the norm of the curve. Returns the matrix of
 * integers from 0 to 2^bits in steps of radius / 2^bits, in which the squares of a row sum to at most 4^bits. */
SEXP ffi_diagram_curve_cut(SEXP curves, SEXP radius, SEXP bits, SEXP options) {
  cut_request request = {ffi_any_matrix(curves, "curves"), ffi_number(radius, 0x1p-900, 0x1p900, "radius"),
                         ffi_choice(bits, 1, DPT_CURVE_MOST_BITS, "bits")};
  if (request.curves.columns < 1 || request.curves.columns > DPT_CURVE_MOST_SIZE)
    ffi_refuse("curves", "of 1 to 1024 columns");
  return ffi_call(curve_cut, &request, options);
}
