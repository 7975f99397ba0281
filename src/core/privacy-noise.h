/* privacy-noise.h - exact noise, without a floating-point function between the random bits and the result. */
#ifndef DPT_PRIVACY_NOISE_H
#define DPT_PRIVACY_NOISE_H

#include "base-context.h"
#include "base-whole.h"

/* A positive number mantissa * 2^exponent, mantissa odd. */
typedef struct {
  uint64_t mantissa;
  int exponent;
} dpt_dyadic;

/* The scale of noise: a dyadic number with a mantissa below 2^DPT_NOISE_SCALE_BITS, from 2^DPT_NOISE_LEAST_EXPONENT
 * to 2^DPT_NOISE_MOST_EXPONENT. */
enum { DPT_NOISE_SCALE_BITS = 24, DPT_NOISE_LEAST_EXPONENT = -30, DPT_NOISE_MOST_EXPONENT = 40 };

/* The third is privacy-rounded-normal.h. */
typedef enum { DPT_NOISE_LAPLACE = 0, DPT_NOISE_GAUSSIAN = 1, DPT_NOISE_ROUNDED_NORMAL = 2 } dpt_noise_kind;

/* The smallest scale that is at least `scale`. Below 2^-30 (zero included) it is 2^-30, noise that is never seen.
 * Returns false if there is none, because `scale` is above 2^40, negative, or NaN. */
bool dpt_noise_scale(double scale, dpt_dyadic *least);

/* The smallest scale s for which the noise keeps the guarantee, decided without rounding:
 *   discrete Laplace    s * budget >= sensitivity        (pure epsilon; l1 sensitivity)
 *   discrete Gaussian   s^2 * 2 budget >= sensitivity    (rho; square of the l2 sensitivity)
 *   rounded normal      the same
 * Returns false if it would be above 2^40. The budget is positive, and the sensitivity is 0 or at least 2^-900, so that
 * no bit of a product is lost. Both are finite. */
bool dpt_noise_scale_for(dpt_noise_kind kind, double sensitivity, double budget, dpt_dyadic *least);

double dpt_dyadic_value(dpt_dyadic number);

/* True with probability p, exactly, 0 <= p <= 1. */
bool dpt_draw_bernoulli(dpt_ctx *ctx, double p);

/* True with probability exp(-x), exactly, x >= 0 (infinity included). */
bool dpt_draw_bernoulli_exp(dpt_ctx *ctx, double x);

/* True with probability exp(-above / below), exactly; 0 < below < 2^127. */
bool dpt_draw_bernoulli_exp_ratio(dpt_ctx *ctx, dpt_wide above, dpt_wide below);

/* Draws an integer y with probability proportional to exp(-|y| / scale), |y| < 2^62. */
int64_t dpt_draw_discrete_laplace(dpt_ctx *ctx, dpt_dyadic scale);

/* Draws an integer y with probability proportional to exp(-y^2 / (2 scale^2)), |y| < 2^62. */
int64_t dpt_draw_discrete_gaussian(dpt_ctx *ctx, dpt_dyadic scale);

#endif
