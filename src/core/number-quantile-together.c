/* number-quantile-together.c - a quantile and the ends of its interval in one draw of the exponential mechanism.
 *
 * The cells y_1, ..., y_d have the weight w(max k_i(y_i)), with the distances k_i of d targets. A replaced row changes
 * each k_i by at most its sensitivity, and so the maximum. So d cells cost as much as one.
 *
 * The weight is a sum over layers: w(k) is the sum of v(t) over t >= k, with v(t) = w(t) - w(t + 1). So the draw is a
 * layer t with probability proportional to v(t) N_1(t) ... N_d(t), N_i(t) the number of cells with k_i <= t, and then
 * one cell of each target, uniformly among these. The cells with k_i <= t are an interval. Its ends move outward with
 * t, from one occupied cell to the next. In the last layer it is the whole line, because farther cells have the weight
 * w(last).
 *
 * Everything is an integer. w(0) is the largest power of two for which the total, at most w(0) cells^d, is below 2^127.
 * A weight has 62 leading digits and zeros after them, so that division by E rounds up as in number-quantile.c. The
 * digits of E are taken from the zeros, so that no leading digit is lost while there are zeros. Weights end at about
 * 1 + 2 / epsilon, and all results together have cells^d of these. That must be far below w(0), which is why three
 * targets need at most 2^17 cells (lemma 26). One uniform number below the total gives the layer and all cells. Cost:
 * two passes over the layers, of which there are as many as weights, and one over the cells.
 *
 * Rejected: a draw for each end (each has a part of the budget: 3 / 2 of the rank noise for two ends); the cells one
 * after the other (the law of the first one needs sums over the others). */
#include "base-bits.h"
#include "base-draws.h"
#include "base-whole.h"
#include "number-quantile.h"
#include "privacy-choice.h"

/* Writes weights from 2^digits on while there is room for them. Returns the last place, or -1 if there are too many. */
static ptrdiff_t fill_wide(dpt_ctx *ctx, double epsilon, double most, int digits, dpt_wide *weight) {
  int64_t q;
  int zeros = digits > 62 ? digits - 62 : 0;
  uint64_t factor = dpt_factor_below(epsilon, &q), leading = UINT64_C(1) << (digits - zeros);
  for (ptrdiff_t k = 0; k < DPT_RANK_WEIGHTS_MOST; k++) {
    if (weight) weight[k] = (dpt_wide) leading << zeros;
    const int64_t beyond = q > zeros ? q - zeros : 0;
    uint64_t next = dpt_rank_next_weight(leading, factor, beyond);
    if ((next == leading && zeros == 0) || (double) k >= most) return k;
    zeros -= (int) (q - beyond);
    for (; zeros > 0 && next < UINT64_C(1) << 61; zeros--) next <<= 1;
    leading = next;
    if (k % 4096 == 0) dpt_tick(ctx, 4096 * 40);
  }
  return -1;
}

bool dpt_rank_together_weights(dpt_ctx *ctx, double epsilon, double most, double cells, ptrdiff_t count,
                               dpt_wide_weights *weights) {
  const int digits = 127 - (int) count * dpt_bit_length((uint64_t) cells);
  ptrdiff_t last = fill_wide(ctx, epsilon, most, digits, NULL);
  if (last < 0) return false;
  dpt_wide *weight = DPT_NEW(ctx, dpt_wide, last + 1);
  fill_wide(ctx, epsilon, most, digits, weight);
  *weights = (dpt_wide_weights){last, weight};
  return true;
}

/* The occupied cells, and the cells within a distance of one target. `low`: the place of the first occupied cell up to
 * which there are enough rows. `high`: the place of the first one with too many. */
typedef struct {
  const dpt_line *line;
  const int64_t *upto; /* rows up to the end of each occupied cell, in units */
  dpt_rank_target target;
  ptrdiff_t low, high;
} reach;

static void start_reach(reach *at) {
  at->low = at->line->count;
  at->high = 0;
}

/* Moves to distance t, which must not fall. */
static void move_reach(reach *at, int64_t t) {
  if (at->low == at->line->count && at->low > 0) at->low--; /* the last occupied cell has all rows up to its end */
  while (at->low > 0 && at->upto[at->low - 1] >= at->target.from - t) at->low--;
  while (at->high < at->line->count && at->upto[at->high] <= at->target.to + t) at->high++;
}

/* The first cell within distance t, and the number of these cells. */
static double first_cell(const reach *at, int64_t t) {
  return at->target.from - t <= 0 ? 0 : at->line->cell[at->low] - 1;
}

static uint64_t cells_within(const reach *at, int64_t t) {
  double last = at->high < at->line->count ? at->line->cell[at->high] - 1 : at->line->cells - 1;
  return (uint64_t) (last - first_cell(at, t) + 1);
}

/* Goes over the layers until `left` is used up, and then draws a cell of each target if `cell` is not NULL. Returns the
 * total of the layers before. */
static dpt_wide walk_layers(dpt_ctx *ctx, reach *at, ptrdiff_t count, const dpt_wide_weights *weights, dpt_wide left,
                            double *cell) {
  dpt_wide total = 0;
  uint64_t within[DPT_RANK_TARGETS_MOST];
  for (ptrdiff_t i = 0; i < count; i++) start_reach(at + i);
  for (ptrdiff_t t = 0; t <= weights->last; t++) {
    const bool all = t == weights->last;
    const dpt_wide height = weights->weight[t] - (all ? 0 : weights->weight[t + 1]);
    dpt_wide mass = height;
    for (ptrdiff_t i = 0; i < count; i++) {
      if (!all) move_reach(at + i, t);
      within[i] = all ? (uint64_t) at->line->cells : cells_within(at + i, t);
      mass *= within[i];
    }
    if (left < mass) {
      dpt_wide place = left / height;
      for (ptrdiff_t i = 0; i < count; i++) {
        cell[i] = (all ? 0 : first_cell(at + i, t)) + (double) (uint64_t) (place % within[i]);
        place /= within[i];
      }
      return total;
    }
    left -= mass;
    total += mass;
    if (t % 1024 == 0) dpt_tick(ctx, 1024 * 40);
  }
  return total;
}

bool dpt_draw_rank_together(dpt_ctx *ctx, const dpt_line *line, double epsilon, double most,
                            const dpt_rank_target *target, ptrdiff_t count, double *cell) {
  dpt_wide_weights weights;
  if (!dpt_rank_together_weights(ctx, epsilon, most, line->cells, count, &weights)) return false;
  int64_t *upto = DPT_NEW(ctx, int64_t, line->count), rows = 0;
  for (ptrdiff_t i = 0; i < line->count; i++) {
    rows += (int64_t) line->rows[i];
    upto[i] = rows * target[0].unit;
    if (i % 4096 == 0) dpt_tick(ctx, 4096 * 4);
  }
  reach at[DPT_RANK_TARGETS_MOST];
  for (ptrdiff_t i = 0; i < count; i++) at[i] = (reach){line, upto, target[i], 0, 0};
  dpt_wide total = walk_layers(ctx, at, count, &weights, ~(dpt_wide) 0, NULL);
  walk_layers(ctx, at, count, &weights, dpt_draw_wide_below(ctx, total), cell);
  return true;
}
