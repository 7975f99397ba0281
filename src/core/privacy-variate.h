/* privacy-variate.h - random numbers of which as many digits are drawn as are looked at. */
#ifndef DPT_PRIVACY_VARIATE_H
#define DPT_PRIVACY_VARIATE_H

#include "base-context.h"
#include "base-long.h"

/* A sign, a whole part, and limbs of 16 bits behind the point, the highest first. Those that were not drawn yet are
 * independent uniform bits, whatever has been decided about the number: it may be lengthened and is never drawn anew. All
 * zeros is a number without room. */
typedef struct {
  bool negative;
  uint64_t whole;
  uint16_t *limb;
  ptrdiff_t count, room;
} dpt_variate;

enum { DPT_VARIATE_LIMB = 16 };

/* Where limbs come from, and numbers that live as long as a decision; all zeros at first. */
typedef struct {
  uint64_t word; /* what is left of the last word that was drawn */
  int left;      /* limbs in it */
  dpt_variate a, b, c;
} dpt_variate_source;

/* Density exp(-x) above zero; and exp(-x^2 / 2), on both sides. What `x` was is dropped, and its room used. */
void dpt_draw_exponential(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x);
void dpt_draw_exact_normal(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x);

/* A limb behind the point, from 0; draws it, and those before it, where they were not. */
uint16_t dpt_variate_limb(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x, ptrdiff_t place);

/* The whole part of 2^places |x|. */
void dpt_variate_floor(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x, int64_t places, dpt_long *floor);

#endif
