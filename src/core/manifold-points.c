/* manifold-points.c - applies the functions of a manifold to many points.
 *
 * Loops over points that share only the manifold. The function called determines the cost, and the number of threads is
 * the limit. If one point is used for many, its frame is computed once. Rejected: a kernel per function and manifold
 * (the indirect call costs two nanoseconds, the cheapest function twenty). */
#include "manifold-points.h"

#include <math.h>
#include <string.h>

#include "manifold-parts.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Nanoseconds that a block takes per thread, approximately: long compared to starting threads, short compared to an
 * interrupt. */
static const double BLOCK_COST = 2e6;

double dpt_manifold_cost(const dpt_manifold *manifold) {
  double size = (double) manifold->size;
  return 100 + 20 * size * sqrt(size);
}

/* Runs a block. A single thread uses no parallel region: the functions of a serial manifold may jump out, and a jump
 * out of a region, even with one thread, would leave the session serial permanently. */
static void run_block(ptrdiff_t from, ptrdiff_t to, int threads, dpt_manifold_body body, const void *data, double *work,
                      ptrdiff_t room) {
#ifdef _OPENMP
  if (threads > 1) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (ptrdiff_t i = from; i < to; i++) body(data, i, work + room * omp_get_thread_num());
    return;
  }
#endif
  (void) threads, (void) room;
  for (ptrdiff_t i = from; i < to; i++) body(data, i, work);
}

void dpt_manifold_each(dpt_ctx *ctx, const dpt_manifold *manifold, ptrdiff_t count, ptrdiff_t extra, double cost,
                       dpt_manifold_body body, const void *data) {
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  /* short work is done before threads wake up */
  int threads = manifold->serial || (double) count * cost < 1e5 ? 1 : ctx->threads;
  if (threads > count) threads = count > 1 ? (int) count : 1;
  ptrdiff_t room = manifold->work_size + extra + 8; /* workers write to separate cache lines */
  const ptrdiff_t doubles = room * threads;
  double *work = DPT_NEW(ctx, double, doubles);
  double fit = BLOCK_COST * threads / cost;
  ptrdiff_t block = fit < 1e9 ? (ptrdiff_t) fit : 1000000000;
  if (block < threads) block = threads;
  for (ptrdiff_t from = 0; from < count; from += block) {
    ptrdiff_t to = count - from < block ? count : from + block;
    run_block(from, to, threads, body, data, work, room);
    dpt_tick(ctx, (int64_t) ((double) (to - from) * cost) + 1);
  }
  dpt_arena_release(&ctx->arena, here);
}

/* Arguments shared by the bodies below. */
typedef struct {
  const dpt_manifold *manifold;
  const double *shared; /* the frame of x if there is one x; NULL otherwise */
  dpt_columns x, y, u;
  double *out, *stray;
  double radius;
} points_job;

static const double *column(dpt_columns columns, ptrdiff_t size, ptrdiff_t i) {
  return columns.at + (columns.count == 1 ? 0 : i * size);
}

/* Runs a body whose scratch is a frame, two tangents, and a point. */
static void run(dpt_ctx *ctx, points_job *job, ptrdiff_t count, double cost, dpt_manifold_body body) {
  const dpt_manifold *manifold = job->manifold;
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  if (job->x.count == 1 && count > 0) {
    double *frame = DPT_NEW(ctx, double, manifold->frame_size), *work = DPT_NEW(ctx, double, manifold->work_size);
    manifold->of->frame(manifold, job->x.at, frame, work);
    job->shared = frame;
  }
  ptrdiff_t extra = manifold->frame_size + 2 * manifold->dimension + manifold->size;
  dpt_manifold_each(ctx, manifold, count, extra, cost, body, job);
  dpt_arena_release(&ctx->arena, here);
}

/* The frame at the i-th x, which may be the shared one, and the parts of a worker's scratch as run() lays them out. */
typedef struct {
  const double *frame;
  double *v, *u, *point;
} points_room;

static points_room lay_out(const points_job *job, ptrdiff_t i, double *work) {
  const dpt_manifold *manifold = job->manifold;
  double *rest = work + manifold->work_size; /* the part before it is used by the manifold's functions */
  double *own = dpt_take(&rest, manifold->frame_size);
  double *v = dpt_take(&rest, manifold->dimension), *u = dpt_take(&rest, manifold->dimension);
  if (!job->shared) manifold->of->frame(manifold, column(job->x, manifold->size, i), own, work);
  if (job->stray) job->stray[i] = 0;
  return (points_room){job->shared ? job->shared : own, v, u, rest};
}

/* Computes the coordinates of an ambient vector at the i-th x. Returns the fraction of it that was not tangent
 * there. */
static void read_tangent(const points_job *job, ptrdiff_t i, const points_room *room, const double *ambient, double *v,
                         double *work) {
  const dpt_manifold *manifold = job->manifold;
  manifold->of->coordinates(manifold, room->frame, ambient, v, work);
  manifold->of->embed(manifold, room->frame, v, room->point, work);
  for (ptrdiff_t j = 0; j < manifold->size; j++) room->point[j] -= ambient[j];
  double lost = dpt_vector_length(manifold->size, room->point);
  double part = lost == 0 ? 0 : lost / dpt_vector_length(manifold->size, ambient);
  if (part > job->stray[i] || isnan(part)) job->stray[i] = part;
}

static void exp_one(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  const points_room room = lay_out(job, i, work);
  read_tangent(job, i, &room, column(job->u, manifold->size, i), room.v, work);
  manifold->of->exp(manifold, room.frame, room.v, job->out + i * manifold->size, work);
}

void dpt_manifold_exp(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns tangent, ptrdiff_t count,
                      double *y, double *stray) {
  points_job job = {.manifold = manifold, .x = x, .u = tangent, .out = y, .stray = stray};
  run(ctx, &job, count, dpt_manifold_cost(manifold), exp_one);
}

