/* ffi-manifold-chart.c - normal coordinates about a center, from R. Points and coordinates are columns. */
#include <math.h>

#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-chart.h"

typedef struct {
  SEXP manifold, center, location, columns;
  double radius;
} chart_request;

static SEXP run_chart(dpt_ctx *ctx, void *data, dpt_status *status) {
  const chart_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *center = ffi_read_point(manifold, request->center, "center");
  dpt_columns x = ffi_read_columns(request->columns, manifold->size, "x");
  SEXP v = PROTECT(ffi_new_matrix(manifold->dimension, x.count));
  dpt_manifold_chart(ctx, manifold, center, x.at, x.count, request->radius, REAL(v));
  *status = DPT_OK;
  UNPROTECT(1);
  return v;
}

SEXP ffi_manifold_chart(SEXP manifold, SEXP center, SEXP x, SEXP radius, SEXP options) {
  chart_request request = {
      .manifold = manifold, .center = center, .columns = x, .radius = ffi_number(radius, 0, INFINITY, "radius")};
  return ffi_call(run_chart, &request, options);
}

static SEXP run_from_chart(dpt_ctx *ctx, void *data, dpt_status *status) {
  const chart_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *center = ffi_read_point(manifold, request->center, "center");
  dpt_columns v = ffi_read_columns(request->columns, manifold->dimension, "v");
  SEXP x = PROTECT(ffi_new_matrix(manifold->size, v.count));
  dpt_manifold_from_chart(ctx, manifold, center, v.at, v.count, REAL(x));
  *status = DPT_OK;
  UNPROTECT(1);
  return x;
}

SEXP ffi_manifold_from_chart(SEXP manifold, SEXP center, SEXP v, SEXP options) {
  chart_request request = {.manifold = manifold, .center = center, .columns = v};
  return ffi_call(run_from_chart, &request, options);
}

static SEXP run_end(dpt_ctx *ctx, void *data, dpt_status *status) {
  const chart_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *center = ffi_read_point(manifold, request->center, "origin");
  const double *location = ffi_read_point(manifold, request->location, "location");
  dpt_columns v = ffi_read_columns(request->columns, manifold->dimension, "v");
  SEXP w = PROTECT(ffi_new_matrix(manifold->dimension, v.count));
  double *work = DPT_NEW(ctx, double, manifold->work_size), *point = DPT_NEW(ctx, double, manifold->size);
  double *origin = DPT_NEW(ctx, double, manifold->frame_size), *frame = DPT_NEW(ctx, double, manifold->frame_size);
  manifold->of->frame(manifold, center, origin, work);
  manifold->of->frame(manifold, location, frame, work);
  for (ptrdiff_t i = 0; i < v.count; i++) {
    const ptrdiff_t at = i * manifold->dimension;
    dpt_manifold_end(manifold, origin, frame, v.at + at, REAL(w) + at, point, work);
  }
  *status = DPT_OK;
  UNPROTECT(1);
  return w;
}

/* The coordinates about the origin of the ends of exp(v), v at the location: what the tests need to see of draws. */
SEXP ffi_manifold_end(SEXP manifold, SEXP origin, SEXP location, SEXP v, SEXP options) {
  chart_request request = {.manifold = manifold, .center = origin, .location = location, .columns = v};
  return ffi_call(run_end, &request, options);
}
