/* manifold-shapes.c - the shapes of k >= 3 labelled landmarks in the plane, up to shift, rotation, and size (Kendall
 * 1984). This is the complex projective space of complex dimension k - 2.
 *
 * A point is a k x 2 matrix of landmarks (x, y), centered and of Frobenius norm one. A landmark is the complex number z_j
 * = x_j + i y_j, and z e^(ia) is the same point. Ambient tangents at z are centered k x 2 matrices u with sum conj(z_j)
 * u_j = 0, and depend on the rotation: at z e^(ia) the same tangent is u e^(ia). The distance is arccos |<z, w>|.
 *
 * Reflection. A real Householder reflection takes (1, ..., 1) to the first axis, and so centered vectors of C^k to C^n, n
 * = k - 1. It is cheaper than Helmert's matrix, and its error does not grow with k. All computations are in C^n.
 *
 * Frame. With e^(ia) the phase of z_1 in C^n and w = z + e^(ia) e_1, P = 1 - w w* / (1 + |z_1|) is unitary and takes e_1
 * to a multiple of z. The frame is -e^(ia) P e_j and i times this, for j = 2, ..., n. Its vectors turn with z, so that
 * coordinates depend on the point alone. It is the image of the frame at e_1 under the isometry P.
 *
 * exp and log are those of the sphere in the direction v, after y has been turned so that <z, y> >= 0. The sine of the
 * distance is the length of the coordinates of y - z, its cosine is <z, y>, and the distance is the arc tangent of both:
 * correct to some units in the last place from 0 to pi / 2. Rejected: twice the arc sine of half the chord, which shows
 * the rounding of the turn at distances near zero.
 *
 * Cut locus: <z, y> = 0. Then y is not turned, or by the rounding error of <z, y>.
 *
 * Transport keeps what is orthogonal to the complex line of v, and turns that line with the geodesic.
 *
 * Canonical rotation. See shapes_canonical().
 *
 * A row whose landmarks are all equal has no shape. It becomes a fixed public point, equally spaced landmarks on a line,
 * so that every row of finite numbers is moved to the manifold.
 *
 * Jacobian of exp, with D = 2 k - 4 and t = |v|: (sin t / t)^(D - 2) sin(2 t) / (2 t). The squares of the D - 1
 * arguments add up to (D + 2) t^2. Curvature: 1 + 3 <u, i v>^2 for orthonormal u, v: in [1, 4], and 4 for k = 3.
 *
 * Cost of each function: O(k). */
#include <float.h>

#include "base-draws.h"
#include "manifold-parts.h"

typedef struct {
  double re, im;
} complex_number;

static complex_number times(complex_number a, complex_number b) {
  return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static complex_number conjugate(complex_number a) { return (complex_number){a.re, -a.im}; }

static double modulus(complex_number a) { return hypot(a.re, a.im); }

static complex_number divided(complex_number a, double by) { return (complex_number){a.re / by, a.im / by}; }

/* a / |a|, or one for zero. */
static complex_number phase(complex_number a) {
  const double length = modulus(a);
  return length > 0 ? divided(a, length) : (complex_number){1, 0};
}

/* A vector of n complex numbers is the n real parts, followed by the n imaginary parts. */
static complex_number entry(ptrdiff_t n, const double *a, ptrdiff_t j) { return (complex_number){a[j], a[n + j]}; }

static void set_entry(ptrdiff_t n, double *a, ptrdiff_t j, complex_number value) {
  a[j] = value.re;
  a[n + j] = value.im;
}

/* Multiplies a by a number. */
static void turn(ptrdiff_t n, double *a, complex_number by) {
  for (ptrdiff_t j = 0; j < n; j++) set_entry(n, a, j, times(by, entry(n, a, j)));
}

/* <a, b> = sum of conj(a_j) b_j. */
static complex_number hermitian(ptrdiff_t n, const double *a, const double *b) {
  complex_number sum = {0, 0};
  for (ptrdiff_t j = 0; j < n; j++) {
    sum.re += a[j] * b[j] + a[n + j] * b[n + j];
    sum.im += a[j] * b[n + j] - a[n + j] * b[j];
  }
  return sum;
}

static double sum_of(ptrdiff_t k, const double *a) {
  double sum = 0;
  for (ptrdiff_t j = 0; j < k; j++) sum += a[j];
  return sum;
}

/* The reflection, from k numbers to the last n = k - 1 of the image. The first one is the mean times sqrt(k), which is
 * dropped. The second function is the inverse, from images whose first number is zero. Both work on real and imaginary
 * parts. */
static void reflect(ptrdiff_t k, const double *x, double *z) {
  const double root = sqrt((double) k);
  for (ptrdiff_t part = 0; part < 2; part++, x += k, z += k - 1) {
    const double by = (x[0] + sum_of(k, x) / root) / (root + 1);
    for (ptrdiff_t j = 1; j < k; j++) z[j - 1] = x[j] - by;
  }
}

static void reflect_back(ptrdiff_t k, const double *z, double *x) {
  const double root = sqrt((double) k);
  for (ptrdiff_t part = 0; part < 2; part++, x += k, z += k - 1) {
    const double sum = sum_of(k - 1, z);
    x[0] = -sum / root;
    for (ptrdiff_t j = 1; j < k; j++) x[j] = z[j - 1] - sum / ((double) k + root);
  }
}

static ptrdiff_t size_of(const dpt_manifold *manifold) { return manifold->k - 1; }

/* The frame: the n complex numbers of the point, and the phase of the first one. */
static void shapes_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  (void) work;
  const ptrdiff_t n = size_of(manifold);
  reflect(manifold->k, x, frame);
  dpt_vector_normalize(2 * n, frame);
  const complex_number first = phase(entry(n, frame, 0));
  frame[2 * n] = first.re;
  frame[2 * n + 1] = first.im;
}

