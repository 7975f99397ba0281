/* ffi-publish-tree.h - reads sets of columns. */
#ifndef FFI_PUBLISH_TREE_H
#define FFI_PUBLISH_TREE_H

#include "ffi-call.h"
#include "ffi-read.h"
#include "publish-tree.h"

/* Reads the number of codes of each column, for 1 to 1000 columns. */
ffi_integers ffi_read_tree_sizes(SEXP sizes);

/* Reads a list of sets of columns, numbers from 1. */
SEXP ffi_read_tree_scopes(SEXP scopes, ffi_integers sizes, const char *what);

/* Copies them in the form of the core, in the arena. */
ptrdiff_t *ffi_copy_tree_sizes(dpt_ctx *ctx, ffi_integers sizes);
dpt_scopes ffi_copy_tree_scopes(dpt_ctx *ctx, SEXP scopes);

#endif
