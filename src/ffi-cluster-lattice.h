/* ffi-cluster-lattice.h - arguments that all entry points of private k-means read. */
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

/* Reads the columns of rows and the box into which they are moved. */
ffi_lattice ffi_read_lattice(SEXP list, const ffi_matrix *X);

/* Rows with their weights. */
static inline dpt_cluster_rows ffi_cluster_rows(const ffi_matrix *X, ffi_row_weights weights) {
  return (dpt_cluster_rows){X->at, X->rows, weights.each};
}

/* Writes the map's matrix in integers. */
void ffi_fill_map(dpt_ctx *ctx, ffi_lattice *lattice);

/* Converts doubles that were checked to be integers in range. */
int64_t *ffi_whole_numbers(dpt_ctx *ctx, ffi_vector from);

/* Refuses numbers that are not integers. */
ffi_vector ffi_whole_within(SEXP x, double most, const char *what);

#endif
