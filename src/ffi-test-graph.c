/* ffi-test-graph.c - the key stream of randomized response, and bits by a known key, for the tests. */
#include "ffi.h"

#include <string.h>

#include "base-chacha.h"
#include "ffi-read.h"
#include "graph-bits.h"
#include "graph-response.h"

typedef struct {
  uint32_t key[8], nonce[3], counter;
  ptrdiff_t blocks;
  bool wide;
} chacha_request;

/* Reads bytes, the lowest of each number first. */
static void read_numbers(SEXP x, int count, uint32_t *number, const char *what) {
  ffi_bytes bytes = ffi_raw(x, what);
  if (bytes.count != 4 * count) ffi_refuse(what, "bytes of the right number");
  for (int i = 0; i < count; i++) {
    const unsigned char *at = bytes.at + 4 * i;
    number[i] = (uint32_t) at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
  }
}

static SEXP fill_blocks(dpt_ctx *ctx, void *data) {
  const chacha_request *request = data;
  const ptrdiff_t count = request->blocks * DPT_CHACHA_WORDS;
  uint64_t *words = DPT_NEW(ctx, uint64_t, count);
  (request->wide ? dpt_chacha_fill : dpt_chacha_fill_slowly)(request->key, request->nonce, request->counter,
                                                             request->blocks, words);
  SEXP bytes = ffi_keep(ctx, ffi_new_bytes(8 * count));
  for (ptrdiff_t i = 0; i < 8 * count; i++) RAW(bytes)[i] = (unsigned char) (words[i / 8] >> (i % 8 * 8));
  return bytes;
}

/* Returns the key stream of some blocks. */
SEXP ffi_test_chacha(SEXP key, SEXP nonce, SEXP counter, SEXP blocks, SEXP wide, SEXP options) {
  chacha_request request = {.counter = (uint32_t) ffi_count(counter, 0, UINT32_MAX, "counter"),
                            .blocks = ffi_count(blocks, 0, 1 << 20, "blocks"),
                            .wide = ffi_flag(wide, "wide")};
  read_numbers(key, 8, request.key, "key");
  read_numbers(nonce, 3, request.nonce, "nonce");
  return ffi_call(fill_blocks, &request, options);
}

typedef struct {
  ptrdiff_t n;
  uint32_t key[8];
  dpt_fraction p;
  bool forked;
} response_request;

static void write_half(uint64_t half, unsigned char *to) {
  for (int i = 0; i < 8; i++) to[i] = (unsigned char) (half >> (56 - 8 * i));
}

static dpt_fraction read_p(SEXP p) {
  ffi_bytes bytes = ffi_raw(p, "p");
  if (bytes.count != 16) ffi_refuse("p", "16 bytes");
  dpt_fraction read = {0, 0};
  for (int i = 0; i < 8; i++) {
    read.high = read.high << 8 | bytes.at[i];
    read.low = read.low << 8 | bytes.at[8 + i];
  }
  if (!(read.high | read.low) || read.high > UINT64_C(1) << 63) ffi_refuse("p", "a probability up to one half");
  return read;
}

/* Returns the bytes of `accept`, the highest first, and m. */
SEXP ffi_test_skip(SEXP p) {
  dpt_graph_skip skip = dpt_graph_skip_for(read_p(p));
  SEXP bytes = PROTECT(ffi_new_bytes(17));
  write_half(skip.accept.high, RAW(bytes));
  write_half(skip.accept.low, RAW(bytes) + 8);
  RAW(bytes)[16] = (unsigned char) skip.m;
  UNPROTECT(1);
  return bytes;
}

static SEXP draw_response(dpt_ctx *ctx, void *data) {
  const response_request *request = data;
  const ptrdiff_t size = dpt_graph_bits_bytes(request->n);
  SEXP bits = ffi_keep(ctx, ffi_new_bytes(size));
  memset(RAW(bits), 0, (size_t) size);
  dpt_chacha_open(ctx);
  memcpy(ctx->random.cipher, request->key, sizeof request->key);
  ctx->random.process -= request->forked;
  dpt_graph_randomize_bits(ctx, request->n, request->p, RAW(bits));
  return bits;
}

/* Randomized response of n vertices by this key. `p` is in bytes, the highest first. If `forked`, acts as if the
 * process had been forked meanwhile. */
SEXP ffi_test_response(SEXP n, SEXP key, SEXP p, SEXP forked, SEXP options) {
  response_request request = {.n = ffi_count(n, 0, 1 << 13, "n"), .p = read_p(p), .forked = ffi_flag(forked, "forked")};
  read_numbers(key, 8, request.key, "key");
  return ffi_call(draw_response, &request, options);
}
