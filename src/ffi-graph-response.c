/* ffi-graph-response.c - packed graphs, lists of edges and their randomized response, for R. */
#include "ffi.h"

#include <math.h>
#include <float.h>
#include <string.h>

#include "base-chacha.h"
#include "ffi-read.h"
#include "graph-bits.h"
#include "graph-coin.h"
#include "graph-response.h"

/* ---- probabilities -------------------------------------------------------------------------------------------- */

/* Sixteen bytes, the highest first. */
static SEXP new_fraction(dpt_fraction p) {
  SEXP bytes = PROTECT(ffi_new_bytes(16));
  for (int i = 0; i < 16; i++) RAW(bytes)[i] = (unsigned char) ((i < 8 ? p.high : p.low) >> (56 - i % 8 * 8));
  UNPROTECT(1);
  return bytes;
}

static dpt_fraction read_fraction(SEXP x, const char *what) {
  ffi_bytes bytes = ffi_raw(x, what);
  if (bytes.count != 16) ffi_refuse(what, "16 bytes");
  dpt_fraction p = {0, 0};
  for (int i = 0; i < 16; i++) {
    uint64_t *half = i < 8 ? &p.high : &p.low;
    *half = *half << 8 | bytes.at[i];
  }
  return p;
}

/* Reads a probability from 2^-128 to 1/2. */
static dpt_fraction read_coin(SEXP x) {
  dpt_fraction p = read_fraction(x, "p");
  const bool half = p.high >> 63 && !(p.high << 1) && !p.low;
  if ((p.high >> 63 && !half) || !(p.high | p.low)) ffi_refuse("p", "a probability up to one half");
  return p;
}

SEXP ffi_graph_coin(SEXP epsilon, SEXP method) {
  double asked = ffi_number(epsilon, 0, DBL_MAX, "epsilon");
  return new_fraction(dpt_graph_coin(asked, (dpt_graph_method) ffi_choice(method, 0, 1, "method")));
}

/* ---- packed graphs -------------------------------------------------------------------------------------------- */

typedef struct {
  ptrdiff_t n;
  ffi_integers from, to;
  ffi_bytes bits;
  SEXP object; /* the R object with these bytes */
  const double *real;
  const int *whole;
  dpt_fraction p;
  dpt_graph_skip skip;
} graph_request;

static ptrdiff_t read_size(SEXP n) { return ffi_count(n, 0, DPT_GRAPH_MOST, "n"); }

static graph_request read_list(SEXP n, SEXP from, SEXP to) {
  graph_request request = {.n = read_size(n), .from = ffi_whole(from, "from"), .to = ffi_whole(to, "to")};
  if (request.from.count != request.to.count) ffi_refuse("to", "as many as `from`");
  return request;
}

static graph_request read_bits(SEXP n, SEXP bits) {
  graph_request request = {.n = read_size(n), .bits = ffi_raw(bits, "bits"), .object = bits};
  if (request.bits.count != dpt_graph_bits_bytes(request.n)) ffi_refuse("bits", "a packed graph of its own size");
  return request;
}

static SEXP pack(dpt_ctx *ctx, void *data) {
  const graph_request *request = data;
  const ptrdiff_t size = dpt_graph_bits_bytes(request->n);
  SEXP bits = ffi_keep(ctx, ffi_new_bytes(size));
  memset(RAW(bits), 0, (size_t) size);
  if (request->real || request->whole)
    dpt_graph_bits_pack_matrix(ctx, request->n, request->real, request->whole, RAW(bits));
  else dpt_graph_bits_pack(ctx, request->n, request->from.at, request->to.at, request->from.count, RAW(bits));
  return bits;
}

/* Packs edges. Vertices count from 1, and loops and edges with an invalid endpoint are left out. */
SEXP ffi_graph_pack(SEXP n, SEXP from, SEXP to, SEXP options) {
  graph_request request = read_list(n, from, to);
  return ffi_call(pack, &request, options);
}

/* Reads a square matrix with n columns, of doubles, integers or logical values. */
static graph_request read_matrix(SEXP n, SEXP matrix) {
  graph_request request = {.n = read_size(n)};
  switch (TYPEOF(matrix)) {
  case REALSXP: request.real = REAL(matrix); break;
  case INTSXP: request.whole = INTEGER(matrix); break;
  case LGLSXP: request.whole = LOGICAL(matrix); break;
  default: ffi_refuse("matrix", "numbers or truth values");
  }
  const double entries = (double) request.n * (double) request.n; /* exact up to 2^53, and no vector is longer */
  if ((double) XLENGTH(matrix) != entries) ffi_refuse("matrix", "a square matrix");
  return request;
}

/* Packs a matrix. Entries other than 0 are edges. */
SEXP ffi_graph_pack_matrix(SEXP n, SEXP matrix, SEXP options) {
  graph_request request = read_matrix(n, matrix);
  return ffi_call(pack, &request, options);
}

static SEXP is_symmetric(dpt_ctx *ctx, void *data) {
  const graph_request *request = data;
  return Rf_ScalarLogical(dpt_graph_is_symmetric(ctx, request->n, request->real, request->whole));
}

