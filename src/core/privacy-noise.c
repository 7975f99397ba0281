/* privacy-noise.c - exact samplers from random bits, in integer arithmetic (Canonne, Kamath and Steinke 2020).
 *
 * Bernoulli(p): compares the binary digits of p with coins, until they differ. This takes two coins on average for
 * all p. Doubling the rest gives the digits of a fraction (long division in base two), so nothing is divided.
 *
 * Bernoulli(exp(-x)), 0 <= x <= 1: K = 1, 2, ... until a Bernoulli(x / K) fails. The result is true if that K is
 * odd. Its probability is the alternating series of exp(-x) (Forsythe 1972). For x > 1 each unit is one
 * Bernoulli(exp(-1)).
 *
 * Discrete Laplace of scale t / s: U uniform below t, kept with probability exp(-U / t), and V geometric(exp(-1)).
 * The magnitude is floor((U + t V) / s), with a random sign, and minus zero is drawn again. A scale is m 2^e with m
 * < 2^24: either t = m 2^e and s = 1, or t = m and s = 2^-e.
 *
 * Discrete Gaussian of scale sigma = m 2^e, m of exactly 24 bits: Y discrete Laplace of scale T = 2^(e + 24), the
 * next power of two above sigma, kept with probability exp(-x), x = (|Y| - sigma^2 / T)^2 / (2 sigma^2) = (|Y| 2^(24
 * - e) - m^2)^2 / (2^49 m^2), a fraction of 128-bit integers.
 *
 * Exactness: every decision compares coins with integers or with the digits of a double, which doubling reveals
 * without rounding. There is one exception: an event of probability below exp(-2^20) counts as impossible, so that
 * no sum can overflow. A million years of drawing would not meet it.
 *
 * Cost: about 7 coins for a Laplace draw and 20 for a Gaussian draw, plus twice the log2(t) bits of U (some are
 * rejected). The limits are the source of entropy (256 bytes in 0.5 to 4 us) and branches that no processor can
 * predict. Rejected: comparing 32 or 64 bits at once (a division of 128-bit integers and many times the entropy:
 * four times slower); inverting the distribution function (needs log, not exact); rational arithmetic with unbounded
 * integers (a dependency, for scales of 53 bits that nobody states). */
#include "privacy-noise.h"

#include <math.h>

#include "base-draws.h"

enum { IMPOSSIBLE_BEYOND = 1 << 20 }; /* exp(-2^20), never */

/* ---- scales -------------------------------------------------------------------------------------------------- */

static dpt_dyadic reduce(dpt_dyadic number) {
  while (!(number.mantissa & 1)) {
    number.mantissa >>= 1;
    number.exponent++;
  }
  return number;
}

double dpt_dyadic_value(dpt_dyadic number) { return ldexp((double) number.mantissa, number.exponent); }

bool dpt_noise_scale(double scale, dpt_dyadic *least) {
  if (!(scale >= 0 && scale <= ldexp(1, DPT_NOISE_MOST_EXPONENT))) return false;
  int exponent;
  double fraction = frexp(fmax(scale, ldexp(1, DPT_NOISE_LEAST_EXPONENT)), &exponent); /* in [1/2, 1) */
  dpt_dyadic rounded = {(uint64_t) ceil(ldexp(fraction, DPT_NOISE_SCALE_BITS)), exponent - DPT_NOISE_SCALE_BITS};
  *least = reduce(rounded);
  return true;
}

/* The quotient is rounded, perhaps down. fma() has the exact sign of the difference. */
bool dpt_noise_scale_for(dpt_noise_kind kind, double sensitivity, double budget, dpt_dyadic *least) {
  bool squared = kind != DPT_NOISE_LAPLACE;
  double quotient = squared ? sqrt(sensitivity / budget / 2) : sensitivity / budget;
  if (!dpt_noise_scale(quotient, least)) return false;
  double scale = dpt_dyadic_value(*least);
  double charged = squared ? fma(scale * scale * 2, budget, -sensitivity) : fma(scale, budget, -sensitivity);
  return charged >= 0 || dpt_noise_scale(nextafter(scale, INFINITY), least);
}

/* ---- Bernoulli ----------------------------------------------------------------------------------------------- */

