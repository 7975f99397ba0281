/* manifold-spd.c - symmetric positive definite matrices with the affine invariant metric tr(x^-1 U x^-1 V): congruence
 * x -> A x A' is an isometry for every invertible A (Pennec, Fillard and Ayache 2006; Bhatia 2007, chapter 6).
 *
 * Frame. x = L L' (Cholesky); congruence by L takes the identity to x. The tangent with the coordinates of S is L S L',
 *   exp: L expm(S) L',   log: logm(L^-1 y L^-T),   transport of U along S: L E U E L', E = expm(S / 2).
 *
 * Accuracy. With y = K K', L^-1 y L^-T has the eigenvalues s^2 and the eigenvectors u of the singular values and left
 * vectors of W = L^-1 K: W is never squared, so that half as many digits are lost as with the eigenvalues of the
 * product. Rotations then find small singular values to full relative accuracy (base-linear.c). Cholesky factors and
 * triangular solves do not depend on the scales of the variables. So log and distance have errors of about 1e-16 times
 * the condition number of the *correlation* matrices of x and y, in any units. For large p, LAPACK (base-linear.c) also
 * loses the root of the condition number of L^-1 y L^-T. From x to itself, W is the identity to the last bit. Other
 * points are distinguished down to distances of 1e-16. A matrix of doubles cannot hold eigenvalues below 1e-16 of the
 * largest one unless they lie along the axes. If exp would return such a matrix, its end is the nearest matrix that is
 * definite to working precision. It is a point, but log from x to it is no longer v. This happens if eigenvalues of v
 * differ by more than about 35. Eigenvalues of S are cut at +-460, a factor of 1e200, so that a long v gives no NaN as
 * long as the entries of x are between 1e-100 and 1e100. A cut about a private x would reveal something about x.
 * Therefore draws use end(), which cuts nothing.
 *
 * Curvature. At the identity the plane of orthonormal U and V has curvature -|UV - VU|^2 / 4, which is between -1/2 and
 * 0. (Boettcher and Wenzel 2008: |UV - VU|^2 <= 2 |U|^2 |V|^2, attained by diag(1, -1) and the swap of two axes.)
 *
 * Jacobian of exp at S with eigenvalues l: the product of sinh(x) / x over pairs, x = |l_i - l_j| / 2 (Terras 1988).
 * Sums over pairs: sum x^2 = (p |l|^2 - (sum l)^2) / 4 <= p |l|^2 / 4, and log(sinh(sqrt y) / sqrt y) is concave in y;
 * sum x = <delta, l> for decreasing l, delta_i = (p + 1 - 2 i) / 2. These are the bounds of `growth`.
 *
 * Cost: one Cholesky, one solve and one singular value decomposition for log and distance, O(p^3): 0.5 us for p = 3, 10
 * us for p = 10. The rotations take nearly all of this time. */
#include "manifold-spd.h"

#include <float.h>

/* ---- shared with the log-Euclidean metric ---- */

/* The bound of rounding errors takes the most scratch: seven matrices and a vector, and the scratch of the linear
 * algebra. */
ptrdiff_t dpt_spd_work(ptrdiff_t p) { return 7 * p * p + 2 * p + dpt_linear_work(p); }

void dpt_spd_pack(ptrdiff_t p, const double *symmetric, double *v) {
  const double root = sqrt(2);
  for (ptrdiff_t j = 0; j < p; j++) {
    *v++ = symmetric[j + j * p];
    for (ptrdiff_t i = j + 1; i < p; i++) *v++ = root * symmetric[i + j * p];
  }
}

void dpt_spd_unpack(ptrdiff_t p, const double *v, double *symmetric) {
  const double root = sqrt(0.5);
  for (ptrdiff_t j = 0; j < p; j++) {
    symmetric[j + j * p] = *v++;
    for (ptrdiff_t i = j + 1; i < p; i++) symmetric[i + j * p] = symmetric[j + i * p] = root * *v++;
  }
}

void dpt_spd_symmetrize(ptrdiff_t p, double *a) {
  for (ptrdiff_t j = 0; j < p; j++) {
    for (ptrdiff_t i = j + 1; i < p; i++) a[i + j * p] = a[j + i * p] = a[i + j * p] / 2 + a[j + i * p] / 2;
  }
}

