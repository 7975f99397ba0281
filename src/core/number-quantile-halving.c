/* number-quantile-halving.c - several quantiles: the middle one first, then lower ones among the rows below it, and
 * higher ones among the other rows.
 *
 * A part between two released places has m rows. m is private, because the side of a place on which a row was is not
 * known. The target of a part is therefore its fraction p = a / q of m. In units of 1 / h rows,
 *     T(m) = floor(h a m / q + h / 2),     k(y) = max(0, T - h/2 - h upto(y), h below(y) - T + h/2),
 * with h even, and below and upto counted within the part. The target row has k = 0. A row that comes or goes moves
 * all k by at most s = max(ceil(h a / q), h - floor(h a / q)) (for halves in units of 1/2: one unit). A row that
 * moves within the part moves them by h <= 2 s.
 *
 * Equal rows would all go to one side. Each row therefore gets its own random digits below its cell (24 of them),
 * and the line that is split has correspondingly more cells. The cell above is released. A release is private for
 * all values of the digits, and so is the mixture over them.
 *
 * Cost: digits and a sort of the rows of each cell, two passes over the rows of a part for each split: n log n.
 * Rejected: targets in ranks of all rows (a row that moves would shift every part between its two places); digits
 * only for cells that are split (the number of draws would then depend on the split, without any gain). */
#include <math.h>

#include "base-draws.h"
#include "base-whole.h"
#include "number-quantile.h"

enum { FEW = 24, RADIX = 12 };

/* ---- rows in places ------------------------------------------------------------------------------------------ */

static void sort_few(uint32_t *x, ptrdiff_t count) {
  for (ptrdiff_t i = 1; i < count; i++) {
    uint32_t one = x[i];
    ptrdiff_t j = i;
    for (; j > 0 && x[j - 1] > one; j--) x[j] = x[j - 1];
    x[j] = one;
  }
}

/* Sorts by one half of the digits. */
static void sort_by(const uint32_t *from, uint32_t *to, ptrdiff_t count, int shift) {
  ptrdiff_t start[(1 << RADIX) + 1] = {0};
  for (ptrdiff_t i = 0; i < count; i++) start[((from[i] >> shift) & ((1 << RADIX) - 1)) + 1]++;
  for (int d = 0; d < 1 << RADIX; d++) start[d + 1] += start[d];
  for (ptrdiff_t i = 0; i < count; i++) to[start[(from[i] >> shift) & ((1 << RADIX) - 1)]++] = from[i];
}

static void sort_digits(dpt_ctx *ctx, uint32_t *x, uint32_t *room, ptrdiff_t count) {
  if (count <= FEW) {
    sort_few(x, count);
    return;
  }
  sort_by(x, room, count, 0);
  dpt_tick(ctx, 10 * count);
  sort_by(room, x, count, RADIX);
  dpt_tick(ctx, 10 * count);
}

typedef struct {
  ptrdiff_t rows;
  uint64_t *at; /* increasing: 2^digits times the cell, from 0, plus digits */
  double end;   /* end of the line */
} places;

static places place_rows(dpt_ctx *ctx, const dpt_line *line, int digits) {
  ptrdiff_t most = 0;
  places all = {0, NULL, ldexp(line->cells, digits)};
  for (ptrdiff_t i = 0; i < line->count; i++) {
    ptrdiff_t here = (ptrdiff_t) line->rows[i];
    all.rows += here;
    if (here > most) most = here;
  }
  all.at = DPT_NEW(ctx, uint64_t, all.rows);
  uint32_t *own = DPT_NEW(ctx, uint32_t, most), *room = DPT_NEW(ctx, uint32_t, most);
  uint64_t *next = all.at;
  for (ptrdiff_t i = 0; i < line->count; i++) {
    ptrdiff_t here = (ptrdiff_t) line->rows[i];
    for (ptrdiff_t j = 0; j < here; j++) {
      own[j] = (uint32_t) (dpt_draw_bits(ctx) & ((UINT64_C(1) << digits) - 1));
      if (j % 4096 == 0) dpt_tick(ctx, 4096 * 10);
    }
    sort_digits(ctx, own, room, here);
    uint64_t cell = (uint64_t) (line->cell[i] - 1) << digits;
    for (ptrdiff_t j = 0; j < here; j++) *next++ = cell | own[j];
    dpt_tick(ctx, 20 + here);
  }
  return all;
}

