/* checked-coin.h - what a coin of ratio above / below must do, round by round. Included before the kernel, it sees the
 * variables of the kernel's function where that draws.
 *
 * U is the number whose binary digits are drawn. After some rounds in which U has the digits of the ratio, the answer
 * is whether what is left of U is below left / below. A round that starts with above == left must
 *
 *   - double, compare, and subtract exactly (then above == left after it, 0 <= above < below), and
 *   - answer with the ratio's digit if U's digit is another one.
 *
 * It may answer without a draw only if nothing is left (false) or all is left (true). So each round starts in a state
 * like that of the harness, which is any state, and one round is every round. */
#include "base-draws.h"

typedef unsigned __CPROVER_bitvector[134] wide;

static u128 above, below; /* for the functions that have no such variables */
static bool digit;
static wide left;
static bool is_decided, wanted;

static bool draw_bit_at(u128 rest, u128 whole, bool its_digit) {
  const bool bit = nondet_bool();
  assert(!is_decided && rest < whole && left << 1 == (wide) rest + (its_digit ? whole : 0));
  left = rest;
  is_decided = bit != its_digit;
  wanted = its_digit;
  return bit;
}

/* Four digits, counted from the top: not zero says that U's digits are not all ones. */
static uint64_t draw_four_at(u128 rest, u128 whole, uint64_t bound) {
  const uint64_t number = nondet_u64();
  given(number < 16);
  assert(!is_decided && bound == 16 && left == rest && ((wide) whole - left) << 4 <= whole);
  if (number) is_decided = wanted = true;
  else left = (left << 4) + whole - ((wide) whole << 4);
  return number;
}

static void check_answer(bool answer, u128 whole) {
  assert(is_decided ? answer == wanted : left == (answer ? whole : 0));
}

#define dpt_draw_bit(ctx) draw_bit_at(above, below, digit)
#define dpt_draw_below(ctx, bound) draw_four_at(above, below, bound)
