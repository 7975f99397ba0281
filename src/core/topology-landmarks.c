/* HEADER */
#include "topology-landmarks.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology-dtm-cloud.h"
#include "topology-landmarks-nearest.h"

#if defined(__x86_64__) && !defined(_WIN32) /* Windows aligns the stack to half of such a vector */
#define LONG_VECTORS
#include <immintrin.h>
#endif

/* LANES rows make a panel, SIX landmarks are looked at together, a group is what a thread works on: it reads
 * all rows once for a group, CHUNK panels at a time. */
enum { LANES = 8, SIX = 6, GROUP = 24, CHUNK = 32, CHUNK_BYTES = 1 << 17, SAMPLE = 8192, PART_OF_SAMPLE = 16 };
enum { BLOCK = 256, PART = 1 << 20 }; /* of distances */
static const double GROUP_ROOM = 0x1p22; /* doubles in the room of a group of more than six */
static const double BATCH_WORK = 3e6;    /* nanoseconds of each thread between two polls, about */

/* Four rows beside each other; the compiler halves it where vectors are shorter. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* The inner loops are compiled into each of their callers, for the vectors of that one. */
#define INTO __attribute__((always_inline))

/* Rows in whole numbers, LANES of them after another: coordinate j of those of a panel stands at j * LANES. What is left of the last
 * panel is farther than any clip and has no weight. */
typedef struct {
  ptrdiff_t rows, panels;
  double *x, *norm, *weight; /* norm: squared lengths, where they are used; weight: NULL for all one */
  double longest;            /* of the norms */
  double total, squares;     /* sums of the weights and of their squares */
} row_panels;

/* Six landmarks: coordinate j of those stands at j * SIX, times -2 where norms are used. */
typedef struct {
  double *place;
  double norm[SIX];
} landmark_six;

typedef struct landmark_worker landmark_worker;

typedef void scan_loop(const row_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension, const landmark_six *six,
                       dpt_nearest *nearest);

typedef struct {
  const dpt_dtm_problem *problem;
  dpt_nearest_rule rule;
  dpt_placing placing;
  double *center;     /* moved to the origin, or NULL: no norms, distances are sums of squares of differences */
  row_panels rows, sample;
  scan_loop *scan;
  ptrdiff_t chunk, room, group;
  double *values;
} landmark_setup;

/* What one thread works with: a group of landmarks and what has been kept for each. */
struct landmark_worker {
  const landmark_setup *setup;
  const ptrdiff_t *which; /* numbers of the landmarks */
  ptrdiff_t count;
  landmark_six *six;
  dpt_nearest *nearest;
  bool *lost; /* the limit was guessed too low */
};

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static double place(const landmark_setup *setup, double x, int j) {
  return dpt_cloud_place(setup->placing, x) - (setup->center ? setup->center[j] : 0);
}

/* Every `step`-th row that has a weight. */
static row_panels pack_rows(dpt_ctx *ctx, const landmark_setup *setup, ptrdiff_t step) {
  const dpt_dtm_problem *problem = setup->problem;
  const ptrdiff_t d = problem->dimension, most = (problem->count - 1) / step + 1, panels = (most + LANES - 1) / LANES;
  row_panels rows = {.x = DPT_NEW(ctx, double, panels * LANES * d), .norm = DPT_NEW(ctx, double, panels * LANES)};
  if (problem->weight) rows.weight = DPT_NEW(ctx, double, panels * LANES);
  ptrdiff_t next = 0;
  while (next < problem->count) {
    ptrdiff_t row[LANES], size = 0;
    for (; size < LANES && next < problem->count; next += step)
      if (!problem->weight || problem->weight[next] > 0) row[size++] = next;
    if (size == 0) break;
    double *x = rows.x + rows.panels * LANES * d, *norm = rows.norm + rows.panels * LANES;
    for (int i = 0; i < LANES; i++) norm[i] = 0;
    for (int j = 0; j < d; j++, x += LANES) {
      for (ptrdiff_t i = 0; i < size; i++) {
        x[i] = place(setup, problem->points[row[i] + j * problem->count], j);
        norm[i] += x[i] * x[i];
      }
      for (ptrdiff_t i = size; i < LANES; i++) x[i] = setup->center ? 0 : 0x1p460;
    }
    for (ptrdiff_t i = 0; i < size; i++) rows.longest = norm[i] > rows.longest ? norm[i] : rows.longest;
    for (ptrdiff_t i = size; i < LANES; i++) norm[i] = 0x1p60;
    if (rows.weight)
      for (ptrdiff_t i = 0; i < LANES; i++) rows.weight[rows.panels * LANES + i] = i < size ? problem->weight[row[i]] : 0;
    for (ptrdiff_t i = 0; i < size; i++) {
      const double w = problem->weight ? problem->weight[row[i]] : 1;
      rows.total += w;
      rows.squares += w * w;
    }
    rows.rows += size;
    rows.panels++;
    dpt_tick(ctx, 2 * LANES * d);
  }
  return rows;
}