/* Number of rows before a place. */
static ptrdiff_t rows_before(const places *all, double place) {
  ptrdiff_t low = 0, high = all->rows;
  while (low < high) {
    ptrdiff_t middle = low + (high - low) / 2;
    if ((double) all->at[middle] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* ---- one split ----------------------------------------------------------------------------------------------- */

typedef struct {
  const uint64_t *at; /* of its rows */
  ptrdiff_t rows;
  double from, to;
  dpt_rank_target target;
} part;

static part part_between(const places *all, double from, double to, const dpt_rank_split *split) {
  ptrdiff_t first = rows_before(all, from), rows = rows_before(all, to) - first;
  return (part){all->at + first, rows, from, to,
                dpt_rank_of_share((double) rows, split->numerator, split->denominator, split->unit)};
}

/* Walks over a part, as walk_line() of number-quantile.c does: returns a place when `from` is used up, or the total. */
static dpt_rank_walk walk_part(dpt_ctx *ctx, const part *p, const dpt_rank_weights *weights, dpt_wide from) {
  dpt_rank_walk walk = {from, 0, p->from};
  ptrdiff_t below = 0;
  while (below < p->rows) {
    ptrdiff_t upto = below + 1;
    while (upto < p->rows && p->at[upto] == p->at[below]) upto++;
    if (dpt_rank_go_over(&walk, (double) p->at[below] - walk.cell,
                         dpt_rank_weight(weights, &p->target, below, below)) ||
        dpt_rank_go_over(&walk, 1, dpt_rank_weight(weights, &p->target, below, upto)))
      return walk;
    if (below % 4096 == 0) dpt_tick(ctx, 4096 * 20);
    below = upto;
  }
  dpt_rank_go_over(&walk, p->to - walk.cell, dpt_rank_weight(weights, &p->target, below, below));
  return walk;
}

static double draw_split(dpt_ctx *ctx, const places *all, double from, double to, const dpt_rank_split *split) {
  if (from == to) return from; /* determined by earlier releases */
  dpt_rank_weights weights;
  if (!dpt_rank_weights_make(ctx, split->epsilon, (double) all->rows * (double) split->unit, &weights))
    dpt_escape(ctx, DPT_ERROR_ARGUMENT, "epsilon is too small for weights of so many ranks");
  part p = part_between(all, from, to, split);
  dpt_wide total = walk_part(ctx, &p, &weights, ~(dpt_wide) 0).total;
  return walk_part(ctx, &p, &weights, dpt_draw_wide_below(ctx, total)).cell;
}

void dpt_draw_splits(dpt_ctx *ctx, const dpt_line *line, const dpt_rank_split *split, ptrdiff_t count, int digits,
                     double *cell) {
  places all = place_rows(ctx, line, digits);
  double *place = DPT_NEW(ctx, double, count + 2);
  place[0] = 0;
  place[count + 1] = all.end;
  for (ptrdiff_t i = 0; i < count; i++) {
    /* A table is as long as the number of rows, which may be private. Only one at a time is in memory, so that there
     * is always room. */
    const dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
    place[split[i].place] = draw_split(ctx, &all, place[split[i].lower], place[split[i].upper], split + i);
    dpt_arena_release(&ctx->arena, mark);
  }
  for (ptrdiff_t i = 0; i < count; i++) cell[i] = floor(ldexp(place[i + 1], -digits));
}
