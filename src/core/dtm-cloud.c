/* dtm-cloud.c - weighted points, copied with equal ones merged, and their distances to a place.
 *
 * Equal rows are merged into one point when they are copied, with the sum of their weights, because no halving of
 * the queries separates them. Rows are looked up in a hash table in at most PROBES places. A row that has not found
 * a place by then becomes its own point, so that no data make this slow. Nothing relies on merging all equal rows.
 *
 * Cost: one pass over the points, and one cache miss per point if they are merged. */
#include "dtm-cloud.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base-simd.h"

enum { BLOCK = 256, PROBES = 32 };

double dpt_cloud_place(dpt_placing placing, double x) {
  const double placed = x * placing.scale;
  if (!placing.whole) return placed;
  return rint(fmin(fmax(placed, -0x1p450), 0x1p450)) + 0.0;
}

dpt_cloud dpt_cloud_new(dpt_ctx *ctx, int dimension, ptrdiff_t count) {
  dpt_cloud cloud = {DPT_NEW(ctx, double *, dimension), DPT_NEW(ctx, double, count)};
  for (int j = 0; j < dimension; j++) cloud.axis[j] = DPT_NEW(ctx, double, count);
  return cloud;
}

/* Points by their coordinates: each slot is the number of a point, or -1. */
typedef struct {
  ptrdiff_t *slot;
  uint64_t mask; /* number of slots, a power of two, minus one */
} place_table;

static place_table new_place_table(dpt_ctx *ctx, ptrdiff_t count) {
  place_table table = {.mask = 15};
  while (table.mask < 2 * (uint64_t) count) table.mask = 2 * table.mask + 1;
  table.slot = DPT_NEW(ctx, ptrdiff_t, (ptrdiff_t) table.mask + 1);
  for (uint64_t i = 0; i <= table.mask; i++) table.slot[i] = -1;
  dpt_tick(ctx, (int64_t) table.mask);
  return table;
}

/* A mixture of all bits (the finalizer of MurmurHash3, Appleby, after each coordinate). */
static uint64_t hash_point(const dpt_cloud *cloud, int dimension, ptrdiff_t i) {
  uint64_t hash = 0, bits;
  for (int j = 0; j < dimension; j++) {
    memcpy(&bits, &cloud->axis[j][i], sizeof bits);
    hash = (hash ^ bits) + UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    hash ^= hash >> 33;
  }
  return hash;
}

static bool same_place(const dpt_cloud *cloud, int dimension, ptrdiff_t a, ptrdiff_t b) {
  for (int j = 0; j < dimension; j++)
    if (cloud->axis[j][a] < cloud->axis[j][b] || cloud->axis[j][a] > cloud->axis[j][b]) return false;
  return true;
}

/* Returns the point with the coordinates of point i, or i itself, which can be found from now on if there is room. */
static ptrdiff_t find_place(place_table *table, const dpt_cloud *cloud, int dimension, ptrdiff_t i) {
  const uint64_t hash = hash_point(cloud, dimension, i);
  for (uint64_t probe = 0; probe < PROBES; probe++) {
    ptrdiff_t *slot = table->slot + ((hash + probe) & table->mask);
    if (*slot < 0) return *slot = i;
    if (same_place(cloud, dimension, *slot, i)) return *slot;
  }
  return i;
}

/* Copies the points that have a positive weight. With a table, equal points become one. Weights are integers with a
 * sum of at most 2^52, so that adding them is exact. */
static ptrdiff_t copy_points(dpt_ctx *ctx, const double *points, const double *given, ptrdiff_t count, int dimension,
                             dpt_placing placing, place_table *table, dpt_cloud *cloud) {
  ptrdiff_t kept = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    if (i % BLOCK == 0) dpt_tick(ctx, 4 * BLOCK);
    const double weight = given ? given[i] : 1;
    if (weight <= 0) continue;
    for (int j = 0; j < dimension; j++)
      cloud->axis[j][kept] = dpt_cloud_place(placing, points[i + j * count]) + 0.0; /* -0 becomes 0 */
    const ptrdiff_t place = table ? find_place(table, cloud, dimension, kept) : kept;
    if (place < kept) {
      cloud->weight[place] += weight;
    } else {
      cloud->weight[kept++] = weight;
    }
  }
  return kept;
}

ptrdiff_t dpt_cloud_load(dpt_ctx *ctx, const double *points, const double *weight, ptrdiff_t count, int dimension,
                         dpt_placing placing, bool merge, dpt_cloud *cloud) {
  if (!merge) return copy_points(ctx, points, weight, count, dimension, placing, NULL, cloud);
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  place_table table = new_place_table(ctx, count);
  const ptrdiff_t kept = copy_points(ctx, points, weight, count, dimension, placing, &table, cloud);
  dpt_arena_release(&ctx->arena, mark);
  return kept;
}

void dpt_cloud_squares(const dpt_cloud *cloud, int dimension, ptrdiff_t from, ptrdiff_t count, const double *center,
                       double *squares) {
  for (int j = 0; j < dimension; j++) {
    const double *x = cloud->axis[j] + from;
    const double c = center[j];
    if (j == 0) {
      DPT_SIMD("omp simd")
      for (ptrdiff_t i = 0; i < count; i++) squares[i] = (x[i] - c) * (x[i] - c);
    } else {
      DPT_SIMD("omp simd")
      for (ptrdiff_t i = 0; i < count; i++) squares[i] += (x[i] - c) * (x[i] - c);
    }
  }
}
