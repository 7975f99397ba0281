/* manifold-grassmann.c - the k-dimensional subspaces of R^p, 1 <= k <= p - 1; the distance is the root of the sum of
 * the squared principal angles.
 *
 * A point is a p x k matrix with orthonormal columns, any basis of the subspace. A tangent at the basis x is x' B. Here
 * x' is a basis of the orthogonal complement, and B is any (p-k) x k matrix, whose entries are the coordinates. The
 * frame is the orthogonal p x p matrix [x x']. Ambient tangents (embed, transport) are matrices x' B, and depend on the
 * basis: at the basis x q the same tangent is x' B q.
 *
 * exp. With B = u diag(s) w' the end is x (w cos(s) w' + 1 - w w') + x' u sin(s) w' (Edelman, Arias and Smith 1998,
 * theorems 2.3 and 2.4, and transport); the geodesic carries the basis along. It is orthonormal up to rounding for
 * every B of any length.
 *
 * log. The cosines of the principal angles are the singular values of x'y = w c z', their sines those of d = x''y.
 * Columns of d z with c <= 1/sqrt(2) are long and orthogonal: they are the directions u, scaled by the sines. For the
 * others, whose angles may be near or below the rounding of c, only the span is known. A second decomposition, of these
 * columns of d z, finds their directions and sines. It turns only angles that c cannot distinguish. So each angle comes
 * from the smaller of its sine and cosine, and both ends of the range keep all digits. Rejected: b = d (x'y)^-1 and its
 * arc tangents (fails at pi/2), one decomposition of the aligned d and arc sines (half of the digits near pi/2;
 * Bendokat, Zimmermann and Absil 2024, algorithm 5.3).
 *
 * Cut locus: an angle of pi/2. The decompositions for the bases x, y determine the sign of such a direction.
 *
 * Canonical basis. See grassmann_canonical().
 *
 * Jacobian of exp (Helgason 1962), with m = min(k, p-k) angles a: the product of sin(a_i - a_j) / (a_i - a_j) and
 * sin(a_i + a_j) / (a_i + a_j) over the pairs and of (sin(a_i) / a_i)^|p-2k|. The squares of the arguments add up to (p
 * - 2) |B|^2; `growth` is the value for equal arguments, an upper bound by Jensen's inequality. Curvature: in [0, 2],
 * and exactly 1 for lines and hyperplanes (Wong 1968).
 *
 * Cost: O(p k^2) for the decompositions, 2 p^2 k for the product with the frame, and 2 p^2 k to compute the frame. */
#include <float.h>

#include "base-draws.h"
#include "base-linear.h"
#include "manifold-parts.h"

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

static void grassmann_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  dpt_linear_complete(manifold->p, manifold->k, x, frame, work);
}

static void grassmann_embed(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient,
                            double *work) {
  (void) work;
  const ptrdiff_t p = manifold->p, k = manifold->k;
  dpt_linear_multiply(p, p - k, k, frame + p * k, v, ambient);
}

static void grassmann_coordinates(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                                  double *work) {
  (void) work;
  const ptrdiff_t p = manifold->p, k = manifold->k;
  dpt_linear_multiply_left_transposed(p - k, p, k, frame + p * k, ambient, v);
}

/* The geodesic of a tangent B = u diag(angle) w', in the m planes that it turns. */
typedef struct {
  double *u;            /* (p - k) x m */
  double *w;            /* k x m */
  double *angle;        /* m */
  double *top, *bottom; /* m each: factors of the ends of the planes */
  double *stacked;      /* p x m: w diag(top) above u diag(bottom) */
  double *columns;      /* p x k: the result in the frame */
} geodesic;

