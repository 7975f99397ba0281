/* cluster-query.c - turns rows into integers by the clusters of a public model, and sums them.
 *
 * A row is moved into the box. Each cluster of the model has its own coordinates for the row, u = W (x - mean), and a
 * share of it: the probability that the row belongs to the cluster. Shares and features are rounded to integers before
 * anything is summed, so that sums do not depend on the order. Privacy rests on two bounds: shares add up to at most
 * 2^share_bits, and the features of a cluster have at most a public length. Both are enforced in integers, regardless
 * of floating-point errors before. If people have several rows, each row has an integer weight, which its shares
 * divide. The integers are stored in doubles, which are exact up to 2^53. No share, feature, squared length, or sum of
 * a block comes near this. See inst/proofs/cluster-query.md.
 *
 * The query of k-means is a short form: the nearest mean gets the full share, there are no products, and coordinates
 * are relative to the box. For the covariances of its clusters, a row belongs to the nearest of several public places,
 * and has the coordinates of that place's cluster.
 *
 * A row is processed by one sequence of operations on this row alone. Rows are processed side by side, eight at a time,
 * padded with zeros at the end. If the processor has longer vectors, they apply the same operations to each row,
 * without fusing products with sums. BLAS would be faster, but its rounding of a row may depend on the rows beside it.
 *
 * Cost: rows x clusters x dimension^2 / 2 multiplications to place the rows, as many to add those whose share is not
 * zero, and an exponential, shared by the threads. The limits are the vector units, about 2 ns per row and cluster for
 * 8 numbers with vectors of four, and the exponential, 5 ns. Exponentials come from the library one at a time, because
 * the last digit can change an integer. Measured (bench/cluster-query.R): 17 ns; a round of a fit without privacy takes
 * 16. Rejected: one row after the other (three times as long: each number waits for the previous one, and 64-bit
 * integers have no vectors), and products of rows without a share. */
#include "cluster-query.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "base-simd.h"
#include "cluster-block.h"
#include "privacy-noise.h"

/* ---- Over all rows --------------------------------------------------------------------------------------------- */

typedef struct {
  const dpt_query_model *model;
  dpt_query_options options;
  dpt_cluster_rows X;
  ptrdiff_t columns;     /* clusters, or centers of a start */
  ptrdiff_t block;       /* rows beside each other */
  const double *whiten;  /* from the model, by row */
  const double *centers; /* of the starts */
  int each, starts;
  double spread;
} query_job;

/* The memory of one thread: a block of rows. The distance between columns of a block is its size. */
typedef struct {
  double *z;      /* dimension: the rows in [-1, 1] */
  double *away;   /* dimension: the same, less a mean; then features, before and after rounding */
  double *u;      /* dimension x clusters: in the coordinates of each */
  double *square; /* clusters: the squares of their lengths there */
  double *share;  /* columns: logarithms of densities, then shares; distances */
  double *top;    /* of one row */
  double *total;  /* of one row */
  double *weight; /* of one row, as are all that follow */
  double *length;
  double *weighted;
  ptrdiff_t *place; /* which rows have a share */
  double *part;     /* the sums of a block in one cluster */
} query_worker;

static void *new_worker(dpt_ctx *ctx, const void *query) {
  const query_job *job = query;
  const ptrdiff_t B = job->block, d = job->model->dimension, K = job->model->clusters;
  query_worker *worker = DPT_NEW(ctx, query_worker, 1);
  *worker = (query_worker){.z = DPT_NEW(ctx, double, B *d),
                           .away = DPT_NEW(ctx, double, B *d),
                           .u = DPT_NEW(ctx, double, B *d *K),
                           .square = DPT_NEW(ctx, double, B *K),
                           .share = DPT_NEW(ctx, double, B * job->columns),
                           .top = DPT_NEW(ctx, double, B),
                           .total = DPT_NEW(ctx, double, B),
                           .weight = DPT_NEW(ctx, double, B),
                           .length = DPT_NEW(ctx, double, B),
                           .weighted = DPT_NEW(ctx, double, B),
                           .place = DPT_NEW(ctx, ptrdiff_t, B),
                           .part = DPT_NEW(ctx, double, 1 + d + d * d)};
  return worker;
}

