/* publish-annealing.c - simulated annealing of a cloud of points, one point per step.
 *
 * A cloud has a diagram: the diagram of its distance to a measure on a grid. The loss is the sum over dimensions of the
 * bottleneck distances between this diagram and a given one. A step proposes another place for one point. If all places
 * are draws from one distribution, the chain at a fixed temperature t has the distribution of independent draws
 * weighted by exp(-loss / t). Properties that do not affect the loss keep the distribution of the draws. The best cloud
 * found is kept.
 *
 * Cost of a step: two passes over the vertices, the persistence of the grid and its bottleneck distances; most of the
 * time goes into the second pass. A distance is rounded to one of 513 levels of the clip, and each vertex counts its
 * points by level. The sum of the k smallest then follows a moved point in a few operations, exactly in integers.
 * Selecting again would take as many operations as there are points. A value is within clip / 1024 of the value from
 * unrounded distances. Updating the persistence (vineyards) was rejected: one point changes all values near it at once,
 * and each change is a transposition.
 *
 * All random numbers are arguments. */
#include "publish-annealing.h"

#include <math.h>
#include <string.h>

#include "persistence-bottleneck.h"
#include "persistence-grid.h"

enum { LEVELS = DPT_ANNEALING_LEVELS + 1 };

/* Vertex v has `count[v * LEVELS + l]` points at level l. `below` of its points are under the level `edge` and add up
 * to `sum`. Here below < k <= below + count at the edge. */
typedef struct {
  ptrdiff_t vertices, k;
  int32_t *count;
  int64_t *below, *sum;
  int *edge;
  double *vertex; /* vertices x axes */
  int *from, *to; /* levels of the two places of a moved point */
  double *value;
} field;

static void find_levels(const dpt_annealing *a, const field *f, const double *x, int *level) {
  const double per = DPT_ANNEALING_LEVELS / a->clip;
  for (ptrdiff_t v = 0; v < f->vertices; v++) {
    double square = 0;
    for (int j = 0; j < a->axes; j++) {
      const double away = f->vertex[v + j * f->vertices] - x[j];
      square += away * away;
    }
    const double place = sqrt(square) * per + 0.5;
    level[v] = place < DPT_ANNEALING_LEVELS ? (int) place : DPT_ANNEALING_LEVELS;
  }
}

static void add_level(field *f, ptrdiff_t v, int level, int times) {
  f->count[v * LEVELS + level] += times;
  if (level >= f->edge[v]) return;
  f->below[v] += times;
  f->sum[v] += (int64_t) times * level;
}

static void find_edge(field *f, ptrdiff_t v) {
  const int32_t *count = f->count + v * LEVELS;
  int edge = f->edge[v];
  while (f->below[v] >= f->k) {
    edge--;
    f->below[v] -= count[edge];
    f->sum[v] -= (int64_t) count[edge] * edge;
  }
  while (f->below[v] + count[edge] < f->k) {
    f->below[v] += count[edge];
    f->sum[v] += (int64_t) count[edge] * edge;
    edge++;
  }
  f->edge[v] = edge;
}

/* Moves a point from one set of levels to another. */
static void move_point(field *f, const int *from, const int *to) {
  for (ptrdiff_t v = 0; v < f->vertices; v++) {
    if (from[v] == to[v]) continue;
    add_level(f, v, from[v], -1);
    add_level(f, v, to[v], 1);
    find_edge(f, v);
  }
}

static void find_values(const dpt_annealing *a, field *f) {
  const double unit = a->clip / ((double) f->k * DPT_ANNEALING_LEVELS);
  for (ptrdiff_t v = 0; v < f->vertices; v++)
    f->value[v] = unit * (double) (f->sum[v] + (f->k - f->below[v]) * f->edge[v]);
}

static void read_place(const dpt_annealing *a, const double *from, ptrdiff_t rows, ptrdiff_t row, double *x) {
  for (int j = 0; j < a->axes; j++) x[j] = from[row + j * rows];
}

