/* manifold-chart.h - normal coordinates about a public center: what a private mean is rounded in. */
#ifndef DPT_MANIFOLD_CHART_H
#define DPT_MANIFOLD_CHART_H

#include "manifold.h"

/* The coordinates, at the center, of the logarithms of the columns of the `size` x `count` matrix x: a `dimension` x
 * `count` matrix, shortened to `radius` where they are longer. Where they are not finite (a point too far to compute
 * with) they are all zero: the center. */
void dpt_manifold_chart(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *x,
                        ptrdiff_t count, double radius, double *v);

/* The same for the rows of a release, which may be off the manifold: each is moved to it by itself, and `stray` (one
 * number for each row) is how far that was, as the manifold's row() has it; infinity, and zero coordinates, if the row
 * has no coordinates. */
void dpt_manifold_chart_rows(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *x,
                             ptrdiff_t count, double radius, double *v, double *stray);

/* The points with the normal coordinates v, each the representative that depends on the point alone. */
void dpt_manifold_from_chart(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *v,
                             ptrdiff_t count, double *x);

#endif
