/* manifold-chart.c - normal coordinates about a public center.
 *
 * One frame, then a logarithm or an exponential a point: their cost is that of the manifold's functions. A point is
 * clamped by shortening its coordinates: no distance is worked out twice, and what arithmetic cannot do around a far
 * center has no say in it. */
#include "manifold-chart.h"

#include <math.h>

#include "manifold-parts.h"
#include "manifold-points.h"

typedef struct {
  const dpt_manifold *manifold;
  const double *frame, *in;
  double *out;
  double radius;
} chart_job;

static bool all_finite(ptrdiff_t n, const double *x) {
  for (ptrdiff_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static void chart_one(const void *data, ptrdiff_t i, double *work) {
  const chart_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  const double *x = job->in + i * manifold->size;
  double *v = job->out + i * manifold->dimension;
  if (all_finite(manifold->size, x)) {
    manifold->of->log(manifold, job->frame, x, v, work);
    if (all_finite(manifold->dimension, v)) {
      const double length = dpt_vector_length(manifold->dimension, v);
      if (length > job->radius)
        for (ptrdiff_t j = 0; j < manifold->dimension; j++) v[j] = v[j] / length * job->radius;
      return;
    }
  }
  for (ptrdiff_t j = 0; j < manifold->dimension; j++) v[j] = 0;
}

static void from_chart_one(const void *data, ptrdiff_t i, double *work) {
  const chart_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  double *x = job->out + i * manifold->size;
  manifold->of->exp(manifold, job->frame, job->in + i * manifold->dimension, x, work);
  if (manifold->of->canonical) manifold->of->canonical(manifold, x, work);
}

static void run(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *in, ptrdiff_t count,
                double radius, double *out, dpt_manifold_body body) {
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  double *frame = DPT_NEW(ctx, double, manifold->frame_size), *work = DPT_NEW(ctx, double, manifold->work_size);
  manifold->of->frame(manifold, center, frame, work);
  chart_job job = {.manifold = manifold, .frame = frame, .in = in, .out = out, .radius = radius};
  dpt_manifold_each(ctx, manifold, count, 0, dpt_manifold_cost(manifold), body, &job);
  dpt_arena_release(&ctx->arena, here);
}

void dpt_manifold_chart(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *x,
                        ptrdiff_t count, double radius, double *v) {
  run(ctx, manifold, center, x, count, radius, v, chart_one);
}

void dpt_manifold_from_chart(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *v,
                             ptrdiff_t count, double *x) {
  run(ctx, manifold, center, v, count, INFINITY, x, from_chart_one);
}
