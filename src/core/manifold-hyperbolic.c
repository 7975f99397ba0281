/* manifold-hyperbolic.c - hyperbolic space of curvature -1 / R^2: the sheet x_0 > 0 of -x_0^2 + |x|^2 = -R^2, time
 * coordinate x_0 first, space part x in R^d. One dimension is a straight line in disguise.
 *
 * Frame. The frame at x consists of the images of the axes of space under the boost that takes the origin (R, 0) to x.
 * The boost stretches the radial direction by x_0 / R and keeps the directions across it. `frame` holds x, the length
 * of its space part, and the direction of the space part (at the origin, where any direction will do, the first axis).
 *
 * Accuracy. A point is given by its space part, which determines x_0 = sqrt(R^2 + |x|^2). project() uses the space part
 * only, and so does coordinates(), which reads the tangent vector with the given space part. Space parts grow like the
 * sinh of the distance a from the origin (in units of R). So across the radius a point is known to 1e-16 sinh(a) R, and
 * no formula can recover the digits lost there. The formulas below lose nothing more. Written with the Lorentz product
 * (the arc cosh of the product, or asinh(|x - y| / 2R)), every result cancels down from cosh(a)^2 and loses e^(2a).
 * Here each result is written in polar form around the origin, as a sum of terms that do not cancel, and loses at most
 * e^a. With distances a and b from the origin and the angle t between,
 *   sinh(d/2)^2 = sinh((a - b)/2)^2 + sinh(a) sinh(b) sin(t/2)^2,
 *   sinh((a - b)/2) = (sinh a - sinh b) / sqrt(2 + 2 (cosh a cosh b + sinh a sinh b)),
 * in which sinh a - sinh b and the chord 2 sin(t/2) come from y - x. The same is done for log and exp (see there).
 *
 * Transport. Transport along the radii carries frames to frames. So from x to y, the coordinates turn in the plane of
 * the origin, x and y, by the holonomy of this triangle: its area times the curvature. The area follows from two sides
 * and their angle: tan(area/2) = T sin(c) / (1 - T cos(c)), T = tanh(a/2) tanh(b/2) (Ratcliffe, Foundations of
 * Hyperbolic Manifolds, section 3.5; the spherical formula with imaginary sides).
 *
 * Range. Points end at |x| = 1e100 R, about 230 R from the origin, where squares still fit doubles. exp stops there, in
 * its direction.
 *
 * Jacobian of exp: (sinh t / t)^(d - 1), t = |v| / R; its logarithm is the bound in `growth` itself. Cost of each
 * function: O(d) and a few elementary functions. */
#include "manifold-parts.h"

static const double farthest = 1e100; /* largest |x| / R */

/* What frame() wrote: x itself, then these two. */
static double frame_length(const dpt_manifold *manifold, const double *frame) { return frame[manifold->size]; }
static const double *frame_radial(const dpt_manifold *manifold, const double *frame) {
  return frame + manifold->size + 1;
}

static void hyperbolic_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  (void) work;
  const double length = dpt_vector_length(manifold->dimension, x + 1);
  double *radial = frame + manifold->size + 1;
  dpt_vector_copy(manifold->size, x, frame);
  frame[manifold->size] = length;
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) radial[i] = length > 0 ? x[i + 1] / length : i == 0;
}

/* Writes x_0, and cuts the space part at the range of points. Returns the distance of x_0 from the value that the space
 * part implies, and writes into `beyond` the distance of the space part from the range, both relative to size. */
static double take_to_sheet(const dpt_manifold *manifold, double *x, double *beyond) {
  const double length = dpt_vector_length(manifold->dimension, x + 1);
  *beyond = 0;
  if (!isfinite(length) || !isfinite(x[0])) return INFINITY;
  const double time = hypot(manifold->scale, length);
  const double off = fabs(x[0] / time - 1);
  const double most = farthest * manifold->scale;
  if (length <= most) {
    x[0] = time;
    return off;
  }
  for (ptrdiff_t i = 1; i < manifold->size; i++) x[i] = x[i] / length * most;
  x[0] = most;
  *beyond = 1 - most / length;
  return off;
}

static double hyperbolic_project(const dpt_manifold *manifold, double *x, double *work) {
  (void) work;
  double beyond;
  const double off = take_to_sheet(manifold, x, &beyond);
  return off + beyond;
}

static void hyperbolic_embed(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient,
                             double *work) {
  (void) work;
  const double radius = manifold->scale;
  const double part = dpt_vector_dot(manifold->dimension, frame + 1, v) / radius;
  ambient[0] = part;
  for (ptrdiff_t i = 1; i < manifold->size; i++) ambient[i] = v[i - 1] + part * (frame[i] / (radius + frame[0]));
}

