/* ffi-test-manifold.c - functions of a manifold that otherwise only kernels use, for the tests: its volume, its
 * proposals near the threshold, draws from given words, endpoints of draws and bounds of rounding errors. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ffi.h"
#include "ffi-manifold.h"
#include "manifold-laplace.h"
#include "manifold-rounding.h"

/* ---- proposals that drift ---- */

static SEXP run_drift(dpt_ctx *ctx, void *data) {
  const dpt_manifold *manifold = ffi_read_manifold(ctx, data);
  if (!manifold->of->drift) ffi_refuse("manifold", "one whose volume is known");
  SEXP delta = ffi_keep(ctx, ffi_new_doubles(manifold->drift_size));
  manifold->of->drift(manifold, INFINITY, REAL(delta));
  return delta;
}

SEXP ffi_test_manifold_drift(SEXP manifold, SEXP options) { return ffi_call(run_drift, manifold, options); }

typedef struct {
  SEXP manifold, columns;
} columns_request;

/* Returns list(v, log_accept) for the columns l. If a column of v has no chance, it is zero. */
static SEXP run_from_drift(dpt_ctx *ctx, void *data) {
  const columns_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  if (!manifold->of->from_drift) ffi_refuse("manifold", "one whose volume is known");
  double *work = DPT_NEW(ctx, double, manifold->work_size);
  dpt_columns drawn = ffi_read_columns(request->columns, manifold->drift_size, "l");
  ptrdiff_t count = drawn.count;
  SEXP v = ffi_keep(ctx, ffi_new_matrix(manifold->dimension, count));
  SEXP log_accept = ffi_keep(ctx, ffi_new_doubles(count));
  memset(REAL(v), 0, (size_t) Rf_xlength(v) * sizeof(double));
  for (ptrdiff_t i = 0; i < count; i++) {
    const double *l = drawn.at + i * manifold->drift_size;
    REAL(log_accept)[i] = manifold->of->from_drift(ctx, manifold, l, REAL(v) + i * manifold->dimension, work);
  }
  return ffi_named_list(2, (const char *const[]){"v", "log_accept"}, (const SEXP[]){v, log_accept});
}

SEXP ffi_test_manifold_from_drift(SEXP manifold, SEXP l, SEXP options) {
  columns_request request = {manifold, l};
  return ffi_call(run_from_drift, &request, options);
}

/* ---- draws from given words ---- */

typedef struct {
  SEXP manifold, location, origin, words;
  double scale;
} words_request;

/* Fills the buffer of the system's entropy with the words of one draw. Further draws use entropy. */
static void load_words(dpt_ctx *ctx, const unsigned char *words) {
  dpt_random_open_system(&ctx->random);
  memcpy(ctx->random.buffer, words, DPT_RANDOM_BUFFER);
  ctx->random.used = 0;
}

static SEXP run_words(dpt_ctx *ctx, void *data) {
  const words_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const dpt_laplace_target target = {
      .scale = request->scale, .location = ffi_read_point(manifold, request->location, "location"), .quick = true};
  const double *origin = ffi_read_point(manifold, request->origin, "origin");
  const ffi_bytes words = ffi_raw(request->words, "words");
  if (words.count % DPT_RANDOM_BUFFER != 0) ffi_refuse("words", "256 bytes for each draw");
  const ptrdiff_t count = words.count / DPT_RANDOM_BUFFER;
  dpt_laplace *sampler;
  dpt_require(ctx, dpt_laplace_open(ctx, manifold, &target, &sampler));
  SEXP drawn = ffi_keep(ctx, ffi_new_matrix(manifold->dimension, count));
  for (ptrdiff_t i = 0; i < count; i++) {
    load_words(ctx, words.at + i * DPT_RANDOM_BUFFER);
    dpt_laplace_draw_coordinates(ctx, sampler, origin, 1, REAL(drawn) + i * manifold->dimension);
  }
  return drawn;
}

/* Coordinates about `origin` of draws of a release, each from its own 32 random words of 64 bits, so that tests
 * reach tails that chance does not. */
SEXP ffi_test_laplace_words(SEXP manifold, SEXP location, SEXP origin, SEXP scale, SEXP words, SEXP options) {
  words_request request = {manifold, location, origin, words, ffi_number(scale, DBL_MIN, INFINITY, "scale")};
  return ffi_call(run_words, &request, options);
}

/* ---- volume ---- */

typedef struct {
  SEXP manifold, tangents;
} jacobian_request;

static SEXP write_jacobian(dpt_ctx *ctx, void *data) {
  const jacobian_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  if (!manifold->of->log_jacobian) ffi_refuse("manifold", "one whose volume is known");
  dpt_columns tangents = ffi_read_columns(request->tangents, manifold->dimension, "tangents");
  const double *v = tangents.at;
  double *work = DPT_NEW(ctx, double, manifold->work_size);
  SEXP values = ffi_keep(ctx, ffi_new_doubles(tangents.count));
  for (R_xlen_t i = 0; i < Rf_xlength(values); i++)
    REAL(values)[i] = manifold->of->log_jacobian(manifold, v + i * manifold->dimension, work);
  const dpt_manifold_growth *growth = &manifold->growth;
  const double numbers[] = {growth->expanding.count,  growth->expanding.rate, growth->contracting.count,
                            growth->contracting.rate, growth->threshold,      growth->reach};
  SEXP bounds = ffi_keep(ctx, Rf_allocVector(REALSXP, 6));
  memcpy(REAL(bounds), numbers, sizeof numbers);
  return ffi_named_list(2, (const char *const[]){"value", "growth"}, (const SEXP[]){values, bounds});
}

