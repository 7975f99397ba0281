/* ffi-publish-decode.h - reads a decoder of places in the plane. */
#ifndef FFI_PUBLISH_DECODE_H
#define FFI_PUBLISH_DECODE_H

#include "ffi-call.h"
#include "publish-decode.h"

/* back: NULL or 2 x features. back_shift: NULL if back is NULL, or features. slope: features x cells. shift: cells. */
dpt_decoder ffi_read_decoder(SEXP back, SEXP back_shift, SEXP slope, SEXP shift, SEXP sizes);

/* Reads a matrix of finite numbers with two columns, none above 1e100. */
const double *ffi_read_places(SEXP places, ptrdiff_t *rows, const char *what);

#endif
