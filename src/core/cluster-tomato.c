/* cluster-tomato.c - ToMATo: hill climbing on a graph, with merging of peaks by prominence.
 *
 * Points are visited from the densest to the least dense (the first one wins ties). A point without a denser neighbor
 * is a peak. Any other point joins the cluster of its densest neighbor. If its neighbors belong to several clusters, it
 * is the pass between them. A cluster whose peak is less than `prominence` above the pass, or not above it, is merged
 * into the cluster with the higher peak (Chazal, Guibas, Oudot and Skraba 2013). With infinite prominence the merges
 * are the 0-dimensional persistence of the density on the graph. Clusters are stored by union-find with path halving.
 *
 * Cost: O(count log count + edges) with a graph. Nearest neighbors and kernel densities are computed by all distances,
 * O(count^2 dimension); a tree would be faster in the plane and slower above ten dimensions. */
#include "cluster-tomato.h"

#include <math.h>
#include <string.h>

/* Copies a matrix row by row. */
static double *turn(dpt_ctx *ctx, ptrdiff_t count, ptrdiff_t dimension, const double *X, const double *unit) {
  double *rows = DPT_NEW(ctx, double, count *dimension);
  for (ptrdiff_t j = 0; j < dimension; j++)
    for (ptrdiff_t i = 0; i < count; i++)
      rows[i * dimension + j] = unit ? X[i + j * count] / unit[j] : X[i + j * count];
  return rows;
}

