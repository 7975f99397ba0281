/* diagram-curve.c - curves on a grid become vectors of integers that are not too long.
 *
 * Negative numbers and numbers that are not finite become 0. The others are divided by the step, capped at 2^bits, and
 * rounded down. With s the sum of their squares, at most 1024 4^20 = 2^50, and r the smallest integer with r^2 >= s, a
 * vector with r > 2^bits is shortened to the integers below w 2^bits / r. The sum of their squares is at most
 * s 4^bits / r^2 <= 4^bits. So the bound holds for all doubles, in integers. See inst/proofs/diagram-curve.md.
 *
 * Cost: a few operations per number. Memory is the limit, 16 bytes for each number. */
#include "diagram-curve.h"

#include <math.h>

static int64_t count_steps(double value, double steps, double most) {
  if (!(value > 0 && isfinite(value))) return 0;
  const double x = value * steps;
  return (int64_t) (x < most ? x : most);
}

/* The smallest integer whose square is at least s, for s up to 2^50. */
static int64_t root_up(int64_t s) {
  int64_t r = (int64_t) sqrt((double) s);
  while (r * r < s) r++;
  while (r > 0 && (r - 1) * (r - 1) >= s) r--;
  return r;
}

void dpt_curve_cut(dpt_ctx *ctx, const double *curves, ptrdiff_t rows, int size, double radius, int bits, double *cut) {
  const int64_t most = (int64_t) 1 << bits;
  const double steps = (double) most / radius;
  int64_t w[DPT_CURVE_MOST_SIZE];
  for (ptrdiff_t i = 0; i < rows; i++) {
    int64_t s = 0;
    for (int j = 0; j < size; j++) {
      w[j] = count_steps(curves[i + j * rows], steps, (double) most);
      s += w[j] * w[j];
    }
    const int64_t r = root_up(s);
    for (int j = 0; j < size; j++) cut[i + j * rows] = (double) (r > most ? w[j] * most / r : w[j]);
    dpt_tick(ctx, 8 * size);
  }
}