/* Raises eigenvalues that may be rounding errors of zero, with some room above the limit of Cholesky's test. */
void dpt_spd_make_definite(ptrdiff_t p, double *x, double *work) {
  double *vectors = dpt_take(&work, p * p), *values = dpt_take(&work, p);
  dpt_linear_eigen(p, x, values, vectors, work);
  const double least = fmax(16 * (double) p * DBL_EPSILON * values[0], 1e-290);
  for (ptrdiff_t i = 0; i < p; i++) values[i] = fmax(values[i], least);
  dpt_linear_compose(p, vectors, values, x, work);
}

/* Is x definite by more than rounding, for any units of its variables? The test uses its correlation matrix. */
static bool is_clearly_definite(ptrdiff_t p, const double *x, double *work) {
  double *correlation = work, *lower = work + p * p;
  const double room = 8 * (double) p * DBL_EPSILON;
  for (ptrdiff_t j = 0; j < p; j++) {
    if (!(x[j + j * p] > 0)) return false;
    for (ptrdiff_t i = 0; i < p; i++)
      correlation[i + j * p] = i == j ? 1 - room : x[i + j * p] / sqrt(x[i + i * p]) / sqrt(x[j + j * p]);
  }
  return dpt_linear_cholesky(p, correlation, lower);
}

void dpt_spd_ensure_definite(ptrdiff_t p, double *x, double *work) {
  if (!is_clearly_definite(p, x, work)) dpt_spd_make_definite(p, x, work);
}

void dpt_spd_factor(ptrdiff_t p, const double *x, double *lower, double *work) {
  if (dpt_linear_cholesky(p, x, lower)) return;
  double *definite = work;
  dpt_vector_copy(p * p, x, definite);
  dpt_spd_make_definite(p, definite, work + p * p);
  if (dpt_linear_cholesky(p, definite, lower)) return;
  for (ptrdiff_t i = 0; i < p * p; i++)
    lower[i] = NAN; /* x is not finite: it is not a point, and later results are not points either */
}

void dpt_spd_log_spectrum(ptrdiff_t p, const double *lower, const double *y, double *values, double *vectors,
                          double *work) {
  double *whitened = work, *rest = work + p * p;
  dpt_spd_factor(p, y, whitened, rest);
  if (lower) dpt_linear_solve_lower(p, lower, p, whitened);
  dpt_linear_svd(p, p, whitened, vectors, values, NULL, rest);
  for (ptrdiff_t i = 0; i < p; i++) values[i] = 2 * log(fmax(values[i], DBL_MIN));
}

/* Removes the antisymmetric part of x, and returns its length relative to `size`. */
static double take_out_asymmetry(ptrdiff_t p, double size, double *x) {
  double off = 0;
  for (ptrdiff_t j = 0; j < p && size > 0; j++) {
    for (ptrdiff_t i = j + 1; i < p; i++) off = hypot(off, x[i + j * p] / size - x[j + i * p] / size);
  }
  dpt_spd_symmetrize(p, x);
  return off / sqrt(2);
}

/* Projects x, and returns the antisymmetric part relative to the whole. An indefinite matrix has no nearest definite
 * matrix, because the set of definite matrices is open. */
double dpt_spd_project(const dpt_manifold *manifold, double *x, double *work) {
  const ptrdiff_t p = manifold->p;
  const double size = dpt_vector_length(p * p, x);
  if (!isfinite(size)) return INFINITY;
  const double off = take_out_asymmetry(p, size, x);
  return dpt_linear_cholesky(p, x, work) ? off : INFINITY;
}

/* Multiplies a matrix of extreme entries by a power of two, and returns the exponent that it removed. x is finite. */
static int take_out_scale(ptrdiff_t p, double *x) {
  double largest = 0;
  int exponent = 0;
  for (ptrdiff_t i = 0; i < p * p; i++) largest = fmax(largest, fabs(x[i]));
  if (largest == 0 || (largest > 0x1p-900 && largest < 0x1p900)) return 0;
  frexp(largest, &exponent);
  for (ptrdiff_t i = 0; i < p * p; i++) x[i] = ldexp(x[i], -exponent);
  return exponent;
}

/* Computes the spectrum of a symmetric x that is semidefinite or nearly so. Negative eigenvalues become zero, and zero
 * is replaced by its largest rounding error. Returns the length of the negative eigenvalues. */
