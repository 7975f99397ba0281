/* privacy-variate.h - random numbers that draw digits only when they are used. */
#ifndef DPT_PRIVACY_VARIATE_H
#define DPT_PRIVACY_VARIATE_H

#include "base-context.h"
#include "base-long.h"

/* A sign, an integer part, and limbs of 16 bits after the point, the highest first. Limbs that were not drawn yet
 * are independent uniform bits, for all decisions so far. A number may be lengthened and is never drawn again. All
 * zeros is a number without memory. */
typedef struct {
  bool negative;
  uint64_t whole;
  uint16_t *limb;
  ptrdiff_t count, room;
} dpt_variate;

enum { DPT_VARIATE_LIMB = 16 };

/* Source of limbs, and numbers that live as long as a decision. All zeros at first. */
typedef struct {
  uint64_t word; /* rest of the last word that was drawn */
  int left;      /* limbs in it */
  dpt_variate a, b, c;
} dpt_variate_source;

/* Density exp(-x) above zero, and then exp(-x^2 / 2) on both sides. Drops the old value of `x` and reuses its
 * memory. */
void dpt_draw_exponential(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x);
void dpt_draw_exact_normal(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x);

/* Limb `place` after the point, from 0. Draws it, and the limbs before it, if necessary. */
uint16_t dpt_variate_limb(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x, ptrdiff_t place);

/* Draws the part of `fresh` after the point, and returns whether it is below the part of `x`. Both get the limbs that
 * the comparison needs. They are equal with probability zero. */
bool dpt_variate_draw_below(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *fresh, dpt_variate *x);

/* The integer part of 2^places |x|. */
void dpt_variate_floor(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x, int64_t places, dpt_long *floor);

#endif
