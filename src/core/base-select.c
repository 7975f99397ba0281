/* base-select.c - the weighted k-th smallest by quickselect without unpredictable branches.
 *
 * Cost: about two visits of each key, a nanosecond each. The limit is one visit. Each round splits the range by a
 * pivot. Elements are swapped without a branch, and the cursor moves by the outcome of the comparison (Lomuto's
 * scheme), because on random keys a mispredicted branch would cost five times the swap.
 *
 * Pivots: callers select from narrow brackets in which keys are spread almost evenly. The first choice is therefore
 * the value at which an even spread would have the target, moved a little to the far side of the larger part. The
 * next round then most likely works on a small rest (the idea of Floyd and Rivest 1975, Algorithm 489, without their
 * sample). Every second round uses the median of three keys instead, which shrinks the range for all keys. */
#include "base-select.h"

#include <math.h>
#include <stdbool.h>

enum { SMALL = 12 };

/* Moves the keys below the limit to the front. Returns their number and adds up their weight. */
static ptrdiff_t split(double *key, double *weight, ptrdiff_t count, double limit, double *below) {
  double total = 0;
  ptrdiff_t front = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    double k = key[i], w = weight[i];
    bool is_below = k < limit;
    key[i] = key[front];
    weight[i] = weight[front];
    key[front] = k;
    weight[front] = w;
    front += is_below;
    total += is_below ? w : 0;
  }
  *below = total;
  return front;
}

static double median_of_three(const double *key, ptrdiff_t count) {
  double a = key[0], b = key[count / 2], c = key[count - 1];
  double low = fmin(a, b), high = fmax(a, b);
  return fmax(low, fmin(high, c));
}

/* Position of the target if keys were spread evenly over [lower, upper], moved towards the middle by about the error
 * of such a guess. */
static double even_pivot(ptrdiff_t count, double part, double lower, double upper) {
  double shift = 1.5 / sqrt((double) count);
  return lower + (upper - lower) * (part < 0.5 ? fmin(part + shift, 0.5) : fmax(part - shift, 0.5));
}

static double select_small(double *key, double *weight, ptrdiff_t count, double target, double upper) {
  for (ptrdiff_t i = 1; i < count; i++) {
    double k = key[i], w = weight[i];
    ptrdiff_t j = i;
    for (; j > 0 && key[j - 1] > k; j--) {
      key[j] = key[j - 1];
      weight[j] = weight[j - 1];
    }
    key[j] = k;
    weight[j] = w;
  }
  double reached = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    reached += weight[i];
    if (reached >= target) return key[i];
  }
  return upper;
}

double dpt_select_weighted(dpt_ctx *ctx, double *key, double *weight, ptrdiff_t count, double target, double lower,
                           double upper) {
  double total = 0;
  for (ptrdiff_t i = 0; i < count; i++) total += weight[i];
  if (total < target) return upper;
  for (bool even = true; count > SMALL; even = !even) {
    double below;
    if (ctx) dpt_tick(ctx, 4 * count);
    double pivot = even ? even_pivot(count, target / total, lower, upper) : median_of_three(key, count);
    ptrdiff_t front = split(key, weight, count, pivot, &below);
    if (front > 0 && target <= below) {
      count = front;
      total = below;
      upper = pivot;
      continue;
    }
    if (front == 0 && !even) { /* The pivot is the smallest key: pass all ties with it. */
      front = split(key, weight, count, nextafter(pivot, INFINITY), &below);
      if (target <= below) return pivot;
    }
    key += front;
    weight += front;
    count -= front;
    target -= below;
    total -= below;
    lower = pivot;
  }
  return select_small(key, weight, count, target, upper);
}
