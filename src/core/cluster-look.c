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
 * Cost: rows x clusters x dimension^2; clusters whose share is zero cost half. 4e4 rows of 9 numbers in 12 clusters
 * take .04 s. */
#include "cluster-look.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "privacy-noise.h"

typedef struct {
  double z[DPT_LOOK_MAX_DIMENSION];  /* the row in [-1, 1] */
  double u[DPT_LOOK_MAX_DIMENSION];  /* in the coordinates of a cluster */
  int64_t q[DPT_LOOK_MAX_DIMENSION]; /* its features */
} row_room;

static double within(double x, double least, double most) { return x > least ? (x < most ? x : most) : least; }

/* A row in the coordinates of the box; what is not a number is in its middle. */
static void read_row(const dpt_look_model *model, const double *X, ptrdiff_t rows, ptrdiff_t row, double *z) {
  for (int j = 0; j < model->dimension; j++) {
    const double lower = model->lower[j], upper = model->upper[j];
    const double x = within(X[row + j * rows], lower, upper);
    const double place = 2 * ((x - lower) / (upper - lower)) - 1;
    z[j] = place == place ? within(place, -1, 1) : 0;
  }
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
  return (int64_t) floor(within(x, (double) -most, (double) most) + 0.5);
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

void dpt_look_sum(dpt_ctx *ctx, const dpt_look_model *model, const dpt_look_options *options, const double *X,
                  ptrdiff_t rows, int64_t *sums) {
  const int d = model->dimension, clusters = model->clusters;
  const ptrdiff_t size = dpt_look_size(d);
  const ptrdiff_t places = (ptrdiff_t) d * clusters;
  double *u = DPT_NEW(ctx, double, places);
  double *square = DPT_NEW(ctx, double, clusters), *density = DPT_NEW(ctx, double, clusters);
  int64_t *share = DPT_NEW(ctx, int64_t, clusters);
  row_room room;
  memset(sums, 0, (size_t) (size * clusters) * sizeof *sums);
  for (ptrdiff_t row = 0; row < rows; row++) {
    read_row(model, X, rows, row, room.z);
    for (int k = 0; k < clusters; k++) {
      square[k] = whiten(model, k, room.z, u + (ptrdiff_t) k * d);
      density[k] = model->level[k] - square[k] / 2;
    }
    share_out(density, clusters, options, share);
    for (int k = 0; k < clusters; k++) {
      if (share[k] == 0) continue;
      whole_features(options, d, options->whitened ? u + (ptrdiff_t) k * d : room.z, square[k], room.q);
      add_features(share[k], room.q, d, sums + k * size);
    }
    ctx->fraction = (double) row / (double) rows;
    dpt_tick(ctx, (int64_t) clusters * (20 + d * d));
  }
}

void dpt_look_means(dpt_ctx *ctx, const dpt_look_model *model, int bits, const double *X, ptrdiff_t rows,
                    int64_t *sums) {
  const int d = model->dimension, clusters = model->clusters;
  const int64_t unit = (int64_t) 1 << bits;
  row_room room;
  memset(sums, 0, (size_t) (1 + d) * (size_t) clusters * sizeof *sums);
  for (ptrdiff_t row = 0; row < rows; row++) {
    read_row(model, X, rows, row, room.z);
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < clusters; k++) {
      const double *mean = model->mean + (ptrdiff_t) k * d;
      double square = 0;
      for (int i = 0; i < d; i++) square += (room.z[i] - mean[i]) * (room.z[i] - mean[i]);
      if (square < least) {
        least = square;
        best = k;
      }
    }
    int64_t *sum = sums + (ptrdiff_t) best * (1 + d);
    sum[0]++;
    for (int i = 0; i < d; i++) sum[1 + i] += nearest(room.z[i] * (double) unit, unit);
    ctx->fraction = (double) row / (double) rows;
    dpt_tick(ctx, 20 + (int64_t) clusters * d);
  }
}

void dpt_look_scores(dpt_ctx *ctx, const dpt_look_model *model, const double *centers, int each, int starts,
                     double spread, int bits, const double *X, ptrdiff_t rows, int64_t *scores) {
  const int d = model->dimension;
  const double unit = (double) ((int64_t) 1 << bits), constant = -d / 2.0 * log(spread) - log(each);
  double *distance = DPT_NEW(ctx, double, each);
  row_room room;
  memset(scores, 0, (size_t) starts * sizeof *scores);
  for (ptrdiff_t row = 0; row < rows; row++) {
    read_row(model, X, rows, row, room.z);
    const double square = whiten(model, 0, room.z, room.u);
    for (int s = 0; s < starts; s++) {
      const double *center = centers + (ptrdiff_t) s * each * d;
      double least = INFINITY, total = 0;
      for (int k = 0; k < each; k++) {
        distance[k] = 0;
        for (int i = 0; i < d; i++) {
          const double away = room.u[i] - center[i + k * d];
          distance[k] += away * away;
        }
        if (distance[k] < least) least = distance[k];
      }
      for (int k = 0; k < each; k++) total += exp((least - distance[k]) / (2 * spread));
      const double score = log(total) - least / (2 * spread) + constant + square / 2;
      scores[s] += nearest((within(score, -3, 3) + 3) * unit, 6 * ((int64_t) 1 << bits));
    }
    ctx->fraction = (double) row / (double) rows;
    dpt_tick(ctx, (int64_t) starts * each * (10 + d));
  }
}

int dpt_look_choose(dpt_ctx *ctx, const double *loss, int count, double factor) {
  for (;;) {
    const int one = (int) dpt_draw_below(ctx, (uint64_t) count);
    if (dpt_draw_bernoulli_exp(ctx, loss[one] * factor)) return one;
    dpt_tick(ctx, 300);
  }
}
