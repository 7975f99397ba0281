/* dtm-landmarks.c - the integer distance to a measure at landmarks, by direct distances.
 *
 * Method. Rows are copied once, as integers and in panels of eight. A thread takes a group of landmarks through all
 * rows and stores for each the keys (squared distances) below a limit. When the keys fill their room, the limit
 * falls to the k-th smallest of them (dtm-landmarks-nearest.c). A sample of rows at public places gives a first
 * limit, below which the k nearest most likely are, so that little more than k keys are ever stored. If fewer than k
 * are, the landmark is computed again without a guess: the result is always exact. Then the nearest are summed as
 * for grids (dtm-sums.c).
 *
 * Exactness. Coordinates are integers z. With c the middle of the landmarks, also an integer, a key is
 *
 *     |z - p|^2 = (|x|^2 + |y|^2) + sum of x_j (-2 y_j),    x = z - c, y = p - c.
 *
 * It is used if all |x|^2 and |y|^2 are at most 2^52 as computed. They are then exact: rounding is monotone, so a
 * coordinate whose difference is not exact, beyond 2^53, would be detected. Any partial sum of the products is at
 * most the sum of (x_j^2 + y_j^2) <= 2^53 in absolute value, and so is each product. They are exact, fused or not,
 * in any order. The last addition adds two exact numbers: the key is exact up to 2^53, and beyond that at least 2^53
 * as computed. A clip has a square of at most 2^52, so an inexact key is never below a limit. The norms are that
 * small if no place of the box is farther than 2^26 from the box around the landmarks, coordinate by coordinate.
 * Other data take sums of squares of differences, which are right in the same sense (inst/proofs/dtm-sensitivity.md,
 * "On a lattice"). Because keys below the limit are exact, groups, guesses and threads do not change the result.
 *
 * Cost: `dimension` multiplications for each row and landmark, twice as many by differences, and one comparison and
 * one store by vectors. The vector units are the limit: eight products per cycle with two units of four. Measured
 * (bench/dtm-landmarks.R, one core, others at work beside it): for 10 columns and m0 = 0.05 about 1.8 ns for each
 * row and landmark, a sixth of the time of the product of the two matrices in the reference BLAS. The products alone
 * would take 0.6 ns at 2.1 GHz, and the loops alone (m0 = 1e-5) take 1.3. For m0 = 0.5 it is 3.8 ns, a third. By
 * perf, the time of the kernel for 10^5 rows and 250 landmarks divides into: the loop over panels 2/3, selections
 * 1/6, reading and copying the rows 1/6. Bytes: the rows are read once for a group, and from the cache for each six
 * landmarks of it. Memory: the rows once more, and for each thread twice k doubles for each landmark of a group.
 *
 * Rejected: the descent of dtm.c (beyond three dimensions it visits nearly all rows at every landmark, some 5 to 20
 * ns each); a matrix of distances; merging equal rows (rows of many columns are rarely equal); a branch for vectors
 * without a near row (mispredicted for every second one); selecting among all keys without a sample of them (three
 * times the time of the distances). */
#include "dtm-landmarks.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "dtm-cloud.h"
#include "dtm-landmarks-loops.h"
#include "dtm-landmarks-nearest.h"

/* A thread works on a group of landmarks. It reads all rows once for the group, CHUNK panels at a time, or fewer if
 * these would be too large for the cache. */
enum { LANES = DPT_LANES, SIX = DPT_SIX, GROUP = 96, CHUNK = 32, CHUNK_BYTES = 1 << 15 };
enum { LEAST_SAMPLE = 512, MOST_SAMPLE = 8192, ROWS_PER_SAMPLE = 32 };
static const double GROUP_ROOM = 0x1p23;   /* doubles in the room of a group of more than six landmarks */
static const double BATCH_WORK = 1e7;      /* approximate nanoseconds of each thread between two polls */
static const double WORK_PER_THREAD = 5e5; /* nanoseconds of work that justify one more thread */

/* Rows in panels, with the largest norm, and the sums of the weights and of their squares. */
typedef struct {
  dpt_panels panels;
  double longest, total, squares;
} landmark_rows;

