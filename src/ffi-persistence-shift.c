/* ffi-persistence-shift.c - the bottleneck distance up to a shift. */
#include "ffi.h"
#include "ffi-persistence-read.h"
#include "persistence-shift.h"

typedef struct {
  dpt_points x, y;
} shift_request;

/* Returns the distance and the shift. */
static SEXP compute_distance(dpt_ctx *ctx, void *data) {
  const shift_request *request = data;
  dpt_shift_best best = dpt_shift_distance(ctx, &request->x, &request->y);
  SEXP result = ffi_new_doubles(2);
  REAL(result)[0] = best.distance;
  REAL(result)[1] = best.shift;
  return result;
}

SEXP ffi_persistence_shift_distance(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP options) {
  shift_request request = {persistence_read_points(birth_x, death_x), persistence_read_points(birth_y, death_y)};
  return ffi_call(compute_distance, &request, options);
}
