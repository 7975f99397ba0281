/* cluster-morse-ascent.c - the log density of a mixture with its derivatives, and the ascent to a mode.
 *
 * x <- A^-1 sum_k w_k P_k mu_k with the responsibilities w_k at x, the precisions P_k and A = sum_k w_k P_k. The log
 * density is at least the concave quadratic that touches it at x and has its top at the next x, so on the segment
 * between the two it never falls below its value at x. Close to the mode, Newton's steps finish the ascent. They may be
 * longer, so one is taken only if the quadratic stays above the level at which the ascent began, up to SLACK. So an
 * ascent from a saddle stays connected to its mode above the level of the saddle, up to little (see inst/proofs/
 * cluster-morse.md). An ascent may end at a critical point that is no mode: densities that are symmetric have centers
 * and sides of saddles from which it does. dpt_ascent_leave() goes on from there. Lengths are measured in A, so that
 * units and shapes of components do not matter.
 *
 * Cost: components x dimension^2 per evaluation, dimension^3 per step. */
#include "cluster-morse-ascent.h"

#include <math.h>
#include <string.h>

#include "base-linear.h"

enum { ASCENT_STEPS = 5000 };

/* The quadratic's fall on a segment of this length from a critical point. */
static const double SLACK = DPT_ASCENT_SIDE * DPT_ASCENT_SIDE / 2;

dpt_ascent dpt_ascent_new(dpt_ctx *ctx, const dpt_mixture *mixture) {
  const ptrdiff_t n = mixture->dimension, K = mixture->components, square = n * n;
  dpt_ascent s = {.ctx = ctx,
                  .mixture = mixture,
                  .n = n,
                  .K = K,
                  .precision = DPT_NEW(ctx, double, K *square),
                  .part = DPT_NEW(ctx, double, K),
                  .z = DPT_NEW(ctx, double, K *n),
                  .pull = DPT_NEW(ctx, double, n),
                  .gradient = DPT_NEW(ctx, double, n),
                  .metric = DPT_NEW(ctx, double, square),
                  .spread = DPT_NEW(ctx, double, square),
                  .lower = DPT_NEW(ctx, double, square),
                  .square = DPT_NEW(ctx, double, square),
                  .values = DPT_NEW(ctx, double, n),
                  .vectors = DPT_NEW(ctx, double, square),
                  .work = DPT_NEW(ctx, double, dpt_linear_work(n)),
                  .step = DPT_NEW(ctx, double, n),
                  .trial = DPT_NEW(ctx, double, n)};
  for (ptrdiff_t k = 0; k < K; k++) {
    const double *whitener = mixture->whitener + k * square;
    dpt_linear_multiply_right_transposed(n, n, n, whitener, whitener, s.precision + k * square);
    dpt_tick(ctx, square * n);
  }
  return s;
}

double dpt_ascent_level(dpt_ascent *s, const double *x) {
  for (ptrdiff_t k = 0; k < s->K; k++) s->part[k] = dpt_mixture_part(s->mixture, k, x, s->z + k * s->n);
  dpt_tick(s->ctx, s->K * (20 + s->n * s->n / 2));
  const double level = dpt_mixture_log_sum(s->K, s->part);
  return level > DPT_ASCENT_LOWEST ? level : DPT_ASCENT_LOWEST;
}

double dpt_ascent_see(dpt_ascent *s, const double *x, bool second) {
  const ptrdiff_t n = s->n, square = n * n;
  const double level = dpt_ascent_level(s, x);
  memset(s->gradient, 0, (size_t) n * sizeof(double));
  memset(s->metric, 0, (size_t) square * sizeof(double));
  if (second) memset(s->spread, 0, (size_t) square * sizeof(double));
  for (ptrdiff_t k = 0; k < s->K; k++) {
    const double weight = exp(s->part[k] - level);
    if (!(weight > 1e-18)) continue;
    const double *whitener = s->mixture->whitener + k * square, *z = s->z + k * n, *P = s->precision + k * square;
    memset(s->pull, 0, (size_t) n * sizeof(double));
    for (ptrdiff_t i = 0; i < n; i++)
      for (ptrdiff_t j = 0; j <= i; j++) s->pull[j] -= whitener[i * n + j] * z[i];
    for (ptrdiff_t i = 0; i < n; i++) s->gradient[i] += weight * s->pull[i];
    for (ptrdiff_t i = 0; i < square; i++) s->metric[i] += weight * P[i];
    if (second)
      for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t i = 0; i < n; i++) s->spread[i + j * n] += weight * s->pull[i] * s->pull[j];
    dpt_tick(s->ctx, 3 * square);
  }
  return level;
}

