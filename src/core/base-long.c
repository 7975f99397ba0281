/* base-long.c - integers of any length: only the arithmetic that exact noise needs.
 *
 * Schoolbook multiplication, products of limbs in 128 bits. The root is found bit by bit, as by hand. With r the
 * root so far and `left` the rest of x, the next bit b is set if left >= 2 r b + b^2. The code stores 2 r b instead
 * of r, so that each step is a comparison, a subtraction and a shift, without division.
 *
 * Cost: numbers here have two to five limbs, and a product takes some ten nanoseconds. The root of three limbs has
 * 64 to 96 steps of three limbs, each with a branch that no processor can predict: a microsecond. Rejected: roots
 * from a corrected double (faster, but one more way to be wrong); GMP (a dependency, for numbers of 200 bits). */
#include "base-long.h"

#include <string.h>

#include "base-whole.h"

enum { LIMB = 64 };

void dpt_long_reserve(dpt_ctx *ctx, dpt_long *x, ptrdiff_t count) {
  if (count <= x->room) return;
  ptrdiff_t room = 2 * x->room > count ? 2 * x->room : count;
  uint64_t *limb = DPT_NEW(ctx, uint64_t, room);
  if (x->count) memcpy(limb, x->limb, (size_t) x->count * sizeof *limb);
  x->limb = limb;
  x->room = room;
}

void dpt_long_trim(dpt_long *x) {
  while (x->count && !x->limb[x->count - 1]) x->count--;
}

void dpt_long_set(dpt_ctx *ctx, dpt_long *x, uint64_t value) {
  dpt_long_reserve(ctx, x, 1);
  x->limb[0] = value;
  x->count = value != 0;
}

void dpt_long_copy(dpt_ctx *ctx, dpt_long *x, const dpt_long *from) {
  dpt_long_reserve(ctx, x, from->count);
  if (from->count) memcpy(x->limb, from->limb, (size_t) from->count * sizeof *x->limb);
  x->count = from->count;
}

void dpt_long_add(dpt_ctx *ctx, dpt_long *x, const dpt_long *a) {
  const ptrdiff_t count = x->count > a->count ? x->count : a->count;
  dpt_long_reserve(ctx, x, count + 1);
  for (ptrdiff_t i = x->count; i <= count; i++) x->limb[i] = 0;
  dpt_wide carry = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    carry += x->limb[i];
    if (i < a->count) carry += a->limb[i];
    x->limb[i] = (uint64_t) carry;
    carry >>= LIMB;
  }
  x->limb[count] = (uint64_t) carry;
  x->count = count + 1;
  dpt_long_trim(x);
}

/* x - a, with a at most x. 2^128 minus a borrow has ones in its upper half. */
static void subtract_limbs(uint64_t *x, ptrdiff_t count, const uint64_t *a, ptrdiff_t taken) {
  uint64_t borrow = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    const dpt_wide left = (dpt_wide) x[i] - (i < taken ? a[i] : 0) - borrow;
    x[i] = (uint64_t) left;
    borrow = (uint64_t) (left >> LIMB) & 1;
  }
}

void dpt_long_subtract(dpt_long *x, const dpt_long *a) {
  subtract_limbs(x->limb, x->count, a->limb, a->count);
  dpt_long_trim(x);
}

void dpt_long_multiply(dpt_ctx *ctx, dpt_long *product, const dpt_long *a, const dpt_long *b) {
  const ptrdiff_t count = a->count + b->count;
  dpt_long_reserve(ctx, product, count);
  for (ptrdiff_t i = 0; i < count; i++) product->limb[i] = 0;
  for (ptrdiff_t i = 0; i < a->count; i++) {
    dpt_wide carry = 0;
    for (ptrdiff_t j = 0; j < b->count; j++) {
      /* (2^64 - 1)^2 plus two numbers below 2^64 is less than 2^128. */
      carry += (dpt_wide) a->limb[i] * b->limb[j] + product->limb[i + j];
      product->limb[i + j] = (uint64_t) carry;
      carry >>= LIMB;
    }
    product->limb[i + b->count] = (uint64_t) carry;
  }
  product->count = count;
  dpt_long_trim(product);
}

static void shift_left(dpt_ctx *ctx, dpt_long *x, ptrdiff_t limbs, int bits) {
  const ptrdiff_t count = x->count + limbs + 1;
  dpt_long_reserve(ctx, x, count);
  x->limb[count - 1] = 0;
  for (ptrdiff_t i = x->count - 1; i >= 0; i--) {
    const dpt_wide both = (dpt_wide) x->limb[i] << bits;
    x->limb[i + limbs + 1] |= (uint64_t) (both >> LIMB);
    x->limb[i + limbs] = (uint64_t) both;
  }
  for (ptrdiff_t i = 0; i < limbs; i++) x->limb[i] = 0;
  x->count = count;
}

static void shift_right(dpt_long *x, ptrdiff_t limbs, int bits) {
  const ptrdiff_t count = x->count > limbs ? x->count - limbs : 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    dpt_wide both = x->limb[i + limbs];
    if (i + limbs + 1 < x->count) both |= (dpt_wide) x->limb[i + limbs + 1] << LIMB;
    x->limb[i] = (uint64_t) (both >> bits);
  }
  x->count = count;
}

void dpt_long_shift(dpt_ctx *ctx, dpt_long *x, int64_t left) {
  if (!x->count) return;
  const int64_t size = left < 0 ? -left : left;
  if (left < 0) {
    shift_right(x, (ptrdiff_t) (size / LIMB), (int) (size % LIMB));
  } else {
    shift_left(ctx, x, (ptrdiff_t) (size / LIMB), (int) (size % LIMB));
  }
  dpt_long_trim(x);
}

int dpt_long_compare(const dpt_long *a, const dpt_long *b) {
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (ptrdiff_t i = a->count; i-- > 0;)
    if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
  return 0;
}

int64_t dpt_long_length(const dpt_long *x) {
  return x->count ? (int64_t) LIMB * (x->count - 1) + dpt_bit_length(x->limb[x->count - 1]) : 0;
}

static bool is_at_least(const uint64_t *a, const uint64_t *b, ptrdiff_t count) {
  for (ptrdiff_t i = count; i-- > 0;)
    if (a[i] != b[i]) return a[i] > b[i];
  return true;
}

void dpt_long_root(dpt_ctx *ctx, dpt_long *root, const dpt_long *x, dpt_long *rest) {
  const ptrdiff_t count = x->count;
  dpt_long_copy(ctx, rest, x);
  dpt_long_reserve(ctx, root, count);
  for (ptrdiff_t i = 0; i < count; i++) root->limb[i] = 0;
  /* Loops over the bits b of the root. `root` holds 2 r b, whose bits are all above the bit of b^2. */
  for (int64_t place = (dpt_long_length(x) - 1) / 2 * 2; count && place >= 0; place -= 2) {
    const uint64_t square = UINT64_C(1) << (place % LIMB);
    uint64_t *const at = &root->limb[place / LIMB];
    *at |= square;
    const bool set = is_at_least(rest->limb, root->limb, count);
    if (set) subtract_limbs(rest->limb, count, root->limb, count);
    *at ^= square;
    for (ptrdiff_t i = 0; i < count; i++) {
      root->limb[i] = root->limb[i] >> 1 | (i + 1 < count ? root->limb[i + 1] << (LIMB - 1) : 0);
    }
    if (set) *at |= square;
  }
  root->count = count;
  dpt_long_trim(root);
}