static double spectrum_at_edge(ptrdiff_t p, const double *lower, const double *x, double *values, double *vectors,
                               double *work) {
  double *root = dpt_take(&work, p * p), negative = 0;
  dpt_linear_eigen(p, x, values, vectors, work);
  const double rounding = 16 * (double) p * DBL_EPSILON * fmax(fabs(values[0]), fabs(values[p - 1]));
  for (ptrdiff_t i = 0; i < p; i++) {
    if (values[i] < 0) negative = hypot(negative, values[i]);
    values[i] = fmax(values[i], rounding);
  }
  if (!lower) {
    for (ptrdiff_t i = 0; i < p; i++) values[i] = log(values[i]);
    return negative;
  }
  for (ptrdiff_t j = 0; j < p; j++) {
    for (ptrdiff_t i = 0; i < p; i++) root[i + j * p] = vectors[i + j * p] * sqrt(values[j]);
  }
  dpt_linear_solve_lower(p, lower, p, root);
  dpt_linear_svd(p, p, root, vectors, values, NULL, work);
  for (ptrdiff_t i = 0; i < p; i++) values[i] = 2 * log(values[i]);
  return negative;
}

double dpt_spd_row_spectrum(ptrdiff_t p, const double *lower, double least, double *x, double *values, double *vectors,
                            double *work) {
  for (ptrdiff_t i = 0; i < p * p; i++)
    if (!isfinite(x[i])) return INFINITY;
  const int exponent = take_out_scale(p, x);
  const double size = dpt_vector_length(p * p, x);
  double off = take_out_asymmetry(p, size, x);
  if (is_clearly_definite(p, x, work)) dpt_spd_log_spectrum(p, lower, x, values, vectors, work);
  else if (size > 0) off = hypot(off, spectrum_at_edge(p, lower, x, values, vectors, work) / size);
  else dpt_linear_eigen(p, x, values, vectors, work); /* zero: all eigenvalues are at the smallest value */
  for (ptrdiff_t i = 0; i < p; i++) values[i] = size > 0 ? fmax(values[i] + exponent * log(2), least) : least;
  return off;
}

/* ---- rounding: inst/proofs/manifold-mean.md, section 8 ---- */

/* Bounds the distance that a relative perturbation of this Frobenius norm moves a matrix. There is no bound beyond a
 * quarter. */
static double moved_by(double norm) { return norm < 0.25 ? norm / (1 - norm) : INFINITY; }

/* c = |a| |b|. */
static void multiply_sizes(ptrdiff_t p, const double *a, const double *b, double *c) {
  memset(c, 0, (size_t) (p * p) * sizeof *c);
  for (ptrdiff_t j = 0; j < p; j++) {
    for (ptrdiff_t k = 0; k < p; k++) {
      const double size = fabs(b[k + j * p]);
      if (size == 0) continue;
      for (ptrdiff_t i = 0; i < p; i++) c[i + j * p] += size * fabs(a[i + k * p]);
    }
  }
}

/* Bounds the largest singular value by the root of the product of the largest row sum and the largest column sum. */
static double norm_bound(ptrdiff_t p, const double *a, double *work) {
  double widest = 0, tallest = 0;
  for (ptrdiff_t i = 0; i < p; i++) work[i] = 0;
  for (ptrdiff_t j = 0; j < p; j++) {
    double column = 0;
    for (ptrdiff_t i = 0; i < p; i++) {
      column += fabs(a[i + j * p]);
      work[i] += fabs(a[i + j * p]);
    }
    tallest = fmax(tallest, column);
  }
  for (ptrdiff_t i = 0; i < p; i++) widest = fmax(widest, work[i]);
  return sqrt(widest) * sqrt(tallest);
}

/* Computes p times the trace of the inverse of the correlation matrix of lower lower'. */
static double trace_of_inverse(ptrdiff_t p, const double *lower, const double *inverse) {
  double trace = 0;
  for (ptrdiff_t i = 0; i < p; i++) {
    double row = 0, column = 0;
    for (ptrdiff_t j = 0; j <= i; j++) row = hypot(row, lower[i + j * p]);
    for (ptrdiff_t j = i; j < p; j++) column = hypot(column, inverse[j + i * p]);
    trace += (row * column) * (row * column);
  }
  return (double) p * trace;
}

static void invert_lower(ptrdiff_t p, const double *lower, double *inverse) {
  for (ptrdiff_t i = 0; i < p * p; i++) inverse[i] = i % (p + 1) == 0;
  dpt_linear_solve_lower(p, lower, p, inverse);
}

