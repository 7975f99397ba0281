/* manifold-product.c - the product of manifolds, which may be products themselves: points, coordinates and frames are
 * concatenated from the factors, and the squared distance is the sum of the factors' squared distances.
 *
 * Geodesics, transport, projection and the Jacobian of exp are computed by factor. If one factor lacks a function, the
 * product lacks it: each product has its own table of functions, with NULL for missing ones.
 *
 * Growth. log(sinh(sqrt y) / sqrt y) and log(sin(sqrt y) / sqrt y) are concave in y. By Jensen's inequality, with
 * counts c_f, rates a_f and lengths r_f of the factors, c = sum c_f and r^2 = sum r_f^2,
 *   sum c_f log sinhc(a_f r_f) <= c log sinhc(sqrt(sum c_f a_f^2 r_f^2 / c)) <= c log sinhc(a r),
 * with a^2 = max(c_f a_f^2) / c. The same holds with sin, which decreases, and the minimum. A factor that does not
 * contract makes this minimum zero, because a tangent vector may lie in this factor alone. The thresholds t_f add up
 * like lengths, because sum t_f r_f <= |t| |r| (Cauchy), with equality in one direction.
 *
 * Curvature. Planes across two factors are flat, so that zero is among the curvatures if two factors have a positive
 * dimension. Factors that are points (dimension 0) do not count. Cost: the sum over the factors. */
#include "manifold-parts.h"

static void product_frame(const dpt_manifold *manifold, const double *x, double *frame, double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    factor->of->frame(factor, x, frame, work);
    x += factor->size;
    frame += factor->frame_size;
  }
}

static void product_exp(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    factor->of->exp(factor, frame, v, y, work);
    frame += factor->frame_size;
    v += factor->dimension;
    y += factor->size;
  }
}

static void product_end(const dpt_manifold *manifold, const double *origin_frame, const double *frame, const double *v,
                        double *w, double *point, double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    dpt_manifold_end(factor, origin_frame, frame, v, w, point, work);
    origin_frame += factor->frame_size;
    frame += factor->frame_size;
    v += factor->dimension;
    w += factor->dimension;
    point += factor->size;
  }
}

static void product_log(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    factor->of->log(factor, frame, y, v, work);
    frame += factor->frame_size;
    y += factor->size;
    v += factor->dimension;
  }
}

static double product_distance(const dpt_manifold *manifold, const double *frame, const double *y, double *work) {
  double distance = 0;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    distance = hypot(distance, factor->of->distance(factor, frame, y, work));
    frame += factor->frame_size;
    y += factor->size;
  }
  return distance;
}

static void product_embed(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient,
                          double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    factor->of->embed(factor, frame, v, ambient, work);
    frame += factor->frame_size;
    v += factor->dimension;
    ambient += factor->size;
  }
}

static void product_coordinates(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                                double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    factor->of->coordinates(factor, frame, ambient, v, work);
    frame += factor->frame_size;
    ambient += factor->size;
    v += factor->dimension;
  }
}

static void product_transport(const dpt_manifold *manifold, const double *frame, const double *v, const double *u,
                              double *ambient, double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    factor->of->transport(factor, frame, v, u, ambient, work);
    frame += factor->frame_size;
    v += factor->dimension;
    u += factor->dimension;
    ambient += factor->size;
  }
}

/* Projects each factor, and returns the worst distance. An invalid point in one factor makes the whole point
 * invalid. */
static double product_project(const dpt_manifold *manifold, double *x, double *work) {
  double worst = 0;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    worst = fmax(worst, factor->of->project(factor, x, work));
    x += factor->size;
  }
  return worst;
}

static void product_canonical(const dpt_manifold *manifold, double *x, double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    if (factor->of->canonical) factor->of->canonical(factor, x, work);
    x += factor->size;
  }
}

static void product_restate(const dpt_manifold *manifold, const double *from, const double *to, double *ambient,
                            double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    if (factor->of->restate) factor->of->restate(factor, from, to, ambient, work);
    from += factor->size;
    to += factor->size;
    ambient += factor->size;
  }
}

static void product_uniform(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, double *work) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    factor->of->uniform(ctx, factor, x, work);
    x += factor->size;
  }
}

static double product_log_jacobian(const dpt_manifold *manifold, const double *v, double *work) {
  double sum = 0;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    sum += factor->of->log_jacobian(factor, v, work);
    v += factor->dimension;
  }
  return sum;
}

static double product_drift(const dpt_manifold *manifold, double spread, double *delta) {
  double sum = 0;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    sum += factor->of->drift(factor, spread, delta);
    delta += factor->drift_size;
  }
  return sum;
}

