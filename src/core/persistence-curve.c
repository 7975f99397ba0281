/* persistence-curve.c - curves of persistence diagrams on a grid of levels.
 *
 * Each point is clipped to the range and visits the grid values between its birth and its death only. Betti curves sum
 * differences at the two ends. Life curves add persistences directly, because sums of differences would leave rounding
 * errors, even negative ones, where nothing is alive. The k largest tents at a grid value are kept in decreasing order,
 * and a new tent moves down by a maximum and a minimum per level, without a branch. Values of the points are maxima,
 * minima, and sums in the order of the points, so they depend neither on threads nor on the length of vectors.
 *
 * Cost: for landscapes, min(k, points) pairs of a maximum and a minimum for each point and grid value between its ends.
 * The limits are the vector units and, for the matrix of results, memory. Measured (bench/persistence-curve.R): 12 to 23
 * ms for 200,000 points at 64 levels, for k = 1. Writing the results takes 1 to 2 of them, finding the ends of the points
 * a quarter, and short vector loops most of the rest. Reading R's list of 10,000 diagrams takes 200 ms, so nothing more
 * was tried. Rejected: exact landscapes by their corners (Bubenik and Dlotko 2017), which need sorted points and help
 * only if the grid is finer than the points, and selecting the k-th tent, which can only help if k is large. */
#include "persistence-curve.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base-simd.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* BLOCK: grid values at a time, so that the tents kept for them stay in the cache. GROUP: diagrams at a time, whose
 * values fill a cache line of each column of the results. */
enum { BLOCK = 64, GROUP = 8 };

/* Nanoseconds of work of a chunk per thread: long compared to starting threads, short compared to an interrupt. */
static const double CHUNK_COST = 1e6;

typedef struct {
  double *group; /* GROUP x (size + 1): the values of a group */
  double *value; /* size + 1: the place of one diagram there */
  double *top;   /* level x BLOCK: the largest tents, in decreasing order */
  double *tent;  /* BLOCK */
} curve_room;

/* Points of one diagram. */
typedef struct {
  const double *birth, *death;
  ptrdiff_t count;
} curve_diagram;

/* A point within the range, alive from `birth` to below `death` (for superlevel diagrams: from above `birth` to
 * `death`, with the two exchanged). */
typedef struct {
  double birth, death;
  bool falls;
} curve_bar;

static double clip_level(const dpt_curve *curve, double level) {
  return level < curve->lower ? curve->lower : level > curve->upper ? curve->upper : level;
}

/* Returns whether the point has a positive persistence within the range. */
static bool read_bar(const dpt_curve *curve, const curve_diagram *diagram, ptrdiff_t i, curve_bar *bar) {
  const double birth = diagram->birth[i], death = diagram->death[i];
  if (isnan(birth) || !isfinite(death)) return false;
  bar->falls = birth > death;
  bar->birth = clip_level(curve, bar->falls ? death : birth);
  bar->death = clip_level(curve, bar->falls ? birth : death);
  return bar->birth < bar->death;
}

/* The index of the first grid value that is at least `level`, or above it if `above`. The grid is regular, so the guess
 * is off by at most one, but the result depends on comparisons with the grid alone. */
static ptrdiff_t find_level(const dpt_curve *curve, double level, bool above) {
  const double guess = (level - curve->lower) / (curve->upper - curve->lower) * (double) curve->size;
  ptrdiff_t i = guess >= 0 && guess < (double) curve->size ? (ptrdiff_t) guess : 0;
  while (i > 0 && (above ? curve->grid[i - 1] > level : curve->grid[i - 1] >= level)) i--;
  while (i < curve->size && (above ? curve->grid[i] <= level : curve->grid[i] < level)) i++;
  return i;
}

/* Polls about every 100 microseconds. Without a context, inside a parallel region, it does nothing. */
static void tick(dpt_ctx *ctx, ptrdiff_t units) {
  if (ctx) dpt_tick(ctx, (int64_t) units);
}

