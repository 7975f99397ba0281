/* dtm.c - the exact distance to a measure, for all queries together.
 *
 * Method. The queries are halved repeatedly at the middle of their longest side. R(x), the distance at which the
 * weights sum to k (or the clip, if that is less), changes by at most |x - y| between two queries, like each single
 * distance. For a node of queries within rho of its center c, this decides most points at once:
 *
 *     d(c, i) < R(c) - 2 rho    point i counts at every query of the node (its core)
 *     d(c, i) > R(c) + 2 rho    it counts at none
 *
 * Only the points between, the open ones, go on to the children. The points of a node are a range of one array, core
 * first, so that a child permutes its parent's open range and never copies it. At a single query the open points
 * nearer than R are added to the core, and the rest of the weight k is at R exactly. R(c) itself is selected among
 * the open points whose distance is within |c - c'| of the parent's R(c'). Each bound is widened by much more than
 * its rounding error, so that no rounding can misplace a point.
 *
 * Precision: a value has a relative error below 2^-44 for any data, k, r >= 1 and clip (plus 2^-470 of the largest
 * coordinate). All terms are positive and at most R^r, blocks are added with their rounding errors, and the power is
 * taken in units of R. inst/proofs/dtm-sensitivity.md proves it, and private diagrams rely on it.
 *
 * Cost: k square roots per query, which is the limit (two in about nine cycles with SSE2), plus a few visits of each
 * point in a ring as wide as the spacing of the queries. At worst, with all points within such a ring of every query
 * (a cluster much smaller than the spacing), every query visits every point, at about 20 ns per visit. Memory: the
 * queries, the points, and for each thread the open points of a region, but never queries times k.
 *
 * Threads: the main thread descends to regions, a region is cut into tasks of a few milliseconds, and batches of
 * tasks run in parallel with a poll after each. The cut depends on the problem only, and a task starts from its own
 * copy of the open points. The result is therefore the same, bit by bit, for any number of threads.
 *
 * Source: the definition of Chazal, Cohen-Steiner and Merigot (2011), with integer weights (k = ceiling(m0 n)).
 * Rejected: a k-d tree over the points (k is a fixed fraction of n: most of the tree is visited, one scattered point
 * after the other); moving from each query to the next in a row with a bracket for R (more open points than by
 * halving, and no natural tasks); leaving the square roots to the compiler (it cannot use vectors while sqrt() may
 * set errno). */
#include "dtm.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base-select.h"
#include "dtm-cloud.h"
#include "dtm-sums.h"

/* MAX_DEPTH bounds the stack if queries crowd together without end. TASK_WORK (pairs of query and point) makes a
 * task a few milliseconds, and a region is TASKS_PER_REGION tasks. */
enum { MAX_DEPTH = 48, MIN_TASK = 1, MAX_TASK = 256, TASKS_PER_REGION = 16 };
enum { MERGE_QUERIES = 64 }; /* with fewer queries, merging costs more than it saves */
static const double TASK_WORK = 4e6;
static const double BATCH_WORK = 1e7; /* nanoseconds of each thread between two polls */
static const double SLACK = 1e-12;    /* relative; rounding errors of a distance are below 1e-14 */
static const double TINY = 0x1p-480;  /* a shorter R counts as zero, because smaller squares lose digits */

/* The problem with its coordinates copied and scaled by a power of two, so that no square overflows. */
typedef struct {
  int dimension;
  ptrdiff_t query_count, task, region;
  double neighbors, r, clip, diameter;
  const dpt_dtm_lattice *lattice; /* NULL: values are distances */
  double whole;                   /* as in dpt_power_sum */
  double **query;                 /* one array for each coordinate, permuted by the halving */
  ptrdiff_t *order;               /* original number of each query */
  double unscale;
  double *values;
} dtm_setup;

