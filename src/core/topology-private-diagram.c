/* topology-private-diagram.c - a perfect sampler for the exponential mechanism on persistence diagrams.
 *
 * Target: exp(-a d(P)), d(P) = max over dimensions of the bottleneck distance to the true diagram. Layer cake:
 * exp(-a d) is the integral over t >= d of a exp(-a t), so (t, P) is drawn with density a exp(-a t) 1[d(P) <= t] and t
 * is dropped. Given t, P is uniform in a product of bottleneck balls, each inside a cover of known measure G_q(t)
 * (topology-cover.c). Hence: draw t with density a exp(-a t) prod_q G_q(t), propose P from the covers, accept if it
 * lies in the balls with one over its multiplicities, else start again. What comes out has the target density exactly,
 * in real arithmetic; no chain, no burn-in.
 *
 * The radius: between two half persistences of the true diagrams the forced points are fixed and G = prod G_q
 * increases, so on an interval [u, v) it is at most its left limit at v (at a half persistence G may drop). An interval
 * is drawn by its bound, t in it from the truncated exponential, and accepted with G(t) / G(v-). Intervals start at
 * 1/(8a) and grow with t, so that each keeps most of its proposals. From t = 1/2 (in units of the bound) on the ball is
 * everything.
 *
 * Cost: set-up of (intervals) x O(M^2 + log n) and one pass over the diagram for each size of the forced set; a draw
 * of O(M log n) at an acceptance above one half on ordinary diagrams. Source: the layer-cake construction is this
 * package's own; the proof is inst/proofs/topology-private-diagram.md. Rejected: one square for each forced point and
 * no blocks (12 coinciding points: one proposal in 12! is taken). */
#include "topology-private-diagram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base-draws.h"
#include "topology-multiplicity.h"

typedef struct {
  double start, end;
  double log_measure; /* log of G(end-) */
  double below;       /* sum of the weights before this one, relative to the largest */
  dpt_cover cover[DPT_RELEASE_DIMENSIONS];
} interval;

/* Everything inside is in units of the bound, so that no size of the data overflows. */
struct dpt_sampler {
  double bound, rate;
  int dimensions;
  dpt_release release[DPT_RELEASE_DIMENSIONS];
  ptrdiff_t count; /* intervals; beyond the last one the ball is everything */
  interval *intervals;
  double total; /* sum of the weights, the open end included */
};

/* ---- the true diagrams --------------------------------------------------------------------------------------- */

typedef struct {
  double key, birth, death;
} keyed_point;

static int by_key(const void *left, const void *right) {
  double a = ((const keyed_point *) left)->key, b = ((const keyed_point *) right)->key;
  return (a > b) - (a < b);
}

static void set_prior(dpt_release *r, const dpt_mechanism *mechanism) {
  double total = 2 - ldexp(1, -mechanism->most);
  for (int count = 0; count <= mechanism->most; count++) {
    if (mechanism->learn) r->log_prior[count] = -count * log(2) - log(total);
    else r->log_prior[count] = count == mechanism->most ? 0 : -INFINITY;
  }
}

static void set_leading(dpt_release *r, keyed_point *points, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++) points[i].key = -(points[i].death - points[i].birth);
  qsort(points, (size_t) count, sizeof *points, by_key);
  r->leading = count < r->most + 1 ? (int) count : r->most + 1;
  for (int i = 0; i < r->leading; i++) {
    r->birth[i] = points[i].birth;
    r->death[i] = points[i].death;
  }
}

