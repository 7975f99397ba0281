/* publish-decode.c - codes drawn at places in the plane.
 *
 * Rows are processed in blocks, with the numbers of a block contiguous for each cell, so that every step applies to a
 * vector of rows: scores and their maximum, exponentials (base-exp.c), their cumulative sums along the codes, and the
 * number of sums below the coin. A block needs (codes of the column) x BLOCK numbers for one column, which stay in the
 * cache. No table of rows and levels is made. An autoencoder's hidden numbers are first computed in the same way.
 *
 * Cost of a row: one exponential for each cell, about a nanosecond, and one multiplication for each cell and feature,
 * two per nanosecond (half the time with longer vectors). The draws take about 60 ns per row and 5 ns per column. The
 * exponentials are the limit, because the sum needs all exponentials of a column.
 *
 * Rejected: alias tables at the points of the cloud, because places are blurred and no two rows have the same
 * probabilities. Also rejected: proposals from such tables, accepted by one exponential. These save the other
 * exponentials, but need a bound on differences of slopes and memory for points x cells, and are not faster for a
 * hundred cells. Products of matrices by BLAS over blocks of rows are mere overhead, because their inner length is the
 * number of features, two or sixteen. */
#include "publish-decode.h"

#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "base-exp.h"
#include "base-simd.h"

enum { BLOCK = 32 };

#define INTO __attribute__((always_inline))

typedef struct {
  const dpt_decoder *decoder;
  ptrdiff_t widest;
  double *place, *coin; /* BLOCK x 2, BLOCK x columns */
  double *feature;      /* BLOCK x features; the places if there is no network */
  double *score, *sum;  /* BLOCK x the most codes, BLOCK x features */
  int *code;            /* BLOCK x columns */
} block;

static block open_block(dpt_ctx *ctx, const dpt_decoder *d) {
  block b = {.decoder = d, .widest = 1};
  for (int j = 0; j < d->columns; j++) b.widest = d->size[j] > b.widest ? d->size[j] : b.widest;
  const ptrdiff_t coins = BLOCK * (ptrdiff_t) d->columns, features = BLOCK * d->features;
  b.place = DPT_NEW(ctx, double, BLOCK *DPT_DECODER_LATENT);
  b.coin = DPT_NEW(ctx, double, coins);
  b.sum = DPT_NEW(ctx, double, features);
  b.feature = d->back ? DPT_NEW(ctx, double, features) : b.place;
  b.score = DPT_NEW(ctx, double, BLOCK *b.widest);
  b.code = DPT_NEW(ctx, int, coins);
  /* the last block may not be full; its other rows are computed as well */
  memset(b.place, 0, DPT_DECODER_LATENT * BLOCK * sizeof *b.place);
  for (ptrdiff_t i = 0; i < coins; i++) b.coin[i] = 0.5;
  return b;
}

/* Computes shift + slope' x for all rows of a block, two features at a time. If their number is odd, the last is paired
 * with another one, times zero. */
INTO static inline void find_sums(ptrdiff_t features, double shift, const double *slope, const double *x, double *sum) {
  for (ptrdiff_t f = 0; f < features; f += 2) {
    const bool paired = f + 1 < features;
    const double *first = x + f * BLOCK, *second = paired ? first + BLOCK : first;
    const double by = slope[f], by_second = paired ? slope[f + 1] : 0;
    if (f == 0) {
      DPT_SIMD("omp simd")
      for (int r = 0; r < BLOCK; r++) sum[r] = shift + by * first[r] + by_second * second[r];
    } else {
      DPT_SIMD("omp simd")
      for (int r = 0; r < BLOCK; r++) sum[r] += by * first[r] + by_second * second[r];
    }
  }
}

/* tanh(t) = sign(t) (1 - e) / (1 + e), with e = exp(-2 |t|). */
INTO static inline void find_features(const block *b) {
  const dpt_decoder *d = b->decoder;
  for (ptrdiff_t f = 0; f < d->features; f++) {
    double *sum = b->sum + f * BLOCK, *feature = b->feature + f * BLOCK;
    find_sums(DPT_DECODER_LATENT, d->back_shift[f], d->back + f * DPT_DECODER_LATENT, b->place, sum);
    DPT_SIMD("omp simd")
    for (int r = 0; r < BLOCK; r++) feature[r] = -2 * fabs(sum[r]);
  }
  dpt_exp_below(d->features * BLOCK, b->feature);
  DPT_SIMD("omp simd")
  for (ptrdiff_t i = 0; i < d->features * BLOCK; i++)
    b->feature[i] = copysign((1 - b->feature[i]) / (1 + b->feature[i]), b->sum[i]);
}

