/* ffi-test-linear.c - the linear algebra of the core, for the tests. */
#include <float.h>
#include <string.h>

#include "base-linear.h"
#include "ffi.h"
#include "ffi-read.h"

typedef struct {
  ffi_matrix a, b;
  ffi_vector scale;
  SEXP b_values;
  ptrdiff_t n;
  int flag;
} linear_request;

static ffi_matrix read_square(SEXP a, const char *what) {
  ffi_matrix square = ffi_finite_matrix(a, what);
  if (square.rows != square.columns || square.rows == 0) ffi_refuse(what, "square");
  return square;
}

static double *new_work(dpt_ctx *ctx, ptrdiff_t rows, ptrdiff_t columns) {
  return DPT_NEW(ctx, double, dpt_linear_work(rows > columns ? rows : columns));
}

static SEXP run_eigen(dpt_ctx *ctx, void *data) {
  const linear_request *request = data;
  ptrdiff_t n = request->a.rows;
  double *work = new_work(ctx, n, n);
  SEXP values = ffi_keep(ctx, ffi_new_doubles(n)), vectors = ffi_keep(ctx, ffi_new_matrix(n, n));
  dpt_linear_eigen(n, request->a.at, REAL(values), request->flag ? REAL(vectors) : NULL, work);
  return ffi_named_list(2, (const char *const[]){"values", "vectors"},
                        (const SEXP[]){values, request->flag ? vectors : R_NilValue});
}

SEXP ffi_test_linear_eigen(SEXP a, SEXP vectors, SEXP options) {
  linear_request request = {.a = read_square(a, "a"), .flag = ffi_flag(vectors, "vectors")};
  return ffi_call(run_eigen, &request, options);
}

/* Singular vectors: none (0), left (1), right (2), both (3). */
static SEXP run_svd(dpt_ctx *ctx, void *data) {
  const linear_request *request = data;
  ptrdiff_t rows = request->a.rows, columns = request->a.columns, m = rows < columns ? rows : columns;
  double *work = new_work(ctx, rows, columns);
  SEXP d = ffi_keep(ctx, ffi_new_doubles(m)), u = ffi_keep(ctx, ffi_new_matrix(rows, m)),
       v = ffi_keep(ctx, ffi_new_matrix(columns, m));
  bool left = request->flag & 1, right = request->flag & 2;
  dpt_linear_svd(rows, columns, request->a.at, left ? REAL(u) : NULL, REAL(d), right ? REAL(v) : NULL, work);
  return ffi_named_list(3, (const char *const[]){"d", "u", "v"},
                        (const SEXP[]){d, left ? u : R_NilValue, right ? v : R_NilValue});
}

SEXP ffi_test_linear_svd(SEXP a, SEXP vectors, SEXP options) {
  linear_request request = {.a = ffi_finite_matrix(a, "a"), .flag = ffi_choice(vectors, 0, 3, "vectors")};
  if (request.a.rows == 0 || request.a.columns == 0) ffi_refuse("a", "not empty");
  return ffi_call(run_svd, &request, options);
}

static SEXP run_graded(dpt_ctx *ctx, void *data) {
  (void) ctx;
  const linear_request *request = data;
  ptrdiff_t n = request->b.rows;
  SEXP left = ffi_keep(ctx, ffi_new_matrix(n, n)), values = ffi_keep(ctx, ffi_new_doubles(n));
  memcpy(REAL(left), request->b.at, (size_t) (n * n) * sizeof(double));
  memcpy(REAL(values), request->scale.at, (size_t) n * sizeof(double));
  dpt_linear_graded(n, REAL(left), REAL(values));
  return ffi_named_list(2, (const char *const[]){"log_d", "u"}, (const SEXP[]){values, left});
}

SEXP ffi_test_linear_graded(SEXP b, SEXP scale, SEXP options) {
  linear_request request = {.b = read_square(b, "b"), .scale = ffi_doubles_within(scale, -DBL_MAX, DBL_MAX, "scale")};
  if (request.scale.count != request.b.rows) ffi_refuse("scale", "as many as `b` has columns");
  return ffi_call(run_graded, &request, options);
}

static SEXP run_complete(dpt_ctx *ctx, void *data) {
  const linear_request *request = data;
  ptrdiff_t rows = request->a.rows, columns = request->a.columns;
  SEXP q = ffi_keep(ctx, ffi_new_matrix(rows, rows));
  dpt_linear_complete(rows, columns, request->a.at, REAL(q), new_work(ctx, rows, columns));
  return q;
}

