/* manifold-sphere.c - the sphere of radius R in R^(d+1), with the length of arcs as distance. A circle is d = 1.
 *
 * Frame. The frame at x consists of the images of the other axes under the Householder reflection H that takes x to the
 * axis of the first coordinate: H = 1 - w w' / (R (R + |x_1|)) with w = x + sign(x_1) R e_1, the sign that avoids
 * cancellation. H followed by a change of sign of the first axis is an isometry that takes R e_1 to x; the frame is its
 * differential. It costs O(d), needs no storage except x, and is continuous except where x_1 changes sign.
 *
 * Accuracy. Angles are 2 atan2(|x - y|, |x + y|) (Kahan), correct to some units in the last place from 0 to pi. The arc
 * cosine of the scalar product would lose half of the digits at both ends. The direction of log comes from y - x for
 * near points, and from y + x for points of the other hemisphere. Both are exact if they are small. Tried and rejected:
 * y - <x, y> x / R^2, whose direction is noise below an angle of 1e-8.
 *
 * Cut locus. At the antipode every direction is shortest. If y + x is not larger than its own rounding error, log
 * always gives the first axis of the frame with length pi R.
 *
 * Jacobian of exp: (sin t / t)^(d - 1) at the angle t = |v| / R, zero from t = pi on. Its logarithm is the bound in
 * `growth` itself. Cost of each function: O(d) and a few elementary functions. */
#include <float.h>

#include "manifold-parts.h"

static void sphere_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  (void) work;
  dpt_vector_copy(manifold->size, x, frame);
}

static void sphere_embed(const dpt_manifold *manifold, const double *x, const double *v, double *ambient,
                         double *work) {
  (void) work;
  const double radius = manifold->scale;
  const double part = dpt_vector_dot(manifold->dimension, x + 1, v) / (radius + fabs(x[0]));
  ambient[0] = -part * (x[0] + copysign(radius, x[0])) / radius;
  for (ptrdiff_t i = 1; i < manifold->size; i++) ambient[i] = v[i - 1] - part * (x[i] / radius);
}

/* Computes coordinates. H takes x itself to the first axis, so that the normal part of `ambient` drops out. */
static void sphere_coordinates(const dpt_manifold *manifold, const double *x, const double *ambient, double *v,
                               double *work) {
  (void) work;
  const double radius = manifold->scale;
  const double part = (dpt_vector_dot(manifold->size, x, ambient) / radius + copysign(1, x[0]) * ambient[0]) /
                      (radius + fabs(x[0]));
  for (ptrdiff_t i = 1; i < manifold->size; i++) v[i - 1] = ambient[i] - part * x[i];
}

/* Projects x. The center of the sphere has no nearest point, because all points are equally near. */
static double sphere_project(const dpt_manifold *manifold, double *x, double *work) {
  (void) work;
  const double length = dpt_vector_length(manifold->size, x);
  if (!dpt_vector_normalize(manifold->size, x)) return INFINITY;
  for (ptrdiff_t i = 0; i < manifold->size; i++) x[i] *= manifold->scale;
  return fmin(fabs(length / manifold->scale - 1), DBL_MAX);
}

static void sphere_exp(const dpt_manifold *manifold, const double *x, const double *v, double *y, double *work) {
  (void) work;
  const double radius = manifold->scale;
  const double length = dpt_vector_length(manifold->dimension, v);
  const double angle = length / radius;
  const double cosine = cos(angle), stretch = length > 0 ? radius * sin(angle) / length : 0;
  sphere_embed(manifold, x, v, y, NULL);
  for (ptrdiff_t i = 0; i < manifold->size; i++) y[i] = cosine * x[i] + stretch * y[i];
  sphere_project(manifold, y, NULL);
}

static double sphere_distance(const dpt_manifold *manifold, const double *x, const double *y, double *work) {
  for (ptrdiff_t i = 0; i < manifold->size; i++) work[i] = y[i] - x[i];
  const double apart = dpt_vector_length(manifold->size, work);
  for (ptrdiff_t i = 0; i < manifold->size; i++) work[i] = y[i] + x[i];
  return 2 * atan2(apart, dpt_vector_length(manifold->size, work)) * manifold->scale;
}

static void sphere_log(const dpt_manifold *manifold, const double *x, const double *y, double *v, double *work) {
  const double length = sphere_distance(manifold, x, y, work);
  const bool far = length > dpt_pi / 2 * manifold->scale;
  for (ptrdiff_t i = 0; i < manifold->size; i++) work[i] = far ? y[i] + x[i] : y[i] - x[i];
  sphere_coordinates(manifold, x, work, v, NULL);
  const double sine = dpt_vector_length(manifold->dimension, v);
  if (far && sine <= 4 * DBL_EPSILON * manifold->scale) {
    for (ptrdiff_t i = 0; i < manifold->dimension; i++) v[i] = 0;
    v[0] = dpt_pi * manifold->scale;
    return;
  }
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) v[i] = sine > 0 ? v[i] / sine * length : 0;
}

