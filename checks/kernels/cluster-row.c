/* cluster-row - dpt_lattice_row() for every double x and every box, finite or not: -2^bits <= q <= 2^bits, and NaN is
 * in the middle.
 *
 * flags: --unwind 3 --conversion-check
 * mutant: s/floor(place \* unit + 0.5)/floor(place * unit + 1.5)/
 * mutant: s/\(place == place ? dpt_lattice_within(place, -1, 1) :\) 0;/\1 -1;/
 */
#include "checked.h"
#include "cluster-lattice.c"

NOTHING_FAILS

int main(void) {
  const double x = nondet_double(), lower = nondet_double(), upper = nondet_double();
  const dpt_lattice lattice = {1, (int) any_from(1, DPT_LATTICE_MAX_BITS), &lower, &upper};
  int64_t q;
  dpt_lattice_row(&lattice, &x, 1, 0, &q);
  assert(q >= -(INT64_C(1) << lattice.bits) && q <= INT64_C(1) << lattice.bits);
  if (x != x) assert(q == 0);
  return 0;
}