/* --- distances --------------------------------------------------------------------------------------------------- */

/* The keys of a panel, LANES for each of six landmarks. */
INTO static inline void measure_panel(const double *x, const double *norm, int dimension, const landmark_six *six,
                                      bool differences, double *key) {
  four a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, a4 = {0}, a5 = {0};
  four b0 = {0}, b1 = {0}, b2 = {0}, b3 = {0}, b4 = {0}, b5 = {0};
  const double *c = six->place;
  for (int j = 0; j < dimension; j++, x += LANES, c += SIX) {
    const four a = *(const four *) x, b = *(const four *) (x + 4);
    if (differences) {
      a0 += (a - c[0]) * (a - c[0]), b0 += (b - c[0]) * (b - c[0]);
      a1 += (a - c[1]) * (a - c[1]), b1 += (b - c[1]) * (b - c[1]);
      a2 += (a - c[2]) * (a - c[2]), b2 += (b - c[2]) * (b - c[2]);
      a3 += (a - c[3]) * (a - c[3]), b3 += (b - c[3]) * (b - c[3]);
      a4 += (a - c[4]) * (a - c[4]), b4 += (b - c[4]) * (b - c[4]);
      a5 += (a - c[5]) * (a - c[5]), b5 += (b - c[5]) * (b - c[5]);
    } else {
      a0 += a * c[0], b0 += b * c[0];
      a1 += a * c[1], b1 += b * c[1];
      a2 += a * c[2], b2 += b * c[2];
      a3 += a * c[3], b3 += b * c[3];
      a4 += a * c[4], b4 += b * c[4];
      a5 += a * c[5], b5 += b * c[5];
    }
  }
  four *at = (four *) key;
  if (!differences) {
    const four a = *(const four *) norm, b = *(const four *) (norm + 4);
    const double *n = six->norm;
    a0 += a + n[0], b0 += b + n[0];
    a1 += a + n[1], b1 += b + n[1];
    a2 += a + n[2], b2 += b + n[2];
    a3 += a + n[3], b3 += b + n[3];
    a4 += a + n[4], b4 += b + n[4];
    a5 += a + n[5], b5 += b + n[5];
  }
  at[0] = a0, at[1] = b0, at[2] = a1, at[3] = b1, at[4] = a2, at[5] = b2;
  at[6] = a3, at[7] = b3, at[8] = a4, at[9] = b4, at[10] = a5, at[11] = b5;
}

/* Appends those of LANES keys that are below the limit. */
INTO static inline void keep_any(dpt_nearest *nearest, const double *key, const double *weight) {
  ptrdiff_t count = nearest->count;
  for (int i = 0; i < LANES; i++) {
    nearest->key[count] = key[i];
    if (weight) nearest->weight[count] = weight[i];
    count += key[i] < nearest->limit;
  }
  nearest->count = count;
}

INTO static inline void scan_any(const row_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension,
                                 const landmark_six *six, dpt_nearest *nearest, bool differences, bool weighted) {
  double key[SIX * LANES];
  for (ptrdiff_t panel = from; panel < to; panel++) {
    measure_panel(rows->x + panel * LANES * dimension, rows->norm + panel * LANES, dimension, six, differences, key);
    const double *weight = weighted ? rows->weight + panel * LANES : NULL;
    for (int i = 0; i < SIX; i++) keep_any(nearest + i, key + i * LANES, weight);
  }
}