static void compute_betti(dpt_ctx *ctx, const dpt_curve *curve, const curve_diagram *diagram, curve_room *room) {
  curve_bar bar;
  for (ptrdiff_t i = 0; i < diagram->count; i++) {
    tick(ctx, 20);
    if (!read_bar(curve, diagram, i, &bar)) continue;
    room->value[find_level(curve, bar.birth, bar.falls)]++;
    room->value[find_level(curve, bar.death, bar.falls)]--;
  }
  for (ptrdiff_t j = 1; j < curve->size; j++) room->value[j] += room->value[j - 1];
}

static void compute_life(dpt_ctx *ctx, const dpt_curve *curve, const curve_diagram *diagram, curve_room *room) {
  double total = 0, *value = room->value;
  curve_bar bar;
  for (ptrdiff_t i = 0; i < diagram->count; i++) {
    if (!read_bar(curve, diagram, i, &bar)) continue;
    const ptrdiff_t from = find_level(curve, bar.birth, bar.falls), to = find_level(curve, bar.death, bar.falls);
    const double life = bar.death - bar.birth;
    DPT_SIMD("omp simd")
    for (ptrdiff_t j = from; j < to; j++) value[j] += life;
    total += life;
    tick(ctx, 20 + (to - from));
  }
  if (curve->kind == DPT_CURVE_LIFE || total == 0) return;
  for (ptrdiff_t j = 0; j < curve->size; j++) value[j] /= total;
}

/* Moves the tents of one point down the levels, at the grid values from `from` to below `to`, counted in the block. */
static void insert_tents(const double *grid, const curve_bar *bar, ptrdiff_t from, ptrdiff_t to, ptrdiff_t levels,
                         const curve_room *room) {
  double *tent = room->tent;
  DPT_SIMD("omp simd")
  for (ptrdiff_t j = from; j < to; j++) {
    const double rise = grid[j] - bar->birth, fall = bar->death - grid[j];
    tent[j] = rise < fall ? rise : fall;
  }
  for (ptrdiff_t k = 0; k < levels; k++) {
    double *top = room->top + k * BLOCK;
    DPT_SIMD("omp simd")
    for (ptrdiff_t j = from; j < to; j++) {
      const double high = top[j], low = tent[j];
      top[j] = high < low ? low : high;
      tent[j] = high < low ? high : low;
    }
  }
}

/* The landscape at the grid values from `first` to below `last`. */
static void compute_landscape(dpt_ctx *ctx, const dpt_curve *curve, const curve_diagram *diagram, curve_room *room,
                              ptrdiff_t first, ptrdiff_t last) {
  const double *grid = curve->grid + first;
  ptrdiff_t levels = 0; /* levels with a tent so far */
  curve_bar bar;
  for (ptrdiff_t i = 0; i < diagram->count; i++) {
    if (!read_bar(curve, diagram, i, &bar)) continue;
    if (bar.death <= grid[0] || bar.birth >= grid[last - first - 1]) continue;
    ptrdiff_t from = find_level(curve, bar.birth, true), to = find_level(curve, bar.death, false);
    from = (from > first ? from : first) - first;
    to = (to < last ? to : last) - first;
    if (levels < curve->level) memset(room->top + levels++ * BLOCK, 0, BLOCK * sizeof *room->top);
    insert_tents(grid, &bar, from, to, levels, room);
    tick(ctx, 20 + levels * (to - from) / 2);
  }
  if (levels < curve->level) return; /* fewer points than levels: zero */
  memcpy(room->value + first, room->top + (levels - 1) * BLOCK, (size_t) (last - first) * sizeof *room->value);
}

