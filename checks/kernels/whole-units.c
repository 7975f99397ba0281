/* whole-units - up to 3 weights m 2^e, m <= 2^62, in their common unit: nothing overflows, none that is not zero is
 * lost, each is rounded up by less than a unit, and together they stay below 2^63.
 *
 * flags: --unwind 8 --unsigned-overflow-check
 * mutant: s/int digits = 62 - dpt_bit_length((uint64_t) count);/int digits = 64 - dpt_bit_length((uint64_t) count);/
 * mutant: s/if (shift > 62) return 1;/if (shift > 62) return 0;/
 */
#include "checked.h"
#include "base-whole.c"

NOTHING_FAILS

bool dpt_draw_bit(dpt_ctx *ctx) { return nondet_bool(); }

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) { return (uint64_t) any_from(0, (int64_t) bound - 1); }

enum { MOST = 3 };

int main(void) {
  const dpt_rounding rounding = {.digits = 62, .units = (int) any_from(1, 61)};
  const ptrdiff_t count = any_from(1, MOST);
  dpt_scaled weight[MOST];
  for (int i = 0; i < MOST; i++) {
    weight[i] = (dpt_scaled){nondet_u64(), any_from(-(INT64_C(1) << 40), INT64_C(1) << 40)};
    given(weight[i].m <= UINT64_C(1) << 62);
  }
  const int64_t unit = dpt_scaled_unit(&rounding, weight, count);
  u128 total = 0;
  for (int i = 0; i < count; i++) {
    const uint64_t units = dpt_scaled_units(weight[i], unit);
    const int64_t shift = unit - weight[i].e;
    assert((units > 0) == (weight[i].m > 0));
    if (shift > 0 && shift <= 62)
      assert((u128) units << shift >= weight[i].m && (units == 0 || (u128) (units - 1) << shift < weight[i].m));
    if (shift <= 0 && weight[i].m) assert(units >> -shift == weight[i].m);
    total += units;
  }
  assert(total >> 63 == 0);
  return 0;
}
