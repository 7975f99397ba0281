/* manifold-sums.c - the functions that a mean and a median minimize, with their gradients.
 *
 * One logarithm per point. Any thread may sum a block of points. The blocks are then added in their order with
 * compensation (Neumaier 1974), so that the sum does not depend on the threads, and its error does not depend on the
 * number of points. The manifold's log is the limit. One thread adds a coordinate in about a nanosecond.
 *
 * The shortest subgradient of the mean distance at one of the points is the sum over the others, shortened by the
 * weight of that point (Vardi and Zhang 2000). */
#include "manifold-sums.h"

#include "manifold-ball.h"
#include "manifold-parts.h"
#include "manifold-points.h"
#include "manifold-rounding.h"

/* Bounds on the points per block, which otherwise takes BLOCK_COST nanoseconds. There are enough blocks for the
 * threads, and few enough that their sums are small compared to the points. The size depends on the manifold alone,
 * because results would change otherwise. */
enum { LEAST = 4, MOST = 64 };
static const double BLOCK_COST = 1e5;

/* Sums of a block for the bounds of rounding errors. They follow `dimension` entries of the gradient, and as many of
 * its lost digits. All except the radius are added up. */
enum { ROUNDING, OFFSETS, LENGTHS, BOUNDS, RADIUS = BOUNDS, BOUND_ENTRIES };

/* Sums of a block, after the `dimension` entries of the gradient. The first SUMS are added up, the others are not. */
enum { VALUE, DIVISOR, AT_POINT, SUMS, FAR = SUMS, NEAR, NEAREST, ENTRIES };

