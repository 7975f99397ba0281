/* manifold-rotation.c - the rotations of R^p, p >= 2, with the bi-invariant metric tr(U'V) / 2: a turn by t in one
 * plane is t long.
 *
 * Coordinates. A tangent at x is x A with A skew; its coordinates are the entries of A below the diagonal, column by
 * column. They are orthonormal, the frame at x is x itself, exp is x expm(A).
 *
 * exp. A skew matrix turns floor(p/2) orthogonal planes, each by its own angle: A = sum s_i (b_i a_i' - a_i b_i'),
 * hence expm(A) = 1 + sum (cos s_i - 1)(a_i a_i' + b_i b_i') + sin s_i (b_i a_i' - a_i b_i'). The planes come from
 * Householder reflections that make A tridiagonal and keep it skew. With the even rows before the odd ones, it becomes
 * a bidiagonal matrix of half the size, whose singular vectors are the planes (Ward and Gragg 1978). About 6 p^3 flops.
 * The result is orthogonal up to rounding for every A of any length. Rejected: the real Schur form (four times the
 * work, and rounding couples the planes), eigenvectors of A'A (angles below 1e-8 are lost), Pade with squaring (needs a
 * solver, and the Jacobian of exp needs the angles anyway). p = 3 has Rodrigues' formula.
 *
 * log. The real Schur form of x'y is block diagonal: a block of two rows is a turn with an angle by atan2, and
 * eigenvalues -1 come in pairs, each a turn by pi. p = 3 uses the quaternion, whose largest component is found first
 * (Shepperd 1978). Both keep all digits up to and at the angle pi.
 *
 * Distance. The same form without its vectors. Rejected: the singular values 2 sin(t/2) of x'y - 1 with the 2 cos(t/2)
 * of x'y + 1, as accurate, and three times slower for p = 10.
 *
 * Cut locus: an angle of pi. p = 2 turns counterclockwise; p = 3 turns about the axis whose first nonzero coordinate
 * is positive; p > 3 pairs the eigenvectors of -1 in the order in which the Schur form lists them.
 *
 * Jacobian of exp (Helgason 1962): the product of (sin(x) / x)^2 over the positive roots, x = |s_i +- s_j| / 2, and s_i
 * / 2 if p is odd. As 2 log(sin(x) / x) is a concave function of x^2, and the sum of 2 x^2 over the roots is (p - 2) /
 * 2 |v|^2, it is at most its value for equal roots (Jensen), which is the bound in `growth`. Curvature: K(U, V) = |[U,
 * V]|^2 / 4 for orthonormal U, V, at most 1/4 for p = 3 and 1/2 beyond (Bloch and Iserles 2005). */
#include <float.h>

#include "base-linear.h"
#include "manifold-parts.h"

/* Writes A from its coordinates. */
static void write_skew(ptrdiff_t p, const double *v, double *a) {
  for (ptrdiff_t j = 0; j < p; j++) {
    a[j + j * p] = 0;
    for (ptrdiff_t i = j + 1; i < p; i++, v++) {
      a[i + j * p] = *v;
      a[j + i * p] = -*v;
    }
  }
}

/* ---- planes and angles of a skew matrix --------------------------------------------------------------------- */

/* Makes the skew matrix a tridiagonal and destroys it: a = q t q' with t[j + 1, j] = below[j]. q may be NULL. A
 * reflection 1 - w w', |w|^2 = 2, takes a to a + w y' - y w' with y = a w, because w' a w = 0. */