static complex_number frame_phase(const dpt_manifold *manifold, const double *frame) {
  const ptrdiff_t n = size_of(manifold);
  return (complex_number){frame[2 * n], frame[2 * n + 1]};
}

static complex_number opposite(complex_number a) { return (complex_number){-a.re, -a.im}; }

/* Writes the vector of C^n with the coordinates v. */
static void from_coordinates(const dpt_manifold *manifold, const double *frame, const double *v, double *u) {
  const ptrdiff_t n = size_of(manifold);
  const complex_number first = frame_phase(manifold, frame);
  set_entry(n, u, 0, (complex_number){0, 0});
  for (ptrdiff_t j = 1; j < n; j++) set_entry(n, u, j, entry(n - 1, v, j - 1));
  const complex_number part = divided(hermitian(n, frame, u), 1 + modulus(entry(n, frame, 0)));
  for (ptrdiff_t j = 0; j < n; j++) {
    const complex_number along = times(entry(n, frame, j), part);
    u[j] -= along.re;
    u[n + j] -= along.im;
  }
  const complex_number along = times(first, part);
  u[0] -= along.re;
  u[n] -= along.im;
  turn(n, u, opposite(first));
}

/* Writes the coordinates of a vector of C^n. P takes the point itself to the first axis, so that this part drops out. */
static void to_coordinates(const dpt_manifold *manifold, const double *frame, const double *u, double *v) {
  const ptrdiff_t n = size_of(manifold);
  const complex_number first = frame_phase(manifold, frame);
  complex_number part = hermitian(n, frame, u);
  const complex_number begin = times(conjugate(first), entry(n, u, 0));
  part = divided((complex_number){part.re + begin.re, part.im + begin.im}, 1 + modulus(entry(n, frame, 0)));
  for (ptrdiff_t j = 1; j < n; j++) {
    const complex_number along = times(entry(n, frame, j), part), here = entry(n, u, j);
    set_entry(n - 1, v, j - 1, (complex_number){here.re - along.re, here.im - along.im});
  }
  turn(n - 1, v, opposite(conjugate(first)));
}

static void shapes_embed(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient,
                         double *work) {
  double *u = dpt_take(&work, 2 * size_of(manifold));
  from_coordinates(manifold, frame, v, u);
  reflect_back(manifold->k, u, ambient);
}

static void shapes_coordinates(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                               double *work) {
  double *u = dpt_take(&work, 2 * size_of(manifold));
  reflect(manifold->k, ambient, u);
  to_coordinates(manifold, frame, u, v);
}

static void subtract(ptrdiff_t k, double *x, double by) {
  for (ptrdiff_t j = 0; j < k; j++) x[j] -= by;
}

static void write_line(ptrdiff_t k, double *x) {
  for (ptrdiff_t j = 0; j < k; j++) {
    x[j] = (double) j - (double) (k - 1) / 2;
    x[k + j] = 0;
  }
  dpt_vector_normalize(2 * k, x);
}

/* Projects landmarks. The first one is subtracted before anything is rounded, so that landmarks far from zero keep the
 * digits of their differences, and landmarks that are equal give exact zeros. The rest is centered twice: the second
 * mean is of numbers of length one, so that its error is that of a point. */