static geodesic decompose_tangent(const dpt_manifold *manifold, const double *v, double **work) {
  const ptrdiff_t p = manifold->p, k = manifold->k, m = smaller(k, p - k);
  const geodesic g = {.u = dpt_take(work, (p - k) * m),
                      .w = dpt_take(work, k * m),
                      .angle = dpt_take(work, m),
                      .top = dpt_take(work, m),
                      .bottom = dpt_take(work, m),
                      .stacked = dpt_take(work, p * m),
                      .columns = dpt_take(work, p * k)};
  dpt_linear_svd(p - k, k, v, g.u, g.angle, g.w, *work);
  return g;
}

static void stack(const dpt_manifold *manifold, const geodesic *g) {
  const ptrdiff_t p = manifold->p, k = manifold->k;
  for (ptrdiff_t j = 0; j < smaller(k, p - k); j++) {
    for (ptrdiff_t i = 0; i < k; i++) g->stacked[i + j * p] = g->top[j] * g->w[i + j * k];
    for (ptrdiff_t i = 0; i < p - k; i++) g->stacked[k + i + j * p] = g->bottom[j] * g->u[i + j * (p - k)];
  }
}

static double versine(double angle) { return 2 * sin(angle / 2) * sin(angle / 2); }

static void grassmann_exp(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work) {
  const ptrdiff_t p = manifold->p, k = manifold->k, m = smaller(k, p - k);
  const geodesic g = decompose_tangent(manifold, v, &work);
  for (ptrdiff_t i = 0; i < m; i++) {
    g.top[i] = -versine(g.angle[i]);
    g.bottom[i] = sin(g.angle[i]);
  }
  stack(manifold, &g);
  dpt_linear_multiply_right_transposed(p, m, k, g.stacked, g.w, g.columns);
  for (ptrdiff_t i = 0; i < k; i++) g.columns[i + i * p] += 1;
  dpt_linear_multiply(p, p, k, frame, g.columns, y);
}

/* Transports a tangent x' C. The part in the span of u turns with the geodesic, and the rest is kept: -x w sin(s) u'C +
 * x' (C + u (cos(s) - 1) u'C). */
static void grassmann_transport(const dpt_manifold *manifold, const double *frame, const double *v,
                                const double *tangent, double *ambient, double *work) {
  const ptrdiff_t p = manifold->p, k = manifold->k, m = smaller(k, p - k);
  double *inner = dpt_take(&work, m * k); /* u'C */
  const geodesic g = decompose_tangent(manifold, v, &work);
  for (ptrdiff_t i = 0; i < m; i++) {
    g.top[i] = -sin(g.angle[i]);
    g.bottom[i] = -versine(g.angle[i]);
  }
  stack(manifold, &g);
  dpt_linear_multiply_left_transposed(m, p - k, k, g.u, tangent, inner);
  dpt_linear_multiply(p, m, k, g.stacked, inner, g.columns);
  for (ptrdiff_t j = 0; j < k; j++)
    for (ptrdiff_t i = 0; i < p - k; i++) g.columns[k + i + j * p] += tangent[i + j * (p - k)];
  dpt_linear_multiply(p, p, k, frame, g.columns, ambient);
}