static void tridiagonalize(ptrdiff_t p, double *a, double *below, double *q, double *work) {
  double *w = work, *y = work + p;
  if (q)
    for (ptrdiff_t i = 0; i < p * p; i++) q[i] = i % (p + 1) == 0;
  for (ptrdiff_t j = 0; j < p - 1; j++) {
    const ptrdiff_t from = j + 1, length = p - from;
    const double *x = a + from + j * p;
    const double norm = length > 1 ? dpt_vector_length(length, x) : fabs(x[0]);
    below[j] = x[0];
    if (length == 1 || norm == 0) continue;

    below[j] = -copysign(norm, x[0]);
    for (ptrdiff_t i = 0; i < length; i++) w[i] = x[i] / norm;
    w[0] += copysign(1, x[0]);
    const double scale = sqrt(2) / dpt_vector_length(length, w);
    for (ptrdiff_t i = 0; i < length; i++) w[i] *= scale;

    memset(y, 0, (size_t) length * sizeof *y);
    for (ptrdiff_t c = 0; c < length; c++)
      for (ptrdiff_t r = 0; r < length; r++) y[r] += a[from + r + (from + c) * p] * w[c];
    for (ptrdiff_t c = 0; c < length; c++)
      for (ptrdiff_t r = 0; r < length; r++) a[from + r + (from + c) * p] += w[r] * y[c] - y[r] * w[c];
    if (!q) continue;
    memset(y, 0, (size_t) p * sizeof *y);
    for (ptrdiff_t c = 0; c < length; c++)
      for (ptrdiff_t r = 0; r < p; r++) y[r] += q[r + (from + c) * p] * w[c];
    for (ptrdiff_t c = 0; c < length; c++)
      for (ptrdiff_t r = 0; r < p; r++) q[r + (from + c) * p] -= y[r] * w[c];
  }
}

/* Writes the rows of t with odd numbers and its columns with even ones: floor(p/2) x ceil(p/2), upper bidiagonal. */
static void write_bidiagonal(ptrdiff_t p, const double *below, double *half) {
  const ptrdiff_t rows = p / 2, columns = p - rows;
  memset(half, 0, (size_t) (rows * columns) * sizeof *half);
  for (ptrdiff_t i = 0; i < rows; i++) {
    half[i + i * rows] = below[2 * i];
    if (i + 1 < columns) half[i + (i + 1) * rows] = -below[2 * i + 1];
  }
}

/* Writes the angles, in decreasing order, and the planes as p x 2m columns a_1 .. a_m b_1 .. b_m, m = floor(p/2), so
 * that the matrix with coordinates v takes a_i to s_i b_i and b_i to -s_i a_i. */
static void find_planes(ptrdiff_t p, const double *v, double *angle, double *planes, double *work) {
  const ptrdiff_t m = p / 2, columns = p - m;
  double *a = dpt_take(&work, p * p), *q = dpt_take(&work, p * p), *below = dpt_take(&work, p);
  double *half = dpt_take(&work, m * columns), *odd = dpt_take(&work, m * m), *even = dpt_take(&work, columns * m);
  write_skew(p, v, a);
  tridiagonalize(p, a, below, q, work);
  write_bidiagonal(p, below, half);
  dpt_linear_svd(m, columns, half, odd, angle, even, work);
  for (ptrdiff_t j = 0; j < p; j++) /* even columns of q first */
    dpt_vector_copy(p, q + j * p, a + (j % 2 == 0 ? j / 2 : columns + j / 2) * p);
  dpt_linear_multiply(p, columns, m, a, even, planes);
  dpt_linear_multiply(p, m, m, a + columns * p, odd, planes + m * p);
}

/* Writes only the angles, floor(p/2) of them. */
static void find_angles(ptrdiff_t p, const double *v, double *angle, double *work) {
  if (p <= 3) {
    angle[0] = dpt_vector_length(p * (p - 1) / 2, v);
    return;
  }
  double *a = dpt_take(&work, p * p), *below = dpt_take(&work, p), *half = dpt_take(&work, p * p);
  write_skew(p, v, a);
  tridiagonalize(p, a, below, NULL, work);
  write_bidiagonal(p, below, half);
  dpt_linear_svd(p / 2, p - p / 2, half, NULL, angle, NULL, work);
}

/* ---- the exponential of a skew matrix ----------------------------------------------------------------------- */

static void turn_plane(double angle, double *e) {
  e[0] = e[3] = cos(angle);
  e[1] = sin(angle);
  e[2] = -e[1];
}

