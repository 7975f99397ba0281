/* manifold-custom.h - a manifold whose functions the host supplies. */
#ifndef DPT_MANIFOLD_CUSTOM_H
#define DPT_MANIFOLD_CUSTOM_H

#include "manifold.h"

/* The functions of the host, all in ambient coordinates. They return only with a result. `basis` writes a size x
 * dimension matrix: tangent vectors at x that are orthonormal in the manifold's metric. */
typedef struct {
  void (*exp)(const void *data, const double *x, const double *tangent, double *y);
  void (*log)(const void *data, const double *x, const double *y, double *tangent);
  void (*basis)(const void *data, const double *x, double *basis);
  double (*distance)(const void *data, const double *x, const double *y);
  void (*transport)(const void *data, const double *x, const double *y, const double *tangent, double *moved);
  double (*project)(const void *data, double *x);
  bool has_distance, has_transport, has_project;
  const void *data;
} dpt_manifold_host;

/* Facts supplied by the host, as in dpt_manifold. */
typedef struct {
  ptrdiff_t size, dimension;
  double curvature_above, curvature_below, injectivity_radius;
  bool homogeneous;
} dpt_manifold_facts;

const dpt_manifold *dpt_manifold_custom(dpt_ctx *ctx, const dpt_manifold_host *host, dpt_manifold_facts facts);

#endif