static void hyperbolic_coordinates(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                                   double *work) {
  (void) work;
  const ptrdiff_t d = manifold->dimension;
  const double *radial = frame_radial(manifold, frame);
  const double part = dpt_vector_dot(d, radial, ambient + 1);
  for (ptrdiff_t i = 0; i < d; i++) v[i] = ambient[i + 1] - part * radial[i];
  /* far out, the radial part is by far the largest, and its rounding error would count as much as the rest */
  const double left = dpt_vector_dot(d, radial, v) - part * (manifold->scale / frame[0]);
  for (ptrdiff_t i = 0; i < d; i++) v[i] -= left * radial[i];
}

/* ---- from x to y, in polar coordinates around the origin ---- */

typedef struct {
  double sinh_x, sinh_y, cosh_x; /* of the distances a and b from the origin, in units of R */
  double half_radial;            /* sinh((b - a) / 2) */
  double chord;                  /* 2 sin(t/2) for the angle t between the directions */
} hyperbolic_pair;

/* Writes the difference of the directions of y and x, d numbers of length `chord`. */
static hyperbolic_pair hyperbolic_compare(const dpt_manifold *manifold, const double *frame, const double *y,
                                          double *between) {
  const ptrdiff_t d = manifold->dimension;
  const double radius = manifold->scale;
  const double *x = frame, *radial = frame_radial(manifold, frame);
  const double length_x = frame_length(manifold, frame), length_y = dpt_vector_length(d, y + 1);
  const double total = length_x + length_y;
  double longer = 0; /* |y| - |x| */
  for (ptrdiff_t i = 1; i <= d && total > 0; i++) longer += (y[i] - x[i]) * ((y[i] + x[i]) / total);
  for (ptrdiff_t i = 0; i < d; i++) { /* (y - x) - (|y| - |x|) times the shorter's direction, over the longer */
    const double step = y[i + 1] - x[i + 1];
    if (length_y == 0) between[i] = 0;
    else if (longer >= 0) between[i] = (step - longer * radial[i]) / length_y;
    else between[i] = (step - longer * (y[i + 1] / length_y)) / length_x;
  }
  hyperbolic_pair pair = {.sinh_x = length_x / radius, .sinh_y = length_y / radius, .cosh_x = x[0] / radius};
  const double cosh_sum = pair.cosh_x * (y[0] / radius) + pair.sinh_x * pair.sinh_y;
  pair.half_radial = longer / radius / sqrt(2 + 2 * cosh_sum);
  pair.chord = dpt_vector_length(d, between);
  return pair;
}

static double pair_distance(const dpt_manifold *manifold, const hyperbolic_pair *pair) {
  const double half_across = sqrt(pair->sinh_x) * sqrt(pair->sinh_y) * pair->chord / 2;
  return 2 * asinh(hypot(pair->half_radial, half_across)) * manifold->scale;
}

static double hyperbolic_distance(const dpt_manifold *manifold, const double *frame, const double *y, double *work) {
  const hyperbolic_pair pair = hyperbolic_compare(manifold, frame, y, work);
  return pair_distance(manifold, &pair);
}

/* The boost that takes x to the origin takes y to a point with the space part R sinh(d) in the direction of log:
 * sinh(b - a) - 2 sinh(b) cosh(a) sin(t/2)^2 along the radius of x and sinh(b) sin(t) across it. */
static void hyperbolic_log(const dpt_manifold *manifold, const double *frame, const double *y, double *v,
                           double *work) {
  (void) work;
  const ptrdiff_t d = manifold->dimension;
  const double *radial = frame_radial(manifold, frame);
  const hyperbolic_pair pair = hyperbolic_compare(manifold, frame, y, v);
  const double versine = pair.chord * pair.chord / 2; /* 1 - cos t */
  const double sinh_radial = 2 * pair.half_radial * hypot(1, pair.half_radial);
  const double along = sinh_radial - pair.sinh_y * pair.cosh_x * versine;
  for (ptrdiff_t i = 0; i < d; i++) v[i] = pair.sinh_y * (v[i] + radial[i] * versine) + radial[i] * along;
  const double length = dpt_vector_length(d, v);
  const double distance = pair_distance(manifold, &pair);
  for (ptrdiff_t i = 0; i < d; i++) v[i] = length > 0 ? v[i] / length * distance : 0;
}