#define SCAN(name, differences, weighted)                                                                             \
  static void name(const row_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension, const landmark_six *six,      \
                   dpt_nearest *nearest) {                                                                            \
    scan_any(rows, from, to, dimension, six, nearest, differences, weighted);                                         \
  }
SCAN(scan_products, false, false)
SCAN(scan_weighted_products, false, true)
SCAN(scan_differences, true, false)
SCAN(scan_weighted_differences, true, true)

#ifdef LONG_VECTORS
#define LONG __attribute__((target("avx2,fma")))

/* The halves of those of four doubles that a mask of four bits names, to the front; and how many they are. */
static const int32_t front[16][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7}, {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {6, 7, 0, 1, 2, 3, 4, 5}, {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7}};
static const int32_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

LONG INTO static inline void move_front(const double *from, __m256i order, double *to) {
  const __m256i four_doubles = _mm256_castpd_si256(_mm256_loadu_pd(from));
  _mm256_storeu_pd(to, _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(four_doubles, order)));
}

LONG INTO static inline void keep_long(dpt_nearest *nearest, const double *key, const double *weight) {
  const __m256d limit = _mm256_set1_pd(nearest->limit);
  ptrdiff_t count = nearest->count;
  for (int i = 0; i < LANES; i += 4) {
    const int mask = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(key + i), limit, _CMP_LT_OQ));
    const __m256i order = _mm256_loadu_si256((const __m256i *) front[mask]);
    move_front(key + i, order, nearest->key + count);
    if (weight) move_front(weight + i, order, nearest->weight + count);
    count += ones[mask];
  }
  nearest->count = count;
}

LONG INTO static inline void scan_long(const row_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension,
                                       const landmark_six *six, dpt_nearest *nearest, bool differences, bool weighted) {
  double key[SIX * LANES];
  for (ptrdiff_t panel = from; panel < to; panel++) {
    measure_panel(rows->x + panel * LANES * dimension, rows->norm + panel * LANES, dimension, six, differences, key);
    const double *weight = weighted ? rows->weight + panel * LANES : NULL;
    for (int i = 0; i < SIX; i++) keep_long(nearest + i, key + i * LANES, weight);
  }
}

#define SCAN_LONG(name, differences, weighted)                                                                        \
  LONG static void name(const row_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension, const landmark_six *six, \
                        dpt_nearest *nearest) {                                                                       \
    scan_long(rows, from, to, dimension, six, nearest, differences, weighted);                                        \
  }
SCAN_LONG(scan_products_long, false, false)
SCAN_LONG(scan_weighted_products_long, false, true)
SCAN_LONG(scan_differences_long, true, false)
SCAN_LONG(scan_weighted_differences_long, true, true)

