/* people-weigh - dpt_people_weigh() for up to 4 rows of up to 3 people, any owners and values, and each weight W = 2^w
 * <= 2^20 of a person: the rows of each person who has rows weigh W together, and none weighs less than zero.
 *
 * flags: --unwind 6
 * mutant: s/before_row = up_to_row;/before_row = up_to_row - 1;/
 * mutant: s/sorted\[place\[owner\[i\] - 1\]++\] = row;/sorted[place[owner[i] - 1]] = row;/
 */
#include "checked.h"
#include "base-people.c"

NOTHING_FAILS

enum { ROWS = 4, PEOPLE = 3 };

int main(void) {
  int owner[ROWS], x[ROWS], weights[ROWS];
  const ptrdiff_t rows = any_from(1, ROWS);
  const int w = (int) any_from(0, 20);
  for (int i = 0; i < ROWS; i++) {
    owner[i] = (int) any_from(1, PEOPLE);
    x[i] = nondet_int();
  }
  const dpt_column column = {NULL, x};
  dpt_people_weigh(NULL, &column, 1, owner, rows, PEOPLE, 1 << w, weights);
  for (int person = 1; person <= PEOPLE; person++) {
    int sum = 0, own = 0;
    for (int i = 0; i < rows; i++) {
      if (owner[i] != person) continue;
      assert(weights[i] >= 0);
      sum += weights[i];
      own++;
    }
    assert(sum == (own ? 1 << w : 0));
  }
  return 0;
}