double dpt_spd_factor_rounding(ptrdiff_t p, const double *lower, double *inverse, double *work) {
  double *sizes = work, *rest = work + p * p;
  const double unit = dpt_unit_times((double) p + 3);
  invert_lower(p, lower, inverse);
  multiply_sizes(p, inverse, lower, sizes);
  const double length = dpt_vector_length(p * p, sizes);
  if (!(unit * length < 0.01)) return INFINITY; /* then the inverse is not known either */
  const double by_products = length * norm_bound(p, sizes, rest), by_scales = trace_of_inverse(p, lower, inverse);
  return moved_by(1.05 * unit * fmin(by_products, by_scales));
}

/* Computes the Frobenius norm of a'a - 1 (or a a' - 1), with room for its own rounding. */
static double distance_from_orthogonal(ptrdiff_t p, const double *a, bool rows, double *product) {
  if (rows) dpt_linear_multiply_right_transposed(p, p, p, a, a, product);
  else dpt_linear_multiply_left_transposed(p, p, p, a, a, product);
  for (ptrdiff_t i = 0; i < p; i++) product[i + i * p] -= 1;
  const double length = dpt_vector_length(p * p, a);
  return dpt_vector_length(p * p, product) + dpt_unit_times((double) p + 3) * length * length;
}

/* Bounds the error from the eigenvectors' lack of orthogonality and from the composition, for eigenvalues whose sizes
 * sum to `sum`, with the largest size `most` and the range `spread`. */
static double tangent_rounding(ptrdiff_t p, double lack, double sum, double most, double spread) {
  return 1.3 * lack * (1 + spread) + 1.1 * lack * most + dpt_unit_times((double) p + 14) * sum;
}

/* Bounds the error of a decomposition. If W = U S V' exactly, Z = S^-1 U'W is orthogonal. Its distance from
 * orthogonality bounds the error of the spectrum, for any algorithm. */
static double decomposition_rounding(ptrdiff_t p, const double *whitened, const double *vectors, const double *values,
                                     double *work) {
  double *turn = work, *sizes = turn + p * p, *product = sizes + p * p;
  for (ptrdiff_t j = 0; j < p; j++) { /* the transpose of vectors, each row over its singular value */
    for (ptrdiff_t i = 0; i < p; i++) product[i + j * p] = vectors[j + i * p] / exp(values[i] / 2);
  }
  dpt_linear_multiply(p, p, p, product, whitened, turn);
  multiply_sizes(p, product, whitened, sizes);
  const double noise = dpt_unit_times((double) p + 16) * dpt_vector_length(p * p, sizes);
  return 1.05 * (distance_from_orthogonal(p, turn, true, product) + 2.2 * noise + noise * noise);
}

dpt_rounding dpt_spd_log_rounding(ptrdiff_t p, const double *lower, const double *y, double *work) {
  double *factor = dpt_take(&work, p * p), *inverse = dpt_take(&work, p * p), *whitened = dpt_take(&work, p * p);
  double *vectors = dpt_take(&work, p * p), *values = dpt_take(&work, p);
  if (!dpt_linear_cholesky(p, y, factor)) return dpt_rounding_unknown.log;
  double point = dpt_spd_factor_rounding(p, factor, inverse, work);
  if (lower) {
    dpt_vector_copy(p * p, factor, whitened);
    dpt_linear_solve_lower(p, lower, p, whitened);
    multiply_sizes(p, lower, whitened, work);
    multiply_sizes(p, inverse, work, factor);
    point += 2 * moved_by(1.05 * dpt_unit_times((double) p + 3) * dpt_vector_length(p * p, factor));
  } else {
    dpt_vector_copy(p * p, factor, whitened);
  }
  dpt_linear_svd(p, p, whitened, vectors, values, NULL, work);
  double sum = 0, most = 0;
  for (ptrdiff_t i = 0; i < p; i++) {
    values[i] = 2 * log(fmax(values[i], DBL_MIN));
    sum += fabs(values[i]);
    most = fmax(most, fabs(values[i]));
  }
  point += moved_by(decomposition_rounding(p, whitened, vectors, values, work));
  const double lack = distance_from_orthogonal(p, vectors, false, work);
  if (!(point < 0.25 && lack < 0.01)) return dpt_rounding_unknown.log;
  return (dpt_rounding){point, tangent_rounding(p, lack, sum, most, values[0] - values[p - 1])};
}

