/* regression-query.c - turns rows of a regression into integers by a public model, and sums their products.
 *
 * A row is moved into the box. The model gives it eta = z beta, a weight v, and a residual psi, which is cut. Its
 * features are h = sqrt(v) M z, shortened to a public length R together with psi, and psi itself. They are rounded to
 * integers before anything is summed, with lengths of at most 2^bits. Privacy rests on these two bounds alone. They are
 * enforced in integers, regardless of floating-point errors before. See inst/proofs/regression-query.md.
 *
 * A binomial row with p = plogis(eta) has v = c p (1 - p) and psi = (y - p) sqrt(c / (p (1 - p))), where
 * c = min(1, C^2 p (1 - p) / max(p, 1 - p)^2) keeps psi within C. With r = exp(-|eta| / 2), this is
 * sqrt(v) = r min(1, C r) / (1 + r^2)
 * and |psi| = min(C, 1 / r), times r^2 if y is the likelier of both values. So a row needs one exponential and no other
 * function, and nothing overflows.
 *
 * The scores of a row, whose covariance decides the sampling error of coefficients, are w h psi: the products of its
 * features, divided by 2^bits and moved to the next integer toward 0. So their length is at most 2^bits too.
 *
 * As in cluster-query.c, a row is processed by one sequence of operations on this row alone, eight rows side by side.
 *
 * Cost: for p columns, p^2 / 2 multiplications to map a row and p^2 / 2 to add it, shared by the threads, one square
 * root, and the exponential. The limits are the vector units and, up to about 8 columns, the exponential. Rejected:
 * BLAS, whose rounding of a row may depend on the rows beside it, and separate queries of X'X and X'y, which need
 * separate noise (the proof's last section). */
#include "regression-query.h"

#include <math.h>
#include <string.h>

#include "base-simd.h"
#include "cluster-block.h"

typedef struct {
  const dpt_regression_model *model;
  const double *map; /* by row */
  int bits;
  bool scores;
  dpt_cluster_rows X;
  ptrdiff_t block; /* rows beside each other */
} regression_job;

/* The memory of one thread: a block of rows. The distance between columns of a block is its size. */
typedef struct {
  double *z;        /* columns + 1: the rows in the box, and y */
  double *q;        /* columns + 1: after the map, then integers */
  double *eta;      /* of one row, as are all that follow, except the last */
  double *residual; /* over the cut */
  double *root;     /* of the weight v */
  double *square;   /* of the length after the map */
  double *length;
  double *weight;
  double *weighted;
  double *part; /* the sums of a block */
} regression_worker;

static void *new_worker(dpt_ctx *ctx, const void *query) {
  const regression_job *job = query;
  const ptrdiff_t B = job->block, d = job->model->columns + 1;
  regression_worker *worker = DPT_NEW(ctx, regression_worker, 1);
  *worker = (regression_worker){.z = DPT_NEW(ctx, double, B *d),
                                .q = DPT_NEW(ctx, double, B *d),
                                .eta = DPT_NEW(ctx, double, B),
                                .residual = DPT_NEW(ctx, double, B),
                                .root = DPT_NEW(ctx, double, B),
                                .square = DPT_NEW(ctx, double, B),
                                .length = DPT_NEW(ctx, double, B),
                                .weight = DPT_NEW(ctx, double, B),
                                .weighted = DPT_NEW(ctx, double, B),
                                .part = DPT_NEW(ctx, double, 1 + d + d * d)};
  return worker;
}

/* ---- A row by the model ------------------------------------------------------------------------------------------ */

/* Reads rows in the coordinates of the box, their weights, and y. Pads them with rows of weight zero. */
DPT_INTO static inline void read_rows(const regression_job *job, regression_worker *worker, ptrdiff_t from,
                                      ptrdiff_t count) {
  const dpt_regression_model *model = job->model;
  const ptrdiff_t lanes = dpt_block_lanes(count), p = model->columns;
  for (ptrdiff_t j = 0; j <= p; j++) {
    const double *x = job->X.at + from + j * job->X.count, lower = model->lower[j], upper = model->upper[j];
    double *z = worker->z + j * job->block;
    if (j == p && model->binomial) {
      for (ptrdiff_t b = 0; b < count; b++) z[b] = x[b] > 0.5; /* false for NaN */
    } else {
      DPT_SIMD("omp simd")
      for (ptrdiff_t b = 0; b < count; b++) z[b] = dpt_lattice_place(x[b], lower, upper);
    }
    for (ptrdiff_t b = count; b < lanes; b++) z[b] = 0;
  }
  for (ptrdiff_t b = 0; b < count; b++) worker->weight[b] = (double) dpt_cluster_weight(&job->X, from + b);
  for (ptrdiff_t b = count; b < lanes; b++) worker->weight[b] = 0;
}

