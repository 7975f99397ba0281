/* diagram-lattice-cover.c - counts of, and draws from, a cover of the bottleneck ball of radius tau / 2 on the
 * lattice.
 *
 * A point of the true diagram is forced if its persistence exceeds tau: every diagram in the ball has its own point
 * in the square of radius h = floor(tau / 2) around it. The cover places M labels as follows. The forced points are
 * divided into blocks. Each block takes as many labels as it has points, uniform in the union of its squares. k of
 * the other labels fall in the staircase of the points that are not forced, at most as many as there are such
 * points. The rest fall in the band {persistence <= tau}. With m_g points and U_g lattice points for block g, f
 * forced points, B lattice points in the band and A in the staircase, the category (M, k) has
 *     M! / ((M - f - k)! k! prod m_g!)  prod U_g^m_g  A^k  B^(M - f - k)
 * ways times places, and the weight 2^-M |triangle|^-M for each. If the squares fill much of the triangle, all M
 * labels are drawn from the outline instead, the band and the staircase of all points: (B + A')^M places, each in
 * one way.
 *
 * For radii from start to end - 1 the cover uses U, B, B + A' at the last of them and A at the better of the first
 * two (U, B and B + A' grow; A falls among even radii and among odd ones). It rounds every product up. A draw at tau
 * corrects this by one coin for each rounding, and one for each factor that is smaller at tau.
 *
 * Blocks are merged greedily while that shrinks the cover. This, and the choice of outlines, is done in doubles,
 * because any choice of cover is correct. Proof and table of overflow: inst/proofs/diagram-private.md. Cost: O(m^2)
 * for each block of m > 1 points, O(log n) for the staircase, O(M^2) for the categories, and O(M) for a draw. */
#include "diagram-lattice-cover.h"

#include <math.h>

#include "base-draws.h"

/* ---- categories ------------------------------------------------------------------------------------------------ */

static uint64_t factorial(int n) {
  static const uint64_t table[DPT_LATTICE_MOST + 1] = {1,
                                                       1,
                                                       2,
                                                       6,
                                                       24,
                                                       120,
                                                       720,
                                                       5040,
                                                       40320,
                                                       362880,
                                                       3628800,
                                                       39916800,
                                                       479001600,
                                                       UINT64_C(6227020800),
                                                       UINT64_C(87178291200),
                                                       UINT64_C(1307674368000),
                                                       UINT64_C(20922789888000),
                                                       UINT64_C(355687428096000),
                                                       UINT64_C(6402373705728000),
                                                       UINT64_C(121645100408832000),
                                                       UINT64_C(2432902008176640000)};
  return table[n];
}

/* M! / ((M - f - k)! k! prod m_g!), a multinomial coefficient: at most 20! < 2^62. */
static uint64_t arrangements(const dpt_lattice_cover *c, int labels, int above) {
  uint64_t ways = factorial(labels) / (factorial(labels - c->forced - above) * factorial(above));
  for (int g = 0; g < c->blocks.count; g++) ways /= factorial(c->blocks.size[g]);
  return ways;
}

static dpt_scaled whole(uint64_t x) { return (dpt_scaled){x, 0}; }

/* Multiplies by U_g^m_g over the blocks. With `coins`, draws their coins and returns the outcome. */
static bool multiply_blocks(dpt_ctx *coins, const dpt_rounding *rounding, const dpt_lattice_cover *c, dpt_scaled *w) {
  *w = whole(1);
  for (int g = 0; g < c->blocks.count; g++)
    for (int i = 0; i < c->blocks.size[g]; i++)
      if (!dpt_scaled_multiply(coins, rounding, w, whole(c->block_most[g]))) return false;
  return true;
}

/* x^count, factor by factor. */
static bool multiply_power(dpt_ctx *coins, const dpt_rounding *rounding, uint64_t x, int count, dpt_scaled *w) {
  *w = whole(1);
  for (int i = 0; i < count; i++)
    if (!dpt_scaled_multiply(coins, rounding, w, whole(x))) return false;
  return true;
}

static void list_powers(const dpt_rounding *rounding, uint64_t x, int count, dpt_scaled *power) {
  power[0] = whole(1);
  for (int i = 1; i <= count; i++) {
    power[i] = power[i - 1];
    dpt_scaled_multiply(NULL, rounding, &power[i], whole(x));
  }
}

