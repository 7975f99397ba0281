/* manifold-chart.c - normal coordinates about a public center.
 *
 * One frame, then a logarithm or an exponential per point, whose cost depends on the manifold. A point is clamped by
 * shortening its coordinates. So no distance is computed twice, and inaccurate arithmetic around a far center cannot
 * affect the clamp. */
#include "manifold-chart.h"

#include <math.h>

#include "manifold-parts.h"
#include "manifold-points.h"

typedef struct {
  const dpt_manifold *manifold;
  const double *frame, *in;
  double *out, *stray;
  double radius;
} chart_job;

static bool all_finite(ptrdiff_t n, const double *x) {
  for (ptrdiff_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* Shortens v to the radius if it is longer. If v is not finite, sets it to zero and returns false. */
static bool shorten(ptrdiff_t n, double radius, double *v) {
  const bool finite = all_finite(n, v);
  if (!finite) memset(v, 0, (size_t) n * sizeof *v);
  else if (dpt_vector_length(n, v) > radius && dpt_vector_normalize(n, v))
    for (ptrdiff_t j = 0; j < n; j++) v[j] *= radius;
  return finite;
}

static void chart_one(const void *data, ptrdiff_t i, double *work) {
  const chart_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  const double *x = job->in + i * manifold->size;
  double *v = job->out + i * manifold->dimension;
  if (all_finite(manifold->size, x)) manifold->of->log(manifold, job->frame, x, v, work);
  else v[0] = NAN;
  shorten(manifold->dimension, job->radius, v);
}

/* Reads a row. For a product, each factor is read separately, and the worst one counts. */
static double read_row(const dpt_manifold *manifold, const double *frame, double radius, double *x, double *v,
                       double *work) {
  if (manifold->of->row) return manifold->of->row(manifold, frame, radius, x, v, work);
  if (manifold->factors == 0) {
    const double stray = manifold->of->project(manifold, x, work);
    if (isinf(stray)) return stray;
    manifold->of->log(manifold, frame, x, v, work);
    return manifold->any_row ? 0 : stray;
  }
  double worst = 0;
  for (ptrdiff_t f = 0; f < manifold->factors; f++) {
    const dpt_manifold *factor = manifold->factor[f];
    worst = fmax(worst, read_row(factor, frame, radius, x, v, work));
    frame += factor->frame_size;
    x += factor->size;
    v += factor->dimension;
  }
  return worst;
}

static void row_one(const void *data, ptrdiff_t i, double *work) {
  const chart_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  double *v = job->out + i * manifold->dimension, *x = work + manifold->work_size;
  dpt_vector_copy(manifold->size, job->in + i * manifold->size, x);
  memset(v, 0, (size_t) manifold->dimension * sizeof *v);
  job->stray[i] = read_row(manifold, job->frame, job->radius, x, v, work);
  if (!shorten(manifold->dimension, job->radius, v)) job->stray[i] = INFINITY;
}

static void from_chart_one(const void *data, ptrdiff_t i, double *work) {
  const chart_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  double *x = job->out + i * manifold->size;
  manifold->of->exp(manifold, job->frame, job->in + i * manifold->dimension, x, work);
  if (manifold->of->canonical) manifold->of->canonical(manifold, x, work);
}

static void run(dpt_ctx *ctx, chart_job *job, const double *center, ptrdiff_t count, double calls,
                dpt_manifold_body body) {
  const dpt_manifold *manifold = job->manifold;
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  double *frame = DPT_NEW(ctx, double, manifold->frame_size), *work = DPT_NEW(ctx, double, manifold->work_size);
  manifold->of->frame(manifold, center, frame, work);
  job->frame = frame;
  dpt_manifold_each(ctx, manifold, count, manifold->size, calls * dpt_manifold_cost(manifold), body, job);
  dpt_arena_release(&ctx->arena, here);
}

void dpt_manifold_chart(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *x,
                        ptrdiff_t count, double radius, double *v) {
  chart_job job = {.manifold = manifold, .in = x, .out = v, .radius = radius};
  run(ctx, &job, center, count, 1, chart_one);
}

void dpt_manifold_chart_rows(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *x,
                             ptrdiff_t count, double radius, double *v, double *stray) {
  chart_job job = {.manifold = manifold, .in = x, .out = v, .stray = stray, .radius = radius};
  run(ctx, &job, center, count, 2, row_one);
}

void dpt_manifold_from_chart(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, const double *v,
                             ptrdiff_t count, double *x) {
  chart_job job = {.manifold = manifold, .in = v, .out = x};
  run(ctx, &job, center, count, 1, from_chart_one);
}
