/* ffi-topology-bins.c - points into bins, from R. */
#include "ffi.h"

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
  *status = dpt_bins_count(ctx, &request->lattice, request->points, request->count, &bins);
  if (*status != DPT_OK) return R_NilValue;
  SEXP centers = PROTECT(Rf_allocMatrix(REALSXP, (int) bins.count, request->lattice.dimension));
  SEXP weights = PROTECT(Rf_allocVector(REALSXP, bins.count));
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

/* points: a double matrix; axes: a list of increasing double vectors, one for each column. */
SEXP ffi_topology_bins(SEXP points, SEXP axes, SEXP options) {
  bins_request request = {.points = REAL(points), .count = Rf_nrows(points)};
  request.lattice.dimension = (int) Rf_xlength(axes);
  for (int j = 0; j < request.lattice.dimension; j++) {
    SEXP axis = VECTOR_ELT(axes, j);
    request.lattice.axis[j] = REAL(axis);
    request.lattice.size[j] = Rf_xlength(axis);
  }
  return ffi_call(count_bins, &request, options);
}
