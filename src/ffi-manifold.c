/* ffi-manifold.c - turns an R manifold into a manifold of the core, and returns facts about it. */
#include "ffi-manifold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ffi.h"
#include "manifold-custom.h"

/* The limits of sizes in R code. */
enum { MOST_NUMBERS = 1000000, MOST_SIDE = 1000 };

/* A manifold that the user defined in R. */
typedef struct {
  dpt_ctx *ctx;
  SEXP exp, log, basis, distance, transport, project;
  int shape[2]; /* shape of a point that is a matrix; for vectors, the second side is missing */
  ptrdiff_t size, dimension;
} host_functions;

static SEXP point_to_r(const host_functions *host, const double *x) {
  SEXP point = PROTECT(Rf_allocVector(REALSXP, host->size));
  memcpy(REAL(point), x, (size_t) host->size * sizeof *x);
  if (host->shape[1] > 0) {
    SEXP sides = PROTECT(Rf_allocVector(INTSXP, 2));
    memcpy(INTEGER(sides), host->shape, 2 * sizeof(int));
    Rf_setAttrib(point, R_DimSymbol, sides);
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return point;
}

/* Calls a function of the user with up to three points or tangents. It must return `count` numbers. */
static void call_host(const host_functions *host, SEXP function, const char *name, int arguments,
                      const double *const *argument, ptrdiff_t count, double *out) {
  SEXP given = PROTECT(Rf_allocList(arguments)), cell = given;
  for (int i = 0; i < arguments; i++, cell = CDR(cell)) SETCAR(cell, point_to_r(host, argument[i]));
  SEXP call = PROTECT(Rf_lcons(function, given));
  SEXP value = PROTECT(Rf_eval(call, R_BaseEnv));
  if (!Rf_isNumeric(value) || Rf_xlength(value) != count) {
    char message[DPT_MESSAGE_SIZE];
    snprintf(message, sizeof message, "`%s` of a manifold must return %td number%s", name, count,
             count == 1 ? "" : "s");
    UNPROTECT(3);
    dpt_escape(host->ctx, DPT_ERROR_ARGUMENT, message);
  }
  SEXP numbers = PROTECT(Rf_coerceVector(value, REALSXP));
  memcpy(out, REAL(numbers), (size_t) count * sizeof *out);
  UNPROTECT(4);
}

static void host_exp(const void *data, const double *x, const double *tangent, double *y) {
  const host_functions *host = data;
  call_host(host, host->exp, "exp", 2, (const double *const[]){x, tangent}, host->size, y);
}

static void host_log(const void *data, const double *x, const double *y, double *tangent) {
  const host_functions *host = data;
  call_host(host, host->log, "log", 2, (const double *const[]){x, y}, host->size, tangent);
}

static void host_basis(const void *data, const double *x, double *basis) {
  const host_functions *host = data;
  call_host(host, host->basis, "basis", 1, (const double *const[]){x}, host->size * host->dimension, basis);
}

static double host_distance(const void *data, const double *x, const double *y) {
  const host_functions *host = data;
  double distance;
  call_host(host, host->distance, "distance", 2, (const double *const[]){x, y}, 1, &distance);
  return distance;
}

static void host_transport(const void *data, const double *x, const double *y, const double *tangent, double *moved) {
  const host_functions *host = data;
  call_host(host, host->transport, "transport", 3, (const double *const[]){x, y, tangent}, host->size, moved);
}

/* The user's function returns the nearest point. Its distance, relative to its size, is computed here. */
static double host_project(const void *data, double *x) {
  const host_functions *host = data;
  dpt_arena_mark here = dpt_arena_here(&host->ctx->arena);
  double *nearest = DPT_NEW(host->ctx, double, host->size), moved = 0, length = 0;
  call_host(host, host->project, "project", 1, (const double *const[]){x}, host->size, nearest);
  bool known = true; /* NA is a signaling NaN, which fmax() passes on */
  for (ptrdiff_t i = 0; i < host->size; i++) {
    known = known && !isnan(nearest[i]);
    moved = fmax(moved, fabs(nearest[i] - x[i]));
    length = fmax(length, fabs(nearest[i]));
    x[i] = nearest[i];
  }
  dpt_arena_release(&host->ctx->arena, here);
  if (!known) return INFINITY;
  return moved > 0 ? moved / length : 0;
}

static SEXP read_function(SEXP functions, const char *name, bool needed) {
  SEXP function = ffi_element(functions, name);
  if (!Rf_isFunction(function) && (needed || function != R_NilValue)) ffi_refuse(name, "a function");
  return function;
}

static const dpt_manifold *read_custom(dpt_ctx *ctx, SEXP manifold, const double *number) {
  SEXP functions = ffi_element(manifold, "functions"), shape = ffi_element(manifold, "shape");
  host_functions *own = DPT_NEW(ctx, host_functions, 1);
  *own = (host_functions){.ctx = ctx,
                          .exp = read_function(functions, "exp", true),
                          .log = read_function(functions, "log", true),
                          .basis = read_function(functions, "basis", true),
                          .distance = read_function(functions, "distance", false),
                          .transport = read_function(functions, "transport", false),
                          .project = read_function(functions, "project", false),
                          .dimension = (ptrdiff_t) number[0]};
  ffi_vector sides = ffi_doubles_within(shape, 1, MOST_NUMBERS, "shape");
  if (sides.count < 1 || sides.count > 2) ffi_refuse("shape", "one or two numbers");
  own->size = 1;
  for (int i = 0; i < sides.count; i++) {
    own->shape[i] = (int) sides.at[i];
    own->size *= own->shape[i];
  }
  if (own->size > MOST_NUMBERS || own->dimension > own->size) ffi_refuse("shape", "of a million numbers at most");
  dpt_manifold_host *host = DPT_NEW(ctx, dpt_manifold_host, 1);
  *host = (dpt_manifold_host){.exp = host_exp,
                              .log = host_log,
                              .basis = host_basis,
                              .distance = host_distance,
                              .transport = host_transport,
                              .project = host_project,
                              .has_distance = own->distance != R_NilValue,
                              .has_transport = own->transport != R_NilValue,
                              .has_project = own->project != R_NilValue,
                              .data = own};
  dpt_manifold_facts facts = {.size = own->size,
                              .dimension = own->dimension,
                              .curvature_below = number[1],
                              .curvature_above = number[2],
                              .injectivity_radius = number[3],
                              .homogeneous = number[4] != 0};
  return dpt_manifold_custom(ctx, host, facts);
}

/* Limits for products of products: depth, number of factors in total, and numbers in a point. */
enum { MOST_DEPTH = 32, MOST_FACTORS = 2000, MOST_SIZE = 4000000 };

static const dpt_manifold *read_manifold(dpt_ctx *ctx, SEXP manifold, int depth, ptrdiff_t *left);

static const dpt_manifold *read_product(dpt_ctx *ctx, SEXP factors, int depth, ptrdiff_t *left) {
  if (depth == MOST_DEPTH) ffi_refuse("factors", "products that are not so deep");
  ptrdiff_t count = (ptrdiff_t) XLENGTH(ffi_list(factors, 1, MOST_NUMBERS, "factors")), size = 0;
  const dpt_manifold **factor = DPT_NEW(ctx, const dpt_manifold *, count);
  for (ptrdiff_t i = 0; i < count; i++) {
    if (--*left < 0) ffi_refuse("factors", "at most 2000 manifolds in all");
    factor[i] = read_manifold(ctx, VECTOR_ELT(factors, i), depth + 1, left);
    size += factor[i]->size;
    if (size > MOST_SIZE) ffi_refuse("factors", "manifolds whose points have four million numbers at most together");
  }
  return dpt_manifold_product(ctx, factor, count);
}

/* Facts about each kind: how many numbers it has, the first `sides` of them integers from `least` to `most`, and a
 * function that makes the manifold, which is NULL for the user's manifolds. */
typedef struct {
  const char *kind;
  int count, sides, least, most;
  const dpt_manifold *(*make)(dpt_ctx *ctx, const double *number);
} kind_of_manifold;

static const dpt_manifold *make_euclidean(dpt_ctx *ctx, const double *number) {
  return dpt_manifold_euclidean(ctx, (ptrdiff_t) number[0]);
}

static const dpt_manifold *make_sphere(dpt_ctx *ctx, const double *number) {
  return dpt_manifold_sphere(ctx, (ptrdiff_t) number[0], number[1]);
}

static const dpt_manifold *make_hyperbolic(dpt_ctx *ctx, const double *number) {
  return dpt_manifold_hyperbolic(ctx, (ptrdiff_t) number[0], number[1]);
}

static const dpt_manifold *make_spd(dpt_ctx *ctx, const double *number) {
  return dpt_manifold_spd(ctx, (ptrdiff_t) number[0]);
}

static const dpt_manifold *make_spd_log(dpt_ctx *ctx, const double *number) {
  return dpt_manifold_spd_log(ctx, (ptrdiff_t) number[0]);
}

static const dpt_manifold *make_rotation(dpt_ctx *ctx, const double *number) {
  return dpt_manifold_rotation(ctx, (ptrdiff_t) number[0]);
}

static const dpt_manifold *make_grassmann(dpt_ctx *ctx, const double *number) {
  if (number[0] >= number[1]) ffi_refuse("numbers", "those of the kind of manifold");
  return dpt_manifold_grassmann(ctx, (ptrdiff_t) number[0], (ptrdiff_t) number[1]);
}

static const dpt_manifold *make_shapes(dpt_ctx *ctx, const double *number) {
  return dpt_manifold_shapes(ctx, (ptrdiff_t) number[0]);
}

static const kind_of_manifold kinds[] = {{"euclidean", 1, 1, 1, MOST_NUMBERS, make_euclidean},
                                         {"sphere", 2, 1, 1, MOST_NUMBERS, make_sphere},
                                         {"hyperbolic", 2, 1, 1, MOST_NUMBERS, make_hyperbolic},
                                         {"spd", 1, 1, 1, MOST_SIDE, make_spd},
                                         {"spd_log", 1, 1, 1, MOST_SIDE, make_spd_log},
                                         {"rotation", 1, 1, 2, MOST_SIDE, make_rotation},
                                         {"grassmann", 2, 2, 1, MOST_SIDE, make_grassmann},
                                         {"shapes", 1, 1, 3, MOST_NUMBERS / 2, make_shapes},
                                         {"custom", 5, 1, 1, MOST_NUMBERS, NULL}};

static const char *read_kind(SEXP manifold) { return CHAR(ffi_string(ffi_element(manifold, "kind"), "kind")); }

static const kind_of_manifold *find_kind(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(name, kinds[i].kind) == 0) return &kinds[i];
  ffi_refuse("kind", "a kind of manifold");
}

