/* ffi-test-bottleneck.c - the decisions behind the private sampler, for the tests. */
#include <float.h>
#include <math.h>

#include "ffi.h"
#include "ffi-read.h"
#include "persistence-bottleneck.h"

typedef struct {
  dpt_points x, y;
  double t;
} decision_request;

/* Reads finite points, sorted by birth. */
static dpt_points read_sorted(SEXP birth, SEXP death) {
  ffi_vector births = ffi_doubles_within(birth, -DBL_MAX, DBL_MAX, "birth");
  ffi_vector deaths = ffi_doubles_within(death, -DBL_MAX, DBL_MAX, "death");
  if (births.count != deaths.count) ffi_refuse("death", "as long as `birth`");
  for (ptrdiff_t i = 1; i < births.count; i++)
    if (births.at[i - 1] > births.at[i]) ffi_refuse("birth", "increasing");
  return (dpt_points){births.at, deaths.at, births.count};
}

static SEXP decide_within(dpt_ctx *ctx, void *data) {
  const decision_request *request = data;
  return Rf_ScalarLogical(dpt_bottleneck_within(ctx, &request->x, &request->y, request->t));
}

static SEXP decide_covers(dpt_ctx *ctx, void *data) {
  const decision_request *request = data;
  return Rf_ScalarLogical(dpt_bottleneck_covers(ctx, &request->x, &request->y, request->t));
}

SEXP ffi_test_bottleneck_within(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP t, SEXP options) {
  decision_request request = {read_sorted(birth_x, death_x), read_sorted(birth_y, death_y),
                              ffi_number(t, 0, INFINITY, "t")};
  return ffi_call(decide_within, &request, options);
}

SEXP ffi_test_bottleneck_covers(SEXP birth_x, SEXP death_x, SEXP birth_y, SEXP death_y, SEXP t, SEXP options) {
  decision_request request = {read_sorted(birth_x, death_x), read_sorted(birth_y, death_y),
                              ffi_number(t, 0, INFINITY, "t")};
  return ffi_call(decide_covers, &request, options);
}
