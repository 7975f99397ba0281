/* long-shift - x 2^left, rounded down, for numbers of up to 2 limbs and one shift a run.
 *
 * flags: --unwind 6
 * each: -DLEFT=0 -DLEFT=1 -DLEFT=63 -DLEFT=64 -DLEFT=100 -DLEFT=128
 * each: -DLEFT=-1 -DLEFT=-63 -DLEFT=-64 -DLEFT=-65 -DLEFT=-190
 * mutant: s/x->limb\[i + limbs + 1\] |= (uint64_t) (both >> LIMB);/x->limb[i + limbs + 1] = (uint64_t) (both >> LIMB);/
 * mutant: s/if (i + limbs + 1 < x->count) both/if (i + limbs + 2 < x->count) both/
 */
#include "checked.h"
#include "base-long.c"
#include "checked-long.h"

int main(void) {
  dpt_long x = nondet_bool() ? any_long(0, 2) : any_long(0, 1);
  const u256 x0 = value(&x);
  dpt_long_shift(NULL, &x, LEFT);
  assert(value(&x) == (LEFT < 0 ? x0 >> (LEFT < 0 ? -(LEFT) : 0) : x0 << (LEFT < 0 ? 0 : LEFT)));
  assert(is_trimmed(&x));
  return 0;
}
