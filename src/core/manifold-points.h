/* manifold-points.h - the functions of a manifold, over many points. */
#ifndef DPT_MANIFOLD_POINTS_H
#define DPT_MANIFOLD_POINTS_H

#include "manifold.h"

/* The columns of a `size` x `count` matrix; one column stands for as many as are asked for. */
typedef struct {
  const double *at;
  ptrdiff_t count;
} dpt_columns;

/* body(data, i, work) for i = 0 .. count - 1, on the threads of the context unless the manifold is serial, in blocks
 * between which the host is polled. `work` is the worker's own: the scratch that the manifold asks for, followed by
 * `extra` doubles. `cost`: about how many nanoseconds an i takes. */
typedef void (*dpt_manifold_body)(const void *data, ptrdiff_t i, double *work);
void dpt_manifold_each(dpt_ctx *ctx, const dpt_manifold *manifold, ptrdiff_t count, ptrdiff_t extra, double cost,
                       dpt_manifold_body body, const void *data);

/* A rough guess of the nanoseconds that one call of exp, log or distance takes. */
double dpt_manifold_cost(const dpt_manifold *manifold);

/* Tangent vectors are ambient here. `stray` (one number a vector) says how much of it, relative to its length, was not
 * tangent at its point; the results are those of the tangent part. */
void dpt_manifold_exp(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns tangent, ptrdiff_t count,
                      double *y, double *stray);
void dpt_manifold_log(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y, ptrdiff_t count,
                      double *tangent);
void dpt_manifold_inner(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns u, dpt_columns v,
                        ptrdiff_t count, double *inner, double *stray);

/* Transport from x to y along the shortest geodesic. */
void dpt_manifold_transport(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y,
                            dpt_columns tangent, ptrdiff_t count, double *moved, double *stray);

void dpt_manifold_distance(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y, ptrdiff_t count,
                           double *distance);

/* All distances, an x.count x y.count matrix; those of x to itself where y.at is x.at. */
void dpt_manifold_distances(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y, double *distance);

/* Moves each column of x to the nearest point of the manifold; `stray` as in project(). */
void dpt_manifold_project(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, ptrdiff_t count, double *stray);

/* Puts the representative that depends on the point alone in place of each column. */
void dpt_manifold_canonical(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, ptrdiff_t count);

/* Moves each column of x that is farther than `radius` from the center to that distance, along the geodesic that
 * log() of the center gives; the others are left as they are, to the last bit. */
void dpt_manifold_clamp(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, double radius, double *x,
                        ptrdiff_t count);

#endif
