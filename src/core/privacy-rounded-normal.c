/* privacy-rounded-normal.c - normal variates that are rounded to integers, from coins and comparisons.
 *
 * The absolute value of the normal variate is x = (c + y)/8, with an integer c (the cell) and a fraction y whose bits
 * are drawn when they are used (privacy-variate.h). As in Karney (2016, algorithm N), the density is a product:
 *
 *   exp(-x^2/2) = exp(-c^2/128) exp(-y (2 c + y)/128).
 *
 * Cell: a point of 64 bits falls into ranges of lengths 3 2^59 exp(-c^2/128), rounded up. Points that may be in the
 * rounded part of a length (a few hundred of 2^64) are kept by an exact coin, which compares further bits with the
 * series of exp(c^2/128). The first 16 bits of a point usually decide. Cells from 128 on share one point.
 *
 * Fraction: a uniform y is kept with probability exp(-y (2 c + y)/128), by von Neumann's descent y > z1 > z2 > ...
 * Each z is also dropped with probability 1 - (2 c + y)/128. So most descents end at once: 19 of 20 draws are kept.
 *
 * Rounding: the first p bits of y give integers below and above scale x + 1/2. If their integer parts agree, this is
 * the result. Otherwise, y gets more bits. p has no limit.
 *
 * Cost: 47 random bits per draw for scales up to 2^15, and 16 more per factor of 2^16, in 0.08 microseconds. The limit
 * is the operating system's entropy (40 nanoseconds per word of 64 bits), of which nearly all bits decide something.
 *
 * Rejected: algorithm N itself, with cells of length 1 (half of the draws are dropped, after coins of exp(-1/2): four
 * times slower); inverting the distribution function (needs bounds of erf at any precision); tables of cells as
 * constants (bounds are computed in a microsecond, and prove themselves). Proof:
 * inst/proofs/privacy-rounded-normal.md. */
#include "privacy-rounded-normal.h"

#include <math.h>

#include "base-draws.h"
#include "base-whole.h"

enum {
  CELLS = DPT_NORMAL_CELLS,
  OTHERS = CELLS,      /* the entry of all further cells */
  NOWHERE = CELLS + 1, /* the entry of points beyond all ranges */
  CELL_BITS = 3,       /* 8 cells per unit */
  DENSITY = 128,       /* exp(-x^2/2) = exp(-(c + y)^2/DENSITY) */
  HEAD_BITS = 16,      /* of a point */
  TAIL_BITS = 64 - HEAD_BITS,
  DOUBLE_DIGITS = 53,
  WIDE_PLACES = 64,
  WIDE_CELLS = 1024
};

static const uint64_t UNIT_LENGTH = UINT64_C(3) << 59; /* points of cell 0. All ranges end below 0.99 2^64. */
static const double LEAST_SCALE = 0x1p-30;
static const int64_t MOST_SIZE = INT64_C(1) << 62;

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

/* Numbers from 0 to 1 as multiples of 2^-64, below and above. */
typedef struct {
  uint64_t low, high;
} bounds;

static bounds multiply(bounds a, bounds b) {
  const dpt_wide low = (dpt_wide) a.low * b.low, high = (dpt_wide) a.high * b.high;
  return (bounds){(uint64_t) (low >> 64), (uint64_t) ((high + UINT64_MAX) >> 64)};
}

/* Bounds of exp(-1/128). Term i of the series is 2^96/(128^i i!), rounded down. Terms from TERMS on have a sum below
 * one unit of 2^-96. */
static bounds exp_of_step(void) {
  enum { TERMS = 12, MORE_BITS = 32 };
  dpt_wide term = (dpt_wide) 1 << (64 + MORE_BITS), even = 0, odd = 0;
  for (unsigned i = 0; i < TERMS; term /= DENSITY * ++i) {
    if (i % 2) {
      odd += term;
    } else {
      even += term;
    }
  }
  const dpt_wide sum = even - odd; /* off by less than TERMS */
  return (bounds){(uint64_t) ((sum - TERMS) >> MORE_BITS), (uint64_t) ((sum + TERMS) >> MORE_BITS) + 1};
}

