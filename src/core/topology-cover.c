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
 * Proof: inst/proofs/topology-private-diagram.md. Cost of a measure: O(m^2 log m) for each block of m > 1 points,
 * O(log n) for the staircase, O(M^2) for the number of labels. Cost of a multiplicity: linear where no square holds a
 * label too many, exponential in the labels of a cluster of overlapping blocks otherwise (at most 20 labels). */
#include "topology-cover.h"

#include <math.h>
#include <string.h>

typedef struct {
  double left, right, low, high;
} rectangle;

/* The square of radius t around leading point i, cut to the triangle; forced points lie above the diagonal whole. */
static rectangle square_of(const dpt_release *r, int i, double t) {
  rectangle s = {fmax(r->birth[i] - t, 0), r->birth[i] + t, r->death[i] - t, fmin(r->death[i] + t, 1)};
  return s;
}

static bool holds(rectangle s, double x, double y) {
  return x >= s.left && x <= s.right && y >= s.low && y <= s.high;
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
        double merged = block_log_weight(r, blocks->members[i] | blocks->members[j],
                                         blocks->size[i] + blocks->size[j], t);
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

/* log of the weight of M labels in all, for M = forced .. most; blocks left out. */
static void label_count_log_weights(const dpt_release *r, const dpt_cover *c, double t, double *log_weight) {
  double weight[DPT_COVER_MOST + 1];
  double band = band_area(t), ratio = dpt_staircase_area(c->staircase, t) / band;
  double log_band = log(band / triangle_area);
  for (int count = 0; count <= r->most; count++) {
    int loose = count - c->forced;
    if (loose < 0 || r->log_prior[count] == -INFINITY) {
      log_weight[count] = -INFINITY;
      continue;
    }
    log_weight[count] = r->log_prior[count] + log_factorial(count) - log_factorial(loose) +
                        (loose ? loose * log_band : 0) + log(above_band_weights(loose, c->loose, ratio, weight));
  }
}

static double log_sum(const double *log_weight, int count) {
  double most = -INFINITY, sum = 0;
  for (int i = 0; i < count; i++) most = fmax(most, log_weight[i]);
  if (most == -INFINITY) return most;
  for (int i = 0; i < count; i++) sum += exp(log_weight[i] - most);
  return most + log(sum);
}

double dpt_cover_log_measure(const dpt_release *r, const dpt_cover *c, double t) {
  double log_weight[DPT_COVER_MOST + 1], blocks = 0;
  for (int g = 0; g < c->blocks.count; g++)
    blocks += block_log_weight(r, c->blocks.members[g], c->blocks.size[g], t);
  label_count_log_weights(r, c, t, log_weight);
  return blocks + log_sum(log_weight, r->most + 1);
}

/* Index drawn with the given weights. */
static int draw_index(dpt_ctx *ctx, const double *weight, int count) {
  double total = 0;
  for (int i = 0; i < count; i++) total += weight[i];
  double u = dpt_random_unit(ctx) * total;
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
    *x = dpt_random_between(ctx, s.left, s.right);
    *y = dpt_random_between(ctx, s.low, s.high);
    int times = 0;
    for (int i = 0; i < count; i++) times += holds(squares[i], *x, *y);
    if (times <= 1 || dpt_random_unit(ctx) * times < 1) return;
  }
}

/* Uniform among the points of persistence at most 2t. */
static void draw_in_band(dpt_ctx *ctx, double t, double *birth, double *death) {
  double rest = fmax(1 - 2 * t, 0);
  double room = sqrt(dpt_random_between(ctx, rest * rest, 1));
  *birth = dpt_random_between(ctx, 0, room);
  *death = fmin(*birth + (1 - room), 1);
}

