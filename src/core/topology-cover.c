/* topology-cover.c - measure of, and draws from, a cover of the bottleneck ball of radius t around a diagram D.
 *
 * A point of D is forced if its persistence exceeds 2t: every diagram in the ball has its own point in the square of
 * radius t around it. The cover lets M labels fall so: the forced points are cut into blocks; each block takes as many
 * labels as it has points, uniform in the union of its squares; every other label falls in the band {persistence <=
 * 2t} or in the staircase of the points that are not forced, no more of them above the band than there are such
 * points. With m_g points and area U_g for block g, f forced points, band area B and staircase area A the measure is
 *     M! / ((M - f)! prod m_g!) prod U_g^m_g  sum over k <= loose of choose(M - f, k) A^k B^(M - f - k).
 * A proposal in the ball is accepted with probability one over the number of ways in which it can arise. Blocks of one
 * point are the natural cover, but nearly coinciding points then have factorially many ways; merging two blocks pays
 * where their union is small, so blocks are merged greedily as long as that shrinks the cover. One union for each
 * connected cluster is not enough: a chain of clusters loses again what each of them gains.
 *
 * Where squares fill much of the triangle, labels beyond those of the blocks fall in them too, and there are many ways
 * again (7 forced of 20 labels, half of the triangle: 600). For such numbers of labels all of them are drawn from the
 * outline, the band and the staircase of all points, forced or not: a region that holds the squares and in which each
 * diagram arises in one way. For each number of labels the smaller of the two covers is taken.
 *
 * Proof: inst/proofs/topology-private-diagram.md. Cost of a measure: O(m^2 log m) for each block of m > 1 points,
 * O(log n) for the staircase, O(M^2) for the number of labels. */
#include "topology-cover.h"

#include <math.h>

#include "base-draws.h"

typedef struct {
  double left, right, low, high;
} rectangle;

/* The square of radius t around leading point i, cut to the triangle; forced points lie above the diagonal whole. */
static rectangle square_of(const dpt_release *r, int i, double t) {
  rectangle s = {fmax(r->birth[i] - t, 0), r->birth[i] + t, r->death[i] - t, fmin(r->death[i] + t, 1)};
  return s;
}

static bool holds(rectangle s, double x, double y) { return x >= s.left && x <= s.right && y >= s.low && y <= s.high; }

bool dpt_cover_square_holds(const dpt_release *r, int i, double t, double birth, double death) {
  return holds(square_of(r, i, t), birth, death);
}

static double rectangle_area(rectangle s) { return (s.right - s.left) * (s.high - s.low); }

static void sort_small(double *values, int count) {
  for (int i = 1; i < count; i++) {
    double value = values[i];
    int j = i;
    for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
    values[j] = value;
  }
}

/* Length of the union of the vertical extents, over the column that starts at x, of rectangles sorted by `low`. */
static double column_length(const rectangle *s, int count, double x) {
  double length = 0, reached = -INFINITY;
  for (int i = 0; i < count; i++) {
    if (s[i].left > x || s[i].right <= x || s[i].high <= reached) continue;
    length += s[i].high - fmax(s[i].low, reached);
    reached = s[i].high;
  }
  return length;
}

static int collect_squares(const dpt_release *r, uint32_t members, double t, rectangle *squares) {
  int count = 0;
  for (int i = 0; i < r->leading; i++) {
    if (!(members >> i & 1)) continue;
    rectangle s = square_of(r, i, t);
    int j = count++;
    for (; j > 0 && squares[j - 1].low > s.low; j--) squares[j] = squares[j - 1];
    squares[j] = s;
  }
  return count;
}

static double union_area(const dpt_release *r, uint32_t members, double t) {
  rectangle squares[DPT_COVER_MOST];
  double cuts[2 * DPT_COVER_MOST];
  int count = collect_squares(r, members, t, squares);
  if (count == 1) return rectangle_area(squares[0]);
  for (int i = 0; i < count; i++) {
    cuts[2 * i] = squares[i].left;
    cuts[2 * i + 1] = squares[i].right;
  }
  sort_small(cuts, 2 * count);
  double area = 0;
  for (int i = 0; i + 1 < 2 * count; i++)
    if (cuts[i + 1] > cuts[i]) area += (cuts[i + 1] - cuts[i]) * column_length(squares, count, cuts[i]);
  return area;
}

static double log_factorial(int n) { return lgamma(n + 1.0); }

static const double triangle_area = 0.5;

static double block_log_weight(const dpt_release *r, uint32_t members, int size, double t) {
  return size * log(union_area(r, members, t) / triangle_area) - log_factorial(size);
}

