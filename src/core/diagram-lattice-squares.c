/* diagram-lattice-squares.c - squares around forced points, their unions, and the band: counted and drawn.
 *
 * The union of m squares is counted slab by slab between the at most 2m columns at which a side begins or ends,
 * O(m^2). The place of a given number is found in the same way, so a draw is one uniform number without rejection.
 * The band takes neither a square root nor a rejection: the rows of persistence i and tau - i have 2 bound + 2 - tau
 * places together, so a row i and a number below that give a place in one of the two.
 *
 * Blocks of forced points are merged greedily while that shrinks the cover. This is done in doubles, because any
 * choice of cover is correct. One union for each connected cluster is not enough: a chain of clusters loses the
 * gains of each again.
 *
 * A square of a forced point has its left and right sides within [0, x], its low and high ones within [x + 1, bound]
 * for some x. All of them therefore lie in the triangle, which has less than 2^62 places. */
#include "diagram-lattice-cover.h"

#include <math.h>

#include "base-draws.h"

typedef struct {
  int64_t left, right, low, high; /* all four inside */
} rectangle;

/* The square around leading point i, cut to the triangle. Squares of forced points lie entirely above the diagonal. */
static rectangle square_of(const dpt_lattice_release *r, int i, int64_t tau) {
  int64_t h = tau / 2;
  rectangle s = {r->birth[i] - h, r->birth[i] + h, r->death[i] - h, r->death[i] + h};
  if (s.left < 0) s.left = 0;
  if (s.high > r->bound) s.high = r->bound;
  return s;
}

static bool holds(rectangle s, int64_t x, int64_t y) {
  return x >= s.left && x <= s.right && y >= s.low && y <= s.high;
}

bool dpt_lattice_square_holds(const dpt_lattice_release *r, int i, int64_t tau, int64_t birth, int64_t death) {
  return holds(square_of(r, i, tau), birth, death);
}

static uint64_t rectangle_count(rectangle s) {
  return (uint64_t) (s.right - s.left + 1) * (uint64_t) (s.high - s.low + 1);
}

/* The squares of the members by increasing low side. */
static int collect_squares(const dpt_lattice_release *r, uint32_t members, int64_t tau, rectangle *squares) {
  int count = 0;
  for (int i = 0; members >> i; i++) {
    if (!(members >> i & 1)) continue;
    rectangle s = square_of(r, i, tau);
    int j = count++;
    for (; j > 0 && squares[j - 1].low > s.low; j--) squares[j] = squares[j - 1];
    squares[j] = s;
  }
  return count;
}

/* Lists, in order, the columns at which the union can change. Returns their number. */
static int list_cuts(const rectangle *squares, int count, int64_t *cut) {
  int cuts = 0;
  for (int i = 0; i < 2 * count; i++) {
    int64_t x = i % 2 ? squares[i / 2].right + 1 : squares[i / 2].left;
    int j = cuts++;
    for (; j > 0 && cut[j - 1] > x; j--) cut[j] = cut[j - 1];
    cut[j] = x;
  }
  return cuts;
}

/* Number of lattice points of the union in the column x. Stops after `stop` of them from below, and *y is the next. */
static uint64_t column_length(const rectangle *s, int count, int64_t x, uint64_t stop, int64_t *y) {
  uint64_t length = 0;
  int64_t reached = -1;
  for (int i = 0; i < count; i++) {
    if (s[i].left > x || s[i].right < x || s[i].high <= reached) continue;
    int64_t from = s[i].low > reached ? s[i].low : reached + 1;
    uint64_t piece = (uint64_t) (s[i].high - from + 1);
    if (stop >= length && stop - length < piece) *y = from + (int64_t) (stop - length);
    length += piece;
    reached = s[i].high;
  }
  return length;
}

uint64_t dpt_lattice_union_count(const dpt_lattice_release *r, uint32_t members, int64_t tau) {
  rectangle squares[DPT_LATTICE_MOST];
  int64_t cut[2 * DPT_LATTICE_MOST], y;
  int count = collect_squares(r, members, tau, squares);
  if (count == 1) return rectangle_count(squares[0]);
  int cuts = list_cuts(squares, count, cut);
  uint64_t total = 0;
  for (int i = 0; i + 1 < cuts; i++)
    if (cut[i + 1] > cut[i]) total += (uint64_t) (cut[i + 1] - cut[i]) * column_length(squares, count, cut[i], 0, &y);
  return total;
}