/* The data of one thread. */
typedef struct {
  const dtm_setup *setup;
  dpt_ctx *ctx;     /* on the main thread during the descent to the regions, otherwise NULL */
  dpt_cloud shared; /* core of the region, read by all */
  ptrdiff_t shared_count;
  dpt_cloud own; /* core of the node, then its open points */
  double *key;   /* squared distances of the open points to the center of the node */
  ptrdiff_t *slot;
  double *near_key, *near_weight; /* for the selection; near_key is also scratch of the partition */
  double *centers;                /* one for each depth */
} dtm_worker;

/* A range of queries and the facts known from its parent. */
typedef struct {
  ptrdiff_t first, last; /* queries */
  ptrdiff_t core, end;   /* own points: core before `core`, open before `end` */
  double inside;         /* weight of the core, the shared one included */
  const double *center;  /* of the parent; NULL at the root */
  double radius;         /* R at that center */
  int depth;
} dtm_node;

/* R(x) at one place, with its square. */
typedef struct {
  double length, square;
} radius_pair;

static double squared(double x) { return x * x; }

static void tick(const dtm_worker *worker, ptrdiff_t units) {
  if (worker->ctx) dpt_tick(worker->ctx, (int64_t) units);
}

/* --- distances and their means ----------------------------------------------------------------------------------- */

static void sum_core(const dtm_setup *setup, const dpt_cloud *points, ptrdiff_t count, const double *x,
                     dpt_power_sum *sum) {
  double key[DPT_SUM_BLOCK];
  for (ptrdiff_t from = 0; from < count; from += DPT_SUM_BLOCK) {
    ptrdiff_t size = count - from < DPT_SUM_BLOCK ? count - from : DPT_SUM_BLOCK;
    dpt_cloud_squares(points, setup->dimension, from, size, x, key);
    dpt_power_sum_add(sum, key, points->weight + from, size);
  }
}

/* Adds the open points nearer than R and returns their weight. Farther points are skipped. A weight of zero would
 * not suffice, because their power may be infinite. */
static double sum_open(const dtm_worker *worker, const dtm_node *node, double limit, dpt_power_sum *sum) {
  const double *all = worker->own.weight + node->core;
  double weight[DPT_SUM_BLOCK], near[DPT_SUM_BLOCK], used = 0;
  for (ptrdiff_t from = 0; from < node->end - node->core; from += DPT_SUM_BLOCK) {
    ptrdiff_t rest = node->end - node->core - from, size = rest < DPT_SUM_BLOCK ? rest : DPT_SUM_BLOCK;
    const double *key = worker->key + from;
    for (ptrdiff_t i = 0; i < size; i++) {
      weight[i] = key[i] < limit ? all[from + i] : 0;
      near[i] = key[i] < limit ? key[i] : 0;
      used += weight[i];
    }
    dpt_power_sum_add(sum, near, weight, size);
  }
  return used;
}

/* The value at x, for known R and its square. The weight of all points nearer than R is an integer below k, so at
 * least one is left for R itself, and all terms are positive. The errors of the sum are therefore relative to the
 * sum. A mean must not exceed its largest term, not even by rounding. On a lattice nothing is rounded. */
static double value_at(const dtm_worker *worker, const dtm_node *node, const double *x, radius_pair R) {
  const dtm_setup *setup = worker->setup;
  if (R.length < TINY) return 0;
  dpt_power_sum sum = {.r = setup->r, .limit = R.square, .whole = setup->whole};
  sum_core(setup, &worker->shared, worker->shared_count, x, &sum);
  sum_core(setup, &worker->own, node->core, x, &sum);
  const double left = setup->neighbors - node->inside - sum_open(worker, node, R.square, &sum);
  if (!setup->lattice) return fmin(dpt_power_sum_mean(sum, left, R.length, setup->neighbors), R.length);
  dpt_power_sum_add(&sum, &R.square, &left, 1);
  return dpt_power_sum_steps(sum, setup->lattice->change, setup->lattice->unit, setup->lattice->steps);
}

