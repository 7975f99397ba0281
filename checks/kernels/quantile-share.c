/* quantile-share - dpt_rank_of_share() for the numbers of rows, units, and fractions within the limits of callers, one
 * denominator a run: nothing overflows, and the middle is the fraction of the rows in units of 1 / unit rows, rounded.
 *
 * flags: --unwind 3 --unsigned-overflow-check
 * each: -DDENOMINATOR=2 -DDENOMINATOR=3 -DDENOMINATOR=1073741824
 * mutant: s/2 \* h \* a \* (dpt_wide) (uint64_t) rows + h \* q/2 * h * a * (dpt_wide) (uint64_t) rows - h * q/
 * mutant: s/ - unit \/ 2;/ - unit;/
 */
#include "checked.h"
#include "number-quantile.c"

NOTHING_FAILS

uint64_t dpt_draw_bits(dpt_ctx *ctx) { return nondet_u64(); }

int main(void) {
  const int64_t rows = any_from(0, INT64_C(1) << 52), unit = 2 * any_from(1, 32);
  const int64_t numerator = any_from(1, DENOMINATOR - 1);
  const dpt_rank_target target = dpt_rank_of_share((double) rows, numerator, DENOMINATOR, unit);
  assert(target.from == target.to && target.unit == unit);
  assert(target.from >= 0 && target.from <= unit * rows);
  /* floor(x + h / 2) - h / 2 with x = h a m / q */
  const s128 twice = 2 * (s128) unit * numerator * rows, middle = (s128) target.from;
  assert(2 * middle * DENOMINATOR <= twice && twice < 2 * (middle + 1) * DENOMINATOR);
  return 0;
}
