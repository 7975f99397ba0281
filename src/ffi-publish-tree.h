/* ffi-publish-tree.h - sets of columns, read. */
#ifndef FFI_PUBLISH_TREE_H
#define FFI_PUBLISH_TREE_H

#include "ffi-call.h"
#include "ffi-read.h"
#include "publish-tree.h"

/* How many codes each column has: 1 to 1000 columns. */
ffi_integers ffi_read_tree_sizes(SEXP sizes);

/* A list of sets of columns, numbers from 1. */
SEXP ffi_read_tree_scopes(SEXP scopes, ffi_integers sizes, const char *what);

/* The same as the core takes them, in the arena. */
ptrdiff_t *ffi_copy_tree_sizes(dpt_ctx *ctx, ffi_integers sizes);
dpt_scopes ffi_copy_tree_scopes(dpt_ctx *ctx, SEXP scopes);

#endif
