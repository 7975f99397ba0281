/* graph-coin.c - exponentials in fixed point of 416 bits, rounded in a known direction.
 *
 * exp(-x) by Taylor's series at x / 2^s <= 1/2, whose terms alternate and fall, and s squarings, each rounded up.
 * Then one long division in base two. The bounds are proved in inst/proofs/graph-response.md. Reason for 416 bits:
 * epsilon up to 100 has a pi of at least 2^-145, and 128 digits after the point are needed. The errors of 80
 * terms and 9 squarings cost some 20 bits. The remaining bits make p the true probability rounded up, not one unit
 * more. Cost: 40 microseconds, once per release. Rejected: exp() of the C library (its error bound would be somebody
 * else's claim), and a library of long numbers (a dependency, for eighty multiplications). */
#include "graph-coin.h"

#include <math.h>
#include <string.h>

enum { LIMBS = 14, POINT = 13, TERMS = 80, DIGITS = 128 };

/* limb[0] counts units of 2^-416, limb[13] integers: 0 <= x < 2^32 */
typedef struct {
  uint32_t limb[LIMBS];
} fixed;

static const fixed zero = {{0}};
static const fixed one = {{[POINT] = 1}};

static int compare(const fixed *a, const fixed *b) {
  for (int i = LIMBS - 1; i >= 0; i--)
    if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
  return 0;
}

static fixed add(fixed a, const fixed *b) {
  uint64_t carry = 0;
  for (int i = 0; i < LIMBS; i++) {
    carry += (uint64_t) a.limb[i] + b->limb[i];
    a.limb[i] = (uint32_t) carry;
    carry >>= 32;
  }
  return a;
}

/* a - b, a >= b */
static fixed subtract(fixed a, const fixed *b) {
  int64_t borrow = 0;
  for (int i = 0; i < LIMBS; i++) {
    borrow += (int64_t) a.limb[i] - b->limb[i];
    a.limb[i] = (uint32_t) borrow;
    borrow >>= 32; /* an arithmetic shift on all supported compilers: 0 or -1 */
  }
  return a;
}

static fixed add_unit(fixed a) {
  for (int i = 0; i < LIMBS; i++)
    if (++a.limb[i]) break;
  return a;
}

static fixed multiply(const fixed *a, const fixed *b, bool up) {
  uint32_t product[2 * LIMBS] = {0};
  for (int i = 0; i < LIMBS; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < LIMBS; j++) {
      carry += (uint64_t) a->limb[i] * b->limb[j] + product[i + j];
      product[i + j] = (uint32_t) carry;
      carry >>= 32;
    }
    product[i + LIMBS] = (uint32_t) carry;
  }
  bool rest = false;
  for (int i = 0; i < POINT; i++) rest |= product[i] != 0;
  fixed result;
  memcpy(result.limb, product + POINT, sizeof result.limb);
  return up && rest ? add_unit(result) : result;
}

static fixed divide(fixed a, uint32_t by, bool up) {
  uint64_t rest = 0;
  for (int i = LIMBS - 1; i >= 0; i--) {
    rest = rest << 32 | a.limb[i];
    a.limb[i] = (uint32_t) (rest / by);
    rest %= by;
  }
  return up && rest ? add_unit(a) : a;
}

static fixed twice(const fixed *a) { return add(*a, a); }

/* mantissa 2^exponent < 2 */
static fixed from_dyadic(uint64_t mantissa, int exponent, bool up) {
  fixed x = zero;
  bool rest = false;
  for (int bit = 0; bit < 64; bit++) {
    if (!(mantissa >> bit & 1)) continue;
    int place = bit + exponent + 32 * POINT;
    if (place < 0) rest = true;
    else x.limb[place / 32] |= UINT32_C(1) << (place % 32);
  }
  return up && rest ? add_unit(x) : x;
}

/* An upper bound of exp(-mantissa 2^exponent), at most 1. The number is below 2^10. */
static fixed exp_minus(uint64_t mantissa, int exponent) {
  int squarings = 0;
  while (ldexp((double) mantissa, exponent) > 0.5) {
    squarings++;
    exponent--;
  }
  const fixed below = from_dyadic(mantissa, exponent, false), above = from_dyadic(mantissa, exponent, true);
  fixed least = one, most = one, sum = one; /* bounds of the term; the sum is an upper bound after an even term */
  for (uint32_t k = 1; k <= TERMS; k++) {
    least = divide(multiply(&least, &below, false), k, false);
    most = divide(multiply(&most, &above, true), k, true);
    sum = k % 2 ? subtract(sum, &least) : add(sum, &most);
  }
  for (int i = 0; i <= squarings; i++) {
    if (compare(&sum, &one) > 0) sum = one;
    if (i < squarings) sum = multiply(&sum, &sum, true);
  }
  return sum;
}

/* a / b < 1 in 128 digits, rounded up. Returns false if that is 1. */
static bool quotient(fixed a, const fixed *b, dpt_fraction *result) {
  uint64_t digits[2] = {0, 0};
  for (int i = 0; i < DIGITS; i++) {
    a = twice(&a);
    bool digit = compare(&a, b) >= 0;
    if (digit) a = subtract(a, b);
    digits[i / 64] = digits[i / 64] << 1 | digit;
  }
  if (compare(&a, &zero) > 0 && ++digits[1] == 0 && ++digits[0] == 0) return false;
  *result = (dpt_fraction){digits[0], digits[1]};
  return true;
}

enum { PRIVATE_ENOUGH = 100 }; /* exp(-100) < 2^-144 */

dpt_fraction dpt_graph_coin(double epsilon, dpt_graph_method method) {
  dpt_fraction p = {0, 1};
  const bool laplace = method == DPT_GRAPH_LAPLACE;
  if (epsilon >= (laplace ? 2 : 1) * PRIVATE_ENOUGH) return p;
  int exponent;
  const uint64_t mantissa = (uint64_t) ldexp(frexp(epsilon, &exponent), 53);
  const fixed E = exp_minus(mantissa, exponent - 53 - laplace), D = laplace ? twice(&one) : add(E, &one);
  quotient(E, &D, &p); /* at most 1/2 */
  return p;
}

static int leading_zeros(dpt_fraction p) {
  int zeros = 0;
  while (zeros < 64 && !(p.high >> (63 - zeros) & 1)) zeros++;
  return zeros;
}

dpt_graph_skip dpt_graph_skip_for(dpt_fraction p) {
  fixed numerator = zero;
  for (int i = 0; i < 2; i++) {
    numerator.limb[POINT - 1 - i] = (uint32_t) (p.high >> (32 * (1 - i)));
    numerator.limb[POINT - 3 - i] = (uint32_t) (p.low >> (32 * (1 - i)));
  }
  dpt_graph_skip skip = {leading_zeros(p) + 1, {0, 0}}; /* q < 2^-m, and p is at least half of 2^-m */
  if (skip.m > DPT_GRAPH_SKIP_MOST) skip.m = DPT_GRAPH_SKIP_MOST;
  for (;; skip.m--) { /* q(0) = 0.63 ends it */
    const fixed E = exp_minus(1, -skip.m), q = subtract(one, &E);
    if (compare(&numerator, &q) < 0 && quotient(numerator, &q, &skip.accept)) return skip;
  }
}