static const double *read_numbers(SEXP manifold, const kind_of_manifold *kind) {
  ffi_vector number = ffi_doubles_within(ffi_element(manifold, "numbers"), -INFINITY, INFINITY, "numbers");
  bool good = number.count == kind->count;
  for (int i = 0; good && i < kind->sides; i++)
    good = number.at[i] >= kind->least && number.at[i] <= kind->most && number.at[i] == floor(number.at[i]);
  if (!good) ffi_refuse("numbers", "those of the kind of manifold");
  return number.at;
}

static const dpt_manifold *read_manifold(dpt_ctx *ctx, SEXP manifold, int depth, ptrdiff_t *left) {
  const char *name = read_kind(manifold);
  if (strcmp(name, "product") == 0) return read_product(ctx, ffi_element(manifold, "factors"), depth, left);
  const kind_of_manifold *kind = find_kind(name);
  const double *number = read_numbers(manifold, kind);
  return kind->make ? kind->make(ctx, number) : read_custom(ctx, manifold, number);
}

const dpt_manifold *ffi_read_manifold(dpt_ctx *ctx, SEXP manifold) {
  ptrdiff_t left = MOST_FACTORS;
  return read_manifold(ctx, manifold, 0, &left);
}

dpt_columns ffi_read_columns(SEXP columns, ptrdiff_t rows, const char *what) {
  ffi_matrix matrix = ffi_any_matrix(columns, what);
  if (matrix.rows != rows) ffi_refuse(what, "a matrix with the rows that the manifold asks for");
  return (dpt_columns){matrix.at, matrix.columns};
}

