/* diagram-lattice-weights.c - a table of weights that halves in an integer number of steps, and its verification.
 *
 * A release P of loss s(P) >= 0 is drawn in proportion to V(s(P)). If s moves by at most `move` between neighbors
 * and
 *     V falls   and   V(s) <= E V(s + move) for all s,   E <= exp(epsilon / 2),
 * then the weight of each release and the sum of all weights change by a factor of at most E each, which gives
 * epsilon. The origin of the table therefore does not matter (it comes from exp2() in doubles). It is verified, in
 * integers, before it is used. E = 2^q E' 2^-62 is exp(epsilon / 2) from below (privacy-choice.c).
 *
 * V is linear between knots, so V(s) - E V(s + move) is linear between the points at which s or s + move is a knot,
 * and has its largest value at one of these: two comparisons per knot. Linear segments cost slope: at the late end
 * of a segment the relative slope exceeds the slope of the exponential by log(2) / (2 knots), and a longer period
 * compensates for this. Only weights that halve more slowly than in 4,096 steps have segments longer than one step.
 *
 * Cost: two comparisons of 128 bits per knot, 10 ns each. Rejected: a table of every loss in a halving (epsilon of
 * 1e-9 needs billions); a base other than two (powers would no longer be exponents); a geometric distribution with a
 * rational parameter, whose powers have no exact sums in 128 bits. */
#include "diagram-lattice-weights.h"

#include <math.h>

#include "base-draws.h"
#include "privacy-choice.h"

/* ---- the weights --------------------------------------------------------------------------------------------- */

/* Mantissa of V at an offset of 0 .. period in a halving. */
static uint64_t weight_within(const dpt_weights *w, int64_t offset) {
  if (w->stride == 1) return w->knot[offset];
  int64_t j = offset / w->stride, i = offset % w->stride;
  uint64_t value = w->knot[j] * (uint64_t) (w->stride - i);
  return i ? value + w->knot[j + 1] * (uint64_t) i : value;
}

dpt_scaled dpt_weights_at(const dpt_weights *w, int64_t s) {
  return (dpt_scaled){weight_within(w, s % w->period), -(s / w->period)};
}

dpt_scaled dpt_weights_mass(const dpt_weights *w, int64_t u, int64_t v) {
  int64_t halvings = u / w->period, start = halvings * w->period;
  return (dpt_scaled){weight_within(w, u - start) - weight_within(w, v - start), -halvings};
}

/* Draws the loss s with V(s) >= target > V(s + 1), target uniform on V(v) + 1 .. V(u). */
int64_t dpt_weights_draw(dpt_ctx *ctx, const dpt_weights *w, int64_t u, int64_t v) {
  int64_t start = u / w->period * w->period;
  uint64_t top = weight_within(w, u - start), mass = top - weight_within(w, v - start);
  uint64_t target = top - dpt_draw_below(ctx, mass), stride = (uint64_t) w->stride;
  int64_t low = (u - start) / w->stride, high = (v - start - 1) / w->stride;
  while (low < high) { /* finds the last knot that is not below the target */
    int64_t middle = low + (high - low + 1) / 2;
    if (w->knot[middle] * stride >= target) low = middle;
    else high = middle - 1;
  }
  if (stride == 1) return start + low;
  return start + low * w->stride + (int64_t) ((w->knot[low] * stride - target) / (w->knot[low] - w->knot[low + 1]));
}

/* ---- the verification ------------------------------------------------------------------------------------------ */

/* Whether left 2^shift <= right E' 2^-62, for mantissas in [H, 2H], H >= 2^58, 2H <= 2^60. */
static bool is_below(uint64_t left, uint64_t right, uint64_t factor, int64_t shift) {
  /* at least 4H against less than 4H, or at most H / 2 against at least H */
  if (shift >= 2) return false;
  if (shift <= -2) return true;
  dpt_wide scaled = (dpt_wide) left << DPT_FACTOR_PLACES, product = (dpt_wide) right * factor;
  return shift > 0 ? scaled << 1 <= product : scaled <= product << -shift;
}