/* Whether the entries other than 0 are the same in both triangles. */
SEXP ffi_graph_is_symmetric(SEXP n, SEXP matrix, SEXP options) {
  graph_request request = read_matrix(n, matrix);
  return ffi_call(is_symmetric, &request, options);
}

static SEXP is_binary(dpt_ctx *ctx, void *data) {
  const graph_request *request = data;
  return Rf_ScalarLogical(dpt_graph_is_binary(ctx, request->n, request->real, request->whole));
}

/* Whether all entries off the diagonal are 0 or 1. */
SEXP ffi_graph_is_binary(SEXP n, SEXP matrix, SEXP options) {
  graph_request request = read_matrix(n, matrix);
  return ffi_call(is_binary, &request, options);
}

SEXP ffi_graph_count(SEXP n, SEXP bits) {
  graph_request request = read_bits(n, bits);
  return Rf_ScalarReal((double) dpt_graph_bits_count(request.n, request.bits.at));
}

/* Eight bytes that detect changes of any number of bytes. */
SEXP ffi_graph_digest(SEXP bits) {
  ffi_bytes bytes = ffi_raw(bits, "bits");
  const uint64_t sum = dpt_graph_bits_digest(bytes.at, bytes.count);
  SEXP digest = PROTECT(ffi_new_bytes(8));
  for (int i = 0; i < 8; i++) RAW(digest)[i] = (unsigned char) (sum >> (8 * i));
  UNPROTECT(1);
  return digest;
}

SEXP ffi_graph_is_whole(SEXP n, SEXP bits) {
  graph_request request = read_bits(n, bits);
  return Rf_ScalarLogical(dpt_graph_bits_are_whole(request.n, request.bits.at));
}

/* ---- lists ---------------------------------------------------------------------------------------------------- */

/* list(from, to), two new integer vectors, which the caller protects. */
static SEXP new_list(ptrdiff_t count) {
  const char *names[] = {"from", "to"};
  SEXP values[2];
  for (int end = 0; end < 2; end++) values[end] = PROTECT(ffi_new_integers(count));
  SEXP list = ffi_named_list(2, names, values);
  UNPROTECT(2);
  return list;
}

static SEXP split(dpt_ctx *ctx, dpt_pairs pairs) {
  SEXP list = ffi_keep(ctx, new_list(pairs.count));
  dpt_graph_split(ctx, pairs, INTEGER(VECTOR_ELT(list, 0)), INTEGER(VECTOR_ELT(list, 1)));
  return list;
}

static SEXP unpack(dpt_ctx *ctx, void *data) {
  const graph_request *request = data;
  /* Padding bits must be zero, because they are counted like edges. */
  if (!dpt_graph_bits_are_whole(request->n, request->bits.at)) ffi_refuse("bits", "a packed graph");
  SEXP list = ffi_keep(ctx, new_list(dpt_graph_bits_count(request->n, request->bits.at)));
  dpt_graph_bits_unpack(ctx, request->n, request->bits.at, INTEGER(VECTOR_ELT(list, 0)), INTEGER(VECTOR_ELT(list, 1)));
  return list;
}

/* Returns the edges, from < to, sorted by `to`, then `from`. */
SEXP ffi_graph_unpack(SEXP n, SEXP bits, SEXP options) {
  graph_request request = read_bits(n, bits);
  return ffi_call(unpack, &request, options);
}

static SEXP sort_list(dpt_ctx *ctx, void *data) {
  const graph_request *request = data;
  return split(ctx, dpt_graph_sort(ctx, request->n, request->from.at, request->to.at, request->from.count));
}

/* Returns the edges of a list in the same order, each once, without loops and invalid endpoints. */
SEXP ffi_graph_sort(SEXP n, SEXP from, SEXP to, SEXP options) {
  graph_request request = read_list(n, from, to);
  return ffi_call(sort_list, &request, options);
}

/* ---- randomized response -------------------------------------------------------------------------------------- */

static SEXP randomize_bits(dpt_ctx *ctx, void *data) {
  const graph_request *request = data;
  dpt_chacha_open(ctx);
  dpt_graph_randomize_bits(ctx, request->n, request->p, RAW(request->object));
  return request->object;
}

/* Flips the pairs of a packed graph in place, because a copy would double the memory of a large one. The caller has
 * made `bits` for this call and shows them to nobody. */
SEXP ffi_graph_randomize_bits(SEXP n, SEXP bits, SEXP p, SEXP options) {
  graph_request request = read_bits(n, bits);
  request.p = read_coin(p);
  return ffi_call(randomize_bits, &request, options);
}

static SEXP randomize_list(dpt_ctx *ctx, void *data) {
  const graph_request *request = data;
  dpt_pairs response = dpt_graph_draw_response(ctx, request->n, request->skip);
  dpt_pairs edges = dpt_graph_sort(ctx, request->n, request->from.at, request->to.at, request->from.count);
  return split(ctx, dpt_graph_merge(ctx, edges, response));
}

/* Flips the pairs of a list of edges, for small probabilities. */
SEXP ffi_graph_randomize_list(SEXP n, SEXP from, SEXP to, SEXP p, SEXP options) {
  graph_request request = read_list(n, from, to);
  request.skip = dpt_graph_skip_for(read_coin(p));
  return ffi_call(randomize_list, &request, options);
}
