/* privacy-norm.h - exact noise on vectors of whole numbers, whose density falls with the Euclidean length. */
#ifndef DPT_PRIVACY_NORM_H
#define DPT_PRIVACY_NORM_H

#include "base-context.h"

/* Of the real vector v + scale z, z with the density proportional to exp(-|z|), the whole steps of 2^shift in each
 * coordinate, rounded down, are released. */
typedef struct {
  double scale;    /* 2^-64 to 2^140 */
  int shift;       /* 0 to 200 */
  int64_t first;   /* binary digits of variates to begin with: DPT_NORM_FIRST, or few for the tests */
  ptrdiff_t ahead; /* limbs of all variates to draw before any is looked at: 0, or some for the tests */
} dpt_norm_noise;

enum { DPT_NORM_FIRST = 64, DPT_NORM_LEAST_EXPONENT = -64, DPT_NORM_MOST_EXPONENT = 140, DPT_NORM_MOST_SHIFT = 200 };

/* The least double of at least 2^-64 with scale^2 epsilon^2 >= squared, decided in whole numbers: noise of that scale on
 * whole vectors, of which neighbors' differ by the root of `squared` at most, is epsilon-differentially private. False if it
 * would be above 2^140. Both numbers are positive and finite. */
bool dpt_norm_scale_for(dpt_ctx *ctx, double squared, double epsilon, double *least);

/* `draws` releases of `dimension` numbers each, about the whole numbers of `value`, up to 2^53 in absolute value; and so are
 * those released: what is beyond is cut off. Says how often digits had to be added: of that nothing may be shown. */
int64_t dpt_draw_norm(dpt_ctx *ctx, const dpt_norm_noise *noise, ptrdiff_t dimension, const double *value,
                      ptrdiff_t draws, double *released);

#endif
