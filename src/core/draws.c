/* draws.c - the elementary draws from the random source of a call. */
#include "core.h"

#include <math.h>

#include "base-whole.h"

uint64_t dpt_random_bits(dpt_ctx *ctx) {
  uint64_t bits = 0;
  if (!dpt_random_next(&ctx->random, &bits))
    dpt_escape(ctx, DPT_ERROR_ENTROPY, "the operating system gave no entropy; nothing was released");
  return bits;
}

/* 1 to 64 bits. Entropy is most of the cost of a draw, so a word is shared out among small draws; what is left of it
 * is dropped when it cannot serve the next. */
static uint64_t random_few(dpt_ctx *ctx, int count) {
  dpt_random *random = &ctx->random;
  if (count == 64) return dpt_random_bits(ctx);
  if (random->pooled < count) {
    random->pool = dpt_random_bits(ctx);
    random->pooled = 64;
  }
  uint64_t bits = random->pool & ((UINT64_C(1) << count) - 1);
  random->pool >>= count;
  random->pooled -= count;
  return bits;
}

bool dpt_random_bit(dpt_ctx *ctx) { return random_few(ctx, 1); }

double dpt_random_unit(dpt_ctx *ctx) {
  /* the centers of 2^52 cells: 0.5 + integer is exact below 2^53 */
  return ((double) (dpt_random_bits(ctx) >> 12) + 0.5) * 0x1p-52;
}

/* As many bits as bound - 1 has, until they are below the bound: less than two tries on average. */
uint64_t dpt_random_below(dpt_ctx *ctx, uint64_t bound) {
  if (bound <= 1) return 0;
  int bits = dpt_bit_length(bound - 1);
  uint64_t drawn;
  do drawn = random_few(ctx, bits);
  while (drawn >= bound);
  return drawn;
}

double dpt_random_between(dpt_ctx *ctx, double lower, double upper) {
  double x = lower + (upper - lower) * dpt_random_unit(ctx);
  return x < lower ? lower : (x > upper ? upper : x);
}

double dpt_random_normal(dpt_ctx *ctx) {
  dpt_random *random = &ctx->random;
  if (random->spare_is_set) {
    random->spare_is_set = false;
    return random->spare;
  }
  double x, y, square;
  do {
    x = 2 * dpt_random_unit(ctx) - 1;
    y = 2 * dpt_random_unit(ctx) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  double scale = sqrt(-2 * log(square) / square);
  random->spare = y * scale;
  random->spare_is_set = true;
  return x * scale;
}