/* Transports u. The part of u along v turns with the geodesic, in the plane of x and v, and the rest is kept. */
static void sphere_transport(const dpt_manifold *manifold, const double *x, const double *v, const double *u,
                             double *ambient, double *work) {
  const double radius = manifold->scale;
  const double length = dpt_vector_length(manifold->dimension, v);
  if (length == 0) {
    sphere_embed(manifold, x, u, ambient, NULL);
    return;
  }
  const double half = sin(length / radius / 2);
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) work[i] = v[i] / length;
  const double along = dpt_vector_dot(manifold->dimension, work, u);
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) work[i] = u[i] - 2 * half * half * along * work[i];
  sphere_embed(manifold, x, work, ambient, NULL);
  const double normal = along * sin(length / radius) / radius;
  for (ptrdiff_t i = 0; i < manifold->size; i++) ambient[i] -= normal * x[i];
}

static void sphere_uniform(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, double *work) {
  dpt_vector_direction(ctx, manifold->size, x);
  sphere_project(manifold, x, work);
}

static double sphere_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  (void) work;
  const double length = dpt_vector_length(manifold->dimension, v);
  if (length >= manifold->growth.reach) return -INFINITY;
  return (double) (manifold->dimension - 1) * dpt_log_sine_ratio(length / manifold->scale);
}

/* ---- rounding: inst/proofs/manifold-mean.md, section 8 ---- */

/* Bounds rounding errors. Points in doubles lie on the sphere up to some units of its radius. Distances of near points
 * are uncertain by this much, and directions by as much as the numbers from which they are computed. */
static dpt_rounding rounding_at(const dpt_manifold *manifold, double distance) {
  const double unit = dpt_unit_times((double) manifold->dimension + 12);
  if (dpt_is_at_cut_locus(manifold, distance)) return dpt_rounding_unknown.log;
  return (dpt_rounding){unit * manifold->scale, unit * (6 * manifold->scale + 6 * distance)};
}

static dpt_rounding sphere_rounding(const dpt_manifold *manifold, const double *frame, const double *y, const double *v,
                                    double *work) {
  (void) frame;
  (void) y;
  (void) work;
  return rounding_at(manifold, dpt_vector_length(manifold->dimension, v));
}

static double sphere_frame_rounding(const dpt_manifold *manifold, const double *frame, const double *x, double *work) {
  (void) frame;
  (void) x;
  (void) work;
  return dpt_unit_times((double) manifold->dimension + 12) * manifold->scale;
}

static dpt_rounding_within sphere_rounding_within(const dpt_manifold *manifold, dpt_rounding_ball ball) {
  const double unit = dpt_unit_times((double) manifold->dimension + 12) * manifold->scale;
  if (dpt_is_at_cut_locus(manifold, 2 * ball.radius)) return dpt_rounding_unknown;
  return (dpt_rounding_within){.log = rounding_at(manifold, 2 * ball.radius), .frame = unit, .end = 60 * unit};
}

static const dpt_manifold_functions sphere = {
    .name = "sphere",
    .frame = sphere_frame,
    .exp = sphere_exp,
    .log = sphere_log,
    .distance = sphere_distance,
    .embed = sphere_embed,
    .coordinates = sphere_coordinates,
    .transport = sphere_transport,
    .project = sphere_project,
    .uniform = sphere_uniform,
    .log_jacobian = sphere_log_jacobian,
    .drift = dpt_manifold_no_drift,
    .from_drift = dpt_manifold_from_no_drift,
    .rounding = sphere_rounding,
    .frame_rounding = sphere_frame_rounding,
    .rounding_within = sphere_rounding_within,
};

const dpt_manifold *dpt_manifold_sphere(dpt_ctx *ctx, ptrdiff_t d, double radius) {
  const double curvature = d > 1 ? 1 / radius / radius : 0;
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &sphere,
      .size = d + 1,
      .dimension = d,
      .frame_size = d + 1,
      .work_size = d + 1,
      .drift_size = d,
      .curvature_above = curvature,
      .curvature_below = curvature,
      .injectivity_radius = dpt_pi * radius,
      .homogeneous = true,
      .any_row = true,
      .growth.contracting.count = (double) (d - 1),
      .growth.contracting.rate = d > 1 ? 1 / radius : 0,
      .growth.reach = dpt_pi * radius,
      .scale = radius,
  };
  return manifold;
}
