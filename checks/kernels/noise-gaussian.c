/* noise-gaussian - dpt_draw_discrete_gaussian() for every scale from 2^-30 to 2^40, every Laplace draw of at most
 * (t - 1 + t 2^20) / s (privacy-noise.c), and every outcome of the coins: nothing overflows, and the ratio of the coin
 * has 126 digits above at most 97. The loop that gives the scale 24 digits is left out: scales have them here. Rounds
 * are independent, so one is every round. That the numbers are the right ones, the laws show (checks/laws).
 *
 * flags: --unwind 2 --no-unwinding-assertions --slice-formula
 * replace: dpt_draw_discrete_laplace any_laplace
 * replace: dpt_draw_bernoulli_exp_ratio coin_of_exp
 * mutant: s/2 \* DPT_NOISE_SCALE_BITS + 1)/2 * DPT_NOISE_SCALE_BITS + 40)/
 * mutant: s/if (distance >> 63) continue;/if (distance >> 63) return INT64_MIN;/
 * mutant: s/int shift = DPT_NOISE_SCALE_BITS - e;/int shift = 2 * DPT_NOISE_SCALE_BITS - 2 * e;/
 */
#include "checked.h"
#include "privacy-noise.c"

NOTHING_FAILS

static int64_t drawn;
static int exponent;
static bool thrown;

/* |y| <= (t - 1 + t 2^20) >> down */
int64_t any_laplace(dpt_ctx *ctx, dpt_dyadic scale) {
  assert(scale.mantissa == 1 && scale.exponent <= 41 && scale.exponent == exponent + DPT_NOISE_SCALE_BITS);
  const u128 t = scale.exponent > 0 ? (u128) 1 << scale.exponent : 1;
  const u128 most = (t - 1 + (t << 20)) >> (scale.exponent < 0 ? -scale.exponent : 0);
  drawn = nondet_s64();
  given(drawn > INT64_MIN && (u128) (drawn < 0 ? -drawn : drawn) <= most);
  return drawn;
}

bool coin_of_exp(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  assert(below > 0 && below >> 97 == 0);
  thrown = true;
  return true;
}

int main(void) {
  const dpt_dyadic scale = {nondet_u64(), exponent = nondet_int()};
  given(scale.mantissa >> (DPT_NOISE_SCALE_BITS - 1) == 1);
  given(exponent >= DPT_NOISE_LEAST_EXPONENT - DPT_NOISE_SCALE_BITS + 1 && exponent <= 17);
  given(exponent < 17 || scale.mantissa == UINT64_C(1) << (DPT_NOISE_SCALE_BITS - 1));
  const int64_t y = dpt_draw_discrete_gaussian(NULL, scale);
  assert(thrown && y == drawn);
  return 0;
}
