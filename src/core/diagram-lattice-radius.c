/* diagram-lattice-radius.c - intervals of radii, made as fine as necessary.
 *
 * Between two persistences of the true diagrams the forced points are fixed, and one cover is counted for an
 * interval of radii, as large as its largest. The excess is rejected. An interval lies within one halving of the
 * weights, where differences of weights are integer multiples of one unit, or consists of entire halvings. The
 * halving is then drawn by coins, and beyond the last of them the proposal is rejected. Above the bound every
 * diagram is in the ball.
 *
 * Intervals start as coarse as that allows, with numbers of halvings that double. An interval is cut in two while it
 * rejects more than 1/WASTE of all proposals. Waste is judged by the best cover of the first radius, made for that
 * radius alone: if blocks or outlines serve the whole interval, others may be far smaller at its start, which has
 * most of the weight. All the waste together is at most all proposals, so a round cuts at most WASTE intervals, and
 * a cut interval has half the radii: at most 31 rounds. The few intervals that matter are thus fine, and the
 * thousands that do not are never examined. All of this is done in doubles, because intervals may be cut anywhere.
 * The weights themselves are integers, and a coin corrects every rounding. */
#include "diagram-lattice-radius.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base-draws.h"

static const double WASTE = 50;

/* ---- staircases ------------------------------------------------------------------------------------------------ */

/* One for each dimension and number of forced points, made on first use. */
typedef struct {
  const dpt_lattice_staircase *made[DPT_LATTICE_DIMENSIONS][DPT_LATTICE_MOST + 1];
} staircases;

const dpt_lattice_staircase *dpt_lattice_loose_staircase(dpt_ctx *ctx, const dpt_lattice_release *r, int forced) {
  ptrdiff_t count = r->diagram.count;
  bool *skip = DPT_NEW(ctx, bool, count);
  int64_t *birth = DPT_NEW(ctx, int64_t, count), *death = DPT_NEW(ctx, int64_t, count);
  memset(skip, 0, (size_t) count * sizeof *skip);
  for (ptrdiff_t j = 0; j < count; j++) {
    birth[j] = (int64_t) r->diagram.birth[j];
    death[j] = (int64_t) r->diagram.death[j];
  }
  for (int i = 0; i < forced; i++) {
    ptrdiff_t j = 0;
    while (skip[j] || birth[j] != r->birth[i] || death[j] != r->death[i]) j++;
    skip[j] = true;
  }
  dpt_lattice_staircase *staircase = DPT_NEW(ctx, dpt_lattice_staircase, 1);
  *staircase = dpt_lattice_staircase_build(ctx, birth, death, skip, count);
  dpt_tick(ctx, 20 * count);
  return staircase;
}

static const dpt_lattice_staircase *look_up(dpt_ctx *ctx, const dpt_lattice_radii *s, staircases *all, int q,
                                            int forced) {
  const dpt_lattice_staircase **slot = &all->made[q][forced];
  if (!*slot) *slot = dpt_lattice_loose_staircase(ctx, &s->release[q], forced);
  return *slot;
}

/* ---- one interval ---------------------------------------------------------------------------------------------- */

static int64_t persistence(const dpt_lattice_release *r, int i) { return r->death[i] - r->birth[i]; }

static dpt_scaled mass_of(const dpt_lattice_radii *s, const dpt_lattice_interval *in) {
  if (in->open || in->halvings) return dpt_weights_at(s->weights, in->start);
  return dpt_weights_mass(s->weights, in->start, in->end);
}

/* Multiplies the mass and the covers. With `coins`, draws their coins and returns the outcome. */
static bool multiply_covers(dpt_ctx *coins, const dpt_lattice_radii *s, const dpt_lattice_interval *in, dpt_scaled *w) {
  *w = in->mass;
  for (int q = 0; q < s->dimensions; q++) {
    const dpt_lattice_cover *c = &in->cover[q];
    if (!dpt_scaled_multiply(coins, s->rounding, w, (dpt_scaled){c->below[c->categories], c->unit})) return false;
  }
  return true;
}