static void prepare_release(dpt_ctx *ctx, const dpt_mechanism *mechanism, const dpt_points *diagram, dpt_release *r) {
  memset(r, 0, sizeof *r);
  r->most = mechanism->most;
  set_prior(r, mechanism);
  ptrdiff_t count = diagram->count;
  keyed_point *points = DPT_NEW(ctx, keyed_point, count);
  double *birth = DPT_NEW(ctx, double, count), *death = DPT_NEW(ctx, double, count);
  for (ptrdiff_t i = 0; i < count; i++) {
    points[i].birth = fmin(fmax(diagram->birth[i] / mechanism->bound, 0), 1);
    points[i].death = fmin(fmax(diagram->death[i] / mechanism->bound, points[i].birth), 1);
    points[i].key = points[i].birth;
  }
  qsort(points, (size_t) count, sizeof *points, by_key);
  for (ptrdiff_t i = 0; i < count; i++) {
    birth[i] = points[i].birth;
    death[i] = points[i].death;
  }
  r->diagram = (dpt_points){birth, death, count};
  set_leading(r, points, count);
}

/* The staircase of all points but the `forced` leading ones. */
static const dpt_staircase *loose_staircase(dpt_ctx *ctx, const dpt_release *r, int forced) {
  bool *skip = DPT_NEW(ctx, bool, r->diagram.count);
  memset(skip, 0, (size_t) r->diagram.count * sizeof *skip);
  for (int i = 0; i < forced; i++) {
    for (ptrdiff_t j = 0; j < r->diagram.count; j++) {
      if (skip[j] || r->diagram.birth[j] != r->birth[i] || r->diagram.death[j] != r->death[i]) continue;
      skip[j] = true;
      break;
    }
  }
  dpt_staircase *staircase = DPT_NEW(ctx, dpt_staircase, 1);
  *staircase = dpt_staircase_build(ctx, r->diagram.birth, r->diagram.death, skip, r->diagram.count);
  return staircase;
}

/* From half the bound on the ball holds all diagrams. */
static const double everything = 0.5;

/* ---- the intervals ------------------------------------------------------------------------------------------- */

static int by_value(const void *left, const void *right) {
  double a = *(const double *) left, b = *(const double *) right;
  return (a > b) - (a < b);
}

static double half_persistence(const dpt_release *r, int i) { return (r->death[i] - r->birth[i]) / 2; }

/* Radii below this force more points than there are labels. */
static double least_radius(const dpt_sampler *s) {
  double least = 0;
  for (int q = 0; q < s->dimensions; q++)
    if (s->release[q].leading > s->release[q].most)
      least = fmax(least, half_persistence(&s->release[q], s->release[q].most));
  return least;
}

/* The ends of the stretches on which the forced points are fixed: least, half persistences between, one half. */
static int find_stretches(const dpt_sampler *s, double *ends) {
  double least = least_radius(s);
  int count = 0;
  ends[count++] = least;
  for (int q = 0; q < s->dimensions; q++) {
    for (int i = 0; i < s->release[q].leading; i++) {
      double half = half_persistence(&s->release[q], i);
      if (half > least && half < everything) ends[count++] = half;
    }
  }
  ends[count++] = everything;
  qsort(ends, (size_t) count, sizeof *ends, by_value);
  return count;
}

static double step_at(const dpt_sampler *s, double t) {
  int labels = 1;
  for (int q = 0; q < s->dimensions; q++) labels += s->release[q].most;
  return fmax(fmin(1 / (8 * s->rate), 1.0 / 128), t / (4 * labels));
}

/* Pieces of a stretch, so that both the count and the filling use one rule. */
static double next_end(const dpt_sampler *s, double start, double stretch_end) {
  double end = start + step_at(s, start);
  return end < stretch_end && end > start ? end : stretch_end;
}

static ptrdiff_t count_intervals(const dpt_sampler *s, const double *ends, int count) {
  ptrdiff_t intervals = 0;
  for (int i = 0; i + 1 < count; i++)
    for (double u = ends[i]; u < ends[i + 1]; u = next_end(s, u, ends[i + 1])) intervals++;
  return intervals;
}