/* Joins the powers to the weight of a category. Returns false if the coins of these products reject the draw. */
static bool join(dpt_ctx *coins, const dpt_rounding *rounding, const dpt_lattice_release *r, const dpt_lattice_cover *c,
                 dpt_lattice_category k, dpt_scaled blocks, dpt_scaled above, dpt_scaled band, dpt_scaled *w) {
  *w = r->powers[r->most - k.labels];
  w->e -= k.labels; /* the base measure: 2^-M */
  if (k.outlined) return dpt_scaled_multiply(coins, rounding, w, band);
  return dpt_scaled_multiply(coins, rounding, &blocks, whole(arrangements(c, k.labels, k.above))) &&
         dpt_scaled_multiply(coins, rounding, &above, band) && dpt_scaled_multiply(coins, rounding, w, blocks) &&
         dpt_scaled_multiply(coins, rounding, w, above);
}

/* Draws the coins of all roundings of a category's weight and returns the outcome. */
static bool rounding_coins(dpt_ctx *ctx, const dpt_rounding *rounding, const dpt_lattice_release *r,
                           const dpt_lattice_cover *c, int index) {
  dpt_lattice_category k = c->category[index];
  int band = k.outlined ? k.labels : k.labels - c->forced - k.above;
  dpt_scaled w = c->weight[index], blocks = whole(1), above = whole(1), most;
  if (!dpt_scaled_units_coin(ctx, rounding, w, c->unit)) return false;
  if (!multiply_power(ctx, rounding, r->triangle, r->most - k.labels, &w)) return false;
  if (!multiply_power(ctx, rounding, k.outlined ? c->outline_most : c->band_most, band, &most)) return false;
  if (!k.outlined &&
      !(multiply_blocks(ctx, rounding, c, &blocks) && multiply_power(ctx, rounding, c->above_most, k.above, &above)))
    return false;
  return join(ctx, rounding, r, c, k, blocks, above, most, &w);
}

/* All weights in doubles, relative to |triangle|^most. Weights that are too small for a double count as zero. */
static double relative(const dpt_lattice_release *r, dpt_scaled weight) {
  double e = (double) (weight.e - r->powers[r->most].e);
  return e < -2000 ? 0 : ldexp((double) weight.m / (double) r->powers[r->most].m, (int) e);
}

enum { CATEGORIES = (DPT_LATTICE_MOST + 1) * (DPT_LATTICE_MOST + 2) / 2 };

static void list_categories(dpt_ctx *ctx, const dpt_rounding *rounding, const dpt_lattice_release *r,
                            dpt_lattice_cover *c) {
  dpt_lattice_category category[CATEGORIES];
  dpt_scaled weight[CATEGORIES], blocks;
  dpt_scaled above_power[DPT_LATTICE_MOST + 1], band_power[DPT_LATTICE_MOST + 1], outline_power[DPT_LATTICE_MOST + 1];
  int count = 0;
  multiply_blocks(NULL, rounding, c, &blocks);
  list_powers(rounding, c->above_most, r->most, above_power);
  list_powers(rounding, c->band_most, r->most, band_power);
  list_powers(rounding, c->outline_most, r->most, outline_power);
  for (int labels = r->least > c->forced ? r->least : c->forced; labels <= r->most; labels++) {
    int first = count, free = labels - c->forced;
    double sum = 0;
    for (int above = 0; above <= free && above <= c->loose && (above == 0 || c->above_most); above++, count++) {
      category[count] = (dpt_lattice_category){(uint8_t) labels, (uint8_t) above, false};
      join(NULL, rounding, r, c, category[count], blocks, above_power[above], band_power[free - above], &weight[count]);
      sum += relative(r, weight[count]);
    }
    dpt_lattice_category all = {(uint8_t) labels, 0, true};
    dpt_scaled outlined;
    join(NULL, rounding, r, c, all, blocks, blocks, outline_power[labels], &outlined);
    if (relative(r, outlined) >= sum) continue;
    category[first] = all;
    weight[first] = outlined;
    count = first + 1;
  }
  dpt_lattice_category *kept = DPT_NEW(ctx, dpt_lattice_category, count);
  dpt_scaled *weights = DPT_NEW(ctx, dpt_scaled, count);
  uint64_t *below = DPT_NEW(ctx, uint64_t, count + 1);
  c->unit = dpt_scaled_unit(rounding, weight, count);
  below[0] = 0;
  for (int i = 0; i < count; i++) {
    kept[i] = category[i];
    weights[i] = weight[i];
    below[i + 1] = below[i] + dpt_scaled_units(weight[i], c->unit);
  }
  c->categories = count;
  c->category = kept;
  c->weight = weights;
  c->below = below;
}