/* Reads rows in the coordinates of the box, padded with zeros. */
DPT_INTO static inline void read_rows(const query_job *job, query_worker *worker, ptrdiff_t from, ptrdiff_t count) {
  for (int j = 0; j < job->model->dimension; j++) {
    const double *x = job->X.at + from + j * job->X.count, lower = job->model->lower[j], upper = job->model->upper[j];
    double *z = worker->z + j * job->block;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < count; b++) z[b] = dpt_lattice_place(x[b], lower, upper);
    for (ptrdiff_t b = count; b < dpt_block_lanes(count); b++) z[b] = 0;
  }
}

/* Computes u = W (z - mean) for cluster k, and the squared lengths. */
DPT_INTO static inline void place_rows(const query_job *job, query_worker *worker, ptrdiff_t k, ptrdiff_t lanes) {
  const ptrdiff_t d = job->model->dimension, B = job->block;
  for (ptrdiff_t j = 0; j < d; j++) {
    const double *z = worker->z + j * B, mean = job->model->mean[j + k * d];
    double *away = worker->away + j * B;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) away[b] = z[b] - mean;
  }
  dpt_block_place(d, B, lanes, job->whiten + k * d * d, worker->away, worker->u + k * d * B, worker->square + k * B);
}

/* ---- Integers ---------------------------------------------------------------------------------------------------- */

static int64_t nearest(double x, int64_t most) {
  if (!(x == x)) return 0;
  return (int64_t) floor(dpt_lattice_within(x, (double) -most, (double) most) + 0.5);
}

/* Writes the total to be shared out for each row: 2^share_bits, or the row's weight. */
DPT_INTO static inline void fill_shares(const query_job *job, ptrdiff_t from, ptrdiff_t count, double *left) {
  const ptrdiff_t lanes = dpt_block_lanes(count);
  const int *weight = job->X.weight == NULL ? NULL : job->X.weight + from;
  const double whole = (double) ((int64_t) 1 << job->options.share_bits);
  for (ptrdiff_t b = 0; b < count; b++) left[b] = weight == NULL ? whole : (double) weight[b];
  for (ptrdiff_t b = count; b < lanes; b++) left[b] = 0;
}

/* Finds the largest log density of each row. */
DPT_INTO static inline void find_tops(const query_job *job, query_worker *worker, ptrdiff_t lanes) {
  double *top = worker->top;
  memcpy(top, worker->share, (size_t) lanes * sizeof *top);
  for (ptrdiff_t k = 1; k < job->model->clusters; k++) {
    const double *density = worker->share + k * job->block;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) top[b] = density[b] > top[b] ? density[b] : top[b];
  }
}

/* Gives the full share to the likeliest cluster (the first one wins ties). If a density is NaN, the first cluster gets
 * it. */
DPT_INTO static inline void assign_rows(const query_job *job, query_worker *worker, ptrdiff_t from, ptrdiff_t count) {
  const ptrdiff_t lanes = dpt_block_lanes(count);
  double *left = worker->total;
  fill_shares(job, from, count, left);
  for (ptrdiff_t k = 0; k < job->model->clusters; k++) {
    double *share = worker->share + k * job->block;
    for (ptrdiff_t b = 0; b < lanes; b++) {
      share[b] = share[b] == worker->top[b] || worker->top[b] != worker->top[b] ? left[b] : 0;
      left[b] -= share[b];
    }
  }
}

/* Computes the offset for rounding a row's shares: a number in [0, 1) from the digits of this row alone, spread evenly
 * over rows. */
