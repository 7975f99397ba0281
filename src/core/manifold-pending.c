/* manifold-pending.c - manifolds that are not there yet; this file goes when they are. */
#include "manifold.h"

#define PENDING __attribute__((weak))
PENDING const dpt_manifold *dpt_manifold_hyperbolic(dpt_ctx *ctx, ptrdiff_t d, double curvature) {
  (void) d, (void) curvature;
  dpt_escape(ctx, DPT_ERROR_ARGUMENT, "not there yet");
}
PENDING const dpt_manifold *dpt_manifold_spd(dpt_ctx *ctx, ptrdiff_t p) {
  (void) p;
  dpt_escape(ctx, DPT_ERROR_ARGUMENT, "not there yet");
}
PENDING const dpt_manifold *dpt_manifold_spd_log(dpt_ctx *ctx, ptrdiff_t p) {
  (void) p;
  dpt_escape(ctx, DPT_ERROR_ARGUMENT, "not there yet");
}
PENDING const dpt_manifold *dpt_manifold_rotation(dpt_ctx *ctx, ptrdiff_t p) {
  (void) p;
  dpt_escape(ctx, DPT_ERROR_ARGUMENT, "not there yet");
}
PENDING const dpt_manifold *dpt_manifold_grassmann(dpt_ctx *ctx, ptrdiff_t k, ptrdiff_t p) {
  (void) p, (void) k;
  dpt_escape(ctx, DPT_ERROR_ARGUMENT, "not there yet");
}
PENDING const dpt_manifold *dpt_manifold_product(dpt_ctx *ctx, const dpt_manifold *const *factor, ptrdiff_t factors) {
  (void) factor, (void) factors;
  dpt_escape(ctx, DPT_ERROR_ARGUMENT, "not there yet");
}