DPT_INTO static inline void predict_rows(const regression_job *job, regression_worker *worker, ptrdiff_t lanes) {
  double *eta = worker->eta;
  memset(eta, 0, (size_t) lanes * sizeof *eta);
  for (ptrdiff_t j = 0; j < job->model->columns; j++) {
    const double *z = worker->z + j * job->block, beta = job->model->beta[j];
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) eta[b] += beta * z[b];
  }
}

/* Residuals of linear models, cut, in units of the cut. NaN becomes 0. Each row has weight one. */
DPT_INTO static inline void linear_rows(const regression_job *job, regression_worker *worker, ptrdiff_t lanes) {
  const double *y = worker->z + job->model->columns * job->block, *eta = worker->eta, cut = job->model->cut;
  double *residual = worker->residual, *root = worker->root;
  DPT_SIMD("omp simd")
  for (ptrdiff_t b = 0; b < lanes; b++) {
    const double whole = (y[b] - eta[b]) / cut;
    residual[b] = whole == whole ? dpt_lattice_within(whole, -1, 1) : 0;
    root[b] = 1;
  }
}

/* Residuals of binomial models, in units of the cut, and roots of weights. */
DPT_INTO static inline void binomial_rows(const regression_job *job, regression_worker *worker, ptrdiff_t lanes) {
  const double *y = worker->z + job->model->columns * job->block, cut = job->model->cut;
  for (ptrdiff_t b = 0; b < lanes; b++) {
    const double eta = worker->eta[b], r = exp(-fabs(eta) / 2), least = cut * r < 1 ? cut * r : 1;
    const double size = cut * r > 1 ? 1 / (cut * r) : 1;
    const bool one = y[b] > 0, likely = one == (eta > 0);
    worker->root[b] = r * least / (1 + r * r);
    worker->residual[b] = (one ? size : -size) * (likely ? r * r : 1);
  }
}

/* ---- Integers ---------------------------------------------------------------------------------------------------- */

/* Rounds the features of a row, shortened together to the length of its design. If the length is not finite, all are 0:
 * with a wrong length, the loop that shortens them could take too many steps. */
DPT_INTO static inline void round_rows(const regression_job *job, regression_worker *worker, ptrdiff_t count) {
  const ptrdiff_t p = job->model->columns, B = job->block, lanes = dpt_block_lanes(count);
  const double unit = (double) ((int64_t) 1 << job->bits);
  double *root = worker->root, *length = worker->length, *side = worker->q + p * B;
  for (ptrdiff_t b = 0; b < lanes; b++) {
    const double distance = root[b] * sqrt(worker->square[b]), short_by = distance > 1 ? 1 / distance : 1;
    const double scale = distance < INFINITY ? short_by * unit : 0;
    side[b] = dpt_block_nearest(worker->residual[b] * scale, scale > 0 ? unit : 0);
    root[b] = scale > 0 ? root[b] * scale : 0;
    length[b] = 0;
  }
  for (ptrdiff_t i = 0; i < p; i++) {
    double *q = worker->q + i * B;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) {
      q[b] = dpt_block_nearest(q[b] * root[b], unit);
      length[b] += q[b] * q[b];
    }
  }
  for (ptrdiff_t b = 0; b < count; b++)
    if (length[b] > unit * unit) dpt_block_shorten(p, B, worker->q + b, length[b], unit * unit);
}

/* Turns the features of the design into scores: times that of the residual, toward 0, so that no length grows. Products
 * are at most 4^bits, and a division by a power of two is exact. */
DPT_INTO static inline void score_rows(const regression_job *job, regression_worker *worker, ptrdiff_t lanes) {
  const ptrdiff_t p = job->model->columns, B = job->block;
  const double unit = (double) ((int64_t) 1 << job->bits), *side = worker->q + p * B;
  for (ptrdiff_t i = 0; i < p; i++) {
    double *q = worker->q + i * B;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < lanes; b++) q[b] = (double) (int32_t) (q[b] * side[b] / unit);
  }
}

