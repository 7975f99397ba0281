/* number-quantile.h - the exponential mechanism over the cells of a line, by their distance in rank from a target. */
#ifndef DPT_NUMBER_QUANTILE_H
#define DPT_NUMBER_QUANTILE_H

#include "base-context.h"

/* Weights by distance, whole numbers: weight[0] = 2^62, falling, weight[k] <= E weight[k + 1] with E <= exp(epsilon / 2)
 * from below, up to `last`, from which on all distances have weight[last]. */
typedef struct {
  ptrdiff_t last;
  const uint64_t *weight;
} dpt_rank_weights;

/* A table has at most so many weights. */
#define DPT_RANK_WEIGHTS_MOST ((ptrdiff_t) 1 << 22)

/* Weights for distances 0 .. most, most >= 0; 0 <= epsilon <= 1024. False where there would be too many: by these public
 * numbers alone. */
bool dpt_rank_weights_make(dpt_ctx *ctx, double epsilon, double most, dpt_rank_weights *weights);

/* Rows on a line of `cells` cells, up to 2^53: `count` of the cells, from 1 and increasing, have `rows` rows each. */
typedef struct {
  ptrdiff_t count;
  const double *cell, *rows;
  double cells;
} dpt_line;

/* A cell, from 0, with probability proportional to the weight of its distance from the rank 1 .. all rows, exactly. */
double dpt_draw_rank(dpt_ctx *ctx, const dpt_line *line, const dpt_rank_weights *weights, double rank);

#endif
