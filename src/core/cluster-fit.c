/* cluster-fit.c - one round of expectation and maximization for a mixture of normal distributions.
 *
 * A block of rows is brought into the coordinates of every component, z = W (x - mean). The squares give the
 * probabilities. The same z, weighted by the probabilities, give the sums from which the next mixture is computed.
 * Means and products are taken about the mean of the previous round, in units of the component, so that they lose no
 * digits however far the rows are from zero.
 *
 * Cost: 2 dimension^2 multiplications and additions and one exponential for each row and component. The vector units
 * are the limit: inner loops run over the rows of a block (columns are contiguous as R has them), four results at a
 * time stay in registers, and the z of a block stay in the cache. Chunks of rows are summed separately, and then added
 * in their order, so that sums do not depend on the number of threads. Measured (bench/cluster-fit.R): about twice what
 * the multiplications alone would take with vectors of four; exponentials take the rest (with the library's, one at a
 * time, a sixth of the total). Exponentials below 1e-30 count as zero. Rejected: the products through BLAS (one more
 * pass over a block, and R's own has no vectors), and leaving out components of small weight in a block (rows are
 * rarely sorted by component). */
#include "cluster-fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base-simd.h"
#include "cluster-block.h"

enum { BATCH = 16 };

/* See choose_loops(). */
typedef struct {
  void (*place)(ptrdiff_t, ptrdiff_t, ptrdiff_t, const double *, const double *, double *, double *);
  void (*add)(ptrdiff_t, ptrdiff_t, ptrdiff_t, const double *, const double *, double *, double *);
  void (*weigh)(ptrdiff_t, double *, const double *, double *);
} fit_loops;

/* Sizes of the work. They depend on public sizes only, so that no sum depends on the machine. */
typedef struct {
  const dpt_mixture *mixture;
  const double *X;
  ptrdiff_t rows, block, chunk, size; /* size: of the sums of a component */
  fit_loops loops;
} fit_setup;

/* Room for one chunk: its sums and the coordinates of a block. */
typedef struct {
  double *sums;     /* size x components */
  double *z;        /* block x dimension x components */
  double *part;     /* block x components */
  double *away;     /* block x dimension */
  double *weighted; /* block */
  double log_likelihood;
} fit_chunk;

static fit_chunk new_chunk(dpt_ctx *ctx, const fit_setup *setup) {
  const ptrdiff_t d = setup->mixture->dimension, K = setup->mixture->components;
  return (fit_chunk){.sums = DPT_NEW(ctx, double, K * setup->size),
                     .z = DPT_NEW(ctx, double, K *d * setup->block),
                     .part = DPT_NEW(ctx, double, K * setup->block),
                     .away = DPT_NEW(ctx, double, d * setup->block),
                     .weighted = DPT_NEW(ctx, double, setup->block)};
}

/* Centers a block of `count` rows at the mean of component k. The last group of eight is padded with zeros. */
static void center_block(const fit_setup *setup, fit_chunk *chunk, ptrdiff_t k, ptrdiff_t from, ptrdiff_t count) {
  const ptrdiff_t d = setup->mixture->dimension, full = dpt_block_lanes(count);
  for (ptrdiff_t j = 0; j < d; j++) {
    const double *x = setup->X + from + j * setup->rows, center = setup->mixture->mean[k * d + j];
    double *away = chunk->away + j * setup->block;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < count; b++) away[b] = x[b] - center;
    for (ptrdiff_t b = count; b < full; b++) away[b] = 0;
  }
}

/* Computes exp(x) for x from -70 to 0, to the last digit or two; 0 below -70 and for NaN. It is 2^n times the first
 * terms of the series at the remainder of x, which is at most log(2) / 2. */
