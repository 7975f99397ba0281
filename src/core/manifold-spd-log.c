/* manifold-spd-log.c - symmetric positive definite matrices with the log-Euclidean metric, d(x, y) = |log x - log y| in
 * the Frobenius norm (Arsigny, Fillard, Pennec and Ayache 2007): the flat space of symmetric matrices, mapped by the
 * matrix exponential. Rotations and changes of scale are isometries, other congruences are not.
 *
 * Frame. The coordinates of a tangent at x are the coordinates of the change V of log x. The change of x itself is the
 * differential of the exponential at V. In the eigenvectors of x, the differential multiplies entry by entry by the
 * divided differences of the exponential at the eigenvalues l of log x (Daleckii and Krein; Higham 2008, theorem 3.11):
 *   (e^a - e^b) / (a - b) = e^((a + b) / 2) sinh(h) / h, h = (a - b) / 2.
 * `frame` holds log x, then the eigenvectors and l.
 *
 * Accuracy. log x comes from the singular values of the Cholesky factor, as in manifold-spd.c: small eigenvalues lose
 * only the root of the condition number, or nothing. As there, exp stops before rounding would make the matrix
 * indefinite, and eigenvalues of its logarithm are cut at +-460.
 *
 * Cost: one Cholesky and one singular value decomposition for log and distance, one eigenvalue decomposition for
 * exp. */
#include "manifold-spd.h"

static void spd_log_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = frame + p * p, *values = vectors + p * p;
  dpt_spd_log_spectrum(p, NULL, x, values, vectors, work);
  dpt_linear_compose(p, vectors, values, frame, work);
}

/* Computes eigenvalues and eigenvectors of the logarithm of the end, log x + V. */
static void spectrum_of_end(ptrdiff_t p, const double *frame, const double *v, double *values, double *vectors,
                            double *work) {
  double *end = work, *rest = work + p * p;
  dpt_spd_unpack(p, v, end);
  for (ptrdiff_t i = 0; i < p * p; i++) end[i] += frame[i];
  dpt_linear_eigen(p, end, values, vectors, rest);
  for (ptrdiff_t i = 0; i < p; i++) {
    values[i] = fmax(-dpt_spd_largest_exponent, fmin(dpt_spd_largest_exponent, values[i]));
  }
}

static void spd_log_exp(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = work, *values = vectors + p * p, *rest = values + p;
  spectrum_of_end(p, frame, v, values, vectors, rest);
  for (ptrdiff_t i = 0; i < p; i++) values[i] = exp(values[i]);
  dpt_linear_compose(p, vectors, values, y, rest);
  dpt_spd_ensure_definite(p, y, work);
}

static void spd_log_log(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = dpt_take(&work, p * p), *values = dpt_take(&work, p), *change = dpt_take(&work, p * p);
  dpt_spd_log_spectrum(p, NULL, y, values, vectors, change);
  dpt_linear_compose(p, vectors, values, change, work);
  for (ptrdiff_t i = 0; i < p * p; i++) change[i] -= frame[i];
  dpt_spd_pack(p, change, v);
}

/* Reads a row. By Weyl's inequality, for a point y of the ball, no eigenvalue of log y is more than the radius below
 * the smallest of log x. */
static double spd_log_row(const dpt_manifold *manifold, const double *frame, double radius, double *x, double *v,
                          double *work) {
  const ptrdiff_t p = manifold->p;
  const double *spectrum = frame + 2 * p * p;
  double *vectors = dpt_take(&work, p * p), *values = dpt_take(&work, p), *change = dpt_take(&work, p * p);
  const double off = dpt_spd_row_spectrum(p, NULL, spectrum[p - 1] - dpt_spd_farthest_row * radius, x, values, vectors,
                                          work);
  if (isinf(off)) return off;
  dpt_linear_compose(p, vectors, values, change, work);
  for (ptrdiff_t i = 0; i < p * p; i++) change[i] -= frame[i];
  dpt_spd_pack(p, change, v);
  return off;
}

/* Computes the end from log x, with which the frame begins, without the matrix exponential. */
static void spd_log_end(const dpt_manifold *manifold, const double *origin_frame, const double *frame, const double *v,
                        double *w, double *point, double *work) {
  (void) point;
  const ptrdiff_t p = manifold->p;
  for (ptrdiff_t i = 0; i < p * p; i++) work[i] = frame[i] - origin_frame[i];
  dpt_spd_pack(p, work, w);
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) w[i] += v[i];
}

static double spd_log_distance(const dpt_manifold *manifold, const double *frame, const double *y, double *work) {
  spd_log_log(manifold, frame, y, work, work + manifold->dimension);
  return dpt_vector_length(manifold->dimension, work);
}

/* ---- the differential of the exponential ---- */

static double divided_difference(double a, double b) {
  const double half = (a - b) / 2;
  return exp((a + b) / 2) * (half == 0 ? 1 : sinh(half) / half);
}

/* Multiplies a matrix, in the basis of eigenvectors, by the divided differences, or divides it by them, and takes the
 * symmetric part. */
