/* whole-coin - dpt_coin() for all 0 <= above <= below < 2^125 decides on the right side: with U the number whose
 * binary digits are the coins, the interval in which U lies after the last coin is wholly below the ratio if the
 * answer is true, and wholly above it if not. The loop has no limit, but each round begins in a state that is one of
 * all, so one round from every state is every round.
 *
 * flags: --unwind 2 --no-unwinding-assertions --unsigned-overflow-check
 * mutant: s/if (digit) above -= below;/if (digit \&\& above > below) above -= below;/
 * mutant: s/above = below - (rest << CHUNK);/above = below - (rest << (CHUNK - 1));/
 */
#include "checked.h"
#include "base-whole.c"

NOTHING_FAILS

/* U lies in [low, low + one] / (one 2^taken), with `one` the value of below: at the start [0, below]. */
static u256 low, one;
static int taken;

bool dpt_draw_bit(dpt_ctx *ctx) {
  const bool bit = nondet_bool();
  low = (low << 1) + (bit ? one : 0);
  taken++;
  return bit;
}

/* Four digits. Zero says that all of them are below the ratio's, which are ones. */
uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) {
  const uint64_t digits = (uint64_t) any_from(0, 15);
  assert(bound == 16);
  low = (low << 4) + one * (15 - digits); /* the kernel counts from the top */
  taken += 4;
  return digits;
}

int main(void) {
  const u128 above = any_u128(), below = any_u128();
  given(below > 0 && below >> 125 == 0 && above <= below);
  one = below;
  const bool answer = dpt_coin(NULL, above, below);
  if (taken == 0) assert(answer && above == below);
  else if (answer) assert(low + one <= (u256) above << taken);
  else assert(low >= (u256) above << taken);
  return 0;
}
