/* cluster-block.h - a block of rows in the coordinates of a component, and its sums: the inner loops of fits and of
 * queries. For queries, also the outer loop over all blocks.
 *
 * A block is stored column by column. Its size, the distance between columns, is a multiple of eight. A row's results
 * come from its own numbers by one sequence of operations, regardless of the rows beside it, provided that the last
 * group of eight is padded. The functions are compiled into each caller, for the caller's vector length. Cost:
 * dimension^2 / 2 multiplications and additions per row to place it, dimension^2 / 2 to add it, four or more rows at a
 * time: columns are read from the first or second cache, and four results stay in registers. */
#ifndef DPT_CLUSTER_BLOCK_H
#define DPT_CLUSTER_BLOCK_H

#include "base-context.h"

enum { DPT_LANES = 8 };

/* Four rows beside each other, with no alignment needed. The compiler splits it in two if vectors are shorter. */
typedef double dpt_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t dpt_four_bits __attribute__((vector_size(32), aligned(8), may_alias));

#define DPT_INTO __attribute__((always_inline))

static inline ptrdiff_t dpt_block_lanes(ptrdiff_t count) { return (count + DPT_LANES - 1) / DPT_LANES * DPT_LANES; }

/* Computes z = W away, eight rows at a time, and their squared lengths. */
DPT_INTO static inline void dpt_block_place(ptrdiff_t d, ptrdiff_t block, ptrdiff_t count, const double *W,
                                            const double *away, double *z, double *square) {
  for (ptrdiff_t b = 0; b < count; b += DPT_LANES) {
    dpt_four low_square = {0}, high_square = {0};
    for (ptrdiff_t i = 0; i < d; i++) {
      dpt_four low = {0}, high = {0};
      for (ptrdiff_t j = 0; j <= i; j++) {
        const double w = W[i * d + j];
        const dpt_four *a = (const dpt_four *) (away + j * block + b);
        low += w * a[0];
        high += w * a[1];
      }
      dpt_four *at = (dpt_four *) (z + i * block + b);
      at[0] = low;
      at[1] = high;
      low_square += low * low;
      high_square += high * high;
    }
    dpt_four *at = (dpt_four *) (square + b);
    at[0] = low_square;
    at[1] = high_square;
  }
}

DPT_INTO static inline double dpt_block_total(const dpt_four *x) { return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]); }

/* Adds weight z and weight z z' of a block; the products are the upper triangle only. Four products of a column share a
 * factor and are computed together. */
DPT_INTO static inline void dpt_block_add(ptrdiff_t d, ptrdiff_t block, ptrdiff_t count, const double *z,
                                          const double *weight, double *weighted, double *sums) {
  double *product = sums + 1 + d;
  const dpt_four *w = (const dpt_four *) weight;
  dpt_four *u = (dpt_four *) weighted, total = {0};
  for (ptrdiff_t b = 0; b < count / 4; b++) total += w[b];
  sums[0] += dpt_block_total(&total);
  for (ptrdiff_t i = 0; i < d; i++) {
    const dpt_four *zi = (const dpt_four *) (z + i * block);
    dpt_four sum = {0};
    for (ptrdiff_t b = 0; b < count / 4; b++) sum += u[b] = w[b] * zi[b];
    sums[1 + i] += dpt_block_total(&sum);
    ptrdiff_t j = 0;
    for (; j + 3 <= i; j += 4) {
      const dpt_four *z0 = (const dpt_four *) (z + j * block), *z1 = z0 + block / 4, *z2 = z1 + block / 4,
                     *z3 = z2 + block / 4;
      dpt_four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
      for (ptrdiff_t b = 0; b < count / 4; b++) {
        s0 += u[b] * z0[b];
        s1 += u[b] * z1[b];
        s2 += u[b] * z2[b];
        s3 += u[b] * z3[b];
      }
      product[j + i * d] += dpt_block_total(&s0);
      product[j + 1 + i * d] += dpt_block_total(&s1);
      product[j + 2 + i * d] += dpt_block_total(&s2);
      product[j + 3 + i * d] += dpt_block_total(&s3);
    }
    for (; j <= i; j++) {
      const dpt_four *zj = (const dpt_four *) (z + j * block);
      sum = (dpt_four){0};
      for (ptrdiff_t b = 0; b < count / 4; b++) sum += u[b] * zj[b];
      product[j + i * d] += dpt_block_total(&sum);
    }
  }
}

/* Rounds to the nearest integer from -most to `most`, at most 2^30. NaN becomes 0. Written so that compilers can use
 * vectors: it has no calls, and its branches only choose between two values. */
DPT_INTO static inline double dpt_block_nearest(double x, double most) {
  x = x == x ? x : 0;
  x = x > -most ? x : -most;
  x = x < most ? x : most;
  const double y = x + 0.5;
  const int32_t cut = (int32_t) y; /* toward zero */
  return (double) (cut - ((double) cut > y));
}

/* Moves the coordinates toward zero until the squared length is at most `most`. */
static inline void dpt_block_shorten(ptrdiff_t d, ptrdiff_t B, double *q, double length, double most) {
  while (length > most) {
    length = 0;
    for (ptrdiff_t i = 0; i < d; i++) {
      double *at = q + i * B;
      *at -= (*at > 0) - (*at < 0);
      length += *at * *at;
    }
  }
}

/* ---- All blocks -------------------------------------------------------------------------------------------------- */

/* Integer sums over all rows. `query` and `memory` belong to the callbacks. */
typedef struct {
  const void *query;
  ptrdiff_t rows, block; /* block: rows beside each other */
  ptrdiff_t size;        /* of the sums */
  int64_t cost;          /* approximate nanoseconds per row */

  /* Returns the memory of one thread. NULL: `add` gets none. */
  void *(*new_memory)(dpt_ctx *ctx, const void *query);

  /* Adds a block of at most `block` rows, on any thread. */
  void (*add)(const void *query, void *memory, int64_t *sums, ptrdiff_t from, ptrdiff_t count);
} dpt_block_job;

void dpt_block_sum(dpt_ctx *ctx, const dpt_block_job *job, int64_t *sums);

/* Chooses a size for which a block stays in the first or second cache. `numbers`: of a row. */
ptrdiff_t dpt_block_choose(double numbers);

/* Stores `count` matrices, d x d, by row, so that the factors of one coordinate are contiguous. */
const double *dpt_block_by_row(dpt_ctx *ctx, ptrdiff_t d, ptrdiff_t count, const double *squares);

#endif