/* Size of the best cover of the first radius, relative to the cover for all radii. Other blocks, or no blocks, may
 * be better there, and most of the weight is there. */
static double part_at_start(dpt_ctx *ctx, const dpt_lattice_radii *s, const dpt_lattice_release *r, int64_t start,
                            const dpt_lattice_cover *c) {
  dpt_lattice_cover first = *c;
  dpt_lattice_cover_fill(ctx, s->rounding, r, start, start + 1, &first);
  double most = (double) c->below[c->categories], least = (double) first.below[first.categories];
  double shift = (double) (first.unit - c->unit);
  return shift < -1000 ? 0 : fmin(1, ldexp(least / most, (int) shift));
}

static dpt_lattice_interval *new_interval(dpt_ctx *ctx, const dpt_lattice_radii *s, staircases *all, int64_t start,
                                          int64_t end) {
  dpt_lattice_interval *in = DPT_NEW(ctx, dpt_lattice_interval, 1);
  in->start = start;
  in->end = end;
  in->open = start == s->bound;
  in->halvings = (end - start) / s->weights->period;
  if (in->halvings == 1 || in->open) in->halvings = 0;
  in->mass = mass_of(s, in);
  double part = 1;
  for (int q = 0; q < s->dimensions; q++) {
    const dpt_lattice_release *r = &s->release[q];
    dpt_lattice_cover *c = &in->cover[q];
    c->forced = 0;
    while (c->forced < r->leading && persistence(r, c->forced) > start) c->forced++;
    c->loose = r->diagram.count - c->forced;
    c->staircase = look_up(ctx, s, all, q, c->forced);
    c->outline = look_up(ctx, s, all, q, 0);
    dpt_lattice_cover_fill(ctx, s->rounding, r, start, end, c);
    part *= part_at_start(ctx, s, r, start, c);
  }
  multiply_covers(NULL, s, in, &in->weight);
  in->log_weight = dpt_scaled_log2(in->weight);
  if (in->halvings) in->waste = 1 - part * (1 - exp2(-(double) in->halvings));
  else in->waste = (1 - part) / 2; /* the remaining fraction grows from `part` to one */
  dpt_tick(ctx, 5000);
  return in;
}

