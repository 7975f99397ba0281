/* ffi-persistence-bottleneck.c - the bottleneck distance. */
#include "ffi.h"
#include "ffi-persistence-read.h"
#include "persistence-bottleneck.h"

typedef struct {
  dpt_points x, y;
} bottleneck_request;

static SEXP compute_distance(dpt_ctx *ctx, void *data) {
  const bottleneck_request *request = data;
  return Rf_ScalarReal(dpt_bottleneck_distance(ctx, &request->x, &request->y));
}

SEXP ffi_persistence_bottleneck_distance(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP options) {
  bottleneck_request request = {persistence_read_points(birth_x, death_x), persistence_read_points(birth_y, death_y)};
  return ffi_call(compute_distance, &request, options);
}