/* The logarithm of the Jacobian of exp at the columns of `tangents` (coordinates), and its bounds by
 * dpt_manifold_growth. */
SEXP ffi_test_manifold_jacobian(SEXP manifold, SEXP tangents, SEXP options) {
  jacobian_request request = {manifold, tangents};
  return ffi_call(write_jacobian, &request, options);
}

/* ---- endpoints of draws ---- */

typedef struct {
  SEXP manifold, origin, location, columns;
} end_request;

static SEXP run_end(dpt_ctx *ctx, void *data) {
  const end_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *start = ffi_read_point(manifold, request->origin, "origin");
  const double *location = ffi_read_point(manifold, request->location, "location");
  dpt_columns v = ffi_read_columns(request->columns, manifold->dimension, "v");
  SEXP w = ffi_keep(ctx, ffi_new_matrix(manifold->dimension, v.count));
  double *work = DPT_NEW(ctx, double, manifold->work_size), *point = DPT_NEW(ctx, double, manifold->size);
  double *origin = DPT_NEW(ctx, double, manifold->frame_size), *frame = DPT_NEW(ctx, double, manifold->frame_size);
  manifold->of->frame(manifold, start, origin, work);
  manifold->of->frame(manifold, location, frame, work);
  for (ptrdiff_t i = 0; i < v.count; i++) {
    const ptrdiff_t at = i * manifold->dimension;
    dpt_manifold_end(manifold, origin, frame, v.at + at, REAL(w) + at, point, work);
  }
  return w;
}

/* Coordinates about the origin of exp(v), for v at the location. */
SEXP ffi_test_manifold_end(SEXP manifold, SEXP origin, SEXP location, SEXP v, SEXP options) {
  end_request request = {.manifold = manifold, .origin = origin, .location = location, .columns = v};
  return ffi_call(run_end, &request, options);
}

/* ---- rounding ---- */

typedef struct {
  SEXP manifold, points, center;
  double radius, step, reach;
} rounding_request;

static SEXP run_rounding(dpt_ctx *ctx, void *data) {
  const rounding_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *x = ffi_read_point(manifold, request->center, "point");
  const dpt_columns points = ffi_read_columns(request->points, manifold->size, "points");
  double *frame = DPT_NEW(ctx, double, manifold->frame_size), *work = DPT_NEW(ctx, double, manifold->work_size);
  double *v = DPT_NEW(ctx, double, manifold->dimension);
  manifold->of->frame(manifold, x, frame, work);
  SEXP bounds = ffi_keep(ctx, ffi_new_matrix(3, points.count));
  for (ptrdiff_t i = 0; i < points.count; i++) {
    const double *y = points.at + i * manifold->size;
    manifold->of->log(manifold, frame, y, v, work);
    const dpt_rounding log = dpt_rounding_of_log(manifold, frame, y, v, work);
    double *column = REAL(bounds) + 3 * i;
    column[0] = log.point;
    column[1] = log.tangent;
    column[2] = dpt_rounding_of_frame(manifold, frame, x, work);
  }
  return bounds;
}

/* Bounds of the rounding errors of logarithms at a point, one column for each: error of the endpoint, of the
 * tangent, and of the frame. */
SEXP ffi_test_manifold_rounding(SEXP manifold, SEXP point, SEXP points, SEXP options) {
  rounding_request request = {.manifold = manifold, .center = point, .points = points};
  return ffi_call(run_rounding, &request, options);
}

static SEXP run_rounding_within(dpt_ctx *ctx, void *data) {
  const rounding_request *request = data;
  const dpt_manifold *manifold = ffi_read_manifold(ctx, request->manifold);
  const double *center = ffi_read_point(manifold, request->center, "center");
  const dpt_rounding_ball ball = {.radius = request->radius, .step = request->step, .reach = request->reach};
  const dpt_rounding_within bound = dpt_rounding_in_ball(ctx, manifold, center, ball);
  const double numbers[] = {bound.log.point, bound.log.tangent, bound.frame, bound.end};
  SEXP bounds = ffi_keep(ctx, ffi_new_doubles(4));
  memcpy(REAL(bounds), numbers, sizeof numbers);
  return bounds;
}

/* The same for all points of a ball. Also bounds the distance between the computed and true endpoint of a step of at
 * most `step` that ends within `reach`. */
SEXP ffi_test_manifold_rounding_within(SEXP manifold, SEXP center, SEXP radius, SEXP step, SEXP reach, SEXP options) {
  rounding_request request = {.manifold = manifold,
                              .center = center,
                              .radius = ffi_number(radius, 0, INFINITY, "radius"),
                              .step = ffi_number(step, 0, INFINITY, "step"),
                              .reach = ffi_number(reach, 0, INFINITY, "reach")};
  return ffi_call(run_rounding_within, &request, options);
}
