/* ffi-manifold.h - an R manifold as a manifold of the core. */
#ifndef FFI_MANIFOLD_H
#define FFI_MANIFOLD_H

#include "ffi-call.h"
#include "ffi-read.h"
#include "manifold-points.h"

/* Reads the list of R's new_manifold(): kind, numbers, shape, factors, functions. Call it only inside a body of
 * ffi_call(). */
const dpt_manifold *ffi_read_manifold(dpt_ctx *ctx, SEXP manifold);

/* Reads the columns of a matrix with `rows` rows, which are points if that is manifold->size. NaN is allowed. */
dpt_columns ffi_read_columns(SEXP columns, ptrdiff_t rows, const char *what);

/* Reads a single point. */
const double *ffi_read_point(const dpt_manifold *manifold, SEXP point, const char *what);

#endif