static bool has_long_vectors(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

static scan_loop *choose_scan(bool differences, bool weighted) {
#ifdef LONG_VECTORS
  if (has_long_vectors()) {
    if (differences) return weighted ? scan_weighted_differences_long : scan_differences_long;
    return weighted ? scan_weighted_products_long : scan_products_long;
  }
#endif
  if (differences) return weighted ? scan_weighted_differences : scan_differences;
  return weighted ? scan_weighted_products : scan_products;
}

/* --- one thread -------------------------------------------------------------------------------------------------- */

static double square_of_clip(const landmark_setup *setup) { return setup->rule.clip * setup->rule.clip; }

static ptrdiff_t chunk_rows(const landmark_setup *setup) { return LANES * setup->chunk; }

/* Takes these panels in, with room made before each chunk. */
static void scan_panels(landmark_worker *worker, const row_panels *rows, ptrdiff_t from, ptrdiff_t to) {
  const landmark_setup *setup = worker->setup;
  const ptrdiff_t most = setup->room - chunk_rows(setup) - LANES;
  for (; from < to; from += setup->chunk) {
    const ptrdiff_t end = from + setup->chunk < to ? from + setup->chunk : to;
    for (ptrdiff_t first = 0; first < worker->count; first += SIX) {
      dpt_nearest *nearest = worker->nearest + first;
      for (int i = 0; i < SIX; i++)
        if (nearest[i].count > most) dpt_nearest_compact(nearest + i, setup->rule.neighbors);
      setup->scan(rows, from, end, setup->problem->dimension, worker->six + first / SIX, nearest);
    }
  }
}

static void scan_rows(landmark_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  scan_panels(worker, &worker->setup->rows, from, to);
}

/* Copies the landmarks of the group; a place that is left is never near. */
static void load_group(landmark_worker *worker) {
  const landmark_setup *setup = worker->setup;
  const dpt_dtm_problem *problem = setup->problem;
  for (ptrdiff_t i = 0; i < (worker->count + SIX - 1) / SIX * SIX; i++) {
    const bool used = i < worker->count;
    landmark_six *six = worker->six + i / SIX;
    double norm = 0;
    for (int j = 0; j < problem->dimension; j++) {
      const double x = used ? place(setup, problem->queries[worker->which[i] + j * problem->query_count], j) : 0;
      norm += x * x;
      six->place[j * SIX + i % SIX] = setup->center ? -2 * x : x;
    }
    six->norm[i % SIX] = norm;
    worker->nearest[i].count = 0;
    worker->nearest[i].limit = used ? square_of_clip(setup) : -1;
    worker->nearest[i].guessed = false;
  }
}

/* A limit below which the k nearest rows most likely are: three standard errors, and three rows, beyond what the sample
 * says. */
static void guess_limits(landmark_worker *worker) {
  const landmark_setup *setup = worker->setup;
  const row_panels *sample = &setup->sample;
  scan_panels(worker, sample, 0, sample->panels);
  const double part = setup->rule.neighbors / setup->rows.total;
  const double target = ceil(part * sample->total + 3 * sqrt(part * (1 - part) * sample->squares) + 3 * sample->squares / sample->total);
  for (ptrdiff_t i = 0; i < worker->count; i++) {
    dpt_nearest *nearest = worker->nearest + i;
    const double limit = nearest->limit;
    const double key = dpt_select_weighted(NULL, nearest->key, nearest->weight, nearest->count, target, 0, limit);
    nearest->guessed = key + 1 < limit;
    nearest->limit = fmin(key + 1, limit);
    nearest->count = 0;
  }
}

static void begin_group(landmark_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  (void) from, (void) to;
  load_group(worker);
  if (worker->setup->sample.panels > 0) guess_limits(worker);
}

static void finish_landmarks(landmark_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  const landmark_setup *setup = worker->setup;
  for (ptrdiff_t i = from; i < to && i < worker->count; i++)
    worker->lost[i] = !dpt_nearest_value(worker->nearest + i, setup->rule, setup->values + worker->which[i]);
}

/* --- all threads ------------------------------------------------------------------------------------------------- */

static landmark_worker new_worker(dpt_ctx *ctx, const landmark_setup *setup) {
  const ptrdiff_t d = setup->problem->dimension;
  landmark_worker worker = {.setup = setup,
                            .six = DPT_NEW(ctx, landmark_six, setup->group / SIX),
                            .nearest = DPT_NEW(ctx, dpt_nearest, setup->group),
                            .lost = DPT_NEW(ctx, bool, setup->group)};
  for (ptrdiff_t i = 0; i < setup->group / SIX; i++) worker.six[i].place = DPT_NEW(ctx, double, SIX * d);
  const bool weighted = setup->rows.weight != NULL;
  double *all_one = weighted ? NULL : DPT_NEW(ctx, double, setup->room);
  for (ptrdiff_t i = 0; all_one && i < setup->room; i++) all_one[i] = 1;
  for (ptrdiff_t i = 0; i < setup->group; i++)
    worker.nearest[i] = (dpt_nearest){.key = DPT_NEW(ctx, double, setup->room),
                                      .weight = weighted ? DPT_NEW(ctx, double, setup->room) : all_one};
  return worker;
}

typedef void worker_stage(landmark_worker *worker, ptrdiff_t from, ptrdiff_t to);

/* One stage of all workers, in parts that take about `work` nanoseconds a step each, with a poll after each part. */
static void run_stage(dpt_ctx *ctx, landmark_worker *workers, int busy, worker_stage *stage, ptrdiff_t steps,
                      double work) {
  const ptrdiff_t part = (ptrdiff_t) fmin(fmax(BATCH_WORK / work, 1), (double) steps);
  for (ptrdiff_t from = 0; from < steps; from += part) {
    const ptrdiff_t to = from + part < steps ? from + part : steps;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(busy) if (busy > 1)
#endif
    for (int i = 0; i < busy; i++) stage(workers + i, from, to);
    dpt_tick(ctx, (int64_t) ((double) (to - from) * work));
  }
}

/* The values of the landmarks of a list; gives back how many are left, which are moved to its front. */
static ptrdiff_t run_list(dpt_ctx *ctx, const landmark_setup *setup, landmark_worker *workers, ptrdiff_t *list,
                          ptrdiff_t count) {
  const double d = setup->problem->dimension, scan = (double) setup->group * (0.1 * d + 0.5) * LANES;
  ptrdiff_t lost = 0;
  for (ptrdiff_t from = 0; from < count;) {
    int busy = 0;
    const ptrdiff_t first = from;
    for (; busy < ctx->threads && from < count; busy++) {
      workers[busy].which = list + from;
      workers[busy].count = from + setup->group < count ? setup->group : count - from;
      from += workers[busy].count;
    }
    run_stage(ctx, workers, busy, begin_group, 1, scan * (double) setup->sample.panels);
    run_stage(ctx, workers, busy, scan_rows, setup->rows.panels, scan);
    run_stage(ctx, workers, busy, finish_landmarks, workers[0].count, 5 * (double) setup->room);
    for (ptrdiff_t i = first; i < from; i++)
      if (workers[(i - first) / setup->group].lost[(i - first) % setup->group]) list[lost++] = list[i];
    ctx->fraction = (double) from / (double) count;
  }
  return lost;
}

/* --- the problem in panels --------------------------------------------------------------------------------------- */

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* The middle of the landmarks, in whole numbers; gives back the largest squared distance of one from there. */
static double find_center(dpt_ctx *ctx, const landmark_setup *setup, double *center) {
  const dpt_dtm_problem *problem = setup->problem;
  const ptrdiff_t count = problem->query_count;
  double *norm = DPT_NEW(ctx, double, count), longest = 0;
  for (ptrdiff_t i = 0; i < count; i++) norm[i] = 0;
  for (int j = 0; j < problem->dimension; j++) {
    double low = INFINITY, high = -INFINITY;
    for (ptrdiff_t i = 0; i < count; i++) {
      const double x = place(setup, problem->queries[i + j * count], j);
      low = fmin(low, x);
      high = fmax(high, x);
    }
    center[j] = rint(low + (high - low) / 2);
    for (ptrdiff_t i = 0; i < count; i++) {
      const double x = place(setup, problem->queries[i + j * count], j) - center[j];
      norm[i] += x * x;
      longest = fmax(longest, norm[i]);
    }
    dpt_tick(ctx, 20 * count);
  }
  return longest;
}

/* Norms are of use where all of them, about the middle of the landmarks, are at most 2^52. */
static void load_rows(dpt_ctx *ctx, landmark_setup *setup) {
  const dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  double *center = DPT_NEW(ctx, double, setup->problem->dimension);
  if (find_center(ctx, setup, center) <= 0x1p52) {
    setup->center = center;
    setup->rows = pack_rows(ctx, setup, 1);
    if (setup->rows.longest <= 0x1p52) return;
  }
  dpt_arena_release(&ctx->arena, mark);
  setup->center = NULL;
  setup->rows = pack_rows(ctx, setup, 1);
}

static void choose_sizes(landmark_setup *setup, int threads) {
  const ptrdiff_t d = setup->problem->dimension, count = setup->problem->query_count, rows = setup->rows.rows;
  const ptrdiff_t panel_bytes = LANES * d * (ptrdiff_t) sizeof(double);
  setup->chunk = larger(1, smaller(CHUNK, CHUNK_BYTES / panel_bytes));
  const ptrdiff_t near = (ptrdiff_t) fmin(setup->rule.neighbors, (double) rows);
  setup->room = larger(smaller(rows, near + larger(near, 1024)), setup->sample.rows) + chunk_rows(setup) + 2 * LANES;
  const ptrdiff_t fit = (ptrdiff_t) (GROUP_ROOM / (double) setup->room), each = (count + threads - 1) / threads;
  setup->group = larger(1, (smaller(smaller(GROUP, fit), each) + SIX - 1) / SIX) * SIX;
}

void dpt_landmarks_evaluate(dpt_ctx *ctx, const dpt_dtm_problem *problem, double *values) {
  const ptrdiff_t count = problem->query_count;
  if (count == 0) return;
  landmark_setup setup = {.problem = problem,
                          .rule = {problem->neighbors, problem->r, problem->clip, problem->lattice},
                          .placing = {problem->lattice->scale, true},
                          .values = values};
  load_rows(ctx, &setup);
  const ptrdiff_t sample = smaller(problem->count / PART_OF_SAMPLE, SAMPLE);
  if (sample >= SAMPLE / PART_OF_SAMPLE) setup.sample = pack_rows(ctx, &setup, problem->count / sample);
  setup.scan = choose_scan(setup.center == NULL, problem->weight != NULL);
  choose_sizes(&setup, ctx->threads);
  landmark_worker *workers = DPT_NEW(ctx, landmark_worker, ctx->threads);
  for (int i = 0; i < ctx->threads; i++) workers[i] = new_worker(ctx, &setup);
  ptrdiff_t *list = DPT_NEW(ctx, ptrdiff_t, count);
  for (ptrdiff_t i = 0; i < count; i++) list[i] = i;
  const ptrdiff_t lost = run_list(ctx, &setup, workers, list, count);
  setup.sample.panels = 0;
  run_list(ctx, &setup, workers, list, lost);
}

/* --- distances of any metric ------------------------------------------------------------------------------------- */

/* What a thread keeps of the column of a landmark. */
typedef struct {
  const dpt_landmarks_table *table;
  const double *distance;
  dpt_nearest nearest;
  ptrdiff_t room;
  double *value;
} table_worker;

static double whole_distance(double distance, double scale, double clip) {
  const double whole = floor(distance * scale);
  return whole < clip ? (whole > 0 ? whole : 0) : clip;
}

static void keep_distances(table_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  const dpt_landmarks_table *table = worker->table;
  dpt_nearest *nearest = &worker->nearest;
  for (; from < to; from += BLOCK) {
    if (nearest->count > worker->room - BLOCK) dpt_nearest_compact(nearest, table->neighbors);
    ptrdiff_t count = nearest->count;
    for (ptrdiff_t i = from; i < to && i < from + BLOCK; i++) {
      const double whole = whole_distance(worker->distance[i], table->lattice->scale, table->clip);
      const double weight = table->weight ? table->weight[i] : 1;
      nearest->key[count] = whole * whole;
      nearest->weight[count] = weight;
      count += (whole * whole < nearest->limit) & (weight > 0);
    }
    nearest->count = count;
  }
}

void dpt_landmarks_steps(dpt_ctx *ctx, const dpt_landmarks_table *table, double *values) {
  const ptrdiff_t near = (ptrdiff_t) fmin(table->neighbors, (double) table->count);
  const ptrdiff_t room = smaller(table->count, near + larger(near, 1024)) + BLOCK;
  table_worker *workers = DPT_NEW(ctx, table_worker, ctx->threads);
  for (int i = 0; i < ctx->threads; i++)
    workers[i] = (table_worker){.table = table, .room = room, .nearest = {.key = DPT_NEW(ctx, double, room), .weight = DPT_NEW(ctx, double, room)}};
  const dpt_nearest_rule rule = {table->neighbors, table->r, table->clip, table->lattice};
  for (ptrdiff_t first = 0; first < table->landmarks; first += ctx->threads) {
    const int busy = (int) smaller(ctx->threads, table->landmarks - first);
    for (int i = 0; i < busy; i++) {
      workers[i].distance = table->distances + (first + i) * table->count;
      workers[i].nearest.count = 0;
      workers[i].nearest.limit = table->clip * table->clip;
    }
    for (ptrdiff_t from = 0; from < table->count; from += PART) {
      const ptrdiff_t to = smaller(from + PART, table->count);
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(busy) if (busy > 1)
#endif
      for (int i = 0; i < busy; i++) keep_distances(workers + i, from, to);
      dpt_tick(ctx, 3 * (to - from));
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(busy) if (busy > 1)
#endif
    for (int i = 0; i < busy; i++) dpt_nearest_value(&workers[i].nearest, rule, values + first + i);
    ctx->fraction = (double) (first + busy) / (double) table->landmarks;
    dpt_tick(ctx, 5 * room);
  }
}
