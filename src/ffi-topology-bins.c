/* ffi-topology-bins.c - points into bins, from R. */
#include "ffi.h"

#include <float.h>

#include "ffi-read.h"
#include "topology-bins.h"

typedef struct {
  dpt_lattice lattice;
  const double *points;
  ptrdiff_t count;
} bins_request;

static void write_center(const dpt_lattice *lattice, ptrdiff_t cell, double *center, ptrdiff_t stride) {
  for (int j = 0; j < lattice->dimension; j++) {
    center[j * stride] = lattice->axis[j][cell % lattice->size[j]];
    cell /= lattice->size[j];
  }
}

/* list(points = centers of the occupied cells, weights = how many points each has) */
static SEXP count_bins(dpt_ctx *ctx, void *data, dpt_status *status) {
  const bins_request *request = data;
  dpt_bins bins;
  dpt_bins_count(ctx, &request->lattice, request->points, request->count, &bins);
  *status = DPT_OK;
  SEXP centers = PROTECT(ffi_new_matrix(bins.count, request->lattice.dimension));
  SEXP weights = PROTECT(ffi_new_doubles(bins.count));
  for (ptrdiff_t i = 0; i < bins.count; i++) {
    write_center(&request->lattice, bins.cell[i], REAL(centers) + i, bins.count);
    REAL(weights)[i] = (double) bins.number[i];
  }
  const char *names[] = {"points", "weights"};
  const SEXP values[] = {centers, weights};
  SEXP result = ffi_named_list(2, names, values);
  UNPROTECT(2);
  return result;
}

static ffi_vector read_axis(SEXP axis) {
  ffi_vector read = ffi_doubles_within(axis, -DBL_MAX, DBL_MAX, "axes");
  bool good = read.count > 0;
  for (ptrdiff_t i = 1; i < read.count; i++) good = good && read.at[i - 1] < read.at[i];
  if (!good) ffi_refuse("axes", "increasing");
  return read;
}

/* points: a double matrix; axes: a list of increasing double vectors, one for each column. */
SEXP ffi_topology_bins(SEXP points, SEXP axes, SEXP options) {
  ffi_matrix rows = ffi_doubles_matrix(points, "points");
  bins_request request = {.points = rows.at, .count = rows.rows};
  ffi_list(axes, 1, DPT_BINS_MAX_DIMENSION, "axes");
  request.lattice.dimension = (int) XLENGTH(axes);
  if (rows.columns != request.lattice.dimension) ffi_refuse("points", "a matrix with a column for each axis");
  for (int j = 0; j < request.lattice.dimension; j++) {
    ffi_vector axis = read_axis(VECTOR_ELT(axes, j));
    request.lattice.axis[j] = axis.at;
    request.lattice.size[j] = axis.count;
  }
  return ffi_call(count_bins, &request, options);
}
