/* lattice-staircase - the staircase of up to 2 points, for every bound up to 4, all births and deaths, and every tau:
 * its count is that of a double loop over the definition, dpt_lattice_staircase_contains() is that definition, and
 * each draw is a place of it.
 *
 * flags: --unwind 7
 * each: -DPOINTS=1 -DPOINTS=2
 * mutant: s/return (most - least) \* (most + least + 1) \/ 2;/return (most - least) * (most + least) \/ 2;/
 * mutant: s/(piece){larger(s->birth\[f.first\], h)/(piece){s->birth[f.first]/
 * mutant: s/row = most - least - 1 - row;/row = most - least - row;/
 */
#include "checked.h"
#include "diagram-lattice-staircase.c"

NOTHING_FAILS

enum { MOST = 4 };

static int64_t birth[POINTS], death[POINTS];

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) {
  const uint64_t x = nondet_u64();
  assert(bound > 0);
  given(x < bound);
  return x;
}

ptrdiff_t dpt_last_up_to(const uint64_t *total, ptrdiff_t first, ptrdiff_t last, uint64_t x) {
  while (first < last && total[first + 1] <= x) first++;
  return first;
}

/* Whether (x, y) is within tau / 2 of a subinterval of a point's, above the band and in the triangle. */
static bool opened(int64_t x, int64_t y, int64_t bound, int64_t tau) {
  const int64_t h = tau / 2;
  bool found = false;
  for (int j = 0; j < POINTS; j++) found |= birth[j] < death[j] && birth[j] <= x + h && y - h <= death[j];
  return found && y - x > tau && x >= 0 && y <= bound;
}

int main(void) {
  const int64_t bound = any_from(1, MOST), tau = any_from(0, MOST);
  bool skip[POINTS];
  for (int j = 0; j < POINTS; j++) {
    birth[j] = any_from(j ? birth[j - 1] : 0, bound);
    death[j] = any_from(birth[j], bound);
    skip[j] = false;
  }
  const dpt_lattice_staircase s = dpt_lattice_staircase_build(NULL, birth, death, skip, POINTS);
  uint64_t places = 0;
  for (int64_t x = 0; x <= MOST; x++)
    for (int64_t y = x; y <= MOST; y++) places += opened(x, y, bound, tau);
  assert(dpt_lattice_staircase_count(&s, bound, tau) == places);

  const int64_t x = any_from(0, bound), y = any_from(x, bound);
  if (y - x > tau) assert(dpt_lattice_staircase_contains(&s, tau, x, y) == opened(x, y, bound, tau));
  if (places > 0) {
    int64_t from, to;
    dpt_lattice_staircase_draw(NULL, &s, bound, tau, &from, &to);
    assert(opened(from, to, bound, tau));
  }
  return 0;
}
