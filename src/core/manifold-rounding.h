/* manifold-rounding.h - rounding errors of logarithms, frames and steps of any manifold, including products. */
#ifndef DPT_MANIFOLD_ROUNDING_H
#define DPT_MANIFOLD_ROUNDING_H

#include "manifold.h"

/* Bound errors of v, which log(frame, y) wrote, and of the frame at x. Factors without a proof add nothing: see
 * dpt_rounding_guess(). */
dpt_rounding dpt_rounding_of_log(const dpt_manifold *manifold, const double *frame, const double *y, const double *v,
                                 double *work);
double dpt_rounding_of_frame(const dpt_manifold *manifold, const double *frame, const double *x, double *work);

/* Guesses the rounding errors of logarithms, as a length, from points near x to points up to `reach` away. It replaces
 * the bound for manifolds, and factors, that the host defines, and is zero for all others. */
double dpt_rounding_guess(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x, double reach);

/* The same for all points of a ball. `center` is used for manifolds that the host defines. All others are centered at
 * their origin. */
dpt_rounding_within dpt_rounding_in_ball(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center,
                                         dpt_rounding_ball ball);

#endif
