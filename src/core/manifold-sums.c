/* manifold-sums.c - half the mean squared distance to a cloud of points, or the mean distance, with its gradient.
 *
 * One logarithm a point. Blocks of points are summed by any thread, and the blocks are added in their order with
 * compensation (Neumaier 1974), so that the sum does not depend on the threads and its error not on the number of
 * points. The limit is the manifold's log; one thread adds up at about a nanosecond a coordinate.
 *
 * The shortest subgradient of the mean distance at a point of the cloud: what pulls away, shortened by the weight that
 * stands there (Vardi and Zhang 2000). */
#include "manifold-sums.h"

#include "manifold-ball.h"
#include "manifold-parts.h"
#include "manifold-points.h"
#include "manifold-rounding.h"

/* A block has as many points as take BLOCK_COST nanoseconds, within bounds: enough blocks for the threads, few enough
 * that their sums are small against the points. A function of the manifold alone, or results would change. */
enum { LEAST = 4, MOST = 64 };
static const double BLOCK_COST = 1e5;

/* What a block sums of the bounds of rounding errors, after twice `dimension` entries of the gradient and of what
 * rounding took from it; all but the radius are added up. */
enum { NOISE, PLACES, LENGTHS, BOUNDS, RADIUS = BOUNDS, BOUND_ENTRIES };

/* What a block sums, after the `dimension` entries of the gradient; the first SUMS are added up, the others not. */
enum { VALUE, PULL, HERE, SUMS, FAR = SUMS, NEAR, NEAREST, ENTRIES };

struct dpt_cloud {
  const dpt_manifold *manifold;
  dpt_weighted points;
  double total; /* weight */
  bool median;
  double touch;
  ptrdiff_t block, blocks;
  double *rows; /* one for each block */
  double *sum, *lost;
};

static void add(double *sum, double *lost, double term) {
  double next = *sum + term;
  *lost += fabs(*sum) >= fabs(term) ? (*sum - next) + term : (term - next) + *sum;
  *sum = next;
}

static double weight_of(const dpt_weighted *points, ptrdiff_t i) { return points->weights ? points->weights[i] : 1; }

static double total_weight(const dpt_weighted *points) {
  double sum = 0, lost = 0;
  for (ptrdiff_t i = 0; i < points->count; i++) add(&sum, &lost, weight_of(points, i));
  return sum + lost;
}

dpt_cloud *dpt_cloud_new(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, bool median, double touch) {
  dpt_cloud *cloud = DPT_NEW(ctx, dpt_cloud, 1);
  double fit = BLOCK_COST / dpt_manifold_cost(manifold);
  ptrdiff_t block = fit > MOST ? MOST : fit > LEAST ? (ptrdiff_t) fit : LEAST;
  ptrdiff_t blocks = (points.count + block - 1) / block, width = 2 * manifold->dimension + ENTRIES;
  *cloud = (dpt_cloud){.manifold = manifold,
                       .points = points,
                       .total = total_weight(&points),
                       .median = median,
                       .touch = touch,
                       .block = block,
                       .blocks = blocks,
                       .rows = DPT_NEW(ctx, double, blocks * width),
                       .sum = DPT_NEW(ctx, double, width),
                       .lost = DPT_NEW(ctx, double, width)};
  return cloud;
}

dpt_station *dpt_station_new(dpt_ctx *ctx, const dpt_manifold *manifold) {
  dpt_station *station = DPT_NEW(ctx, dpt_station, 1);
  *station = (dpt_station){.point = DPT_NEW(ctx, double, manifold->size),
                           .frame = DPT_NEW(ctx, double, manifold->frame_size),
                           .slope = DPT_NEW(ctx, double, manifold->dimension)};
  return station;
}

typedef struct {
  const dpt_cloud *cloud;
  const double *frame;
} look_job;

/* What one point adds to the sums, given the velocity v that leads to it. */
static void add_point(const dpt_cloud *cloud, double weight, double distance, const double *v, double *row) {
  ptrdiff_t dimension = cloud->manifold->dimension;
  double *sums = row + dimension, share = weight;
  if (!cloud->median) {
    sums[VALUE] += weight / 2 * distance * distance;
  } else if (distance <= cloud->touch) {
    sums[HERE] += weight;
    return;
  } else {
    share = weight / distance;
    sums[VALUE] += weight * distance;
    sums[PULL] += share;
  }
  for (ptrdiff_t j = 0; j < dimension; j++) row[j] -= share * v[j];
}