/* Lets the factors accept independently, and stops at the first that never does. */
static double product_from_drift(dpt_ctx *ctx, const dpt_manifold *manifold, const double *l, double *v, double *work) {
  double sum = 0;
  for (ptrdiff_t f = 0; f < manifold->factors && sum > -INFINITY; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    sum += factor->of->from_drift(ctx, factor, l, v, work);
    l += factor->drift_size;
    v += factor->dimension;
  }
  return sum;
}

static const dpt_manifold_functions product = {
    .name = "product",
    .frame = product_frame,
    .exp = product_exp,
    .log = product_log,
    .end = product_end,
    .distance = product_distance,
    .embed = product_embed,
    .coordinates = product_coordinates,
    .transport = product_transport,
    .project = product_project,
    .canonical = product_canonical,
    .restate = product_restate,
    .uniform = product_uniform,
    .log_jacobian = product_log_jacobian,
    .drift = product_drift,
    .from_drift = product_from_drift,
};

/* Makes the table: functions that all factors have, and functions for several representations of a point if one factor
 * has them. */
static const dpt_manifold_functions *product_functions(dpt_ctx *ctx, const dpt_manifold *const *factor,
                                                       ptrdiff_t factors) {
  dpt_manifold_functions *of = DPT_NEW(ctx, dpt_manifold_functions, 1);
  bool canonical = false;
  *of = product;
  for (ptrdiff_t f = 0; f < factors; f++) {
    if (factor[f]->of->canonical) canonical = true;
    if (!factor[f]->of->uniform) of->uniform = NULL;
    if (!factor[f]->of->log_jacobian) of->log_jacobian = NULL;
    if (!factor[f]->of->drift) of->drift = NULL;
    if (!factor[f]->of->from_drift) of->from_drift = NULL;
  }
  if (!canonical) {
    of->canonical = NULL;
    of->restate = NULL;
  }
  return of;
}

static void product_sizes(dpt_manifold *manifold) {
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    manifold->size += factor->size;
    manifold->dimension += factor->dimension;
    manifold->frame_size += factor->frame_size;
    manifold->drift_size += factor->drift_size;
    if (factor->work_size > manifold->work_size) manifold->work_size = factor->work_size;
  }
}

static void product_geometry(dpt_manifold *manifold) {
  ptrdiff_t solid = 0; /* factors that are not points */
  double above = -INFINITY, below = INFINITY;
  manifold->injectivity_radius = INFINITY;
  manifold->homogeneous = true;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    manifold->homogeneous = manifold->homogeneous && factor->homogeneous;
    manifold->serial = manifold->serial || factor->serial;
    if (factor->dimension == 0) continue;
    solid++;
    above = fmax(above, factor->curvature_above);
    below = fmin(below, factor->curvature_below);
    manifold->injectivity_radius = fmin(manifold->injectivity_radius, factor->injectivity_radius);
  }
  manifold->curvature_above = solid == 1 ? above : fmax(above, 0);
  manifold->curvature_below = solid == 1 ? below : fmin(below, 0);
}

static dpt_manifold_growth product_growth(const dpt_manifold *manifold) {
  dpt_manifold_growth growth = {.threshold = 0};
  double steepest = 0, flattest = INFINITY; /* the extremes of count times the square of the rate */
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold_growth *of = &manifold->factor[f]->growth;
    if (manifold->factor[f]->dimension == 0) continue;
    growth.expanding.count += of->expanding.count;
    growth.contracting.count += of->contracting.count;
    steepest = fmax(steepest, of->expanding.count * of->expanding.rate * of->expanding.rate);
    flattest = fmin(flattest, of->contracting.count * of->contracting.rate * of->contracting.rate);
    growth.threshold = hypot(growth.threshold, of->threshold);
    growth.reach = hypot(growth.reach, of->reach);
  }
  if (!(flattest > 0)) growth.contracting.count = 0;
  if (growth.expanding.count > 0) growth.expanding.rate = sqrt(steepest / growth.expanding.count);
  if (growth.contracting.count > 0) growth.contracting.rate = sqrt(flattest / growth.contracting.count);
  return growth;
}

const dpt_manifold *dpt_manifold_product(dpt_ctx *ctx, const dpt_manifold *const *factor, ptrdiff_t factors) {
  const dpt_manifold **copy = DPT_NEW(ctx, const dpt_manifold *, factors);
  for (ptrdiff_t f = 0; f < factors; f++) copy[f] = factor[f];
  dpt_manifold *manifold = DPT_NEW(ctx, dpt_manifold, 1);
  *manifold = (dpt_manifold){.of = product_functions(ctx, factor, factors), .factors = factors, .factor = copy};
  product_sizes(manifold);
  product_geometry(manifold);
  manifold->growth = product_growth(manifold);
  return manifold;
}