/* Computes Rodrigues' formula: with the unit axis n, 1 + sin(t) [n] + 2 sin(t/2)^2 [n]^2, and [n]^2 = n n' - 1. */
static void turn_space(const double *v, double *e) {
  const double angle = dpt_vector_length(3, v);
  const double axis[3] = {angle > 0 ? v[2] / angle : 0, angle > 0 ? -v[1] / angle : 0, angle > 0 ? v[0] / angle : 0};
  const double sine = sin(angle), half = sin(angle / 2), versine = 2 * half * half;
  for (ptrdiff_t i = 0; i < 3; i++) {
    const ptrdiff_t j = (i + 1) % 3, k = (i + 2) % 3;
    const double mixed = versine * axis[j] * axis[k];
    e[i + 3 * i] = 1 - versine * (axis[j] * axis[j] + axis[k] * axis[k]);
    e[k + 3 * j] = mixed + sine * axis[i];
    e[j + 3 * k] = mixed - sine * axis[i];
  }
}

/* e = expm(A) for the A with coordinates v. */
static void exponential(ptrdiff_t p, const double *v, double *e, double *work) {
  if (p == 2) turn_plane(v[0], e);
  if (p == 3) turn_space(v, e);
  if (p <= 3) return;
  const ptrdiff_t m = p / 2;
  double *angle = dpt_take(&work, m), *planes = dpt_take(&work, 2 * m * p), *moved = dpt_take(&work, 2 * m * p);
  find_planes(p, v, angle, planes, work);
  for (ptrdiff_t i = 0; i < m; i++) {
    const double sine = sin(angle[i]), half = sin(angle[i] / 2), versine = 2 * half * half;
    const double *a = planes + i * p, *b = planes + (m + i) * p;
    for (ptrdiff_t r = 0; r < p; r++) {
      moved[r + i * p] = sine * b[r] - versine * a[r];
      moved[r + (m + i) * p] = -sine * a[r] - versine * b[r];
    }
  }
  dpt_linear_multiply_right_transposed(p, 2 * m, p, moved, planes, e);
  for (ptrdiff_t i = 0; i < p; i++) e[i + i * p] += 1;
}

/* ---- the logarithm of a rotation ---------------------------------------------------------------------------- */

/* Computes the angle in (-pi, pi] of [c -s; s c]. */
static double plane_angle(const double *r, ptrdiff_t rows) {
  const double angle = atan2(r[1] - r[rows], r[0] + r[rows + 1]);
  return angle == -dpt_pi ? dpt_pi : angle;
}

/* Computes the angle in [0, pi] and the axis (not normalized) of a rotation of space, from a multiple of its
 * quaternion. This is the column of 4 q q' with the largest diagonal entry. Its entries are sums of entries of r. */
static double space_angle(const double *r, double *axis) {
  const double trace = r[0] + r[4] + r[8];
  ptrdiff_t i = 0;
  if (r[4] > r[0]) i = 1;
  if (r[8] > r[4 * i]) i = 2;
  const ptrdiff_t j = (i + 1) % 3, k = (i + 2) % 3;
  double real = r[k + 3 * j] - r[j + 3 * k];
  if (trace > r[4 * i]) {
    axis[i] = real;
    axis[j] = r[i + 3 * k] - r[k + 3 * i];
    axis[k] = r[j + 3 * i] - r[i + 3 * j];
    real = 1 + trace;
  } else {
    axis[i] = 1 + 2 * r[4 * i] - trace;
    axis[j] = r[i + 3 * j] + r[j + 3 * i];
    axis[k] = r[i + 3 * k] + r[k + 3 * i];
  }
  const double first = axis[0] != 0 ? axis[0] : axis[1] != 0 ? axis[1] : axis[2];
  if (real < 0 || (real == 0 && first < 0))
    for (ptrdiff_t l = 0; l < 3; l++) axis[l] = -axis[l];
  return 2 * atan2(dpt_vector_length(3, axis), fabs(real));
}

