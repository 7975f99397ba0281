/* ffi-publish-decode.h - a decoder of places in the plane, read. */
#ifndef FFI_PUBLISH_DECODE_H
#define FFI_PUBLISH_DECODE_H

#include "ffi-call.h"
#include "publish-decode.h"

/* back: NULL or 2 x features; back_shift: NULL with it, or features; slope: features x cells; shift: cells. */
dpt_decoder ffi_read_decoder(SEXP back, SEXP back_shift, SEXP slope, SEXP shift, SEXP sizes);

/* A matrix of finite numbers with two columns, none above 1e100. */
const double *ffi_read_places(SEXP places, ptrdiff_t *rows, const char *what);

#endif
