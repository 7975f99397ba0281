/* ffi-manifold.h - a manifold of R as a manifold of the core. */
#ifndef FFI_MANIFOLD_H
#define FFI_MANIFOLD_H

#include "ffi-call.h"
#include "manifold.h"

/* The list that R's new_manifold() makes: kind, numbers, shape, factors, functions. Only inside a body of ffi_call(). */
const dpt_manifold *ffi_read_manifold(dpt_ctx *ctx, SEXP manifold);

#endif