/* Factors the metric, after dpt_ascent_see(). Returns false if it has no factor (a density that underflows). */
bool dpt_ascent_factor(dpt_ascent *s) {
  dpt_tick(s->ctx, s->n * s->n * s->n / 3 + 50);
  return dpt_linear_cholesky(s->n, s->metric, s->lower);
}

double dpt_ascent_length(ptrdiff_t n, const double *metric, const double *x, const double *y) {
  double sum = 0;
  for (ptrdiff_t j = 0; j < n; j++) {
    double inner = 0;
    for (ptrdiff_t i = 0; i < n; i++) inner += metric[i + j * n] * (x[i] - y[i]);
    sum += inner * (x[j] - y[j]);
  }
  return sum > 0 ? sqrt(sum) : 0;
}

double dpt_ascent_step(dpt_ascent *s) {
  memcpy(s->step, s->gradient, (size_t) s->n * sizeof(double));
  dpt_linear_solve_lower(s->n, s->lower, 1, s->step);
  double squares = 0;
  for (ptrdiff_t i = 0; i < s->n; i++) squares += s->step[i] * s->step[i];
  dpt_linear_solve_lower_transposed(s->n, s->lower, 1, s->step);
  return sqrt(squares);
}

double dpt_ascent_turn(dpt_ascent *s) {
  const ptrdiff_t n = s->n;
  if (!dpt_ascent_factor(s)) return -1;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++) s->square[i + j * n] = s->spread[i + j * n] - s->gradient[i] * s->gradient[j];
  dpt_linear_solve_lower(n, s->lower, n, s->square);
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < j; i++) {
      const double kept = s->square[i + j * n];
      s->square[i + j * n] = s->square[j + i * n];
      s->square[j + i * n] = kept;
    }
  dpt_linear_solve_lower(n, s->lower, n, s->square);
  for (ptrdiff_t i = 0; i < n * n; i++)
    if (!isfinite(s->square[i])) return -1;
  dpt_linear_eigen(n, s->square, s->values, s->vectors, s->work);
  dpt_tick(s->ctx, 200 + 20 * n * n * n);
  memcpy(s->pull, s->gradient, (size_t) n * sizeof(double));
  dpt_linear_solve_lower(n, s->lower, 1, s->pull);
  double change = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    s->values[i] -= 1;
    double along = 0;
    for (ptrdiff_t j = 0; j < n; j++) along += s->vectors[j + i * n] * s->pull[j];
    s->step[i] = along;
    change += along * along / fmax(fabs(s->values[i]), 1e-6);
  }
  return change;
}

void dpt_ascent_move(dpt_ascent *s, const double *along, double *x) {
  const ptrdiff_t n = s->n;
  memset(s->trial, 0, (size_t) n * sizeof(double));
  for (ptrdiff_t i = 0; i < n; i++)
    for (ptrdiff_t j = 0; j < n; j++) s->trial[j] += along[i] * s->vectors[j + i * n];
  dpt_linear_solve_lower_transposed(n, s->lower, 1, s->trial);
  for (ptrdiff_t j = 0; j < n; j++) x[j] += s->trial[j];
}

/* Replaces `step` by Newton's step from x if the density is concave, the step is short and does not descend, and the
 * level on the way provably stays above `first`, up to SLACK. */
