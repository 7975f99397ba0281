/* manifold-points.h - applies the functions of a manifold to many points. */
#ifndef DPT_MANIFOLD_POINTS_H
#define DPT_MANIFOLD_POINTS_H

#include "manifold.h"

/* The columns of a `size` x `count` matrix; a single column is used for every index. */
typedef struct {
  const double *at;
  ptrdiff_t count;
} dpt_columns;

/* Calls body(data, i, work) for i = 0 .. count - 1, on the threads of the context unless the manifold is serial, in
 * blocks between which the host is polled. `work` belongs to the worker: the manifold's scratch, followed by `extra`
 * doubles. `cost`: approximate nanoseconds per i. */
typedef void (*dpt_manifold_body)(const void *data, ptrdiff_t i, double *work);
void dpt_manifold_each(dpt_ctx *ctx, const dpt_manifold *manifold, ptrdiff_t count, ptrdiff_t extra, double cost,
                       dpt_manifold_body body, const void *data);

/* Estimates roughly the nanoseconds for one call of exp, log, or distance. */
double dpt_manifold_cost(const dpt_manifold *manifold);

/* These functions take ambient tangent vectors. `stray` (one number per vector) is the part of it, relative to its
 * length, that was not tangent at its point. Results are for the tangent part. */
void dpt_manifold_exp(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns tangent, ptrdiff_t count,
                      double *y, double *stray);
void dpt_manifold_log(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y, ptrdiff_t count,
                      double *tangent);
void dpt_manifold_inner(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns u, dpt_columns v,
                        ptrdiff_t count, double *inner, double *stray);

/* Transports from x to y along the shortest geodesic. */
void dpt_manifold_transport(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y,
                            dpt_columns tangent, ptrdiff_t count, double *moved, double *stray);

void dpt_manifold_distance(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y, ptrdiff_t count,
                           double *distance);

/* Computes all distances, an x.count x y.count matrix; the distances within x if y.at is x.at. */
void dpt_manifold_distances(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y, double *distance);

/* Moves each column of x to the nearest point of the manifold; `stray` as in project(). */
void dpt_manifold_project(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, ptrdiff_t count, double *stray);

/* Replaces each column by the canonical representative, which depends only on the point. */
void dpt_manifold_canonical(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, ptrdiff_t count);

/* Moves each column of x that is farther than `radius` from the center to that distance, along the geodesic given by
 * log() at the center. Other columns are unchanged, to the last bit. */
void dpt_manifold_clamp(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, double radius, double *x,
                        ptrdiff_t count);

#endif
