/* ffi-test-norm.c - long numbers, variates, and refinement of K-norm noise, for the tests. */
#include "ffi.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "base-long.h"
#include "ffi-read.h"
#include "privacy-norm.h"
#include "privacy-variate.h"

/* ---- long numbers, as raw bytes, the lowest first ------------------------------------------------------------ */

typedef struct {
  int what;
  ffi_bytes a, b;
  int64_t left;
} long_request;

static dpt_long read_long(dpt_ctx *ctx, ffi_bytes bytes) {
  dpt_long x = {0};
  const ptrdiff_t count = (bytes.count + 7) / 8;
  dpt_long_reserve(ctx, &x, count);
  for (ptrdiff_t i = 0; i < count; i++) x.limb[i] = 0;
  for (ptrdiff_t i = 0; i < bytes.count; i++) x.limb[i / 8] |= (uint64_t) bytes.at[i] << (8 * (i % 8));
  x.count = count;
  dpt_long_trim(&x);
  return x;
}

static SEXP write_long(dpt_ctx *ctx, const dpt_long *x) {
  SEXP bytes = ffi_keep(ctx, ffi_new_bytes(8 * x->count));
  for (ptrdiff_t i = 0; i < 8 * x->count; i++) RAW(bytes)[i] = (Rbyte) (x->limb[i / 8] >> (8 * (i % 8)));
  return bytes;
}

static SEXP work_out(dpt_ctx *ctx, void *data) {
  const long_request *request = data;
  dpt_long a = read_long(ctx, request->a), b = read_long(ctx, request->b), other = {0}, rest = {0};
  switch (request->what) {
  case 0: dpt_long_add(ctx, &a, &b); break;
  case 1:
    if (dpt_long_compare(&a, &b) >= 0) dpt_long_subtract(&a, &b);
    break;
  case 2:
    dpt_long_multiply(ctx, &other, &a, &b);
    a = other;
    break;
  case 3: dpt_long_shift(ctx, &a, request->left); break;
  case 4:
    dpt_long_root(ctx, &other, &a, &rest);
    a = other;
    break;
  case 5: return Rf_ScalarInteger(dpt_long_compare(&a, &b));
  default: return Rf_ScalarReal((double) dpt_long_length(&a));
  }
  return write_long(ctx, &a);
}

/* Returns a + b, a - b (a, if it is less than b), a b, a 2^left, the root of a, -1, 0 or 1 if a is below, at or
 * above b, and the binary digits of a, if `what` is 0 to 6. */
SEXP ffi_test_long(SEXP what, SEXP a, SEXP b, SEXP left, SEXP options) {
  long_request request = {ffi_choice(what, 0, 6, "what"), ffi_raw(a, "a"), ffi_raw(b, "b"),
                          ffi_choice(left, -4096, 4096, "left")};
  return ffi_call(work_out, &request, options);
}

/* ---- words and variates --------------------------------------------------------------------------------------- */

static void write_word(uint64_t word, double *pieces) {
  for (int i = 0; i < 4; i++) pieces[i] = (double) (word >> (16 * i) & 0xffff);
}

typedef struct {
  ptrdiff_t count;
  int what;
} draw_request;

