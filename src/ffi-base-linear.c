/* ffi-base-linear.c - what the tests need to see of the linear algebra of the core. */
#include "base-linear.h"
#include "ffi.h"

typedef struct {
  SEXP a, b;
  int flag;
} linear_request;

static double *new_work(dpt_ctx *ctx, ptrdiff_t rows, ptrdiff_t columns) {
  return DPT_NEW(ctx, double, dpt_linear_work(rows > columns ? rows : columns));
}

static SEXP new_matrix(ptrdiff_t rows, ptrdiff_t columns) { return Rf_allocMatrix(REALSXP, (int) rows, (int) columns); }

static SEXP run_eigen(dpt_ctx *ctx, void *data, dpt_status *status) {
  const linear_request *request = data;
  ptrdiff_t n = Rf_nrows(request->a);
  double *work = new_work(ctx, n, n);
  SEXP values = PROTECT(Rf_allocVector(REALSXP, n)), vectors = PROTECT(new_matrix(n, n));
  dpt_linear_eigen(n, REAL(request->a), REAL(values), request->flag ? REAL(vectors) : NULL, work);
  SEXP result = ffi_named_list(2, (const char *const[]){"values", "vectors"},
                               (const SEXP[]){values, request->flag ? vectors : R_NilValue});
  *status = DPT_OK;
  UNPROTECT(2);
  return result;
}

SEXP ffi_base_linear_eigen(SEXP a, SEXP vectors, SEXP options) {
  linear_request request = {.a = a, .flag = Rf_asLogical(vectors)};
  return ffi_call(run_eigen, &request, options);
}

/* Singular vectors: none (0), left (1), right (2), both (3). */
static SEXP run_svd(dpt_ctx *ctx, void *data, dpt_status *status) {
  const linear_request *request = data;
  ptrdiff_t rows = Rf_nrows(request->a), columns = Rf_ncols(request->a), m = rows < columns ? rows : columns;
  double *work = new_work(ctx, rows, columns);
  SEXP d = PROTECT(Rf_allocVector(REALSXP, m)), u = PROTECT(new_matrix(rows, m)), v = PROTECT(new_matrix(columns, m));
  bool left = request->flag & 1, right = request->flag & 2;
  dpt_linear_svd(rows, columns, REAL(request->a), left ? REAL(u) : NULL, REAL(d), right ? REAL(v) : NULL, work);
  SEXP result = ffi_named_list(3, (const char *const[]){"d", "u", "v"},
                               (const SEXP[]){d, left ? u : R_NilValue, right ? v : R_NilValue});
  *status = DPT_OK;
  UNPROTECT(3);
  return result;
}

SEXP ffi_base_linear_svd(SEXP a, SEXP vectors, SEXP options) {
  linear_request request = {.a = a, .flag = Rf_asInteger(vectors)};
  return ffi_call(run_svd, &request, options);
}

/* `a` holds the columns of b, `b` their logarithmic scales. */
static SEXP run_graded(dpt_ctx *ctx, void *data, dpt_status *status) {
  (void) ctx;
  const linear_request *request = data;
  SEXP left = PROTECT(Rf_duplicate(request->a)), values = PROTECT(Rf_duplicate(request->b));
  dpt_linear_graded(Rf_nrows(left), REAL(left), REAL(values));
  SEXP result = ffi_named_list(2, (const char *const[]){"log_d", "u"}, (const SEXP[]){values, left});
  *status = DPT_OK;
  UNPROTECT(2);
  return result;
}

SEXP ffi_base_linear_graded(SEXP b, SEXP scale, SEXP options) {
  linear_request request = {.a = b, .b = scale};
  return ffi_call(run_graded, &request, options);
}

static SEXP run_complete(dpt_ctx *ctx, void *data, dpt_status *status) {
  const linear_request *request = data;
  ptrdiff_t rows = Rf_nrows(request->a), columns = Rf_ncols(request->a);
  SEXP q = PROTECT(new_matrix(rows, rows));
  dpt_linear_complete(rows, columns, REAL(request->a), REAL(q), new_work(ctx, rows, columns));
  *status = DPT_OK;
  UNPROTECT(1);
  return q;
}

