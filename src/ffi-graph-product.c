/* ffi-graph-product.c - products of a graph and vectors, for R. */
#include "ffi.h"

#include <float.h>

#include "ffi-read.h"
#include "graph-bits.h"
#include "graph-product.h"

typedef struct {
  ptrdiff_t n;
  ffi_bytes bits;
  ffi_integers from, to;
  ffi_matrix x;
  bool packed;
  double flip, contrast;
} product_request;

static SEXP multiply(dpt_ctx *ctx, void *data) {
  const product_request *request = data;
  const ptrdiff_t n = request->n;
  SEXP result = ffi_keep(ctx, ffi_new_matrix(n, request->x.columns));
  for (ptrdiff_t column = 0; column < request->x.columns; column++) {
    const double *x = request->x.at + column * n;
    double *y = REAL(result) + column * n;
    const dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
    if (request->packed) dpt_graph_multiply_bits(ctx, n, request->bits.at, x, y);
    else dpt_require(ctx, dpt_graph_multiply_list(ctx, n, request->from.at, request->to.at, request->from.count, x, y));
    if (request->flip > 0) dpt_graph_debias(n, request->flip, request->contrast, x, y);
    dpt_arena_release(&ctx->arena, mark);
  }
  return result;
}

static product_request read_request(SEXP n, SEXP x, SEXP flip, SEXP contrast, bool packed) {
  product_request request = {.n = ffi_count(n, 0, DPT_GRAPH_MOST, "n"), .x = ffi_any_matrix(x, "x"), .packed = packed};
  request.flip = ffi_number(flip, 0, 0.5, "flip");
  request.contrast = ffi_number(contrast, DBL_MIN, 1, "contrast");
  if (request.x.rows != request.n) ffi_refuse("x", "a matrix with a row for each vertex");
  return request;
}

/* Multiplies a packed graph by the columns of a matrix with n rows. If pairs were flipped with probability `flip`,
 * the result is debiased, and `contrast` is 1 - 2 flip. */
SEXP ffi_graph_multiply_bits(SEXP n, SEXP bits, SEXP x, SEXP flip, SEXP contrast, SEXP options) {
  product_request request = read_request(n, x, flip, contrast, true);
  request.bits = ffi_raw(bits, "bits");
  if (request.bits.count != dpt_graph_bits_bytes(request.n)) ffi_refuse("bits", "a packed graph of its own size");
  return ffi_call(multiply, &request, options);
}

/* The same for a list of edges. */
SEXP ffi_graph_multiply_list(SEXP n, SEXP from, SEXP to, SEXP x, SEXP flip, SEXP contrast, SEXP options) {
  product_request request = read_request(n, x, flip, contrast, false);
  request.from = ffi_whole(from, "from");
  request.to = ffi_whole(to, "to");
  if (request.from.count != request.to.count) ffi_refuse("to", "as many as `from`");
  return ffi_call(multiply, &request, options);
}
