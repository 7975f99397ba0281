/* whole-units - dpt_scaled_units() for every weight m 2^e, m <= 2^62, in every unit in which it is at most 2^61:
 * nothing overflows, a weight that is not zero is not lost, and the result is the quotient rounded up.
 *
 * flags: --unwind 3 --unsigned-overflow-check
 * mutant: s/if (shift > 62) return 1;/if (shift > 62) return 0;/
 * mutant: s/return (a.m + ((UINT64_C(1) << shift) - 1)) >> shift;/return (a.m + (UINT64_C(1) << shift)) >> shift;/
 */
#include "checked.h"
#include "base-whole.c"

NOTHING_FAILS

bool dpt_draw_bit(dpt_ctx *ctx) { return nondet_bool(); }

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) { return (uint64_t) any_from(0, (int64_t) bound - 1); }

int main(void) {
  const int64_t far = INT64_C(1) << 40;
  const dpt_scaled weight = {nondet_u64(), any_from(-far, far)};
  const int64_t unit = any_from(-2 * far, 2 * far), shift = unit - weight.e;
  given(weight.m <= UINT64_C(1) << 62);
  given(weight.m == 0 || dpt_bit_length(weight.m) - shift <= 61); /* whole-unit.c */
  const uint64_t units = dpt_scaled_units(weight, unit);
  assert((units > 0) == (weight.m > 0) && units <= UINT64_C(1) << 61);
  if (shift <= 0) assert(weight.m == 0 || (-shift <= 61 && units >> -shift == weight.m));
  else if (shift > 62) assert(units == (weight.m > 0));
  else assert(units == (weight.m >> shift) + ((weight.m & ((UINT64_C(1) << shift) - 1)) > 0));
  return 0;
}
