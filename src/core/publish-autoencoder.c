/* publish-autoencoder.c - an autoencoder of tuples of codes, trained privately.
 *
 * codes -> tanh -> two places in (-1, 1), by tanh -> tanh -> for each column the probabilities of its codes (softmax).
 * There is one hidden layer on either side. The first layer adds one row of weights per code, so that zeros of the
 * indicators cost nothing.
 *
 * A step: a set of `batch` rows is drawn uniformly without replacement (a partial shuffle, exact); each gradient is
 * separately cut to a length and rounded to a public lattice, cut again in integers, and summed in integers. Discrete
 * Gaussian noise is added. Adam and the mean of the last weights use the noisy sum only. Replacing one row changes the
 * sum by at most 2 2^BITS: inst/proofs/publish-autoencoder.md.
 *
 * Cost of a step: about 6 operations for each weight and row, and one draw of noise for each weight, about 300 ns. With
 * a few thousand weights and batches of hundreds of rows, both take about the same time. A product of matrices over the
 * whole batch by BLAS would be faster, and was rejected: its rounding of one row may depend on the row's position and
 * neighbors, and then the cut is not a function of this row. Threads share the rows, and sums of integers do not depend
 * on the division.
 *
 * Sources: Abadi et al. (2016) for training by cut gradients; for batches without replacement and their accountant,
 * Wang, Balle and Kasiviswanathan (2019). A term for the topology of a batch in the loss was rejected: its gradient
 * drowns in the noise. */
#include "publish-autoencoder.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "privacy-noise.h"
#include "privacy-rounded-normal.h"

enum { LATENT = DPT_AUTOENCODER_LATENT };

/* The position of each layer among the weights. */
typedef struct {
  ptrdiff_t first, first_shift, place, place_shift, back, back_shift, last, last_shift, count;
} layers;

static layers find_layers(const dpt_autoencoder_rows *rows) {
  const ptrdiff_t H = rows->hidden, K = rows->cells;
  layers at = {.first = 0};
  at.first_shift = K * H;
  at.place = at.first_shift + H;
  at.place_shift = at.place + LATENT * H;
  at.back = at.place_shift + LATENT;
  at.back_shift = at.back + LATENT * H;
  at.last = at.back_shift + H;
  at.last_shift = at.last + K * H;
  at.count = at.last_shift + K;
  return at;
}

ptrdiff_t dpt_autoencoder_weights(const dpt_autoencoder_rows *rows) { return find_layers(rows).count; }

/* Turns the scores of one column into probabilities. Returns minus the log of the probability of `code`. */
static double find_probabilities(ptrdiff_t size, double *score, ptrdiff_t code) {
  double highest = score[0], total = 0;
  for (ptrdiff_t c = 1; c < size; c++) highest = fmax(highest, score[c]);
  const double own = score[code] - highest;
  for (ptrdiff_t c = 0; c < size; c++) total += score[c] = exp(score[c] - highest);
  for (ptrdiff_t c = 0; c < size; c++) score[c] /= total;
  return log(total) - own;
}