static void grassmann_log(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work) {
  const ptrdiff_t p = manifold->p, k = manifold->k, n = p - k;
  double *a = dpt_take(&work, k * k); /* x'y = w diag(cosine) z' */
  double *w = dpt_take(&work, k * k), *cosine = dpt_take(&work, k), *z = dpt_take(&work, k * k);
  double *d = dpt_take(&work, n * k);     /* x''y */
  double *moved = dpt_take(&work, n * k); /* d z; its first columns are left diag(sine) turn' */
  double *left = dpt_take(&work, n * k), *sine = dpt_take(&work, k), *turn = dpt_take(&work, k * k);
  double *right = dpt_take(&work, k * k); /* the result, with its angles, is left right' */
  dpt_linear_multiply_left_transposed(k, p, k, frame, y, a);
  dpt_linear_multiply_left_transposed(n, p, k, frame + p * k, y, d);
  dpt_linear_svd(k, k, a, w, cosine, z, work);
  dpt_linear_multiply(n, k, k, d, z, moved);

  ptrdiff_t near = 0;
  while (near < k && cosine[near] > sqrt(0.5)) near++;
  const ptrdiff_t found = smaller(near, n);
  if (near > 0) {
    dpt_linear_svd(n, near, moved, left, sine, turn, work);
    dpt_linear_multiply(k, near, found, w, turn, right);
  }
  for (ptrdiff_t j = 0; j < found; j++) {
    const double angle = asin(fmin(sine[j], 1));
    for (ptrdiff_t i = 0; i < n; i++) left[i + j * n] *= angle;
  }
  for (ptrdiff_t j = near, to = found; j < k; j++, to++) {
    const double length = dpt_vector_length(n, moved + j * n), angle = atan2(length, cosine[j]);
    for (ptrdiff_t i = 0; i < n; i++) left[i + to * n] = moved[i + j * n] / length * angle;
    dpt_vector_copy(k, w + j * k, right + to * k);
  }
  dpt_linear_multiply_right_transposed(n, found + k - near, k, left, right, v);
}

/* Computes angles from the singular values alone: the largest sine belongs to the smallest cosine. */
static double grassmann_distance(const dpt_manifold *manifold, const double *frame, const double *y, double *work) {
  const ptrdiff_t p = manifold->p, k = manifold->k, m = smaller(k, p - k);
  double *a = dpt_take(&work, k * k), *cosine = dpt_take(&work, k);
  double *d = dpt_take(&work, (p - k) * k), *sine = dpt_take(&work, k);
  dpt_linear_multiply_left_transposed(k, p, k, frame, y, a);
  dpt_linear_multiply_left_transposed(p - k, p, k, frame + p * k, y, d);
  dpt_linear_svd(k, k, a, NULL, cosine, NULL, work);
  dpt_linear_svd(p - k, k, d, NULL, sine, NULL, work);
  for (ptrdiff_t i = 0; i < m; i++) sine[i] = atan2(sine[i], cosine[k - 1 - i]);
  return dpt_vector_length(m, sine);
}

/* Projects x = u diag(s) w' to the nearest orthonormal matrix u w', which has the same span. There is none if columns
 * are dependent. Columns of extreme sizes are first multiplied by powers of two, which keeps the span. */
static double grassmann_project(const dpt_manifold *manifold, double *x, double *work) {
  const ptrdiff_t p = manifold->p, k = manifold->k;
  double *u = dpt_take(&work, p * k), *s = dpt_take(&work, k), *w = dpt_take(&work, k * k);
  bool scaled = false;
  for (ptrdiff_t j = 0; j < k; j++) {
    double *column = x + j * p, largest = 0;
    for (ptrdiff_t i = 0; i < p; i++) {
      if (!isfinite(column[i])) return INFINITY;
      largest = fmax(largest, fabs(column[i]));
    }
    if (largest > 0x1p-10 && largest < 0x1p10) continue;
    int exponent;
    frexp(largest, &exponent);
    for (ptrdiff_t i = 0; i < p; i++) column[i] = ldexp(column[i], -exponent);
    scaled = true;
  }
  dpt_linear_svd(p, k, x, u, s, w, work);
  if (!(s[k - 1] > (double) p * DBL_EPSILON * s[0])) return INFINITY;
  dpt_linear_multiply_right_transposed(p, k, k, u, w, x);
  for (ptrdiff_t i = 0; i < k; i++) s[i] -= 1;
  return scaled ? DBL_MAX : dpt_vector_length(k, s) / sqrt((double) k);
}

