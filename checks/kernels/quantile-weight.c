/* quantile-weight - dpt_rank_weight() reads a weight of the table for every target and all counts of rows that callers
 * may have, and a distance of at most one row is at most `unit` entries further: for a row that comes before or after
 * the cell, the two places in the table differ by at most `unit`.
 *
 * flags: --unwind 6
 * each: -DUNIT=1 -DUNIT=2 -DUNIT=64
 * mutant: s/if (k < 0) k = 0;/if (k < -1) k = 0;/
 * mutant: s/k < weights->last ? k : weights->last/k <= weights->last ? k : weights->last + 1/
 */
#include "checked.h"
#include "number-quantile.h"

enum { LAST = 4 };

/* weight[k] = 100 - k, so that a weight names its place */
static uint64_t weight[LAST + 1] = {100, 99, 98, 97, 96};

int main(void) {
  const dpt_rank_weights weights = {any_from(0, LAST), weight};
  const int64_t unit = UNIT, rows = INT64_C(1) << 52;
  const dpt_rank_target target = {unit, any_from(-unit, unit * rows), any_from(-unit, unit * rows)};
  given(target.to <= target.from && target.from - target.to <= unit);
  const int64_t below = any_from(0, rows - 1), upto = any_from(below, rows - 1);
  const int64_t more = any_from(0, 1), before = more ? any_from(0, 1) : 0;
  const uint64_t one = dpt_rank_weight(&weights, &target, below, upto);
  const uint64_t other = dpt_rank_weight(&weights, &target, below + before, upto + more);
  assert(one <= 100 && one >= 100 - (uint64_t) weights.last);
  const int64_t moved = (int64_t) one - (int64_t) other;
  assert(moved <= unit && moved >= -unit);
  if (target.from <= unit * upto && target.to >= unit * below) assert(one == 100);
  return 0;
}
