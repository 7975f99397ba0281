/* ffi-topology-bottleneck.c - bottleneck distance and its decision procedure. */
#include "ffi.h"
#include "topology-bottleneck.h"

typedef struct {
  dpt_points x, y;
  double t;
} bottleneck_request;

static dpt_points read_points(SEXP birth, SEXP death) {
  return (dpt_points){REAL(birth), REAL(death), (ptrdiff_t) XLENGTH(birth)};
}

static SEXP compute_distance(dpt_ctx *ctx, void *data, dpt_status *status) {
  const bottleneck_request *request = data;
  double distance = 0;
  *status = dpt_bottleneck_distance(ctx, &request->x, &request->y, &distance);
  return Rf_ScalarReal(distance);
}

static SEXP decide_within(dpt_ctx *ctx, void *data, dpt_status *status) {
  const bottleneck_request *request = data;
  *status = DPT_OK;
  return Rf_ScalarLogical(dpt_bottleneck_within(ctx, &request->x, &request->y, request->t));
}

static SEXP decide_covers(dpt_ctx *ctx, void *data, dpt_status *status) {
  const bottleneck_request *request = data;
  *status = DPT_OK;
  return Rf_ScalarLogical(dpt_bottleneck_covers(ctx, &request->x, &request->y, request->t));
}

SEXP ffi_bottleneck_distance(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP options) {
  bottleneck_request request = {read_points(birth_x, death_x), read_points(birth_y, death_y), 0};
  return ffi_call(compute_distance, &request, options);
}

/* Finite points sorted by birth; for the tests of what the private sampler uses. */
SEXP ffi_bottleneck_within(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP t, SEXP options) {
  bottleneck_request request = {read_points(birth_x, death_x), read_points(birth_y, death_y), Rf_asReal(t)};
  return ffi_call(decide_within, &request, options);
}

SEXP ffi_bottleneck_covers(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP t, SEXP options) {
  bottleneck_request request = {read_points(birth_x, death_x), read_points(birth_y, death_y), Rf_asReal(t)};
  return ffi_call(decide_covers, &request, options);
}
