/* manifold-radius.c - the radial envelope: powers, exponentials and the bounds of manifold.h's growth.
 *
 * The bound by the threshold is subtracted from the rate before it is multiplied by rho: near the threshold only the
 * difference remains, and rho is large. Cost: two or three elementary functions. */
#include "manifold-radius.h"

#include "manifold-parts.h"

/* Below this limit the series is exact to the last bits, and the formulas lose half of the digits. */
static const double small = 0.03;

double dpt_log_sinhc(double x, double *slope) {
  if (x < small) {
    const double y = x * x;
    *slope = x / 3 * (1 - y / 15 * (1 - y * 2 / 21));
    return y / 6 * (1 - y / 30 * (1 - y * 4 / 63));
  }
  const double fall = exp(-2 * x);
  *slope = (1 + fall) / (1 - fall) - 1 / x;
  return x + log((1 - fall) / (2 * x));
}

double dpt_log_sinc(double x, double *slope) {
  if (x < small) {
    const double y = x * x;
    *slope = -x / 3 * (1 + y / 15 * (1 + y * 2 / 21));
    return -y / 6 * (1 + y / 30 * (1 + y * 4 / 63));
  }
  *slope = x < dpt_pi ? 1 / tan(x) - 1 / x : -INFINITY;
  return x < dpt_pi ? log(sin(x) / x) : -INFINITY;
}

/* Computes the bound of log J, less `offset` times rho. */
static double bound_beyond(const dpt_manifold_growth *growth, double offset, double rho, double *slope) {
  double per = 0;
  *slope = -offset;
  if (growth->contracting.count > 0) {
    const double bound = growth->contracting.count * dpt_log_sinc(growth->contracting.rate * rho, &per);
    *slope += growth->contracting.count * growth->contracting.rate * per;
    return bound - offset * rho;
  }
  if (growth->expanding.count <= 0) return -offset * rho;
  const double bound = growth->expanding.count * dpt_log_sinhc(growth->expanding.rate * rho, &per);
  if (bound > growth->threshold * rho) {
    *slope = growth->threshold - offset;
    return (growth->threshold - offset) * rho;
  }
  *slope += growth->expanding.count * growth->expanding.rate * per;
  return bound - offset * rho;
}

double dpt_radius_bound(const dpt_manifold_growth *growth, double rho, double *slope) {
  return bound_beyond(growth, 0, rho, slope);
}

double dpt_radius_log_density(const void *data, double rho, double *slope) {
  const dpt_radius *radius = data;
  const double bound = bound_beyond(&radius->growth, radius->rate, rho, slope);
  if (radius->power == 0) return bound;
  *slope += radius->power / rho;
  return bound + radius->power * log(rho);
}

double dpt_radius_reach(const dpt_manifold_growth *growth) {
  if (growth->contracting.count <= 0 || growth->contracting.rate <= 0) return growth->reach;
  return fmin(growth->reach, dpt_pi / growth->contracting.rate);
}