typedef struct {
  const dpt_dtm_problem *problem;
  dpt_nearest_rule rule;
  dpt_placing placing;
  double *center; /* point moved to the origin, or NULL for keys by differences */
  landmark_rows rows, sample;
  ptrdiff_t chunk, room, group;
  int threads;
  double *values;
} landmark_setup;

/* The data of one thread: a group of landmarks and the kept keys of each. */
typedef struct {
  const landmark_setup *setup;
  const ptrdiff_t *which; /* numbers of the landmarks */
  ptrdiff_t count;
  dpt_landmark_six *six;
  dpt_kept *kept;
  bool *guessed; /* whether the limit was guessed, and may be too low */
  dpt_nearest_scratch scratch;
} landmark_worker;

/* --- rows -------------------------------------------------------------------------------------------------------- */
static double place(const landmark_setup *setup, double x, int j) {
  return dpt_cloud_place(setup->placing, x) - (setup->center ? setup->center[j] : 0);
}

/* Writes a panel of `size` rows. Its other places are farther than any clip. */
static void pack_panel(const landmark_setup *setup, const ptrdiff_t *row, ptrdiff_t size, double *x, double *norm) {
  const dpt_dtm_problem *problem = setup->problem;
  for (ptrdiff_t i = 0; i < LANES; i++) norm[i] = i < size ? 0 : 0x1p60;
  for (int j = 0; j < problem->dimension; j++, x += LANES) {
    const double *from = problem->points + j * problem->count;
    for (ptrdiff_t i = 0; i < size; i++) {
      x[i] = place(setup, from[row[i]], j);
      norm[i] += x[i] * x[i];
    }
    for (ptrdiff_t i = size; i < LANES; i++) x[i] = setup->center ? 0 : 0x1p460;
  }
}

/* Packs every `step`-th row with a positive weight. */
static landmark_rows pack_rows(dpt_ctx *ctx, const landmark_setup *setup, ptrdiff_t step) {
  const dpt_dtm_problem *problem = setup->problem;
  const ptrdiff_t d = problem->dimension, most = ((problem->count - 1) / step + LANES) / LANES * LANES;
  dpt_panels all = {.x = DPT_NEW(ctx, double, most *d), .norm = DPT_NEW(ctx, double, most)};
  if (problem->weight) all.weight = DPT_NEW(ctx, double, most);
  landmark_rows rows = {.longest = 0};
  for (ptrdiff_t next = 0; next < problem->count;) {
    ptrdiff_t row[LANES], size = 0;
    for (; size < LANES && next < problem->count; next += step)
      if (!problem->weight || problem->weight[next] > 0) row[size++] = next;
    const ptrdiff_t at = all.panels++ * LANES;
    pack_panel(setup, row, size, all.x + at * d, all.norm + at);
    for (ptrdiff_t i = 0; i < LANES; i++) {
      const double weight = i >= size ? 0 : problem->weight ? problem->weight[row[i]] : 1;
      if (all.weight) all.weight[at + i] = weight;
      rows.total += weight;
      rows.squares += weight * weight;
      if (i < size) rows.longest = fmax(rows.longest, all.norm[at + i]);
    }
    all.rows += size;
    dpt_tick(ctx, 2 * LANES * (int64_t) d);
  }
  rows.panels = all;
  return rows;
}

/* --- one thread -------------------------------------------------------------------------------------------------- */

static ptrdiff_t chunk_rows(const landmark_setup *setup) { return LANES * setup->chunk; }

/* Adds the rows of these panels. Makes room before each chunk. */
static void scan_panels(landmark_worker *worker, const dpt_panels *rows, ptrdiff_t from, ptrdiff_t to) {
  const landmark_setup *setup = worker->setup;
  const ptrdiff_t most = setup->room - chunk_rows(setup) - LANES;
  for (; from < to; from += setup->chunk) {
    const ptrdiff_t end = from + setup->chunk < to ? from + setup->chunk : to;
    for (ptrdiff_t first = 0; first < worker->count; first += SIX) {
      dpt_kept *kept = worker->kept + first;
      for (int i = 0; i < SIX; i++)
        if (kept[i].count > most && dpt_nearest_lower(&setup->rule, kept + i, worker->scratch))
          worker->guessed[first + i] = false;
      setup->rule.loops.scan(rows, from, end, setup->problem->dimension, worker->six + first / SIX, kept);
    }
  }
}