DPT_INTO static inline void find_turns(const query_job *job, const query_worker *worker, ptrdiff_t lanes,
                                       double *turn) {
  memset(turn, 0, (size_t) lanes * sizeof *turn);
  for (ptrdiff_t j = 0; j < job->model->dimension; j++) {
    const double *z = worker->z + j * job->block, golden = (double) (j + 1) * 0.6180339887498949;
    const double many = 4096 * (1 + golden - floor(golden));
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) turn[b] += many * z[b];
  }
  DPT_SIMD("omp simd")
  for (ptrdiff_t b = 0; b < lanes; b++) {
    const int32_t cut = (int32_t) turn[b]; /* toward zero */
    turn[b] -= (double) (cut - ((double) cut > turn[b]));
  }
}

/* Splits a weight, a small integer, into shares. The cumulative shares of the clusters are rounded, so that shares add
 * up to the weight. The offset of the rounding differs from row to row. So with weights of one, a cluster with a
 * probability of a tenth gets every tenth row, and the cluster in the middle does not get them all. `share`: fractions
 * of `total`. `weight` and `left` hold the row's weight. */
DPT_INTO static inline void split_weights(const query_job *job, query_worker *worker, ptrdiff_t lanes) {
  double *part = worker->weighted, *left = worker->top, *turn = worker->length;
  const double *total = worker->total, *weight = worker->weight;
  memset(part, 0, (size_t) lanes * sizeof *part);
  find_turns(job, worker, lanes, turn);
  for (ptrdiff_t k = 0; k < job->model->clusters; k++) {
    double *share = worker->share + k * job->block;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) {
      part[b] += share[b];
      const double up_to = dpt_block_nearest(part[b] / total[b] * weight[b] + turn[b] - 0.5, weight[b]);
      const double wanted = up_to - (weight[b] - left[b]);
      const double some = wanted > 0 ? wanted : 0;
      share[b] = some < left[b] ? some : left[b];
      left[b] -= share[b];
    }
  }
}

/* Turns log densities into integer shares that add up to at most 2^share_bits, or the row's weight: each share is cut
 * at the remainder left by the previous ones. NaN becomes a share of zero. */
DPT_INTO static inline void share_out(const query_job *job, query_worker *worker, ptrdiff_t from, ptrdiff_t count) {
  const double whole = (double) ((int64_t) 1 << job->options.share_bits);
  const ptrdiff_t K = job->model->clusters, B = job->block, lanes = dpt_block_lanes(count);
  double *total = worker->total, *left = worker->top;
  memset(total, 0, (size_t) lanes * sizeof *total);
  for (ptrdiff_t k = 0; k < K; k++) {
    double *share = worker->share + k * B;
    for (ptrdiff_t b = 0; b < lanes; b++) total[b] += share[b] = exp(share[b] - worker->top[b]);
  }
  fill_shares(job, from, count, left);
  if (job->X.weight != NULL) {
    memcpy(worker->weight, left, (size_t) lanes * sizeof *left);
    split_weights(job, worker, lanes);
    return;
  }
  for (ptrdiff_t k = 0; k < K; k++) {
    double *share = worker->share + k * B;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) {
      const double wanted = dpt_block_nearest(share[b] / total[b] * whole, whole);
      share[b] = wanted < left[b] ? wanted : left[b];
      left[b] -= share[b];
    }
  }
}

/* Rounds features to steps of 2^-bits in place. Features of the box are at most 1 in size. */
DPT_INTO static inline void box_features(const query_job *job, query_worker *worker, ptrdiff_t lanes) {
  const double unit = (double) ((int64_t) 1 << job->options.bits);
  for (ptrdiff_t i = 0; i < job->model->dimension; i++) {
    double *q = worker->away + i * job->block;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) q[b] = dpt_block_nearest(q[b] * unit, unit);
  }
}

/* Rounds features of a cluster, cut to the length sqrt(dimension). If the length is not finite, they are 0: with a
 * wrong length, the loop that shortens them could take too many steps. `length` holds the squares. */
