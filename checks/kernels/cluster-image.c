/* cluster-image - dpt_lattice_image() of a row of 3 numbers by every matrix with entries up to 2^20: nothing
 * overflows, and the image is the exact sum over 2^shift, rounded down, cut to -2^bits .. 2^bits.
 *
 * flags: --unwind 5
 * each: -DSHIFT=0 -DSHIFT=19 -DSHIFT=40
 * mutant: s/((int64_t) 1 << shift) - 1/((int64_t) 1 << shift)/
 * mutant: s/sum < -most ? -most : sum/sum < -most ? most : sum/
 */
#include "checked.h"
#include "cluster-lattice.c"

NOTHING_FAILS

enum { D = 3 };

int main(void) {
  const dpt_lattice lattice = {D, (int) any_from(1, DPT_LATTICE_MAX_BITS), NULL, NULL};
  const int64_t most = INT64_C(1) << lattice.bits, entry = INT64_C(1) << 20;
  int64_t matrix[D], q[D], y, sum = 0;
  for (int i = 0; i < D; i++) {
    matrix[i] = any_from(-entry, entry);
    q[i] = any_from(-most, most);
    sum += matrix[i] * q[i];
  }
  const dpt_lattice_map map = {1, SHIFT, matrix};
  dpt_lattice_image(&lattice, &map, q, &y);
  const int64_t one = INT64_C(1) << SHIFT;
  if (y > -most && y < most) assert((s128) y * one <= sum && sum < ((s128) y + 1) * one);
  else assert(y == most ? sum >= (s128) most * one : y == -most && sum < (s128) (1 - most) * one);
  return 0;
}