static double squared_distance(ptrdiff_t dimension, const double *x, const double *y) {
  double sum = 0;
  for (ptrdiff_t j = 0; j < dimension; j++) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

void dpt_cluster_neighbors(dpt_ctx *ctx, ptrdiff_t count, ptrdiff_t dimension, const double *X, ptrdiff_t k,
                           ptrdiff_t *neighbor) {
  const double *rows = turn(ctx, count, dimension, X, NULL);
  double *square = DPT_NEW(ctx, double, k);
  ptrdiff_t *nearest = DPT_NEW(ctx, ptrdiff_t, k);
  for (ptrdiff_t i = 0; i < count; i++) {
    ptrdiff_t kept = 0;
    for (ptrdiff_t j = 0; j < count; j++) {
      if (j == i) continue;
      const double here = squared_distance(dimension, rows + i * dimension, rows + j * dimension);
      if (kept == k && (k == 0 || !(here < square[k - 1]))) continue;
      ptrdiff_t place = kept < k ? kept++ : k - 1;
      for (; place > 0 && square[place - 1] > here; place--) {
        square[place] = square[place - 1];
        nearest[place] = nearest[place - 1];
      }
      square[place] = here;
      nearest[place] = j;
    }
    for (ptrdiff_t j = 0; j < k; j++) neighbor[i + j * count] = nearest[j];
    ctx->fraction = (double) i / (double) count;
    dpt_tick(ctx, count * (2 + dimension));
  }
}

void dpt_cluster_kernel_density(dpt_ctx *ctx, ptrdiff_t count, ptrdiff_t dimension, const double *X,
                                const double *bandwidth, double *log_density) {
  const double *rows = turn(ctx, count, dimension, X, bandwidth);
  double shift = log((double) count) + (double) dimension * 0.91893853320467274178; /* log(2 pi) / 2 */
  for (ptrdiff_t j = 0; j < dimension; j++) shift += log(bandwidth[j]);
  for (ptrdiff_t i = 0; i < count; i++) {
    /* the point itself is the nearest: no term exceeds one */
    double sum = 0;
    for (ptrdiff_t j = 0; j < count; j++)
      sum += exp(-squared_distance(dimension, rows + i * dimension, rows + j * dimension) / 2);
    log_density[i] = log(sum) - shift;
    ctx->fraction = (double) i / (double) count;
    dpt_tick(ctx, count * (10 + dimension));
  }
}

/* ---- The graph by points --------------------------------------------------------------------------------------- */

typedef struct {
  ptrdiff_t *first; /* of point i: neighbor[first[i]] to before neighbor[first[i + 1]] */
  ptrdiff_t *neighbor;
} adjacency;

static adjacency list_neighbors(dpt_ctx *ctx, const dpt_cluster_graph *graph) {
  adjacency list = {DPT_NEW(ctx, ptrdiff_t, graph->count + 2), DPT_NEW(ctx, ptrdiff_t, 2 * graph->edges)};
  memset(list.first, 0, (size_t) (graph->count + 2) * sizeof *list.first);
  /* counted two positions later, so that filling in moves each count to its own position */
  for (ptrdiff_t e = 0; e < graph->edges; e++) {
    list.first[graph->from[e] + 2]++;
    list.first[graph->to[e] + 2]++;
  }
  for (ptrdiff_t i = 2; i < graph->count + 2; i++) list.first[i] += list.first[i - 1];
  for (ptrdiff_t e = 0; e < graph->edges; e++) {
    list.neighbor[list.first[graph->from[e] + 1]++] = graph->to[e];
    list.neighbor[list.first[graph->to[e] + 1]++] = graph->from[e];
  }
  return list;
}

static bool is_denser(const double *density, ptrdiff_t i, ptrdiff_t j) {
  return density[i] > density[j] || (density[i] == density[j] && i < j);
}

/* Sorts the numbers of the points, the densest first, by merging. */
static ptrdiff_t *sort_points(dpt_ctx *ctx, ptrdiff_t count, const double *density) {
  ptrdiff_t *order = DPT_NEW(ctx, ptrdiff_t, count), *other = DPT_NEW(ctx, ptrdiff_t, count);
  for (ptrdiff_t i = 0; i < count; i++) order[i] = i;
  for (ptrdiff_t width = 1; width < count; width *= 2) {
    for (ptrdiff_t from = 0; from < count; from += 2 * width) {
      const ptrdiff_t middle = from + width < count ? from + width : count;
      const ptrdiff_t end = middle + width < count ? middle + width : count;
      ptrdiff_t left = from, right = middle;
      for (ptrdiff_t place = from; place < end; place++) {
        const bool take_left = left < middle && (right == end || is_denser(density, order[left], order[right]));
        other[place] = take_left ? order[left++] : order[right++];
      }
      dpt_tick(ctx, 5 * (end - from));
    }
    ptrdiff_t *kept = order;
    order = other;
    other = kept;
  }
  return order;
}

static ptrdiff_t find_root(ptrdiff_t *parent, ptrdiff_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

ptrdiff_t dpt_cluster_tomato(dpt_ctx *ctx, const dpt_cluster_graph *graph, const double *density, double prominence,
                             ptrdiff_t *root, ptrdiff_t *lower, ptrdiff_t *pass) {
  const ptrdiff_t count = graph->count;
  const adjacency list = list_neighbors(ctx, graph);
  const ptrdiff_t *order = sort_points(ctx, count, density);
  ptrdiff_t merges = 0;
  /* a root is the peak of its cluster */
  for (ptrdiff_t i = 0; i < count; i++) root[i] = i;
  for (ptrdiff_t place = 0; place < count; place++) {
    const ptrdiff_t i = order[place], from = list.first[i], to = list.first[i + 1];
    ptrdiff_t densest = i;
    for (ptrdiff_t e = from; e < to; e++)
      if (is_denser(density, list.neighbor[e], densest)) densest = list.neighbor[e];
    dpt_tick(ctx, 20 + 10 * (to - from));
    if (densest == i) continue;
    ptrdiff_t own = root[i] = find_root(root, densest);
    for (ptrdiff_t e = from; e < to; e++) {
      if (!is_denser(density, list.neighbor[e], i)) continue;
      const ptrdiff_t other = find_root(root, list.neighbor[e]);
      if (other == own) continue;
      const ptrdiff_t loser = is_denser(density, own, other) ? other : own;
      const double above = density[loser] - density[i];
      if (above > 0 && above >= prominence) continue;
      root[loser] = loser == own ? other : own;
      own = root[loser];
      lower[merges] = loser;
      pass[merges++] = i;
    }
  }
  for (ptrdiff_t i = 0; i < count; i++) root[i] = find_root(root, i);
  return merges;
}