/* The canonical basis is the one in which k rows, the pivots, form a lower triangular matrix with positive diagonal. It
 * is unique for given pivots, and is computed by reflections applied from the right. After j of them, the length of the
 * rest of a row is the same in every basis, so that the choice of the next pivot depends on the subspace only. It is
 * the first row whose remaining square exceeds PIVOT_SHARE of the largest one. The remaining squares sum to k - j over
 * p - j rows, so no pivot is small, and the basis is as stable as the subspace.
 *
 * No continuous choice exists (the bundle of bases is not trivial). This choice jumps if the square of a row equals
 * that fraction of the largest to the last digit. Rational coordinates do not give this fraction. If the largest row
 * itself were the pivot, rounding would decide for coordinate planes, diagonals, and other symmetric subspaces. */
static const double PIVOT_SHARE = 0.61803398874989485;

static ptrdiff_t find_pivot(ptrdiff_t p, ptrdiff_t columns, const double *x) {
  double largest = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (ptrdiff_t i = 0; i < p; i++) {
      double square = 0;
      for (ptrdiff_t j = 0; j < columns; j++) square += x[i + j * p] * x[i + j * p];
      if (pass == 1 && square > PIVOT_SHARE * largest) return i;
      if (square > largest) largest = square;
    }
  }
  return 0; /* only if x is not finite */
}

static void grassmann_canonical(const dpt_manifold *manifold, double *x, double *work) {
  const ptrdiff_t p = manifold->p, k = manifold->k;
  double *w = dpt_take(&work, k), *y = dpt_take(&work, p);
  for (ptrdiff_t done = 0; done < k; done++) {
    const ptrdiff_t length = k - done;
    double *left = x + done * p;
    const ptrdiff_t pivot = find_pivot(p, length, left);
    for (ptrdiff_t j = 0; j < length; j++) w[j] = left[pivot + j * p];
    const double norm = dpt_vector_length(length, w), sign = copysign(1, w[0]);
    w[0] += sign * norm;
    const double scale = sqrt(2) / dpt_vector_length(length, w);
    for (ptrdiff_t j = 0; j < length; j++) w[j] *= scale;

    memset(y, 0, (size_t) p * sizeof *y);
    for (ptrdiff_t j = 0; j < length; j++)
      for (ptrdiff_t i = 0; i < p; i++) y[i] += left[i + j * p] * w[j];
    for (ptrdiff_t j = 0; j < length; j++)
      for (ptrdiff_t i = 0; i < p; i++) left[i + j * p] -= y[i] * w[j];
    for (ptrdiff_t i = 0; i < p; i++) left[i] *= -sign;
    left[pivot] = norm;
    for (ptrdiff_t j = 1; j < length; j++) left[pivot + j * p] = 0;
  }
}

/* Changes the basis: to = from q with q = from' to. */
static void grassmann_restate(const dpt_manifold *manifold, const double *from, const double *to, double *ambient,
                              double *work) {
  const ptrdiff_t p = manifold->p, k = manifold->k;
  double *q = dpt_take(&work, k * k), *copy = dpt_take(&work, p * k);
  dpt_linear_multiply_left_transposed(k, p, k, from, to, q);
  dpt_vector_copy(p * k, ambient, copy);
  dpt_linear_multiply(p, k, k, copy, q, ambient);
}

/* Draws a Gaussian matrix, which spans a uniformly distributed subspace. */
static void grassmann_uniform(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, double *work) {
  do
    for (ptrdiff_t i = 0; i < manifold->size; i++) x[i] = dpt_draw_normal(ctx);
  while (isinf(grassmann_project(manifold, x, work)));
}

static double grassmann_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  const ptrdiff_t p = manifold->p, k = manifold->k, m = smaller(k, p - k);
  double *angle = dpt_take(&work, m), sum = 0;
  dpt_linear_svd(p - k, k, v, NULL, angle, NULL, work);
  if (angle[0] >= dpt_pi / 2) return -INFINITY;
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j < i; j++)
      sum += dpt_log_sine_ratio(angle[j] - angle[i]) + dpt_log_sine_ratio(angle[j] + angle[i]);
    sum += (double) (p - 2 * m) * dpt_log_sine_ratio(angle[i]);
  }
  return sum;
}

