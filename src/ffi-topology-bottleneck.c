/* ffi-topology-bottleneck.c - bottleneck distance and its decision procedure. */
#include <float.h>
#include <math.h>

#include "ffi.h"
#include "ffi-read.h"
#include "topology-bottleneck.h"

typedef struct {
  dpt_points x, y;
  double t;
} bottleneck_request;

/* Births and deaths up to `most` in absolute value. */
static dpt_points read_points(SEXP birth, SEXP death, double most) {
  ffi_vector births = ffi_doubles_within(birth, -most, most, "birth");
  ffi_vector deaths = ffi_doubles_within(death, -most, most, "death");
  if (births.count != deaths.count) ffi_refuse("death", "as long as `birth`");
  return (dpt_points){births.at, deaths.at, births.count};
}

static dpt_points read_sorted(SEXP birth, SEXP death) {
  dpt_points points = read_points(birth, death, DBL_MAX);
  for (ptrdiff_t i = 1; i < points.count; i++)
    if (points.birth[i - 1] > points.birth[i]) ffi_refuse("birth", "increasing");
  return points;
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

SEXP ffi_topology_bottleneck_distance(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP options) {
  bottleneck_request request = {read_points(birth_x, death_x, INFINITY), read_points(birth_y, death_y, INFINITY), 0};
  return ffi_call(compute_distance, &request, options);
}

/* Finite points sorted by birth; for the tests of what the private sampler uses. */
SEXP ffi_topology_bottleneck_within(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP t, SEXP options) {
  bottleneck_request request = {read_sorted(birth_x, death_x), read_sorted(birth_y, death_y),
                                ffi_number(t, 0, INFINITY, "t")};
  return ffi_call(decide_within, &request, options);
}

SEXP ffi_topology_bottleneck_covers(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP t, SEXP options) {
  bottleneck_request request = {read_sorted(birth_x, death_x), read_sorted(birth_y, death_y),
                                ffi_number(t, 0, INFINITY, "t")};
  return ffi_call(decide_covers, &request, options);
}