static void scan_rows(landmark_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  scan_panels(worker, &worker->setup->rows.panels, from, to);
}

/* Copies the landmarks of the group. Unused places are never near. */
static void load_group(landmark_worker *worker) {
  const landmark_setup *setup = worker->setup;
  const dpt_dtm_problem *problem = setup->problem;
  for (ptrdiff_t i = 0; i < (worker->count + SIX - 1) / SIX * SIX; i++) {
    const bool used = i < worker->count;
    dpt_landmark_six *six = worker->six + i / SIX;
    double norm = 0;
    for (int j = 0; j < problem->dimension; j++) {
      const double x = used ? place(setup, problem->queries[worker->which[i] + j * problem->query_count], j) : 0;
      norm += x * x;
      six->place[j * SIX + i % SIX] = setup->center ? -2 * x : x;
    }
    six->norm[i % SIX] = norm;
    worker->kept[i].count = 0;
    worker->kept[i].limit = used ? setup->rule.clip * setup->rule.clip : -1;
    worker->guessed[i] = false;
  }
}

/* Guesses limits below which the k nearest rows most likely are: three standard errors, and three rows, beyond the
 * estimate from the sample. Keys are integers. */
static void guess_limits(landmark_worker *worker) {
  const landmark_setup *setup = worker->setup;
  const landmark_rows *sample = &setup->sample;
  const double part = setup->rule.neighbors / setup->rows.total, unit = sample->squares / sample->total;
  const double target = part * sample->total + 3 * sqrt(part * (1 - part) * sample->squares) + 3 * unit;
  scan_panels(worker, &sample->panels, 0, sample->panels.panels);
  for (ptrdiff_t i = 0; i < worker->count; i++) {
    dpt_kept *kept = worker->kept + i;
    const double limit = dpt_nearest_select(&setup->rule, kept, worker->scratch, target) + 1;
    kept->count = 0;
    worker->guessed[i] = limit < kept->limit;
    if (worker->guessed[i]) kept->limit = limit;
  }
}

static void begin_group(landmark_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  (void) from, (void) to;
  load_group(worker);
  if (worker->setup->sample.total > 0) guess_limits(worker);
}

/* A guessed limit is good if the weights below it sum to at least k. */
static void finish_landmarks(landmark_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  const landmark_setup *setup = worker->setup;
  for (ptrdiff_t i = from; i < to && i < worker->count; i++) {
    dpt_kept *kept = worker->kept + i;
    if (dpt_nearest_lower(&setup->rule, kept, worker->scratch)) worker->guessed[i] = false;
    if (!worker->guessed[i]) setup->values[worker->which[i]] = dpt_nearest_value(&setup->rule, kept);
  }
}

/* --- all threads ------------------------------------------------------------------------------------------------- */

static landmark_worker new_worker(dpt_ctx *ctx, const landmark_setup *setup) {
  const ptrdiff_t d = setup->problem->dimension, room = setup->room;
  landmark_worker worker = {.setup = setup,
                            .six = DPT_NEW(ctx, dpt_landmark_six, setup->group / SIX),
                            .kept = DPT_NEW(ctx, dpt_kept, setup->group),
                            .guessed = DPT_NEW(ctx, bool, setup->group),
                            .scratch = dpt_nearest_new_scratch(ctx, room)};
  for (ptrdiff_t i = 0; i < setup->group / SIX; i++) worker.six[i].place = DPT_NEW(ctx, double, SIX *d);
  for (ptrdiff_t i = 0; i < setup->group; i++)
    worker.kept[i] = (dpt_kept){.key = DPT_NEW(ctx, double, room),
                                .weight = setup->problem->weight ? DPT_NEW(ctx, double, room) : NULL};
  return worker;
}

typedef void worker_stage(landmark_worker *worker, ptrdiff_t from, ptrdiff_t to);

/* Runs one stage of all workers in steps of about `work` nanoseconds each, with a poll after each part. */
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

/* Approximate nanoseconds for each row and landmark. */
static double pair_work(const landmark_setup *setup) { return 0.1 * setup->problem->dimension + 0.5; }

