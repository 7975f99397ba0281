/* base-whole.h - integers of 128 bits, coins of rational probability, products rounded up, and positions in running
 * totals. */
#ifndef DPT_BASE_WHOLE_H
#define DPT_BASE_WHOLE_H

#include "base-bits.h"
#include "base-context.h"

__extension__ typedef unsigned __int128 dpt_wide;

static inline int dpt_wide_length(dpt_wide x) {
  uint64_t high = (uint64_t) (x >> 64);
  return high ? 64 + dpt_bit_length(high) : dpt_bit_length((uint64_t) x);
}

/* True with probability above / below, exactly, for above <= below < 2^127 and below > 0. A ratio above one leaves
 * the kernel. It would mean that a bound of the caller is wrong, and a coin drawn anyway would bias silently. */
bool dpt_coin(dpt_ctx *ctx, dpt_wide above, dpt_wide below);

/* An upper bound of a product of integers: m 2^e, m <= 2^62. Multiplying rounds m up to `digits` binary digits. The
 * coin of this rounding succeeds with probability (exact product) / (rounded product). A draw with the rounded
 * weights, kept if all coins succeed, therefore has the exact weights. */
typedef struct {
  uint64_t m;
  int64_t e;
} dpt_scaled;

enum { DPT_SCALED_DIGITS = 62 };

typedef struct {
  int digits;    /* of a product: 1 .. DPT_SCALED_DIGITS, few only in tests */
  int units;     /* binary digits of the largest of several weights that are summed, 1 .. 61 */
  bool careless; /* skips the coins of roundings, which is wrong and for tests only */
} dpt_rounding;

/* product = product * factor, rounded up. If `coins` is not NULL, draws the coin of this rounding and returns its
 * outcome. */
bool dpt_scaled_multiply(dpt_ctx *coins, const dpt_rounding *rounding, dpt_scaled *product, dpt_scaled factor);

/* A common unit 2^unit for `count` weights, such that their sum is below 2^63 after each is rounded up to a multiple
 * of the unit. */
int64_t dpt_scaled_unit(const dpt_rounding *rounding, const dpt_scaled *weight, ptrdiff_t count);
uint64_t dpt_scaled_units(dpt_scaled a, int64_t unit);
bool dpt_scaled_units_coin(dpt_ctx *ctx, const dpt_rounding *rounding, dpt_scaled a, int64_t unit);

/* log2, rounded, for choices that do not affect correctness. */
double dpt_scaled_log2(dpt_scaled a);

/* The last position of first .. last whose total is at most x. Totals never fall, and the total at `first` is at
 * most x. */
ptrdiff_t dpt_last_up_to(const uint64_t *total, ptrdiff_t first, ptrdiff_t last, uint64_t x);

#endif