static void space_log(const double *r, double *v) {
  double axis[3];
  const double angle = space_angle(r, axis), length = dpt_vector_length(3, axis);
  const double scale = length > 0 ? angle / length : 0;
  v[0] = scale * axis[2];
  v[1] = -scale * axis[1];
  v[2] = scale * axis[0];
}

/* Adds to v the coordinates of angle (b a' - a b'). */
static void add_plane(ptrdiff_t p, double angle, const double *a, const double *b, double *v) {
  for (ptrdiff_t j = 0; j < p; j++)
    for (ptrdiff_t i = j + 1; i < p; i++) *v++ += angle * (b[i] * a[j] - a[i] * b[j]);
}

/* Walks through the turns of a Schur form t. Each turns the column `first` of q towards `second`, by `angle`. An
 * eigenvalue -1 waits for the next one, its partner. */
typedef struct {
  ptrdiff_t row, waiting; /* the next row; the row that waits, or -1 */
  ptrdiff_t first, second;
  double angle;
} schur_turn;

static bool next_turn(ptrdiff_t p, const double *t, schur_turn *turn) {
  while (turn->row < p) {
    const ptrdiff_t row = turn->row++;
    const double *block = t + row + row * p;
    if (row + 1 < p && block[1] != 0) {
      *turn = (schur_turn){row + 2, turn->waiting, row, row + 1, plane_angle(block, p)};
      return true;
    }
    if (block[0] > 0) continue;
    if (turn->waiting >= 0) {
      *turn = (schur_turn){row + 1, -1, turn->waiting, row, dpt_pi};
      return true;
    }
    turn->waiting = row;
  }
  return false;
}

static void general_log(ptrdiff_t p, const double *r, double *v, double *work) {
  double *t = dpt_take(&work, p * p), *q = dpt_take(&work, p * p);
  dpt_linear_schur(p, r, t, q, work);
  memset(v, 0, (size_t) (p * (p - 1) / 2) * sizeof *v);
  for (schur_turn turn = {.waiting = -1}; next_turn(p, t, &turn);)
    add_plane(p, turn.angle, q + turn.first * p, q + turn.second * p, v);
}

static double general_angle(ptrdiff_t p, const double *r, double *work) {
  double *t = work, *rest = t + p * p, square = 0;
  dpt_linear_schur(p, r, t, NULL, rest);
  for (schur_turn turn = {.waiting = -1}; next_turn(p, t, &turn);) square += turn.angle * turn.angle;
  return sqrt(square);
}

/* ---- the table ---------------------------------------------------------------------------------------------- */

static void rotation_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  (void) work;
  dpt_vector_copy(manifold->size, x, frame);
}

static void rotation_exp(const dpt_manifold *manifold, const double *x, const double *v, double *y, double *work) {
  const ptrdiff_t p = manifold->p;
  exponential(p, v, work, work + p * p);
  dpt_linear_multiply(p, p, p, x, work, y);
}

static void rotation_log(const dpt_manifold *manifold, const double *x, const double *y, double *v, double *work) {
  const ptrdiff_t p = manifold->p;
  dpt_linear_multiply_left_transposed(p, p, p, x, y, work);
  if (p == 2) v[0] = plane_angle(work, 2);
  else if (p == 3) space_log(work, v);
  else general_log(p, work, v, work + p * p);
}

static double rotation_distance(const dpt_manifold *manifold, const double *x, const double *y, double *work) {
  const ptrdiff_t p = manifold->p;
  double axis[3];
  dpt_linear_multiply_left_transposed(p, p, p, x, y, work);
  if (p == 2) return fabs(plane_angle(work, 2));
  return p == 3 ? space_angle(work, axis) : general_angle(p, work, work + p * p);
}

static void rotation_embed(const dpt_manifold *manifold, const double *x, const double *v, double *ambient,
                           double *work) {
  write_skew(manifold->p, v, work);
  dpt_linear_multiply(manifold->p, manifold->p, manifold->p, x, work, ambient);
}