DPT_INTO static inline void exponentiate(ptrdiff_t count, double *part, const double *highest, double *total) {
  const double round = 0x1.8p52; /* adding a number below 2^51 to it rounds that number into the last digits */
  static const double term[] = {
      1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
      1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
  for (ptrdiff_t b = 0; b < count; b += 4) {
    dpt_four *at = (dpt_four *) (part + b), *sum = (dpt_four *) (total + b);
    const dpt_four x = *at - *(const dpt_four *) (highest + b), shifted = x * 0x1.71547652b82fep0 + round,
                   n = shifted - round;
    const dpt_four left = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
    dpt_four series = {1.0 / 6227020800, 1.0 / 6227020800, 1.0 / 6227020800, 1.0 / 6227020800};
    for (int i = 0; i < 13; i++) series = series * left + term[i];
    dpt_four_bits bits = (dpt_four_bits) series + ((dpt_four_bits) shifted << 52);
    bits &= (dpt_four_bits) (x > -70);
    *at = (dpt_four) bits;
    *sum += *at;
  }
}

/* The same loops compiled again for longer vectors; the choice is made at run time. */
static void place_any(ptrdiff_t d, ptrdiff_t block, ptrdiff_t count, const double *W, const double *away, double *z,
                      double *square) {
  dpt_block_place(d, block, count, W, away, z, square);
}

static void add_any(ptrdiff_t d, ptrdiff_t block, ptrdiff_t count, const double *z, const double *weight,
                    double *weighted, double *sums) {
  dpt_block_add(d, block, count, z, weight, weighted, sums);
}

static void weigh_any(ptrdiff_t count, double *part, const double *highest, double *total) {
  exponentiate(count, part, highest, total);
}

#if defined(__x86_64__) && !defined(_WIN32) /* Windows aligns the stack to half of such a vector */
__attribute__((target("avx2,fma"))) static void place_long(ptrdiff_t d, ptrdiff_t block, ptrdiff_t count,
                                                           const double *W, const double *away, double *z,
                                                           double *square) {
  dpt_block_place(d, block, count, W, away, z, square);
}

__attribute__((target("avx2,fma"))) static void add_long(ptrdiff_t d, ptrdiff_t block, ptrdiff_t count, const double *z,
                                                         const double *weight, double *weighted, double *sums) {
  dpt_block_add(d, block, count, z, weight, weighted, sums);
}

__attribute__((target("avx2,fma"))) static void weigh_long(ptrdiff_t count, double *part, const double *highest,
                                                           double *total) {
  exponentiate(count, part, highest, total);
}

static fit_loops choose_loops(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return (fit_loops){place_long, add_long, weigh_long};
  return (fit_loops){place_any, add_any, weigh_any};
}
#else
static fit_loops choose_loops(void) { return (fit_loops){place_any, add_any, weigh_any}; }
#endif

/* Drops a row whose distance from component k overflows. Its coordinates must not be multiplied, not even by zero. */
static double lose_row(const fit_setup *setup, fit_chunk *chunk, ptrdiff_t k, ptrdiff_t b) {
  const ptrdiff_t d = setup->mixture->dimension;
  for (ptrdiff_t i = 0; i < d; i++) chunk->z[(k * d + i) * setup->block + b] = 0;
  return -INFINITY;
}

/* Turns the squares of a row into its probabilities, one column per component. */
static void weigh_block(const fit_setup *setup, fit_chunk *chunk, ptrdiff_t count) {
  const ptrdiff_t K = setup->mixture->components, B = setup->block;
  double *highest = chunk->away, *total = chunk->weighted; /* their contents are no longer needed */
  for (ptrdiff_t b = 0; b < dpt_block_lanes(count); b++) {
    highest[b] = -INFINITY;
    total[b] = 0;
  }
  for (ptrdiff_t k = 0; k < K; k++) {
    double *part = chunk->part + k * B;
    const double level = setup->mixture->log_scale[k];
    for (ptrdiff_t b = 0; b < count; b++) {
      const double log_part = level - part[b] / 2;
      part[b] = log_part >= -DBL_MAX ? log_part : lose_row(setup, chunk, k, b);
      highest[b] = part[b] > highest[b] ? part[b] : highest[b];
    }
  }
  for (ptrdiff_t k = 0; k < K; k++) setup->loops.weigh(dpt_block_lanes(count), chunk->part + k * B, highest, total);
  for (ptrdiff_t b = 0; b < count; b++) {
    chunk->log_likelihood += highest[b] + (total[b] > 0 ? log(total[b]) : 0);
    total[b] = total[b] > 0 ? 1 / total[b] : 0;
  }
  for (ptrdiff_t k = 0; k < K; k++) {
    double *part = chunk->part + k * B;
    DPT_SIMD("omp simd")
    for (ptrdiff_t b = 0; b < count; b++) part[b] *= total[b];
    for (ptrdiff_t b = count; b < dpt_block_lanes(count); b++) part[b] = 0;
  }
}

static ptrdiff_t clamp_size(double size, ptrdiff_t least, ptrdiff_t most) {
  return size < (double) least ? least : size > (double) most ? most : (ptrdiff_t) size;
}

static fit_setup plan_fit(const dpt_mixture *mixture, ptrdiff_t rows, const double *X) {
  const double d = (double) mixture->dimension, K = (double) mixture->components;
  const ptrdiff_t block = clamp_size(16384 / (K * d), 16, 256) / 8 * 8;
  const ptrdiff_t chunk = clamp_size(2e6 / (K * (20 + d * d)) / (double) block, 1, 64) * block;
  return (fit_setup){mixture, X, rows, block, chunk, 1 + mixture->dimension * (1 + mixture->dimension), choose_loops()};
}

static void run_chunk(const fit_setup *setup, fit_chunk *chunk, ptrdiff_t from, ptrdiff_t to) {
  const ptrdiff_t d = setup->mixture->dimension, K = setup->mixture->components, B = setup->block;
  memset(chunk->sums, 0, (size_t) (K * setup->size) * sizeof *chunk->sums);
  chunk->log_likelihood = 0;
  for (; from < to; from += setup->block) {
    const ptrdiff_t count = to - from < setup->block ? to - from : setup->block;
    for (ptrdiff_t k = 0; k < K; k++) {
      center_block(setup, chunk, k, from, count);
      setup->loops.place(d, B, dpt_block_lanes(count), setup->mixture->whitener + k * d * d, chunk->away,
                         chunk->z + k * d * B, chunk->part + k * B);
    }
    weigh_block(setup, chunk, count);
    for (ptrdiff_t k = 0; k < K; k++)
      setup->loops.add(d, B, dpt_block_lanes(count), chunk->z + k * d * B, chunk->part + k * B, chunk->weighted,
                       chunk->sums + k * setup->size);
  }
}

static void run_batch(const fit_setup *setup, fit_chunk *chunks, ptrdiff_t from, ptrdiff_t count, int threads) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1 && count > 1)
#endif
  for (ptrdiff_t i = 0; i < count; i++) {
    const ptrdiff_t begin = from + i * setup->chunk, end = begin + setup->chunk;
    run_chunk(setup, chunks + i, begin, end < setup->rows ? end : setup->rows);
  }
  (void) threads;
}

