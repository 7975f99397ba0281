/* weights-draw - dpt_weights_draw() for every table of up to 3 knots that falls and halves, strides 1 to 4, every u <
 * v within one halving, and every draw: u <= s < v, and V(s) >= target > V(s + 1).
 *
 * flags: --unwind 6
 * each: -DKNOTS=1 -DKNOTS=2 -DKNOTS=3
 * mutant: s/(w->knot\[middle\] \* stride >= target)/(w->knot[middle] * stride > target)/
 * mutant: s/if (stride == 1) return start + low;/if (stride <= 2) return start + low;/
 */
#include "checked.h"
#include "diagram-lattice-weights.c"

NOTHING_FAILS

static uint64_t drawn;

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) {
  assert(bound > 0);
  drawn = nondet_u64();
  given(drawn < bound);
  return drawn;
}

int main(void) {
  uint64_t knot[KNOTS + 1];
  for (int i = 0; i <= KNOTS; i++) knot[i] = (uint64_t) any_from(0, 255);
  for (int i = 0; i < KNOTS; i++) given(knot[i] > knot[i + 1]);
  given(knot[0] == 2 * knot[KNOTS]);
  const int64_t stride = any_from(1, 4);
  const dpt_weights w = {KNOTS, stride, KNOTS * stride, knot};
  const int64_t start = 3 * w.period, u = any_from(start, start + w.period - 1), v = any_from(u + 1, start + w.period);
  const uint64_t top = weight_within(&w, u - start);
  const int64_t s = dpt_weights_draw(NULL, &w, u, v);
  const uint64_t target = top - drawn;
  assert(s >= u && s < v);
  assert(weight_within(&w, s - start) >= target && target > weight_within(&w, s + 1 - start));
  return 0;
}
