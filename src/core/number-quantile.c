/* number-quantile.c - the exponential mechanism over the cells of a line, by their distance in rank from a target.
 *
 * below(y) is the number of rows in cells before y, and upto(y) also counts the rows of y. A cell's distance from
 * rank r is
 *     k(y) = max(0, r - upto(y), below(y) - (r - 1)).
 * Replacing a row changes it by at most 1. The weight of the cell is the integer w(k(y)). w falls and w(k) <= E w(k
 * + 1), so the weight of each cell and the total change by a factor of at most E. E <= exp(epsilon / 2) then gives
 * epsilon. The proof is inst/proofs/number-quantile.md.
 *
 * w(k + 1) = ceil(w(k) / E). The ceiling keeps the ratio, and nothing underflows, because the weights stop at a
 * weight that is its own successor, 1 or about 2 / epsilon. There are 87 of them at epsilon 1, 72,000 at 0.001.
 *
 * All cells between two occupied cells have the same distance. The line is therefore a sequence of runs (gap, cell,
 * gap, ...), each a number of cells times one weight. They are summed once for the total and once until the drawn
 * position. Totals are below 2^53 2^62. Cost: twenty nanoseconds per occupied cell, for any number of rows and
 * cells.
 *
 * A target may also be a fraction of a private number of rows, in units of 1 / unit rows (number-quantile-halving.c).
 *
 * Rejected: totals kept for a binary search (as much memory as the counts, for one draw); a table of powers that are
 * rounded down (they underflow, and far cells would be impossible for one data set alone). */
#include "number-quantile.h"

#include "base-draws.h"
#include "base-whole.h"
#include "privacy-choice.h"

/* ---- the weights --------------------------------------------------------------------------------------------- */

uint64_t dpt_rank_next_weight(uint64_t weight, uint64_t factor, int64_t q) {
  if (q > DPT_FACTOR_PLACES) return 1;
  dpt_wide quotient = (((dpt_wide) weight << DPT_FACTOR_PLACES) + (factor - 1)) / factor;
  return (uint64_t) ((quotient + (((dpt_wide) 1 << q) - 1)) >> q);
}

/* Writes weights while there is room for them. Returns the last place, or -1 if there are too many. */
static ptrdiff_t fill_weights(dpt_ctx *ctx, double epsilon, double most, uint64_t *weight) {
  int64_t q;
  uint64_t factor = dpt_factor_below(epsilon, &q), now = UINT64_C(1) << 62;
  for (ptrdiff_t k = 0; k < DPT_RANK_WEIGHTS_MOST; k++) {
    if (weight) weight[k] = now;
    uint64_t next = dpt_rank_next_weight(now, factor, q);
    if (next == now || (double) k >= most) return k;
    now = next;
    if (k % 4096 == 0) dpt_tick(ctx, 4096 * 30);
  }
  return -1;
}

bool dpt_rank_weights_make(dpt_ctx *ctx, double epsilon, double most, dpt_rank_weights *weights) {
  ptrdiff_t last = fill_weights(ctx, epsilon, most, NULL);
  if (last < 0) return false;
  uint64_t *weight = DPT_NEW(ctx, uint64_t, last + 1);
  fill_weights(ctx, epsilon, most, weight);
  *weights = (dpt_rank_weights){last, weight};
  return true;
}

/* ---- the draw ------------------------------------------------------------------------------------------------ */

dpt_wide dpt_draw_wide_below(dpt_ctx *ctx, dpt_wide bound) {
  int length = dpt_wide_length(bound - 1);
  for (;;) {
    dpt_wide drawn = dpt_draw_bits(ctx);
    if (length > 64) drawn = drawn << 64 | dpt_draw_bits(ctx);
    if (length < 128) drawn &= ((dpt_wide) 1 << length) - 1;
    if (drawn < bound) return drawn;
  }
}

/* Walks along the line until `from` is used up, or to the end of the line. */
static dpt_rank_walk walk_line(dpt_ctx *ctx, const dpt_line *line, const dpt_rank_weights *weights,
                               const dpt_rank_target *target, dpt_wide from) {
  dpt_rank_walk walk = {from, 0, 0};
  int64_t below = 0;
  for (ptrdiff_t i = 0; i < line->count; i++) {
    if (i % 4096 == 0) dpt_tick(ctx, 4096 * 20);
    int64_t upto = below + (int64_t) line->rows[i];
    if (dpt_rank_go_over(&walk, line->cell[i] - 1 - walk.cell, dpt_rank_weight(weights, target, below, below)) ||
        dpt_rank_go_over(&walk, 1, dpt_rank_weight(weights, target, below, upto)))
      return walk;
    below = upto;
  }
  dpt_rank_go_over(&walk, line->cells - walk.cell, dpt_rank_weight(weights, target, below, below));
  return walk;
}

dpt_rank_target dpt_rank_of(double rank) { return (dpt_rank_target){1, (int64_t) rank, (int64_t) rank - 1}; }

dpt_rank_target dpt_rank_of_share(double rows, int64_t numerator, int64_t denominator, int64_t unit) {
  dpt_wide h = (dpt_wide) unit, a = (dpt_wide) numerator, q = (dpt_wide) denominator;
  int64_t middle = (int64_t) ((2 * h * a * (dpt_wide) (uint64_t) rows + h * q) / (2 * q)) - unit / 2;
  return (dpt_rank_target){unit, middle, middle};
}

double dpt_draw_rank(dpt_ctx *ctx, const dpt_line *line, const dpt_rank_weights *weights, dpt_rank_target target) {
  const dpt_wide none = ~(dpt_wide) 0;
  dpt_wide total = walk_line(ctx, line, weights, &target, none).total;
  return walk_line(ctx, line, weights, &target, dpt_draw_wide_below(ctx, total)).cell;
}
