/* ffi-cluster-lattice.h - what the entry points of private k-means read alike. */
#ifndef FFI_CLUSTER_LATTICE_H
#define FFI_CLUSTER_LATTICE_H

#include "cluster-lattice.h"
#include "ffi-base-rows.h"
#include "ffi-read.h"

/* list(lower, upper, bits, matrix, shift): a box, binary digits, and the map of its rows, a matrix or NULL. */
typedef struct {
  dpt_lattice lattice;
  dpt_lattice_map map;
  ffi_vector matrix;
} ffi_lattice;

/* Columns of rows, and the box that they are moved into. */
ffi_lattice ffi_read_lattice(SEXP list, const ffi_matrix *X);

/* Rows with what they weigh. */
static inline dpt_cluster_rows ffi_cluster_rows(const ffi_matrix *X, ffi_row_weights weights) {
  return (dpt_cluster_rows){X->at, X->rows, weights.each};
}

/* The map's matrix in whole numbers. */
void ffi_fill_map(dpt_ctx *ctx, ffi_lattice *lattice);

/* Whole numbers in doubles, whose range was checked before. */
int64_t *ffi_whole_numbers(dpt_ctx *ctx, ffi_vector from);

/* Refuses what is not whole. */
ffi_vector ffi_whole_within(SEXP x, double most, const char *what);

#endif