static void look_block(const void *data, ptrdiff_t index, double *work) {
  const look_job *job = data;
  const dpt_cloud *cloud = job->cloud;
  const dpt_manifold *manifold = cloud->manifold;
  ptrdiff_t dimension = manifold->dimension, first = index * cloud->block;
  ptrdiff_t last = cloud->points.count - first < cloud->block ? cloud->points.count : first + cloud->block;
  double *v = work + manifold->work_size, *row = cloud->rows + index * (dimension + ENTRIES), *sums = row + dimension;
  memset(row, 0, (size_t) (dimension + ENTRIES) * sizeof *row);
  sums[NEAR] = INFINITY;
  for (ptrdiff_t i = first; i < last; i++) {
    double weight = weight_of(&cloud->points, i), square = 0;
    if (weight == 0) continue;
    manifold->of->log(manifold, job->frame, cloud->points.points + i * manifold->size, v, work);
    for (ptrdiff_t j = 0; j < dimension; j++) square += v[j] * v[j];
    double distance = sqrt(square);
    add_point(cloud, weight, distance, v, row);
    if (!(distance <= sums[FAR])) sums[FAR] = distance;
    if (distance < sums[NEAR]) {
      sums[NEAR] = distance;
      sums[NEAREST] = (double) i;
    }
  }
}

/* Adds up the rows of the blocks, in their order. */
static void reduce(const dpt_cloud *cloud, dpt_station *station) {
  ptrdiff_t dimension = cloud->manifold->dimension, width = dimension + ENTRIES;
  double near = INFINITY;
  memset(cloud->sum, 0, (size_t) width * sizeof *cloud->sum);
  memset(cloud->lost, 0, (size_t) width * sizeof *cloud->lost);
  station->radius = 0;
  for (ptrdiff_t b = 0; b < cloud->blocks; b++) {
    const double *row = cloud->rows + b * width;
    for (ptrdiff_t j = 0; j < dimension + SUMS; j++) add(&cloud->sum[j], &cloud->lost[j], row[j]);
    if (!(row[dimension + FAR] <= station->radius)) station->radius = row[dimension + FAR];
    if (row[dimension + NEAR] < near) {
      near = row[dimension + NEAR];
      station->nearest = (ptrdiff_t) row[dimension + NEAREST];
    }
  }
  for (ptrdiff_t j = 0; j < dimension + SUMS; j++) cloud->sum[j] = (cloud->sum[j] + cloud->lost[j]) / cloud->total;
}

void dpt_cloud_look(dpt_ctx *ctx, const dpt_cloud *cloud, dpt_station *station) {
  const dpt_manifold *manifold = cloud->manifold;
  const ptrdiff_t dimension = manifold->dimension;
  const double *sums = cloud->sum + dimension;
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  manifold->of->frame(manifold, station->point, station->frame, DPT_NEW(ctx, double, manifold->work_size));
  dpt_arena_release(&ctx->arena, here);
  look_job job = {cloud, station->frame};
  dpt_manifold_each(ctx, manifold, cloud->blocks, dimension, (double) cloud->block * dpt_manifold_cost(manifold),
                    look_block, &job);
  reduce(cloud, station);
  double square = 0;
  for (ptrdiff_t j = 0; j < dimension; j++) square += cloud->sum[j] * cloud->sum[j];
  double length = sqrt(square), part = length > sums[HERE] ? 1 - sums[HERE] / length : 0;
  if (!cloud->median || isnan(length)) part = 1;
  for (ptrdiff_t j = 0; j < dimension; j++) station->slope[j] = part * cloud->sum[j];
  station->length = part * length;
  station->value = sums[VALUE];
  station->pull = cloud->median && sums[PULL] > 0 ? sums[PULL] : 1;
}

/* ---- what is certain ---- */

