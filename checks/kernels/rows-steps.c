/* rows-steps - whole_steps() for every double x, NaN and infinite ones too, all whole first <= last of at most 2^52,
 * and the step STEP: the result is in 0 .. last - first.
 *
 * flags: --unwind 3 --conversion-check
 * each: -DSTEP=1.0 -DSTEP=0x1p-20 -DSTEP=0x1p30
 * mutant: s/(double) cut > place)/(double) cut >= place)/
 * mutant: s/double place = within(x, .* lattice->step)/double place = x/
 */
#include "checked.h"
#include "base-rows.c"

NOTHING_FAILS

int main(void) {
  const double x = nondet_double();
  const int64_t first = any_from(-(INT64_C(1) << 52), INT64_C(1) << 52), last = any_from(first, INT64_C(1) << 52);
  const dpt_row_lattice lattice = {STEP, (double) first, (double) last};
  const int64_t at = whole_steps(&lattice, x);
  assert(at >= 0 && at <= last - first);
  if (x <= (double) first * STEP) assert(at == 0);
  if (x >= (double) last * STEP) assert(at == last - first);
  return 0;
}
