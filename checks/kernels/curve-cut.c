/* curve-cut - dpt_curve_cut() for every double, NaN and infinite ones too, every radius, and curves of 2 numbers: the
 * vector is of integers from 0 to 2^bits, the sum of its squares is at most 4^bits, and a curve that is not too long
 * is not shortened. root_up() is used as the least integer whose square is not below, which holds for every sqrt().
 *
 * flags: --unwind 4 --conversion-check -DBITS=4
 * replace: root_up exact_root
 * mutant: s/r > most ? w\[j\] \* most \/ r : w\[j\]/r > most + 1 ? w[j] * most \/ r : w[j]/
 * mutant: s/if (!(value > 0 \&\& isfinite(value))) return 0;/if (value < 0) return 0;/
 */
#include "checked.h"
#include "diagram-curve.c"

NOTHING_FAILS

enum { SIZE = 2 };

int64_t exact_root(int64_t s) {
  const int64_t r = any_from(0, INT64_C(1) << 12);
  given(r * r >= s && (r == 0 || (r - 1) * (r - 1) < s));
  return r;
}

int main(void) {
  double curve[SIZE], cut[SIZE];
  for (int j = 0; j < SIZE; j++) curve[j] = nondet_double();
  const double radius = nondet_double();
  given(radius >= 0x1p-100 && radius <= 0x1p100);
  dpt_curve_cut(NULL, curve, 1, SIZE, radius, BITS, cut);
  int64_t square = 0;
  for (int j = 0; j < SIZE; j++) {
    assert(cut[j] >= 0 && cut[j] <= (double) (1 << BITS) && cut[j] == (double) (int64_t) cut[j]);
    square += (int64_t) cut[j] * (int64_t) cut[j];
  }
  assert(square <= INT64_C(1) << (2 * BITS));
  return 0;
}
