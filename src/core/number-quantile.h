/* number-quantile.h - the exponential mechanism over the cells of a line, by their distance in rank from a target. */
#ifndef DPT_NUMBER_QUANTILE_H
#define DPT_NUMBER_QUANTILE_H

#include "base-context.h"
#include "base-whole.h"

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

/* ---- pieces of a line ---- */

typedef struct {
  dpt_wide left;  /* what has been drawn, less the pieces before */
  dpt_wide total; /* of the pieces before */
  double cell;    /* the next one */
} dpt_rank_walk;

/* Goes over a piece of so many cells of one weight, or stays at the cell where the drawn place is in it: true. */
static inline bool dpt_rank_go_over(dpt_rank_walk *walk, double cells, uint64_t weight) {
  dpt_wide mass = (dpt_wide) (uint64_t) cells * weight;
  if (walk->left < mass) {
    walk->cell += (double) (uint64_t) (walk->left / weight);
    return true;
  }
  walk->left -= mass;
  walk->total += mass;
  walk->cell += cells;
  return false;
}

/* Uniform on 0 .. bound - 1, exactly. */
dpt_wide dpt_draw_wide_below(dpt_ctx *ctx, dpt_wide bound);

/* ---- several quantiles by halving ---- */

/* The quantile `place` splits the part between the quantiles `lower` and `upper`, which were found before it (0 and one
 * above all places are the ends of the line), at the share numerator / denominator of the rows of that part. Distances
 * are in units of 1 / `unit` rows, and `epsilon` is that of the weights by units. */
typedef struct {
  ptrdiff_t place, lower, upper;
  int64_t numerator, denominator, unit;
  double epsilon;
} dpt_rank_split;

/* Limits of callers: unit even, <= 2^6, 0 < numerator < denominator <= 2^30, rows in all. */
#define DPT_HALVING_MOST_ROWS ((ptrdiff_t) 1 << 25)

/* Cells, from 0, of `count` quantiles, by the splits in their order. Cells are at most 2^24, and each row has so many
 * random `digits` below its cell, at most 24: fewer are for the tests. */
void dpt_draw_splits(dpt_ctx *ctx, const dpt_line *line, const dpt_rank_split *split, ptrdiff_t count, int digits,
                     double *cell);

#endif