DPT_INTO static inline void cluster_features(const query_job *job, query_worker *worker, ptrdiff_t count) {
  const ptrdiff_t d = job->model->dimension, B = job->block, lanes = dpt_block_lanes(count);
  const double unit = (double) ((int64_t) 1 << job->options.bits), most = (double) d * unit * unit;
  const double reach = (d < 8 ? 3 : 8) * unit; /* sqrt(d) or more, so that the squares stay small */
  double *scale = worker->weighted, *length = worker->length;
  for (ptrdiff_t b = 0; b < lanes; b++) {
    const double square = length[b];
    scale[b] = square < INFINITY ? (square > (double) d ? sqrt((double) d / square) : 1) * unit : 0;
    length[b] = 0;
  }
  for (ptrdiff_t i = 0; i < d; i++) {
    double *q = worker->away + i * B;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) {
      q[b] = dpt_block_nearest(q[b] * scale[b], reach);
      length[b] += q[b] * q[b];
    }
  }
  for (ptrdiff_t b = 0; b < count; b++)
    if (length[b] > most) dpt_block_shorten(d, B, worker->away + b, length[b], most);
}

/* ---- The query --------------------------------------------------------------------------------------------------- */

/* Finds the rows that have a share of cluster k: their positions in the block, and their shares. Returns their
 * number. */
DPT_INTO static inline ptrdiff_t find_rows(const query_job *job, query_worker *worker, ptrdiff_t k, ptrdiff_t count) {
  const double *share = worker->share + k * job->block;
  ptrdiff_t found = 0;
  for (ptrdiff_t b = 0; b < count; b++) {
    worker->place[found] = b;
    found += share[b] > 0;
  }
  for (ptrdiff_t b = 0; b < found; b++) worker->weight[b] = share[worker->place[b]];
  for (ptrdiff_t b = found; b < dpt_block_lanes(found); b++) worker->weight[b] = 0;
  return found;
}

/* Copies columns of a block for the rows found, padded with zeros. */
DPT_INTO static inline void gather_columns(const query_job *job, query_worker *worker, const double *from,
                                           ptrdiff_t found) {
  for (ptrdiff_t i = 0; i < job->model->dimension; i++) {
    double *to = worker->away + i * job->block;
    for (ptrdiff_t b = 0; b < found; b++) to[b] = from[worker->place[b] + i * job->block];
    for (ptrdiff_t b = found; b < dpt_block_lanes(found); b++) to[b] = 0;
  }
}

/* Gathers unrounded features for the rows found in cluster k. */
DPT_INTO static inline void gather_rows(const query_job *job, query_worker *worker, ptrdiff_t k, ptrdiff_t found) {
  const ptrdiff_t d = job->model->dimension, B = job->block;
  gather_columns(job, worker, job->options.whitened ? worker->u + k * d * B : worker->z, found);
  for (ptrdiff_t b = 0; b < found; b++) worker->length[b] = worker->square[worker->place[b] + k * B];
  for (ptrdiff_t b = found; b < dpt_block_lanes(found); b++) worker->length[b] = 0;
}

/* The same if rows belong to the nearest place. Only the rows of cluster k are brought into its coordinates. */
DPT_INTO static inline void place_found(const query_job *job, query_worker *worker, ptrdiff_t k, ptrdiff_t found) {
  const ptrdiff_t d = job->model->dimension, B = job->block, lanes = dpt_block_lanes(found);
  gather_columns(job, worker, worker->z, found);
  for (ptrdiff_t j = 0; j < d; j++) {
    double *away = worker->away + j * B;
    const double mean = job->model->mean[j + k * d];
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < found; b++) away[b] -= mean;
  }
  dpt_block_place(d, B, lanes, job->whiten + k * d * d, worker->away, worker->u, worker->length);
  for (ptrdiff_t j = 0; j < d; j++) memcpy(worker->away + j * B, worker->u + j * B, (size_t) lanes * sizeof *worker->u);
}

