/* ffi-manifold-points.c - the functions of a manifold over many points, from R. Points are the columns of a matrix; one
 * column stands for as many as are asked for. */
#include <string.h>

#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-points.h"

typedef struct {
  SEXP manifold, x, y, tangent;
  double radius;
  ptrdiff_t count;
} points_request;

static dpt_columns read_columns(SEXP points) { return (dpt_columns){REAL(points), Rf_ncols(points)}; }

static ptrdiff_t longest(SEXP x, SEXP y) {
  ptrdiff_t first = Rf_ncols(x), second = Rf_ncols(y);
  return first == 1 ? second : first;
}

static SEXP new_columns(const dpt_manifold *manifold, ptrdiff_t count) {
  return Rf_allocMatrix(REALSXP, (int) manifold->size, (int) count);
}

/* list(value, stray) of an operation that read tangent vectors. */
static SEXP with_stray(SEXP value, SEXP stray) {
  return ffi_named_list(2, (const char *const[]){"value", "stray"}, (const SEXP[]){value, stray});
}

static SEXP run_exp(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  ptrdiff_t count = longest(request->x, request->tangent);
  SEXP y = PROTECT(new_columns(manifold, count)), stray = PROTECT(Rf_allocVector(REALSXP, count));
  dpt_manifold_exp(ctx, manifold, read_columns(request->x), read_columns(request->tangent), count, REAL(y),
                   REAL(stray));
  *status = DPT_OK;
  SEXP result = with_stray(y, stray);
  UNPROTECT(2);
  return result;
}

SEXP ffi_manifold_exp(SEXP manifold, SEXP x, SEXP tangent, SEXP options) {
  points_request request = {.manifold = manifold, .x = x, .tangent = tangent};
  return ffi_call(run_exp, &request, options);
}

static SEXP run_log(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  ptrdiff_t count = longest(request->x, request->y);
  SEXP tangent = PROTECT(new_columns(manifold, count));
  dpt_manifold_log(ctx, manifold, read_columns(request->x), read_columns(request->y), count, REAL(tangent));
  *status = DPT_OK;
  UNPROTECT(1);
  return tangent;
}

SEXP ffi_manifold_log(SEXP manifold, SEXP x, SEXP y, SEXP options) {
  points_request request = {.manifold = manifold, .x = x, .y = y};
  return ffi_call(run_log, &request, options);
}

static SEXP run_distance(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  ptrdiff_t count = longest(request->x, request->y);
  SEXP distance = PROTECT(Rf_allocVector(REALSXP, count));
  dpt_manifold_distance(ctx, manifold, read_columns(request->x), read_columns(request->y), count, REAL(distance));
  *status = DPT_OK;
  UNPROTECT(1);
  return distance;
}

SEXP ffi_manifold_distance(SEXP manifold, SEXP x, SEXP y, SEXP options) {
  points_request request = {.manifold = manifold, .x = x, .y = y};
  return ffi_call(run_distance, &request, options);
}

static SEXP run_distances(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  SEXP distance = PROTECT(Rf_allocMatrix(REALSXP, Rf_ncols(request->x), Rf_ncols(request->y)));
  dpt_manifold_distances(ctx, manifold, read_columns(request->x), read_columns(request->y), REAL(distance));
  *status = DPT_OK;
  UNPROTECT(1);
  return distance;
}

/* All pairs; those within x where y is the same object. */
SEXP ffi_manifold_distances(SEXP manifold, SEXP x, SEXP y, SEXP options) {
  points_request request = {.manifold = manifold, .x = x, .y = y};
  return ffi_call(run_distances, &request, options);
}

static SEXP run_inner(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  ptrdiff_t count = request->count;
  SEXP inner = PROTECT(Rf_allocVector(REALSXP, count)), stray = PROTECT(Rf_allocVector(REALSXP, count));
  dpt_manifold_inner(ctx, manifold, read_columns(request->x), read_columns(request->tangent),
                     read_columns(request->y), count, REAL(inner), REAL(stray));
  *status = DPT_OK;
  SEXP result = with_stray(inner, stray);
  UNPROTECT(2);
  return result;
}

SEXP ffi_manifold_inner(SEXP manifold, SEXP x, SEXP u, SEXP v, SEXP count, SEXP options) {
  points_request request = {
      .manifold = manifold, .x = x, .tangent = u, .y = v, .count = (ptrdiff_t) Rf_asReal(count)};
  return ffi_call(run_inner, &request, options);
}

static SEXP run_transport(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  ptrdiff_t count = request->count;
  SEXP moved = PROTECT(new_columns(manifold, count)), stray = PROTECT(Rf_allocVector(REALSXP, count));
  dpt_manifold_transport(ctx, manifold, read_columns(request->x), read_columns(request->y),
                         read_columns(request->tangent), count, REAL(moved), REAL(stray));
  *status = DPT_OK;
  SEXP result = with_stray(moved, stray);
  UNPROTECT(2);
  return result;
}

SEXP ffi_manifold_transport(SEXP manifold, SEXP x, SEXP y, SEXP tangent, SEXP count, SEXP options) {
  points_request request = {
      .manifold = manifold, .x = x, .y = y, .tangent = tangent, .count = (ptrdiff_t) Rf_asReal(count)};
  return ffi_call(run_transport, &request, options);
}

static SEXP run_project(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  ptrdiff_t count = Rf_ncols(request->x);
  SEXP points = PROTECT(Rf_duplicate(request->x)), stray = PROTECT(Rf_allocVector(REALSXP, count));
  dpt_manifold_project(ctx, manifold, REAL(points), count, REAL(stray));
  *status = DPT_OK;
  SEXP result = with_stray(points, stray);
  UNPROTECT(2);
  return result;
}

/* list(value = nearest points, stray = how far they were, relative to their size). */
SEXP ffi_manifold_project(SEXP manifold, SEXP x, SEXP options) {
  points_request request = {.manifold = manifold, .x = x};
  return ffi_call(run_project, &request, options);
}

static SEXP run_canonical(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  SEXP points = PROTECT(Rf_duplicate(request->x));
  dpt_manifold_canonical(ctx, manifold, REAL(points), Rf_ncols(points));
  *status = DPT_OK;
  UNPROTECT(1);
  return points;
}

SEXP ffi_manifold_canonical(SEXP manifold, SEXP x, SEXP options) {
  points_request request = {.manifold = manifold, .x = x};
  return ffi_call(run_canonical, &request, options);
}

static SEXP run_clamp(dpt_ctx *ctx, void *data, dpt_status *status) {
  const points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  SEXP points = PROTECT(Rf_duplicate(request->x));
  dpt_manifold_clamp(ctx, manifold, REAL(request->y), request->radius, REAL(points), Rf_ncols(points));
  *status = DPT_OK;
  UNPROTECT(1);
  return points;
}

SEXP ffi_manifold_clamp(SEXP manifold, SEXP x, SEXP center, SEXP radius, SEXP options) {
  points_request request = {.manifold = manifold, .x = x, .y = center, .radius = Rf_asReal(radius)};
  return ffi_call(run_clamp, &request, options);
}
