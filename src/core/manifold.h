/* manifold.h - the interface of a manifold to the mean, the sampler and the private mean.
 *
 * A point is `size` doubles. Each point has an orthonormal frame, and a tangent vector is given by its `dimension`
 * coordinates in this frame. So on every manifold, lengths, directions and random tangents are computed as in Euclidean
 * space. On a homogeneous space, the frame at x is the differential of an isometry that takes the origin to x, so that
 * exp and log at x are exp and log at the origin, moved by the isometry.
 *
 * One file per manifold fills in the table of functions, and gives formulas and sources. */
#ifndef DPT_MANIFOLD_H
#define DPT_MANIFOLD_H

#include "base-context.h"

typedef struct dpt_manifold dpt_manifold;

/* The rounding error of a logarithm. The computed log(frame, y) is an exact log plus a tangent vector of length at most
 * `tangent`. The exact log is taken at the point that the frame represents, of a point within `point` of y. Infinite
 * without a proof. */
typedef struct {
  double point, tangent;
} dpt_rounding;

/* The same for all pairs of points of a ball around the origin. Also the distance of a frame from its point, and the
 * distance of the computed end of a step, clamped to the ball, from the exact end. All are distances. */
typedef struct {
  dpt_rounding log;
  double frame, end;
} dpt_rounding_within;

/* A ball around the origin, the length of steps from its points, and the distance from the origin of their ends before
 * the clamp. */
typedef struct {
  double radius, step, reach;
} dpt_rounding_ball;

/* The functions of a manifold. `frame` was written by its frame(). `work` is the caller's scratch of `work_size`
 * doubles. The functions allocate nothing and keep nothing, so that threads may share a manifold, each with its own
 * scratch. An output may alias an input only if a comment allows it. */
typedef struct {
  const char *name;

  /* Writes `frame_size` doubles that represent the frame at x. */
  void (*frame)(const dpt_manifold *manifold, const double *x, double *frame, double *work);

  /* Computes the end of the geodesic that leaves x with velocity v (coordinates), at time one. */
  void (*exp)(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work);

  /* Computes the log, at the origin of the manifold, of the end of exp(v), as which a draw is released. It can
   * represent ends that no matrix or vector of doubles can. NULL if computing the point itself loses nothing:
   * dpt_manifold_end(). */
  void (*end)(const dpt_manifold *manifold, const double *origin_frame, const double *frame, const double *v, double *w,
              double *point, double *work);

  /* Computes the shortest velocity (coordinates at x) that leads to y. If y is on the cut locus of x, there are
   * several. The result is one of them, always the same for the same numbers. */
  void (*log)(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work);

  /* Computes the length of log, directly if this is cheaper or more accurate. */
  double (*distance)(const dpt_manifold *manifold, const double *frame, const double *y, double *work);

  /* Converts coordinates v at x to a tangent vector of `size` ambient numbers, and back: the coordinates of the tangent
   * part of `ambient` (orthogonal projection in the manifold's metric at x). */
  void (*embed)(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient, double *work);
  void (*coordinates)(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                      double *work);

  /* Transports the tangent u at x in parallel along the geodesic that leaves x with velocity v, to its end at time one.
   * u and v are coordinates at x. The result is `size` ambient numbers at the end. */
  void (*transport)(const dpt_manifold *manifold, const double *frame, const double *v, const double *u,
                    double *ambient, double *work);

  /* Moves x to the nearest point of the manifold, in place, and returns the distance of x from it relative to its size:
   * about 1e-16 for a point, infinity if there is no nearest point. */
  double (*project)(const dpt_manifold *manifold, double *x, double *work);

  /* Reads a row of a release, which may be off the manifold: moves x to the nearest point, writes the log of that, and
   * returns the distance of x from it, relative to its size, or infinity if there is no such point. A point at infinity
   * (a singular matrix) gets a finite log beyond the ball of this radius about the point of the frame. In the ball, the
   * result equals log(). NULL if project() and log() do all of this: dpt_manifold_chart_rows(). */
  double (*row)(const dpt_manifold *manifold, const double *frame, double radius, double *x, double *v, double *work);

  /* Replaces x by its canonical representation, which depends only on the point. A point may have several
   * representations (bases of a subspace). NULL if there is only one. */
  void (*canonical)(const dpt_manifold *manifold, double *x, double *work);

  /* Converts the ambient numbers of a tangent, in place, from the representation `from` of its point, as written by
   * exp() and used by transport(), to the representation `to` of the same point. NULL if there is only one
   * representation. */
  void (*restate)(const dpt_manifold *manifold, const double *from, const double *to, double *ambient, double *work);

  /* Draws a point from the uniform distribution of a compact homogeneous space. NULL for other manifolds. */
  void (*uniform)(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, double *work);

  /* Computes the log of the Jacobian of exp at v, or minus infinity outside the domain in which geodesics are shortest.
   * On a homogeneous space it does not depend on the point. NULL if it is not known; then there is no exact sampler. */
  double (*log_jacobian)(const dpt_manifold *manifold, const double *v, double *work);

  /* For samplers near the threshold of a non-compact space (manifold-laplace.c). With infinite `spread`, `drift` writes
   * the vector delta of `drift_size` numbers, of length `threshold`. `from_drift` takes an l drawn with density
   * proportional to exp(<delta, l> - |l| / scale), and computes tangent coordinates v with |v| = |l|. It returns the
   * log of the probability with which v is to be accepted, minus infinity for never. NULL if log_jacobian is NULL. With
   * finite `spread`, `drift` writes a longer vector delta', which suits spectra whose neighbors are about that far
   * apart, and returns a number b with from_drift(l) <= b + <delta' - delta, l>. */
  double (*drift)(const dpt_manifold *manifold, double spread, double *delta);
  double (*from_drift)(dpt_ctx *ctx, const dpt_manifold *manifold, const double *l, double *v, double *work);

  /* Bound rounding errors, as proved in inst/proofs/manifold-mean.md, section 8: of v, which log(frame, y) wrote; of
   * the distance between x and the point that its frame represents; and for all points of a ball at once, from its
   * radius alone. NULL without a proof, and for products, which manifold-rounding.c splits into factors. */
  dpt_rounding (*rounding)(const dpt_manifold *manifold, const double *frame, const double *y, const double *v,
                           double *work);
  double (*frame_rounding)(const dpt_manifold *manifold, const double *frame, const double *x, double *work);
  dpt_rounding_within (*rounding_within)(const dpt_manifold *manifold, dpt_rounding_ball ball);
} dpt_manifold_functions;

