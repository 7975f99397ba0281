/* manifold.h - what the mean, the sampler and the private mean know of a manifold.
 *
 * A point is `size` doubles. At each point stands an orthonormal frame, and a tangent vector is its `dimension`
 * coordinates in that frame: lengths, directions and random tangents are then those of Euclidean space, whatever the
 * manifold. On a homogeneous space the frame at x is the differential of an isometry that takes the origin to x, so
 * that exp and log are those of the origin, seen through the isometry.
 *
 * One file for each manifold fills in the table of functions; the formulas and their sources stand there. */
#ifndef DPT_MANIFOLD_H
#define DPT_MANIFOLD_H

#include "base-context.h"

typedef struct dpt_manifold dpt_manifold;

/* What rounding does to a logarithm: the computed log(frame, y) is the exact one of a point within `point` of y, seen
 * from the point that the frame stands for, but for a tangent vector of at most the length `tangent`. Infinite where
 * nothing is proved. */
typedef struct {
  double point, tangent;
} dpt_rounding;

/* The same for all points of a ball around the origin, seen from each other; how far a frame may be from its point; and
 * how far from its end a step in the ball may end that is clamped to the ball, distances all of them. */
typedef struct {
  dpt_rounding log;
  double frame, end;
} dpt_rounding_within;

/* A ball around the origin, steps from its points, and how far from the origin these end before the clamp. */
typedef struct {
  double radius, step, reach;
} dpt_rounding_ball;

/* The functions of a manifold. `frame` is what its frame() wrote, `work` is scratch of `work_size` doubles, which
 * belongs to the caller: the functions allocate nothing and keep nothing, so that threads may share a manifold, each
 * with its own scratch. No output may alias an input, except where a comment says so. */
typedef struct {
  const char *name;

  /* Writes `frame_size` doubles that stand for the frame at x. */
  void (*frame)(const dpt_manifold *manifold, const double *x, double *frame, double *work);

  /* The end of the geodesic that leaves x with the velocity v (coordinates), after time one. */
  void (*exp)(const dpt_manifold *manifold, const double *frame, const double *v, double *y, double *work);

  /* The log, at the origin of the manifold, of the end of exp(v): what a draw is released as. It holds ends that no
   * matrix or vector of doubles does. NULL where the way over the point itself loses nothing: dpt_manifold_end(). */
  void (*end)(const dpt_manifold *manifold, const double *origin_frame, const double *frame, const double *v, double *w,
              double *point, double *work);

  /* The shortest velocity (coordinates at x) that leads to y. On the cut locus of x there are several: one of them,
   * always the same for the same numbers. */
  void (*log)(const dpt_manifold *manifold, const double *frame, const double *y, double *v, double *work);

  /* The length of log, computed directly where that is cheaper or more accurate. */
  double (*distance)(const dpt_manifold *manifold, const double *frame, const double *y, double *work);

  /* The tangent vector at x with the coordinates v, as `size` numbers of the space around the manifold; and back, the
   * coordinates of the tangent part of `ambient` (orthogonal projection in the manifold's metric at x). */
  void (*embed)(const dpt_manifold *manifold, const double *frame, const double *v, double *ambient, double *work);
  void (*coordinates)(const dpt_manifold *manifold, const double *frame, const double *ambient, double *v,
                      double *work);

  /* Parallel transport of the tangent u at x along the geodesic that leaves x with velocity v, to its end at time one;
   * u and v in coordinates at x, the result as `size` ambient numbers at the end. */
  void (*transport)(const dpt_manifold *manifold, const double *frame, const double *v, const double *u,
                    double *ambient, double *work);

  /* Moves x to the nearest point of the manifold, in place, and returns how far x was from it relative to its size:
   * about 1e-16 for a point, infinity where there is no nearest point. */
  double (*project)(const dpt_manifold *manifold, double *x, double *work);

  /* Reads a row of a release, which may be off the manifold: moves x to the nearest point, writes the log of that, and
   * returns how far x was, relative to its size; infinity if there is no such point. What lies at infinity (a singular
   * matrix) gets a finite log beyond the ball of this radius about the point of the frame. In the ball the log is that of
   * log(). NULL if project() and log() do all that: dpt_manifold_chart_rows(). */
  double (*row)(const dpt_manifold *manifold, const double *frame, double radius, double *x, double *v, double *work);

  /* A point may have several representations (a basis of a subspace); puts in place of x the one that depends on the
   * point alone. NULL where there is but one. */
  void (*canonical)(const dpt_manifold *manifold, double *x, double *work);

  /* The ambient numbers of a tangent belong to a representation of its point. Turns those at the representation `from`,
   * such as exp() writes and transport() speaks of, into those at the representation `to` of the same point, in place.
   * NULL where there is but one. */
  void (*restate)(const dpt_manifold *manifold, const double *from, const double *to, double *ambient, double *work);

  /* A point from the uniform distribution of a compact homogeneous space; NULL for the others. */
  void (*uniform)(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, double *work);

  /* log of the Jacobian of exp at v (it depends on the point on no homogeneous space), minus infinity outside the
   * domain in which geodesics are shortest. NULL where it is not known: no exact sampler. */
  double (*log_jacobian)(const dpt_manifold *manifold, const double *v, double *work);

  /* For samplers near the threshold of a non-compact space (manifold-laplace.c): `drift` writes the vector delta of
   * `drift_size` numbers, of length `threshold`; `from_drift` makes of l, drawn with density proportional to
   * exp(<delta, l> - |l| / scale), the tangent coordinates v, with |v| = |l|, and returns the logarithm of the
   * probability with which v is to be accepted, minus infinity for never. NULL where log_jacobian is.
   * All that is for an infinite `spread`. For a finite one `drift` writes a longer vector delta', which suits spectra
   * whose neighbors are about that far apart, and returns a number b with from_drift(l) <= b + <delta' - delta, l>. */
  double (*drift)(const dpt_manifold *manifold, double spread, double *delta);
  double (*from_drift)(dpt_ctx *ctx, const dpt_manifold *manifold, const double *l, double *v, double *work);

  /* Bounds of rounding errors, proved in inst/proofs/manifold-mean.md, section 8: of v, which log(frame, y) wrote; of
   * the distance between x and the point that its frame stands for; and for all points of a ball at once, from its
   * radius alone. NULL where nothing is proved, and for products, which manifold-rounding.c takes apart. */
  dpt_rounding (*rounding)(const dpt_manifold *manifold, const double *frame, const double *y, const double *v,
                           double *work);
  double (*frame_rounding)(const dpt_manifold *manifold, const double *frame, const double *x, double *work);
  dpt_rounding_within (*rounding_within)(const dpt_manifold *manifold, dpt_rounding_ball ball);
} dpt_manifold_functions;