static bool newton_step(dpt_ascent *s, const double *x, double level, double first, double *length) {
  const ptrdiff_t n = s->n;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++)
      s->square[i + j * n] = s->metric[i + j * n] - s->spread[i + j * n] + s->gradient[i] * s->gradient[j];
  if (!dpt_linear_cholesky(n, s->square, s->lower)) return false;
  memcpy(s->pull, s->gradient, (size_t) n * sizeof(double));
  dpt_linear_solve_lower(n, s->lower, 1, s->pull);
  dpt_linear_solve_lower_transposed(n, s->lower, 1, s->pull);
  for (ptrdiff_t i = 0; i < n; i++) s->trial[i] = x[i] + s->pull[i];
  const double far = dpt_ascent_length(n, s->metric, s->trial, x);
  double *const step = s->pull;
  double gain = -far * far / 2; /* of the quadratic at the end of the step */
  for (ptrdiff_t i = 0; i < n; i++) gain += step[i] * s->gradient[i];
  if (!(far < 0.5) || level + fmin(gain, 0) < first - SLACK) return false;
  memcpy(s->step, step, (size_t) n * sizeof(double));
  *length = far;
  return dpt_ascent_level(s, s->trial) >= level - 1e-13 * (1 + fabs(level));
}

double dpt_ascent_climb(dpt_ascent *s, double *x, double first) {
  const ptrdiff_t n = s->n;
  double level = DPT_ASCENT_LOWEST, before = DPT_ASCENT_LOWEST;
  bool close = false;
  for (int time = 0; time < ASCENT_STEPS; time++) {
    level = dpt_ascent_see(s, x, close);
    if (level == DPT_ASCENT_LOWEST || !dpt_ascent_factor(s)) break;
    double length = dpt_ascent_step(s);
    if (length < 1e-11 || (length < 1e-6 && level <= before)) break;
    if (close) {
      double shorter = 0;
      if (newton_step(s, x, level, first, &shorter)) {
        length = shorter;
      } else if (dpt_ascent_factor(s)) {
        dpt_ascent_step(s);
      }
    }
    close = length < 1;
    bool moved = false;
    for (ptrdiff_t i = 0; i < n; i++) {
      const double next = x[i] + s->step[i];
      moved = moved || fabs(next - x[i]) > 4e-16 * fabs(x[i]);
      x[i] = next;
    }
    if (!moved) break;
    before = level;
  }
  return dpt_ascent_level(s, x);
}

bool dpt_ascent_leave(dpt_ascent *s, double *x) {
  const ptrdiff_t n = s->n;
  const double level = dpt_ascent_see(s, x, true);
  if (level == DPT_ASCENT_LOWEST || dpt_ascent_turn(s) < 0 || !(s->values[0] > 1e-9)) return false;
  /* the same side of a symmetric density on every machine */
  ptrdiff_t widest = 0;
  memset(s->step, 0, (size_t) n * sizeof(double));
  s->step[0] = 1;
  memset(s->pull, 0, (size_t) n * sizeof(double));
  dpt_ascent_move(s, s->step, s->pull);
  for (ptrdiff_t i = 1; i < n; i++)
    if (fabs(s->pull[i]) > 1.001 * fabs(s->pull[widest])) widest = i;
  const double sign = s->pull[widest] < 0 ? -1 : 1, enough = 1e-13 * (1 + fabs(level));
  for (double length = DPT_ASCENT_SIDE; length > 1e-4; length /= 4) {
    double best = level + enough, move = 0;
    for (int side = 1; side >= -1; side -= 2) {
      for (ptrdiff_t i = 0; i < n; i++) s->trial[i] = x[i] + side * sign * length * s->pull[i];
      const double there = dpt_ascent_level(s, s->trial);
      if (there <= best) continue;
      best = there + enough;
      move = side * sign * length;
    }
    if (move == 0) continue;
    for (ptrdiff_t i = 0; i < n; i++) x[i] += move * s->pull[i];
    return true;
  }
  return false;
}
