/* manifold-pending.c - manifolds that are not there yet; this file goes when they are. */
#include "manifold.h"

#define PENDING __attribute__((weak))
PENDING const dpt_manifold *dpt_manifold_spd(dpt_ctx *ctx, ptrdiff_t p) {
  (void) p;
  dpt_escape(ctx, DPT_ERROR_ARGUMENT, "not there yet");
}
PENDING const dpt_manifold *dpt_manifold_spd_log(dpt_ctx *ctx, ptrdiff_t p) {
  (void) p;
  dpt_escape(ctx, DPT_ERROR_ARGUMENT, "not there yet");
}
