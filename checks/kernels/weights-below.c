/* weights-below - is_below() is the exact comparison left 2^shift <= right E' 2^-62, for all mantissas in [H, 2H],
 * 2^58 <= H <= 2^59, all 2^62 <= E' < 2^63, and shifts from -60 to 60.
 *
 * The product of right and E' is at least H 2^62 and below H 2^64, since a product grows with its factors. The solver
 * is told so: it does not see it in minutes.
 *
 * flags: --unwind 3 --bitwuzla
 * mutant: s/if (shift >= 2) return false;/if (shift >= 1) return false;/
 * mutant: s/scaled <= product << -shift/scaled < product << -shift/
 */
#include "checked.h"
#include "diagram-lattice-weights.c"

NOTHING_FAILS

int main(void) {
  const uint64_t left = nondet_u64(), right = nondet_u64(), half = nondet_u64(), factor = nondet_u64();
  const int64_t shift = any_from(-60, 60);
  given(half >= UINT64_C(1) << 58 && half <= UINT64_C(1) << 59);
  given(left >= half && left <= 2 * half && right >= half && right <= 2 * half && factor >> 62 == 1);
  const u256 a = (u256) left << 62, b = (u128) right * factor;
  given(b >= (u256) half << 62 && b < (u256) half << 64);
  const bool exact = shift >= 0 ? a << shift <= b : a <= b << -shift;
  assert(is_below(left, right, factor, shift) == exact);
  return 0;
}