/* ---- rounding: inst/proofs/manifold-mean.md, section 8 ---- */

/* Bounds errors of points. Nothing is ill-conditioned unless an angle is near a quarter turn. Points and logarithms
 * come from decompositions of matrices with k columns, frames and canonical bases from k reflections. */
static double point_unit(const dpt_manifold *manifold) {
  const double size = (double) (manifold->p * manifold->k);
  return 2 * dpt_unit_of_decomposition(manifold->k) + dpt_unit_times(size);
}

static double frame_unit(const dpt_manifold *manifold) {
  const double k = (double) manifold->k;
  return point_unit(manifold) + dpt_unit_times(8 * k * sqrt(k) * ((double) manifold->p + 8));
}

static double log_unit(const dpt_manifold *manifold) {
  return 8 * dpt_unit_of_decomposition(manifold->k) + dpt_unit_times(4 * (double) (manifold->p * manifold->p));
}

static dpt_rounding grassmann_rounding(const dpt_manifold *manifold, const double *frame, const double *y,
                                       const double *v, double *work) {
  (void) frame;
  (void) y;
  (void) work;
  if (dpt_is_at_cut_locus(manifold, dpt_vector_length(manifold->dimension, v))) return dpt_rounding_unknown.log;
  return (dpt_rounding){point_unit(manifold), log_unit(manifold)};
}

static double grassmann_frame_rounding(const dpt_manifold *manifold, const double *frame, const double *x,
                                       double *work) {
  (void) frame;
  (void) x;
  (void) work;
  return frame_unit(manifold);
}

static dpt_rounding_within grassmann_rounding_within(const dpt_manifold *manifold, dpt_rounding_ball ball) {
  if (dpt_is_at_cut_locus(manifold, 2 * ball.radius)) return dpt_rounding_unknown;
  const double point = point_unit(manifold), log = log_unit(manifold);
  return (dpt_rounding_within){.log = {point, log}, .frame = frame_unit(manifold), .end = 6 * point + 2 * log};
}

static const dpt_manifold_functions grassmann = {
    .name = "grassmann",
    .frame = grassmann_frame,
    .exp = grassmann_exp,
    .log = grassmann_log,
    .distance = grassmann_distance,
    .embed = grassmann_embed,
    .coordinates = grassmann_coordinates,
    .transport = grassmann_transport,
    .project = grassmann_project,
    .canonical = grassmann_canonical,
    .restate = grassmann_restate,
    .uniform = grassmann_uniform,
    .log_jacobian = grassmann_log_jacobian,
    .drift = dpt_manifold_no_drift,
    .from_drift = dpt_manifold_from_no_drift,
    .rounding = grassmann_rounding,
    .frame_rounding = grassmann_frame_rounding,
    .rounding_within = grassmann_rounding_within,
};

const dpt_manifold *dpt_manifold_grassmann(dpt_ctx *ctx, ptrdiff_t k, ptrdiff_t p) {
  const ptrdiff_t dimension = k * (p - k), m = smaller(k, p - k), count = dimension - m;
  const double curvature = dimension == 1 ? 0 : m == 1 ? 1 : 2;
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &grassmann,
      .size = p * k,
      .dimension = dimension,
      .frame_size = p * p,
      .work_size = 7 * p * p + 3 * p + dpt_linear_work(p),
      .drift_size = dimension,
      .curvature_above = curvature,
      .curvature_below = m == 1 ? curvature : 0,
      .injectivity_radius = dpt_pi / 2,
      .homogeneous = true,
      .any_row = true,
      .growth.contracting.count = (double) count,
      .growth.contracting.rate = count > 0 ? sqrt((double) (p - 2) / (double) count) : 0,
      .growth.reach = dpt_pi / 2 * sqrt((double) m),
      .p = p,
      .k = k,
  };
  return manifold;
}
