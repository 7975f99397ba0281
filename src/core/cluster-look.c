/* cluster-look.c - rows become whole numbers by the clusters of a public model, and are summed.
 *
 * A row is moved into the box; each cluster of the model has its own coordinates for it, u = W (x - mean), and a share of
 * it, the probability that it belongs there. Shares and features are rounded to whole numbers before anything is summed,
 * so that the sums know no order, and the bounds on which privacy rests (shares add up to 2^share_bits, the features of a
 * cluster have at most a public length) are enforced in integers, whatever floating point did before. See
 * inst/proofs/cluster-look.md.
 *
 * The look of k-means is the short form of it: the whole share for the nearest mean, no products, coordinates of the box.
 *
 * All that happens to a row is one sequence of scalar operations on it alone. BLAS over many rows would be faster, but how
 * it rounds one row may depend on how many stand beside it.
 *
 * Cost: rows x clusters x dimension^2, shared by the threads; clusters whose share is zero cost half. 4e4 rows of 9 numbers
 * in 12 clusters take .04 s on one. */
#include "cluster-look.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "cluster-lattice.h"
#include "privacy-noise.h"

typedef struct {
  double z[DPT_LOOK_MAX_DIMENSION];  /* the row in [-1, 1] */
  double u[DPT_LOOK_MAX_DIMENSION];  /* in the coordinates of a cluster */
  int64_t q[DPT_LOOK_MAX_DIMENSION]; /* its features */
} row_room;

/* A row in the coordinates of the box. */
static void read_row(const dpt_look_model *model, const double *X, ptrdiff_t rows, ptrdiff_t row, double *z) {
  for (int j = 0; j < model->dimension; j++)
    z[j] = dpt_lattice_place(X[row + j * rows], model->lower[j], model->upper[j]);
}

/* u = W (z - mean) in cluster k; the square of its length. */
static double whiten(const dpt_look_model *model, int k, const double *z, double *u) {
  const int d = model->dimension;
  const double *mean = model->mean + (ptrdiff_t) k * d, *W = model->whiten + (ptrdiff_t) k * d * d;
  memset(u, 0, (size_t) d * sizeof *u);
  for (int j = 0; j < d; j++) {
    const double away = z[j] - mean[j];
    for (int i = j; i < d; i++) u[i] += W[i + j * d] * away;
  }
  double square = 0;
  for (int i = 0; i < d; i++) square += u[i] * u[i];
  return square;
}

/* The logarithms of densities become whole shares that add up to at most 2^bits. */
static void share_out(double *log_density, int clusters, const dpt_look_options *options, int64_t *share) {
  const int64_t whole = (int64_t) 1 << options->share_bits;
  int best = 0;
  for (int k = 1; k < clusters; k++)
    if (log_density[k] > log_density[best]) best = k;
  if (options->hard) {
    for (int k = 0; k < clusters; k++) share[k] = k == best ? whole : 0;
    return;
  }
  const double top = log_density[best];
  double total = 0;
  for (int k = 0; k < clusters; k++) total += log_density[k] = exp(log_density[k] - top);
  int64_t left = whole;
  for (int k = 0; k < clusters; k++) {
    const double wanted = floor(log_density[k] / total * (double) whole + 0.5);
    share[k] = wanted > 0 ? (wanted < (double) left ? (int64_t) wanted : left) : 0; /* not a number: 0 */
    left -= share[k];
  }
}

static int64_t nearest(double x, int64_t most) {
  if (!(x == x)) return 0;
  return (int64_t) floor(dpt_lattice_within(x, (double) -most, (double) most) + 0.5);
}

/* Features in steps of 2^-bits. Those of the box are at most 1 each; those of a cluster have together at most the length
 * sqrt(dimension), and are 0 where their length is not known. */
