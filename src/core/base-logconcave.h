/* base-logconcave.h - exact draws from a log-concave density on an interval [0, upper]. */
#ifndef DPT_BASE_LOGCONCAVE_H
#define DPT_BASE_LOGCONCAVE_H

#include "base-context.h"

/* The logarithm of a density, up to a constant, and its derivative, at 0 <= x <= upper. It may be minus infinity at
 * a bound of the interval. */
typedef double (*dpt_log_density)(const void *data, double x, double *slope);

enum { DPT_LOGCONCAVE_LEVELS = 6, DPT_LOGCONCAVE_PIECES = 2 * DPT_LOGCONCAVE_LEVELS + 1 };

/* One tangent of the hull, on the interval in which it is the lowest. From its higher end `anchor` the exponential
 * falls. */
typedef struct {
  double touch, height, slope; /* the tangent */
  double below, above;         /* slopes of the chords to the neighbors' touching points, for the squeeze */
  double anchor, span;         /* span = exp(-|slope| * width) - 1, or the signed width if the slope is zero */
  double floor;                /* exp(-|slope| * width): value of the exponential at the other end */
  double cumulative;           /* probability of this and all earlier pieces */
} dpt_logconcave_piece;

typedef struct {
  dpt_log_density log_density;
  const void *data;
  int pieces;
  dpt_logconcave_piece piece[DPT_LOGCONCAVE_PIECES];
} dpt_logconcave;

/* Builds the hull. `start` is any point inside (0, upper), with the order of the scale of the density if that is
 * known. `upper` may be infinite. Fails if no hull with a finite integral is found: the density has none. */
dpt_status dpt_logconcave_open(dpt_ctx *ctx, dpt_log_density log_density, const void *data, double start, double upper,
                               dpt_logconcave *hull);

/* One draw. */
double dpt_logconcave_draw(dpt_ctx *ctx, const dpt_logconcave *hull);

#endif
