/* ffi-base-logconcave.c - the tests' way to the sampler of log-concave densities, through the radial envelopes. */
#include <math.h>

#include "ffi.h"
#include "base-logconcave.h"
#include "manifold-radius.h"

typedef struct {
  ptrdiff_t count;
  dpt_radius radius;
  double upper;
} length_request;

static SEXP draw_lengths(dpt_ctx *ctx, void *data, dpt_status *status) {
  const length_request *request = data;
  dpt_logconcave hull;
  *status = dpt_logconcave_open(ctx, dpt_radius_log_density, &request->radius, fmin(1, request->upper / 2),
                                request->upper, &hull);
  if (*status != DPT_OK) return R_NilValue;
  SEXP lengths = PROTECT(Rf_allocVector(REALSXP, request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    REAL(lengths)[i] = dpt_logconcave_draw(ctx, &hull);
    dpt_tick(ctx, 100);
  }
  UNPROTECT(1);
  return lengths;
}

/* Draws from x^power exp(bound(x) - rate x) on [0, upper]; `growth` holds count and rate of the expanding bound, the
 * same of the contracting one, and the threshold. */
SEXP ffi_base_draw_lengths(SEXP count, SEXP power, SEXP rate, SEXP growth, SEXP upper, SEXP options) {
  const double *number = REAL(growth);
  length_request request = {.count = (ptrdiff_t) Rf_asReal(count),
                            .radius = {Rf_asReal(power), Rf_asReal(rate),
                                       {.expanding = {number[0], number[1]},
                                        .contracting = {number[2], number[3]},
                                        .threshold = number[4]}},
                            .upper = Rf_asReal(upper)};
  return ffi_call(draw_lengths, &request, options);
}
