/* whole-coin - dpt_coin() for all 0 <= above <= below < 2^125 answers whether a uniform number U is below the ratio, and
 * nothing overflows. One round from every state, and the state after it.
 *
 * flags: --unwind 3 --no-unwinding-assertions --unsigned-overflow-check
 * mutant: s/if (digit) above -= below;/if (digit \&\& above > below) above -= below;/
 * mutant: s/above = below - (rest << CHUNK);/above = below - (rest << (CHUNK - 1));/
 * mutant: s/if (rest <= below >> CHUNK)/if (rest <= below >> (CHUNK - 1))/
 */
#include "checked.h"
#include "checked-coin.h"
#include "base-whole.c"

NOTHING_FAILS

int main(void) {
  const u128 part = any_u128(), whole = any_u128();
  given(whole > 0 && whole >> 125 == 0 && part <= whole);
  left = part;
  check_answer(dpt_coin(NULL, part, whole), whole);
  return 0;
}