/* Bounds of the Jacobian J of exp by the length rho of the tangent alone:
 *   log J <= expanding.count * log(sinh(x) / x),  x = expanding.rate * rho      (no bound needed: count 0)
 *   log J <= threshold * rho
 *   log J <= contracting.count * log(sin(x) / x), x = contracting.rate * rho    (where x < pi)
 * with expanding.count < dimension. J is zero beyond `reach`, infinity where it never is. */
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
  bool homogeneous; /* isometries take every point to every other, and the constant of a density in the distance is
                       free of its center */
  bool any_row;     /* rows stand for their nearest point however far it is: any vector has a direction */
  bool serial;      /* its functions call the host: one thread only */
  dpt_manifold_growth growth;

  ptrdiff_t p, k; /* sizes of matrices, for those made of them */
  double scale;   /* radius of a sphere, radius of curvature of a hyperbolic space */
  ptrdiff_t factors;
  const dpt_manifold *const *factor; /* of a product */
  const void *host;                  /* of a manifold that the host defines (manifold-custom.h) */
};

/* w: the coordinates, in the frame of the origin, of the log of the end of exp(v). `point` is scratch for one point. */
static inline void dpt_manifold_end(const dpt_manifold *manifold, const double *origin_frame, const double *frame,
                                    const double *v, double *w, double *point, double *work) {
  if (manifold->of->end) {
    manifold->of->end(manifold, origin_frame, frame, v, w, point, work);
    return;
  }
  manifold->of->exp(manifold, frame, v, point, work);
  manifold->of->log(manifold, origin_frame, point, w, work);
}

/* One constructor a manifold; memory comes from the context. Sizes are checked by the caller. */
const dpt_manifold *dpt_manifold_euclidean(dpt_ctx *ctx, ptrdiff_t d);
const dpt_manifold *dpt_manifold_sphere(dpt_ctx *ctx, ptrdiff_t d, double radius);        /* in R^(d+1) */
const dpt_manifold *dpt_manifold_hyperbolic(dpt_ctx *ctx, ptrdiff_t d, double curvature); /* hyperboloid in R^(1+d) */
const dpt_manifold *dpt_manifold_spd(dpt_ctx *ctx, ptrdiff_t p);                          /* affine invariant */
const dpt_manifold *dpt_manifold_spd_log(dpt_ctx *ctx, ptrdiff_t p);                      /* log-Euclidean */
const dpt_manifold *dpt_manifold_rotation(dpt_ctx *ctx, ptrdiff_t p);                     /* p x p, metric tr(U'V)/2 */
const dpt_manifold *dpt_manifold_grassmann(dpt_ctx *ctx, ptrdiff_t k, ptrdiff_t p);       /* p x k, orthonormal */
const dpt_manifold *dpt_manifold_product(dpt_ctx *ctx, const dpt_manifold *const *factor, ptrdiff_t factors);

#endif