static void rotation_coordinates(const dpt_manifold *manifold, const double *x, const double *ambient, double *v,
                                 double *work) {
  const ptrdiff_t p = manifold->p;
  dpt_linear_multiply_left_transposed(p, p, p, x, ambient, work);
  for (ptrdiff_t j = 0; j < p; j++)
    for (ptrdiff_t i = j + 1; i < p; i++) *v++ = (work[i + j * p] - work[j + i * p]) / 2;
}

/* Transports a tangent. Along x expm(t V) the tangent x A moves to x expm(t V / 2) A expm(t V / 2): in left-invariant
 * coordinates that is A(t) = expm(-t V / 2) A expm(t V / 2), which solves A' + [V, A] / 2 = 0. */
static void rotation_transport(const dpt_manifold *manifold, const double *x, const double *v, const double *u,
                               double *ambient, double *work) {
  const ptrdiff_t p = manifold->p;
  double *half = dpt_take(&work, p * p), *e = dpt_take(&work, p * p), *a = dpt_take(&work, p * p);
  double *product = dpt_take(&work, p * p);
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) half[i] = v[i] / 2;
  exponential(p, half, e, work);
  write_skew(p, u, a);
  dpt_linear_multiply(p, p, p, e, a, product);
  dpt_linear_multiply(p, p, p, product, e, a);
  dpt_linear_multiply(p, p, p, x, a, ambient);
}

/* Computes the sign of the determinant, by elimination with the largest pivot of each column. a is destroyed. */
static double determinant_sign(ptrdiff_t p, double *a) {
  double sign = 1;
  for (ptrdiff_t j = 0; j < p; j++) {
    ptrdiff_t pivot = j;
    for (ptrdiff_t i = j + 1; i < p; i++)
      if (fabs(a[i + j * p]) > fabs(a[pivot + j * p])) pivot = i;
    sign *= (a[pivot + j * p] < 0) == (pivot == j) ? -1 : 1;
    for (ptrdiff_t c = j; c < p; c++) {
      const double top = a[pivot + c * p];
      a[pivot + c * p] = a[j + c * p];
      a[j + c * p] = top;
    }
    for (ptrdiff_t c = j + 1; c < p; c++)
      for (ptrdiff_t i = j + 1; i < p; i++) a[i + c * p] -= a[i + j * p] * (a[j + c * p] / a[j + j * p]);
  }
  return sign;
}

/* Projects x = u diag(s) w' to the nearest rotation u diag(1, .., 1, det(u w')) w' (Kabsch 1976). It is unique unless
 * the last two singular values, the last with that sign, cancel: reflections, and matrices that lost two dimensions. */
static double rotation_project(const dpt_manifold *manifold, double *x, double *work) {
  const ptrdiff_t p = manifold->p;
  double *u = dpt_take(&work, p * p), *w = dpt_take(&work, p * p), *s = dpt_take(&work, p);
  for (ptrdiff_t i = 0; i < p * p; i++)
    if (!isfinite(x[i])) return INFINITY;
  dpt_linear_svd(p, p, x, u, s, w, work);
  dpt_linear_multiply_right_transposed(p, p, p, u, w, work);
  const double sign = determinant_sign(p, work);
  if (!(s[p - 2] + sign * s[p - 1] > (double) p * DBL_EPSILON * s[0])) return INFINITY;
  for (ptrdiff_t i = 0; i < p; i++) u[i + (p - 1) * p] *= sign;
  dpt_linear_multiply_right_transposed(p, p, p, u, w, x);
  for (ptrdiff_t i = 0; i < p; i++) s[i] -= i == p - 1 ? sign : 1;
  return dpt_vector_length(p, s) / sqrt((double) p);
}

static void rotation_uniform(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, double *work) {
  dpt_linear_random_orthogonal(ctx, manifold->p, true, x, work);
}