static void append(dpt_ctx *ctx, dpt_lattice_radii *s, dpt_lattice_interval *in) {
  if (s->count == s->room) {
    s->room = 2 * s->room + 64;
    dpt_lattice_interval **grown = DPT_NEW(ctx, dpt_lattice_interval *, s->room);
    if (s->count) memcpy(grown, s->interval, (size_t) s->count * sizeof *grown);
    s->interval = grown;
  }
  s->interval[s->count++] = in;
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

static int by_value(const void *left, const void *right) {
  int64_t a = *(const int64_t *) left, b = *(const int64_t *) right;
  return (a > b) - (a < b);
}

/* Smallest radius that does not force more points than there are labels. */
static int64_t least_radius(const dpt_lattice_radii *s) {
  int64_t least = 0;
  for (int q = 0; q < s->dimensions; q++) {
    const dpt_lattice_release *r = &s->release[q];
    if (r->leading > r->most && persistence(r, r->most) > least) least = persistence(r, r->most);
  }
  return least;
}

/* Lists the ends of the stretches on which the forced points are fixed: smallest radius, persistences between,
 * bound. */
static int find_stretches(const dpt_lattice_radii *s, int64_t *ends) {
  int64_t least = least_radius(s);
  int count = 0;
  ends[count++] = least;
  for (int q = 0; q < s->dimensions; q++) {
    for (int i = 0; i < s->release[q].leading; i++) {
      int64_t p = persistence(&s->release[q], i);
      if (p > least && p < s->bound) ends[count++] = p;
    }
  }
  ends[count++] = s->bound;
  qsort(ends, (size_t) count, sizeof *ends, by_value);
  return count;
}

/* Within one halving: its end. Otherwise as many entire halvings as came before. */
static int64_t first_end(int64_t period, int64_t start, int64_t stretch_end) {
  int64_t before = start / period, whole = (stretch_end - start) / period;
  if (start % period || whole == 0) {
    int64_t end = (before + 1) * period;
    return end < stretch_end ? end : stretch_end;
  }
  if (before < 1) before = 1;
  return start + (whole < before ? whole : before) * period;
}

static double total_weight(const dpt_lattice_radii *s, double *top) {
  double total = 0;
  *top = -INFINITY;
  for (ptrdiff_t i = 0; i < s->count; i++) *top = fmax(*top, s->interval[i]->log_weight);
  for (ptrdiff_t i = 0; i < s->count; i++) total += exp2(s->interval[i]->log_weight - *top);
  return total;
}

static void refine(dpt_ctx *ctx, dpt_lattice_radii *s, staircases *all) {
  bool cut = true;
  while (cut) {
    double top, total = total_weight(s, &top);
    ptrdiff_t count = s->count;
    cut = false;
    for (ptrdiff_t i = 0; i < count; i++) {
      const dpt_lattice_interval *in = s->interval[i];
      if (in->end - in->start < 2 || WASTE * in->waste * exp2(in->log_weight - top) <= total) continue;
      int64_t start = in->start, end = in->end;
      int64_t half = in->halvings ? in->halvings / 2 * s->weights->period : (end - start) / 2;
      s->interval[i] = new_interval(ctx, s, all, start, start + half);
      append(ctx, s, new_interval(ctx, s, all, start + half, end));
      cut = true;
    }
  }
}

void dpt_lattice_radii_list(dpt_ctx *ctx, dpt_lattice_radii *s) {
  int64_t ends[DPT_LATTICE_DIMENSIONS * (DPT_LATTICE_MOST + 1) + 2];
  staircases all;
  memset(&all, 0, sizeof all);
  s->count = s->room = 0;
  int count = find_stretches(s, ends);
  for (int i = 0; i + 1 < count; i++) {
    for (int64_t u = ends[i], v; u < ends[i + 1]; u = v) {
      v = first_end(s->weights->period, u, ends[i + 1]);
      append(ctx, s, new_interval(ctx, s, &all, u, v));
    }
  }
  append(ctx, s, new_interval(ctx, s, &all, s->bound, s->bound + 1));
  refine(ctx, s, &all);

  dpt_scaled *weight = DPT_NEW(ctx, dpt_scaled, s->count);
  for (ptrdiff_t i = 0; i < s->count; i++) weight[i] = s->interval[i]->weight;
  s->unit = dpt_scaled_unit(s->rounding, weight, s->count);
  s->below = DPT_NEW(ctx, uint64_t, s->count + 1);
  s->below[0] = 0;
  for (ptrdiff_t i = 0; i < s->count; i++) s->below[i + 1] = s->below[i] + dpt_scaled_units(weight[i], s->unit);
}

/* ---- draws ----------------------------------------------------------------------------------------------------- */

/* Start of the halving of a radius in an interval of entire halvings, or -1 beyond the last of them. */
static int64_t draw_halving(dpt_ctx *ctx, const dpt_lattice_interval *in, int64_t period) {
  int64_t start = in->start;
  for (; dpt_draw_bit(ctx); start += period)
    if (start + period >= in->end) return -1;
  return start;
}

const dpt_lattice_interval *dpt_lattice_radii_draw(dpt_ctx *ctx, const dpt_lattice_radii *s, int64_t *tau) {
  uint64_t u = dpt_draw_below(ctx, s->below[s->count]);
  const dpt_lattice_interval *in = s->interval[dpt_last_up_to(s->below, 0, s->count - 1, u)];
  dpt_scaled product;
  if (!dpt_scaled_units_coin(ctx, s->rounding, in->weight, s->unit) || !multiply_covers(ctx, s, in, &product))
    return NULL;
  if (in->open) {
    *tau = in->start;
  } else if (in->halvings) {
    int64_t start = draw_halving(ctx, in, s->weights->period);
    if (start < 0) return NULL;
    *tau = dpt_weights_draw(ctx, s->weights, start, start + s->weights->period);
  } else {
    *tau = dpt_weights_draw(ctx, s->weights, in->start, in->end);
  }
  return in;
}
