/* ffi-manifold-points.c - the functions of a manifold over many points, for R. Points are the columns of a matrix,
 * and one column is recycled. */
#include <math.h>

#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-points.h"

typedef struct points_request points_request;

/* Calls a kernel for `count` points. `out` gets a point or a number for each, and `stray` a number for each if
 * wanted. */
typedef void (*points_kernel)(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                              double *stray);

struct points_request {
  points_kernel kernel;
  SEXP manifold;
  SEXP from, to, tangent; /* arguments from R, or NULL */
  dpt_columns x, y, u;    /* the same after the manifold is read */
  ptrdiff_t count;
  SEXP changed; /* points that the kernel changes in place, with `out` a copy of them, or NULL */
  bool numbers, stray;
  double radius;
};

static SEXP new_output(const points_request *request, const dpt_manifold *manifold) {
  if (request->changed) return Rf_duplicate(request->changed);
  if (request->numbers) return ffi_new_doubles(request->count);
  return ffi_new_matrix(manifold->size, request->count);
}

/* Reads one column, or `count` columns. */
static dpt_columns read_repeated(SEXP points, const dpt_manifold *manifold, ptrdiff_t count) {
  if (!points) return (dpt_columns){NULL, 0};
  dpt_columns read = ffi_read_columns(points, manifold->size, "points");
  if (read.count != 1 && read.count != count) ffi_refuse("points", "one point, or as many as the others");
  return read;
}

static void read_given(points_request *request, const dpt_manifold *manifold) {
  request->x = read_repeated(request->from, manifold, request->count);
  request->y = read_repeated(request->to, manifold, request->count);
  request->u = read_repeated(request->tangent, manifold, request->count);
  if (request->changed) ffi_read_columns(request->changed, manifold->size, "x");
}

/* Returns the output alone, or list(value, stray). */
static SEXP run_kernel(dpt_ctx *ctx, void *data) {
  points_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  read_given(request, manifold);
  SEXP out = ffi_keep(ctx, new_output(request, manifold));
  SEXP stray = ffi_keep(ctx, ffi_new_doubles(request->stray ? request->count : 0));
  request->kernel(ctx, manifold, request, REAL(out), REAL(stray));
  SEXP result = out;
  if (request->stray) result = ffi_named_list(2, (const char *const[]){"value", "stray"}, (const SEXP[]){out, stray});
  return result;
}

static ptrdiff_t columns_of(SEXP points) { return ffi_any_matrix(points, "points").columns; }

static ptrdiff_t longest(SEXP x, SEXP y) {
  ptrdiff_t first = columns_of(x), second = columns_of(y);
  return first == 1 ? second : first;
}

static void exp_kernel(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                       double *stray) {
  dpt_manifold_exp(ctx, manifold, request->x, request->u, request->count, out, stray);
}

SEXP ffi_manifold_exp(SEXP manifold, SEXP x, SEXP tangent, SEXP options) {
  points_request request = {.kernel = exp_kernel,
                            .manifold = manifold,
                            .from = x,
                            .tangent = tangent,
                            .count = longest(x, tangent),
                            .stray = true};
  return ffi_call(run_kernel, &request, options);
}

static void log_kernel(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                       double *stray) {
  (void) stray;
  dpt_manifold_log(ctx, manifold, request->x, request->y, request->count, out);
}

SEXP ffi_manifold_log(SEXP manifold, SEXP x, SEXP y, SEXP options) {
  points_request request = {.kernel = log_kernel, .manifold = manifold, .from = x, .to = y, .count = longest(x, y)};
  return ffi_call(run_kernel, &request, options);
}

static void distance_kernel(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                            double *stray) {
  (void) stray;
  dpt_manifold_distance(ctx, manifold, request->x, request->y, request->count, out);
}

SEXP ffi_manifold_distance(SEXP manifold, SEXP x, SEXP y, SEXP options) {
  points_request request = {
      .kernel = distance_kernel, .manifold = manifold, .from = x, .to = y, .count = longest(x, y), .numbers = true};
  return ffi_call(run_kernel, &request, options);
}

static void inner_kernel(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                         double *stray) {
  dpt_manifold_inner(ctx, manifold, request->x, request->u, request->y, request->count, out, stray);
}

SEXP ffi_manifold_inner(SEXP manifold, SEXP x, SEXP u, SEXP v, SEXP count, SEXP options) {
  points_request request = {.kernel = inner_kernel,
                            .manifold = manifold,
                            .from = x,
                            .tangent = u,
                            .to = v,
                            .count = ffi_count(count, 0, FFI_COUNT_MOST, "count"),
                            .numbers = true,
                            .stray = true};
  return ffi_call(run_kernel, &request, options);
}

static void transport_kernel(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                             double *stray) {
  dpt_manifold_transport(ctx, manifold, request->x, request->y, request->u, request->count, out, stray);
}

SEXP ffi_manifold_transport(SEXP manifold, SEXP x, SEXP y, SEXP tangent, SEXP count, SEXP options) {
  points_request request = {.kernel = transport_kernel,
                            .manifold = manifold,
                            .from = x,
                            .to = y,
                            .tangent = tangent,
                            .count = ffi_count(count, 0, FFI_COUNT_MOST, "count"),
                            .stray = true};
  return ffi_call(run_kernel, &request, options);
}

static void project_kernel(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                           double *stray) {
  dpt_manifold_project(ctx, manifold, out, request->count, stray);
}

/* Returns list(value = nearest points, stray = their distances, relative to their size). */
SEXP ffi_manifold_project(SEXP manifold, SEXP x, SEXP options) {
  points_request request = {
      .kernel = project_kernel, .manifold = manifold, .changed = x, .count = columns_of(x), .stray = true};
  return ffi_call(run_kernel, &request, options);
}

static void canonical_kernel(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                             double *stray) {
  (void) stray;
  dpt_manifold_canonical(ctx, manifold, out, request->count);
}

SEXP ffi_manifold_canonical(SEXP manifold, SEXP x, SEXP options) {
  points_request request = {.kernel = canonical_kernel, .manifold = manifold, .changed = x, .count = columns_of(x)};
  return ffi_call(run_kernel, &request, options);
}

static void clamp_kernel(dpt_ctx *ctx, const dpt_manifold *manifold, const points_request *request, double *out,
                         double *stray) {
  (void) stray;
  dpt_manifold_clamp(ctx, manifold, request->x.at, request->radius, out, request->count);
}

SEXP ffi_manifold_clamp(SEXP manifold, SEXP x, SEXP center, SEXP radius, SEXP options) {
  points_request request = {.kernel = clamp_kernel,
                            .manifold = manifold,
                            .changed = x,
                            .count = columns_of(x),
                            .from = center,
                            .radius = ffi_number(radius, 0, INFINITY, "radius")};
  return ffi_call(run_kernel, &request, options);
}

typedef struct {
  SEXP manifold, x, y;
} distances_request;

static SEXP run_distances(dpt_ctx *ctx, void *data) {
  const distances_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  dpt_columns x = ffi_read_columns(request->x, manifold->size, "x");
  dpt_columns y = ffi_read_columns(request->y, manifold->size, "y");
  SEXP distance = ffi_keep(ctx, ffi_new_matrix(x.count, y.count));
  dpt_manifold_distances(ctx, manifold, x, y, REAL(distance));
  return distance;
}

/* Returns the distances of all pairs, or of pairs within x if y is the same object. */
SEXP ffi_manifold_distances(SEXP manifold, SEXP x, SEXP y, SEXP options) {
  distances_request request = {manifold, x, y};
  return ffi_call(run_distances, &request, options);
}
