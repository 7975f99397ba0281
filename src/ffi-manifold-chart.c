/* ffi-manifold-chart.c - normal coordinates about a center, for R. Points and coordinates are columns. */
#include <math.h>

#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-chart.h"

typedef struct {
  SEXP manifold, center, columns;
  double radius;
} chart_request;

static SEXP run_chart(dpt_ctx *ctx, void *data) {
  const chart_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *center = ffi_read_point(manifold, request->center, "center");
  dpt_columns x = ffi_read_columns(request->columns, manifold->size, "x");
  SEXP v = ffi_keep(ctx, ffi_new_matrix(manifold->dimension, x.count));
  dpt_manifold_chart(ctx, manifold, center, x.at, x.count, request->radius, REAL(v));
  return v;
}

SEXP ffi_manifold_chart(SEXP manifold, SEXP center, SEXP x, SEXP radius, SEXP options) {
  chart_request request = {
      .manifold = manifold, .center = center, .columns = x, .radius = ffi_number(radius, 0, INFINITY, "radius")};
  return ffi_call(run_chart, &request, options);
}

/* Returns list(value, stray). */
static SEXP run_chart_rows(dpt_ctx *ctx, void *data) {
  const chart_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *center = ffi_read_point(manifold, request->center, "center");
  dpt_columns x = ffi_read_columns(request->columns, manifold->size, "x");
  SEXP v = ffi_keep(ctx, ffi_new_matrix(manifold->dimension, x.count));
  SEXP stray = ffi_keep(ctx, ffi_new_doubles(x.count));
  dpt_manifold_chart_rows(ctx, manifold, center, x.at, x.count, request->radius, REAL(v), REAL(stray));
  return ffi_named_list(2, (const char *const[]){"value", "stray"}, (const SEXP[]){v, stray});
}

SEXP ffi_manifold_chart_rows(SEXP manifold, SEXP center, SEXP x, SEXP radius, SEXP options) {
  chart_request request = {
      .manifold = manifold, .center = center, .columns = x, .radius = ffi_number(radius, 0, INFINITY, "radius")};
  return ffi_call(run_chart_rows, &request, options);
}

static SEXP run_from_chart(dpt_ctx *ctx, void *data) {
  const chart_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *center = ffi_read_point(manifold, request->center, "center");
  dpt_columns v = ffi_read_columns(request->columns, manifold->dimension, "v");
  SEXP x = ffi_keep(ctx, ffi_new_matrix(manifold->size, v.count));
  dpt_manifold_from_chart(ctx, manifold, center, v.at, v.count, REAL(x));
  return x;
}

SEXP ffi_manifold_from_chart(SEXP manifold, SEXP center, SEXP v, SEXP options) {
  chart_request request = {.manifold = manifold, .center = center, .columns = v};
  return ffi_call(run_from_chart, &request, options);
}