static void log_one(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  const points_room room = lay_out(job, i, work);
  manifold->of->log(manifold, room.frame, column(job->y, manifold->size, i), room.v, work);
  manifold->of->embed(manifold, room.frame, room.v, job->out + i * manifold->size, work);
}

void dpt_manifold_log(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y, ptrdiff_t count,
                      double *tangent) {
  points_job job = {.manifold = manifold, .x = x, .y = y, .out = tangent};
  run(ctx, &job, count, dpt_manifold_cost(manifold), log_one);
}

static void inner_one(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  const points_room room = lay_out(job, i, work);
  read_tangent(job, i, &room, column(job->u, manifold->size, i), room.u, work);
  read_tangent(job, i, &room, column(job->y, manifold->size, i), room.v, work);
  double sum = 0;
  for (ptrdiff_t j = 0; j < manifold->dimension; j++) sum += room.u[j] * room.v[j];
  job->out[i] = sum;
}

void dpt_manifold_inner(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns u, dpt_columns v,
                        ptrdiff_t count, double *inner, double *stray) {
  points_job job = {.manifold = manifold, .x = x, .u = u, .y = v, .out = inner, .stray = stray};
  run(ctx, &job, count, dpt_manifold_cost(manifold), inner_one);
}

static void transport_one(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  const points_room room = lay_out(job, i, work);
  read_tangent(job, i, &room, column(job->u, manifold->size, i), room.u, work);
  manifold->of->log(manifold, room.frame, column(job->y, manifold->size, i), room.v, work);
  manifold->of->transport(manifold, room.frame, room.v, room.u, job->out + i * manifold->size, work);
  if (!manifold->of->restate) return; /* y may be a representation of the end that differs from the geodesic's */
  manifold->of->exp(manifold, room.frame, room.v, room.point, work);
  manifold->of->restate(manifold, room.point, column(job->y, manifold->size, i), job->out + i * manifold->size, work);
}

void dpt_manifold_transport(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y,
                            dpt_columns tangent, ptrdiff_t count, double *moved, double *stray) {
  points_job job = {.manifold = manifold, .x = x, .y = y, .u = tangent, .out = moved, .stray = stray};
  run(ctx, &job, count, 2 * dpt_manifold_cost(manifold), transport_one);
}

static void distance_one(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  const points_room room = lay_out(job, i, work);
  job->out[i] = manifold->of->distance(manifold, room.frame, column(job->y, manifold->size, i), work);
}

void dpt_manifold_distance(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y, ptrdiff_t count,
                           double *distance) {
  /* a frame costs as much as a distance, so a point that is used for many gets it */
  if (y.count == 1 && x.count != 1) {
    dpt_columns swap = x;
    x = y;
    y = swap;
  }
  points_job job = {.manifold = manifold, .x = x, .y = y, .out = distance};
  run(ctx, &job, count, dpt_manifold_cost(manifold), distance_one);
}

/* Computes row i of the matrix of distances. Within one set, only the part below the diagonal is computed, and
 * mirrored. */
static void distance_row(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  ptrdiff_t rows = job->x.count, columns = job->y.count;
  bool within = job->x.at == job->y.at && rows == columns;
  const points_room room = lay_out(job, i, work);
  if (within) job->out[i + rows * i] = 0;
  for (ptrdiff_t j = 0; j < (within ? i : columns); j++) {
    double distance = manifold->of->distance(manifold, room.frame, job->y.at + j * manifold->size, work);
    job->out[i + rows * j] = distance;
    if (within) job->out[j + rows * i] = distance;
  }
}

void dpt_manifold_distances(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_columns x, dpt_columns y,
                            double *distance) {
  points_job job = {.manifold = manifold, .x = x, .y = y, .out = distance};
  run(ctx, &job, x.count, (double) y.count * dpt_manifold_cost(manifold) + 1, distance_row);
}

static void project_one(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  job->stray[i] = job->manifold->of->project(job->manifold, job->out + i * job->manifold->size, work);
}

void dpt_manifold_project(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, ptrdiff_t count, double *stray) {
  points_job job = {.manifold = manifold, .out = x, .stray = stray};
  dpt_manifold_each(ctx, manifold, count, 0, dpt_manifold_cost(manifold), project_one, &job);
}

static void canonical_one(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  job->manifold->of->canonical(job->manifold, job->out + i * job->manifold->size, work);
}

void dpt_manifold_canonical(dpt_ctx *ctx, const dpt_manifold *manifold, double *x, ptrdiff_t count) {
  points_job job = {.manifold = manifold, .out = x};
  if (!manifold->of->canonical) return;
  dpt_manifold_each(ctx, manifold, count, 0, dpt_manifold_cost(manifold), canonical_one, &job);
}

static void clamp_one(const void *data, ptrdiff_t i, double *work) {
  const points_job *job = data;
  const dpt_manifold *manifold = job->manifold;
  const points_room room = lay_out(job, i, work);
  double *x = job->out + i * manifold->size;
  manifold->of->log(manifold, room.frame, x, room.v, work);
  const double length = dpt_vector_length(manifold->dimension, room.v);
  if (length <= job->radius) return;
  for (ptrdiff_t j = 0; j < manifold->dimension; j++) room.v[j] *= job->radius / length;
  manifold->of->exp(manifold, room.frame, room.v, x, work);
}

void dpt_manifold_clamp(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center, double radius, double *x,
                        ptrdiff_t count) {
  points_job job = {.manifold = manifold, .x = {center, 1}, .out = x, .radius = radius};
  run(ctx, &job, count, 2 * dpt_manifold_cost(manifold), clamp_one);
}
