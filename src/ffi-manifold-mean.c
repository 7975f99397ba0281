/* ffi-manifold-mean.c - means and medians on manifolds, for R. Points are the columns of a matrix. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-mean.h"

typedef struct {
  SEXP manifold, points, weights, center;
  double radius;
  bool median;
  double tolerance, max_steps;
  bool sure;
} mean_request;

static dpt_weighted read_weighted(const mean_request *request, const dpt_manifold *manifold) {
  dpt_columns points = ffi_read_columns(request->points, manifold->size, "points");
  if (points.count == 0) ffi_refuse("points", "at least one point");
  if (request->weights == R_NilValue) return (dpt_weighted){.points = points.at, .count = points.count};
  ffi_vector weights = ffi_doubles_within(request->weights, 0, DBL_MAX, "weights");
  if (weights.count != points.count) ffi_refuse("weights", "as many as there are points");
  bool any = false; /* The kernel starts at a point with positive weight. */
  for (ptrdiff_t i = 0; i < weights.count; i++) any = any || weights.at[i] > 0;
  if (!any) ffi_refuse("weights", "positive somewhere");
  return (dpt_weighted){.points = points.at, .weights = weights.at, .count = points.count};
}

static SEXP run_mean(dpt_ctx *ctx, void *data) {
  const mean_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const dpt_mean_problem problem = {.points = read_weighted(request, manifold),
                                    .median = request->median,
                                    .tolerance = request->tolerance,
                                    .max_steps = request->max_steps,
                                    .sure = request->sure};
  dpt_mean_result result;
  SEXP point = ffi_keep(ctx, ffi_new_matrix(manifold->size, 1));
  dpt_manifold_mean(ctx, manifold, &problem, REAL(point), &result);
  const double facts[] = {result.gradient, result.error, result.value,
                          result.radius,   result.steps, (double) result.converged};
  SEXP numbers = ffi_keep(ctx, Rf_allocVector(REALSXP, 6));
  memcpy(REAL(numbers), facts, sizeof facts);
  return ffi_named_list(2, (const char *const[]){"point", "facts"}, (const SEXP[]){point, numbers});
}

/* Returns list(point, facts), facts: gradient, error, value, radius, steps, converged. weights: doubles or NULL. */
SEXP ffi_manifold_mean(SEXP manifold, SEXP points, SEXP weights, SEXP median, SEXP tolerance, SEXP max_steps, SEXP sure,
                       SEXP options) {
  mean_request request = {.manifold = manifold,
                          .points = points,
                          .weights = weights,
                          .median = ffi_flag(median, "median"),
                          .tolerance = ffi_number(tolerance, 0, DBL_MAX, "tolerance"),
                          .max_steps = ffi_number(max_steps, 0, DBL_MAX, "max_steps"),
                          .sure = ffi_flag(sure, "sure")};
  return ffi_call(run_mean, &request, options);
}

static SEXP run_mean_bound(dpt_ctx *ctx, void *data) {
  const mean_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *center = ffi_read_point(manifold, request->center, "center");
  dpt_mean_bound bound = dpt_manifold_mean_bound(ctx, manifold, center, request->radius);
  SEXP numbers = ffi_keep(ctx, Rf_allocVector(REALSXP, 2));
  REAL(numbers)[0] = bound.tolerance;
  REAL(numbers)[1] = bound.error;
  return numbers;
}

/* Returns c(tolerance, error), bounds for the mean of any points in the ball (dpt_mean_bound). */
SEXP ffi_manifold_mean_bound(SEXP manifold, SEXP center, SEXP radius, SEXP options) {
  mean_request request = {.manifold = manifold, .center = center, .radius = ffi_number(radius, 0, INFINITY, "radius")};
  return ffi_call(run_mean_bound, &request, options);
}

static SEXP run_mean_in_ball(dpt_ctx *ctx, void *data) {
  const mean_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  SEXP point = ffi_keep(ctx, ffi_new_doubles(manifold->size));
  const double *center = ffi_read_point(manifold, request->center, "center");
  double gradient = dpt_manifold_mean_in_ball(ctx, manifold, read_weighted(request, manifold), center, request->radius,
                                              REAL(point));
  SEXP length = ffi_keep(ctx, Rf_ScalarReal(gradient));
  return ffi_named_list(2, (const char *const[]){"point", "gradient"}, (const SEXP[]){point, length});
}

/* Returns list(point, gradient), the mean of points in a ball with finite bound. weights: doubles or NULL. */
SEXP ffi_manifold_mean_in_ball(SEXP manifold, SEXP points, SEXP weights, SEXP center, SEXP radius, SEXP options) {
  mean_request request = {.manifold = manifold,
                          .points = points,
                          .weights = weights,
                          .center = center,
                          .radius = ffi_number(radius, 0, INFINITY, "radius")};
  return ffi_call(run_mean_in_ball, &request, options);
}