SEXP ffi_base_linear_complete(SEXP a, SEXP options) {
  linear_request request = {.a = a};
  return ffi_call(run_complete, &request, options);
}

/* list(lower, forward, backward) = the factor l of a, l^-1 b, l^-T b; NULL where a is not definite. */
static SEXP run_cholesky(dpt_ctx *ctx, void *data, dpt_status *status) {
  (void) ctx;
  const linear_request *request = data;
  ptrdiff_t n = Rf_nrows(request->a), columns = Rf_ncols(request->b);
  *status = DPT_OK;
  SEXP lower = PROTECT(new_matrix(n, n)), forward = PROTECT(Rf_duplicate(request->b)),
       backward = PROTECT(Rf_duplicate(request->b)), result = R_NilValue;
  if (dpt_linear_cholesky(n, REAL(request->a), REAL(lower))) {
    dpt_linear_solve_lower(n, REAL(lower), columns, REAL(forward));
    dpt_linear_solve_lower_transposed(n, REAL(lower), columns, REAL(backward));
    result = ffi_named_list(3, (const char *const[]){"lower", "forward", "backward"},
                            (const SEXP[]){lower, forward, backward});
  }
  UNPROTECT(3);
  return result;
}

SEXP ffi_base_linear_cholesky(SEXP a, SEXP b, SEXP options) {
  linear_request request = {.a = a, .b = b};
  return ffi_call(run_cholesky, &request, options);
}

/* a b (0), a' b (1), a b' (2). */
static SEXP run_multiply(dpt_ctx *ctx, void *data, dpt_status *status) {
  (void) ctx;
  const linear_request *request = data;
  const double *a = REAL(request->a), *b = REAL(request->b);
  ptrdiff_t rows = Rf_nrows(request->a), inner = Rf_ncols(request->a), columns = Rf_ncols(request->b);
  if (request->flag == 1) {
    rows = Rf_ncols(request->a);
    inner = Rf_nrows(request->a);
  }
  if (request->flag == 2) columns = Rf_nrows(request->b);
  SEXP c = PROTECT(new_matrix(rows, columns));
  if (request->flag == 0) dpt_linear_multiply(rows, inner, columns, a, b, REAL(c));
  if (request->flag == 1) dpt_linear_multiply_left_transposed(rows, inner, columns, a, b, REAL(c));
  if (request->flag == 2) dpt_linear_multiply_right_transposed(rows, inner, columns, a, b, REAL(c));
  *status = DPT_OK;
  UNPROTECT(1);
  return c;
}

SEXP ffi_base_linear_multiply(SEXP a, SEXP b, SEXP transposed, SEXP options) {
  linear_request request = {a, b, Rf_asInteger(transposed)};
  return ffi_call(run_multiply, &request, options);
}

static SEXP run_orthogonal(dpt_ctx *ctx, void *data, dpt_status *status) {
  const linear_request *request = data;
  ptrdiff_t n = Rf_asInteger(request->a);
  SEXP q = PROTECT(new_matrix(n, n));
  dpt_linear_random_orthogonal(ctx, n, request->flag, REAL(q), new_work(ctx, n, n));
  *status = DPT_OK;
  UNPROTECT(1);
  return q;
}

SEXP ffi_base_linear_orthogonal(SEXP n, SEXP rotation, SEXP options) {
  linear_request request = {.a = n, .flag = Rf_asLogical(rotation)};
  return ffi_call(run_orthogonal, &request, options);
}

static SEXP run_schur(dpt_ctx *ctx, void *data, dpt_status *status) {
  const linear_request *request = data;
  ptrdiff_t n = Rf_nrows(request->a);
  SEXP t = PROTECT(new_matrix(n, n)), q = PROTECT(new_matrix(n, n));
  dpt_linear_schur(n, REAL(request->a), REAL(t), REAL(q), new_work(ctx, n, n));
  SEXP result = ffi_named_list(2, (const char *const[]){"t", "q"}, (const SEXP[]){t, q});
  *status = DPT_OK;
  UNPROTECT(2);
  return result;
}

SEXP ffi_base_linear_schur(SEXP a, SEXP options) {
  linear_request request = {.a = a};
  return ffi_call(run_schur, &request, options);
}