/* Draws the codes of one column, whose first cell is `cell`. */
INTO static inline void decode_column(const block *b, int column, ptrdiff_t cell) {
  const dpt_decoder *d = b->decoder;
  const int size = d->size[column];
  double highest[BLOCK], level[BLOCK];
  double *score = b->score;
  for (int r = 0; r < BLOCK; r++) highest[r] = -HUGE_VAL;
  for (int c = 0; c < size; c++) {
    double *own = score + (ptrdiff_t) c * BLOCK;
    find_sums(d->features, d->shift[cell + c], d->slope + (cell + c) * d->features, b->feature, own);
    DPT_SIMD("omp simd")
    for (int r = 0; r < BLOCK; r++) highest[r] = own[r] > highest[r] ? own[r] : highest[r];
  }
  for (int c = 0; c < size; c++) {
    double *own = score + (ptrdiff_t) c * BLOCK;
    DPT_SIMD("omp simd")
    for (int r = 0; r < BLOCK; r++) own[r] -= highest[r];
  }
  dpt_exp_below((ptrdiff_t) size * BLOCK, score);
  for (int c = 1; c < size; c++) {
    double *own = score + (ptrdiff_t) c * BLOCK;
    DPT_SIMD("omp simd")
    for (int r = 0; r < BLOCK; r++) own[r] += own[r - BLOCK];
  }
  /* the total is at least one, so that the coin stays below it, and a code of probability zero is never drawn */
  const double *total = score + (ptrdiff_t) (size - 1) * BLOCK, *coin = b->coin + (ptrdiff_t) column * BLOCK;
  DPT_SIMD("omp simd")
  for (int r = 0; r < BLOCK; r++) {
    level[r] = (coin[r] < 1 - 0x1p-52 ? coin[r] : 1 - 0x1p-52) * total[r];
    highest[r] = 0; /* from here on, the code */
  }
  for (int c = 0; c < size - 1; c++) {
    const double *own = score + (ptrdiff_t) c * BLOCK;
    DPT_SIMD("omp simd")
    for (int r = 0; r < BLOCK; r++) highest[r] += own[r] <= level[r] ? 1 : 0;
  }
  int *code = b->code + (ptrdiff_t) column * BLOCK;
  for (int r = 0; r < BLOCK; r++) code[r] = (int) highest[r];
}

#if defined(__x86_64__) && !defined(_WIN32) /* as in base-exp.c */
__attribute__((target("avx2,fma"))) static void find_features_long(const block *b) { find_features(b); }
__attribute__((target("avx2,fma"))) static void decode_column_long(const block *b, int column, ptrdiff_t cell) {
  decode_column(b, column, cell);
}
static bool has_long_vectors(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
static void find_features_long(const block *b) { find_features(b); }
static void decode_column_long(const block *b, int column, ptrdiff_t cell) { decode_column(b, column, cell); }
static bool has_long_vectors(void) { return false; }
#endif

/* Draws codes at the places of a block. */
static void decode_block(dpt_ctx *ctx, const block *b, bool longer) {
  const dpt_decoder *d = b->decoder;
  if (d->back) {
    if (longer) find_features_long(b);
    else find_features(b);
    dpt_tick(ctx, BLOCK * d->features * 3);
  }
  ptrdiff_t cell = 0;
  for (int j = 0; j < d->columns; j++) {
    if (longer) decode_column_long(b, j, cell);
    else decode_column(b, j, cell);
    cell += d->size[j];
    dpt_tick(ctx, BLOCK * d->size[j] * (2 + d->features / 2));
  }
}

/* Copies the codes of a block's actual rows to their positions among all rows. */
static void keep_codes(const block *b, ptrdiff_t rows, ptrdiff_t from, int count, int *code) {
  for (int j = 0; j < b->decoder->columns; j++)
    memcpy(code + j * rows + from, b->code + (ptrdiff_t) j * BLOCK, (size_t) count * sizeof *code);
}

void dpt_decode_places(dpt_ctx *ctx, const dpt_decoder *decoder, ptrdiff_t rows, const double *place,
                       const double *coin, int *code) {
  const bool longer = has_long_vectors();
  const block b = open_block(ctx, decoder);
  for (ptrdiff_t from = 0; from < rows; from += BLOCK) {
    const int count = rows - from < BLOCK ? (int) (rows - from) : BLOCK;
    const size_t bytes = (size_t) count * sizeof *place;
    for (int i = 0; i < DPT_DECODER_LATENT; i++) memcpy(b.place + i * BLOCK, place + i * rows + from, bytes);
    for (int j = 0; j < decoder->columns; j++) memcpy(b.coin + (ptrdiff_t) j * BLOCK, coin + j * rows + from, bytes);
    decode_block(ctx, &b, longer);
    keep_codes(&b, rows, from, count, code);
  }
}

void dpt_decode_draw(dpt_ctx *ctx, const dpt_decoder *decoder, const dpt_cloud *cloud, ptrdiff_t rows, int *code) {
  const bool longer = has_long_vectors();
  const block b = open_block(ctx, decoder);
  for (ptrdiff_t from = 0; from < rows; from += BLOCK) {
    const int count = rows - from < BLOCK ? (int) (rows - from) : BLOCK;
    for (int r = 0; r < count; r++) {
      const ptrdiff_t near = (ptrdiff_t) dpt_draw_below(ctx, (uint64_t) cloud->points);
      for (int i = 0; i < DPT_DECODER_LATENT; i++)
        b.place[r + i * BLOCK] = cloud->point[near + i * cloud->points] + cloud->width[i] * dpt_draw_normal(ctx);
    }
    for (int j = 0; j < decoder->columns; j++)
      for (int r = 0; r < count; r++) b.coin[r + (ptrdiff_t) j * BLOCK] = dpt_draw_unit(ctx);
    decode_block(ctx, &b, longer);
    keep_codes(&b, rows, from, count, code);
    ctx->fraction = (double) from / (double) rows;
    dpt_tick(ctx, BLOCK * (60 + 5 * (int64_t) decoder->columns));
  }
}
