/* privacy-choice.c - the exponential mechanism over finitely many candidates, by rejection in integers.
 *
 * A candidate is drawn uniformly and kept with probability exp(-rate * (top - score)), until one is kept. The kept
 * candidate has probability proportional to exp(rate * score). The gap is an integer of at most 54 bits, and the
 * rate is an integer of 53 bits times a power of two. The exponent is therefore a fraction of integers of 128 bits,
 * and its coin is exact (privacy-noise.c). The proof is inst/proofs/privacy-choice.md.
 *
 * Cost: the best candidate is kept whenever it is drawn, so `count` tries suffice on average, with a few coins each
 * (a hopeless candidate is dropped after 1.6 coins). 10^4 candidates take about a millisecond. The number of tries
 * depends on the scores, and running times are not protected.
 *
 * Rejected: Gumbel noise on the scores (needs log, not exact); totals of weights (2^53 scores span more than 128
 * bits); permute-and-flip (never worse for pure epsilon, but it costs more than epsilon^2 / 8 of rho). */
#include "privacy-choice.h"

#include <float.h>
#include <math.h>

#include "base-draws.h"
#include "privacy-noise.h"

double dpt_choice_rate(double epsilon, double sensitivity) {
  double rate = fmin(epsilon / sensitivity / 2, DPT_CHOICE_MOST_RATE);
  /* The quotient was rounded, perhaps up. fma() has the exact sign of the excess. */
  while (fma(2 * rate, sensitivity, -epsilon) > 0) rate = nextafter(rate, 0);
  return rate < DPT_CHOICE_LEAST_RATE ? 0 : rate;
}

ptrdiff_t dpt_draw_choice(dpt_ctx *ctx, const double *score, ptrdiff_t count, double rate) {
  int exponent;
  dpt_wide digits = (dpt_wide) ldexp(frexp(rate, &exponent), DBL_MANT_DIG);
  /* rate = digits / below. A rate of at most 2^40 has an exponent of at most 41, and a rate of 2^-73 has -72. */
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

/* ---- exp(epsilon / 2) from below ------------------------------------------------------------------------------- */

/* epsilon / 2 with 112 binary places is exact or rounded down. q is its integer part over log 2 rounded up, so that
 * the rest is rounded down. Then 40 terms of the series of exp, each rounded down (inst/proofs/diagram-private.md). */

enum { PLACES = 112, TERMS = 40 };

/* log 2 with PLACES binary places, rounded up: 0xB17217F7D1CF79ABC9E3B39803F2|F6AF... */
static dpt_wide log_two(void) { return ((dpt_wide) UINT64_C(0xB17217F7D1CF) << 64) | UINT64_C(0x79ABC9E3B39803F3); }

/* epsilon / 2 with PLACES binary places, rounded down; epsilon <= 1024. */
static dpt_wide half_epsilon(double epsilon) {
  int exponent;
  uint64_t mantissa = (uint64_t) ldexp(frexp(epsilon, &exponent), 53);
  int shift = exponent - 53 - 1 + PLACES;
  if (shift >= 0) return (dpt_wide) mantissa << shift;
  return shift > -64 ? mantissa >> -shift : 0;
}

uint64_t dpt_factor_below(double epsilon, int64_t *q) {
  dpt_wide x = half_epsilon(epsilon);
  *q = (int64_t) (x / log_two());
  dpt_wide rest = (x - (dpt_wide) *q * log_two()) >> (PLACES - 63); /* 63 places, below log 2 */
  dpt_wide term = (dpt_wide) 1 << 63, sum = term;
  for (unsigned k = 1; k <= TERMS; k++) {
    term = ((term * rest) >> 63) / k;
    sum += term;
  }
  return (uint64_t) (sum >> (63 - DPT_FACTOR_PLACES));
}