/* Computes minus the squared distances to the places. */
DPT_INTO static inline void measure_places(const query_job *job, query_worker *worker, ptrdiff_t lanes) {
  const ptrdiff_t d = job->model->dimension, B = job->block;
  for (ptrdiff_t k = 0; k < job->model->clusters; k++) {
    double *density = worker->share + k * B;
    memset(density, 0, (size_t) lanes * sizeof *density);
    for (ptrdiff_t j = 0; j < d; j++) {
      const double *z = worker->z + j * B, place = job->model->nearest[j + k * d];
      DPT_SIMD("omp simd")
      for (ptrdiff_t b = 0; b < lanes; b++) density[b] -= (z[b] - place) * (z[b] - place);
    }
  }
}

/* Computes the log densities without the terms shared by all clusters. */
DPT_INTO static inline void measure_densities(const query_job *job, query_worker *worker, ptrdiff_t lanes) {
  for (ptrdiff_t k = 0; k < job->model->clusters; k++) {
    const double *square = worker->square + k * job->block, level = job->model->level[k];
    const double half = job->model->stretch / 2;
    double *density = worker->share + k * job->block;
    place_rows(job, worker, k, lanes);
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) density[b] = level - square[b] * half;
  }
}

/* Sums the shares of rows that are too long or whose length is not finite. `length` holds the squares. */
DPT_INTO static inline double weigh_far(const query_job *job, const query_worker *worker, ptrdiff_t count) {
  double far = 0;
  for (ptrdiff_t b = 0; b < count; b++)
    if (!(worker->length[b] <= (double) job->model->dimension)) far += worker->weight[b];
  return far;
}

/* Adds the sums of a block: integers, exact in any order. `far`: the total share of the rows that are too long. */
DPT_INTO static inline void add_features(const query_job *job, query_worker *worker, ptrdiff_t k, ptrdiff_t lanes,
                                         double far, int64_t *sums) {
  const ptrdiff_t d = job->model->dimension;
  double *part = worker->part, *product = part + 1 + d;
  sums += k * dpt_query_size((int) d);
  memset(part, 0, (size_t) (1 + d + d * d) * sizeof *part);
  dpt_block_add(d, job->block, lanes, worker->away, worker->weight, worker->weighted, part);
  if (job->options.far) part[0] = far;
  for (ptrdiff_t i = 0; i <= d; i++) *sums++ += (int64_t) part[i];
  for (ptrdiff_t j = 0; j < d; j++)
    for (ptrdiff_t i = 0; i <= j; i++) *sums++ += (int64_t) product[i + j * d];
}

DPT_INTO static inline void query_rows(const query_job *job, query_worker *worker, int64_t *sums, ptrdiff_t from,
                                       ptrdiff_t count) {
  const ptrdiff_t K = job->model->clusters, lanes = dpt_block_lanes(count);
  read_rows(job, worker, from, count);
  if (job->model->nearest) measure_places(job, worker, lanes);
  else measure_densities(job, worker, lanes);
  find_tops(job, worker, lanes);
  if (job->options.hard) assign_rows(job, worker, from, count);
  else share_out(job, worker, from, count);
  for (ptrdiff_t k = 0; k < K; k++) {
    const ptrdiff_t found = find_rows(job, worker, k, count);
    if (found == 0) continue;
    if (job->model->nearest) place_found(job, worker, k, found);
    else gather_rows(job, worker, k, found);
    const double far = job->options.far ? weigh_far(job, worker, found) : 0;
    if (job->options.whitened) cluster_features(job, worker, found);
    else box_features(job, worker, dpt_block_lanes(found));
    add_features(job, worker, k, dpt_block_lanes(found), far, sums);
  }
}

/* ---- Scores of starts -------------------------------------------------------------------------------------------- */