/* Bounds of the Jacobian J of exp by the length rho of the tangent alone:
 *   log J <= expanding.count * log(sinh(x) / x),  x = expanding.rate * rho      (no bound needed: count 0)
 *   log J <= threshold * rho
 *   log J <= contracting.count * log(sin(x) / x), x = contracting.rate * rho    (where x < pi)
 * with expanding.count < dimension. J is zero beyond `reach`, which is infinity if J is never zero. */
typedef struct {
  struct {
    double count, rate;
  } expanding, contracting;
  double threshold;
  double reach;
} dpt_manifold_growth;

struct dpt_manifold {
  const dpt_manifold_functions *of;
  ptrdiff_t size, dimension;
  ptrdiff_t frame_size, work_size, drift_size;
  double curvature_above, curvature_below; /* bounds of the sectional curvatures */
  double injectivity_radius;
  bool homogeneous; /* isometries take every point to every other, so that a density in the distance has the same
                       constant for all centers */
  bool any_row;     /* rows are moved to their nearest point from any distance: any vector has a direction */
  bool serial;      /* its functions call the host: one thread only */
  dpt_manifold_growth growth;

  ptrdiff_t p, k; /* sizes of matrices, for manifolds of matrices */
  double scale;   /* radius of a sphere, radius of curvature of a hyperbolic space */
  ptrdiff_t factors;
  const dpt_manifold *const *factor; /* of a product */
  const void *host;                  /* of a manifold that the host defines (manifold-custom.h) */
};

/* Writes w, the coordinates, in the frame of the origin, of the log of the end of exp(v). `point` is scratch for one
 * point. */
static inline void dpt_manifold_end(const dpt_manifold *manifold, const double *origin_frame, const double *frame,
                                    const double *v, double *w, double *point, double *work) {
  if (manifold->of->end) {
    manifold->of->end(manifold, origin_frame, frame, v, w, point, work);
    return;
  }
  manifold->of->exp(manifold, frame, v, point, work);
  manifold->of->log(manifold, origin_frame, point, w, work);
}

/* One constructor per manifold. Memory comes from the context. The caller checks sizes. */
const dpt_manifold *dpt_manifold_euclidean(dpt_ctx *ctx, ptrdiff_t d);
const dpt_manifold *dpt_manifold_sphere(dpt_ctx *ctx, ptrdiff_t d, double radius);        /* in R^(d+1) */
const dpt_manifold *dpt_manifold_hyperbolic(dpt_ctx *ctx, ptrdiff_t d, double curvature); /* hyperboloid in R^(1+d) */
const dpt_manifold *dpt_manifold_spd(dpt_ctx *ctx, ptrdiff_t p);                          /* affine invariant */
const dpt_manifold *dpt_manifold_spd_log(dpt_ctx *ctx, ptrdiff_t p);                      /* log-Euclidean */
const dpt_manifold *dpt_manifold_rotation(dpt_ctx *ctx, ptrdiff_t p);                     /* p x p, metric tr(U'V)/2 */
const dpt_manifold *dpt_manifold_grassmann(dpt_ctx *ctx, ptrdiff_t k, ptrdiff_t p);       /* p x k, orthonormal */
const dpt_manifold *dpt_manifold_shapes(dpt_ctx *ctx, ptrdiff_t landmarks);               /* k x 2, size one */
const dpt_manifold *dpt_manifold_product(dpt_ctx *ctx, const dpt_manifold *const *factor, ptrdiff_t factors);

#endif
