/* cluster-kmeans-cube.c - the losses of neighboring choices of centers, and the rows of each center.
 *
 * The step of a private local search (Gupta, Ligett, McSherry, Roth and Talwar 2010; Balcan, Dick, Liang, Mou and Zhang
 * 2017) needs the loss of every swap of a center for a candidate. If center i is swapped for candidate c, a row loses
 * the smaller of two distances: to c, and to the nearest center other than i. The latter is the nearest center, or the
 * second nearest if i is the nearest. So for each candidate, a row adds once to `common` and once to its nearest
 * center's own numbers, instead of once for each pair.
 *
 * Distances are sums of squares of integers below 2^53, exact in doubles in any order. They become integer steps, and
 * are cut at a public number before anything is summed (inst/proofs/cluster-kmeans-cube.md).
 *
 * Cost: rows x candidates x (dimension of the image + 3) per step. 1e4 rows, 500 candidates and 4 numbers take 20
 * ms. */
#include "cluster-kmeans-cube.h"

#include <math.h>
#include <string.h>

/* Computes the squared distances of an image from all places. `turned`: count x dimension. */
static void squared_distances(const dpt_lattice_places *places, const double *turned, const int64_t *y,
                              double *square) {
  const int count = places->count;
  memset(square, 0, (size_t) count * sizeof *square);
  for (int j = 0; j < places->map.dimension; j++) {
    const double *place = turned + (ptrdiff_t) j * count;
    const double here = (double) y[j];
    for (int c = 0; c < count; c++) square[c] += (here - place[c]) * (here - place[c]);
  }
}

static const double *turn(dpt_ctx *ctx, const dpt_lattice_places *places) {
  const int p = places->map.dimension;
  double *turned = DPT_NEW(ctx, double, (ptrdiff_t) p * places->count);
  for (int j = 0; j < p; j++)
    for (int c = 0; c < places->count; c++) {
      turned[(ptrdiff_t) j * places->count + c] = places->place[j + (ptrdiff_t) c * p];
    }
  return turned;
}

static void read_image(const dpt_lattice_places *places, const dpt_cluster_rows *X, ptrdiff_t row, int64_t *q,
                       int64_t *y) {
  dpt_lattice_row(&places->lattice, X->at, X->count, row, q);
  dpt_lattice_image(&places->lattice, &places->map, q, y);
}

void dpt_kmeans_swaps(dpt_ctx *ctx, const dpt_lattice_places *places, const int *taken, int clusters, int step,
                      int clip, dpt_cluster_rows X, int64_t *loss) {
  const int count = places->count;
  const double *turned = turn(ctx, places);
  double *square = DPT_NEW(ctx, double, count);
  int32_t *steps = DPT_NEW(ctx, int32_t, count);
  int64_t *common = DPT_NEW(ctx, int64_t, count), *own = DPT_NEW(ctx, int64_t, (ptrdiff_t) count * clusters);
  int64_t q[DPT_LATTICE_MAX_DIMENSION], y[DPT_LATTICE_MAX_DIMENSION];
  const double unit = ldexp(1, -step);
  memset(common, 0, (size_t) count * sizeof *common);
  memset(own, 0, (size_t) count * (size_t) clusters * sizeof *own);
  for (ptrdiff_t row = 0; row < X.count; row++) {
    const int64_t weight = dpt_cluster_weight(&X, row);
    read_image(places, &X, row, q, y);
    squared_distances(places, turned, y, square);
    for (int c = 0; c < count; c++) {
      const double scaled = square[c] * unit;
      steps[c] = (int32_t) (scaled < clip ? scaled : clip); /* toward zero: down */
    }
    int nearest = 0;
    int32_t first = clip, second = clip;
    for (int i = 0; i < clusters; i++) {
      const int32_t here = steps[taken[i]];
      if (here < first) {
        second = first;
        first = here;
        nearest = i;
      } else if (here < second) {
        second = here;
      }
    }
    int64_t *mine = own + (ptrdiff_t) nearest * count;
    for (int c = 0; c < count; c++) {
      const int32_t without = steps[c] < second ? steps[c] : second, with = steps[c] < first ? steps[c] : first;
      common[c] += weight * with;
      mine[c] += weight * (without - with);
    }
    ctx->fraction = (double) row / (double) X.count;
    dpt_tick(ctx, (int64_t) count * (places->map.dimension + 3));
  }
  for (int c = 0; c < count; c++)
    for (int i = 0; i < clusters; i++) loss[i + (ptrdiff_t) c * clusters] = common[c] + own[(ptrdiff_t) i * count + c];
}

void dpt_kmeans_nearest(dpt_ctx *ctx, const dpt_lattice_places *places, dpt_cluster_rows X, int64_t *total) {
  const int d = places->lattice.dimension;
  const double *turned = turn(ctx, places);
  double *square = DPT_NEW(ctx, double, places->count);
  int64_t q[DPT_LATTICE_MAX_DIMENSION], y[DPT_LATTICE_MAX_DIMENSION];
  memset(total, 0, (size_t) places->count * (size_t) (1 + d) * sizeof *total);
  for (ptrdiff_t row = 0; row < X.count; row++) {
    const int64_t weight = dpt_cluster_weight(&X, row);
    read_image(places, &X, row, q, y);
    squared_distances(places, turned, y, square);
    int best = 0;
    for (int c = 1; c < places->count; c++)
      if (square[c] < square[best]) best = c;
    int64_t *here = total + (ptrdiff_t) best * (1 + d);
    here[0] += weight;
    for (int j = 0; j < d; j++) here[1 + j] += weight * q[j];
    ctx->fraction = (double) row / (double) X.count;
    dpt_tick(ctx, (int64_t) places->count * (places->map.dimension + 2) + d);
  }
}
