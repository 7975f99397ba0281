/* long-add - sums, differences, doubles, and comparisons of two numbers of up to 2 limbs, as of numbers of 256 bits.
 * Where there is room, no limb is written beyond it.
 *
 * flags: --unwind 6
 * each: -DX=0 -DX=1 -DX=2
 * mutant: s/if (i < a->count) carry += a->limb\[i\];/if (i + 1 < a->count || i == 0) carry += a->limb[i];/
 * mutant: s/borrow = (uint64_t) (left >> LIMB) & 1;/borrow = 0 * left;/
 * mutant: s/return a->limb\[i\] < b->limb\[i\] ? -1 : 1;/return a->limb[0] < b->limb[0] ? -1 : 1;/
 */
#include "checked.h"
#include "base-long.c"
#include "checked-long.h"

int main(void) {
  dpt_long x = any_long(0, X), a = nondet_bool() ? any_long(1, 2) : any_long(1, 1);
  const u256 x0 = value(&x), a0 = value(&a);
  const int way = dpt_long_compare(&x, &a);
  assert((way < 0) == (x0 < a0) && (way > 0) == (x0 > a0));
  switch (nondet_int()) {
  case 0:
    dpt_long_add(NULL, &x, &a);
    assert(value(&x) == x0 + a0);
    break;
  case 1:
    dpt_long_add(NULL, &x, &x);
    assert(value(&x) == x0 + x0);
    break;
  case 2:
    given(x0 >= a0);
    dpt_long_subtract(&x, &a);
    assert(value(&x) == x0 - a0);
  }
  assert(is_trimmed(&x));
  return 0;
}
