/* ffi-topology-grid-persistence.c - persistence diagrams of arrays. */
#include <limits.h>
#include <math.h>

#include "ffi.h"
#include "ffi-read.h"
#include "topology-grid-persistence.h"

static SEXP run_grid_persistence(dpt_ctx *ctx, void *data) {
  dpt_grid_diagram diagram;
  dpt_require(ctx, dpt_grid_persistence(ctx, data, &diagram));
  SEXP dimension = PROTECT(Rf_allocVector(INTSXP, diagram.count));
  SEXP birth = PROTECT(ffi_new_doubles(diagram.count));
  SEXP death = PROTECT(ffi_new_doubles(diagram.count));
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
  ffi_vector all = ffi_doubles_within(values, -INFINITY, INFINITY, "values");
  ffi_vector sides = ffi_doubles_within(size, 1, (double) FFI_COUNT_MOST, "size");
  dpt_grid_request request = {
      .values = all.at,
      .axes = (int) sides.count,
      .max_dimension = ffi_choice(max_dimension, 0, INT_MAX, "max_dimension"),
      .superlevel = !ffi_flag(sublevel, "sublevel"),
      .complex = ffi_flag(alternating, "alternating") ? DPT_GRID_ALTERNATING : DPT_GRID_CUBICAL,
      .essential = (dpt_grid_essential) ffi_choice(essential, 0, 2, "essential"),
      .plane_allowed = ffi_flag(plane, "plane"),
  };
  if (request.essential == DPT_GRID_CAP) request.cap = ffi_number(cap, -INFINITY, INFINITY, "cap");
  if (sides.count < 1 || sides.count > DPT_GRID_MOST_AXES) ffi_refuse("size", "one to four extents");
  double product = 1;
  for (int axis = 0; axis < request.axes; axis++) {
    request.size[axis] = (ptrdiff_t) sides.at[axis];
    product *= (double) request.size[axis];
  }
  if (product != (double) all.count) ffi_refuse("size", "the extents of `values`");
  return ffi_call(run_grid_persistence, &request, options);
}