static double shapes_project(const dpt_manifold *manifold, double *x, double *work) {
  (void) work;
  const ptrdiff_t k = manifold->k;
  const double first[2] = {x[0], x[k]};
  double extent = 0, largest = 0, center[2];
  for (ptrdiff_t i = 0; i < 2 * k; i++) {
    if (!isfinite(x[i])) return INFINITY;
    extent = fmax(extent, fabs(x[i]));
  }
  for (ptrdiff_t i = 0; i < 2 * k; i++) {
    x[i] = extent > 0x1p1000 ? x[i] / 4 - first[i / k] / 4 : x[i] - first[i / k];
    largest = fmax(largest, fabs(x[i]));
  }
  if (largest == 0) {
    write_line(k, x);
    return DBL_MAX;
  }
  int exponent;
  frexp(largest, &exponent);
  for (ptrdiff_t i = 0; i < 2 * k; i++) x[i] = ldexp(x[i], -exponent);
  for (ptrdiff_t part = 0; part < 2; part++) {
    center[part] = sum_of(k, x + part * k) / (double) k;
    subtract(k, x + part * k, center[part]);
  }
  const double length = dpt_vector_length(2 * k, x);
  for (ptrdiff_t i = 0; i < 2 * k; i++) x[i] /= length;
  for (ptrdiff_t part = 0; part < 2; part++) subtract(k, x + part * k, sum_of(k, x + part * k) / (double) k);
  if (extent > 0x1p500 || largest < 0x1p-500) return DBL_MAX;
  for (ptrdiff_t part = 0; part < 2; part++) center[part] = first[part] + ldexp(center[part], exponent);
  return hypot(hypot(center[0], center[1]) * sqrt((double) k), ldexp(length, exponent) - 1);
}

static void shapes_exp(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work) {
  const ptrdiff_t n = size_of(manifold);
  double *u = dpt_take(&work, 2 * n);
  const double length = dpt_vector_length(manifold->dimension, v);
  const double cosine = cos(length), stretch = length > 0 ? sin(length) / length : 0;
  from_coordinates(manifold, frame, v, u);
  for (ptrdiff_t i = 0; i < 2 * n; i++) u[i] = cosine * frame[i] + stretch * u[i];
  reflect_back(manifold->k, u, y);
  shapes_project(manifold, y, work);
}

/* Writes the coordinates of y, turned, whose length is the sine of the distance, and returns the cosine. */
static double look(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work) {
  const ptrdiff_t n = size_of(manifold);
  double *z = dpt_take(&work, 2 * n);
  reflect(manifold->k, y, z);
  const complex_number inner = hermitian(n, frame, z);
  turn(n, z, conjugate(phase(inner)));
  for (ptrdiff_t i = 0; i < 2 * n; i++) z[i] -= frame[i];
  to_coordinates(manifold, frame, z, v);
  return modulus(inner);
}

static double shapes_distance(const dpt_manifold *manifold, const double *frame, const double *y, double *work) {
  double *v = dpt_take(&work, manifold->dimension);
  const double cosine = look(manifold, frame, y, v, work);
  return atan2(dpt_vector_length(manifold->dimension, v), cosine);
}

static void shapes_log(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work) {
  const double cosine = look(manifold, frame, y, v, work);
  const double sine = dpt_vector_length(manifold->dimension, v), length = atan2(sine, cosine);
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) v[i] = sine > 0 ? v[i] / sine * length : 0;
}

static void shapes_transport(const dpt_manifold *manifold, const double *frame, const double *v, const double *tangent,
                             double *ambient, double *work) {
  const ptrdiff_t n = size_of(manifold), m = n - 1;
  double *ahead = dpt_take(&work, 2 * m), *rest = dpt_take(&work, 2 * m), *u = dpt_take(&work, 2 * n);
  const double length = dpt_vector_length(2 * m, v), half = sin(length / 2);
  for (ptrdiff_t i = 0; i < 2 * m; i++) ahead[i] = length > 0 ? v[i] / length : 0;
  const complex_number along = hermitian(m, ahead, tangent);
  for (ptrdiff_t j = 0; j < m; j++) {
    const complex_number here = times(along, entry(m, ahead, j)), old = entry(m, tangent, j);
    set_entry(m, rest, j, (complex_number){old.re - 2 * half * half * here.re, old.im - 2 * half * half * here.im});
  }
  from_coordinates(manifold, frame, rest, u);
  for (ptrdiff_t j = 0; j < n; j++) {
    const complex_number here = times(along, entry(n, frame, j));
    u[j] -= sin(length) * here.re;
    u[n + j] -= sin(length) * here.im;
  }
  reflect_back(manifold->k, u, ambient);
}

/* The canonical rotation puts one landmark, the pivot, to the right of the center: the first one whose squared distance
 * from the center exceeds this share of the largest. No continuous choice exists. As for subspaces
 * (manifold-grassmann.c), the share decides ties of symmetric shapes for the first landmark, and not by rounding. */
static const double PIVOT_SHARE = 0.61803398874989485;

