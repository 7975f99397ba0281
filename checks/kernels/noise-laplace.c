/* noise-laplace - dpt_draw_discrete_laplace() for every scale and every outcome of the coins: nothing overflows, t >
 * 0, the ratio of the coin is below one, and the number is below 2^62. Scales have at most 24 digits and are at most
 * 2^40, or are a power of two up to 2^41, the envelope of a Gaussian. One exponent a run: the least, the largest, and
 * some between. Rounds are independent, so one is every round.
 *
 * flags: --unwind 2 --no-unwinding-assertions --unsigned-overflow-check --slice-formula
 * each: -DEXPONENT=-53 -DEXPONENT=-30 -DEXPONENT=-1 -DEXPONENT=0 -DEXPONENT=17 -DEXPONENT=20 -DEXPONENT=41
 * replace: dpt_draw_bernoulli_exp_ratio coin_of_exp
 * replace: whole_units any_units
 * mutant: s/return negative ? -size : size;/return negative ? -size - 1 : size;/
 * mutant: s/u + t \* whole_units(ctx)/(u + t * whole_units(ctx)) << 2/
 */
#include "checked.h"
#include "privacy-noise.c"

NOTHING_FAILS

static uint64_t below_bound, units, bound;

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t below) {
  assert(below > 0);
  below_bound = nondet_u64();
  given(below_bound < below);
  bound = below;
  return below_bound;
}

bool dpt_draw_bit(dpt_ctx *ctx) { return nondet_bool(); }

bool coin_of_exp(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  assert(above < below && below >> 127 == 0);
  return nondet_bool();
}

uint64_t any_units(dpt_ctx *ctx) { return units = (uint64_t) any_from(0, IMPOSSIBLE_BEYOND); }

int main(void) {
  const dpt_dyadic scale = {nondet_u64(), EXPONENT};
  given(scale.mantissa & 1 && scale.mantissa >> DPT_NOISE_SCALE_BITS == 0);
  given(scale.exponent >= DPT_NOISE_LEAST_EXPONENT - DPT_NOISE_SCALE_BITS + 1 && scale.exponent <= 41);
  given(scale.mantissa == 1 || scale.exponent <= 0 || scale.mantissa << scale.exponent <= UINT64_C(1) << 40);
  const int64_t y = dpt_draw_discrete_laplace(NULL, scale);
  assert(y < INT64_C(1) << 62 && y > -(INT64_C(1) << 62));
  assert(bound == (scale.exponent > 0 ? scale.mantissa << scale.exponent : scale.mantissa));
#ifdef EXACT
  const uint64_t size = (below_bound + bound * units) >> (scale.exponent < 0 ? -scale.exponent : 0);
  assert((uint64_t) (y < 0 ? -y : y) == size);
#endif
  return 0;
}