/* Kantorovich's inequality bounds p times the trace of the inverse of a correlation matrix. */
double dpt_spd_factor_rounding_within(ptrdiff_t p, double radius) {
  const double side = (double) p, half = p > 1 ? cosh(radius * sqrt(0.5)) : 1;
  return moved_by(1.1 * dpt_unit_times(side + 3) * side * side * half * half);
}

dpt_rounding dpt_spd_log_rounding_within(ptrdiff_t p, double radius, double apart) {
  const double side = (double) p, root = p > 1 ? sqrt(0.5) : 0, lack = dpt_unit_of_decomposition(p);
  const double unit = dpt_unit_times(side + 16);
  const double turn = 2.2 * (lack * exp(apart * root) + unit * side * cosh(apart * root)) + unit * (2 * side + apart);
  return (dpt_rounding){
      .point = dpt_spd_factor_rounding_within(p, radius) + moved_by(1.2 * turn),
      .tangent = 1.1 * tangent_rounding(p, 1.1 * lack + 2 * unit * side, sqrt(side) * apart, apart, 2 * apart * root),
  };
}

double dpt_spd_exp_rounding_within(ptrdiff_t p, double length) {
  const double side = (double) p, root = p > 1 ? sqrt(0.5) : 0, lack = dpt_unit_of_decomposition(p);
  const double half = cosh(length * root);
  const double spectrum = lack * length * dpt_sinh_ratio(length * root);
  const double vectors = 2 * moved_by(1.2 * lack * exp(length * root));
  const double product = moved_by(1.1 * dpt_unit_times(side + 30) * side * side * half * half);
  return 1.1 * (spectrum + vectors + product);
}

/* ---- the affine invariant metric ---- */

static void spd_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  dpt_spd_factor(manifold->p, x, frame, work);
}

/* Computes the eigenvectors of S, and exp(l / 2) for its eigenvalues l. */
static void half_way(ptrdiff_t p, const double *v, double *factors, double *vectors, double *work) {
  double *symmetric = work, *rest = work + p * p;
  dpt_spd_unpack(p, v, symmetric);
  dpt_linear_eigen(p, symmetric, factors, vectors, rest);
  for (ptrdiff_t i = 0; i < p; i++) {
    factors[i] = exp(fmax(-dpt_spd_largest_exponent, fmin(dpt_spd_largest_exponent, factors[i])) / 2);
  }
}

static void spd_exp(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = work, *root = vectors + p * p, *factors = root + p * p, *rest = factors + p;
  half_way(p, v, factors, vectors, rest);
  for (ptrdiff_t j = 0; j < p; j++) {
    for (ptrdiff_t i = 0; i < p; i++) vectors[i + j * p] *= factors[j];
  }
  dpt_linear_multiply(p, p, p, frame, vectors, root);
  dpt_linear_multiply_right_transposed(p, p, p, root, root, y);
  dpt_spd_symmetrize(p, y);
  dpt_spd_ensure_definite(p, y, work);
}

/* Computes the end L exp(S) L' = F F' with F = L U diag(e^(l/2)). F has graded columns, whose singular values are found
 * as logarithms and to high relative accuracy, however far apart they are. The origin is the identity. */
static void spd_end(const dpt_manifold *manifold, const double *origin_frame, const double *frame, const double *v,
                    double *w, double *point, double *work) {
  (void) origin_frame;
  const ptrdiff_t p = manifold->p;
  double *vectors = dpt_take(&work, p * p), *values = dpt_take(&work, p), *symmetric = dpt_take(&work, p * p);
  dpt_spd_unpack(p, v, symmetric);
  dpt_linear_eigen(p, symmetric, values, vectors, work);
  dpt_linear_multiply(p, p, p, frame, vectors, point);
  for (ptrdiff_t i = 0; i < p; i++) values[i] /= 2;
  dpt_linear_graded(p, point, values);
  for (ptrdiff_t i = 0; i < p; i++) values[i] *= 2;
  dpt_linear_compose(p, point, values, symmetric, work);
  dpt_spd_pack(p, symmetric, w);
}

static void spd_log(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = dpt_take(&work, p * p), *values = dpt_take(&work, p);
  dpt_spd_log_spectrum(p, frame, y, values, vectors, work);
  dpt_linear_compose(p, vectors, values, work, work + p * p);
  dpt_spd_pack(p, work, v);
}

