/* manifold-chart.h - normal coordinates about a public center, in which a private mean is rounded. */
#ifndef DPT_MANIFOLD_CHART_H
#define DPT_MANIFOLD_CHART_H

#include "manifold.h"

/* Writes the coordinates, at the center, of the logarithms of the columns of the `size` x `count` matrix x. The result
 * is a `dimension` x `count` matrix, with longer columns shortened to `radius`. If coordinates are not finite (a point
 * too far to compute with), they are all zero, which is the center. */
void dpt_manifold_chart(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *x,
                        ptrdiff_t count, double radius, double *v);

/* The same for the rows of a release, which may be off the manifold. Each row is moved to the manifold separately, and
 * `stray` (one number per row) is its distance from it, as returned by the manifold's row(). If a row has no
 * coordinates, `stray` is infinity and the coordinates are zero. */
void dpt_manifold_chart_rows(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *x,
                             ptrdiff_t count, double radius, double *v, double *stray);

/* Writes the points with normal coordinates v, each by its canonical representative, which depends only on the
 * point. */
void dpt_manifold_from_chart(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *v,
                             ptrdiff_t count, double *x);

#endif
