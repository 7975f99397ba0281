/* base-draws.c - the elementary draws from the random source of a call. */
#include "base-draws.h"

#include <math.h>

#include "base-bits.h"

uint64_t dpt_draw_bits(dpt_ctx *ctx) {
  uint64_t bits = 0;
  if (!dpt_random_next(&ctx->random, &bits))
    dpt_escape(ctx, DPT_ERROR_ENTROPY, "the operating system gave no entropy; nothing was released");
  return bits;
}

/* Draws 1 to 64 bits. Entropy is most of the cost of a draw, so small draws share a word. If the remaining bits are
 * too few for the next draw, they are dropped. */
static uint64_t draw_few(dpt_ctx *ctx, int count) {
  dpt_random *random = &ctx->random;
  if (count == 64) return dpt_draw_bits(ctx);
  if (random->pooled < count) {
    random->pool = dpt_draw_bits(ctx);
    random->pooled = 64;
  }
  uint64_t bits = random->pool & ((UINT64_C(1) << count) - 1);
  random->pool >>= count;
  random->pooled -= count;
  return bits;
}

bool dpt_draw_bit(dpt_ctx *ctx) { return draw_few(ctx, 1); }

double dpt_draw_unit(dpt_ctx *ctx) {
  /* the centers of 2^52 cells: 0.5 + integer is exact below 2^53 */
  return ((double) (dpt_draw_bits(ctx) >> 12) + 0.5) * 0x1p-52;
}

/* Draws the number of zeros before the first one, 13 digits at a time, then the 51 digits after it. The result is
 * the center of one of the 2^51 cells of a binade, and has the probability of this cell. Numbers near zero are
 * therefore as dense, in proportion, as numbers near one. Logarithms of uniform numbers and comparisons with small
 * probabilities need this. With dpt_draw_unit(), far tails would take few values, and the set of these values would
 * reveal the center of the distribution. */
double dpt_draw_float(dpt_ctx *ctx) {
  enum { HEAD = 13, DIGITS = 51 };
  const uint64_t bits = dpt_draw_bits(ctx), digits = bits & ((UINT64_C(1) << DIGITS) - 1);
  uint64_t head = bits >> DIGITS;
  int zeros = 0;
  for (; head == 0; head = dpt_draw_bits(ctx) >> DIGITS) zeros += HEAD;
  zeros += HEAD - dpt_bit_length(head);
  return ldexp((double) ((UINT64_C(1) << (DIGITS + 1)) | digits << 1 | 1), -(DIGITS + 2) - zeros);
}

/* Draws as many bits as bound - 1 has, until they are below the bound: less than two tries on average. */
uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) {
  if (bound <= 1) return 0;
  int bits = dpt_bit_length(bound - 1);
  uint64_t drawn;
  do drawn = draw_few(ctx, bits);
  while (drawn >= bound);
  return drawn;
}

double dpt_draw_between(dpt_ctx *ctx, double lower, double upper) {
  double x = lower + (upper - lower) * dpt_draw_unit(ctx);
  return x < lower ? lower : (x > upper ? upper : x);
}

double dpt_draw_normal(dpt_ctx *ctx) {
  dpt_random *random = &ctx->random;
  if (random->spare_is_set) {
    random->spare_is_set = false;
    return random->spare;
  }
  double x, y, square;
  do {
    x = 2 * dpt_draw_unit(ctx) - 1;
    y = 2 * dpt_draw_unit(ctx) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  double scale = sqrt(-2 * log(square) / square);
  random->spare = y * scale;
  random->spare_is_set = true;
  return x * scale;
}