/* Whether V(s) <= E V(s + move) at s = first, first + stride, ... below the period. */
static bool holds_from(const dpt_weights *w, int64_t first, int64_t move, uint64_t factor, int64_t q) {
  int64_t late = (first + move) % w->period, shift = (first + move) / w->period - q;
  for (int64_t s = first; s < w->period; s += w->stride, late += w->stride) {
    if (late >= w->period) {
      late -= w->period;
      shift++;
    }
    if (!is_below(weight_within(w, s), weight_within(w, late), factor, shift)) return false;
  }
  return true;
}

bool dpt_weights_valid(const dpt_weights *w) {
  if (w->knots < 1 || w->knots > DPT_WEIGHTS_KNOTS || w->stride < 1 || w->stride > INT64_C(1) << 32 ||
      w->period != w->knots * w->stride)
    return false;
  uint64_t most = (UINT64_C(1) << 60) / (uint64_t) w->stride, least = most / 4;
  for (int64_t j = 0; j < w->knots; j++)
    if (w->knot[j] <= w->knot[j + 1]) return false;
  return w->knot[0] <= most && w->knot[w->knots] > least && w->knot[0] == 2 * w->knot[w->knots];
}

bool dpt_weights_hold(dpt_ctx *ctx, const dpt_weights *w, int64_t move, double epsilon) {
  if (!dpt_weights_valid(w) || move < 1 || move > INT64_C(1) << 40 || !(epsilon > 0 && epsilon <= 1024)) return false;
  int64_t q, before = move % w->stride;
  uint64_t factor = dpt_factor_below(epsilon, &q);
  dpt_tick(ctx, 20 * w->knots);
  return holds_from(w, 0, move, factor, q) && (before == 0 || holds_from(w, w->stride - before, move, factor, q));
}

/* ---- making them ----------------------------------------------------------------------------------------------- */

static const double most_period = 4398046511104; /* 2^42 */

/* The smallest period that segments allow. Their slope is a bit steeper at the late end, and the fall over one of
 * them is an integer near 2^59 log 2 / period, with an error of at most two. */
static double period_needed(double smooth, double steps, double knots, double stride) {
  return smooth * (1 + log(2) / (2 * knots) * fmin(stride / (2 * steps), 1) + smooth * 0x1p-57 + 1e-11);
}

/* The shortest period above `above` (up to which all have failed) that should suffice. */
static double choose_period(double steps, double epsilon, double above, int64_t *knots, int64_t *stride) {
  double smooth = 4 * steps * log(2) / epsilon, best = INFINITY;
  double single = fmax(fmax(ceil(smooth), above + 1), 1);
  if (single <= DPT_WEIGHTS_KNOTS) {
    *knots = (int64_t) single;
    *stride = 1;
    return single;
  }
  for (int k = DPT_WEIGHTS_KNOTS; k > DPT_WEIGHTS_KNOTS / 2; k--) {
    double s = ceil(period_needed(smooth, steps, k, smooth / k) / k);
    if (s * k <= above) s = floor(above / k) + 1;
    if (s * k >= best) continue;
    best = s * k;
    *knots = k;
    *stride = (int64_t) fmin(s, 0x1p40);
  }
  return best;
}

enum { FINE = 64 };

/* Multiplies exp2() of coarse and of fine places, with one more rounding and a tenth of the time. */
static void fill_knots(dpt_weights *w, uint64_t *knot, int64_t knots, int64_t stride) {
  uint64_t last = (UINT64_C(1) << 59) / (uint64_t) stride;
  double fine[FINE], coarse = 1;
  for (int i = 0; i < FINE; i++) fine[i] = 2 * (double) last * exp2(-(double) i / (double) knots);
  for (int64_t j = 0; j < knots; j++) {
    if (j % FINE == 0) coarse = exp2(-(double) j / (double) knots);
    knot[j] = (uint64_t) (coarse * fine[j % FINE]);
  }
  knot[0] = 2 * last;
  knot[knots] = last;
  *w = (dpt_weights){knots, stride, knots * stride, knot};
}