static void open_field(dpt_ctx *ctx, const dpt_annealing *a, const double *place, field *f) {
  f->vertices = 1;
  f->k = a->neighbors;
  for (int j = 0; j < a->axes; j++) f->vertices *= a->size[j];
  f->count = DPT_NEW(ctx, int32_t, f->vertices * LEVELS);
  f->below = DPT_NEW(ctx, int64_t, f->vertices);
  f->sum = DPT_NEW(ctx, int64_t, f->vertices);
  f->edge = DPT_NEW(ctx, int, f->vertices);
  f->vertex = DPT_NEW(ctx, double, f->vertices * a->axes);
  f->from = DPT_NEW(ctx, int, f->vertices);
  f->to = DPT_NEW(ctx, int, f->vertices);
  f->value = DPT_NEW(ctx, double, f->vertices);
  memset(f->count, 0, (size_t) (f->vertices * LEVELS) * sizeof *f->count);
  ptrdiff_t repeats = 1;
  for (int j = 0; j < a->axes; j++) {
    for (ptrdiff_t v = 0; v < f->vertices; v++) f->vertex[v + j * f->vertices] = a->axis[j][v / repeats % a->size[j]];
    repeats *= a->size[j];
  }
  for (ptrdiff_t v = 0; v < f->vertices; v++) f->below[v] = f->sum[v] = f->edge[v] = 0;
  double x[DPT_ANNEALING_AXES];
  for (ptrdiff_t i = 0; i < a->points; i++) {
    read_place(a, place, a->points, i, x);
    find_levels(a, f, x, f->to);
    for (ptrdiff_t v = 0; v < f->vertices; v++) f->count[v * LEVELS + f->to[v]]++;
    dpt_tick(ctx, 2 * f->vertices);
  }
  for (ptrdiff_t v = 0; v < f->vertices; v++) find_edge(f, v);
}

/* Sorts the points of one dimension of a diagram by birth, by insertion, because there are few. */
static dpt_points points_of(dpt_ctx *ctx, const dpt_grid_diagram *diagram, int dimension) {
  double *birth = DPT_NEW(ctx, double, diagram->count + 1), *death = DPT_NEW(ctx, double, diagram->count + 1);
  ptrdiff_t count = 0;
  for (ptrdiff_t i = 0; i < diagram->count; i++) {
    if (diagram->dimension[i] != dimension) continue;
    birth[count] = diagram->birth[i];
    death[count] = diagram->death[i];
    count++;
  }
  return (dpt_points){birth, death, count};
}

static dpt_status find_distances(dpt_ctx *ctx, const dpt_annealing *a, field *f, double *distance) {
  find_values(a, f);
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  dpt_grid_request request = {.values = f->value,
                              .axes = a->axes,
                              .max_dimension = a->dimensions - 1,
                              .complex = DPT_GRID_CUBICAL,
                              .essential = DPT_GRID_DROP,
                              .plane_allowed = true};
  for (int j = 0; j < a->axes; j++) request.size[j] = a->size[j];
  dpt_grid_diagram diagram;
  const dpt_status status = dpt_grid_persistence(ctx, &request, &diagram);
  if (status == DPT_OK) {
    for (int q = 0; q < a->dimensions; q++) {
      const dpt_points own = points_of(ctx, &diagram, q);
      distance[q] = dpt_bottleneck_distance(ctx, &own, &a->target[q]);
    }
  }
  dpt_arena_release(&ctx->arena, mark);
  return status;
}

static double loss_of(const dpt_annealing *a, const double *distance) {
  double loss = 0;
  for (int q = 0; q < a->dimensions; q++) loss += distance[q];
  return loss;
}

dpt_status dpt_publish_anneal(dpt_ctx *ctx, const dpt_annealing *a, double *place, double *start, double *distance) {
  const size_t bytes = (size_t) (a->points * a->axes) * sizeof *place;
  double *now = DPT_NEW(ctx, double, a->points * a->axes), then[DPT_ANNEALING_AXES], x[DPT_ANNEALING_AXES];
  field f;
  open_field(ctx, a, place, &f);
  dpt_status status = find_distances(ctx, a, &f, start);
  if (status != DPT_OK) return status;
  memcpy(now, place, bytes);
  memcpy(distance, start, (size_t) a->dimensions * sizeof *distance);
  double loss = loss_of(a, start), best = loss;
  for (ptrdiff_t step = 0; step < a->steps; step++) {
    const ptrdiff_t i = (ptrdiff_t) a->which[step] - 1;
    read_place(a, now, a->points, i, x);
    find_levels(a, &f, x, f.from);
    read_place(a, a->proposal, a->steps, step, x);
    find_levels(a, &f, x, f.to);
    move_point(&f, f.from, f.to);
    status = find_distances(ctx, a, &f, then);
    if (status != DPT_OK) return status;
    const double moved = loss_of(a, then),
                 temperature = a->first * pow(a->last / a->first, (double) step / (double) a->steps);
    if (log(a->coin[step]) * temperature <= loss - moved) {
      for (int j = 0; j < a->axes; j++) now[i + j * a->points] = x[j];
      loss = moved;
      if (loss < best) {
        best = loss;
        memcpy(place, now, bytes);
        memcpy(distance, then, (size_t) a->dimensions * sizeof *distance);
      }
    } else {
      move_point(&f, f.to, f.from);
    }
    ctx->fraction = (double) step / (double) a->steps;
    dpt_tick(ctx, 100 * f.vertices);
  }
  return DPT_OK;
}
