/* ffi-manifold.h - a manifold of R as a manifold of the core. */
#ifndef FFI_MANIFOLD_H
#define FFI_MANIFOLD_H

#include "ffi-call.h"
#include "ffi-read.h"
#include "manifold-points.h"

/* The list that R's new_manifold() makes: kind, numbers, shape, factors, functions. Only inside a body of ffi_call(). */
const dpt_manifold *ffi_read_manifold(dpt_ctx *ctx, SEXP manifold);

/* The columns of a matrix with `rows` rows: points where that is manifold->size. NaN passes. */
dpt_columns ffi_read_columns(SEXP columns, ptrdiff_t rows, const char *what);

/* The one point. */
const double *ffi_read_point(const dpt_manifold *manifold, SEXP point, const char *what);

#endif