void dpt_cover_draw(dpt_ctx *ctx, const dpt_release *r, const dpt_cover *c, double t, dpt_labels *labels) {
  double log_weight[DPT_COVER_MOST + 1], weight[DPT_COVER_MOST + 1];
  rectangle squares[DPT_COVER_MOST];
  label_count_log_weights(r, c, t, log_weight);
  labels->count = draw_log_index(ctx, log_weight, r->most + 1);

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

void dpt_cover_draw_anywhere(dpt_ctx *ctx, const dpt_release *r, dpt_labels *labels) {
  labels->count = draw_log_index(ctx, r->log_prior, r->most + 1);
  for (int i = 0; i < labels->count; i++)
    draw_in_band(ctx, 0.5, &labels->birth[i], &labels->death[i]);
}

/* ---- multiplicity ------------------------------------------------------------------------------------------- */

/* How the labels lie in the cover at radius t. */
typedef struct {
  uint32_t points[DPT_COVER_MOST]; /* forced points whose square holds label j */
  bool loose[DPT_COVER_MOST];      /* label j may stand without a forced point */
  bool above[DPT_COVER_MOST];      /* label j lies above the band */
} incidence;

static void find_incidence(const dpt_release *r, const dpt_cover *c, double t, const dpt_labels *labels,
                           incidence *found) {
  for (int j = 0; j < labels->count; j++) {
    double birth = labels->birth[j], death = labels->death[j];
    found->points[j] = 0;
    for (int i = 0; i < c->forced; i++)
      if (holds(square_of(r, i, t), birth, death)) found->points[j] |= UINT32_C(1) << i;
    found->above[j] = death - birth > 2 * t;
    found->loose[j] = !found->above[j] || dpt_staircase_contains(c->staircase, t, birth, death);
  }
}

static bool augment(int label, const uint32_t *points, uint32_t members, int *owner, uint32_t *tried) {
  uint32_t open = points[label] & members & ~*tried;
  for (int i = 0; open; i++, open >>= 1) {
    if (!(open & 1) || (*tried >> i & 1)) continue;
    *tried |= UINT32_C(1) << i;
    if (owner[i] < 0 || augment(owner[i], points, members, owner, tried)) {
      owner[i] = label;
      return true;
    }
  }
  return false;
}

/* Can the labels of the set each have a point of their own among `members`? */
static bool matches(uint32_t set, const uint32_t *points, uint32_t members) {
  int owner[DPT_COVER_MOST];
  for (int i = 0; i < DPT_COVER_MOST; i++) owner[i] = -1;
  for (int j = 0; set; j++, set >>= 1) {
    uint32_t tried = 0;
    if ((set & 1) && !augment(j, points, members, owner, &tried)) return false;
  }
  return true;
}

static int bits_in(uint32_t set) {
  int count = 0;
  for (; set; set &= set - 1) count++;
  return count;
}

/* A cluster: blocks that share labels, directly or through others, and all labels in them. */
typedef struct {
  uint32_t blocks, labels; /* bit sets */
} cluster;

static int find_clusters(const dpt_cover *c, const incidence *in, int labels, cluster *clusters) {
  int count = 0;
  for (int g = 0; g < c->blocks.count; g++) {
    cluster grown = {UINT32_C(1) << g, 0};
    for (int j = 0; j < labels; j++)
      if (in->points[j] & c->blocks.members[g]) grown.labels |= UINT32_C(1) << j;
    int kept = 0;
    for (int k = 0; k < count; k++) {
      if (clusters[k].labels & grown.labels) {
        grown.labels |= clusters[k].labels;
        grown.blocks |= clusters[k].blocks;
      } else {
        clusters[kept++] = clusters[k];
      }
    }
    clusters[kept] = grown;
    count = kept + 1;
  }
  return count;
}

/* Sets of labels that a block can take: of its size, all inside it, perfectly matched; in local bits. Returns how
 * many; `sets` may be NULL to count only. */
static ptrdiff_t block_sets(dpt_ctx *ctx, const dpt_blocks *blocks, int g, const incidence *in, uint32_t labels,
                            uint32_t *sets) {
  int local[DPT_COVER_MOST], global[DPT_COVER_MOST], inside = 0, index = 0;
  for (int j = 0; j < DPT_COVER_MOST; j++) {
    if (!(labels >> j & 1)) continue;
    if (in->points[j] & blocks->members[g]) {
      local[inside] = index;
      global[inside++] = j;
    }
    index++;
  }
  int size = blocks->size[g];
  if (inside < size) return 0;
  ptrdiff_t count = 0;
  for (uint32_t pick = (UINT32_C(1) << size) - 1; pick < UINT32_C(1) << inside;) {
    uint32_t set = 0, named = 0;
    for (int k = 0; k < inside; k++) {
      if (!(pick >> k & 1)) continue;
      set |= UINT32_C(1) << local[k];
      named |= UINT32_C(1) << global[k];
    }
    if (matches(named, in->points, blocks->members[g])) {
      if (sets) sets[count] = set;
      count++;
    }
    dpt_tick(ctx, 20 * size);
    uint32_t lowest = pick & (~pick + 1), ripple = pick + lowest; /* next number with as many bits */
    pick = ripple | (((pick ^ ripple) / lowest) >> 2);
  }
  return count;
}

/* ways[k]: in how many ways the blocks of a cluster take their labels and leave k labels above the band loose. */
static void cluster_ways(dpt_ctx *ctx, const dpt_cover *c, const incidence *in, cluster cl, double *ways) {
  memset(ways, 0, (DPT_COVER_MOST + 1) * sizeof *ways);
  int size = bits_in(cl.labels);
  uint32_t loose = 0, above = 0;
  for (int j = 0, index = 0; j < DPT_COVER_MOST; j++) {
    if (!(cl.labels >> j & 1)) continue;
    if (in->loose[j]) loose |= UINT32_C(1) << index;
    if (in->above[j]) above |= UINT32_C(1) << index;
    index++;
  }
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  uint32_t states = UINT32_C(1) << size;
  double *now = DPT_NEW(ctx, double, states), *then = DPT_NEW(ctx, double, states);
  memset(now, 0, states * sizeof *now);
  now[0] = 1;
  for (int g = 0; g < c->blocks.count; g++) {
    if (!(cl.blocks >> g & 1)) continue;
    ptrdiff_t count = block_sets(ctx, &c->blocks, g, in, cl.labels, NULL);
    uint32_t *sets = DPT_NEW(ctx, uint32_t, count);
    block_sets(ctx, &c->blocks, g, in, cl.labels, sets);
    memset(then, 0, states * sizeof *then);
    for (uint32_t taken = 0; taken < states; taken++) {
      if (now[taken] == 0) continue;
      for (ptrdiff_t k = 0; k < count; k++)
        if (!(taken & sets[k])) then[taken | sets[k]] += now[taken];
      dpt_tick(ctx, count);
    }
    dpt_tick(ctx, states);
    double *swap = now;
    now = then;
    then = swap;
  }
  for (uint32_t taken = 0; taken < states; taken++) {
    uint32_t left = (states - 1) & ~taken;
    if (now[taken] > 0 && !(left & ~loose)) ways[bits_in(left & above)] += now[taken];
  }
  dpt_arena_release(&ctx->arena, mark);
}

/* Do the labels that were drawn for each block match its points? A block of one point matches by construction. */
static bool proposal_is_valid(const dpt_cover *c, const incidence *in) {
  int first = 0;
  for (int g = 0; g < c->blocks.count; g++) {
    uint32_t set = ((UINT32_C(1) << c->blocks.size[g]) - 1) << first;
    if (c->blocks.size[g] > 1 && !matches(set, in->points, c->blocks.members[g])) return false;
    first += c->blocks.size[g];
  }
  return true;
}

static double count_ways(dpt_ctx *ctx, const dpt_cover *c, const incidence *in, int labels) {
  cluster clusters[DPT_COVER_MOST];
  double total[DPT_COVER_MOST + 1] = {0}, ways[DPT_COVER_MOST + 1], product[DPT_COVER_MOST + 1];
  int count = find_clusters(c, in, labels, clusters);
  int free_above = 0;
  for (int j = 0; j < labels; j++)
    if (!in->points[j]) free_above += in->above[j];
  total[free_above] = 1;
  for (int k = 0; k < count; k++) {
    uint32_t blocks = clusters[k].blocks;
    if (!(blocks & (blocks - 1))) { /* one block with just its own labels: one way */
      int g = 0;
      while (!(blocks >> g & 1)) g++;
      if (bits_in(clusters[k].labels) == c->blocks.size[g]) continue;
    }
    cluster_ways(ctx, c, in, clusters[k], ways);
    for (int i = 0; i <= labels; i++) {
      product[i] = 0;
      for (int j = 0; j <= i; j++) product[i] += total[j] * ways[i - j];
    }
    memcpy(total, product, ((size_t) labels + 1) * sizeof *total);
  }
  double sum = 0;
  for (int k = 0; k <= labels && k <= c->loose; k++) sum += total[k];
  return sum;
}

double dpt_cover_multiplicity(dpt_ctx *ctx, const dpt_release *r, const dpt_cover *c, double t,
                              const dpt_labels *labels) {
  incidence in;
  find_incidence(r, c, t, labels, &in);
  if (!proposal_is_valid(c, &in)) return 0;
  dpt_points drawn = {labels->birth, labels->death, labels->count};
  if (!dpt_bottleneck_covers(ctx, &drawn, &r->diagram, t)) return 0;
  /* rounding at the edge of a square can hide the way that was drawn */
  return fmax(count_ways(ctx, c, &in, labels->count), 1);
}