static void add_chunk(const fit_setup *setup, const fit_chunk *chunk, dpt_fit_sums *sums) {
  const ptrdiff_t d = setup->mixture->dimension, K = setup->mixture->components;
  for (ptrdiff_t k = 0; k < K; k++) {
    const double *from = chunk->sums + k * setup->size;
    sums->count[k] += from[0];
    for (ptrdiff_t i = 0; i < d; i++) sums->sum[i + k * d] += from[1 + i];
    for (ptrdiff_t i = 0; i < d * d; i++) sums->product[i + k * d * d] += from[1 + d + i];
  }
  sums->log_likelihood += chunk->log_likelihood;
}

void dpt_fit_round(dpt_ctx *ctx, const dpt_mixture *mixture, ptrdiff_t rows, const double *X, dpt_fit_sums *sums) {
  const fit_setup setup = plan_fit(mixture, rows, X);
  const ptrdiff_t d = mixture->dimension, chunks = (rows + setup.chunk - 1) / setup.chunk;
  const ptrdiff_t room = chunks < BATCH ? chunks : BATCH;
  fit_chunk *chunk = DPT_NEW(ctx, fit_chunk, room > 0 ? room : 1);
  for (ptrdiff_t i = 0; i < room; i++) chunk[i] = new_chunk(ctx, &setup);
  for (ptrdiff_t done = 0; done < chunks; done += room) {
    const ptrdiff_t count = chunks - done < room ? chunks - done : room;
    run_batch(&setup, chunk, done * setup.chunk, count, ctx->threads);
    for (ptrdiff_t i = 0; i < count; i++) add_chunk(&setup, chunk + i, sums);
    ctx->fraction = (double) (done + count) / (double) chunks;
    dpt_tick(ctx, count * setup.chunk * mixture->components * (10 + d * d) / ctx->threads);
  }
}
