/* ffi-topology-bottleneck.c - the bottleneck distance. */
#include <math.h>

#include "ffi.h"
#include "ffi-read.h"
#include "topology-bottleneck.h"

typedef struct {
  dpt_points x, y;
} bottleneck_request;

static dpt_points read_points(SEXP birth, SEXP death) {
  ffi_vector births = ffi_doubles_within(birth, -INFINITY, INFINITY, "birth");
  ffi_vector deaths = ffi_doubles_within(death, -INFINITY, INFINITY, "death");
  if (births.count != deaths.count) ffi_refuse("death", "as long as `birth`");
  return (dpt_points){births.at, deaths.at, births.count};
}

static SEXP compute_distance(dpt_ctx *ctx, void *data, dpt_status *status) {
  const bottleneck_request *request = data;
  *status = DPT_OK;
  return Rf_ScalarReal(dpt_bottleneck_distance(ctx, &request->x, &request->y));
}

SEXP ffi_topology_bottleneck_distance(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP options) {
  bottleneck_request request = {read_points(birth_x, death_x), read_points(birth_y, death_y)};
  return ffi_call(compute_distance, &request, options);
}
