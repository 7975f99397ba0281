/* ffi-test-logconcave.c - the sampler of log-concave densities with the radial envelopes, for the tests. */
#include <float.h>
#include <math.h>

#include "ffi.h"
#include "ffi-read.h"
#include "base-logconcave.h"
#include "manifold-radius.h"

typedef struct {
  ptrdiff_t count;
  dpt_radius radius;
  double upper;
} length_request;

static SEXP draw_lengths(dpt_ctx *ctx, void *data) {
  const length_request *request = data;
  dpt_logconcave hull;
  dpt_require(ctx, dpt_logconcave_open(ctx, dpt_radius_log_density, &request->radius, fmin(1, request->upper / 2),
                                       request->upper, &hull));
  SEXP lengths = ffi_keep(ctx, ffi_new_doubles(request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    REAL(lengths)[i] = dpt_logconcave_draw(ctx, &hull);
    dpt_tick(ctx, 100);
  }
  return lengths;
}

/* Draws from x^power exp(bound(x) - rate x) on [0, upper]. `growth` holds count and rate of the expanding bound,
 * count and rate of the contracting bound, and the threshold. */
SEXP ffi_test_draw_lengths(SEXP count, SEXP power, SEXP rate, SEXP growth, SEXP upper, SEXP options) {
  ffi_vector numbers = ffi_doubles_within(growth, 0, INFINITY, "growth");
  if (numbers.count != 5) ffi_refuse("growth", "five numbers");
  const double *number = numbers.at;
  length_request request = {
      .count = ffi_count(count, 0, FFI_COUNT_MOST, "count"),
      .radius = {ffi_number(power, 0, 1e6, "power"),
                 ffi_number(rate, -DBL_MAX, DBL_MAX, "rate"),
                 {.expanding = {number[0], number[1]}, .contracting = {number[2], number[3]}, .threshold = number[4]}},
      .upper = ffi_number(upper, 0, INFINITY, "upper")};
  return ffi_call(draw_lengths, &request, options);
}