/* --- one node: R at its center, and the points that this decides ------------------------------------------------ */

static double distance(const double *x, const double *y, int dimension) {
  double sum = 0;
  for (int j = 0; j < dimension; j++) sum += squared(x[j] - y[j]);
  return sqrt(sum);
}

/* R at the center, selected among the open points that can be at that distance. Its square is the selected key
 * itself, not the square of the length, because points at R must differ from points that are nearer. */
static radius_pair find_radius(dtm_worker *worker, const dtm_node *node, const double *center) {
  const dtm_setup *setup = worker->setup;
  double move = node->center ? distance(center, node->center, setup->dimension) : setup->diameter;
  double slack = SLACK * (node->radius + move);
  double lower = fmax(node->radius - move - slack, 0), upper = fmin(node->radius + move + slack, setup->clip);
  const double low = squared(lower), high = squared(upper);
  const double *key = worker->key, *weight = worker->own.weight + node->core;
  double below = node->inside;
  ptrdiff_t near = 0;
  for (ptrdiff_t i = 0; i < node->end - node->core; i++) {
    worker->near_key[near] = key[i];
    worker->near_weight[near] = weight[i];
    near += (key[i] >= low) & (key[i] <= high);
    below += key[i] < low ? weight[i] : 0;
  }
  double at = dpt_select_weighted(worker->ctx, worker->near_key, worker->near_weight, near, setup->neighbors - below,
                                  low, high);
  return at < high ? (radius_pair){sqrt(at), at} : (radius_pair){upper, high};
}

static void scatter(double *values, const ptrdiff_t *slot, ptrdiff_t count, double *scratch) {
  for (ptrdiff_t i = 0; i < count; i++) scratch[slot[i]] = values[i];
  memcpy(values, scratch, (size_t) count * sizeof *values);
}

/* Permutes the open points of a node into core, open, and out. `child` gets the new ranges. */
static void partition_open(dtm_worker *worker, const dtm_node *node, double radius, double rho, dtm_node *child) {
  const ptrdiff_t count = node->end - node->core;
  const double margin = 2 * rho + SLACK * (radius + rho);
  const double in = radius > margin ? squared(radius - margin) : 0, out = squared(radius + margin);
  const double *key = worker->key, *weight = worker->own.weight + node->core;
  ptrdiff_t inner = 0, outer = 0;
  double inside = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    inner += key[i] < in;
    outer += key[i] > out;
    inside += key[i] < in ? weight[i] : 0;
  }
  ptrdiff_t next_inner = 0, next_open = inner, next_outer = count - outer;
  for (ptrdiff_t i = 0; i < count; i++) {
    const ptrdiff_t is_inner = key[i]<in, is_outer = key[i]> out;
    worker->slot[i] = is_inner ? next_inner : is_outer ? next_outer : next_open;
    next_inner += is_inner;
    next_outer += is_outer;
    next_open += 1 - is_inner - is_outer;
  }
  for (int j = 0; j < worker->setup->dimension; j++)
    scatter(worker->own.axis[j] + node->core, worker->slot, count, worker->near_key);
  scatter(worker->own.weight + node->core, worker->slot, count, worker->near_key);
  child->core = node->core + inner;
  child->end = node->end - outer;
  child->inside = node->inside + inside;
}

/* --- halving the queries ----------------------------------------------------------------------------------------- */

/* Finds the center of the smallest box around a range of queries. Returns the largest distance of a query from it,
 * and the longest side. The center is rounded, and the distance refers to the rounded center. If a side has an
 * extent, the center is below its upper end, so that halving leaves a query in each half, even for neighbors among
 * the doubles. */
