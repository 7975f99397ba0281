/* lattice-squares - the union of the squares of 2 forced points, for every bound up to 5 (4 for draws), all births and
 * deaths, and every tau at which both are forced: its count is that of a double loop over the triangle, and each
 * number that can be drawn gives a place in it, different numbers different places.
 *
 * flags: --unwind 8
 * each: -DDRAWN=0 -DDRAWN=1
 * mutant: s/squares\[i \/ 2\].right + 1 :/squares[i \/ 2].right :/
 * mutant: s/s\[i\].low > reached ? s\[i\].low : reached + 1/s[i].low > reached ? s[i].low : reached/
 * mutant: s/\*birth = cut\[i\] + (int64_t) (index \/ length);/*birth = cut[i];/
 */
#include "checked.h"
#include "diagram-lattice-squares.c"

NOTHING_FAILS

enum { MOST = DRAWN ? 4 : 5, POINTS = 2 };

static uint64_t number;

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) {
  given(number < bound);
  return number;
}

int main(void) {
  dpt_lattice_release r = {.bound = any_from(1, MOST), .leading = POINTS};
  const int64_t tau = any_from(0, MOST);
  for (int i = 0; i < POINTS; i++) {
    r.birth[i] = any_from(0, r.bound);
    r.death[i] = any_from(r.birth[i], r.bound);
    given(r.death[i] - r.birth[i] > tau);
  }
  const uint32_t members = (UINT32_C(1) << POINTS) - 1;
  if (DRAWN == 0) {
    uint64_t places = 0;
    for (int64_t x = 0; x <= MOST; x++) {
      for (int64_t y = x; y <= MOST; y++) {
        bool inside = false;
        for (int i = 0; i < POINTS; i++) {
          const int64_t dx = x - r.birth[i], dy = y - r.death[i], h = tau / 2;
          inside |= dx <= h && -dx <= h && dy <= h && -dy <= h;
        }
        places += inside && y <= r.bound;
      }
    }
    assert(dpt_lattice_union_count(&r, members, tau) == places);
    return 0;
  }

  const uint64_t places = dpt_lattice_union_count(&r, members, tau);
  int64_t birth[2], death[2];
  uint64_t drawn[2];
  for (int k = 0; k < 2; k++) {
    drawn[k] = number = nondet_u64();
    dpt_lattice_union_draw(NULL, &r, members, tau, places, &birth[k], &death[k]);
    assert(dpt_lattice_square_holds(&r, 0, tau, birth[k], death[k]) ||
           dpt_lattice_square_holds(&r, 1, tau, birth[k], death[k]));
  }
  assert((drawn[0] == drawn[1]) == (birth[0] == birth[1] && death[0] == death[1]));
  return 0;
}