/* Reads a row. A row beyond the range of points still has a direction. */
static double hyperbolic_row(const dpt_manifold *manifold, const double *frame, double radius, double *x, double *v,
                             double *work) {
  (void) radius;
  double beyond;
  const double off = take_to_sheet(manifold, x, &beyond);
  if (isfinite(off)) hyperbolic_log(manifold, frame, x, v, work);
  return off;
}

/* ---- from x along v ---- */

typedef struct {
  double angle; /* |v| / R; an end is at most twice the range of points away */
  double sign;  /* -1 if v points inwards */
  double gap;   /* 1 - |cos f|, f the angle between v and the radius */
  double sine;  /* sin f */
} hyperbolic_segment;

/* Writes the part of v / |v| across the radius, of length sin f. It comes from the sum or the difference of two unit
 * vectors, the smaller of the two. v is not zero. */
static hyperbolic_segment hyperbolic_segment_of(const dpt_manifold *manifold, const double *frame, const double *v,
                                                double *across) {
  const ptrdiff_t d = manifold->dimension;
  const double *radial = frame_radial(manifold, frame);
  const double length = dpt_vector_length(d, v);
  const double sign = dpt_vector_dot(d, v, radial) < 0 ? -1 : 1;
  for (ptrdiff_t i = 0; i < d; i++) across[i] = v[i] / length - sign * radial[i];
  const double gap = dpt_vector_dot(d, across, across) / 2;
  for (ptrdiff_t i = 0; i < d; i++) across[i] += sign * radial[i] * gap;
  return (hyperbolic_segment){
      .angle = fmin(length / manifold->scale, 2 * asinh(farthest) + 1),
      .sign = sign,
      .gap = gap,
      .sine = dpt_vector_length(d, across),
  };
}

/* Computes the end of a geodesic. With s = |v| / R, its space part is sinh(a) cosh(s) + cosh(a) sinh(s) cos f along the
 * radius of x, and sinh(s) sin f across it. If v points inwards, the first is sinh(a - s) + cosh(a) sinh(s) gap. The
 * most accurate form of sinh(a - s) is a difference whose terms are of its own size if a and s are large. */
static void hyperbolic_exp(const dpt_manifold *manifold, const double *frame, const double *v, double *y,
                           double *work) {
  const ptrdiff_t d = manifold->dimension;
  const double radius = manifold->scale, *radial = frame_radial(manifold, frame);
  dpt_vector_copy(manifold->size, frame, y);
  if (!(dpt_vector_length(d, v) > 0)) return;
  const hyperbolic_segment segment = hyperbolic_segment_of(manifold, frame, v, work);
  const double sinh_x = frame_length(manifold, frame) / radius, cosh_x = frame[0] / radius;
  const double sinh_v = sinh(segment.angle);
  const double along = segment.sign > 0
                           ? sinh_x * cosh(segment.angle) + cosh_x * sinh_v * (1 - segment.gap)
                           : sinh_x * exp(-segment.angle) - sinh_v / (sinh_x + cosh_x) + cosh_x * sinh_v * segment.gap;
  for (ptrdiff_t i = 0; i < d; i++) y[i + 1] = radius * (along * radial[i] + sinh_v * work[i]);
  hyperbolic_project(manifold, y, NULL);
}

/* Computes the end of exp in polar coordinates about the origin. (`w` is relative to the frame's own origin, so that
 * origin_frame is not used.) With everything divided by e^s no length overflows: the space part of the end is e^s Y,
 * and its distance from the origin is asinh(e^s |Y|). */
static void hyperbolic_end(const dpt_manifold *manifold, const double *origin_frame, const double *frame,
                           const double *v, double *w, double *point, double *work) {
  (void) origin_frame;
  (void) point;
  const ptrdiff_t d = manifold->dimension;
  const double radius = manifold->scale, *radial = frame_radial(manifold, frame);
  const double sinh_x = frame_length(manifold, frame) / radius, cosh_x = frame[0] / radius;
  const double s = dpt_vector_length(d, v) / radius;
  if (!(s > 0)) {
    for (ptrdiff_t i = 0; i < d; i++) w[i] = radius * asinh(sinh_x) * (sinh_x > 0 ? radial[i] : 0);
    return;
  }
  const hyperbolic_segment segment = hyperbolic_segment_of(manifold, frame, v, work);
  const double fall = exp(-2 * s), cosh_v = (1 + fall) / 2, sinh_v = -expm1(-2 * s) / 2; /* over e^s */
  const double along = segment.sign > 0 ? sinh_x * cosh_v + cosh_x * sinh_v * (1 - segment.gap)
                                        : sinh_x * fall - sinh_v / (sinh_x + cosh_x) + cosh_x * sinh_v * segment.gap;
  for (ptrdiff_t i = 0; i < d; i++) w[i] = along * radial[i] + sinh_v * work[i];
  const double length = dpt_vector_length(d, w);
  const double distance = s < 300 ? asinh(exp(s) * length) : s + log(2 * length);
  for (ptrdiff_t i = 0; i < d; i++) w[i] = length > 0 ? w[i] / length * distance * radius : 0;
}