static void fill_interval(const dpt_sampler *s, const dpt_staircase *const *staircases, interval *in) {
  in->log_measure = 0;
  for (int q = 0; q < s->dimensions; q++) {
    const dpt_release *r = &s->release[q];
    dpt_cover *cover = &in->cover[q];
    cover->forced = 0;
    while (cover->forced < r->leading && half_persistence(r, cover->forced) >= in->end) cover->forced++;
    cover->loose = r->diagram.count - cover->forced;
    cover->staircase = staircases[q * (DPT_COVER_MOST + 2) + cover->forced];
    cover->outline = staircases[q * (DPT_COVER_MOST + 2)];
    dpt_cover_choose_blocks(r, cover->forced, in->end, &cover->blocks);
    dpt_cover_choose_outlined(r, cover, in->end);
    in->log_measure += dpt_cover_log_measure(r, cover, in->end);
  }
}

/* log of exp(-a u) - exp(-a v) */
static double log_exponential_mass(double rate, double u, double v) { return -rate * u + log(-expm1(-rate * (v - u))); }

static void weigh_intervals(dpt_sampler *s) {
  double open_end = -s->rate * everything, most = open_end;
  for (ptrdiff_t i = 0; i < s->count; i++) {
    interval *in = &s->intervals[i];
    most = fmax(most, in->log_measure + log_exponential_mass(s->rate, in->start, in->end));
  }
  s->total = 0;
  for (ptrdiff_t i = 0; i < s->count; i++) {
    interval *in = &s->intervals[i];
    in->below = s->total;
    s->total += exp(in->log_measure + log_exponential_mass(s->rate, in->start, in->end) - most);
  }
  s->intervals[s->count].below = s->total; /* the open end */
  s->total += exp(open_end - most);
}

/* A staircase for each size of the forced set that occurs, and that of all points; the others stay NULL. */
static const dpt_staircase **build_staircases(dpt_ctx *ctx, const dpt_sampler *s, const double *ends, int count) {
  ptrdiff_t size = (ptrdiff_t) s->dimensions * (DPT_COVER_MOST + 2);
  const dpt_staircase **staircases = DPT_NEW(ctx, const dpt_staircase *, size);
  for (ptrdiff_t i = 0; i < size; i++) staircases[i] = NULL;
  for (int q = 0; q < s->dimensions; q++) {
    const dpt_release *r = &s->release[q];
    for (int i = 0; i < count; i++) {
      int forced = 0; /* i = 0 stands for all points */
      while (i > 0 && forced < r->leading && half_persistence(r, forced) >= ends[i]) forced++;
      const dpt_staircase **slot = &staircases[q * (DPT_COVER_MOST + 2) + forced];
      if (*slot) continue;
      *slot = loose_staircase(ctx, r, forced);
      dpt_tick(ctx, 20 * r->diagram.count);
    }
  }
  return staircases;
}

dpt_status dpt_sampler_open(dpt_ctx *ctx, const dpt_mechanism *mechanism, const dpt_points *diagrams, int dimensions,
                            dpt_sampler **sampler) {
  double rate = mechanism->rate * mechanism->bound;
  if (dimensions < 1 || dimensions > DPT_RELEASE_DIMENSIONS || mechanism->most < 0 ||
      mechanism->most > DPT_COVER_MOST || !(mechanism->bound > 0) || !(rate >= 0) || !isfinite(rate))
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "the release is out of the sampler's range");
  dpt_sampler *s = DPT_NEW(ctx, dpt_sampler, 1);
  s->bound = mechanism->bound;
  s->rate = rate;
  s->dimensions = dimensions;
  for (int q = 0; q < dimensions; q++) prepare_release(ctx, mechanism, &diagrams[q], &s->release[q]);

  double ends[DPT_RELEASE_DIMENSIONS * (DPT_COVER_MOST + 1) + 2];
  int count = find_stretches(s, ends);
  const dpt_staircase **staircases = build_staircases(ctx, s, ends, count);
  s->count = count_intervals(s, ends, count);
  s->intervals = DPT_NEW(ctx, interval, s->count + 1);
  ptrdiff_t filled = 0;
  for (int i = 0; i + 1 < count; i++) {
    for (double u = ends[i], v; u < ends[i + 1]; u = v) {
      v = next_end(s, u, ends[i + 1]);
      s->intervals[filled].start = u;
      s->intervals[filled].end = v;
      fill_interval(s, staircases, &s->intervals[filled++]);
      dpt_tick(ctx, 5000);
    }
  }
  weigh_intervals(s);
  *sampler = s;
  return DPT_OK;
}

