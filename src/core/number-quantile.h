/* number-quantile.h - the exponential mechanism over the cells of a line, by their distance in rank from a target. */
#ifndef DPT_NUMBER_QUANTILE_H
#define DPT_NUMBER_QUANTILE_H

#include "base-context.h"
#include "base-whole.h"

/* Integer weights by distance: weight[0] = 2^62, falling, weight[k] <= E weight[k + 1] with E <= exp(epsilon / 2)
 * rounded down. Distances from `last` on have weight[last]. */
typedef struct {
  ptrdiff_t last;
  const uint64_t *weight;
} dpt_rank_weights;

/* The largest number of weights in a table. */
#define DPT_RANK_WEIGHTS_MOST ((ptrdiff_t) 1 << 22)

/* Makes weights for distances 0 .. most, for most >= 0 and 0 <= epsilon <= 1024. Returns false if there would be too
 * many, which depends on these public numbers only. */
bool dpt_rank_weights_make(dpt_ctx *ctx, double epsilon, double most, dpt_rank_weights *weights);

/* Rows on a line of `cells` cells, up to 2^53. `count` of the cells are occupied. Their numbers, from 1, increase,
 * and each has `rows` rows. */
typedef struct {
  ptrdiff_t count;
  const double *cell, *rows;
  double cells;
} dpt_line;

/* A target of the rows of a line. The distance of a cell from it, with `below` rows before the cell and `upto` rows up
 * to its end, is max(0, from - unit upto, unit below - to). */
typedef struct {
  int64_t unit, from, to;
} dpt_rank_target;

/* The target of a rank from 1 to the number of rows, in rows. */
dpt_rank_target dpt_rank_of(double rank);

/* The target of a fraction of `rows` rows, at most 2^52 and possibly none, in units of 1 / `unit` rows. `unit` is
 * even, at most 2^6, and 0 < numerator < denominator <= 2^30. */
dpt_rank_target dpt_rank_of_share(double rows, int64_t numerator, int64_t denominator, int64_t unit);

/* Draws a cell, from 0, with probability exactly proportional to the weight of its distance from the target. */
double dpt_draw_rank(dpt_ctx *ctx, const dpt_line *line, const dpt_rank_weights *weights, dpt_rank_target target);

/* ---- several targets in one draw ---- */

/* The largest number of targets, and of cells for three of them. */
#define DPT_RANK_TARGETS_MOST 3
#define DPT_RANK_TOGETHER_MOST_CELLS ((ptrdiff_t) 1 << 17)

/* Integer weights of the results of `count` targets, by the largest distance, as in dpt_rank_weights. weight[0] is a
 * power of two for which all results together have less than 2^127. */
typedef struct {
  ptrdiff_t last;
  const dpt_wide *weight;
} dpt_wide_weights;

/* Makes these weights for distances 0 .. most. Returns false if there would be too many. */
bool dpt_rank_together_weights(dpt_ctx *ctx, double epsilon, double most, double cells, ptrdiff_t count,
                               dpt_wide_weights *weights);

/* Draws one cell, from 0, for each of `count` targets of one unit, together with probability exactly proportional to the
 * weight of the largest of their distances. Weights w satisfy w(k) <= E w(k + 1) as above. `most` is the largest
 * possible distance. Returns false if there would be too many weights, which depends on these numbers only. */
bool dpt_draw_rank_together(dpt_ctx *ctx, const dpt_line *line, double epsilon, double most,
                            const dpt_rank_target *target, ptrdiff_t count, double *cell);

/* ceil(weight / E), E = 2^q factor 2^-62, as dpt_factor_below() gives it. */
uint64_t dpt_rank_next_weight(uint64_t weight, uint64_t factor, int64_t q);

/* ---- pieces of a line ---- */

/* The weight of a cell with `below` rows before it and `upto` up to its end. */
static inline uint64_t dpt_rank_weight(const dpt_rank_weights *weights, const dpt_rank_target *target, int64_t below,
                                       int64_t upto) {
  int64_t above = target->from - target->unit * upto, under = target->unit * below - target->to;
  int64_t k = above > under ? above : under;
  if (k < 0) k = 0;
  return weights->weight[k < weights->last ? k : weights->last];
}

typedef struct {
  dpt_wide left;  /* drawn number minus the runs before */
  dpt_wide total; /* total of the runs before */
  double cell;    /* next cell */
} dpt_rank_walk;

/* Passes a run of `cells` cells of one weight and returns false, or stays at the cell of the drawn position and
 * returns true. */
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

/* The quantile `place` splits the part between the quantiles `lower` and `upper`, found earlier (0 and one above all
 * places are the ends of the line), at the fraction numerator / denominator of the rows of that part. Distances are
 * in units of 1 / `unit` rows, and `epsilon` belongs to the weights by units. */
typedef struct {
  ptrdiff_t place, lower, upper;
  int64_t numerator, denominator, unit;
  double epsilon;
} dpt_rank_split;

/* Limits for callers: unit even, <= 2^6, 0 < numerator < denominator <= 2^30, and this many rows in all. */
#define DPT_HALVING_MOST_ROWS ((ptrdiff_t) 1 << 25)

/* Draws the cells (from 0) of `count` quantiles by the splits in their order. There are at most 2^24 cells, and each
 * row has `digits` random digits below its cell, at most 24 (fewer only in tests). */
void dpt_draw_splits(dpt_ctx *ctx, const dpt_line *line, const dpt_rank_split *split, ptrdiff_t count, int digits,
                     double *cell);

#endif