void dpt_lattice_cover_fill(dpt_ctx *ctx, const dpt_rounding *rounding, const dpt_lattice_release *r, int64_t start,
                            int64_t end, dpt_lattice_cover *c) {
  int64_t last = end - 1;
  dpt_lattice_choose_blocks(r, c->forced, last, &c->blocks);
  for (int g = 0; g < c->blocks.count; g++) c->block_most[g] = dpt_lattice_union_count(r, c->blocks.members[g], last);
  c->band_most = dpt_lattice_band_count(r->bound, last);
  c->outline_most = c->band_most + dpt_lattice_staircase_count(c->outline, r->bound, last);
  c->above_most = dpt_lattice_staircase_count(c->staircase, r->bound, start);
  if (end - start > 1) {
    uint64_t next = dpt_lattice_staircase_count(c->staircase, r->bound, start + 1);
    if (next > c->above_most) c->above_most = next;
  }
  list_categories(ctx, rounding, r, c);
}

/* ---- proposals ------------------------------------------------------------------------------------------------- */

/* The coin a / b, repeated: two at a time, because their squares fit. */
static bool repeat_coin(dpt_ctx *ctx, uint64_t a, uint64_t b, int times) {
  if (a == b) return true;
  for (; times >= 2; times -= 2)
    if (!dpt_coin(ctx, (dpt_wide) a * a, (dpt_wide) b * b)) return false;
  return times == 0 || dpt_coin(ctx, a, b);
}

static int draw_category(dpt_ctx *ctx, const dpt_lattice_cover *c) {
  uint64_t u = dpt_draw_below(ctx, c->below[c->categories]);
  return (int) dpt_last_up_to(c->below, 0, c->categories - 1, u);
}

static bool draw_outlined(dpt_ctx *ctx, const dpt_lattice_release *r, const dpt_lattice_cover *c, int64_t tau,
                          dpt_lattice_labels *labels) {
  uint64_t band = dpt_lattice_band_count(r->bound, tau);
  uint64_t all = band + dpt_lattice_staircase_count(c->outline, r->bound, tau);
  if (!repeat_coin(ctx, all, c->outline_most, labels->count)) return false;
  for (int i = 0; i < labels->count; i++) {
    if (dpt_draw_below(ctx, all) < band)
      dpt_lattice_band_draw(ctx, r->bound, tau, &labels->birth[i], &labels->death[i]);
    else dpt_lattice_staircase_draw(ctx, c->outline, r->bound, tau, &labels->birth[i], &labels->death[i]);
  }
  return true;
}

static bool draw_by_blocks(dpt_ctx *ctx, const dpt_lattice_release *r, const dpt_lattice_cover *c, int64_t tau,
                           int above, dpt_lattice_labels *labels) {
  int band = labels->count - c->forced - above, next = 0;
  uint64_t places[DPT_LATTICE_MOST];
  for (int g = 0; g < c->blocks.count; g++) {
    places[g] = dpt_lattice_union_count(r, c->blocks.members[g], tau);
    if (!repeat_coin(ctx, places[g], c->block_most[g], c->blocks.size[g])) return false;
  }
  if (band && !repeat_coin(ctx, dpt_lattice_band_count(r->bound, tau), c->band_most, band)) return false;
  if (above && !repeat_coin(ctx, dpt_lattice_staircase_count(c->staircase, r->bound, tau), c->above_most, above))
    return false;
  /* The order of labels does not matter, because acceptance and release are symmetric in the labels. */
  for (int g = 0; g < c->blocks.count; g++)
    for (int i = 0; i < c->blocks.size[g]; i++, next++)
      dpt_lattice_union_draw(ctx, r, c->blocks.members[g], tau, places[g], &labels->birth[next], &labels->death[next]);
  for (; above > 0; above--, next++)
    dpt_lattice_staircase_draw(ctx, c->staircase, r->bound, tau, &labels->birth[next], &labels->death[next]);
  for (; next < labels->count; next++)
    dpt_lattice_band_draw(ctx, r->bound, tau, &labels->birth[next], &labels->death[next]);
  return true;
}

bool dpt_lattice_cover_draw(dpt_ctx *ctx, const dpt_rounding *rounding, const dpt_lattice_release *r,
                            const dpt_lattice_cover *c, int64_t tau, dpt_lattice_labels *labels, bool *outlined) {
  int index = draw_category(ctx, c);
  dpt_lattice_category category = c->category[index];
  labels->count = category.labels;
  *outlined = category.outlined;
  return rounding_coins(ctx, rounding, r, c, index) &&
         (category.outlined ? draw_outlined(ctx, r, c, tau, labels)
                            : draw_by_blocks(ctx, r, c, tau, category.above, labels));
}
