/* persistence-essential.c - separates infinite points of a diagram from finite points. O(n log n) for n infinite
 * points. */
#include "persistence-essential.h"

#include <math.h>
#include <stdlib.h>

enum { NONE = -1 };

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* The kind of a point, or NONE if it is finite, and its finite coordinate. */
static int essential_kind(double birth, double death, double *level) {
  bool birthless = isinf(birth), deathless = isinf(death);
  *level = !birthless ? birth : deathless ? 0 : death;
  if (birthless) return deathless ? DPT_BOTH_LESS : DPT_BIRTHLESS;
  return deathless ? DPT_DEATHLESS : NONE;
}

dpt_split_points dpt_split_essential(dpt_ctx *ctx, const dpt_points *points) {
  dpt_split_points split = {*points, {NULL, NULL, NULL}, {0, 0, 0}};
  double level;
  ptrdiff_t finite = 0;
  for (ptrdiff_t i = 0; i < points->count; i++) {
    finite += essential_kind(points->birth[i], points->death[i], &level) == NONE;
  }
  if (finite == points->count) return split;
  double *birth = DPT_NEW(ctx, double, finite), *death = DPT_NEW(ctx, double, finite);
  for (int kind = 0; kind < DPT_ENDLESS_KINDS; kind++) {
    split.level[kind] = DPT_NEW(ctx, double, points->count - finite);
  }
  finite = 0;
  for (ptrdiff_t i = 0; i < points->count; i++) {
    int kind = essential_kind(points->birth[i], points->death[i], &level);
    if (kind == NONE) {
      birth[finite] = points->birth[i];
      death[finite++] = points->death[i];
    } else {
      split.level[kind][split.count[kind]++] = level;
    }
  }
  for (int kind = 0; kind < DPT_ENDLESS_KINDS; kind++) {
    qsort(split.level[kind], (size_t) split.count[kind], sizeof(double), compare_doubles);
  }
  split.finite = (dpt_points){birth, death, finite};
  return split;
}