/* In doubles, for display. */
static double used_part(const dpt_weights *w, int64_t move, double epsilon) {
  double largest = 0;
  for (int64_t j = 0; j < w->knots; j++) {
    for (int side = 0; side < 2; side++) {
      int64_t s = j * w->stride + (side ? (w->stride - move % w->stride) % w->stride : 0), late = s + move;
      double a = (double) weight_within(w, s), b = (double) weight_within(w, late % w->period);
      double change = log(a / b) + (double) (late / w->period) * log(2);
      largest = fmax(largest, change);
    }
  }
  return 2 * largest / epsilon;
}

enum { ATTEMPTS = 8 };

dpt_status dpt_weights_build(dpt_ctx *ctx, int64_t steps, double epsilon, dpt_weights *w, double *used) {
  if (!(epsilon > 0 && epsilon <= 1024) || steps < 1 || steps > INT64_C(1) << 31)
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "epsilon or the number of steps is out of the range of the weights");
  uint64_t *knot = DPT_NEW(ctx, uint64_t, DPT_WEIGHTS_KNOTS + 1);
  double period = 0;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    int64_t knots = 0, stride = 0;
    period = choose_period((double) steps, epsilon, period, &knots, &stride);
    if (!(period <= most_period)) break;
    fill_knots(w, knot, knots, stride);
    if (!dpt_weights_hold(ctx, w, 2 * steps, epsilon)) continue;
    if (used) *used = used_part(w, 2 * steps, epsilon);
    return DPT_OK;
  }
  return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "epsilon is too small for a table of weights with %.0f steps",
                  (double) steps);
}

/* ---- how many steps -------------------------------------------------------------------------------------------- */

/* Planned fraction of epsilon that a period uses. */
static double planned_use(double steps, double epsilon) {
  int64_t knots = 0, stride = 0;
  double period = choose_period(steps, epsilon, 0, &knots, &stride);
  if (!(period <= most_period)) return 0;
  return 4 * steps * log(2) / epsilon / period;
}

/* The best number of steps below `most`, from the largest down. Stops at the first that is good. */
static double best_steps(dpt_ctx *ctx, double most, double epsilon, double good, int64_t *steps) {
  double best = 0;
  int tried = 0;
  for (double k = floor(most); k >= 1 && k >= most / 2 && tried < 20000 && best < good; k--) {
    bool long_period = 4 * k * log(2) / epsilon > DPT_WEIGHTS_KNOTS;
    tried += long_period ? 1000 : 1;
    double use = planned_use(k, epsilon);
    if (use > best) {
      best = use;
      *steps = (int64_t) k;
    }
    dpt_tick(ctx, long_period ? 40000 : 100);
  }
  return best;
}

dpt_status dpt_weights_plan(dpt_ctx *ctx, double range, double epsilon, int64_t *steps) {
  const double room = 2147483646, usual = 1048576, good = 0.99995;
  if (!(epsilon > 0 && epsilon <= 1024) || !(range >= 0))
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "epsilon or the range is out of the range of the weights");
  range = fmax(range, 1.0 / 64);
  double limit = fmin(room / range, most_period * epsilon / (4 * log(2)) * 0.999);
  if (limit < 1)
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "no lattice of 2^31 steps has %.3g sensitivities at this epsilon", range);
  double most = fmin(limit, fmax(usual / range, 64)), best = 0;
  for (;;) {
    int64_t found = 1;
    double use = best_steps(ctx, most, epsilon, good, &found);
    if (use > best) {
      best = use;
      *steps = found;
    }
    if (best >= 0.9999 || most >= limit) return DPT_OK;
    most = fmin(2 * most, limit);
  }
}