static bool blocks_touch(const dpt_release *r, uint32_t one, uint32_t other, double t) {
  for (int i = 0; i < r->leading; i++)
    for (int j = 0; j < r->leading; j++)
      if ((one >> i & 1) && (other >> j & 1) && fabs(r->birth[i] - r->birth[j]) < 2 * t &&
          fabs(r->death[i] - r->death[j]) < 2 * t)
        return true;
  return false;
}

void dpt_cover_choose_blocks(const dpt_release *r, int forced, double t, dpt_blocks *blocks) {
  double weight[DPT_COVER_MOST];
  blocks->count = forced;
  for (int i = 0; i < forced; i++) {
    blocks->size[i] = 1;
    blocks->members[i] = UINT32_C(1) << i;
    weight[i] = block_log_weight(r, blocks->members[i], 1, t);
  }
  for (;;) {
    double best = 0, best_weight = 0;
    int keep = -1, merge = -1;
    for (int i = 0; i < blocks->count; i++) {
      for (int j = i + 1; j < blocks->count; j++) {
        /* disjoint unions never gain: the binomial theorem */
        if (!blocks_touch(r, blocks->members[i], blocks->members[j], t)) continue;
        double merged = block_log_weight(r, blocks->members[i] | blocks->members[j], blocks->size[i] + blocks->size[j],
                                         t);
        double change = merged - weight[i] - weight[j];
        if (change < best) {
          best = change;
          best_weight = merged;
          keep = i;
          merge = j;
        }
      }
    }
    if (keep < 0) return;
    int last = --blocks->count;
    blocks->members[keep] |= blocks->members[merge];
    blocks->size[keep] += blocks->size[merge];
    weight[keep] = best_weight;
    blocks->members[merge] = blocks->members[last];
    blocks->size[merge] = blocks->size[last];
    weight[merge] = weight[last];
  }
}

static double band_area(double t) { return 2 * t * (1 - t); }

/* Weights of k = 0 .. labels loose labels above the band, relative to none: choose(labels, k) ratio^k. */
static double above_band_weights(int labels, ptrdiff_t loose, double ratio, double *weight) {
  double term = 1, sum = 0;
  for (int k = 0; k <= labels; k++) {
    weight[k] = k <= loose ? term : 0;
    sum += weight[k];
    term *= ratio * (labels - k) / (k + 1);
  }
  return sum;
}

/* log of the measure of M labels by blocks, for M = forced .. most. */
static void blocks_log_weights(const dpt_release *r, const dpt_cover *c, double t, double *log_weight) {
  double weight[DPT_COVER_MOST + 1], blocks = 0;
  double band = band_area(t), ratio = dpt_staircase_area(c->staircase, t) / band;
  double log_band = log(band / triangle_area);
  for (int g = 0; g < c->blocks.count; g++) blocks += block_log_weight(r, c->blocks.members[g], c->blocks.size[g], t);
  for (int count = c->forced; count <= r->most; count++) {
    int loose = count - c->forced;
    log_weight[count] = r->log_prior[count] + log_factorial(count) - log_factorial(loose) + blocks +
                        (loose ? loose * log_band : 0) + log(above_band_weights(loose, c->loose, ratio, weight));
  }
}

/* log of the part of the triangle that is in the band or in the outline. */
static double outline_log_part(const dpt_cover *c, double t) {
  return log((band_area(t) + dpt_staircase_area(c->outline, t)) / triangle_area);
}

void dpt_cover_choose_outlined(const dpt_release *r, dpt_cover *c, double t) {
  double by_blocks[DPT_COVER_MOST + 1], part = outline_log_part(c, t);
  blocks_log_weights(r, c, t, by_blocks);
  c->outlined = 0;
  for (int count = c->forced; count <= r->most; count++)
    if (r->log_prior[count] + count * part < by_blocks[count]) c->outlined |= UINT32_C(1) << count;
}

/* log of the measure of M labels, for M = 0 .. most. */
static void label_count_log_weights(const dpt_release *r, const dpt_cover *c, double t, double *log_weight) {
  double part = outline_log_part(c, t);
  for (int count = 0; count < c->forced; count++) log_weight[count] = -INFINITY;
  blocks_log_weights(r, c, t, log_weight);
  for (int count = c->forced; count <= r->most; count++)
    if (c->outlined >> count & 1) log_weight[count] = r->log_prior[count] + count * part;
}

static double log_sum(const double *log_weight, int count) {
  double most = -INFINITY, sum = 0;
  for (int i = 0; i < count; i++) most = fmax(most, log_weight[i]);
  if (most == -INFINITY) return most;
  for (int i = 0; i < count; i++) sum += exp(log_weight[i] - most);
  return most + log(sum);
}