static void compute_curve(dpt_ctx *ctx, const dpt_curve *curve, const curve_diagram *diagram, curve_room *room) {
  memset(room->value, 0, (size_t) (curve->size + 1) * sizeof *room->value);
  if (curve->kind == DPT_CURVE_BETTI) {
    compute_betti(ctx, curve, diagram, room);
  } else if (curve->kind == DPT_CURVE_LANDSCAPE) {
    for (ptrdiff_t first = 0; first < curve->size; first += BLOCK)
      compute_landscape(ctx, curve, diagram, room, first, curve->size - first < BLOCK ? curve->size : first + BLOCK);
  } else {
    compute_life(ctx, curve, diagram, room);
  }
}

/* Computes `count` rows of the results, from `row` on. */
static void compute_group(dpt_ctx *ctx, const dpt_curve *curve, const curve_diagram *diagrams, ptrdiff_t count,
                          curve_room *room, ptrdiff_t rows, double *row) {
  const ptrdiff_t width = curve->size + 1;
  for (ptrdiff_t i = 0; i < count; i++) {
    room->value = room->group + i * width;
    compute_curve(ctx, curve, diagrams + i, room);
  }
  for (ptrdiff_t j = 0; j < curve->size; j++)
    for (ptrdiff_t i = 0; i < count; i++) row[i + j * rows] = room->group[i * width + j];
}

/* Nanoseconds for one diagram, roughly and never too few. */
static double estimate_cost(const dpt_curve *curve, double count) {
  const double levels = (double) curve->level < count ? (double) curve->level : count;
  const double each = curve->kind == DPT_CURVE_BETTI ? 0 : (curve->kind == DPT_CURVE_LANDSCAPE ? levels : 1);
  return 50 + 2 * (double) curve->size + count * (20 + each * (double) curve->size);
}

void dpt_curve_values(dpt_ctx *ctx, const dpt_curve *curve, const dpt_curve_points *points, double *values) {
  const ptrdiff_t n = points->diagrams;
  const int threads = ctx->threads > n / GROUP ? (int) (n / GROUP) + 1 : ctx->threads;
  double most = 0;
  for (ptrdiff_t i = 0; i < n; i++) most = points->counts[i] > most ? points->counts[i] : most;
  dpt_curve own = *curve;
  if ((double) own.level > most) own.level = (ptrdiff_t) most + 1; /* no diagram has as many points: zero */
  curve_room *rooms = DPT_NEW(ctx, curve_room, threads);
  for (int t = 0; t < threads; t++)
    rooms[t] = (curve_room){DPT_NEW(ctx, double, GROUP *(own.size + 1)), NULL, DPT_NEW(ctx, double, own.level *BLOCK),
                            DPT_NEW(ctx, double, BLOCK)};
  curve_diagram *diagrams = DPT_NEW(ctx, curve_diagram, n > 0 ? n : 1);
  ptrdiff_t first_point = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    diagrams[i] = (curve_diagram){points->birth + first_point, points->death + first_point,
                                  (ptrdiff_t) points->counts[i]};
    first_point += diagrams[i].count;
  }
  for (ptrdiff_t from = 0, to; from < n; from = to) {
    double cost = estimate_cost(&own, points->counts[from]), more;
    for (to = from + 1; to < n; to++, cost += more) {
      more = estimate_cost(&own, points->counts[to]);
      if (cost + more > CHUNK_COST * threads) break;
    }
    if (to == from + 1) { /* it may be large, and is interrupted from within */
      compute_group(ctx, &own, diagrams + from, 1, rooms, n, values + from);
    } else {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1 && cost > CHUNK_COST / 10)
#endif
      for (ptrdiff_t i = from; i < to; i += GROUP) {
#ifdef _OPENMP
        curve_room *room = rooms + omp_get_thread_num();
#else
        curve_room *room = rooms;
#endif
        compute_group(NULL, &own, diagrams + i, to - i < GROUP ? to - i : GROUP, room, n, values + i);
      }
      dpt_tick(ctx, (int64_t) cost);
    }
    ctx->fraction = (double) to / (double) n;
  }
}