SEXP ffi_test_linear_complete(SEXP a, SEXP options) {
  linear_request request = {.a = ffi_finite_matrix(a, "a")};
  if (request.a.rows < request.a.columns || request.a.columns == 0) ffi_refuse("a", "at least as high as wide");
  return ffi_call(run_complete, &request, options);
}

/* Returns list(lower, forward, backward): the factor l of a, l^-1 b, l^-T b. Returns NULL if a is not definite. */
static SEXP run_cholesky(dpt_ctx *ctx, void *data) {
  (void) ctx;
  const linear_request *request = data;
  ptrdiff_t n = request->a.rows, columns = request->b.columns;
  SEXP lower = ffi_keep(ctx, ffi_new_matrix(n, n)), forward = ffi_keep(ctx, Rf_duplicate(request->b_values)),
       backward = ffi_keep(ctx, Rf_duplicate(request->b_values)), result = R_NilValue;
  if (dpt_linear_cholesky(n, request->a.at, REAL(lower))) {
    dpt_linear_solve_lower(n, REAL(lower), columns, REAL(forward));
    dpt_linear_solve_lower_transposed(n, REAL(lower), columns, REAL(backward));
    result = ffi_named_list(3, (const char *const[]){"lower", "forward", "backward"},
                            (const SEXP[]){lower, forward, backward});
  }
  return result;
}

SEXP ffi_test_linear_cholesky(SEXP a, SEXP b, SEXP options) {
  linear_request request = {.a = read_square(a, "a"), .b = ffi_finite_matrix(b, "b"), .b_values = b};
  if (request.b.rows != request.a.rows) ffi_refuse("b", "as high as `a`");
  return ffi_call(run_cholesky, &request, options);
}

/* a b (0), a' b (1), a b' (2). */
static SEXP run_multiply(dpt_ctx *ctx, void *data) {
  (void) ctx;
  const linear_request *request = data;
  const double *a = request->a.at, *b = request->b.at;
  ptrdiff_t rows = request->a.rows, inner = request->a.columns, columns = request->b.columns;
  if (request->flag == 1) {
    rows = request->a.columns;
    inner = request->a.rows;
  }
  if (request->flag == 2) columns = request->b.rows;
  if (inner != (request->flag == 2 ? request->b.columns : request->b.rows)) ffi_refuse("b", "of the size of `a`");
  SEXP c = ffi_keep(ctx, ffi_new_matrix(rows, columns));
  if (request->flag == 0) dpt_linear_multiply(rows, inner, columns, a, b, REAL(c));
  if (request->flag == 1) dpt_linear_multiply_left_transposed(rows, inner, columns, a, b, REAL(c));
  if (request->flag == 2) dpt_linear_multiply_right_transposed(rows, inner, columns, a, b, REAL(c));
  return c;
}

SEXP ffi_test_linear_multiply(SEXP a, SEXP b, SEXP transposed, SEXP options) {
  linear_request request = {.a = ffi_finite_matrix(a, "a"),
                            .b = ffi_finite_matrix(b, "b"),
                            .flag = ffi_choice(transposed, 0, 2, "transposed")};
  return ffi_call(run_multiply, &request, options);
}

static SEXP run_orthogonal(dpt_ctx *ctx, void *data) {
  const linear_request *request = data;
  ptrdiff_t n = request->n;
  SEXP q = ffi_keep(ctx, ffi_new_matrix(n, n));
  dpt_linear_random_orthogonal(ctx, n, request->flag, REAL(q), new_work(ctx, n, n));
  return q;
}

SEXP ffi_test_linear_orthogonal(SEXP n, SEXP rotation, SEXP options) {
  linear_request request = {.n = ffi_count(n, 1, 1000, "n"), .flag = ffi_flag(rotation, "rotation")};
  return ffi_call(run_orthogonal, &request, options);
}

static SEXP run_schur(dpt_ctx *ctx, void *data) {
  const linear_request *request = data;
  ptrdiff_t n = request->a.rows;
  SEXP t = ffi_keep(ctx, ffi_new_matrix(n, n)), q = ffi_keep(ctx, ffi_new_matrix(n, n));
  dpt_linear_schur(n, request->a.at, REAL(t), REAL(q), new_work(ctx, n, n));
  return ffi_named_list(2, (const char *const[]){"t", "q"}, (const SEXP[]){t, q});
}

SEXP ffi_test_linear_schur(SEXP a, SEXP options) {
  linear_request request = {.a = read_square(a, "a")};
  return ffi_call(run_schur, &request, options);
}