static double rotation_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  const ptrdiff_t p = manifold->p, m = p / 2;
  double *angle = work, sum = 0;
  find_angles(p, v, angle, work + m);
  if (angle[0] >= dpt_pi) return -INFINITY;
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j < i; j++)
      sum += dpt_log_sine_ratio((angle[j] - angle[i]) / 2) + dpt_log_sine_ratio((angle[j] + angle[i]) / 2);
    if (p % 2 == 1) sum += dpt_log_sine_ratio(angle[i] / 2);
  }
  return 2 * sum;
}

/* ---- rounding: inst/proofs/manifold-mean.md, section 8 ---- */

/* Bounds errors of points. Nothing is ill-conditioned unless an angle is near pi. Points come from a singular value
 * decomposition. Logarithms come from a product and, from four dimensions on, a Schur form. Its entries off the
 * diagonal blocks are as small as its error, and are dropped. */
static double point_unit(const dpt_manifold *manifold) {
  return 2 * dpt_unit_of_decomposition(manifold->p) + dpt_unit_times((double) (manifold->p * manifold->p));
}

static double log_unit(const dpt_manifold *manifold) {
  const double side = (double) manifold->p;
  const double form = side > 3 ? 4 * dpt_unit_of_decomposition(manifold->p) : 0;
  return form + dpt_unit_times(2 * side * side + 60);
}

static dpt_rounding rotation_rounding(const dpt_manifold *manifold, const double *frame, const double *y,
                                      const double *v, double *work) {
  (void) frame;
  (void) y;
  (void) work;
  if (dpt_is_at_cut_locus(manifold, dpt_vector_length(manifold->dimension, v))) return dpt_rounding_unknown.log;
  return (dpt_rounding){point_unit(manifold), log_unit(manifold)};
}

static double rotation_frame_rounding(const dpt_manifold *manifold, const double *frame, const double *x,
                                      double *work) {
  (void) frame;
  (void) x;
  (void) work;
  return point_unit(manifold);
}

static dpt_rounding_within rotation_rounding_within(const dpt_manifold *manifold, dpt_rounding_ball ball) {
  if (dpt_is_at_cut_locus(manifold, 2 * ball.radius)) return dpt_rounding_unknown;
  const double point = point_unit(manifold), log = log_unit(manifold);
  return (dpt_rounding_within){.log = {point, log}, .frame = point, .end = 6 * point + 2 * log};
}

static const dpt_manifold_functions rotation = {
    .name = "rotation",
    .frame = rotation_frame,
    .exp = rotation_exp,
    .log = rotation_log,
    .distance = rotation_distance,
    .embed = rotation_embed,
    .coordinates = rotation_coordinates,
    .transport = rotation_transport,
    .project = rotation_project,
    .uniform = rotation_uniform,
    .log_jacobian = rotation_log_jacobian,
    .drift = dpt_manifold_no_drift,
    .from_drift = dpt_manifold_from_no_drift,
    .rounding = rotation_rounding,
    .frame_rounding = rotation_frame_rounding,
    .rounding_within = rotation_rounding_within,
};

const dpt_manifold *dpt_manifold_rotation(dpt_ctx *ctx, ptrdiff_t p) {
  const ptrdiff_t dimension = p * (p - 1) / 2, roots = dimension - p / 2; /* each positive root counts twice */
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &rotation,
      .size = p * p,
      .dimension = dimension,
      .frame_size = p * p,
      .work_size = 12 * p * p + 4 * p + dpt_linear_work(p),
      .drift_size = dimension,
      .curvature_above = p == 2   ? 0
                         : p == 3 ? 0.25
                                  : 0.5,
      .curvature_below = p == 3 ? 0.25 : 0,
      .injectivity_radius = dpt_pi,
      .homogeneous = true,
      .growth.contracting.count = (double) roots,
      .growth.contracting.rate = roots > 0 ? sqrt((double) (p - 2) / 2 / (double) roots) : 0,
      .growth.reach = dpt_pi * sqrt((double) (p / 2)),
      .p = p,
  };
  return manifold;
}