static double enclose(const dtm_setup *setup, ptrdiff_t first, ptrdiff_t last, double *center, int *longest) {
  double sum = 0, width = -1;
  for (int j = 0; j < setup->dimension; j++) {
    const double *x = setup->query[j];
    double low = x[first], high = x[first];
    for (ptrdiff_t i = first + 1; i < last; i++) {
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
    }
    double middle = low + (high - low) / 2;
    center[j] = middle < high ? middle : low;
    sum += squared(fmax(high - center[j], center[j] - low));
    if (high - low > width) {
      width = high - low;
      *longest = j;
    }
  }
  return sqrt(sum);
}

static void swap_queries(const dtm_setup *setup, ptrdiff_t a, ptrdiff_t b) {
  for (int j = 0; j < setup->dimension; j++) {
    double x = setup->query[j][a];
    setup->query[j][a] = setup->query[j][b];
    setup->query[j][b] = x;
  }
  ptrdiff_t which = setup->order[a];
  setup->order[a] = setup->order[b];
  setup->order[b] = which;
}

/* Moves the queries up to the middle of one side to the front. Returns the start of the others. Halving a side by
 * its length, not by the number of queries, keeps the blocks of a grid square. */
static ptrdiff_t halve(const dtm_setup *setup, ptrdiff_t first, ptrdiff_t last, int side, double middle) {
  ptrdiff_t front = first;
  for (ptrdiff_t i = first; i < last; i++)
    if (setup->query[side][i] <= middle) swap_queries(setup, i, front++);
  return front;
}

/* Cuts a range of queries into smaller ones by at most `levels` halvings each, until each has at most `most` queries
 * or no extent. Appends their ends and returns the total number of ends. */
static ptrdiff_t cut(const dtm_worker *worker, ptrdiff_t first, ptrdiff_t last, ptrdiff_t most, int levels,
                     double *scratch, ptrdiff_t *ends, ptrdiff_t count) {
  const dtm_setup *setup = worker->setup;
  int side = 0;
  if (levels == 0 || last - first <= most || enclose(setup, first, last, scratch, &side) <= 0) {
    ends[count] = last;
    return count + 1;
  }
  ptrdiff_t middle = halve(setup, first, last, side, scratch[side]);
  tick(worker, 8 * (last - first));
  count = cut(worker, first, middle, most, levels - 1, scratch, ends, count);
  return cut(worker, middle, last, most, levels - 1, scratch, ends, count);
}

/* --- the descent ------------------------------------------------------------------------------------------------- */

static void run_region(dtm_worker *lead, const dtm_node *region);
static void visit(dtm_worker *worker, const dtm_node *node);

/* Halves twice between two partitions: a partition costs more than a halving. */
static void visit_children(dtm_worker *worker, dtm_node child, double *scratch) {
  ptrdiff_t ends[4];
  ptrdiff_t count = cut(worker, child.first, child.last, 1, 2, scratch, ends, 0);
  for (ptrdiff_t i = 0; i < count; i++) {
    child.last = ends[i];
    visit(worker, &child);
    child.first = ends[i];
  }
}

static void visit_singly(dtm_worker *worker, dtm_node child) {
  for (ptrdiff_t last = child.last; child.first < last; child.first++) {
    child.last = child.first + 1;
    visit(worker, &child);
  }
}

static void visit(dtm_worker *worker, const dtm_node *node) {
  const dtm_setup *setup = worker->setup;
  if (worker->ctx && node->last - node->first <= setup->region) {
    run_region(worker, node);
    return;
  }
  const ptrdiff_t open = node->end - node->core;
  double *center = worker->centers + (ptrdiff_t) node->depth * setup->dimension;
  int side = 0;
  double rho = enclose(setup, node->first, node->last, center, &side);
  dpt_cloud_squares(&worker->own, setup->dimension, node->core, open, center, worker->key);
  tick(worker, 2 * open);
  const radius_pair R = find_radius(worker, node, center);
  tick(worker, 4 * open);
  if (rho <= 0) {
    double value = value_at(worker, node, center, R) * setup->unscale;
    for (ptrdiff_t i = node->first; i < node->last; i++) setup->values[setup->order[i]] = value;
    return;
  }
  dtm_node child = *node;
  child.center = center;
  child.radius = R.length;
  child.depth = node->depth + 1;
  partition_open(worker, node, R.length, rho, &child);
  tick(worker, 4 * open);
  if (child.depth < MAX_DEPTH) {
    visit_children(worker, child, center + setup->dimension);
  } else {
    visit_singly(worker, child);
  }
}

