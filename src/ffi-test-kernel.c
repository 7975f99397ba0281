/* ffi-test-kernel.c - what the tests need to see of a call: its memory, its threads, the ways out of a kernel. */
#include "ffi.h"

#include <math.h>
#include <stdint.h>

#include "base-draws.h"
#include "ffi-read.h"

/* Arena blocks alive in this process: zero between calls. */
SEXP ffi_test_live_blocks(void) { return Rf_ScalarReal((double) dpt_arena_live()); }

/* Burns `milliseconds` of work with memory and randomness in hand, then ends as `how` says: "ok", "fail", "memory",
 * "entropy". With a poll each millisecond, this is where the tests interrupt a kernel. */
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

/* Threads that a kernel would use. */
static SEXP read_threads(dpt_ctx *ctx, void *data) {
  (void) data;
  return Rf_ScalarInteger(ctx->threads);
}

SEXP ffi_test_threads(SEXP options) { return ffi_call(read_threads, NULL, options); }

/* Is this a child of the process that loaded the package? */
SEXP ffi_test_forked(void) { return Rf_ScalarLogical(ffi_is_forked()); }
