/* ffi-manifold-laplace.c - draws about a point of a manifold, for R. */
#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-laplace.h"

static const char *const proposal_names[] = {"best", "tangent", "drift", "steep", "uniform", "ball", "center"};

typedef struct {
  SEXP manifold, origin;
  dpt_laplace_target target;
  dpt_laplace_walk walk;
  ptrdiff_t count;
} laplace_request;

static laplace_request read_request(SEXP manifold, SEXP count, SEXP location, SEXP scale, SEXP center, SEXP radius) {
  return (laplace_request){.manifold = manifold,
                           .target = {.scale = Rf_asReal(scale),
                                      .location = REAL(location),
                                      .center = center == R_NilValue ? NULL : REAL(center),
                                      .radius = center == R_NilValue ? 0 : Rf_asReal(radius)},
                           .count = (ptrdiff_t) Rf_asReal(count)};
}

static SEXP draw_exactly(dpt_ctx *ctx, void *data, dpt_status *status) {
  const laplace_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const bool coordinates = request->origin != R_NilValue;
  dpt_laplace *sampler;
  *status = dpt_laplace_open(ctx, manifold, &request->target, &sampler);
  if (*status != DPT_OK) return R_NilValue;
  const ptrdiff_t rows = coordinates ? manifold->dimension : manifold->size;
  SEXP drawn = PROTECT(Rf_allocMatrix(REALSXP, (int) rows, (int) request->count));
  if (coordinates)
    dpt_laplace_draw_coordinates(ctx, sampler, REAL(request->origin), request->count, REAL(drawn));
  else
    dpt_laplace_draw(ctx, sampler, request->count, REAL(drawn));
  SEXP acceptance = PROTECT(Rf_ScalarReal(dpt_laplace_acceptance(sampler)));
  SEXP proposal = PROTECT(Rf_mkString(proposal_names[dpt_laplace_chosen(sampler)]));
  SEXP result = ffi_named_list(3, (const char *const[]){"points", "acceptance", "proposal"},
                               (const SEXP[]){drawn, acceptance, proposal});
  UNPROTECT(3);
  return result;
}

/* list(points, acceptance, proposal): `count` exact draws as columns, or their normal coordinates about `origin` unless
 * that is NULL: those are for releases, and refused where they take long. `center` may be NULL: the whole manifold. `proposal` is the index of one, for the tests; 0 is the best. */
SEXP ffi_manifold_laplace(SEXP manifold, SEXP count, SEXP location, SEXP scale, SEXP center, SEXP radius,
                          SEXP proposal, SEXP origin, SEXP options) {
  laplace_request request = read_request(manifold, count, location, scale, center, radius);
  request.target.proposal = (dpt_laplace_proposal) Rf_asInteger(proposal);
  request.origin = origin;
  request.target.quick = origin != R_NilValue;
  return ffi_call(draw_exactly, &request, options);
}

static SEXP draw_chain(dpt_ctx *ctx, void *data, dpt_status *status) {
  const laplace_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  SEXP points = PROTECT(Rf_allocMatrix(REALSXP, (int) manifold->size, (int) request->count));
  double rate;
  dpt_laplace_chain(ctx, manifold, &request->target, &request->walk, request->count, REAL(points), &rate);
  *status = DPT_OK;
  SEXP acceptance = PROTECT(Rf_ScalarReal(rate));
  SEXP result = ffi_named_list(2, (const char *const[]){"points", "acceptance"}, (const SEXP[]){points, acceptance});
  UNPROTECT(2);
  return result;
}

/* list(points, acceptance) from a random walk; `steps`: before the first draw, and between draws. */
SEXP ffi_manifold_chain(SEXP manifold, SEXP count, SEXP location, SEXP scale, SEXP center, SEXP radius, SEXP steps,
                        SEXP step_sd, SEXP options) {
  laplace_request request = read_request(manifold, count, location, scale, center, radius);
  request.walk = (dpt_laplace_walk){(ptrdiff_t) REAL(steps)[0], (ptrdiff_t) REAL(steps)[1], Rf_asReal(step_sd)};
  return ffi_call(draw_chain, &request, options);
}