static void whole_features(const dpt_look_options *options, int d, const double *x, double square, int64_t *q) {
  const int64_t unit = (int64_t) 1 << options->bits;
  if (!options->whitened) {
    for (int i = 0; i < d; i++) q[i] = nearest(x[i] * (double) unit, unit);
    return;
  }
  if (!(square < INFINITY)) { /* else a row could be as far from its length as the loop below has steps */
    memset(q, 0, (size_t) d * sizeof *q);
    return;
  }
  const double scale = (square > d ? sqrt(d / square) : 1) * (double) unit;
  const int64_t most = d * unit * unit; /* d <= 50 and 24 bits: below 2^54 */
  int64_t length = 0;
  for (int i = 0; i < d; i++) {
    q[i] = nearest(x[i] * scale, (d < 8 ? 3 : 8) * unit); /* sqrt(d) or more, so that the squares stay small */
    length += q[i] * q[i];
  }
  while (length > most) {
    length = 0;
    for (int i = 0; i < d; i++) {
      q[i] -= (q[i] > 0) - (q[i] < 0);
      length += q[i] * q[i];
    }
  }
}

static void add_features(int64_t share, const int64_t *q, int d, int64_t *sums) {
  sums[0] += share;
  int64_t *product = sums + 1 + d;
  for (int j = 0; j < d; j++) {
    const int64_t part = share * q[j];
    sums[1 + j] += part;
    for (int i = 0; i <= j; i++) *product++ += part * q[i];
  }
}

/* ---- Over all rows --------------------------------------------------------------------------------------------- */

/* A thread has room of its own for a row, and sums of its own: whole numbers, which add up to the same in any order. */
typedef struct {
  int64_t *sums;
  double *u, *square, *density; /* of each cluster, or of each center of a start */
  int64_t *share;
  row_room room;
} look_worker;

typedef struct look_job {
  const dpt_look_model *model;
  dpt_look_options options;
  const double *X;
  ptrdiff_t rows;
  ptrdiff_t size; /* of the sums */
  int64_t cost;   /* nanoseconds a row, about */
  void (*read)(const struct look_job *job, look_worker *worker, ptrdiff_t row);
  const double *centers; /* of the starts */
  int each, starts;
  double spread;
} look_job;

static look_worker new_worker(dpt_ctx *ctx, const look_job *job) {
  const ptrdiff_t clusters = job->model->clusters > job->each ? job->model->clusters : job->each;
  look_worker worker = {.sums = DPT_NEW(ctx, int64_t, job->size),
                        .u = DPT_NEW(ctx, double, clusters * job->model->dimension),
                        .square = DPT_NEW(ctx, double, clusters),
                        .density = DPT_NEW(ctx, double, clusters),
                        .share = DPT_NEW(ctx, int64_t, clusters)};
  memset(worker.sums, 0, (size_t) job->size * sizeof *worker.sums);
  return worker;
}

static void run_part(const look_job *job, look_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  for (ptrdiff_t row = from; row < to && row < job->rows; row++) job->read(job, worker, row);
}

static void run_job(dpt_ctx *ctx, const look_job *job, int64_t *sums) {
  const int threads = ctx->threads;
  /* some milliseconds: threads wait for each other at the end of a part */
  const ptrdiff_t part = 1 + (ptrdiff_t) (5000000 / job->cost);
  look_worker *workers = DPT_NEW(ctx, look_worker, threads);
  for (int i = 0; i < threads; i++) workers[i] = new_worker(ctx, job);
  for (ptrdiff_t from = 0; from < job->rows; from += part * threads) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1 && job->rows > part)
#endif
    for (int i = 0; i < threads; i++) run_part(job, workers + i, from + i * part, from + (i + 1) * part);
    ctx->fraction = (double) from / (double) job->rows;
    dpt_tick(ctx, (int64_t) part * job->cost);
  }
  memset(sums, 0, (size_t) job->size * sizeof *sums);
  for (int i = 0; i < threads; i++)
    for (ptrdiff_t j = 0; j < job->size; j++) sums[j] += workers[i].sums[j];
}

static void look_at_row(const look_job *job, look_worker *worker, ptrdiff_t row) {
  const dpt_look_model *model = job->model;
  const int d = model->dimension, clusters = model->clusters;
  row_room *room = &worker->room;
  read_row(model, job->X, job->rows, row, room->z);
  for (int k = 0; k < clusters; k++) {
    worker->square[k] = whiten(model, k, room->z, worker->u + (ptrdiff_t) k * d);
    worker->density[k] = model->level[k] - worker->square[k] / 2;
  }
  share_out(worker->density, clusters, &job->options, worker->share);
  for (int k = 0; k < clusters; k++) {
    if (worker->share[k] == 0) continue;
    const double *x = job->options.whitened ? worker->u + (ptrdiff_t) k * d : room->z;
    whole_features(&job->options, d, x, worker->square[k], room->q);
    add_features(worker->share[k], room->q, d, worker->sums + k * dpt_look_size(d));
  }
}

