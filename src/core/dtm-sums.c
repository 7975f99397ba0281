/* dtm-sums.c - sums of powers of distances.
 *
 * In doubles, all terms are positive, and blocks are added together with their rounding errors. The relative error
 * therefore does not grow with the number of terms. In integers, nothing is rounded. The processor's square root and
 * a conversion give the integer part of the root of a square up to 2^52, because a root that is not an integer is
 * farther from the next integer than half a unit in the last place. A sum of squares is stored in two parts below
 * 2^53 each. inst/proofs/dtm-sensitivity.md explains which results rely on this.
 *
 * Cost: a square root for each point (r = 1), which is the limit: two in about nine cycles with SSE2.
 *
 * Rejected: leaving the square roots to the compiler (it cannot use vectors while sqrt() may set errno); 64-bit sums
 * of integers (SSE2 cannot convert to them). */
#include "dtm-sums.h"

#include <math.h>
#include <stdint.h>

#include "base-simd.h"
#include "base-whole.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static double sum_of_roots(const double *square, const double *weight, ptrdiff_t count) {
  double sum = 0;
  ptrdiff_t i = 0;
#ifdef __SSE2__
  __m128d even = _mm_setzero_pd(), odd = _mm_setzero_pd();
  for (; i + 4 <= count; i += 4) {
    even = _mm_add_pd(even, _mm_mul_pd(_mm_loadu_pd(weight + i), _mm_sqrt_pd(_mm_loadu_pd(square + i))));
    odd = _mm_add_pd(odd, _mm_mul_pd(_mm_loadu_pd(weight + i + 2), _mm_sqrt_pd(_mm_loadu_pd(square + i + 2))));
  }
  double lanes[2];
  _mm_storeu_pd(lanes, _mm_add_pd(even, odd));
  sum = lanes[0] + lanes[1];
#endif
  for (; i < count; i++) sum += weight[i] * sqrt(square[i]);
  return sum;
}

static double sum_of_squares(const double *square, const double *weight, ptrdiff_t count) {
  double sum = 0;
  DPT_SIMD("omp simd reduction(+ : sum)")
  for (ptrdiff_t i = 0; i < count; i++) sum += weight[i] * square[i];
  return sum;
}

static double sum_of_powers(const double *square, const double *weight, ptrdiff_t count, double r, double limit) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < count; i++) sum += weight[i] * pow(fmin(square[i] / limit, 1), r / 2);
  return sum;
}

#ifdef __SSE2__
static __m128d whole_roots(const double *square) {
  return _mm_cvtepi32_pd(_mm_cvttpd_epi32(_mm_sqrt_pd(_mm_loadu_pd(square))));
}
#endif

/* Sums the integer parts of roots, each at most 2^26. */
static double sum_of_whole_roots(const double *square, const double *weight, ptrdiff_t count) {
  double sum = 0;
  ptrdiff_t i = 0;
#ifdef __SSE2__
  __m128d even = _mm_setzero_pd(), odd = _mm_setzero_pd();
  for (; i + 4 <= count; i += 4) {
    even = _mm_add_pd(even, _mm_mul_pd(_mm_loadu_pd(weight + i), whole_roots(square + i)));
    odd = _mm_add_pd(odd, _mm_mul_pd(_mm_loadu_pd(weight + i + 2), whole_roots(square + i + 2)));
  }
  double lanes[2];
  _mm_storeu_pd(lanes, _mm_add_pd(even, odd));
  sum = lanes[0] + lanes[1];
#endif
  for (; i < count; i++) sum += weight[i] * (double) (int32_t) sqrt(square[i]);
  return sum;
}

static void add_whole_squares(dpt_power_sum *total, const double *square, const double *weight, ptrdiff_t count) {
  const double unit = total->whole, per_unit = 1 / unit;
  double high = 0, low = 0;
  DPT_SIMD("omp simd reduction(+ : high, low)")
  for (ptrdiff_t i = 0; i < count; i++) {
    const double units = (double) (int32_t) (square[i] * per_unit);
    high += weight[i] * units;
    low += weight[i] * (square[i] - units * unit);
  }
  total->sum += high;
  total->rest += low;
}

static void add(dpt_power_sum *total, double x) {
  double sum = total->sum + x, part = sum - total->sum;
  total->rest += (total->sum - (sum - part)) + (x - part);
  total->sum = sum;
}

double dpt_power_whole(double clip) {
  int exponent = 0;
  return frexp(clip, &exponent) > 0.5 ? ldexp(1, exponent) : clip;
}

void dpt_power_sum_add(dpt_power_sum *total, const double *square, const double *weight, ptrdiff_t count) {
  if (total->whole > 0 && total->r == 1) {
    total->sum += sum_of_whole_roots(square, weight, count);
  } else if (total->whole > 0) {
    add_whole_squares(total, square, weight, count);
  } else if (total->r == 1) {
    add(total, sum_of_roots(square, weight, count));
  } else if (total->r == 2) {
    add(total, sum_of_squares(square, weight, count));
  } else {
    add(total, sum_of_powers(square, weight, count, total->r, total->limit));
  }
}

double dpt_power_sum_mean(dpt_power_sum total, double left, double R, double neighbors) {
  if (total.r == 1) {
    add(&total, left * R);
    return (total.sum + total.rest) / neighbors;
  }
  if (total.r == 2) {
    add(&total, left * total.limit);
    return sqrt((total.sum + total.rest) / neighbors);
  }
  add(&total, left);
  return R * pow((total.sum + total.rest) / neighbors, 1 / total.r);
}

/* floor(sqrt(x)). The double is within one of it, because x < 2^64. */
static uint64_t whole_root(uint64_t x) {
  uint64_t root = (uint64_t) sqrt((double) x);
  while ((dpt_wide) root * root > x) root--;
  while ((dpt_wide) (root + 1) * (root + 1) <= x) root++;
  return root;
}

double dpt_power_sum_steps(dpt_power_sum total, double change, double unit, double steps) {
  const uint64_t C = (uint64_t) change, W = (uint64_t) unit, K = (uint64_t) steps, S = (uint64_t) total.sum;
  if (total.r == 1) return (double) (uint64_t) ((dpt_wide) S * K / (W * C));
  const dpt_wide squares = (dpt_wide) S * (uint64_t) total.whole + (uint64_t) total.rest;
  return (double) whole_root((uint64_t) (squares * (K * K) / ((dpt_wide) C * C * W)));
}