double dpt_cover_log_measure(const dpt_release *r, const dpt_cover *c, double t) {
  double log_weight[DPT_COVER_MOST + 1];
  label_count_log_weights(r, c, t, log_weight);
  return log_sum(log_weight, r->most + 1);
}

/* Index drawn with the given weights. */
static int draw_index(dpt_ctx *ctx, const double *weight, int count) {
  double total = 0;
  for (int i = 0; i < count; i++) total += weight[i];
  double u = dpt_draw_unit(ctx) * total;
  int last = 0;
  for (int i = 0; i < count; i++) {
    if (weight[i] <= 0) continue;
    last = i;
    if (u < weight[i]) return i;
    u -= weight[i];
  }
  return last;
}

static int draw_log_index(dpt_ctx *ctx, const double *log_weight, int count) {
  double weight[DPT_COVER_MOST + 1], most = -INFINITY;
  for (int i = 0; i < count; i++) most = fmax(most, log_weight[i]);
  for (int i = 0; i < count; i++) weight[i] = exp(log_weight[i] - most);
  return draw_index(ctx, weight, count);
}

static void draw_in_union(dpt_ctx *ctx, const rectangle *squares, int count, double *x, double *y) {
  double area[DPT_COVER_MOST];
  for (int i = 0; i < count; i++) area[i] = rectangle_area(squares[i]);
  for (;;) {
    rectangle s = squares[draw_index(ctx, area, count)];
    *x = dpt_draw_between(ctx, s.left, s.right);
    *y = dpt_draw_between(ctx, s.low, s.high);
    int times = 0;
    for (int i = 0; i < count; i++) times += holds(squares[i], *x, *y);
    if (times <= 1 || dpt_draw_unit(ctx) * times < 1) return;
  }
}

/* Uniform among the points of persistence at most 2t. */
static void draw_in_band(dpt_ctx *ctx, double t, double *birth, double *death) {
  double rest = fmax(1 - 2 * t, 0);
  double room = sqrt(dpt_draw_between(ctx, rest * rest, 1));
  *birth = dpt_draw_between(ctx, 0, room);
  *death = fmin(*birth + (1 - room), 1);
}

static void draw_outlined(dpt_ctx *ctx, const dpt_cover *c, double t, dpt_labels *labels) {
  double area[2] = {band_area(t), dpt_staircase_area(c->outline, t)};
  for (int i = 0; i < labels->count; i++) {
    if (draw_index(ctx, area, 2) == 0) draw_in_band(ctx, t, &labels->birth[i], &labels->death[i]);
    else dpt_staircase_draw(ctx, c->outline, t, &labels->birth[i], &labels->death[i]);
  }
}

static void draw_by_blocks(dpt_ctx *ctx, const dpt_release *r, const dpt_cover *c, double t, dpt_labels *labels) {
  double weight[DPT_COVER_MOST + 1];
  rectangle squares[DPT_COVER_MOST];
  /* which label goes where does not matter: acceptance and release are symmetric in the labels */
  int next = 0;
  for (int g = 0; g < c->blocks.count; g++) {
    int count = collect_squares(r, c->blocks.members[g], t, squares);
    for (int i = 0; i < count; i++, next++)
      draw_in_union(ctx, squares, count, &labels->birth[next], &labels->death[next]);
  }
  int loose = labels->count - c->forced;
  if (loose == 0) return;
  double ratio = dpt_staircase_area(c->staircase, t) / band_area(t);
  above_band_weights(loose, c->loose, ratio, weight);
  for (int above = draw_index(ctx, weight, loose + 1); above > 0; above--, next++)
    dpt_staircase_draw(ctx, c->staircase, t, &labels->birth[next], &labels->death[next]);
  for (; next < labels->count; next++) draw_in_band(ctx, t, &labels->birth[next], &labels->death[next]);
}

void dpt_cover_draw(dpt_ctx *ctx, const dpt_release *r, const dpt_cover *c, double t, dpt_labels *labels) {
  double log_weight[DPT_COVER_MOST + 1];
  label_count_log_weights(r, c, t, log_weight);
  labels->count = draw_log_index(ctx, log_weight, r->most + 1);
  if (c->outlined >> labels->count & 1) draw_outlined(ctx, c, t, labels);
  else draw_by_blocks(ctx, r, c, t, labels);
}

void dpt_cover_draw_anywhere(dpt_ctx *ctx, const dpt_release *r, dpt_labels *labels) {
  labels->count = draw_log_index(ctx, r->log_prior, r->most + 1);
  for (int i = 0; i < labels->count; i++) draw_in_band(ctx, 0.5, &labels->birth[i], &labels->death[i]);
}
