/* manifold-euclidean.c - the flat space R^d: the frame is the standard basis, and everything is a sum.
 *
 * All entries of a point must be finite. */
#include "manifold-parts.h"

static void euclidean_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  (void) work;
  dpt_vector_copy(manifold->size, x, frame);
}

static void euclidean_exp(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work) {
  (void) work;
  for (ptrdiff_t i = 0; i < manifold->size; i++) y[i] = frame[i] + v[i];
}

static void euclidean_log(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work) {
  (void) work;
  for (ptrdiff_t i = 0; i < manifold->size; i++) v[i] = y[i] - frame[i];
}

static void euclidean_end(const dpt_manifold *manifold, const double *origin_frame, const double *frame,
                          const double *v, double *w, double *point, double *work) {
  (void) point;
  (void) work;
  for (ptrdiff_t i = 0; i < manifold->size; i++) w[i] = (frame[i] - origin_frame[i]) + v[i];
}

static double euclidean_distance(const dpt_manifold *manifold, const double *frame, const double *y, double *work) {
  euclidean_log(manifold, frame, y, work, NULL);
  return dpt_vector_length(manifold->size, work);
}

static void euclidean_embed(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient,
                            double *work) {
  (void) frame;
  (void) work;
  dpt_vector_copy(manifold->size, v, ambient);
}

static void euclidean_coordinates(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                                  double *work) {
  euclidean_embed(manifold, frame, ambient, v, work);
}

static void euclidean_transport(const dpt_manifold *manifold, const double *frame, const double *v, const double *u,
                                double *ambient, double *work) {
  (void) v;
  euclidean_embed(manifold, frame, u, ambient, work);
}

static double euclidean_project(const dpt_manifold *manifold, double *x, double *work) {
  (void) work;
  for (ptrdiff_t i = 0; i < manifold->size; i++) {
    if (!isfinite(x[i])) return INFINITY;
  }
  return 0;
}

static double euclidean_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  (void) manifold;
  (void) v;
  (void) work;
  return 0;
}

/* One subtraction or addition. */
static dpt_rounding euclidean_rounding(const dpt_manifold *manifold, const double *frame, const double *y,
                                       const double *v, double *work) {
  (void) frame;
  (void) y;
  (void) work;
  return (dpt_rounding){0, dpt_unit_times(1) * dpt_vector_length(manifold->size, v)};
}

static dpt_rounding_within euclidean_rounding_within(const dpt_manifold *manifold, dpt_rounding_ball ball) {
  (void) manifold;
  return (dpt_rounding_within){.log = {0, dpt_unit_times(2.1) * ball.radius},
                               .end = dpt_unit_times(8) * (ball.reach + ball.radius)};
}

static const dpt_manifold_functions euclidean = {
    .name = "euclidean",
    .frame = euclidean_frame,
    .exp = euclidean_exp,
    .log = euclidean_log,
    .end = euclidean_end,
    .distance = euclidean_distance,
    .embed = euclidean_embed,
    .coordinates = euclidean_coordinates,
    .transport = euclidean_transport,
    .project = euclidean_project,
    .log_jacobian = euclidean_log_jacobian,
    .drift = dpt_manifold_no_drift,
    .from_drift = dpt_manifold_from_no_drift,
    .rounding = euclidean_rounding,
    .frame_rounding = dpt_manifold_exact_frame,
    .rounding_within = euclidean_rounding_within,
};

const dpt_manifold *dpt_manifold_euclidean(dpt_ctx *ctx, ptrdiff_t d) {
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){
      .of = &euclidean,
      .size = d,
      .dimension = d,
      .frame_size = d,
      .work_size = d,
      .drift_size = d,
      .injectivity_radius = INFINITY,
      .homogeneous = true,
      .growth.reach = INFINITY,
  };
  return manifold;
}
