/* base-whole.c - coins of rational probability, products rounded up, and positions in running totals, in integers.
 *
 * Coin: compares the binary digits of the ratio, by doubling the rest, with random bits until they differ (Knuth and
 * Yao 1976). If the ratio is within 1/16 of one, its next four digits are ones, and four bits are drawn at a time.
 * The corrections of rounding here have such ratios, and one comparison decides in fifteen of sixteen cases. 2 to
 * 4.3 bits per coin.
 *
 * A rounded product has at most 62 digits, so an exact product of two has at most 124. The rounded product is below
 * the exact one plus one unit of its last place, so it has at most 125. Nothing here divides.
 *
 * Rejected: correcting all roundings of a weight with one coin, which needs the exact product, of thousands of
 * digits. */
#include "base-whole.h"

#include <math.h>

#include "base-draws.h"

enum { CHUNK = 4 };

bool dpt_coin(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  if (above > below)
    dpt_escape(ctx, DPT_ERROR_ARGUMENT, "a ratio of the sampler is above one: this is a fault of the package");
  for (;;) {
    dpt_wide rest = below - above;
    if (rest == 0) return true;
    if (rest <= below >> CHUNK) {
      if (dpt_draw_below(ctx, 1 << CHUNK)) return true;
      above = below - (rest << CHUNK);
      continue;
    }
    above <<= 1;
    bool digit = above >= below;
    if (digit) above -= below;
    if (dpt_draw_bit(ctx) != digit) return digit;
    if (above == 0) return false;
  }
}

/* The smallest m 2^shift >= `exact` < 2^125, with m a number of at most `digits` digits or a power of two. */
static uint64_t round_up(const dpt_rounding *r, dpt_wide exact, int *shift) {
  int length = dpt_wide_length(exact);
  *shift = length > r->digits ? length - r->digits : 0;
  dpt_wide unit = (dpt_wide) 1 << *shift;
  return (uint64_t) ((exact + (unit - 1)) >> *shift);
}

bool dpt_scaled_multiply(dpt_ctx *coins, const dpt_rounding *r, dpt_scaled *product, dpt_scaled factor) {
  int shift;
  dpt_wide exact = (dpt_wide) product->m * factor.m;
  uint64_t m = round_up(r, exact, &shift);
  *product = (dpt_scaled){m, product->e + factor.e + shift};
  return !coins || r->careless || shift == 0 || dpt_coin(coins, exact, (dpt_wide) m << shift);
}

int64_t dpt_scaled_unit(const dpt_rounding *r, const dpt_scaled *weight, ptrdiff_t count) {
  int64_t top = INT64_MIN;
  for (ptrdiff_t i = 0; i < count; i++) {
    int64_t length = weight[i].e + dpt_bit_length(weight[i].m);
    if (weight[i].m && length > top) top = length;
  }
  if (top == INT64_MIN) return 0;
  /* Each is at most 2^digits units, and there are fewer than 2^(62 - digits) of them. */
  int digits = 62 - dpt_bit_length((uint64_t) count);
  return top - (digits < r->units ? digits : r->units);
}

uint64_t dpt_scaled_units(dpt_scaled a, int64_t unit) {
  if (a.m == 0) return 0;
  int64_t shift = unit - a.e;
  if (shift <= 0) return a.m << -shift;
  if (shift > 62) return 1; /* m <= 2^62 */
  return (a.m + ((UINT64_C(1) << shift) - 1)) >> shift;
}

bool dpt_scaled_units_coin(dpt_ctx *ctx, const dpt_rounding *r, dpt_scaled a, int64_t unit) {
  int64_t shift = unit - a.e;
  if (r->careless || shift <= 0) return true;
  for (; shift > 62; shift--)
    if (dpt_draw_bit(ctx)) return false;
  /* Beyond 62 the rest is m / 2^62, because one unit was given. */
  return dpt_coin(ctx, a.m, (dpt_wide) dpt_scaled_units(a, a.e + shift) << shift);
}

double dpt_scaled_log2(dpt_scaled a) { return log2((double) a.m) + (double) a.e; }

ptrdiff_t dpt_last_up_to(const uint64_t *total, ptrdiff_t first, ptrdiff_t last, uint64_t x) {
  while (first < last) {
    ptrdiff_t middle = first + (last - first + 1) / 2;
    if (total[middle] <= x) first = middle;
    else last = middle - 1;
  }
  return first;
}