/* What one point adds: the gradient, compensated, and bounds of what rounding did to its part. */
static void bound_point(const dpt_cloud *cloud, double weight, double distance, const double *v, dpt_rounding error,
                        double *row) {
  ptrdiff_t dimension = cloud->manifold->dimension;
  double *bounds = row + 2 * dimension, share = weight, far = distance + error.tangent + error.point;
  if (!(far <= bounds[RADIUS])) bounds[RADIUS] = far;
  if (!cloud->median) {
    bounds[NOISE] += weight * (error.tangent + dpt_ball_stretch(cloud->manifold) * error.point);
    bounds[LENGTHS] += weight * distance;
  } else if (distance <= cloud->touch) {
    bounds[PLACES] += weight * (error.point + error.tangent + cloud->touch);
    return;
  } else {
    share = weight / distance;
    bounds[PLACES] += weight * error.point;
    bounds[NOISE] += weight * fmin(2, error.tangent < distance ? error.tangent / (distance - error.tangent / 2) : 2);
    bounds[LENGTHS] += weight;
  }
  for (ptrdiff_t j = 0; j < dimension; j++) add(&row[j], &row[dimension + j], -share * v[j]);
}

static void bound_block(const void *data, ptrdiff_t index, double *work) {
  const look_job *job = data;
  const dpt_cloud *cloud = job->cloud;
  const dpt_manifold *manifold = cloud->manifold;
  ptrdiff_t dimension = manifold->dimension, first = index * cloud->block, width = 2 * dimension + BOUND_ENTRIES;
  ptrdiff_t last = cloud->points.count - first < cloud->block ? cloud->points.count : first + cloud->block;
  double *v = work + manifold->work_size, *row = cloud->rows + index * width;
  memset(row, 0, (size_t) width * sizeof *row);
  for (ptrdiff_t i = first; i < last; i++) {
    const double weight = weight_of(&cloud->points, i), *y = cloud->points.points + i * manifold->size;
    if (weight == 0) continue;
    manifold->of->log(manifold, job->frame, y, v, work);
    bound_point(cloud, weight, dpt_vector_length(dimension, v), v,
                dpt_rounding_of_log(manifold, job->frame, y, v, work), row);
  }
}

/* The length of the sum of the blocks' gradients. */
static double sum_length(const dpt_cloud *cloud, ptrdiff_t width) {
  const ptrdiff_t dimension = cloud->manifold->dimension;
  double square = 0;
  for (ptrdiff_t j = 0; j < dimension; j++) {
    double sum = 0, lost = 0;
    for (ptrdiff_t b = 0; b < cloud->blocks; b++) {
      add(&sum, &lost, cloud->rows[b * width + j]);
      lost += cloud->rows[b * width + dimension + j];
    }
    square += (sum + lost) / cloud->total * ((sum + lost) / cloud->total);
  }
  return sqrt(square);
}

dpt_cloud_bounds dpt_cloud_bound(dpt_ctx *ctx, const dpt_cloud *cloud, const dpt_station *station) {
  const dpt_manifold *manifold = cloud->manifold;
  const ptrdiff_t dimension = manifold->dimension, width = 2 * dimension + BOUND_ENTRIES;
  double sums[BOUND_ENTRIES] = {0}, count = (double) cloud->points.count;
  look_job job = {cloud, station->frame};
  dpt_manifold_each(ctx, manifold, cloud->blocks, dimension, 3 * (double) cloud->block * dpt_manifold_cost(manifold),
                    bound_block, &job);
  for (ptrdiff_t b = 0; b < cloud->blocks; b++) {
    const double *bounds = cloud->rows + b * width + 2 * dimension;
    for (int i = 0; i < BOUNDS; i++) sums[i] += bounds[i] / cloud->total;
    if (!(bounds[RADIUS] <= sums[RADIUS])) sums[RADIUS] = bounds[RADIUS];
  }
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  double *work = DPT_NEW(ctx, double, manifold->work_size);
  const double place = dpt_rounding_of_frame(manifold, station->frame, station->point, work);
  dpt_arena_release(&ctx->arena, here);
  const double guess = dpt_rounding_guess(ctx, manifold, station->point, station->radius);
  /* the look's sums of a median are compensated between blocks only */
  const double terms = cloud->median ? MOST + 16 : 8, loss = dpt_unit_times(count) * dpt_unit_times(count);
  const double summation = (dpt_unit_times(terms) + loss) * sums[LENGTHS];
  const double noise = 1.01 * (sums[NOISE] + station->pull * guess + summation);
  const double length = fmax(station->length, cloud->median ? 0 : sum_length(cloud, width));
  return (dpt_cloud_bounds){.gradient = length + noise,
                            .noise = noise,
                            .radius = (1 + dpt_unit_times(8)) * sums[RADIUS] + guess,
                            .place = place,
                            .value = 2 * 1.01 * sums[PLACES] + (cloud->median ? 2 * guess : 0)};
}
