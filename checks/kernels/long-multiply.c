/* long-multiply - the product of a number of two limbs and one of one limb: no sum of products overflows, and the
 * limbs are those of the products of limbs, added.
 *
 * flags: --unwind 6 --unsigned-overflow-check
 * mutant: s/ + product->limb\[i + j\];/;/
 * mutant: s/product->limb\[i + b->count\] = (uint64_t) carry;/product->limb[i + b->count] = 0;/
 */
#include "checked.h"
#include "base-long.c"
#include "checked-long.h"

int main(void) {
  const dpt_long a = any_long(0, 2), b = any_long(1, 1);
  dpt_long product = {room[2], 0, ROOM};
  dpt_long_multiply(NULL, &product, &a, &b);
  const u128 low = (u128) room[0][0] * room[1][0], high = (u128) room[0][1] * room[1][0];
  assert(value(&product) == (u256) low + ((u256) high << 64));
  return 0;
}
