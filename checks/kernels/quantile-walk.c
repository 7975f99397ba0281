/* quantile-walk - dpt_rank_go_over() for runs of up to 2^53 cells, one weight a run, and totals below 2^115: nothing
 * overflows, a place that is found is a cell of the run, and a run that is passed takes its mass from what is left.
 *
 * flags: --unwind 3 --unsigned-overflow-check
 * each: -DWEIGHT=1 -DWEIGHT=3 -DWEIGHT=UINT64_C(0x4000000000000000)
 * mutant: s/if (walk->left < mass)/if (walk->left <= mass)/
 * mutant: s/walk->left -= mass;/walk->left -= mass - (mass > 0);/
 */
#include "checked.h"
#include "number-quantile.h"

int main(void) {
  const int64_t cells = any_from(0, INT64_C(1) << 53);
  const uint64_t weight = WEIGHT;
  dpt_rank_walk walk = {any_u128(), any_u128(), 0};
  const dpt_rank_walk before = walk;
  given(walk.total >> 115 == 0);
  const bool here = dpt_rank_go_over(&walk, (double) cells, weight);
  if (here) {
    assert(cells > 0 && walk.cell >= 0);
    assert(walk.left == before.left && walk.total == before.total);
  } else {
    assert(walk.cell == (double) cells);
    assert(walk.total >= before.total && before.left - walk.left == walk.total - before.total);
    assert(cells == 0 || walk.total > before.total);
  }
  return 0;
}