/* Computes the area (in units of R^2) of the triangle of the origin, x and the end of the segment, whose angle at x is
 * pi - f. If the segment points inwards, 1 - T cos is the sum of 1 - T and T gap, and 1 - T is computed from the
 * differences of its factors to one. */
static double segment_area(const hyperbolic_segment *segment, double sinh_x, double cosh_x) {
  const double half_x = sinh_x / (1 + cosh_x), half_v = tanh(segment->angle / 2);
  const double product = half_x * half_v;
  const double rest_x = (1 + 1 / (sinh_x + cosh_x)) / (1 + cosh_x), rest_v = 2 / (exp(segment->angle) + 1);
  const double below = segment->sign > 0 ? 1 + product * (1 - segment->gap)
                                         : rest_x + half_x * rest_v + product * segment->gap;
  return 2 * atan2(product * segment->sine, below);
}

static void hyperbolic_transport(const dpt_manifold *manifold, const double *frame, const double *v, const double *u,
                                 double *ambient, double *work) {
  const ptrdiff_t d = manifold->dimension;
  const double radius = manifold->scale, *radial = frame_radial(manifold, frame);
  double *across = work, *turned = across + d, *end = turned + d;
  hyperbolic_exp(manifold, frame, v, end, across);
  dpt_vector_copy(d, u, turned);
  const hyperbolic_segment segment = hyperbolic_segment_of(manifold, frame, v, across);
  if (segment.sine > 0) {
    const double area = segment_area(&segment, frame_length(manifold, frame) / radius, frame[0] / radius);
    const double p = dpt_vector_dot(d, radial, u), q = dpt_vector_dot(d, across, u) / segment.sine;
    const double less = 2 * sin(area / 2) * sin(area / 2), sine = sin(area); /* less: 1 - cos(area) */
    for (ptrdiff_t i = 0; i < d; i++) {
      turned[i] += radial[i] * (sine * q - less * p) - across[i] / segment.sine * (sine * p + less * q);
    }
  }
  hyperbolic_embed(manifold, end, turned, ambient, NULL);
}

/* ---- the Jacobian of exp, and proposals near the threshold ---- */

static double hyperbolic_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  (void) work;
  const double angle = dpt_vector_length(manifold->dimension, v) / manifold->scale;
  if (!(angle > 0)) return 0;
  return (double) (manifold->dimension - 1) * (angle + log(-expm1(-2 * angle) / (2 * angle)));
}

static double hyperbolic_drift(const dpt_manifold *manifold, double spread, double *delta) {
  double slope;
  const double at_zero = dpt_drift_tangent(spread / manifold->scale, &slope);
  delta[0] = manifold->growth.threshold * (1 + slope);
  return (double) (manifold->dimension - 1) * at_zero;
}

/* In polar coordinates the density has sinh(s)^(d - 1) = (e^s / 2)^(d - 1) (1 - e^(-2 s))^(d - 1), s = l / R > 0; the
 * directions are uniform. On a line, l is the coordinate. */
static double hyperbolic_from_drift(dpt_ctx *ctx, const dpt_manifold *manifold, const double *l, double *v,
                                    double *work) {
  if (manifold->dimension == 1) return dpt_manifold_from_no_drift(ctx, manifold, l, v, work);
  if (!(l[0] > 0)) return -INFINITY;
  dpt_vector_direction(ctx, manifold->dimension, v);
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) v[i] *= l[0];
  return (double) (manifold->dimension - 1) * log(-expm1(-2 * l[0] / manifold->scale));
}

/* ---- rounding: inst/proofs/manifold-mean.md, section 8 ---- */

/* Bounds the errors of log() step by step. The main point: |y| - |x| has an absolute error of some units of |y - x|. So
 * has the difference of the directions, divided by the longer of the two, and, times sinh, the part of log across the
 * radius. */
