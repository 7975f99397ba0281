/* base-long.h - nonnegative integers of any length. */
#ifndef DPT_BASE_LONG_H
#define DPT_BASE_LONG_H

#include "base-context.h"

/* Limbs of 64 bits, the lowest first. The last of `count` limbs is not zero, and zero has no limbs. An all-zero
 * struct is the number zero, without memory yet. Numbers get memory from the arena as they grow, and keep it. */
typedef struct {
  uint64_t *limb;
  ptrdiff_t count, room;
} dpt_long;

/* Makes room for at least `count` limbs and keeps the present ones. */
void dpt_long_reserve(dpt_ctx *ctx, dpt_long *x, ptrdiff_t count);

/* Drops zeros at the end, after limbs were written. */
void dpt_long_trim(dpt_long *x);

void dpt_long_set(dpt_ctx *ctx, dpt_long *x, uint64_t value);
void dpt_long_copy(dpt_ctx *ctx, dpt_long *x, const dpt_long *from);
void dpt_long_add(dpt_ctx *ctx, dpt_long *x, const dpt_long *a); /* x + a; both may be the same */
void dpt_long_subtract(dpt_long *x, const dpt_long *a);          /* x - a, a at most x */
void dpt_long_multiply(dpt_ctx *ctx, dpt_long *product, const dpt_long *a, const dpt_long *b); /* not a factor itself */
void dpt_long_shift(dpt_ctx *ctx, dpt_long *x, int64_t left); /* times 2^left, rounded down */
int dpt_long_compare(const dpt_long *a, const dpt_long *b); /* below, at or above zero, as a is below, at or above b */
int64_t dpt_long_length(const dpt_long *x);                 /* binary digits */

/* The largest integer whose square is at most x. `root` and `rest` (scratch) differ from x. */
void dpt_long_root(dpt_ctx *ctx, dpt_long *root, const dpt_long *x, dpt_long *rest);

#endif