/* Computes the squared distances of a block to one center, and the smallest so far. */
DPT_INTO static inline void measure_rows(const query_job *job, query_worker *worker, const double *center,
                                         ptrdiff_t lanes, double *distance) {
  const ptrdiff_t B = job->block;
  for (ptrdiff_t b = 0; b < lanes; b += DPT_LANES) {
    dpt_four low = {0}, high = {0};
    for (ptrdiff_t i = 0; i < job->model->dimension; i++) {
      const dpt_four *u = (const dpt_four *) (worker->u + i * B + b), first = u[0] - center[i],
                     second = u[1] - center[i];
      low += first * first;
      high += second * second;
    }
    dpt_four *at = (dpt_four *) (distance + b);
    at[0] = low;
    at[1] = high;
  }
  double *least = worker->top;
  DPT_SIMD("omp simd")
  for (ptrdiff_t b = 0; b < lanes; b++) least[b] = distance[b] < least[b] ? distance[b] : least[b];
}

/* Adds to the sum of a start its log density at u, less the log density of the standard Gaussian. */
DPT_INTO static inline void score_start(const query_job *job, query_worker *worker, int start, double constant,
                                        const int *weight, ptrdiff_t count, int64_t *sum) {
  const ptrdiff_t d = job->model->dimension, B = job->block, lanes = dpt_block_lanes(count);
  const int64_t unit = (int64_t) 1 << job->options.bits;
  double *least = worker->top, *total = worker->total;
  for (ptrdiff_t b = 0; b < lanes; b++) {
    least[b] = INFINITY;
    total[b] = 0;
  }
  for (ptrdiff_t k = 0; k < job->each; k++)
    measure_rows(job, worker, job->centers + (start * (ptrdiff_t) job->each + k) * d, lanes, worker->share + k * B);
  for (ptrdiff_t k = 0; k < job->each; k++) {
    double *distance = worker->share + k * B;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) distance[b] = (least[b] - distance[b]) / (2 * job->spread);
    for (ptrdiff_t b = 0; b < count; b++) total[b] += exp(distance[b]);
  }
  for (ptrdiff_t b = 0; b < count; b++) {
    const double score = log(total[b]) - least[b] / (2 * job->spread) + constant + worker->square[b] / 2;
    const int64_t steps = nearest((dpt_lattice_within(score, -3, 3) + 3) * (double) unit, 6 * unit);
    *sum += weight == NULL ? steps : weight[b] * steps;
  }
}

DPT_INTO static inline void score_rows(const query_job *job, query_worker *worker, int64_t *sums, ptrdiff_t from,
                                       ptrdiff_t count) {
  const double constant = -job->model->dimension / 2.0 * log(job->spread) - log(job->each);
  read_rows(job, worker, from, count);
  place_rows(job, worker, 0, dpt_block_lanes(count));
  const int *weight = job->X.weight == NULL ? NULL : job->X.weight + from;
  for (int s = 0; s < job->starts; s++) score_start(job, worker, s, constant, weight, count, sums + s);
}

/* ---- The same for longer vectors, chosen at run time ------------------------------------------------------------- */

static void query_any(const void *job, void *worker, int64_t *sums, ptrdiff_t from, ptrdiff_t count) {
  query_rows(job, worker, sums, from, count);
}

static void score_any(const void *job, void *worker, int64_t *sums, ptrdiff_t from, ptrdiff_t count) {
  score_rows(job, worker, sums, from, count);
}

#if defined(__x86_64__) && !defined(_WIN32) /* Windows aligns the stack to half of such a vector */
/* without fused products, which would give other digits */
__attribute__((target("avx2"))) static void query_long(const void *job, void *worker, int64_t *sums, ptrdiff_t from,
                                                       ptrdiff_t count) {
  query_rows(job, worker, sums, from, count);
}

__attribute__((target("avx2"))) static void score_long(const void *job, void *worker, int64_t *sums, ptrdiff_t from,
                                                       ptrdiff_t count) {
  score_rows(job, worker, sums, from, count);
}

static bool has_long_vectors(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2");
}
#else
#define query_long query_any
#define score_long score_any
static bool has_long_vectors(void) { return false; }
#endif

