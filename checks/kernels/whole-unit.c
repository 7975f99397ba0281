/* whole-unit - dpt_scaled_unit() for up to 3 weights m 2^e, m <= 2^62: in this unit, each is at most 2^digits with
 * digits = 62 - (binary digits of their count), so that together they stay below 2^62. With whole-units.c: what is
 * rounded up to units is at most 2^digits too.
 *
 * flags: --unwind 5
 * mutant: s/int digits = 62 - dpt_bit_length((uint64_t) count);/int digits = 64 - dpt_bit_length((uint64_t) count);/
 * mutant: s/if (weight\[i\].m \&\& length > top) top = length;/if (weight[i].m \&\& i == 0) top = length;/
 */
#include "checked.h"
#include "base-whole.c"

NOTHING_FAILS

bool dpt_draw_bit(dpt_ctx *ctx) { return nondet_bool(); }

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) { return (uint64_t) any_from(0, (int64_t) bound - 1); }

enum { MOST = 3 };

int main(void) {
  const int64_t far = INT64_C(1) << 40;
  const dpt_rounding rounding = {.digits = 62, .units = (int) any_from(1, 61)};
  const ptrdiff_t count = any_from(1, MOST);
  dpt_scaled weight[MOST];
  for (int i = 0; i < MOST; i++) {
    weight[i] = (dpt_scaled){nondet_u64(), any_from(-far, far)};
    given(weight[i].m <= UINT64_C(1) << 62);
  }
  const int64_t unit = dpt_scaled_unit(&rounding, weight, count);
  const int digits = count == 1 ? 61 : 60; /* 1 2^61, 3 2^60 < 2^62 */
  bool largest = false;
  for (int i = 0; i < count; i++) {
    if (weight[i].m == 0) continue;
    const int64_t places = weight[i].e + dpt_bit_length(weight[i].m) - unit;
    assert(places <= digits && places <= rounding.units);
    largest |= places == digits || places == rounding.units;
  }
  for (int i = 0; i < count; i++) assert(largest || weight[i].m == 0);
  return 0;
}
