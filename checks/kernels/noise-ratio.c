/* noise-ratio - bernoulli_ratio() for all 0 <= above <= below < 2^127 answers whether a uniform number U is below the
 * ratio, and nothing overflows. One round from every state, and the state after it.
 *
 * flags: --unwind 2 --no-unwinding-assertions --unsigned-overflow-check
 * mutant: s/if (above == below) return true;/if (above == below) return false;/
 * mutant: s/if (digit) above -= below;/if (digit \&\& above > below) above -= below;/
 * mutant: s/if (dpt_draw_bit(ctx) != digit) return digit;/if (dpt_draw_bit(ctx) != digit) return !digit;/
 */
#include "checked.h"
#include "checked-coin.h"
#include "privacy-noise.c"

NOTHING_FAILS

int main(void) {
  const u128 part = any_u128(), whole = any_u128();
  given(whole > 0 && whole >> 127 == 0 && part <= whole);
  left = part;
  check_answer(bernoulli_ratio(NULL, part, whole), whole);
  return 0;
}
