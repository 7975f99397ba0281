/* choice-draw - dpt_draw_choice() for every rate that there is and up to 3 scores of up to 2^53: the gap is at least
 * zero, the numbers of the coin are within its bounds, and the index is one of the scores. Tries are independent, so
 * one is every try.
 *
 * flags: --unwind 5 --no-unwinding-assertions --bitwuzla
 * replace: dpt_draw_bernoulli_exp_ratio coin_of_exp
 * mutant: s/if (score\[i\] > top) top = score\[i\];/if (score[i] < top) top = score[i];/
 * mutant: s/DBL_MANT_DIG - exponent)/DBL_MANT_DIG + 4 - exponent)/
 */
#include "checked.h"
#include "privacy-choice.c"
#include "checked-math.h"

NOTHING_FAILS

enum { MOST = 3 };

uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) {
  const uint64_t x = nondet_u64();
  given(x < bound);
  return x;
}

/* 53 digits of the rate times a gap of at most 2^54, above 2^125 at most */
bool coin_of_exp(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  assert(below > 0 && below >> 126 == 0 && above >> 107 == 0 && (above == 0 || above <= (dpt_wide) 1 << 107));
  return true;
}

bool dpt_draw_bernoulli_exp_ratio(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  return coin_of_exp(ctx, above, below);
}

int main(void) {
  double score[MOST];
  const ptrdiff_t count = any_from(1, MOST);
  for (int i = 0; i < MOST; i++) score[i] = (double) any_from(-(INT64_C(1) << 53), INT64_C(1) << 53);
  const double rate = nondet_double();
  given(rate == 0 || (rate >= DPT_CHOICE_LEAST_RATE && rate <= DPT_CHOICE_MOST_RATE));
  const ptrdiff_t i = dpt_draw_choice(NULL, score, count, rate);
  assert(i >= 0 && i < count);
  return 0;
}