static void differential(ptrdiff_t p, const double *vectors, const double *values, bool inverse, const double *matrix,
                         double *result, double *work) {
  double *half = work, *seen = work + p * p;
  dpt_linear_multiply(p, p, p, matrix, vectors, half);
  dpt_linear_multiply_left_transposed(p, p, p, vectors, half, seen);
  for (ptrdiff_t j = 0; j < p; j++) {
    for (ptrdiff_t i = 0; i < p; i++) {
      const double ratio = divided_difference(values[i], values[j]);
      seen[i + j * p] = inverse ? seen[i + j * p] / ratio : seen[i + j * p] * ratio;
    }
  }
  dpt_linear_multiply(p, p, p, vectors, seen, half);
  dpt_linear_multiply_right_transposed(p, p, p, half, vectors, result);
  dpt_spd_symmetrize(p, result);
}

static void spd_log_embed(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient,
                          double *work) {
  const ptrdiff_t p = manifold->p;
  dpt_spd_unpack(p, v, work);
  differential(p, frame + p * p, frame + 2 * p * p, false, work, ambient, work + p * p);
}

static void spd_log_coordinates(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                                double *work) {
  const ptrdiff_t p = manifold->p;
  differential(p, frame + p * p, frame + 2 * p * p, true, ambient, work, work + p * p);
  dpt_spd_pack(p, work, v);
}

/* Transports V, which does not change, and expresses it at the end. */
static void spd_log_transport(const dpt_manifold *manifold, const double *frame, const double *v, const double *u,
                              double *ambient, double *work) {
  const ptrdiff_t p = manifold->p;
  double *vectors = dpt_take(&work, p * p), *values = dpt_take(&work, p);
  spectrum_of_end(p, frame, v, values, vectors, work);
  dpt_spd_unpack(p, u, work);
  differential(p, vectors, values, false, work, ambient, work + p * p);
}

static double spd_log_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  (void) manifold;
  (void) v;
  (void) work;
  return 0;
}

/* ---- rounding: inst/proofs/manifold-mean.md, section 8 ---- */

/* Bounds the error of log. The logarithm does not stretch distances of the affine invariant metric, and two logarithms
 * are subtracted. */
static dpt_rounding spd_log_rounding(const dpt_manifold *manifold, const double *frame, const double *y,
                                     const double *v, double *work) {
  (void) frame;
  dpt_rounding log = dpt_spd_log_rounding(manifold->p, NULL, y, work);
  log.tangent += dpt_unit_times(3) * dpt_vector_length(manifold->dimension, v);
  return log;
}

/* Bounds the error of a frame, which represents the exponential of its logarithm. */
static double spd_log_frame_rounding(const dpt_manifold *manifold, const double *frame, const double *x, double *work) {
  (void) frame;
  const dpt_rounding log = dpt_spd_log_rounding(manifold->p, NULL, x, work);
  return log.point + log.tangent;
}

static dpt_rounding_within spd_log_rounding_within(const dpt_manifold *manifold, dpt_rounding_ball ball) {
  const ptrdiff_t p = manifold->p;
  const dpt_rounding near = dpt_spd_log_rounding_within(p, ball.radius, ball.radius);
  const dpt_rounding far = dpt_spd_log_rounding_within(p, ball.reach, ball.reach);
  const double walk = dpt_spd_exp_rounding_within(p, ball.reach) + dpt_unit_times(3) * ball.reach;
  const double back = far.point + far.tangent + dpt_spd_exp_rounding_within(p, ball.radius);
  return (dpt_rounding_within){
      .log = {near.point, near.tangent + dpt_unit_times(3) * 2.01 * ball.radius},
      .frame = near.point + near.tangent,
      .end = walk + back,
  };
}

static const dpt_manifold_functions spd_log = {
    .name = "spd_log",
    .frame = spd_log_frame,
    .exp = spd_log_exp,
    .log = spd_log_log,
    .end = spd_log_end,
    .distance = spd_log_distance,
    .embed = spd_log_embed,
    .coordinates = spd_log_coordinates,
    .transport = spd_log_transport,
    .project = dpt_spd_project,
    .row = spd_log_row,
    .log_jacobian = spd_log_log_jacobian,
    .drift = dpt_manifold_no_drift,
    .from_drift = dpt_manifold_from_no_drift,
    .rounding = spd_log_rounding,
    .frame_rounding = spd_log_frame_rounding,
    .rounding_within = spd_log_rounding_within,
};

const dpt_manifold *dpt_manifold_spd_log(dpt_ctx *ctx, ptrdiff_t p) {
  const ptrdiff_t dimension = p * (p + 1) / 2;
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &spd_log,
      .size = p * p,
      .dimension = dimension,
      .frame_size = 2 * p * p + p,
      .work_size = dpt_spd_work(p) + dimension,
      .drift_size = dimension,
      .injectivity_radius = INFINITY,
      .homogeneous = true,
      .growth.reach = INFINITY,
      .p = p,
  };
  return manifold;
}