static SEXP draw_words(dpt_ctx *ctx, void *data) {
  const draw_request *request = data;
  SEXP words = ffi_keep(ctx, ffi_new_matrix(4, request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) write_word(dpt_draw_bits(ctx), REAL(words) + 4 * i);
  return words;
}

/* Returns the words that a kernel draws, in columns of four times 16 bits, the lowest first. */
SEXP ffi_test_words(SEXP count, SEXP options) {
  draw_request request = {ffi_count(count, 0, FFI_COUNT_MOST, "count"), 0};
  return ffi_call(draw_words, &request, options);
}

static SEXP draw_variates(dpt_ctx *ctx, void *data) {
  const draw_request *request = data;
  enum { ROWS = 4 };
  SEXP drawn = ffi_keep(ctx, ffi_new_matrix(ROWS, request->count));
  dpt_variate_source source = {0};
  dpt_variate x = {0};
  for (ptrdiff_t i = 0; i < request->count; i++) {
    double *row = REAL(drawn) + ROWS * i;
    if (request->what) {
      dpt_draw_exact_normal(ctx, &source, &x);
    } else {
      dpt_draw_exponential(ctx, &source, &x);
    }
    row[3] = (double) x.count;
    row[2] = ldexp((double) dpt_variate_limb(ctx, &source, &x, x.count), -16);
    double size = (double) x.whole;
    for (int j = 0; j < 3; j++) size += ldexp((double) dpt_variate_limb(ctx, &source, &x, j), -16 * (j + 1));
    row[0] = x.negative ? -size : size;
    row[1] = (double) x.whole;
    dpt_tick(ctx, 300);
  }
  return drawn;
}

/* Draws exponential or normal variates, if `what` is 0 or 1, in columns: the number, its integer part, the first
 * unused limb as a fraction of one, and the number of limbs used. */
SEXP ffi_test_variates(SEXP count, SEXP what, SEXP options) {
  draw_request request = {ffi_count(count, 0, FFI_COUNT_MOST, "count"), ffi_choice(what, 0, 1, "what")};
  return ffi_call(draw_variates, &request, options);
}

/* ---- the noise ------------------------------------------------------------------------------------------------ */

typedef struct {
  ffi_vector value;
  dpt_norm_noise noise;
  ptrdiff_t draws;
} norm_request;

static SEXP add_norm(dpt_ctx *ctx, void *data) {
  const norm_request *request = data;
  SEXP released = ffi_keep(ctx, ffi_new_matrix(request->value.count, request->draws));
  const int64_t added = dpt_draw_norm(ctx, &request->noise, request->value.count, request->value.at, request->draws,
                                      REAL(released));
  const SEXP values[] = {released, ffi_keep(ctx, Rf_ScalarReal((double) added))};
  const char *const names[] = {"released", "added"};
  return ffi_named_list(2, names, values);
}

/* As ffi_privacy_add_norm(), from `first` binary digits on, with `ahead` limbs drawn before any is used. Returns
 * list(released, added), the number of times digits were added. */
SEXP ffi_test_add_norm(SEXP value, SEXP scale, SEXP shift, SEXP draws, SEXP first, SEXP ahead, SEXP options) {
  norm_request request = {
      .value = ffi_doubles_within(value, -0x1p53, 0x1p53, "value"),
      .noise = {.scale = ffi_number(scale, 0x1p-64, 0x1p140, "scale"),
                .shift = ffi_choice(shift, 0, DPT_NORM_MOST_SHIFT, "shift"),
                .first = ffi_choice(first, 1, 4096, "first"),
                .ahead = ffi_choice(ahead, 0, 4096, "ahead")},
      .draws = ffi_count(draws, 0, FFI_COUNT_MOST, "draws"),
  };
  return ffi_call(add_norm, &request, options);
}

typedef struct {
  double value;
  dpt_norm_noise noise;
  ffi_bytes words;
} words_request;

static SEXP run_words(dpt_ctx *ctx, void *data) {
  const words_request *request = data;
  SEXP released = ffi_keep(ctx, ffi_new_doubles(1));
  dpt_random_open_system(&ctx->random);
  memcpy(ctx->random.buffer, request->words.at, DPT_RANDOM_BUFFER);
  ctx->random.used = 0;
  dpt_draw_norm(ctx, &request->noise, 1, &request->value, 1, REAL(released));
  return released;
}

/* Returns the release of one number from its own 32 words of 64 bits, so that tests reach tails that chance does
 * not. */
SEXP ffi_test_norm_words(SEXP value, SEXP scale, SEXP shift, SEXP words, SEXP options) {
  words_request request = {.value = ffi_number(value, -0x1p53, 0x1p53, "value"),
                           .noise = {.scale = ffi_number(scale, 0x1p-64, 0x1p140, "scale"),
                                     .shift = ffi_choice(shift, 0, DPT_NORM_MOST_SHIFT, "shift"),
                                     .first = DPT_NORM_FIRST},
                           .words = ffi_raw(words, "words")};
  if (request.words.count != DPT_RANDOM_BUFFER) ffi_refuse("words", "256 bytes");
  return ffi_call(run_words, &request, options);
}