/* ---- draws --------------------------------------------------------------------------------------------------- */

/* The interval in which the weight up to u ends; `count` is the open end. */
static ptrdiff_t pick_interval(const dpt_sampler *s, double u) {
  ptrdiff_t low = 0, high = s->count;
  while (low < high) {
    ptrdiff_t middle = low + (high - low + 1) / 2;
    if (s->intervals[middle].below <= u) low = middle;
    else high = middle - 1;
  }
  return low;
}

/* A radius of the interval, or false if this proposal is turned down. */
static bool draw_radius(dpt_ctx *ctx, const dpt_sampler *s, const interval *in, double *radius) {
  double u = dpt_draw_unit(ctx);
  double t = in->start - log1p(u * expm1(-s->rate * (in->end - in->start))) / s->rate;
  t = fmin(fmax(t, in->start), in->end);
  double log_measure = 0;
  for (int q = 0; q < s->dimensions; q++) log_measure += dpt_cover_log_measure(&s->release[q], &in->cover[q], t);
  *radius = t;
  return log(dpt_draw_unit(ctx)) < log_measure - in->log_measure;
}

static bool propose(dpt_ctx *ctx, const dpt_sampler *s, dpt_labels *labels) {
  ptrdiff_t index = pick_interval(s, dpt_draw_unit(ctx) * s->total);
  if (index == s->count) {
    for (int q = 0; q < s->dimensions; q++) dpt_cover_draw_anywhere(ctx, &s->release[q], &labels[q]);
    return true;
  }
  const interval *in = &s->intervals[index];
  double t, ways = 1;
  if (!draw_radius(ctx, s, in, &t)) return false;
  for (int q = 0; q < s->dimensions; q++) {
    dpt_cover_draw(ctx, &s->release[q], &in->cover[q], t, &labels[q]);
    ways *= dpt_cover_multiplicity(ctx, &s->release[q], &in->cover[q], t, &labels[q]);
    if (ways == 0) return false;
  }
  return ways == 1 || dpt_draw_unit(ctx) * ways < 1;
}

static bool stands_before(double birth, double death, double other_birth, double other_death) {
  double persistence = death - birth, other = other_death - other_birth;
  return persistence > other || (persistence == other && birth < other_birth);
}

/* By decreasing persistence, then birth: the order of proposals would show which labels were forced. */
static void sort_labels(dpt_labels *labels) {
  for (int i = 1; i < labels->count; i++) {
    double birth = labels->birth[i], death = labels->death[i];
    int j = i;
    for (; j > 0 && stands_before(birth, death, labels->birth[j - 1], labels->death[j - 1]); j--) {
      labels->birth[j] = labels->birth[j - 1];
      labels->death[j] = labels->death[j - 1];
    }
    labels->birth[j] = birth;
    labels->death[j] = death;
  }
}

static double on_lattice(double x) { return ldexp(nearbyint(ldexp(x, 20)), -20); }

/* To the public lattice bound * 2^-20. */
static void round_labels(dpt_labels *labels, double bound) {
  for (int i = 0; i < labels->count; i++) {
    labels->birth[i] = on_lattice(labels->birth[i]) * bound;
    labels->death[i] = on_lattice(labels->death[i]) * bound;
  }
}

int64_t dpt_sampler_draw(dpt_ctx *ctx, const dpt_sampler *s, dpt_labels *labels) {
  int64_t proposals = 0;
  do {
    proposals++;
    dpt_tick(ctx, 2000);
  } while (!propose(ctx, s, labels));
  for (int q = 0; q < s->dimensions; q++) {
    round_labels(&labels[q], s->bound);
    sort_labels(&labels[q]);
  }
  return proposals;
}
