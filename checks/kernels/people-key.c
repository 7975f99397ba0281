/* people-key - key_of() keeps the order of all doubles but NaN (both zeros are equal), and the order of all ints.
 *
 * flags: --unwind 3
 * mutant: s/column->real\[row\] + 0.0;/column->real[row];/
 * mutant: s/? ~bits :/? bits :/
 */
#include "checked.h"
#include "base-people.c"

NOTHING_FAILS

int main(void) {
  const double x[2] = {nondet_double(), nondet_double()};
  const int i[2] = {nondet_int(), nondet_int()};
  const dpt_column real = {x, NULL}, whole = {NULL, i};
  given(x[0] == x[0] && x[1] == x[1]);
  const uint64_t a = key_of(&real, 0), b = key_of(&real, 1);
  assert((a < b) == (x[0] < x[1]));
  assert((a == b) == (x[0] == x[1]));
  assert((key_of(&whole, 0) < key_of(&whole, 1)) == (i[0] < i[1]));
  return 0;
}
