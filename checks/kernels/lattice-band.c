/* lattice-band - the band {persistence <= tau} of the triangle 0 <= birth <= death <= bound, for every bound up to 6
 * and every tau: its count is that of a double loop, and each pair of numbers that can be drawn gives a place in it,
 * each place by as many pairs as any other (two).
 *
 * flags: --unwind 9
 * mutant: s/(uint64_t) (2 \* bound + 2 - tau) \/ 2/(uint64_t) (2 * bound + 1 - tau) \/ 2/
 * mutant: s/persistence = tau - persistence;/persistence = tau - persistence + 1;/
 * mutant: s/if (place > bound - persistence)/if (place >= bound - persistence)/
 */
#include "checked.h"
#include "diagram-lattice-squares.c"

NOTHING_FAILS

enum { MOST = 6 };

static uint64_t number[2];
static int asked;

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) {
  given(number[asked] < bound);
  return number[asked++];
}

int main(void) {
  const int64_t bound = any_from(0, MOST), tau = any_from(0, bound);
  uint64_t places = 0;
  for (int64_t birth = 0; birth <= MOST; birth++)
    for (int64_t death = birth; death <= MOST; death++) places += death <= bound && death - birth <= tau;
  assert(dpt_lattice_band_count(bound, tau) == places);

  /* Two pairs of numbers that give the same place: one of a row and one of the row that it is paired with, or equal. So
   * no more than two pairs give a place, and as there are twice as many pairs as places, exactly two do. */
  int64_t birth[3], death[3];
  uint64_t pair[3][2];
  for (int i = 0; i < 3; i++) {
    asked = 0;
    pair[i][0] = number[0] = nondet_u64();
    pair[i][1] = number[1] = nondet_u64();
    dpt_lattice_band_draw(NULL, bound, tau, &birth[i], &death[i]);
    assert(0 <= birth[i] && birth[i] <= death[i] && death[i] <= bound && death[i] - birth[i] <= tau);
  }
  const bool first = pair[0][0] == pair[1][0] && pair[0][1] == pair[1][1];
  const bool second = pair[0][0] == pair[2][0] && pair[0][1] == pair[2][1];
  const bool third = pair[1][0] == pair[2][0] && pair[1][1] == pair[2][1];
  if (birth[0] == birth[1] && death[0] == death[1] && birth[0] == birth[2] && death[0] == death[2])
    assert(first || second || third);
  return 0;
}
