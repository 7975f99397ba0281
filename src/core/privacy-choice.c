/* privacy-choice.c - the exponential mechanism over finitely many candidates, by rejection in whole numbers.
 *
 * A candidate is drawn uniformly and kept with probability exp(-rate * (top - score)), until one is kept: what is kept
 * has probability proportional to exp(rate * score). The gap is a whole number of at most 54 bits and the rate one of 53
 * times a power of two, so the exponent is a fraction of integers of 128 bits, and its coin is exact (privacy-noise.c).
 * The proof is inst/proofs/privacy-choice.md.
 *
 * Cost: the best candidate is kept whenever it is drawn, so `count` tries are enough on average, a few coins each
 * (a hopeless candidate is dropped after 1.6 of them): 10^4 candidates take about a millisecond. The number of tries
 * depends on the scores, and running times are not protected.
 *
 * Rejected: Gumbel noise on the scores (needs log, not exact); totals of weights (2^53 scores span more than 128 bits);
 * permute-and-flip (never worse for pure epsilon, but it costs more than epsilon^2 / 8 of rho). */
#include "privacy-choice.h"

#include <float.h>
#include <math.h>

#include "base-draws.h"
#include "privacy-noise.h"

double dpt_choice_rate(double epsilon, double sensitivity) {
  double rate = fmin(epsilon / sensitivity / 2, DPT_CHOICE_MOST_RATE);
  /* the quotient was rounded, perhaps up; fma() has the sign of what is over */
  while (fma(2 * rate, sensitivity, -epsilon) > 0) rate = nextafter(rate, 0);
  return rate < DPT_CHOICE_LEAST_RATE ? 0 : rate;
}

ptrdiff_t dpt_draw_choice(dpt_ctx *ctx, const double *score, ptrdiff_t count, double rate) {
  int exponent;
  dpt_wide digits = (dpt_wide) ldexp(frexp(rate, &exponent), DBL_MANT_DIG);
  /* rate = digits / below; a rate of at most 2^40 has an exponent of at most 41, and one of 2^-73 of -72 */
  dpt_wide below = (dpt_wide) 1 << (DBL_MANT_DIG - exponent);
  double top = score[0];
  for (ptrdiff_t i = 1; i < count; i++)
    if (score[i] > top) top = score[i];
  for (;;) {
    ptrdiff_t drawn = (ptrdiff_t) dpt_draw_below(ctx, (uint64_t) count);
    dpt_wide gap = (dpt_wide) ((int64_t) top - (int64_t) score[drawn]);
    if (dpt_draw_bernoulli_exp_ratio(ctx, digits * gap, below)) return drawn;
    dpt_tick(ctx, 20);
  }
}
