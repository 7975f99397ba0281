/* persistence-grid-sort.h - a stable sort of keyed records, and keys for doubles. */
#ifndef DPT_PERSISTENCE_GRID_SORT_H
#define DPT_PERSISTENCE_GRID_SORT_H

#include <string.h>

#include "base-context.h"

typedef struct {
  uint64_t key;
  uint32_t id;
} dpt_grid_record;

/* A key whose order as an integer is the order of the doubles. -0 and 0 have the same key. */
static inline uint64_t dpt_grid_key(double x) {
  uint64_t bits;
  x += 0.0;
  memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | (UINT64_C(1) << 63);
}

/* The double of a key. */
static inline double dpt_grid_value(uint64_t key) {
  const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Sorts by key, increasing and stable. */
void dpt_grid_sort(dpt_ctx *ctx, dpt_grid_record *records, ptrdiff_t count);

#endif