struct dpt_objective {
  const dpt_manifold *manifold;
  dpt_weighted points;
  double total; /* weight */
  bool median;
  double coincident;
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

dpt_objective *dpt_objective_new(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, bool median,
                                 double coincident) {
  dpt_objective *objective = DPT_NEW(ctx, dpt_objective, 1);
  double fit = BLOCK_COST / dpt_manifold_cost(manifold);
  ptrdiff_t block = fit > MOST ? MOST : fit > LEAST ? (ptrdiff_t) fit : LEAST;
  ptrdiff_t blocks = (points.count + block - 1) / block, width = 2 * manifold->dimension + ENTRIES;
  *objective = (dpt_objective){.manifold = manifold,
                               .points = points,
                               .total = total_weight(&points),
                               .median = median,
                               .coincident = coincident,
                               .block = block,
                               .blocks = blocks,
                               .rows = DPT_NEW(ctx, double, blocks *width),
                               .sum = DPT_NEW(ctx, double, width),
                               .lost = DPT_NEW(ctx, double, width)};
  return objective;
}

dpt_iterate *dpt_iterate_new(dpt_ctx *ctx, const dpt_manifold *manifold) {
  dpt_iterate *iterate = DPT_NEW(ctx, dpt_iterate, 1);
  *iterate = (dpt_iterate){.point = DPT_NEW(ctx, double, manifold->size),
                           .frame = DPT_NEW(ctx, double, manifold->frame_size),
                           .gradient = DPT_NEW(ctx, double, manifold->dimension)};
  return iterate;
}

typedef struct {
  const dpt_objective *objective;
  const double *frame;
} evaluation;

/* Adds one point to the sums, given the velocity v that leads to it. */
static void add_point(const dpt_objective *objective, double weight, double distance, const double *v, double *row) {
  ptrdiff_t dimension = objective->manifold->dimension;
  double *sums = row + dimension, share = weight;
  if (!objective->median) {
    sums[VALUE] += weight / 2 * distance * distance;
  } else if (distance <= objective->coincident) {
    sums[AT_POINT] += weight;
    return;
  } else {
    share = weight / distance;
    sums[VALUE] += weight * distance;
    sums[DIVISOR] += share;
  }
  for (ptrdiff_t j = 0; j < dimension; j++) row[j] -= share * v[j];
}

static ptrdiff_t end_of_block(const dpt_objective *objective, ptrdiff_t first) {
  const ptrdiff_t left = objective->points.count - first;
  return first + (left < objective->block ? left : objective->block);
}

static void evaluate_block(const void *data, ptrdiff_t index, double *work) {
  const evaluation *job = data;
  const dpt_objective *objective = job->objective;
  const dpt_manifold *manifold = objective->manifold;
  ptrdiff_t dimension = manifold->dimension, first = index * objective->block;
  ptrdiff_t last = end_of_block(objective, first);
  double *v = work + manifold->work_size;
  double *row = objective->rows + index * (dimension + ENTRIES), *sums = row + dimension;
  memset(row, 0, (size_t) (dimension + ENTRIES) * sizeof *row);
  sums[NEAR] = INFINITY;
  for (ptrdiff_t i = first; i < last; i++) {
    double weight = weight_of(&objective->points, i), square = 0;
    if (weight == 0) continue;
    manifold->of->log(manifold, job->frame, objective->points.points + i * manifold->size, v, work);
    for (ptrdiff_t j = 0; j < dimension; j++) square += v[j] * v[j];
    double distance = sqrt(square);
    add_point(objective, weight, distance, v, row);
    if (!(distance <= sums[FAR])) sums[FAR] = distance;
    if (distance < sums[NEAR]) {
      sums[NEAR] = distance;
      sums[NEAREST] = (double) i;
    }
  }
}

/* Adds up the rows of the blocks, in their order. */
static void reduce(const dpt_objective *objective, dpt_iterate *iterate) {
  ptrdiff_t dimension = objective->manifold->dimension, width = dimension + ENTRIES;
  double near = INFINITY;
  memset(objective->sum, 0, (size_t) width * sizeof *objective->sum);
  memset(objective->lost, 0, (size_t) width * sizeof *objective->lost);
  iterate->radius = 0;
  for (ptrdiff_t b = 0; b < objective->blocks; b++) {
    const double *row = objective->rows + b * width;
    for (ptrdiff_t j = 0; j < dimension + SUMS; j++) add(&objective->sum[j], &objective->lost[j], row[j]);
    if (!(row[dimension + FAR] <= iterate->radius)) iterate->radius = row[dimension + FAR];
    if (row[dimension + NEAR] < near) {
      near = row[dimension + NEAR];
      iterate->nearest = (ptrdiff_t) row[dimension + NEAREST];
    }
  }
  for (ptrdiff_t j = 0; j < dimension + SUMS; j++)
    objective->sum[j] = (objective->sum[j] + objective->lost[j]) / objective->total;
}

void dpt_objective_evaluate(dpt_ctx *ctx, const dpt_objective *objective, dpt_iterate *iterate) {
  const dpt_manifold *manifold = objective->manifold;
  const ptrdiff_t dimension = manifold->dimension;
  const double *sums = objective->sum + dimension;
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  manifold->of->frame(manifold, iterate->point, iterate->frame, DPT_NEW(ctx, double, manifold->work_size));
  dpt_arena_release(&ctx->arena, here);
  evaluation job = {objective, iterate->frame};
  const double cost = (double) objective->block * dpt_manifold_cost(manifold);
  dpt_manifold_each(ctx, manifold, objective->blocks, dimension, cost, evaluate_block, &job);
  reduce(objective, iterate);
  double square = 0;
  for (ptrdiff_t j = 0; j < dimension; j++) square += objective->sum[j] * objective->sum[j];
  double length = sqrt(square), part = length > sums[AT_POINT] ? 1 - sums[AT_POINT] / length : 0;
  if (!objective->median || isnan(length)) part = 1;
  for (ptrdiff_t j = 0; j < dimension; j++) iterate->gradient[j] = part * objective->sum[j];
  iterate->norm = part * length;
  iterate->value = sums[VALUE];
  iterate->divisor = objective->median && sums[DIVISOR] > 0 ? sums[DIVISOR] : 1;
}

/* ---- certified bounds ---- */

/* Adds one point: its gradient, compensated, and bounds of its rounding errors. */
static void bound_point(const dpt_objective *objective, double weight, double distance, const double *v,
                        dpt_rounding error, double *row) {
  ptrdiff_t dimension = objective->manifold->dimension;
  double *bounds = row + 2 * dimension, share = weight, far = distance + error.tangent + error.point;
  if (!(far <= bounds[RADIUS])) bounds[RADIUS] = far;
  if (!objective->median) {
    bounds[ROUNDING] += weight * (error.tangent + dpt_ball_stretch(objective->manifold) * error.point);
    bounds[LENGTHS] += weight * distance;
  } else if (distance <= objective->coincident) {
    bounds[OFFSETS] += weight * (error.point + error.tangent + objective->coincident);
    return;
  } else {
    share = weight / distance;
    bounds[OFFSETS] += weight * error.point;
    bounds[ROUNDING] += weight * fmin(2, error.tangent < distance ? error.tangent / (distance - error.tangent / 2) : 2);
    bounds[LENGTHS] += weight;
  }
  for (ptrdiff_t j = 0; j < dimension; j++) add(&row[j], &row[dimension + j], -share * v[j]);
}

static void bound_block(const void *data, ptrdiff_t index, double *work) {
  const evaluation *job = data;
  const dpt_objective *objective = job->objective;
  const dpt_manifold *manifold = objective->manifold;
  ptrdiff_t dimension = manifold->dimension, first = index * objective->block, width = 2 * dimension + BOUND_ENTRIES;
  ptrdiff_t last = end_of_block(objective, first);
  double *v = work + manifold->work_size, *row = objective->rows + index * width;
  memset(row, 0, (size_t) width * sizeof *row);
  for (ptrdiff_t i = first; i < last; i++) {
    const double weight = weight_of(&objective->points, i), *y = objective->points.points + i * manifold->size;
    if (weight == 0) continue;
    manifold->of->log(manifold, job->frame, y, v, work);
    bound_point(objective, weight, dpt_vector_length(dimension, v), v,
                dpt_rounding_of_log(manifold, job->frame, y, v, work), row);
  }
}

/* Computes the length of the sum of the blocks' gradients. */
static double sum_length(const dpt_objective *objective, ptrdiff_t width) {
  const ptrdiff_t dimension = objective->manifold->dimension;
  double square = 0;
  for (ptrdiff_t j = 0; j < dimension; j++) {
    double sum = 0, lost = 0;
    for (ptrdiff_t b = 0; b < objective->blocks; b++) {
      add(&sum, &lost, objective->rows[b * width + j]);
      lost += objective->rows[b * width + dimension + j];
    }
    square += (sum + lost) / objective->total * ((sum + lost) / objective->total);
  }
  return sqrt(square);
}

dpt_objective_bounds dpt_objective_bound(dpt_ctx *ctx, const dpt_objective *objective, const dpt_iterate *iterate) {
  const dpt_manifold *manifold = objective->manifold;
  const ptrdiff_t dimension = manifold->dimension, width = 2 * dimension + BOUND_ENTRIES;
  double sums[BOUND_ENTRIES] = {0}, count = (double) objective->points.count;
  evaluation job = {objective, iterate->frame};
  const double cost = 3 * (double) objective->block * dpt_manifold_cost(manifold);
  dpt_manifold_each(ctx, manifold, objective->blocks, dimension, cost, bound_block, &job);
  for (ptrdiff_t b = 0; b < objective->blocks; b++) {
    const double *bounds = objective->rows + b * width + 2 * dimension;
    for (int i = 0; i < BOUNDS; i++) sums[i] += bounds[i] / objective->total;
    if (!(bounds[RADIUS] <= sums[RADIUS])) sums[RADIUS] = bounds[RADIUS];
  }
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  double *work = DPT_NEW(ctx, double, manifold->work_size);
  const double offset = dpt_rounding_of_frame(manifold, iterate->frame, iterate->point, work);
  dpt_arena_release(&ctx->arena, here);
  const double guess = dpt_rounding_guess(ctx, manifold, iterate->point, iterate->radius);
  /* the sums of a median's evaluation are compensated between blocks only */
  const double terms = objective->median ? MOST + 16 : 8, loss = dpt_unit_times(count) * dpt_unit_times(count);
  const double summation = (dpt_unit_times(terms) + loss) * sums[LENGTHS];
  const double rounding = 1.01 * (sums[ROUNDING] + iterate->divisor * guess + summation);
  const double length = fmax(iterate->norm, objective->median ? 0 : sum_length(objective, width));
  return (dpt_objective_bounds){.gradient = length + rounding,
                                .rounding = rounding,
                                .radius = (1 + dpt_unit_times(8)) * sums[RADIUS] + guess,
                                .offset = offset,
                                .value = 2 * 1.01 * sums[OFFSETS] + (objective->median ? 2 * guess : 0)};
}
