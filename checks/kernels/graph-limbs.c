/* graph-limbs - sums, differences, comparisons, and quotients of numbers of 448 bits are those of numbers of 512 bits,
 * for all limbs, one divisor a run. from_dyadic() stays within its limbs and is rounded in the right direction for
 * every mantissa and every exponent that exp_minus() hands to it.
 *
 * flags: --unwind 66
 * each: -DWHAT=0 -DWHAT=1 -DWHAT=2 -DWHAT=3,-DDIVISOR=1 -DWHAT=3,-DDIVISOR=2 -DWHAT=3,-DDIVISOR=80 -DWHAT=4
 * mutant: s/return up \&\& rest ? add_unit(a) : a;/return rest ? add_unit(a) : a;/
 * mutant: s/int place = bit + exponent + 32 \* POINT;/int place = bit + exponent + 33 * POINT;/
 * mutant: s/if (++a.limb\[i\]) break;/if (++a.limb[i] != 1) break;/
 */
#include "checked.h"
#include "graph-coin.c"

#ifndef DIVISOR
#define DIVISOR 1
#endif

static fixed any_fixed(void) {
  fixed x;
  for (int i = 0; i < LIMBS; i++) x.limb[i] = (uint32_t) nondet_u64();
  return x;
}

static u512 value(const fixed *x) {
  u512 sum = 0;
  for (int i = LIMBS - 1; i >= 0; i--) sum = sum << 32 | x->limb[i];
  return sum;
}

int main(void) {
  const fixed a = any_fixed(), b = any_fixed();
  const u512 A = value(&a), B = value(&b);
  const bool up = nondet_bool();
  if (WHAT == 0) {
    given((A + B) >> 448 == 0);
    const fixed sum = add(a, &b);
    assert(value(&sum) == A + B);
  } else if (WHAT == 1) {
    given(A >= B);
    const fixed difference = subtract(a, &b);
    assert(value(&difference) == A - B);
  } else if (WHAT == 2) {
    const int way = compare(&a, &b);
    assert((way < 0) == (A < B) && (way == 0) == (A == B));
  } else if (WHAT == 3) {
    const fixed quotient = divide(a, DIVISOR, up);
    const u512 product = value(&quotient) * DIVISOR, slack = DIVISOR - 1;
    if (up) assert(product >= A && product <= A + slack);
    else assert(product <= A && product + slack >= A);
  } else {
    const uint64_t mantissa = nondet_u64();
    const int exponent = (int) any_from(-1200, -53), place = exponent + 32 * POINT; /* at most 1/2 */
    given(mantissa >> 53 == 0);
    const fixed x = from_dyadic(mantissa, exponent, up);
    const u512 X = value(&x);
    if (place >= 0) assert(X == (u512) mantissa << place);
    else if (place > -64) assert(X == ((u512) mantissa + (up ? ((u512) 1 << -place) - 1 : 0)) >> -place);
    else assert(X == (up && mantissa));
  }
  return 0;
}
