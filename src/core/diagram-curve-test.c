/* diagram-curve-test.c - distances of two groups under divisions of people, in integers.
 *
 * A division is drawn by the first steps of a shuffle (Fisher and Yates), with exactly uniform draws. Distances cost
 * one pass over the first group for each division. Squares are summed in 128 bits, and the root of the sum is exact: a
 * double is within 2^-52 of it, one step of Newton's method leaves an error of at most one, and comparisons of squares
 * remove that. The shift comes before the root, because floor(sqrt(u) / 2^s) is the integer root of floor(u / 4^s).
 * Summing the second group separately was rejected: it is the total without the first one. */
#include "diagram-curve-test.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "base-whole.h"

void dpt_curve_divide(dpt_ctx *ctx, ptrdiff_t people, ptrdiff_t first, ptrdiff_t count, unsigned char *member) {
  int32_t *order = DPT_NEW(ctx, int32_t, people);
  for (ptrdiff_t i = 0; i < people; i++) order[i] = (int32_t) i;
  memset(member, 0, (size_t) people * (size_t) count);
  for (ptrdiff_t b = 0; b < count; b++, member += people) {
    /* starting from the previous order keeps a shuffle uniform */
    for (ptrdiff_t i = 0; i < first; i++) {
      const ptrdiff_t j = i + (ptrdiff_t) dpt_draw_below(ctx, (uint64_t) (people - i));
      const int32_t chosen = order[j];
      order[j] = order[i];
      order[i] = chosen;
      member[chosen] = 1;
      dpt_tick(ctx, 20);
    }
  }
}

static uint64_t wide_root(dpt_wide x) {
  if (x == 0) return 0;
  uint64_t root = (uint64_t) sqrt((double) x);
  root = (uint64_t) ((root + x / root) / 2);
  while ((dpt_wide) root * root > x) root--;
  while ((dpt_wide) (root + 1) * (root + 1) <= x) root++;
  return root;
}

static void add_person(int64_t *sum, const double *value, ptrdiff_t columns) {
  for (ptrdiff_t j = 0; j < columns; j++) sum[j] += (int64_t) value[j];
}

void dpt_curve_distances(dpt_ctx *ctx, const double *value, ptrdiff_t columns, ptrdiff_t people,
                         const unsigned char *member, ptrdiff_t first, ptrdiff_t count, int shift, double *distance) {
  int64_t *total = DPT_NEW(ctx, int64_t, columns), *own = DPT_NEW(ctx, int64_t, columns);
  memset(total, 0, (size_t) columns * sizeof *total);
  for (ptrdiff_t i = 0; i < people; i++) add_person(total, value + i * columns, columns);
  for (ptrdiff_t b = 0; b < count; b++, member += people) {
    memset(own, 0, (size_t) columns * sizeof *own);
    for (ptrdiff_t i = 0; i < people; i++) {
      if (member[i]) add_person(own, value + i * columns, columns);
      dpt_tick(ctx, 1 + columns / 2);
    }
    dpt_wide square = 0;
    for (ptrdiff_t j = 0; j < columns; j++) {
      const int64_t apart = (int64_t) (people - first) * own[j] - (int64_t) first * (total[j] - own[j]);
      const uint64_t size = apart < 0 ? -(uint64_t) apart : (uint64_t) apart;
      square += (dpt_wide) size * size;
    }
    distance[b] = (double) wide_root(square >> (2 * shift));
  }
}