bool dpt_draw_bernoulli(dpt_ctx *ctx, double p) {
  if (p >= 1) return true;
  while (p > 0) {
    p *= 2;
    bool digit = p >= 1;
    if (digit) p -= 1;
    if (dpt_draw_bit(ctx) != digit) return digit;
  }
  return false;
}

/* True with probability above / below, above <= below < 2^127. */
static bool bernoulli_ratio(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  if (above == below) return true;
  while (above) {
    above <<= 1;
    bool digit = above >= below;
    if (digit) above -= below;
    if (dpt_draw_bit(ctx) != digit) return digit;
  }
  return false;
}

static bool bernoulli_exp_minus_one(dpt_ctx *ctx) {
  uint32_t k = 2; /* a probability of one always succeeds */
  while (bernoulli_ratio(ctx, 1, k)) k++;
  return k & 1;
}

bool dpt_draw_bernoulli_exp(dpt_ctx *ctx, double x) {
  if (!(x < IMPOSSIBLE_BEYOND)) return false;
  double rest = x - floor(x);
  for (; x >= 1; x--)
    if (!bernoulli_exp_minus_one(ctx)) return false;
  uint32_t k = 1;
  while (bernoulli_ratio(ctx, 1, k) && dpt_draw_bernoulli(ctx, rest)) k++;
  return k & 1;
}

bool dpt_draw_bernoulli_exp_ratio(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  for (uint32_t unit = 0; above >= below; unit++, above -= below)
    if (unit == IMPOSSIBLE_BEYOND || !bernoulli_exp_minus_one(ctx)) return false;
  uint32_t k = 1;
  while (bernoulli_ratio(ctx, 1, k) && bernoulli_ratio(ctx, above, below)) k++;
  return k & 1;
}

/* ---- discrete Laplace ---------------------------------------------------------------------------------------- */

/* Draws the geometric number of Bernoulli(exp(-1)) successes before the first failure. */
static uint64_t whole_units(dpt_ctx *ctx) {
  uint64_t units = 0;
  while (units < IMPOSSIBLE_BEYOND && bernoulli_exp_minus_one(ctx)) units++;
  return units;
}

int64_t dpt_draw_discrete_laplace(dpt_ctx *ctx, dpt_dyadic scale) {
  /* t is at most 2^41 (the envelope of a Gaussian), so that u + t v stays below 2^62 */
  uint64_t t = scale.exponent > 0 ? scale.mantissa << scale.exponent : scale.mantissa;
  int down = scale.exponent < 0 ? -scale.exponent : 0;
  for (;;) {
    uint64_t u;
    do u = dpt_draw_below(ctx, t);
    while (!dpt_draw_bernoulli_exp_ratio(ctx, u, t));
    int64_t size = (int64_t) ((u + t * whole_units(ctx)) >> down);
    bool negative = dpt_draw_bit(ctx);
    if (size || !negative) return negative ? -size : size;
  }
}

/* ---- discrete Gaussian --------------------------------------------------------------------------------------- */

int64_t dpt_draw_discrete_gaussian(dpt_ctx *ctx, dpt_dyadic scale) {
  uint64_t m = scale.mantissa;
  int e = scale.exponent;
  for (; m < UINT64_C(1) << (DPT_NOISE_SCALE_BITS - 1); e--) m <<= 1;
  dpt_dyadic envelope = {1, e + DPT_NOISE_SCALE_BITS};
  dpt_wide below = (dpt_wide) m * m << (2 * DPT_NOISE_SCALE_BITS + 1);
  int shift = DPT_NOISE_SCALE_BITS - e; /* at least 7: sigma is at most 2^40 */
  uint64_t center = m * m;
  for (;;) {
    int64_t y = dpt_draw_discrete_laplace(ctx, envelope);
    dpt_wide scaled = (dpt_wide) (y < 0 ? -y : y) << shift;
    dpt_wide distance = scaled > center ? scaled - center : center - scaled;
    /* a larger y is kept with probability below exp(-2^28), and its square would overflow */
    if (distance >> 63) continue;
    if (dpt_draw_bernoulli_exp_ratio(ctx, distance * distance, below)) return y;
  }
}
