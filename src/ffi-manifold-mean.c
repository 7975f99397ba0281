/* ffi-manifold-mean.c - means and medians on manifolds, from R. Points are the columns of a matrix. */
#include <string.h>

#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-mean.h"
#include "manifold-rounding.h"

typedef struct {
  SEXP manifold, points, weights, center;
  double radius;
  bool median;
  double tolerance, max_steps;
  bool sure;
  double step, reach;
} mean_request;

static dpt_weighted read_weighted(const mean_request *request) {
  return (dpt_weighted){.points = REAL(request->points),
                        .weights = request->weights == R_NilValue ? NULL : REAL(request->weights),
                        .count = Rf_ncols(request->points)};
}

static SEXP run_mean(dpt_ctx *ctx, void *data, dpt_status *status) {
  const mean_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const dpt_mean_problem problem = {.points = read_weighted(request),
                                    .median = request->median,
                                    .tolerance = request->tolerance,
                                    .max_steps = request->max_steps,
                                    .sure = request->sure};
  dpt_mean_result result;
  SEXP point = PROTECT(Rf_allocMatrix(REALSXP, (int) manifold->size, 1));
  dpt_manifold_mean(ctx, manifold, &problem, REAL(point), &result);
  const double facts[] = {result.gradient, result.error,          result.value, result.radius,
                          result.steps,    (double) result.converged};
  SEXP numbers = PROTECT(Rf_allocVector(REALSXP, 6));
  memcpy(REAL(numbers), facts, sizeof facts);
  *status = DPT_OK;
  SEXP answer = ffi_named_list(2, (const char *const[]){"point", "facts"}, (const SEXP[]){point, numbers});
  UNPROTECT(2);
  return answer;
}

/* list(point, facts), facts: gradient, error, value, radius, steps, converged. weights: doubles or NULL. */
SEXP ffi_manifold_mean(SEXP manifold, SEXP points, SEXP weights, SEXP median, SEXP tolerance, SEXP max_steps,
                       SEXP sure, SEXP options) {
  mean_request request = {.manifold = manifold,
                          .points = points,
                          .weights = weights,
                          .median = Rf_asLogical(median) == TRUE,
                          .tolerance = Rf_asReal(tolerance),
                          .max_steps = Rf_asReal(max_steps),
                          .sure = Rf_asLogical(sure) == TRUE};
  return ffi_call(run_mean, &request, options);
}

static SEXP run_promise(dpt_ctx *ctx, void *data, dpt_status *status) {
  const mean_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  dpt_mean_promise promise = dpt_manifold_mean_promise(ctx, manifold, REAL(request->center), request->radius);
  SEXP numbers = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(numbers)[0] = promise.tolerance;
  REAL(numbers)[1] = promise.error;
  *status = DPT_OK;
  UNPROTECT(1);
  return numbers;
}

/* c(tolerance, error): what is promised of the mean of any points in the ball; infinite if nothing is. */
SEXP ffi_manifold_mean_promise(SEXP manifold, SEXP center, SEXP radius, SEXP options) {
  mean_request request = {.manifold = manifold, .center = center, .radius = Rf_asReal(radius)};
  return ffi_call(run_promise, &request, options);
}

static SEXP run_mean_in_ball(dpt_ctx *ctx, void *data, dpt_status *status) {
  const mean_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  SEXP point = PROTECT(Rf_allocVector(REALSXP, manifold->size));
  double gradient = dpt_manifold_mean_in_ball(ctx, manifold, read_weighted(request), REAL(request->center),
                                              request->radius, REAL(point));
  SEXP length = PROTECT(Rf_ScalarReal(gradient));
  *status = DPT_OK;
  SEXP answer = ffi_named_list(2, (const char *const[]){"point", "gradient"}, (const SEXP[]){point, length});
  UNPROTECT(2);
  return answer;
}

/* list(point, gradient): the mean of points in a ball of which something is promised. */
SEXP ffi_manifold_mean_in_ball(SEXP manifold, SEXP points, SEXP center, SEXP radius, SEXP options) {
  mean_request request = {.manifold = manifold,
                          .points = points,
                          .weights = R_NilValue,
                          .center = center,
                          .radius = Rf_asReal(radius)};
  return ffi_call(run_mean_in_ball, &request, options);
}

static SEXP run_rounding(dpt_ctx *ctx, void *data, dpt_status *status) {
  const mean_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *x = REAL(request->center), *y = REAL(request->points);
  double *frame = DPT_NEW(ctx, double, manifold->frame_size), *work = DPT_NEW(ctx, double, manifold->work_size);
  double *v = DPT_NEW(ctx, double, manifold->dimension);
  manifold->of->frame(manifold, x, frame, work);
  const int count = Rf_ncols(request->points);
  SEXP bounds = PROTECT(Rf_allocMatrix(REALSXP, 3, count));
  for (int i = 0; i < count; i++, y += manifold->size) {
    manifold->of->log(manifold, frame, y, v, work);
    const dpt_rounding log = dpt_rounding_of_log(manifold, frame, y, v, work);
    double *column = REAL(bounds) + 3 * (ptrdiff_t) i;
    column[0] = log.point;
    column[1] = log.tangent;
    column[2] = dpt_rounding_of_frame(manifold, frame, x, work);
  }
  *status = DPT_OK;
  UNPROTECT(1);
  return bounds;
}

/* For the tests: bounds of the rounding errors of logarithms at a point, a column for each: of the end, of the tangent,
 * of the frame. */
SEXP ffi_manifold_rounding(SEXP manifold, SEXP point, SEXP points, SEXP options) {
  mean_request request = {.manifold = manifold, .center = point, .points = points};
  return ffi_call(run_rounding, &request, options);
}

static SEXP run_rounding_within(dpt_ctx *ctx, void *data, dpt_status *status) {
  const mean_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const dpt_rounding_ball ball = {.radius = request->radius, .step = request->step, .reach = request->reach};
  const dpt_rounding_within bound = dpt_rounding_in_ball(ctx, manifold, REAL(request->center), ball);
  SEXP bounds = PROTECT(Rf_allocVector(REALSXP, 4));
  const double numbers[] = {bound.log.point, bound.log.tangent, bound.frame, bound.end};
  memcpy(REAL(bounds), numbers, sizeof numbers);
  *status = DPT_OK;
  UNPROTECT(1);
  return bounds;
}

/* For the tests: the same for all points of a ball, and how far a step of at most `step` that ends within `reach` may
 * be from its end. */
SEXP ffi_manifold_rounding_within(SEXP manifold, SEXP center, SEXP radius, SEXP step, SEXP reach, SEXP options) {
  mean_request request = {.manifold = manifold,
                          .center = center,
                          .radius = Rf_asReal(radius),
                          .step = Rf_asReal(step),
                          .reach = Rf_asReal(reach)};
  return ffi_call(run_rounding_within, &request, options);
}