/* --- regions, tasks, threads ------------------------------------------------------------------------------------- */

/* A worker for up to `count` points. */
static dtm_worker new_worker(dpt_ctx *ctx, const dtm_setup *setup, ptrdiff_t count) {
  dtm_worker worker = {.setup = setup, .own = dpt_cloud_new(ctx, setup->dimension, count)};
  worker.key = DPT_NEW(ctx, double, count);
  worker.slot = DPT_NEW(ctx, ptrdiff_t, count);
  worker.near_key = DPT_NEW(ctx, double, count);
  worker.near_weight = DPT_NEW(ctx, double, count);
  worker.centers = DPT_NEW(ctx, double, (MAX_DEPTH + 2) * (ptrdiff_t) setup->dimension);
  return worker;
}

/* A task works on its own copy of the region's open points, always in the same order. */
static void run_task(dtm_worker *worker, const dtm_worker *lead, const dtm_node *region, ptrdiff_t first,
                     ptrdiff_t last) {
  const ptrdiff_t open = region->end - region->core;
  const size_t bytes = (size_t) open * sizeof(double);
  for (int j = 0; j < worker->setup->dimension; j++)
    memcpy(worker->own.axis[j], lead->own.axis[j] + region->core, bytes);
  memcpy(worker->own.weight, lead->own.weight + region->core, bytes);
  worker->shared = lead->own;
  worker->shared_count = region->core;
  dtm_node task = *region;
  task.first = first;
  task.last = last;
  task.core = 0;
  task.end = open;
  task.depth = 0;
  visit(worker, &task);
}

static void run_batch(dtm_worker *workers, int threads, const dtm_worker *lead, const dtm_node *region,
                      const ptrdiff_t *ends, ptrdiff_t from, ptrdiff_t to) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1 && to - from > 1)
#endif
  for (ptrdiff_t task = from; task < to; task++) {
#ifdef _OPENMP
    dtm_worker *worker = workers + omp_get_thread_num();
#else
    dtm_worker *worker = workers;
#endif
    run_task(worker, lead, region, task > 0 ? ends[task - 1] : region->first, ends[task]);
  }
  (void) threads;
}

/* Upper bound in nanoseconds. If all points are at about the same distance (far points, equal rows), open points
 * stay open down to the single query. */
static double task_work(const dtm_node *region, ptrdiff_t queries) {
  double open = (double) (region->end - region->core), core = (double) region->core;
  return 20 * open + (double) queries * (15 * open + 3 * core);
}

static void run_region(dtm_worker *lead, const dtm_node *region) {
  dpt_ctx *ctx = lead->ctx;
  const dtm_setup *setup = lead->setup;
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  ptrdiff_t *ends = DPT_NEW(ctx, ptrdiff_t, setup->region);
  double *scratch = lead->centers + (MAX_DEPTH + 1) * (ptrdiff_t) setup->dimension;
  const ptrdiff_t tasks = cut(lead, region->first, region->last, setup->task, MAX_DEPTH, scratch, ends, 0);
  dtm_worker *workers = DPT_NEW(ctx, dtm_worker, ctx->threads);
  for (int i = 0; i < ctx->threads; i++) workers[i] = new_worker(ctx, setup, region->end - region->core);
  for (ptrdiff_t from = 0, to = 0; from < tasks; from = to) {
    double work = 0;
    for (; to < tasks && work < BATCH_WORK * ctx->threads; to++)
      work += task_work(region, ends[to] - (to > 0 ? ends[to - 1] : region->first));
    run_batch(workers, ctx->threads, lead, region, ends, from, to);
    ctx->fraction = (double) ends[to - 1] / (double) setup->query_count;
    dpt_tick(ctx, (int64_t) (work / ctx->threads));
  }
  dpt_arena_release(&ctx->arena, mark);
}