/* Computes the values of the landmarks of a list. Returns the number of unfinished ones, which are moved to its
 * front. */
static ptrdiff_t run_list(dpt_ctx *ctx, const landmark_setup *setup, landmark_worker *workers, ptrdiff_t *list,
                          ptrdiff_t count) {
  const double scan = (double) setup->group * LANES * pair_work(setup);
  ptrdiff_t lost = 0;
  for (ptrdiff_t from = 0; from < count;) {
    int busy = 0;
    const ptrdiff_t first = from;
    for (; busy < setup->threads && from < count; busy++) {
      workers[busy].which = list + from;
      workers[busy].count = from + setup->group < count ? setup->group : count - from;
      from += workers[busy].count;
    }
    run_stage(ctx, workers, busy, begin_group, 1, scan * (double) setup->sample.panels.panels);
    run_stage(ctx, workers, busy, scan_rows, setup->rows.panels.panels, scan);
    run_stage(ctx, workers, busy, finish_landmarks, workers[0].count, 5 * (double) setup->room);
    for (ptrdiff_t i = first; i < from; i++)
      if (workers[(i - first) / setup->group].guessed[(i - first) % setup->group]) list[lost++] = list[i];
    ctx->fraction = (double) from / (double) count;
  }
  return lost;
}

/* --- the problem in panels --------------------------------------------------------------------------------------- */

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* Finds the middle of the landmarks, in integers. Returns the largest squared distance of a landmark from it. */
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

/* Uses norms if all of them, about the middle of the landmarks, are at most 2^52. */
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

static void choose_sizes(landmark_setup *setup, int most_threads) {
  const ptrdiff_t d = setup->problem->dimension, count = setup->problem->query_count, rows = setup->rows.panels.rows;
  const ptrdiff_t panel_bytes = LANES * d * (ptrdiff_t) sizeof(double);
  setup->chunk = larger(1, smaller(CHUNK, CHUNK_BYTES / panel_bytes));
  const ptrdiff_t near = (ptrdiff_t) fmin(setup->rule.neighbors, (double) rows);
  setup->room = larger(smaller(rows, near + larger(near, 1024)), setup->sample.panels.rows) + chunk_rows(setup) +
                2 * LANES;
  const double work = (double) rows * (double) count * pair_work(setup);
  setup->threads = (int) fmin(1 + work / WORK_PER_THREAD, most_threads);
  const ptrdiff_t fit = (ptrdiff_t) (GROUP_ROOM / (double) setup->room),
                  each = (count + setup->threads - 1) / setup->threads;
  setup->group = larger(1, (smaller(smaller(GROUP, fit), each) + SIX - 1) / SIX) * SIX;
}

void dpt_landmarks_evaluate(dpt_ctx *ctx, const dpt_dtm_problem *problem, double *values) {
  const ptrdiff_t count = problem->query_count;
  if (count == 0) return;
  landmark_setup setup = {
      .problem = problem,
      .rule = {.neighbors = problem->neighbors, .r = problem->r, .clip = problem->clip, .lattice = problem->lattice},
      .placing = {problem->lattice->scale, true},
      .values = values};
  load_rows(ctx, &setup);
  const ptrdiff_t sample = smaller(problem->count / ROWS_PER_SAMPLE, MOST_SAMPLE);
  if (sample >= LEAST_SAMPLE) setup.sample = pack_rows(ctx, &setup, problem->count / sample);
  setup.rule.loops = dpt_landmark_choose_loops(setup.center != NULL, problem->weight != NULL);
  choose_sizes(&setup, ctx->threads);
  landmark_worker *workers = DPT_NEW(ctx, landmark_worker, setup.threads);
  for (int i = 0; i < setup.threads; i++) workers[i] = new_worker(ctx, &setup);
  ptrdiff_t *list = DPT_NEW(ctx, ptrdiff_t, count);
  for (ptrdiff_t i = 0; i < count; i++) list[i] = i;
  const ptrdiff_t lost = run_list(ctx, &setup, workers, list, count);
  setup.sample.total = 0;
  run_list(ctx, &setup, workers, list, lost);
}