/* Reads a row. In the ball, logarithms of eigenvalues relative to the point of the frame are at least -radius. */
static double spd_row(const dpt_manifold *manifold, const double *frame, double radius, double *x, double *v,
                      double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = dpt_take(&work, p * p), *values = dpt_take(&work, p);
  const double off = dpt_spd_row_spectrum(p, frame, -dpt_spd_farthest_row * radius, x, values, vectors, work);
  if (isinf(off)) return off;
  dpt_linear_compose(p, vectors, values, work, work + p * p);
  dpt_spd_pack(p, work, v);
  return off;
}

static double spd_distance(const dpt_manifold *manifold, const double *frame, const double *y, double *work) {
  dpt_spd_log_spectrum(manifold->p, frame, y, work, NULL, work + manifold->p);
  return dpt_vector_length(manifold->p, work);
}

/* Computes ambient = a S a', symmetric to the last bit. */
static void congruence(ptrdiff_t p, const double *a, const double *symmetric, double *ambient, double *work) {
  dpt_linear_multiply(p, p, p, a, symmetric, work);
  dpt_linear_multiply_right_transposed(p, p, p, work, a, ambient);
  dpt_spd_symmetrize(p, ambient);
}

static void spd_embed(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient,
                      double *work) {
  const ptrdiff_t p = manifold->p;
  dpt_spd_unpack(p, v, work);
  congruence(p, frame, work, ambient, work + p * p);
}

/* Computes coordinates. Congruence by L^-1 keeps symmetric and antisymmetric parts separate, so that the antisymmetric
 * part may be dropped last. */
static void spd_coordinates(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                            double *work) {
  const ptrdiff_t p = manifold->p;
  double *left = work, *both = work + p * p;
  dpt_vector_copy(p * p, ambient, left);
  dpt_linear_solve_lower(p, frame, p, left);
  for (ptrdiff_t j = 0; j < p; j++) {
    for (ptrdiff_t i = 0; i < p; i++) both[i + j * p] = left[j + i * p];
  }
  dpt_linear_solve_lower(p, frame, p, both);
  dpt_spd_symmetrize(p, both);
  dpt_spd_pack(p, both, v);
}

static void spd_transport(const dpt_manifold *manifold, const double *frame, const double *v, const double *u,
                          double *ambient, double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = dpt_take(&work, p * p), *half = dpt_take(&work, p * p), *factors = dpt_take(&work, p);
  half_way(p, v, factors, vectors, work);
  dpt_linear_compose(p, vectors, factors, half, work);
  dpt_linear_multiply(p, p, p, frame, half, vectors);
  dpt_spd_unpack(p, u, half);
  congruence(p, vectors, half, ambient, work);
}

/* Computes log(sinh(x) / x) for x >= 0, without overflow. */
static double log_sinhc(double x) { return x > 0 ? x + log(-expm1(-2 * x) / (2 * x)) : 0; }

static double spd_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  const ptrdiff_t p = manifold->p;
  double *symmetric = dpt_take(&work, p * p), *values = dpt_take(&work, p), sum = 0;
  dpt_spd_unpack(p, v, symmetric);
  dpt_linear_eigen(p, symmetric, values, NULL, work);
  for (ptrdiff_t i = 0; i < p; i++) {
    for (ptrdiff_t j = i + 1; j < p; j++) sum += log_sinhc((values[i] - values[j]) / 2);
  }
  return sum;
}

/* Computes the drift. Pairs of eigenvalues that are k apart in order are assumed to differ by k times the spread. */
static double spd_drift(const dpt_manifold *manifold, double spread, double *delta) {
  const ptrdiff_t p = manifold->p;
  double sum = 0;
  for (ptrdiff_t i = 0; i < p; i++) delta[i] = (double) (p - 1 - 2 * i) / 2;
  for (ptrdiff_t k = 1; k < p; k++) {
    double slope;
    sum += (double) (p - k) * dpt_drift_tangent((double) k * spread / 2, &slope);
    for (ptrdiff_t i = 0; i + k < p; i++) {
      delta[i] += slope / 2;
      delta[i + k] -= slope / 2;
    }
  }
  return sum;
}

/* Turns l into tangent coordinates. Eigenvalues l_1 > ... > l_p of S have the density of the product over pairs of 2
 * sinh((l_i - l_j) / 2), which is e^<delta, l> times the product of 1 - e^(l_j - l_i); eigenvectors are uniform. */
