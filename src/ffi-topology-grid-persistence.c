/* ffi-topology-grid-persistence.c - persistence diagrams of arrays. */
#include "ffi.h"
#include "topology-grid-persistence.h"

static SEXP run_grid_persistence(dpt_ctx *ctx, void *data, dpt_status *status) {
  dpt_grid_diagram diagram;
  *status = dpt_grid_persistence(ctx, data, &diagram);
  if (*status != DPT_OK) return R_NilValue;
  SEXP dimension = PROTECT(Rf_allocVector(INTSXP, diagram.count));
  SEXP birth = PROTECT(Rf_allocVector(REALSXP, diagram.count));
  SEXP death = PROTECT(Rf_allocVector(REALSXP, diagram.count));
  for (ptrdiff_t i = 0; i < diagram.count; i++) {
    INTEGER(dimension)[i] = diagram.dimension[i];
    REAL(birth)[i] = diagram.birth[i];
    REAL(death)[i] = diagram.death[i];
  }
  static const char *const names[] = {"dimension", "birth", "death"};
  const SEXP columns[] = {dimension, birth, death};
  SEXP list = ffi_named_list(3, names, columns);
  UNPROTECT(3);
  return list;
}

/* `values`: doubles, `size`: their extents, `max_dimension`: an integer, `sublevel`, `alternating`: flags, `essential`:
 * 0 keep, 1 drop, 2 cap, `cap`: a double, `plane`: whether the engine for the plane may be used. */
SEXP ffi_topology_grid_persistence(SEXP values, SEXP size, SEXP max_dimension, SEXP sublevel, SEXP alternating,
                                   SEXP essential, SEXP cap, SEXP plane, SEXP options) {
  dpt_grid_request request = {
      .values = REAL(values),
      .axes = (int) XLENGTH(size),
      .max_dimension = Rf_asInteger(max_dimension),
      .superlevel = !Rf_asLogical(sublevel),
      .complex = Rf_asLogical(alternating) ? DPT_GRID_ALTERNATING : DPT_GRID_CUBICAL,
      .essential = (dpt_grid_essential) Rf_asInteger(essential),
      .cap = Rf_asReal(cap),
      .plane_allowed = Rf_asLogical(plane),
  };
  for (int axis = 0; axis < request.axes; axis++) request.size[axis] = (ptrdiff_t) REAL(size)[axis];
  return ffi_call(run_grid_persistence, &request, options);
}