double dpt_autoencoder_gradient(const dpt_autoencoder_rows *rows, ptrdiff_t row, const double *weight, double *gradient,
                                double *scratch) {
  const ptrdiff_t H = rows->hidden, K = rows->cells;
  const layers at = find_layers(rows);
  double *in = scratch, *out = in + H, *to_in = out + H, *to_out = to_in + H, *score = to_out + H;
  double place[LATENT], to_place[LATENT], loss = 0;

  memcpy(in, weight + at.first_shift, (size_t) H * sizeof *in);
  ptrdiff_t cell = 0;
  for (int j = 0; j < rows->columns; j++) {
    const double *own = weight + at.first + (cell + rows->code[row + j * rows->rows]) * H;
    for (ptrdiff_t h = 0; h < H; h++) in[h] += own[h];
    cell += rows->size[j];
  }
  for (ptrdiff_t h = 0; h < H; h++) in[h] = tanh(in[h]);
  for (int i = 0; i < LATENT; i++) {
    double sum = weight[at.place_shift + i];
    for (ptrdiff_t h = 0; h < H; h++) sum += weight[at.place + i * H + h] * in[h];
    place[i] = tanh(sum);
  }
  for (ptrdiff_t h = 0; h < H; h++) {
    double sum = weight[at.back_shift + h];
    for (int i = 0; i < LATENT; i++) sum += weight[at.back + h * LATENT + i] * place[i];
    out[h] = tanh(sum);
  }
  for (ptrdiff_t c = 0; c < K; c++) {
    double sum = weight[at.last_shift + c];
    for (ptrdiff_t h = 0; h < H; h++) sum += weight[at.last + c * H + h] * out[h];
    score[c] = sum;
  }

  memset(gradient, 0, (size_t) at.count * sizeof *gradient);
  cell = 0;
  for (int j = 0; j < rows->columns; j++) {
    const ptrdiff_t code = rows->code[row + j * rows->rows];
    loss += find_probabilities(rows->size[j], score + cell, code);
    score[cell + code] -= 1;
    cell += rows->size[j];
  }
  for (ptrdiff_t h = 0; h < H; h++) to_out[h] = 0;
  for (ptrdiff_t c = 0; c < K; c++) {
    gradient[at.last_shift + c] = score[c];
    for (ptrdiff_t h = 0; h < H; h++) {
      gradient[at.last + c * H + h] = score[c] * out[h];
      to_out[h] += score[c] * weight[at.last + c * H + h];
    }
  }
  for (int i = 0; i < LATENT; i++) to_place[i] = 0;
  for (ptrdiff_t h = 0; h < H; h++) {
    const double slope = to_out[h] * (1 - out[h] * out[h]);
    gradient[at.back_shift + h] = slope;
    for (int i = 0; i < LATENT; i++) {
      gradient[at.back + h * LATENT + i] = slope * place[i];
      to_place[i] += slope * weight[at.back + h * LATENT + i];
    }
  }
  for (ptrdiff_t h = 0; h < H; h++) to_in[h] = 0;
  for (int i = 0; i < LATENT; i++) {
    const double slope = to_place[i] * (1 - place[i] * place[i]);
    gradient[at.place_shift + i] = slope;
    for (ptrdiff_t h = 0; h < H; h++) {
      gradient[at.place + i * H + h] = slope * in[h];
      to_in[h] += slope * weight[at.place + i * H + h];
    }
  }
  for (ptrdiff_t h = 0; h < H; h++) {
    to_in[h] *= 1 - in[h] * in[h];
    gradient[at.first_shift + h] = to_in[h];
  }
  cell = 0;
  for (int j = 0; j < rows->columns; j++) {
    memcpy(gradient + at.first + (cell + rows->code[row + j * rows->rows]) * H, to_in, (size_t) H * sizeof *to_in);
    cell += rows->size[j];
  }
  return loss;
}

void dpt_autoencoder_cut(ptrdiff_t count, const double *gradient, double clip, int32_t *q) {
  const double steps = (double) (1 << DPT_AUTOENCODER_BITS);
  const int64_t most = (int64_t) 1 << 2 * DPT_AUTOENCODER_BITS;
  double square = 0;
  for (ptrdiff_t i = 0; i < count; i++) square += gradient[i] * gradient[i];
  const double length = sqrt(square), factor = steps / fmax(clip, length);
  const bool finite = isfinite(length);
  int64_t whole = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    const double place = finite ? floor(gradient[i] * factor + 0.5) : 0;
    /* only rounding can exceed the range */
    q[i] = (int32_t) fmin(fmax(place, -steps), steps);
    whole += (int64_t) q[i] * q[i];
  }
  while (whole > most) {
    whole = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
      q[i] -= (q[i] > 0) - (q[i] < 0);
      whole += (int64_t) q[i] * q[i];
    }
  }
}

/* The memory of one thread for its part of a batch. */
typedef struct {
  double *gradient, *scratch;
  int32_t *q;
  int64_t *sum;
} worker;

static void add_rows(const dpt_autoencoder_rows *rows, const dpt_autoencoder_training *t, const double *weight,
                     const ptrdiff_t *drawn, ptrdiff_t from, ptrdiff_t to, ptrdiff_t count, worker *own) {
  memset(own->sum, 0, (size_t) count * sizeof *own->sum);
  for (ptrdiff_t i = from; i < to; i++) {
    dpt_autoencoder_gradient(rows, drawn[i], weight, own->gradient, own->scratch);
    dpt_autoencoder_cut(count, own->gradient, t->clip, own->q);
    for (ptrdiff_t k = 0; k < count; k++) own->sum[k] += own->q[k];
  }
}

