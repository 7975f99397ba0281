/* manifold-radius.h - the radial envelope of the sampler, from the growth of volume with distance. */
#ifndef DPT_MANIFOLD_RADIUS_H
#define DPT_MANIFOLD_RADIUS_H

#include "manifold.h"

/* Compute log(sinh(x) / x) and its derivative, and the same for the sine, x < pi. */
double dpt_log_sinhc(double x, double *slope);
double dpt_log_sinc(double x, double *slope);

/* Computes the bound of log J for a tangent vector of length rho, and its derivative in rho. */
double dpt_radius_bound(const dpt_manifold_growth *growth, double rho, double *slope);

/* The envelope of the density of the distance: rho^(power) exp(bound(rho) - rate * rho). */
typedef struct {
  double power; /* dimension - 1 */
  double rate;  /* 1 / scale, zero for the uniform distribution */
  dpt_manifold_growth growth;
} dpt_radius;

/* Its logarithm, a dpt_log_density on a dpt_radius; log-concave, as inst/proofs/manifold-laplace.md shows. */
double dpt_radius_log_density(const void *radius, double rho, double *slope);

/* Returns the end of the envelope. Beyond this length nothing is accepted. */
double dpt_radius_reach(const dpt_manifold_growth *growth);

#endif
