/* choice-factor - half_epsilon() for every double from 0 to 1024: nothing overflows, and the result is epsilon / 2
 * with 112 binary places, rounded down. The loop of dpt_factor_below() is in Rocq (Factor.v).
 *
 * flags: --unwind 3 --bitwuzla
 * mutant: s/exponent - 53 - 1 + PLACES/exponent - 53 + PLACES/
 * mutant: s/return shift > -64 ? mantissa >> -shift : 0;/return shift > -64 ? (mantissa >> -shift) + 1 : 0;/
 */
#include "checked.h"
#include "privacy-choice.c"
#include "checked-math.h"

NOTHING_FAILS

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) { return 0; }

bool dpt_draw_bernoulli_exp_ratio(dpt_ctx *ctx, dpt_wide above, dpt_wide below) { return true; }

int main(void) {
  const double epsilon = nondet_double();
  given(epsilon >= 0 && epsilon <= 1024);
  const u128 x = half_epsilon(epsilon);
  assert(x <= (u128) 512 << PLACES);
  /* epsilon = m 2^e exactly, m of 53 digits: x 2^(1 - PLACES) <= m 2^e < (x + 1) 2^(1 - PLACES) */
  int exponent;
  const uint64_t m = (uint64_t) ldexp(frexp(epsilon, &exponent), 53);
  const int shift = exponent - 53 - 1 + PLACES;
  if (shift >= 0) assert(x == (u128) m << shift);
  else if (shift > -64) assert(x <= m >> -shift && x + 1 > m >> -shift);
  else assert(x == 0);
  return 0;
}
