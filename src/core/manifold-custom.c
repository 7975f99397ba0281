/* manifold-custom.c - a manifold whose functions the host supplies.
 *
 * The frame at x consists of x itself, the host's basis B there, and the Cholesky factor of B'B. B is orthonormal in
 * the manifold's metric, which may differ from the ambient Euclidean metric. So the coordinates of an ambient vector
 * are its least squares solution. The host's functions determine the cost. */
#include "manifold-custom.h"

#include <math.h>
#include <string.h>

#include "base-linear.h"

static const dpt_manifold_host *host_of(const dpt_manifold *manifold) { return manifold->host; }

static const double *basis_of(const dpt_manifold *manifold, const double *frame) { return frame + manifold->size; }

static const double *factor_of(const dpt_manifold *manifold, const double *frame) {
  return frame + manifold->size * (1 + manifold->dimension);
}

static void custom_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  const dpt_manifold_host *host = host_of(manifold);
  double *basis = frame + manifold->size, *factor = basis + manifold->size * manifold->dimension;
  memcpy(frame, x, (size_t) manifold->size * sizeof *x);
  host->basis(host->data, x, basis);
  dpt_linear_multiply_left_transposed(manifold->dimension, manifold->size, manifold->dimension, basis, basis, work);
  if (dpt_linear_cholesky(manifold->dimension, work, factor)) return;
  /* the vectors are not a basis: all results are NaN, which the host detects */
  for (ptrdiff_t i = 0; i < manifold->dimension * manifold->dimension; i++) factor[i] = NAN;
}

static void custom_embed(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient,
                         double *work) {
  (void) work;
  dpt_linear_multiply(manifold->size, manifold->dimension, 1, basis_of(manifold, frame), v, ambient);
}

static void custom_coordinates(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                               double *work) {
  (void) work;
  dpt_linear_multiply_left_transposed(manifold->dimension, manifold->size, 1, basis_of(manifold, frame), ambient, v);
  dpt_linear_solve_lower(manifold->dimension, factor_of(manifold, frame), 1, v);
  dpt_linear_solve_lower_transposed(manifold->dimension, factor_of(manifold, frame), 1, v);
}

static void custom_exp(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work) {
  const dpt_manifold_host *host = host_of(manifold);
  custom_embed(manifold, frame, v, work, NULL);
  host->exp(host->data, frame, work, y);
}

static void custom_log(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work) {
  const dpt_manifold_host *host = host_of(manifold);
  host->log(host->data, frame, y, work);
  custom_coordinates(manifold, frame, work, v, NULL);
}

static double custom_distance(const dpt_manifold *manifold, const double *frame, const double *y, double *work) {
  const dpt_manifold_host *host = host_of(manifold);
  if (host->has_distance) return host->distance(host->data, frame, y);
  double *v = work + manifold->size, square = 0;
  custom_log(manifold, frame, y, v, work);
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) square += v[i] * v[i];
  return sqrt(square);
}

static void custom_transport(const dpt_manifold *manifold, const double *frame, const double *v, const double *u,
                             double *ambient, double *work) {
  const dpt_manifold_host *host = host_of(manifold);
  double *end = work + manifold->size, *tangent = end + manifold->size;
  custom_exp(manifold, frame, v, end, work);
  custom_embed(manifold, frame, u, tangent, NULL);
  host->transport(host->data, frame, end, tangent, ambient);
}

static double custom_project(const dpt_manifold *manifold, double *x, double *work) {
  const dpt_manifold_host *host = host_of(manifold);
  (void) work;
  for (ptrdiff_t i = 0; i < manifold->size; i++)
    if (!isfinite(x[i])) return INFINITY;
  return host->has_project ? host->project(host->data, x) : 0;
}

static const dpt_manifold_functions functions = {
    .name = "custom",
    .frame = custom_frame,
    .exp = custom_exp,
    .log = custom_log,
    .distance = custom_distance,
    .embed = custom_embed,
    .coordinates = custom_coordinates,
    .transport = custom_transport,
    .project = custom_project,
};

const dpt_manifold *dpt_manifold_custom(dpt_ctx *ctx, const dpt_manifold_host *host, dpt_manifold_facts facts) {
  ptrdiff_t size = facts.size, dimension = facts.dimension;
  ptrdiff_t points = 3 * size + dimension, gram = dimension * dimension;
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &functions,
      .size = size,
      .dimension = dimension,
      .frame_size = size * (1 + dimension) + gram,
      .work_size = points > gram ? points : gram,
      .curvature_above = facts.curvature_above,
      .curvature_below = facts.curvature_below,
      .injectivity_radius = facts.injectivity_radius,
      .homogeneous = facts.homogeneous,
      .any_row = true,
      .serial = true,
      /* Bishop and Gromov: balls grow at most as fast as in the space of constant curvature `below` */
      .growth = {.threshold = dimension > 1 ? (double) (dimension - 1) * sqrt(fmax(0, -facts.curvature_below)) : 0,
                 .reach = INFINITY},
      .host = host,
  };
  return manifold;
}