/* ---- The queries ------------------------------------------------------------------------------------------------- */

/* Adds the sums of a block: integers, exact in any order. */
DPT_INTO static inline void sum_rows(const regression_job *job, regression_worker *worker, int64_t *sums,
                                     ptrdiff_t from, ptrdiff_t count) {
  const ptrdiff_t p = job->model->columns, d = job->scores ? p : p + 1, lanes = dpt_block_lanes(count);
  double *part = worker->part, *product = part + 1 + d;
  read_rows(job, worker, from, count);
  predict_rows(job, worker, lanes);
  if (job->model->binomial) binomial_rows(job, worker, lanes);
  else linear_rows(job, worker, lanes);
  dpt_block_place(p, job->block, lanes, job->map, worker->z, worker->q, worker->square);
  round_rows(job, worker, count);
  if (job->scores) score_rows(job, worker, lanes);
  memset(part, 0, (size_t) (1 + d + d * d) * sizeof *part);
  dpt_block_add(d, job->block, lanes, worker->q, worker->weight, worker->weighted, part);
  for (ptrdiff_t j = 0; j < d; j++)
    for (ptrdiff_t i = 0; i <= j; i++) *sums++ += (int64_t) product[i + j * d];
}

DPT_INTO static inline void level_rows(const regression_job *job, regression_worker *worker, int64_t *sum,
                                       ptrdiff_t from, ptrdiff_t count) {
  const ptrdiff_t lanes = dpt_block_lanes(count);
  const double unit = (double) ((int64_t) 1 << job->bits);
  double total = 0;
  read_rows(job, worker, from, count);
  predict_rows(job, worker, lanes);
  linear_rows(job, worker, lanes);
  for (ptrdiff_t b = 0; b < count; b++)
    total += worker->weight[b] * dpt_block_nearest(worker->residual[b] * unit, unit);
  *sum += (int64_t) total;
}

static void sum_any(const void *job, void *worker, int64_t *sums, ptrdiff_t from, ptrdiff_t count) {
  sum_rows(job, worker, sums, from, count);
}

static void level_any(const void *job, void *worker, int64_t *sums, ptrdiff_t from, ptrdiff_t count) {
  level_rows(job, worker, sums, from, count);
}

#if defined(__x86_64__) && !defined(_WIN32) /* Windows aligns the stack to half of such a vector */
/* without fused products, which would give other digits */
__attribute__((target("avx2"))) static void sum_long(const void *job, void *worker, int64_t *sums, ptrdiff_t from,
                                                     ptrdiff_t count) {
  sum_rows(job, worker, sums, from, count);
}

static bool has_long_vectors(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2");
}
#else
#define sum_long sum_any
static bool has_long_vectors(void) { return false; }
#endif

void dpt_regression_sum(dpt_ctx *ctx, const dpt_regression_model *model, int bits, bool scores, dpt_cluster_rows X,
                        int64_t *sums) {
  const int p = model->columns;
  const int64_t d = p + 1;
  const regression_job job = {.model = model,
                              .map = dpt_block_by_row(ctx, p, 1, model->map),
                              .bits = bits,
                              .scores = scores,
                              .X = X,
                              .block = dpt_block_choose((double) d)};
  const dpt_block_job all = {.query = &job,
                             .rows = X.count,
                             .block = job.block,
                             .size = dpt_regression_size(p, scores),
                             .cost = 10 + d * d / 4 + (model->binomial ? 10 : 0),
                             .new_memory = new_worker,
                             .add = has_long_vectors() ? sum_long : sum_any};
  dpt_block_sum(ctx, &all, sums);
}

int64_t dpt_regression_level(dpt_ctx *ctx, const dpt_regression_model *model, int bits, dpt_cluster_rows X) {
  int64_t total = 0;
  const regression_job job = {.model = model, .bits = bits, .X = X, .block = dpt_block_choose(model->columns + 1)};
  const dpt_block_job all = {.query = &job,
                             .rows = X.count,
                             .block = job.block,
                             .size = 1,
                             .cost = 10 + model->columns,
                             .new_memory = new_worker,
                             .add = level_any};
  dpt_block_sum(ctx, &all, &total);
  return total;
}
