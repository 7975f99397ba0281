/* base-logconcave.c - rejection from a fixed hull of tangents.
 *
 * The tangents of a concave function lie above it. The lowest of a few of them is therefore the logarithm of an
 * envelope with exponential pieces: draw a piece, draw from it by inversion, accept with the ratio (Devroye 1986,
 * Non-Uniform Random Variate Generation, chapter VII; Gilks and Wild 1992 for the chords as a squeeze). Results have
 * exactly the given density for any points of tangency, which determine only the cost. Tangents touch at the mode
 * and, on each side, at the points with the logarithm lower by the levels below. With six levels, the chord accepts
 * 97% of the proposals without a call of the density, which accepts most of the rest.
 *
 * Setup: the mode by doubling and bisection on the sign of the slope, then bisection for each level, about a
 * thousand calls of the density. A draw: three uniform numbers, one logarithm. All heights are relative to the
 * highest one, and positions are found by ratios. Scales from 1e-300 to 1e300 and powers of thousands therefore
 * neither overflow nor lose accuracy. The numbers that choose the position in a piece, and acceptance, have as many
 * digits in a far tail as near the mode (dpt_draw_float()): no length ends, and none is without neighbors.
 *
 * Tried and rejected: refining the hull during draws (the distribution of a draw would be the same, but its time
 * would depend on earlier draws, and the hull is already tight); inversion of a tabulated distribution function (not
 * exact). */
#include "base-logconcave.h"

#include <math.h>

#include "base-draws.h"

static const double falls[DPT_LOGCONCAVE_LEVELS] = {0.06, 0.28, 0.7, 1.5, 3, 7};
enum { HALVINGS = 60, DOUBLINGS = 2000 };

static double slope_at(const dpt_logconcave *hull, double x) {
  double slope;
  hull->log_density(hull->data, x, &slope);
  return slope;
}

static double height_at(const dpt_logconcave *hull, double x) {
  double slope;
  return hull->log_density(hull->data, x, &slope);
}

/* Finds a point next to the mode, in [0, upper]. Returns a negative number if the density never stops rising. */
static double find_mode(const dpt_logconcave *hull, double start, double upper) {
  double slope;
  if (isfinite(hull->log_density(hull->data, 0, &slope)) && slope <= 0) return 0;
  double low = start, high = start;
  for (int i = 0; slope_at(hull, high) > 0; i++) {
    if (i == DOUBLINGS) return -1;
    low = high;
    if (high >= upper) return upper;
    high = fmin(2 * high, upper);
  }
  if (low == high) {
    do {
      high = low;
      low /= 2;
    } while (low > 0 && slope_at(hull, low) < 0);
  }
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = low + (high - low) / 2;
    if (slope_at(hull, middle) > 0) low = middle;
    else high = middle;
  }
  return low + (high - low) / 2;
}

/* Finds the point between the mode and `end` at which the logarithm of the density has fallen by `fall`, with an
 * error of a few percent of its distance from the mode. Returns NAN if the density does not fall that far. */
static double find_fall(const dpt_logconcave *hull, double mode, double top, double end, double fall) {
  double near = mode, far = end;
  if (isinf(end)) {
    for (far = 2 * mode + 1e-300; height_at(hull, far) > top - fall; far *= 2) {
      if (isinf(far)) return NAN;
    }
  } else if (height_at(hull, end) > top - fall) {
    return NAN;
  }
  while (fabs(far - near) > 0.02 * fabs(near - mode)) {
    const double middle = near + (far - near) / 2;
    if (middle == near || middle == far) break;
    if (height_at(hull, middle) > top - fall) near = middle;
    else far = middle;
  }
  return near;
}

static void add_tangent(dpt_logconcave *hull, double x) {
  if (isnan(x) || (hull->pieces > 0 && x <= hull->piece[hull->pieces - 1].touch)) return;
  dpt_logconcave_piece *piece = &hull->piece[hull->pieces];
  piece->touch = x;
  piece->height = hull->log_density(hull->data, x, &piece->slope);
  if (isfinite(piece->height) && isfinite(piece->slope)) hull->pieces++;
}