/* Makes the first `batch` of the places a uniformly drawn set, regardless of their order before. */
static void draw_batch(dpt_ctx *ctx, ptrdiff_t rows, ptrdiff_t batch, ptrdiff_t *place) {
  for (ptrdiff_t i = 0; i < batch; i++) {
    const ptrdiff_t other = i + (ptrdiff_t) dpt_draw_below(ctx, (uint64_t) (rows - i)), kept = place[i];
    place[i] = place[other];
    place[other] = kept;
  }
}

/* One step of Adam (Kingma and Ba 2015). */
static void learn(double rate, ptrdiff_t step, ptrdiff_t count, const double *slope, double *mean, double *square,
                  double *weight) {
  const double fresh = 1 - pow(0.9, (double) step), fresh_square = 1 - pow(0.999, (double) step);
  for (ptrdiff_t k = 0; k < count; k++) {
    mean[k] += 0.1 * (slope[k] - mean[k]);
    square[k] += 0.001 * (slope[k] * slope[k] - square[k]);
    weight[k] -= rate * (mean[k] / fresh) / (sqrt(square[k] / fresh_square) + 1e-8);
  }
}

dpt_status dpt_autoencoder_train(dpt_ctx *ctx, const dpt_autoencoder_rows *rows, const dpt_autoencoder_training *t,
                                 double *weight) {
  const ptrdiff_t count = dpt_autoencoder_weights(rows);
  if (!(t->scale >= 0 && t->scale <= ldexp(1, DPT_NOISE_MOST_EXPONENT))) {
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "The noise is above 2^40.");
  }
  dpt_rounded_normal sampler;
  dpt_rounded_normal_open(ctx, &sampler, 0);
  const int threads = t->batch < ctx->threads ? (int) t->batch : ctx->threads;
  worker *workers = DPT_NEW(ctx, worker, threads);
  for (int i = 0; i < threads; i++)
    workers[i] = (worker){DPT_NEW(ctx, double, count), DPT_NEW(ctx, double, rows->cells + 4 * rows->hidden),
                          DPT_NEW(ctx, int32_t, count), DPT_NEW(ctx, int64_t, count)};
  ptrdiff_t *place = DPT_NEW(ctx, ptrdiff_t, rows->rows);
  for (ptrdiff_t i = 0; i < rows->rows; i++) place[i] = i;
  double *slope = DPT_NEW(ctx, double, count), *mean = DPT_NEW(ctx, double, count),
         *square = DPT_NEW(ctx, double, count), *total = DPT_NEW(ctx, double, count);
  for (ptrdiff_t k = 0; k < count; k++) mean[k] = square[k] = total[k] = 0;
  const double unit = t->clip / ((double) (1 << DPT_AUTOENCODER_BITS) * (double) t->batch);
  const ptrdiff_t averaged = t->steps - t->steps / 2;
  for (ptrdiff_t step = 1; step <= t->steps; step++) {
    draw_batch(ctx, rows->rows, t->batch, place);
    /* parallel regions take some milliseconds: on a shared processor, each waits for the slowest thread */
    const ptrdiff_t part = 1 + 1000000 / count;
    memset(slope, 0, (size_t) count * sizeof *slope);
    for (ptrdiff_t from = 0; from < t->batch; from += part * threads) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
#endif
      for (int i = 0; i < threads; i++) {
        const ptrdiff_t first = from + i * part, end = first + part;
        add_rows(rows, t, weight, place, first < t->batch ? first : t->batch, end < t->batch ? end : t->batch, count,
                 workers + i);
      }
      /* integers below 2^53, which doubles add exactly */
      for (int i = 0; i < threads; i++)
        for (ptrdiff_t k = 0; k < count; k++) slope[k] += (double) workers[i].sum[k];
      dpt_tick(ctx, 6 * part * count);
    }
    for (ptrdiff_t k = 0; k < count; k++) {
      slope[k] = unit * (double) dpt_add_rounded_normal(ctx, &sampler, t->scale, (int64_t) slope[k]);
      if (k % 256 == 0) dpt_tick(ctx, 256 * 100);
    }
    learn(t->rate, step, count, slope, mean, square, weight);
    if (step > t->steps - averaged)
      for (ptrdiff_t k = 0; k < count; k++) total[k] += weight[k];
    ctx->fraction = (double) step / (double) t->steps;
  }
  if (averaged > 0)
    for (ptrdiff_t k = 0; k < count; k++) weight[k] = total[k] / (double) averaged;
  return DPT_OK;
}
