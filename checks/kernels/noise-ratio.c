/* noise-ratio - bernoulli_ratio() for all 0 <= above <= below < 2^127: doubling does not overflow, the rest stays
 * below `below`, and after the last coin the interval of U lies wholly on the side of the answer (see whole-coin.c).
 * The loop has no limit, but each round begins in a state that is one of all, so one round from every state is every
 * round.
 *
 * flags: --unwind 2 --no-unwinding-assertions --unsigned-overflow-check
 * mutant: s/if (above == below) return true;/if (above == below) return false;/
 * mutant: s/if (digit) above -= below;/if (digit \&\& above > below) above -= below;/
 */
#include "checked.h"
#include "privacy-noise.c"

NOTHING_FAILS

static u256 low, one;
static int taken;

bool dpt_draw_bit(dpt_ctx *ctx) {
  const bool bit = nondet_bool();
  low = (low << 1) + (bit ? one : 0);
  taken++;
  return bit;
}

int main(void) {
  const u128 above = any_u128(), below = any_u128();
  given(below > 0 && below >> 127 == 0 && above <= below);
  one = below;
  const bool answer = bernoulli_ratio(NULL, above, below);
  assert(taken <= 2);
  if (above == below) assert(answer && taken == 0);
  else if (answer) assert(low + one <= (u256) above << taken);
  else assert(low >= (u256) above << taken);
  return 0;
}
