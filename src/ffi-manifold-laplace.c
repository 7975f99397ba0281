/* ffi-manifold-laplace.c - draws about a point of a manifold, for R. */
#include <float.h>
#include <math.h>

#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-laplace.h"

static const char *const proposal_names[] = {"best", "tangent", "drift", "steep", "uniform", "ball", "center"};
enum { proposals = sizeof proposal_names / sizeof *proposal_names };

typedef struct {
  SEXP manifold, location, center, origin;
  dpt_laplace_target target;
  dpt_laplace_walk walk;
  ptrdiff_t count;
} laplace_request;

static laplace_request read_request(SEXP manifold, SEXP count, SEXP location, SEXP scale, SEXP center, SEXP radius) {
  return (laplace_request){.manifold = manifold,
                           .location = location,
                           .center = center,
                           .target = {.scale = ffi_number(scale, DBL_MIN, INFINITY, "scale"),
                                      .radius = center == R_NilValue ? 0 : ffi_number(radius, 0, INFINITY, "radius")},
                           .count = ffi_count(count, 0, FFI_COUNT_MOST, "count")};
}

/* Reads the manifold, and then its points. */
static const dpt_manifold *read_target(dpt_ctx *ctx, laplace_request *request) {
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  request->target.location = ffi_read_point(manifold, request->location, "location");
  if (request->center != R_NilValue) request->target.center = ffi_read_point(manifold, request->center, "center");
  return manifold;
}

static SEXP draw_exactly(dpt_ctx *ctx, void *data) {
  laplace_request *request = data;
  const dpt_manifold *manifold = read_target(ctx, request);
  const bool coordinates = request->origin != R_NilValue;
  const double *origin = coordinates ? ffi_read_point(manifold, request->origin, "origin") : NULL;
  dpt_laplace *sampler;
  dpt_require(ctx, dpt_laplace_open(ctx, manifold, &request->target, &sampler));
  SEXP drawn = ffi_keep(ctx, ffi_new_matrix(coordinates ? manifold->dimension : manifold->size, request->count));
  if (coordinates) dpt_laplace_draw_coordinates(ctx, sampler, origin, request->count, REAL(drawn));
  else dpt_laplace_draw(ctx, sampler, request->count, REAL(drawn));
  SEXP acceptance = ffi_keep(ctx, Rf_ScalarReal(dpt_laplace_acceptance(sampler)));
  SEXP proposal = ffi_keep(ctx, Rf_mkString(proposal_names[dpt_laplace_chosen(sampler)]));
  return ffi_named_list(3, (const char *const[]){"points", "acceptance", "proposal"},
                        (const SEXP[]){drawn, acceptance, proposal});
}

/* Returns list(points, acceptance, proposal). The points are `count` exact draws as columns. If `origin` is not
 * NULL, they are normal coordinates about `origin`, for releases, and settings with slow draws are refused. If
 * `center` is NULL, draws are from the entire manifold. `proposal` is the index of a proposal, for the tests, or 0
 * for the best. */
SEXP ffi_manifold_laplace(SEXP manifold, SEXP count, SEXP location, SEXP scale, SEXP center, SEXP radius, SEXP proposal,
                          SEXP origin, SEXP options) {
  laplace_request request = read_request(manifold, count, location, scale, center, radius);
  request.target.proposal = (dpt_laplace_proposal) ffi_choice(proposal, 0, proposals - 1, "proposal");
  request.origin = origin;
  request.target.quick = origin != R_NilValue;
  return ffi_call(draw_exactly, &request, options);
}

static SEXP draw_chain(dpt_ctx *ctx, void *data) {
  laplace_request *request = data;
  const dpt_manifold *manifold = read_target(ctx, request);
  SEXP points = ffi_keep(ctx, ffi_new_matrix(manifold->size, request->count));
  double rate;
  dpt_laplace_chain(ctx, manifold, &request->target, &request->walk, request->count, REAL(points), &rate);
  SEXP acceptance = ffi_keep(ctx, Rf_ScalarReal(rate));
  return ffi_named_list(2, (const char *const[]){"points", "acceptance"}, (const SEXP[]){points, acceptance});
}

/* Returns list(points, acceptance) from a random walk. `steps`: the number before the first draw, and between draws. */
SEXP ffi_manifold_chain(SEXP manifold, SEXP count, SEXP location, SEXP scale, SEXP center, SEXP radius, SEXP steps,
                        SEXP step_sd, SEXP options) {
  laplace_request request = read_request(manifold, count, location, scale, center, radius);
  ffi_vector walk = ffi_doubles_within(steps, 1, (double) FFI_COUNT_MOST, "steps");
  if (walk.count != 2) ffi_refuse("steps", "two numbers");
  request.walk = (dpt_laplace_walk){(ptrdiff_t) walk.at[0], (ptrdiff_t) walk.at[1],
                                    ffi_number(step_sd, 0, DBL_MAX, "step_sd")};
  return ffi_call(draw_chain, &request, options);
}
