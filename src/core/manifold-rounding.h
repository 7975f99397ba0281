/* manifold-rounding.h - what rounding does to logarithms, frames and steps of any manifold, products included. */
#ifndef DPT_MANIFOLD_ROUNDING_H
#define DPT_MANIFOLD_ROUNDING_H

#include "manifold.h"

/* Of v, which log(frame, y) wrote, and of the frame at x. Nothing is added for factors of which nothing is proved: see
 * dpt_rounding_guess(). */
dpt_rounding dpt_rounding_of_log(const dpt_manifold *manifold, const double *frame, const double *y, const double *v,
                                 double *work);
double dpt_rounding_of_frame(const dpt_manifold *manifold, const double *frame, const double *x, double *work);

/* A guess in place of a bound, for manifolds that the host defines and factors that are: of the rounding errors of
 * logarithms, as a length, from points near x to points up to `reach` away. Zero for all others. */
double dpt_rounding_guess(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x, double reach);

/* The same for all points of a ball. `center` is that of what the host defines; all else is centered at its origin. */
dpt_rounding_within dpt_rounding_in_ball(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center,
                                         dpt_rounding_ball ball);

#endif