static void shapes_canonical(const dpt_manifold *manifold, double *x, double *work) {
  (void) work;
  const ptrdiff_t k = manifold->k;
  double largest = 0;
  ptrdiff_t pivot = 0;
  for (ptrdiff_t j = 0; j < k; j++) largest = fmax(largest, modulus(entry(k, x, j)));
  while (pivot < k - 1 && !(modulus(entry(k, x, pivot)) > sqrt(PIVOT_SHARE) * largest)) pivot++;
  const complex_number there = entry(k, x, pivot);
  turn(k, x, conjugate(phase(there)));
  set_entry(k, x, pivot, (complex_number){modulus(there), 0});
}

/* Turns a tangent with its point: to = from q with q = <from, to>. */
static void shapes_restate(const dpt_manifold *manifold, const double *from, const double *to, double *ambient,
                           double *work) {
  (void) work;
  turn(manifold->k, ambient, phase(hermitian(manifold->k, from, to)));
}

/* Draws normal landmarks, whose image is a complex normal vector, uniform in direction. */
static void shapes_uniform(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, double *work) {
  for (ptrdiff_t i = 0; i < manifold->size; i++) x[i] = dpt_draw_normal(ctx);
  shapes_project(manifold, x, work);
}

static double shapes_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  (void) work;
  const double length = dpt_vector_length(manifold->dimension, v);
  if (length >= manifold->growth.reach) return -INFINITY;
  return (double) (manifold->dimension - 2) * dpt_log_sine_ratio(length) + dpt_log_sine_ratio(2 * length);
}

/* ---- rounding: inst/proofs/manifold-mean.md, section 8 ---- */

static double shape_unit(const dpt_manifold *manifold) { return dpt_unit_times(2 * (double) manifold->k + 12); }

static dpt_rounding rounding_at(const dpt_manifold *manifold, double distance) {
  const double unit = shape_unit(manifold);
  if (dpt_is_at_cut_locus(manifold, distance)) return dpt_rounding_unknown.log;
  return (dpt_rounding){4 * unit, unit * (1 + 10 * distance)};
}

static dpt_rounding shapes_rounding(const dpt_manifold *manifold, const double *frame, const double *y, const double *v,
                                    double *work) {
  (void) frame;
  (void) y;
  (void) work;
  return rounding_at(manifold, dpt_vector_length(manifold->dimension, v));
}

static double shapes_frame_rounding(const dpt_manifold *manifold, const double *frame, const double *x, double *work) {
  (void) frame;
  (void) x;
  (void) work;
  return shape_unit(manifold);
}

static dpt_rounding_within shapes_rounding_within(const dpt_manifold *manifold, dpt_rounding_ball ball) {
  const double unit = shape_unit(manifold);
  if (dpt_is_at_cut_locus(manifold, 2 * ball.radius)) return dpt_rounding_unknown;
  dpt_rounding log = rounding_at(manifold, 2 * ball.radius);
  log.tangent += unit; /* computed distances may exceed twice the radius */
  return (dpt_rounding_within){.log = log, .frame = unit, .end = 60 * unit};
}

static const dpt_manifold_functions shapes = {
    .name = "shapes",
    .frame = shapes_frame,
    .exp = shapes_exp,
    .log = shapes_log,
    .distance = shapes_distance,
    .embed = shapes_embed,
    .coordinates = shapes_coordinates,
    .transport = shapes_transport,
    .project = shapes_project,
    .canonical = shapes_canonical,
    .restate = shapes_restate,
    .uniform = shapes_uniform,
    .log_jacobian = shapes_log_jacobian,
    .drift = dpt_manifold_no_drift,
    .from_drift = dpt_manifold_from_no_drift,
    .rounding = shapes_rounding,
    .frame_rounding = shapes_frame_rounding,
    .rounding_within = shapes_rounding_within,
};

const dpt_manifold *dpt_manifold_shapes(dpt_ctx *ctx, ptrdiff_t landmarks) {
  const ptrdiff_t dimension = 2 * landmarks - 4;
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &shapes,
      .size = 2 * landmarks,
      .dimension = dimension,
      .frame_size = 2 * landmarks,
      .work_size = 8 * landmarks,
      .drift_size = dimension,
      .curvature_above = 4,
      .curvature_below = dimension == 2 ? 4 : 1,
      .injectivity_radius = dpt_pi / 2,
      .homogeneous = true,
      .any_row = true,
      .growth.contracting.count = (double) (dimension - 1),
      .growth.contracting.rate = sqrt((double) (dimension + 2) / (double) (dimension - 1)),
      .growth.reach = dpt_pi / 2,
      .k = landmarks,
  };
  return manifold;
}