void dpt_look_sum(dpt_ctx *ctx, const dpt_look_model *model, const dpt_look_options *options, const double *X,
                  ptrdiff_t rows, int64_t *sums) {
  const int64_t d = model->dimension;
  const look_job job = {.model = model,
                        .options = *options,
                        .X = X,
                        .rows = rows,
                        .size = dpt_look_size(model->dimension) * model->clusters,
                        .cost = model->clusters * (20 + d * d),
                        .read = look_at_row};
  run_job(ctx, &job, sums);
}

static void add_to_nearest(const look_job *job, look_worker *worker, ptrdiff_t row) {
  const int d = job->model->dimension;
  const int64_t unit = (int64_t) 1 << job->options.bits;
  const double *z = worker->room.z;
  read_row(job->model, job->X, job->rows, row, worker->room.z);
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
  int64_t *sum = worker->sums + (ptrdiff_t) best * (1 + d);
  sum[0]++;
  for (int i = 0; i < d; i++) sum[1 + i] += nearest(z[i] * (double) unit, unit);
}

void dpt_look_means(dpt_ctx *ctx, const dpt_look_model *model, int bits, const double *X, ptrdiff_t rows,
                    int64_t *sums) {
  const look_job job = {.model = model,
                        .options.bits = bits,
                        .X = X,
                        .rows = rows,
                        .size = (ptrdiff_t) (1 + model->dimension) * model->clusters,
                        .cost = 20 + (int64_t) model->clusters * model->dimension,
                        .read = add_to_nearest};
  run_job(ctx, &job, sums);
}

/* The log of the density of a start at u, less that of the standard Gaussian. */
static double score_start(const look_job *job, const double *center, const double *u, double square, double *distance) {
  const int d = job->model->dimension;
  double least = INFINITY, total = 0;
  for (int k = 0; k < job->each; k++) {
    distance[k] = 0;
    for (int i = 0; i < d; i++) {
      const double away = u[i] - center[i + k * d];
      distance[k] += away * away;
    }
    if (distance[k] < least) least = distance[k];
  }
  for (int k = 0; k < job->each; k++) total += exp((least - distance[k]) / (2 * job->spread));
  const double constant = -d / 2.0 * log(job->spread) - log(job->each);
  return log(total) - least / (2 * job->spread) + constant + square / 2;
}

static void score_row(const look_job *job, look_worker *worker, ptrdiff_t row) {
  const int64_t unit = (int64_t) 1 << job->options.bits;
  const ptrdiff_t length = (ptrdiff_t) job->each * job->model->dimension;
  row_room *room = &worker->room;
  read_row(job->model, job->X, job->rows, row, room->z);
  const double square = whiten(job->model, 0, room->z, room->u);
  for (int s = 0; s < job->starts; s++) {
    const double score = score_start(job, job->centers + s * length, room->u, square, worker->density);
    worker->sums[s] += nearest((dpt_lattice_within(score, -3, 3) + 3) * (double) unit, 6 * unit);
  }
}

void dpt_look_scores(dpt_ctx *ctx, const dpt_look_model *model, const double *centers, int each, int starts,
                     double spread, int bits, const double *X, ptrdiff_t rows, int64_t *scores) {
  const look_job job = {.model = model,
                        .options.bits = bits,
                        .X = X,
                        .rows = rows,
                        .size = starts,
                        .cost = (int64_t) starts * each * (10 + model->dimension),
                        .read = score_row,
                        .centers = centers,
                        .each = each,
                        .starts = starts,
                        .spread = spread};
  run_job(ctx, &job, scores);
}

int dpt_look_choose(dpt_ctx *ctx, const double *loss, int count, double factor) {
  for (;;) {
    const int one = (int) dpt_draw_below(ctx, (uint64_t) count);
    if (dpt_draw_bernoulli_exp(ctx, loss[one] * factor)) return one;
    dpt_tick(ctx, 300);
  }
}
