/* ffi-test-noise.c - coins, scales, and draws of exact noise, for the tests. */
#include "ffi.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "ffi-read.h"
#include "privacy-choice.h"
#include "privacy-noise.h"
#include "privacy-rounded-normal.h"

/* Returns the smallest scale of noise that is at least `scale`, one for each, or NA if there is none. */
SEXP ffi_test_round_scale(SEXP scale) {
  ffi_vector wanted = ffi_doubles(scale, "scale");
  SEXP rounded = PROTECT(ffi_new_doubles(wanted.count));
  for (ptrdiff_t i = 0; i < wanted.count; i++) {
    dpt_dyadic least;
    REAL(rounded)[i] = dpt_noise_scale(wanted.at[i], &least) ? dpt_dyadic_value(least) : NA_REAL;
  }
  UNPROTECT(1);
  return rounded;
}

typedef struct {
  ptrdiff_t count;
  double parameter;
  int what;
} coin_request;

static SEXP draw_coins(dpt_ctx *ctx, void *data) {
  const coin_request *request = data;
  SEXP drawn = ffi_keep(ctx, ffi_new_doubles(request->count));
  for (ptrdiff_t i = 0; i < request->count; i++) {
    switch (request->what) {
    case 0: REAL(drawn)[i] = dpt_draw_bernoulli(ctx, request->parameter); break;
    case 1: REAL(drawn)[i] = dpt_draw_bernoulli_exp(ctx, request->parameter); break;
    default: REAL(drawn)[i] = (double) dpt_draw_below(ctx, (uint64_t) request->parameter);
    }
    dpt_tick(ctx, 100);
  }
  return drawn;
}

/* Draws Bernoulli(parameter), Bernoulli(exp(-parameter)) or an integer below it, if `what` is 0, 1, 2. */
SEXP ffi_test_coins(SEXP count, SEXP parameter, SEXP what, SEXP options) {
  int coin = ffi_choice(what, 0, 2, "what");
  const double most[] = {1, INFINITY, 9223372036854775808.0}; /* 2^63 */
  coin_request request = {ffi_count(count, 0, FFI_COUNT_MOST, "count"),
                          ffi_number(parameter, 0, most[coin], "parameter"), coin};
  return ffi_call(draw_coins, &request, options);
}

enum { CHOICE = DPT_NOISE_ROUNDED_NORMAL + 1 };

typedef struct {
  int kind;
  double scale;
  ffi_vector score;
  ffi_bytes words;
} words_request;

static double draw_one(dpt_ctx *ctx, const words_request *request) {
  if (request->kind == CHOICE)
    return (double) dpt_draw_choice(ctx, request->score.at, request->score.count, request->scale);
  if (request->kind == DPT_NOISE_ROUNDED_NORMAL) {
    dpt_rounded_normal sampler;
    dpt_rounded_normal_open(ctx, &sampler, 0);
    return (double) dpt_draw_rounded_normal(ctx, &sampler, request->scale);
  }
  dpt_dyadic scale;
  dpt_noise_scale(request->scale, &scale);
  return (double) (request->kind == DPT_NOISE_LAPLACE ? dpt_draw_discrete_laplace(ctx, scale)
                                                      : dpt_draw_discrete_gaussian(ctx, scale));
}

static SEXP draw_from_words(dpt_ctx *ctx, void *data) {
  const words_request *request = data;
  SEXP drawn = ffi_keep(ctx, ffi_new_doubles(2));
  dpt_random_open_system(&ctx->random);
  memcpy(ctx->random.buffer, request->words.at, DPT_RANDOM_BUFFER);
  ctx->random.used = 0;
  REAL(drawn)[0] = draw_one(ctx, request);
  REAL(drawn)[1] = (double) ctx->random.words;
  return drawn;
}

/* Returns one draw from 32 words of 64 bits, and the number of words that it used: Laplace, discrete Gaussian, or
 * rounded normal noise of a scale, or the position of the chosen score at a rate, if `kind` is 0 to 3. */
SEXP ffi_test_noise_words(SEXP kind, SEXP scale, SEXP score, SEXP words, SEXP options) {
  words_request request = {.kind = ffi_choice(kind, 0, CHOICE, "kind"),
                           .scale = ffi_number(scale, 0, 0x1p40, "scale"),
                           .score = ffi_doubles_within(score, -DPT_CHOICE_MOST_SCORE, DPT_CHOICE_MOST_SCORE, "score"),
                           .words = ffi_raw(words, "words")};
  const bool is_rate = request.scale == 0 || request.scale >= DPT_CHOICE_LEAST_RATE;
  if (request.kind == CHOICE && !(is_rate && request.score.count > 0)) ffi_refuse("score", "at least one number");
  for (ptrdiff_t i = 0; i < request.score.count; i++)
    if (request.score.at[i] != floor(request.score.at[i])) ffi_refuse("score", "integers");
  if (request.words.count != DPT_RANDOM_BUFFER) ffi_refuse("words", "256 bytes");
  return ffi_call(draw_from_words, &request, options);
}
