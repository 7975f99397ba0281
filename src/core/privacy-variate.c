/* privacy-variate.c - exponential and normal variates from coins and comparisons, to any requested digit.
 *
 * A uniform number is a list of limbs, and a limb is drawn when it is first used. Two numbers are compared limb by
 * limb, and the first limbs decide except with probability 2^-16. Decisions depend only on limbs that were drawn, so
 * all others remain independent coins. The distribution is exact, and no limb is drawn without need. Limbs are short
 * because entropy is the main cost: nearly all of them are used once, in one comparison.
 *
 * Exponential (von Neumann 1951): for uniforms x > y1 > y2 > ..., the descent has an even number of y with
 * probability exp(-x). Otherwise the integer part grows by one, and x is drawn again.
 *
 * Normal (Karney 2016, algorithm N): an integer part k with probability proportional to exp(-k/2), kept with
 * probability exp(-k (k - 1)/2). Then a uniform x, kept with probability exp(-x (2 k + x)/2), as k + 1 coins of
 * exp(-x (2 k + x)/(2 k + 2)). exp(-1/2) is von Neumann's coin with x = 1/2. exp(-x (2 k + x)/(2 k + 2)) is the same
 * coin if each y is also dropped with probability (2 - x)/(2 k + 2).
 *
 * Cost: 0.06 microseconds for an exponential and 0.18 for a normal variate, in branches that no processor can
 * predict, and as much again for the operating system's entropy. Proof: inst/proofs/privacy-norm.md. */
#include "privacy-variate.h"

#include <string.h>

#include "base-draws.h"

enum { LIMB = DPT_VARIATE_LIMB, OF_WORD = 64 / LIMB };

static uint16_t draw_limb(dpt_ctx *ctx, dpt_variate_source *source) {
  if (source->left == 0) {
    source->word = dpt_draw_bits(ctx);
    source->left = OF_WORD;
  }
  const uint16_t limb = (uint16_t) source->word;
  source->word >>= LIMB;
  source->left--;
  return limb;
}

static void make_room(dpt_ctx *ctx, dpt_variate *x) {
  const ptrdiff_t room = x->room ? 2 * x->room : OF_WORD;
  uint16_t *limb = DPT_NEW(ctx, uint16_t, room);
  if (x->count) memcpy(limb, x->limb, (size_t) x->count * sizeof *limb);
  x->limb = limb;
  x->room = room;
}

uint16_t dpt_variate_limb(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x, ptrdiff_t place) {
  while (x->count <= place) {
    if (x->count == x->room) make_room(ctx, x);
    x->limb[x->count++] = draw_limb(ctx, source);
  }
  return x->limb[place];
}

bool dpt_variate_draw_below(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *fresh, dpt_variate *x) {
  fresh->count = 0;
  for (ptrdiff_t i = 0;; i++) {
    const uint16_t own = dpt_variate_limb(ctx, source, fresh, i), other = dpt_variate_limb(ctx, source, x, i);
    if (own != other) return own < other;
  }
}

/* True if the descent x > y1 > y2 > ... of new uniforms has an even number of them. */
static bool has_even_descent(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x) {
  dpt_variate *last = x, *next = &source->a, *other = &source->b;
  for (bool even = true;; even = !even) {
    if (!dpt_variate_draw_below(ctx, source, next, last)) return even;
    last = next;
    next = other;
    other = last;
  }
}

void dpt_draw_exponential(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x) {
  x->negative = false;
  for (x->whole = 0;; x->whole++) {
    x->count = 0;
    if (has_even_descent(ctx, source, x)) return;
  }
}

/* True with probability exp(-1/2): the descent from 1/2. Its first number is below 1/2 if its first bit is 0. */
static bool half_coin(dpt_ctx *ctx, dpt_variate_source *source) {
  dpt_variate *first = &source->c;
  first->count = 0;
  if (dpt_variate_limb(ctx, source, first, 0) >> (LIMB - 1)) return true;
  return !has_even_descent(ctx, source, first);
}

/* True with probability exp(-x (2 k + x)/(2 k + 2)). */
static bool step_coin(dpt_ctx *ctx, dpt_variate_source *source, uint64_t k, dpt_variate *x) {
  dpt_variate *last = x, *next = &source->a, *other = &source->b;
  for (bool even = true;; even = !even) {
    if (!dpt_variate_draw_below(ctx, source, next, last)) return even;
    const uint64_t f = dpt_draw_below(ctx, 2 * k + 2);
    if (f == 2 * k + 1) return even;
    if (f == 2 * k && !dpt_variate_draw_below(ctx, source, &source->c, x)) return even;
    last = next;
    next = other;
    other = last;
  }
}

static bool all_half_coins(dpt_ctx *ctx, dpt_variate_source *source, uint64_t count) {
  while (count > 0 && half_coin(ctx, source)) count--;
  return count == 0;
}

static bool all_step_coins(dpt_ctx *ctx, dpt_variate_source *source, uint64_t k, dpt_variate *x) {
  for (uint64_t i = 0; i <= k; i++)
    if (!step_coin(ctx, source, k, x)) return false;
  return true;
}

void dpt_draw_exact_normal(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x) {
  for (;;) {
    uint64_t k = 0;
    while (half_coin(ctx, source)) k++;
    if (k > 1 && !all_half_coins(ctx, source, k * (k - 1))) continue;
    x->count = 0;
    if (!all_step_coins(ctx, source, k, x)) continue;
    x->whole = k;
    x->negative = dpt_draw_bit(ctx);
    return;
  }
}

void dpt_variate_floor(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x, int64_t places, dpt_long *floor) {
  const ptrdiff_t words = (ptrdiff_t) ((places + 63) / 64);
  dpt_long_reserve(ctx, floor, words + 1);
  for (ptrdiff_t i = 0; i < words; i++) {
    uint64_t word = 0;
    for (ptrdiff_t j = 0; j < OF_WORD; j++) word = word << LIMB | dpt_variate_limb(ctx, source, x, OF_WORD * i + j);
    floor->limb[words - 1 - i] = word;
  }
  floor->limb[words] = x->whole;
  floor->count = words + 1;
  dpt_long_trim(floor);
  dpt_long_shift(ctx, floor, places - 64 * (int64_t) words);
}