void dpt_lattice_union_draw(dpt_ctx *ctx, const dpt_lattice_release *r, uint32_t members, int64_t tau, uint64_t places,
                            int64_t *birth, int64_t *death) {
  rectangle squares[DPT_LATTICE_MOST];
  int64_t cut[2 * DPT_LATTICE_MOST];
  int count = collect_squares(r, members, tau, squares), cuts = list_cuts(squares, count, cut);
  uint64_t index = dpt_draw_below(ctx, places);
  for (int i = 0; i + 1 < cuts; i++) {
    if (cut[i + 1] == cut[i]) continue;
    uint64_t length = column_length(squares, count, cut[i], 0, death);
    uint64_t slab = (uint64_t) (cut[i + 1] - cut[i]) * length;
    if (index >= slab) {
      index -= slab;
      continue;
    }
    *birth = cut[i] + (int64_t) (index / length);
    column_length(squares, count, cut[i], index % length, death);
    return;
  }
}

uint64_t dpt_lattice_band_count(int64_t bound, int64_t tau) {
  return (uint64_t) (tau + 1) * (uint64_t) (2 * bound + 2 - tau) / 2;
}

void dpt_lattice_band_draw(dpt_ctx *ctx, int64_t bound, int64_t tau, int64_t *birth, int64_t *death) {
  int64_t persistence = (int64_t) dpt_draw_below(ctx, (uint64_t) (tau + 1));
  int64_t place = (int64_t) dpt_draw_below(ctx, (uint64_t) (2 * bound + 2 - tau));
  if (place > bound - persistence) {
    place -= bound + 1 - persistence;
    persistence = tau - persistence;
  }
  *birth = place;
  *death = place + persistence;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------- */

static double block_log_weight(const dpt_lattice_release *r, uint32_t members, int size, int64_t tau) {
  double part = (double) dpt_lattice_union_count(r, members, tau) / (double) r->triangle;
  return size * log(part) - lgamma(size + 1.0);
}

static int64_t distance(int64_t a, int64_t b) { return a < b ? b - a : a - b; }

static bool blocks_touch(const dpt_lattice_release *r, uint32_t one, uint32_t other, int64_t tau) {
  int64_t reach = 2 * (tau / 2);
  for (int i = 0; one >> i; i++)
    for (int j = 0; other >> j; j++)
      if ((one >> i & 1) && (other >> j & 1) && distance(r->birth[i], r->birth[j]) <= reach &&
          distance(r->death[i], r->death[j]) <= reach)
        return true;
  return false;
}

static void merge_blocks(dpt_lattice_blocks *blocks, double *weight, int keep, int merge, double merged) {
  int last = --blocks->count;
  blocks->members[keep] |= blocks->members[merge];
  blocks->size[keep] += blocks->size[merge];
  weight[keep] = merged;
  blocks->members[merge] = blocks->members[last];
  blocks->size[merge] = blocks->size[last];
  weight[merge] = weight[last];
}

void dpt_lattice_choose_blocks(const dpt_lattice_release *r, int forced, int64_t tau, dpt_lattice_blocks *blocks) {
  double weight[DPT_LATTICE_MOST];
  blocks->count = forced;
  for (int i = 0; i < forced; i++) {
    blocks->size[i] = 1;
    blocks->members[i] = UINT32_C(1) << i;
    weight[i] = block_log_weight(r, blocks->members[i], 1, tau);
  }
  for (;;) {
    double best = 0, best_weight = 0;
    int keep = -1, merge = -1;
    for (int i = 0; i < blocks->count; i++) {
      for (int j = i + 1; j < blocks->count; j++) {
        /* Disjoint unions never gain, by the binomial theorem. */
        if (!blocks_touch(r, blocks->members[i], blocks->members[j], tau)) continue;
        double merged = block_log_weight(r, blocks->members[i] | blocks->members[j], blocks->size[i] + blocks->size[j],
                                         tau);
        double change = merged - weight[i] - weight[j];
        if (change >= best) continue;
        best = change;
        best_weight = merged;
        keep = i;
        merge = j;
      }
    }
    if (keep < 0) return;
    merge_blocks(blocks, weight, keep, merge, best_weight);
  }
}