const double *ffi_read_point(const dpt_manifold *manifold, SEXP point, const char *what) {
  dpt_columns one = ffi_read_columns(point, manifold->size, what);
  if (one.count != 1) ffi_refuse(what, "one point");
  return one.at;
}

static SEXP write_facts(dpt_ctx *ctx, void *data) {
  const dpt_manifold *manifold = ffi_read_manifold(ctx, data);
  SEXP curvature = ffi_keep(ctx, Rf_allocVector(REALSXP, 2));
  REAL(curvature)[0] = manifold->curvature_below;
  REAL(curvature)[1] = manifold->curvature_above;
  const SEXP values[] = {
      ffi_keep(ctx, Rf_ScalarReal((double) manifold->size)),
      ffi_keep(ctx, Rf_ScalarReal((double) manifold->dimension)),
      curvature,
      ffi_keep(ctx, Rf_ScalarReal(manifold->injectivity_radius)),
      ffi_keep(ctx, Rf_ScalarReal(manifold->growth.threshold)),
      ffi_keep(ctx, Rf_ScalarReal(manifold->growth.reach)),
      ffi_keep(ctx, Rf_ScalarLogical(manifold->homogeneous)),
      ffi_keep(ctx, Rf_ScalarLogical(manifold->of->log_jacobian != NULL)),
  };
  static const char *const names[] = {"size",      "dimension", "curvature",   "injectivity_radius",
                                      "threshold", "reach",     "homogeneous", "exact"};
  return ffi_named_list(8, names, values);
}

/* Returns facts about a manifold: its numbers, and whether there is an exact sampler. */
SEXP ffi_manifold_facts(SEXP manifold, SEXP options) { return ffi_call(write_facts, manifold, options); }