void dpt_rounded_normal_open(dpt_ctx *ctx, dpt_rounded_normal *sampler, uint64_t doubt) {
  *sampler = (dpt_rounded_normal){0};
  dpt_long_set(ctx, &sampler->one, 1);
  const bounds step = exp_of_step(), square = multiply(step, step);
  bounds length = {UNIT_LENGTH, UNIT_LENGTH}, ratio = step; /* of cell c: exp(-(2 c + 1)/128) */
  uint64_t first = 0;
  for (int c = 0; c < CELLS; c++) {
    sampler->first[c] = first;
    sampler->sure[c] = first + (length.low > doubt ? length.low - doubt : 0);
    first += length.high;
    length = multiply(length, ratio);
    ratio = multiply(ratio, square);
  }
  sampler->first[OTHERS] = sampler->sure[OTHERS] = first;
  sampler->first[NOWHERE] = sampler->sure[NOWHERE] = first + 1;
  int entry = 0;
  for (uint64_t slot = 0; slot < DPT_NORMAL_SLOTS; slot++) {
    while (entry < NOWHERE && sampler->first[entry + 1] <= slot << 56) entry++;
    sampler->entry[slot] = (uint8_t) entry;
  }
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void multiply_by(dpt_ctx *ctx, dpt_rounded_normal *own, dpt_long *x, const dpt_long *factor) {
  dpt_long_multiply(ctx, &own->product, x, factor);
  const dpt_long kept = *x;
  *x = own->product;
  own->product = kept;
}

/* With U uniform and its bits drawn as needed, compares (point + U) exp(x) with 3 2^(59 + shift), x = cell^2/128. The
 * first n terms of the series of exp(x) have the sum S and the last term t, and exp(x) <= S + t from n = 2 x on. All
 * are multiplied by 128^n n!. */
bool dpt_rounded_normal_coin(dpt_ctx *ctx, dpt_rounded_normal *own, uint64_t point, uint64_t cell, int64_t shift) {
  enum { TERMS_AT_ONCE = 24, BITS_AT_ONCE = 64 };
  dpt_long square = {0}, term = {0}, sum = {0}, unit = {0}, factor = {0}, uniform = {0}, word = {0}, a = {0}, b = {0};
  dpt_long_set(ctx, &word, cell);
  dpt_long_multiply(ctx, &square, &word, &word);
  dpt_long_set(ctx, &term, 1);
  dpt_long_set(ctx, &sum, 1);
  dpt_long_set(ctx, &unit, UNIT_LENGTH);
  dpt_long_shift(ctx, &unit, shift);
  dpt_long_set(ctx, &uniform, point);
  uint64_t n = 0;
  dpt_long enough = {0}; /* 2 x = square / 64 */
  dpt_long_copy(ctx, &enough, &square);
  dpt_long_shift(ctx, &enough, -6);
  for (;;) {
    bool is_bound = false;
    for (int i = 0; i < TERMS_AT_ONCE || !is_bound; i++) {
      n++;
      dpt_long_set(ctx, &factor, DENSITY * n);
      multiply_by(ctx, own, &term, &square);
      multiply_by(ctx, own, &sum, &factor);
      dpt_long_add(ctx, &sum, &term);
      multiply_by(ctx, own, &unit, &factor);
      dpt_long_set(ctx, &factor, n);
      is_bound = dpt_long_compare(&factor, &enough) >= 0;
    }
    dpt_long_multiply(ctx, &a, &uniform, &sum);
    if (dpt_long_compare(&a, &unit) >= 0) return false;
    dpt_long_copy(ctx, &a, &uniform);
    dpt_long_add(ctx, &a, &own->one);
    dpt_long_copy(ctx, &b, &sum);
    dpt_long_add(ctx, &b, &term);
    multiply_by(ctx, own, &a, &b);
    if (dpt_long_compare(&a, &unit) <= 0) return true;
    dpt_long_set(ctx, &word, dpt_draw_bits(ctx));
    dpt_long_shift(ctx, &uniform, BITS_AT_ONCE);
    dpt_long_add(ctx, &uniform, &word);
    dpt_long_shift(ctx, &unit, BITS_AT_ONCE);
    dpt_tick(ctx, 100000);
  }
}

static int entry_of(const dpt_rounded_normal *own, int entry, uint64_t point) {
  while (entry < NOWHERE && own->first[entry + 1] <= point) entry++;
  return entry;
}

uint64_t dpt_rounded_normal_cell(dpt_ctx *ctx, dpt_rounded_normal *own) {
  for (;;) {
    const uint64_t head = dpt_draw_below(ctx, UINT64_C(1) << HEAD_BITS), lowest = head << TAIL_BITS;
    int entry = entry_of(own, own->entry[head >> (HEAD_BITS - 8)], lowest);
    if ((lowest | (UINT64_MAX >> HEAD_BITS)) < own->sure[entry]) return (uint64_t) entry;
    const uint64_t point = lowest | dpt_draw_below(ctx, UINT64_C(1) << TAIL_BITS);
    entry = entry_of(own, entry, point);
    if (point < own->sure[entry]) return (uint64_t) entry;
    if (entry == NOWHERE) continue;
    /* one of the other cells, with probabilities 1/2, 1/4, ... */
    uint64_t cell = (uint64_t) entry, heads = 0;
    if (entry == OTHERS) {
      while (dpt_draw_bit(ctx)) heads++;
      cell += heads++;
    }
    if (dpt_rounded_normal_coin(ctx, own, point - own->first[entry], cell, (int64_t) heads)) return cell;
  }
}

/* ---- fractions --------------------------------------------------------------------------------------------------- */

/* True with probability exp(-y (2 cell + y)/bound). */
static bool fraction_coin(dpt_ctx *ctx, dpt_rounded_normal *own, uint64_t cell, uint64_t bound) {
  dpt_variate *last = &own->y, *next = &own->source.a, *other = &own->source.b;
  for (bool even = true;; even = !even) {
    const uint64_t f = dpt_draw_below(ctx, bound);
    if (f > 2 * cell || !dpt_variate_draw_below(ctx, &own->source, next, last)) return even;
    if (f == 2 * cell && !dpt_variate_draw_below(ctx, &own->source, &own->source.c, &own->y)) return even;
    last = next;
    next = other;
    other = last;
  }
}

void dpt_rounded_normal_variate(dpt_ctx *ctx, dpt_rounded_normal *own) {
  for (;;) {
    const uint64_t cell = dpt_rounded_normal_cell(ctx, own), coins = cell / (DENSITY / 2) + 1;
    own->y.whole = cell;
    own->y.count = 0;
    uint64_t kept = 0;
    while (kept < coins && fraction_coin(ctx, own, cell, DENSITY * coins)) kept++;
    if (kept == coins) return;
  }
}

/* ---- rounding ---------------------------------------------------------------------------------------------------- */

static int64_t clamped(const dpt_long *x) {
  if (dpt_long_length(x) > 62) return MOST_SIZE;
  return x->count ? (int64_t) x->limb[0] : 0;
}

/* The scale is m 2^(e - 53). With X = floor(2^places (cell + y)), the number scale (cell + y)/8 + 1/2 is at least (m X +
 * half)/2^down and below (m (X + 1) + half)/2^down. */
bool dpt_rounded_normal_round(dpt_ctx *ctx, dpt_rounded_normal *own, double scale, int64_t places, bool wide,
                              int64_t *size) {
  int e;
  const uint64_t m = (uint64_t) ldexp(frexp(fmax(scale, LEAST_SCALE), &e), DOUBLE_DIGITS);
  const int64_t down = places + CELL_BITS + DOUBLE_DIGITS - e;
  dpt_variate *const y = &own->y;
  if (wide && places <= WIDE_PLACES && down < 128 && y->whole < WIDE_CELLS) {
    dpt_wide x = y->whole;
    for (int64_t done = 0; done < places; done += DPT_VARIATE_LIMB)
      x = x << DPT_VARIATE_LIMB | dpt_variate_limb(ctx, &own->source, y, done / DPT_VARIATE_LIMB);
    if (places % DPT_VARIATE_LIMB) x >>= DPT_VARIATE_LIMB - places % DPT_VARIATE_LIMB;
    const dpt_wide low = m * x + ((dpt_wide) 1 << (down - 1)), high = low + m - 1;
    *size = (int64_t) (low >> down);
    return low >> down == high >> down;
  }
  dpt_variate_floor(ctx, &own->source, y, places, &own->factor);
  dpt_long_set(ctx, &own->high, m);
  dpt_long_multiply(ctx, &own->low, &own->factor, &own->high);
  dpt_long_copy(ctx, &own->factor, &own->one);
  dpt_long_shift(ctx, &own->factor, down - 1);
  dpt_long_add(ctx, &own->low, &own->factor);
  dpt_long_add(ctx, &own->high, &own->low);
  dpt_long_subtract(&own->high, &own->one);
  dpt_long_shift(ctx, &own->low, -down);
  dpt_long_shift(ctx, &own->high, -down);
  *size = clamped(&own->low);
  return dpt_long_compare(&own->low, &own->high) == 0;
}

int64_t dpt_draw_rounded_normal(dpt_ctx *ctx, dpt_rounded_normal *own, double scale) {
  dpt_rounded_normal_variate(ctx, own);
  const bool negative = dpt_draw_bit(ctx);
  /* enough bits for an interval that is shorter than 1/4 */
  int64_t places = DPT_VARIATE_LIMB, size;
  for (double range = scale; range > 0x1p15; range *= 0x1p-16) places += DPT_VARIATE_LIMB;
  while (!dpt_rounded_normal_round(ctx, own, scale, places, true, &size)) places += DPT_VARIATE_LIMB;
  return negative ? -size : size;
}

/* Noise is clamped at 2^62, which is more than 2^61 away from all values. So the clamped sum is a function of the sum
 * with the noise itself. */
int64_t dpt_add_rounded_normal(dpt_ctx *ctx, dpt_rounded_normal *sampler, double scale, int64_t value) {
  const int64_t most = INT64_C(1) << 61;
  const int64_t sum = value + dpt_draw_rounded_normal(ctx, sampler, scale);
  return sum > most ? most : (sum < -most ? -most : sum);
}