/* Intersection of the tangents of two neighbors, kept in the interval between them against rounding. */
static double intersection(const dpt_logconcave_piece *a, const dpt_logconcave_piece *b) {
  const double width = b->touch - a->touch;
  const double part = (b->height - a->height - b->slope * width) / (a->slope - b->slope);
  return part > 0 && part < width ? a->touch + part : a->touch + width / 2;
}

/* Completes a piece with known ends: its anchor, span, and weight. */
static double measure(dpt_logconcave_piece *piece, double from, double to, double top) {
  piece->anchor = piece->slope > 0 ? to : from;
  const double high = piece->height - top + piece->slope * (piece->anchor - piece->touch);
  const double fall = fabs(piece->slope) * (to - from);
  if (fall < 1e-300) {
    piece->slope = 0;
    piece->span = to - from;
    piece->floor = 1;
    return exp(high) * piece->span;
  }
  piece->span = expm1(-fall);
  piece->floor = exp(-fall);
  return exp(high) * -piece->span / fabs(piece->slope);
}

static bool fit_pieces(dpt_logconcave *hull, double upper, double top) {
  dpt_logconcave_piece *piece = hull->piece;
  const int last = hull->pieces - 1;
  double from = 0, total = 0;
  for (int i = 0; i <= last; i++) {
    const double to = i < last ? intersection(&piece[i], &piece[i + 1]) : upper;
    piece[i].below = i > 0 ? (piece[i].height - piece[i - 1].height) / (piece[i].touch - piece[i - 1].touch) : INFINITY;
    piece[i].above = i < last ? (piece[i + 1].height - piece[i].height) / (piece[i + 1].touch - piece[i].touch)
                              : -INFINITY;
    total += measure(&piece[i], from, to, top);
    piece[i].cumulative = total;
    from = to;
  }
  for (int i = 0; i <= last; i++) piece[i].cumulative /= total;
  return isfinite(total) && total > 0;
}

dpt_status dpt_logconcave_open(dpt_ctx *ctx, dpt_log_density log_density, const void *data, double start, double upper,
                               dpt_logconcave *hull) {
  hull->log_density = log_density;
  hull->data = data;
  hull->pieces = 0;
  const double mode = find_mode(hull, start, upper);
  const double top = mode >= 0 ? height_at(hull, mode) : NAN;
  if (isfinite(top)) {
    for (int i = DPT_LOGCONCAVE_LEVELS - 1; i >= 0 && mode > 0; i--)
      add_tangent(hull, find_fall(hull, mode, top, 0, falls[i]));
    add_tangent(hull, mode);
    for (int i = 0; i < DPT_LOGCONCAVE_LEVELS && mode < upper; i++)
      add_tangent(hull, find_fall(hull, mode, top, upper, falls[i]));
  }
  if (hull->pieces == 0 || !fit_pieces(hull, upper, top))
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "the density has no finite integral");
  return DPT_OK;
}

/* Inversion: the value of the exponential is uniform between one and the floor. If the floor is deep, the position
 * is computed from below, so that it keeps all digits of `where`. If the floor is shallow, it is computed from one. */
static double place(const dpt_logconcave_piece *piece, double where) {
  if (piece->slope == 0) return piece->anchor + where * piece->span;
  const double fall = piece->floor < 0.5 ? log(piece->floor - where * piece->span) : log1p(where * piece->span);
  return piece->anchor + fall / piece->slope;
}

double dpt_logconcave_draw(dpt_ctx *ctx, const dpt_logconcave *hull) {
  for (;;) {
    const double which = dpt_draw_unit(ctx), where = dpt_draw_float(ctx), height = dpt_draw_float(ctx);
    const dpt_logconcave_piece *piece = hull->piece;
    while (piece < hull->piece + hull->pieces - 1 && which > piece->cumulative) piece++;
    const double x = place(piece, where);
    const double step = x - piece->touch;
    const double gap = (piece->slope - (step < 0 ? piece->below : piece->above)) * step; /* tangent above chord */
    if (height <= 1 - gap) return x;                                                     /* exp(-gap) >= 1 - gap */
    double slope;
    if (log(height) <= hull->log_density(hull->data, x, &slope) - piece->height - piece->slope * step) return x;
  }
}
