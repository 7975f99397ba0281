/* ffi-test-kernel.c - memory, threads, and exits of a call, for the tests. */
#include "ffi.h"

#include <math.h>
#include <stdint.h>

#include "base-draws.h"
#include "ffi-read.h"

/* Number of arena blocks alive in this process: zero between calls. */
SEXP ffi_test_live_blocks(void) { return Rf_ScalarReal((double) dpt_arena_live()); }

/* Works for `milliseconds` with memory and randomness in use, then ends as `how` requests: "ok", "fail", "memory",
 * "entropy". It polls each millisecond, so that tests can interrupt a kernel here. */
typedef struct {
  double steps;
  int how;
} burn_request;

static SEXP burn(dpt_ctx *ctx, void *data) {
  const burn_request *request = data;
  double *scratch = DPT_NEW(ctx, double, 1 << 16);
  for (ptrdiff_t i = 0; i < (1 << 16); i++) scratch[i] = 1;
  for (double step = 0; step < request->steps; step++) {
    scratch[0] += dpt_draw_unit(ctx);
    ctx->fraction = step / request->steps;
    dpt_tick(ctx, 1000);
  }
  if (request->how == 1) dpt_require(ctx, dpt_fail(ctx, DPT_ERROR_ARGUMENT, "the kernel was asked to fail"));
  if (request->how == 2) DPT_NEW(ctx, double, PTRDIFF_MAX);
  if (request->how == 3) {
    dpt_random_close(&ctx->random);
    dpt_draw_unit(ctx);
  }
  return Rf_ScalarReal(scratch[0]);
}

SEXP ffi_test_burn(SEXP steps, SEXP how, SEXP options) {
  burn_request request = {ffi_number(steps, 0, INFINITY, "steps"), ffi_choice(how, 0, 3, "how")};
  return ffi_call(burn, &request, options);
}

/* Number of threads that a kernel would use. */
static SEXP read_threads(dpt_ctx *ctx, void *data) {
  (void) data;
  return Rf_ScalarInteger(ctx->threads);
}

SEXP ffi_test_threads(SEXP options) { return ffi_call(read_threads, NULL, options); }

/* Whether this is a child of the process that loaded the package. */
SEXP ffi_test_forked(void) { return Rf_ScalarLogical(ffi_is_forked()); }