static double spd_from_drift(dpt_ctx *ctx, const dpt_manifold *manifold, const double *l, double *v, double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = dpt_take(&work, p * p), *symmetric = dpt_take(&work, p * p), sum = 0;
  for (ptrdiff_t i = 0; i + 1 < p; i++) {
    if (!(l[i] > l[i + 1])) return -INFINITY;
  }
  for (ptrdiff_t i = 0; i < p; i++) {
    for (ptrdiff_t j = i + 1; j < p; j++) sum += log(-expm1(l[j] - l[i]));
  }
  dpt_linear_random_orthogonal(ctx, p, false, vectors, work);
  dpt_linear_compose(p, vectors, l, symmetric, work);
  dpt_spd_pack(p, symmetric, v);
  return sum;
}

static dpt_rounding spd_rounding(const dpt_manifold *manifold, const double *frame, const double *y, const double *v,
                                 double *work) {
  (void) v;
  return dpt_spd_log_rounding(manifold->p, frame, y, work);
}

static double spd_frame_rounding(const dpt_manifold *manifold, const double *frame, const double *x, double *work) {
  (void) x;
  return dpt_spd_factor_rounding(manifold->p, frame, work, work + manifold->p * manifold->p);
}

/* Bounds the error of triangular solves, for logarithms at points other than the identity. */
static double solve_rounding_within(ptrdiff_t p, double radius) {
  const double side = (double) p, root = p > 1 ? sqrt(0.5) : 0;
  const double norm = side * sqrt(side) * cosh(radius * root) * exp(radius * root);
  return 2 * moved_by(1.1 * dpt_unit_times(side + 3) * norm);
}

/* Bounds errors for a ball. The end of a step is the factor of its start times exp(S / 2), |S| <= ball.step, and the
 * product with its own transpose. Then come log at the identity, whose frame has no rounding error, and exp there. */
static dpt_rounding_within spd_rounding_within(const dpt_manifold *manifold, dpt_rounding_ball ball) {
  const ptrdiff_t p = manifold->p;
  const double side = (double) p, root = p > 1 ? sqrt(0.5) : 0, half = cosh(ball.reach * root);
  const double stretched = dpt_unit_times(side + 3) * (2 + 2 * sqrt(side) * exp(ball.step)) * side * side * half * half;
  const dpt_rounding clamp = dpt_spd_log_rounding_within(p, ball.reach, ball.reach);
  const double walk = dpt_spd_exp_rounding_within(p, ball.step) + moved_by(stretched);
  const double back = clamp.point + clamp.tangent * dpt_sinh_ratio(ball.radius * root) +
                      dpt_spd_exp_rounding_within(p, ball.radius);
  dpt_rounding log = dpt_spd_log_rounding_within(p, ball.radius, 2.01 * ball.radius);
  log.point += solve_rounding_within(p, ball.radius);
  return (dpt_rounding_within){.log = log, .frame = dpt_spd_factor_rounding_within(p, ball.radius), .end = walk + back};
}

static const dpt_manifold_functions spd = {
    .name = "spd",
    .frame = spd_frame,
    .exp = spd_exp,
    .log = spd_log,
    .end = spd_end,
    .distance = spd_distance,
    .embed = spd_embed,
    .coordinates = spd_coordinates,
    .transport = spd_transport,
    .project = dpt_spd_project,
    .row = spd_row,
    .log_jacobian = spd_log_jacobian,
    .drift = spd_drift,
    .from_drift = spd_from_drift,
    .rounding = spd_rounding,
    .frame_rounding = spd_frame_rounding,
    .rounding_within = spd_rounding_within,
};

const dpt_manifold *dpt_manifold_spd(dpt_ctx *ctx, ptrdiff_t p) {
  const double side = (double) p;
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &spd,
      .size = p * p,
      .dimension = p * (p + 1) / 2,
      .frame_size = p * p,
      .work_size = dpt_spd_work(p),
      .drift_size = p,
      .curvature_above = 0,
      .curvature_below = p > 1 ? -0.5 : 0,
      .injectivity_radius = INFINITY,
      .homogeneous = true,
      .growth.expanding.count = side * (side - 1) / 2,
      .growth.expanding.rate = p > 1 ? 1 / sqrt(2 * (side - 1)) : 0,
      .growth.threshold = sqrt(side * (side * side - 1) / 12),
      .growth.reach = INFINITY,
      .p = p,
  };
  return manifold;
}