/* --- the problem in its own copy --------------------------------------------------------------------------------- */

static double largest_size(const double *x, ptrdiff_t count, double largest) {
  for (ptrdiff_t i = 0; i < count; i++) largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
  return largest;
}

/* The power of two that brings all coordinates within [-1, 1] (nearly, at the bounds of the doubles' range). */
static double choose_scale(const dpt_dtm_problem *problem) {
  int exponent = 0;
  double largest = largest_size(problem->points, problem->count * problem->dimension, 0);
  frexp(largest_size(problem->queries, problem->query_count * problem->dimension, largest), &exponent);
  return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

static void load_queries(dpt_ctx *ctx, const dpt_dtm_problem *problem, dpt_placing placing, dtm_setup *setup) {
  const ptrdiff_t count = problem->query_count;
  setup->query = DPT_NEW(ctx, double *, problem->dimension);
  for (int j = 0; j < problem->dimension; j++) {
    setup->query[j] = DPT_NEW(ctx, double, count);
    for (ptrdiff_t i = 0; i < count; i++)
      setup->query[j][i] = dpt_cloud_place(placing, problem->queries[i + j * count]);
    dpt_tick(ctx, 2 * count);
  }
  setup->order = DPT_NEW(ctx, ptrdiff_t, count);
  for (ptrdiff_t i = 0; i < count; i++) setup->order[i] = i;
}

static void extend(const double *x, ptrdiff_t count, double *low, double *high) {
  for (ptrdiff_t i = 0; i < count; i++) {
    *low = x[i] < *low ? x[i] : *low;
    *high = x[i] > *high ? x[i] : *high;
  }
}

/* The diagonal of the box around points and queries. */
static double diameter_of(dpt_ctx *ctx, const dtm_setup *setup, const dpt_cloud *points, ptrdiff_t count) {
  double sum = 0;
  for (int j = 0; j < setup->dimension; j++) {
    double low = INFINITY, high = -INFINITY;
    extend(points->axis[j], count, &low, &high);
    extend(setup->query[j], setup->query_count, &low, &high);
    sum += squared(high - low);
    dpt_tick(ctx, 2 * (count + setup->query_count));
  }
  return sqrt(sum);
}

void dpt_dtm_evaluate(dpt_ctx *ctx, const dpt_dtm_problem *problem, double *values) {
  if (problem->query_count == 0) return;
  const dpt_dtm_lattice *lattice = problem->lattice;
  const dpt_placing placing = {lattice ? lattice->scale : choose_scale(problem), lattice != NULL};
  dtm_setup setup = {.dimension = problem->dimension,
                     .query_count = problem->query_count,
                     .neighbors = problem->neighbors,
                     .r = problem->r,
                     .clip = lattice ? problem->clip : problem->clip * placing.scale,
                     .lattice = lattice,
                     .whole = lattice ? dpt_power_whole(problem->clip) : 0,
                     .unscale = lattice ? 1 : 1 / placing.scale,
                     .values = values};
  load_queries(ctx, problem, placing, &setup);
  dtm_worker lead = new_worker(ctx, &setup, problem->count);
  lead.ctx = ctx;
  dtm_node root = {.last = setup.query_count};
  root.end = dpt_cloud_load(ctx, problem->points, problem->weight, problem->count, problem->dimension, placing,
                            problem->query_count >= MERGE_QUERIES, &lead.own);
  setup.task = (ptrdiff_t) fmin(fmax(TASK_WORK / (double) root.end, MIN_TASK), MAX_TASK);
  setup.region = TASKS_PER_REGION * setup.task;
  setup.diameter = diameter_of(ctx, &setup, &lead.own, root.end);
  visit(&lead, &root);
}