void dpt_query_sum(dpt_ctx *ctx, const dpt_query_model *model, const dpt_query_options *options, dpt_cluster_rows X,
                   int64_t *sums) {
  const int64_t d = model->dimension, K = model->clusters;
  const query_job job = {.model = model,
                         .options = *options,
                         .X = X,
                         .columns = K,
                         .block = dpt_block_choose((double) K * (double) d),
                         .whiten = dpt_block_by_row(ctx, d, K, model->whiten)};
  const dpt_block_job all = {.query = &job,
                             .rows = X.count,
                             .block = job.block,
                             .size = dpt_query_size(model->dimension) * K,
                             .cost = model->nearest ? K * (10 + d) + d * d / 2 : K * (10 + d * d / 4),
                             .new_memory = new_worker,
                             .add = has_long_vectors() ? query_long : query_any};
  dpt_block_sum(ctx, &all, sums);
}

/* Adds one row, whose coordinates are contiguous, to its nearest mean. */
static void add_to_nearest(const query_job *job, int64_t *sums, ptrdiff_t row) {
  const int d = job->model->dimension;
  const int64_t unit = (int64_t) 1 << job->options.bits;
  double z[DPT_LATTICE_MAX_DIMENSION];
  for (int j = 0; j < d; j++)
    z[j] = dpt_lattice_place(job->X.at[row + j * job->X.count], job->model->lower[j], job->model->upper[j]);
  int best = 0;
  double least = INFINITY;
  for (int k = 0; k < job->model->clusters; k++) {
    const double *mean = job->model->mean + (ptrdiff_t) k * d;
    double square = 0;
    for (int i = 0; i < d; i++) square += (z[i] - mean[i]) * (z[i] - mean[i]);
    if (square < least) {
      least = square;
      best = k;
    }
  }
  int64_t *sum = sums + (ptrdiff_t) best * (1 + d);
  const int64_t weight = dpt_cluster_weight(&job->X, row);
  sum[0] += weight;
  for (int i = 0; i < d; i++) sum[1 + i] += weight * nearest(z[i] * (double) unit, unit);
}

static void add_rows_to_nearest(const void *job, void *worker, int64_t *sums, ptrdiff_t from, ptrdiff_t count) {
  (void) worker;
  for (ptrdiff_t row = from; row < from + count; row++) add_to_nearest(job, sums, row);
}

void dpt_query_means(dpt_ctx *ctx, const dpt_query_model *model, int bits, dpt_cluster_rows X, int64_t *sums) {
  const int64_t d = model->dimension, K = model->clusters;
  const query_job job = {.model = model, .options.bits = bits, .X = X};
  const dpt_block_job all = {.query = &job,
                             .rows = X.count,
                             .block = dpt_block_choose((double) K * (double) d),
                             .size = (1 + d) * K,
                             .cost = 20 + K * d,
                             .add = add_rows_to_nearest};
  dpt_block_sum(ctx, &all, sums);
}

void dpt_query_scores(dpt_ctx *ctx, const dpt_query_model *model, const double *centers, int each, int starts,
                      double spread, int bits, dpt_cluster_rows X, int64_t *scores) {
  const ptrdiff_t d = model->dimension, columns = model->clusters > each ? model->clusters : each;
  const query_job job = {.model = model,
                         .options.bits = bits,
                         .X = X,
                         .columns = columns,
                         .block = dpt_block_choose((double) columns * (double) d),
                         .whiten = dpt_block_by_row(ctx, d, model->clusters, model->whiten),
                         .centers = centers,
                         .each = each,
                         .starts = starts,
                         .spread = spread};
  const dpt_block_job all = {.query = &job,
                             .rows = X.count,
                             .block = job.block,
                             .size = starts,
                             .cost = (int64_t) starts * each * (7 + d / 4),
                             .new_memory = new_worker,
                             .add = has_long_vectors() ? score_long : score_any};
  dpt_block_sum(ctx, &all, scores);
}

int dpt_query_choose(dpt_ctx *ctx, const double *loss, int count, double factor) {
  for (;;) {
    const int one = (int) dpt_draw_below(ctx, (uint64_t) count);
    if (dpt_draw_bernoulli_exp(ctx, loss[one] * factor)) return one;
    dpt_tick(ctx, 300);
  }
}