static dpt_rounding hyperbolic_rounding(const dpt_manifold *manifold, const double *frame, const double *y,
                                        const double *v, double *work) {
  const ptrdiff_t d = manifold->dimension;
  const double radius = manifold->scale, unit = dpt_unit_times((double) d + 12);
  const hyperbolic_pair pair = hyperbolic_compare(manifold, frame, y, work);
  const double a = pair.sinh_x, b = pair.sinh_y, chord = pair.chord, versine = chord * chord / 2;
  for (ptrdiff_t i = 0; i < d; i++) work[i] = y[i + 1] - frame[i + 1];
  const double apart = dpt_vector_length(d, work) / radius, longest = fmax(a, b);
  if (!(apart > 0)) return (dpt_rounding){0, 0};

  const double d_chord = unit * (3 * apart / longest + 3 * chord);
  const double d_versine = (chord + d_chord) * d_chord + unit * versine;
  const double cosh_sum = pair.cosh_x * (y[0] / radius) + a * b;
  const double d_half = unit * (apart / sqrt(2 + 2 * cosh_sum) + fabs(pair.half_radial));
  const double radial = 2 * fabs(pair.half_radial) * hypot(1, pair.half_radial), inward = b * pair.cosh_x * versine;
  const double across = b * (d_chord + d_versine) + 4 * unit * b * (chord + versine);
  const double along = 4 * hypot(1, fabs(pair.half_radial) + d_half) * d_half + b * pair.cosh_x * d_versine +
                       4 * unit * (radial + inward);

  const double half_across = sqrt(a) * sqrt(b) * chord / 2, half = hypot(pair.half_radial, half_across);
  const double d_across = sqrt(a) * sqrt(b) * d_chord / 2 + 2 * unit * half_across;
  const double square = d_half * (2 * fabs(pair.half_radial) + d_half) + d_across * (2 * half_across + d_across);
  const double d_both = fmin(d_half + d_across, half > 0 ? square / half : INFINITY) + unit * half;
  const double least = fmax(half - d_both, 0), length = 2 * least * hypot(1, least);
  const double distance = dpt_vector_length(d, v) / radius;
  const double turned = across + along < length ? (across + along) / (length - (across + along) / 2) : 2;
  const double turn = d == 1 && turned < 1 ? 0 : fmin(turned, 2);
  const double longer = 2 * d_both / hypot(1, least) + unit * distance;
  return (dpt_rounding){0, 1.1 * radius * (longer + distance * turn + unit * distance)};
}

/* Bounds the errors for a ball. |y - x| is at most twice the sinh of the radius, and larger terms are at most as large
 * as the sinh of the distance. */
static dpt_rounding_within hyperbolic_rounding_within(const dpt_manifold *manifold, dpt_rounding_ball ball) {
  const double radius = manifold->scale, unit = dpt_unit_times((double) manifold->dimension + 12);
  const double reach = ball.radius / radius, wide = sinh(1.001 * reach), step = ball.step / radius;
  if (!(unit * 200 * cosh(reach) < 0.05)) return dpt_rounding_unknown;
  return (dpt_rounding_within){
      .log = {0, 1.3 * radius * unit * (140 * wide + 60 * reach + 15)},
      .end = 1.1 * radius * unit * (20 * cosh(reach) * exp(step) + 120 * wide + 2 * reach),
  };
}

static const dpt_manifold_functions hyperbolic = {
    .name = "hyperbolic",
    .frame = hyperbolic_frame,
    .exp = hyperbolic_exp,
    .log = hyperbolic_log,
    .end = hyperbolic_end,
    .distance = hyperbolic_distance,
    .embed = hyperbolic_embed,
    .coordinates = hyperbolic_coordinates,
    .transport = hyperbolic_transport,
    .project = hyperbolic_project,
    .row = hyperbolic_row,
    .log_jacobian = hyperbolic_log_jacobian,
    .drift = hyperbolic_drift,
    .from_drift = hyperbolic_from_drift,
    .rounding = hyperbolic_rounding,
    .frame_rounding = dpt_manifold_exact_frame,
    .rounding_within = hyperbolic_rounding_within,
};

const dpt_manifold *dpt_manifold_hyperbolic(dpt_ctx *ctx, ptrdiff_t d, double curvature) {
  const double rate = d > 1 ? sqrt(-curvature) : 0;
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &hyperbolic,
      .size = d + 1,
      .dimension = d,
      .frame_size = 2 * d + 2,
      .work_size = 3 * d + 1,
      .drift_size = 1,
      .curvature_above = d > 1 ? curvature : 0,
      .curvature_below = d > 1 ? curvature : 0,
      .injectivity_radius = INFINITY,
      .homogeneous = true,
      .growth.expanding.count = (double) (d - 1),
      .growth.expanding.rate = rate,
      .growth.threshold = (double) (d - 1) * rate,
      .growth.reach = INFINITY,
      .scale = 1 / sqrt(-curvature),
  };
  return manifold;
}
