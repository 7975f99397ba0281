/* whole-round - round_up() for every number below 2^125 and 1 to 62 digits: the least m 2^shift that is not below it,
 * m of at most `digits` digits or a power of two.
 *
 * flags: --unwind 3
 * mutant: s/length > r->digits ? length - r->digits : 0/length >= r->digits ? length - r->digits : 1/
 * mutant: s/(exact + (unit - 1)) >> \*shift/exact >> *shift/
 */
#include "checked.h"
#include "base-whole.c"

NOTHING_FAILS

bool dpt_draw_bit(dpt_ctx *ctx) { return nondet_bool(); }

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) { return (uint64_t) any_from(0, (int64_t) bound - 1); }

int main(void) {
  const dpt_rounding rounding = {.digits = (int) any_from(1, 62)};
  const u128 exact = any_u128();
  given(exact >> 125 == 0);
  int shift;
  const uint64_t m = round_up(&rounding, exact, &shift);
  assert(shift >= 0 && shift <= 124 && m <= UINT64_C(1) << rounding.digits);
  const u256 rounded = (u256) m << shift, unit = (u256) 1 << shift;
  assert(rounded >= exact && rounded - exact < unit);
  if (shift > 0) assert(m >= UINT64_C(1) << (rounding.digits - 1));
  return 0;
}
