/* privacy-norm.h - exact noise on vectors of integers, whose density falls with the Euclidean length. */
#ifndef DPT_PRIVACY_NORM_H
#define DPT_PRIVACY_NORM_H

#include "base-context.h"

/* For the real vector v + scale z, with z of density proportional to exp(-|z|), each coordinate is released in steps
 * of 2^shift, rounded down. */
typedef struct {
  double scale;    /* 2^-64 to 2^140 */
  int shift;       /* 0 to 200 */
  int64_t first;   /* binary digits of variates in the first round: DPT_NORM_FIRST, or few in tests */
  ptrdiff_t ahead; /* limbs of all variates drawn before any is used: 0, or some in tests */
} dpt_norm_noise;

enum { DPT_NORM_FIRST = 64, DPT_NORM_LEAST_EXPONENT = -64, DPT_NORM_MOST_EXPONENT = 140, DPT_NORM_MOST_SHIFT = 200 };

/* The smallest double of at least 2^-64 with scale^2 epsilon^2 >= squared, decided in integers. Noise of that scale
 * on integer vectors is epsilon-differentially private, if neighbors differ by at most the root of `squared`.
 * Returns false if the scale would be above 2^140. Both numbers are positive and finite. */
bool dpt_norm_scale_for(dpt_ctx *ctx, double squared, double epsilon, double *least);

/* Writes `draws` releases of `dimension` numbers each, about the integers of `value`, up to 2^53 in absolute value.
 * Released integers are clamped to the same range. Returns how often digits had to be added, which must not be
 * released. */
int64_t dpt_draw_norm(dpt_ctx *ctx, const dpt_norm_noise *noise, ptrdiff_t dimension, const double *value,
                      ptrdiff_t draws, double *released);

#endif
