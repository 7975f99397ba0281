/* persistence-rips.c - edge values of a weighted Rips filtration, and its connected components.
 *
 * Rounding. On a lattice the half sum is rounded down, which keeps the filtration 1-Lipschitz. If no value moves by
 * more than an integer K, the sum of two moves by at most 2K, its half by K, and floor(x + K) = floor(x) + K. The
 * floor is monotone, so it moves by at most K, and so does a maximum. Rounding a half to the even number does not
 * have this property: it takes 1/2 to 0 and 3/2 to 2, a step of two for a step of one. The sum is formed in 64-bit
 * integers, because three numbers up to 2^52 may exceed the range in which doubles have no gaps.
 *
 * Components. A minimum spanning tree has the components of the graph at every level, and vertices are born no later
 * than their edges. Prim's algorithm (1957), which computes edge values on use and stores the vertices outside the
 * tree together, leaves count - 1 edges to sort. Union-find in their order gives the pairs, and the component that
 * was born later ends (the elder rule). Cutting at the cap is monotone and can wait until then. A vertex that enters
 * at the cap or later makes no pair.
 *
 * Cost: O(count^2) time, 30 ms for 2,000 vertices, and O(count) memory. Rejected: a sort of all edges, which alone
 * takes five times as long, with a list of them in memory. Limit: the matrix of lengths, 8 count^2 bytes. */
#include "persistence-rips.h"

#include <math.h>
#include <stdlib.h>

static inline double half_sum(bool whole, double x, double y, double length) {
  if (!whole) return (x + y + length) / 2;
  const int64_t sum = (int64_t) x + (int64_t) y + (int64_t) length;
  return (double) ((sum - (sum & 1)) / 2);
}

static inline double edge_value(bool whole, double x, double y, double length) {
  const double half = half_sum(whole, x, y, length), later = x > y ? x : y;
  return half > later ? half : later;
}

double dpt_rips_edges(dpt_ctx *ctx, const dpt_rips *rips, double *edge) {
  const ptrdiff_t count = rips->count;
  double *farthest = DPT_NEW(ctx, double, count);
  for (ptrdiff_t i = 0; i < count; i++) farthest[i] = -INFINITY;
  for (ptrdiff_t j = 0; j < count; j++) {
    const double *length = rips->length + j * count;
    for (ptrdiff_t i = j + 1; i < count; i++) {
      const double here = edge_value(rips->whole, rips->value[i], rips->value[j], length[i]);
      *edge++ = here;
      if (here > farthest[i]) farthest[i] = here;
      if (here > farthest[j]) farthest[j] = here;
    }
    dpt_tick(ctx, 2 * (count - j));
  }
  double cone = farthest[0];
  for (ptrdiff_t i = 1; i < count; i++) cone = farthest[i] < cone ? farthest[i] : cone;
  return cone;
}

typedef struct {
  double level;
  ptrdiff_t from, to;
} tree_edge;

/* A total order, so that the result does not depend on how the library sorts. */
static int by_level(const void *x, const void *y) {
  const tree_edge *a = x, *b = y;
  if (a->level != b->level) return a->level < b->level ? -1 : 1;
  return a->to < b->to ? -1 : 1;
}

/* The edges of a minimum spanning tree, in any order: `to` is another vertex in each. */
static tree_edge *span(dpt_ctx *ctx, const dpt_rips *rips) {
  const ptrdiff_t count = rips->count;
  /* for each vertex outside the tree, its lowest edge into the tree */
  tree_edge *outside = DPT_NEW(ctx, tree_edge, count);
  for (ptrdiff_t i = 1; i < count; i++) outside[i - 1] = (tree_edge){INFINITY, 0, i};
  ptrdiff_t newest = 0;
  for (ptrdiff_t left = count - 1; left > 0; left--) {
    const double value = rips->value[newest], *length = rips->length + newest * count;
    ptrdiff_t nearest = 0;
    for (ptrdiff_t k = 0; k < left; k++) {
      tree_edge *edge = outside + k;
      const double here = edge_value(rips->whole, value, rips->value[edge->to], length[edge->to]);
      if (here < edge->level) {
        edge->level = here;
        edge->from = newest;
      }
      if (edge->level < outside[nearest].level) nearest = k;
    }
    const tree_edge taken = outside[nearest];
    newest = taken.to;
    outside[nearest] = outside[left - 1];
    outside[left - 1] = taken; /* now outside the search: the edges of the tree gather at the end */
    dpt_tick(ctx, 10 + 2 * left);
  }
  return outside;
}

static ptrdiff_t find_root(ptrdiff_t *parent, ptrdiff_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

ptrdiff_t dpt_rips_components(dpt_ctx *ctx, const dpt_rips *rips, double cap, double *birth, double *death) {
  const ptrdiff_t count = rips->count;
  tree_edge *edge = span(ctx, rips);
  qsort(edge, (size_t) (count - 1), sizeof *edge, by_level);
  /* a root is the first-born vertex of its component */
  ptrdiff_t *parent = DPT_NEW(ctx, ptrdiff_t, count), pairs = 0;
  for (ptrdiff_t i = 0; i < count; i++) parent[i] = i;
  for (ptrdiff_t e = 0; e < count - 1; e++) {
    ptrdiff_t elder = find_root(parent, edge[e].from), younger = find_root(parent, edge[e].to);
    if (rips->value[younger] < rips->value[elder]) {
      const ptrdiff_t kept = elder;
      elder = younger;
      younger = kept;
    }
    parent[younger] = elder;
    const double end = edge[e].level < cap ? edge[e].level : cap;
    if (rips->value[younger] < end) {
      birth[pairs] = rips->value[younger];
      death[pairs++] = end;
    }
  }
  return pairs;
}
