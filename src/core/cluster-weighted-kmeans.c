/* cluster-weighted-kmeans.c - k-means of public points with weights.
 *
 * Seeding as in k-means++ (Arthur and Vassilvitskii 2007): a point becomes a center with probability in proportion to
 * its weight times the square of its distance to the centers before. If all points with weight are at centers, the
 * distance alone decides. If all points are at centers, the first point is taken again. Then the rounds of Lloyd
 * (1982): each point goes to its nearest center (the first one wins ties), and each center moves to the mean of its
 * points. A center without weight stays. The seeding that ends with the smallest loss wins (the first one, if tied).
 * The caller supplies the numbers that select the seedings, so that everything is determined.
 *
 * Cost: points x clusters x dimension per round. Bounds that save distances (Hamerly 2010) were left out: for 1e5
 * points of two numbers and twenty centers a round takes 4 ms, as in stats::kmeans(), and no larger data are passed. */
#include "cluster-weighted-kmeans.h"

#include <math.h>
#include <string.h>

typedef struct {
  double *square; /* of each point, to its nearest center */
  int *nearest;   /* its number */
  double *total;  /* weighted sums: dimension x clusters */
  double *center; /* dimension x clusters */
  double *size;   /* weight of each cluster */
} kmeans_room;

static double squared_distance(int dimension, const double *x, const double *y) {
  double sum = 0;
  for (int j = 0; j < dimension; j++) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

/* Computes the chance of a point, by `kind`: 0 weight times distance, 1 distance, 2 none. */
static double chance(const dpt_weighted_points *data, const double *square, ptrdiff_t i, int kind) {
  return kind == 0 ? data->weight[i] * square[i] : kind == 1 ? square[i] : 0;
}

/* Finds the point that a number in [0, 1) selects. */
static ptrdiff_t draw_point(const dpt_weighted_points *data, const double *square, double unit) {
  for (int kind = 0; kind < 2; kind++) {
    double total = 0, up_to = 0;
    ptrdiff_t last = -1;
    for (ptrdiff_t i = 0; i < data->count; i++) total += chance(data, square, i, kind);
    if (!(total > 0)) continue;
    for (ptrdiff_t i = 0; i < data->count; i++) {
      const double here = chance(data, square, i, kind);
      if (!(here > 0)) continue;
      last = i;
      up_to += here;
      if (up_to > unit * total) break;
    }
    return last;
  }
  return 0;
}

static void seed(dpt_ctx *ctx, const dpt_weighted_points *data, int clusters, const double *unit, kmeans_room *room) {
  const int d = data->dimension;
  for (ptrdiff_t i = 0; i < data->count; i++) room->square[i] = 1;
  for (int k = 0; k < clusters; k++) {
    const double *taken = data->points + draw_point(data, room->square, unit[k]) * d;
    memcpy(room->center + (ptrdiff_t) k * d, taken, (size_t) d * sizeof *taken);
    for (ptrdiff_t i = 0; i < data->count; i++) {
      const double square = squared_distance(d, data->points + i * d, taken);
      if (k == 0 || square < room->square[i]) room->square[i] = square;
    }
    dpt_tick(ctx, data->count * (4 + d));
  }
}

/* Assigns every point to its nearest center. Returns false if none has moved. */
static bool assign(dpt_ctx *ctx, const dpt_weighted_points *data, int clusters, kmeans_room *room) {
  const int d = data->dimension;
  bool moved = false;
  memset(room->total, 0, (size_t) clusters * (size_t) d * sizeof *room->total);
  memset(room->size, 0, (size_t) clusters * sizeof *room->size);
  for (ptrdiff_t i = 0; i < data->count; i++) {
    const double *x = data->points + i * d;
    double least = INFINITY;
    int best = 0;
    for (int k = 0; k < clusters; k++) {
      const double square = squared_distance(d, x, room->center + (ptrdiff_t) k * d);
      if (square < least) {
        least = square;
        best = k;
      }
    }
    moved |= room->nearest[i] != best;
    room->nearest[i] = best;
    room->square[i] = least;
    room->size[best] += data->weight[i];
    for (int j = 0; j < d; j++) room->total[(ptrdiff_t) best * d + j] += data->weight[i] * x[j];
    dpt_tick(ctx, (int64_t) clusters * (1 + d));
  }
  return moved;
}

static void update(int dimension, int clusters, kmeans_room *room) {
  for (int k = 0; k < clusters; k++) {
    if (!(room->size[k] > 0)) continue;
    for (int j = 0; j < dimension; j++) {
      const ptrdiff_t place = (ptrdiff_t) k * dimension + j;
      room->center[place] = room->total[place] / room->size[k];
    }
  }
}

double dpt_weighted_kmeans(dpt_ctx *ctx, const dpt_weighted_points *data, int clusters, const double *unit, int starts,
                           int rounds, double *center, double *size) {
  const ptrdiff_t places = (ptrdiff_t) clusters * data->dimension;
  kmeans_room room = {.square = DPT_NEW(ctx, double, data->count),
                      .nearest = DPT_NEW(ctx, int, data->count),
                      .total = DPT_NEW(ctx, double, places),
                      .center = DPT_NEW(ctx, double, places),
                      .size = DPT_NEW(ctx, double, clusters)};
  double best = INFINITY;
  for (int s = 0; s < starts; s++) {
    seed(ctx, data, clusters, unit + (ptrdiff_t) s * clusters, &room);
    for (ptrdiff_t i = 0; i < data->count; i++) room.nearest[i] = -1;
    for (int round = 0; assign(ctx, data, clusters, &room) && round < rounds; round++) {
      update(data->dimension, clusters, &room);
    }
    double loss = 0;
    for (ptrdiff_t i = 0; i < data->count; i++) loss += data->weight[i] * room.square[i];
    if (s == 0 || loss < best) {
      best = loss;
      memcpy(center, room.center, (size_t) places * sizeof *center);
      memcpy(size, room.size, (size_t) clusters * sizeof *size);
    }
    ctx->fraction = (double) (s + 1) / (double) starts;
  }
  return best;
}
