/* persistence-shift.c - the bottleneck distance of two diagrams, minimized over shifts of one along the diagonal.
 *
 * A point i of x, shifted by s, is within t of a point j of y iff s lies in [low - t, high + t]. Here low and high
 * are the larger and the smaller of the differences of births and of deaths, y minus x. The cost of the way to the
 * diagonal is half a persistence at any shift. At given s and t, the points that must be matched are therefore the
 * points with persistence above 2t. By the theorem of Mendelsohn and Dulmage (persistence-bottleneck.c) it suffices
 * to match these points of x into y and these points of y into x.
 *
 * The set of shifts at which this is possible is a union of closed intervals, each of which begins at the start of
 * an edge. A sweep goes upwards through s, at the t just below the best known cost: edges come in the order of `low`
 * and go in the order of `high`, for every t. Two matchings are updated (persistence-cover.c). When one cannot be
 * completed, its proof shows which edges could help, and the sweep goes on to the shift at which the first of them
 * comes. When both are complete, the same matching at its own best shift costs ((largest low) - (smallest high)) /
 * 2, or the cost of the next point that was left to the diagonal. This is the new best cost, edges that are now out
 * of reach are removed, and the sweep stays at its shift. The shifts behind it were impossible at a larger t, so one
 * pass is enough.
 *
 * Infinite points of a kind are matched in their order at every shift: they are one more edge that must be there.
 *
 * Bounds. If each point were free to choose its own shift, x and y would be points on a line, half their
 * persistences, with the same ways to the diagonal. This gives a lower bound, and the points that can never be
 * forced, which need no row. The first best cost comes from shifts that bring persistent points together, by the
 * bottleneck distance. Only pairs that can be within it are edges.
 *
 * Exactness. Only `low - s <= t` and `s - high <= t` decide whether an edge is there, with rounded differences that
 * are monotone in everything. The result is the cost of a matching at a double s, and every improvement is at least
 * one unit in the last place. Only the rounding of s is lost.
 *
 * Cost: sorting the E pairs that can ever be edges, a few nanoseconds for each of them, and some thousand searches
 * of bits. Memory: 56 bytes for each pair and a bit for each pair of points. Limit: E, up to n m if nothing matches
 * well.
 *
 * Sources: Sheehy, Kisielius and Cavanna (2018), Computing the shift-invariant bottleneck distance for persistence
 * diagrams; Mendelsohn and Dulmage (1958). Rejected: a list of candidate values (n^2 m^2); a bisection of t, each
 * step a sweep of its own; a new search at every shift at which each forced point has an edge. */
#include "persistence-shift.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "persistence-bottleneck.h"
#include "persistence-cover.h"
#include "persistence-essential.h"
#include "persistence-grid-sort.h"

enum { STARTS = 2, PLACES = 4, STEPS = 1, CHUNK = 1 << 12 };
#define NONE ((ptrdiff_t) -1)

/* Points -------------------------------------------------------------------------------------------------------- */

/* The finite points of a diagram, the most persistent first. */
typedef struct {
  ptrdiff_t count, rows; /* rows: the number of points that may ever be forced */
  double *birth, *death, *exit;
} side;

typedef struct {
  double exit, birth, death;
} ranked_point;

static int compare_ranked(const void *a, const void *b) {
  const ranked_point *x = a, *y = b;
  if (x->exit != y->exit) return x->exit > y->exit ? -1 : 1;
  return (x->birth > y->birth) - (x->birth < y->birth);
}

static side rank_points(dpt_ctx *ctx, const dpt_points *points) {
  side ranked = {points->count, 0, DPT_NEW(ctx, double, points->count), DPT_NEW(ctx, double, points->count),
                 DPT_NEW(ctx, double, points->count)};
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  ranked_point *order = DPT_NEW(ctx, ranked_point, points->count);
  for (ptrdiff_t i = 0; i < points->count; i++) {
    double birth = points->birth[i], death = points->death[i];
    order[i] = (ranked_point){dpt_point_exit(birth, death), birth, death};
  }
  qsort(order, (size_t) points->count, sizeof *order, compare_ranked);
  for (ptrdiff_t i = 0; i < points->count; i++) {
    ranked.exit[i] = order[i].exit;
    ranked.birth[i] = order[i].birth;
    ranked.death[i] = order[i].death;
  }
  dpt_arena_release(&ctx->arena, mark);
  return ranked;
}

/* Number of points whose exit costs more than t. */
static ptrdiff_t count_forced(const side *points, double t) {
  ptrdiff_t low = 0, high = points->count;
  while (low < high) {
    ptrdiff_t middle = low + (high - low) / 2;
    if (points->exit[middle] > t) low = middle + 1;
    else high = middle;
  }
  return low;
}

static double exit_from(const side *points, ptrdiff_t place) { return place < points->count ? points->exit[place] : 0; }

/* Edges --------------------------------------------------------------------------------------------------------- */

/* A pair, which is within t from low - t to high + t. */
typedef struct {
  double low, high;
} span;

static inline span span_of(const side *x, ptrdiff_t i, const side *y, ptrdiff_t j) {
  double births = y->birth[j] - x->birth[i], deaths = y->death[j] - x->death[i];
  return births > deaths ? (span){births, deaths} : (span){deaths, births};
}

/* The cost of a pair, or of all pairs of a matching, at a shift. */
static inline double span_cost(span s, double shift) {
  double before = s.low - shift, after = shift - s.high;
  return before > after ? before : after;
}

/* The shift of the smallest cost. */
static inline double span_middle(span s) { return 0.5 * s.low + 0.5 * s.high; }

static inline span span_both(span a, span b) {
  return (span){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

/* The first shift at which something with this `low` is within t. */
static inline double first_shift(double low, double t) {
  double shift = low - t;
  return low - shift <= t ? shift : nextafter(shift, INFINITY);
}

typedef struct {
  side x, y;
  span essential; /* of the infinite points: all shifts if there are none */
  span range;     /* the shifts that can improve on the best known cost */
  double slack;   /* largest effect of rounding on a difference */
  double floor;   /* no distance is smaller */
} problem;

/* The pairs that can be within t and have a point that may be forced, row by row. */
typedef struct {
  ptrdiff_t count;
  uint32_t *x, *y;
  dpt_grid_record *coming, *going; /* in the order of `low` and of `high` */
} edge_list;

/* The points of y, from the most persistent on, with persistences near the persistence of a point of x: `from` and
 * `to` only grow as persistence falls. */
static void near_window(const problem *p, ptrdiff_t i, double t, ptrdiff_t *from, ptrdiff_t *to) {
  const double reach = t + p->slack;
  while (*from < p->y.count && p->y.exit[*from] > p->x.exit[i] + reach) ++*from;
  while (*to < p->y.count && p->y.exit[*to] >= p->x.exit[i] - reach) ++*to;
}

/* The range of the shifts at which all points forced at t have a neighbor each. */
static span find_range(dpt_ctx *ctx, const problem *p, double t) {
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  const ptrdiff_t forced_x = count_forced(&p->x, t), forced_y = count_forced(&p->y, t);
  span range = {p->essential.low - t, p->essential.high + t}, *of_y = DPT_NEW(ctx, span, forced_y);
  ptrdiff_t from = 0, to = 0;
  for (ptrdiff_t j = 0; j < forced_y; j++) of_y[j] = (span){INFINITY, -INFINITY};
  for (ptrdiff_t i = 0; i < p->x.count; i++) {
    span of_x = {INFINITY, -INFINITY};
    near_window(p, i, t, &from, &to);
    ptrdiff_t end = i < forced_x || to < forced_y ? to : forced_y;
    for (ptrdiff_t j = from; j < end; j++) {
      span s = span_of(&p->x, i, &p->y, j);
      of_x = (span){s.low < of_x.low ? s.low : of_x.low, s.high > of_x.high ? s.high : of_x.high};
      if (j < forced_y) {
        of_y[j] = (span){s.low < of_y[j].low ? s.low : of_y[j].low, s.high > of_y[j].high ? s.high : of_y[j].high};
      }
    }
    if (i < forced_x) range = span_both(range, (span){of_x.low - t, of_x.high + t});
    dpt_tick(ctx, 2 * (end - from) + 5);
  }
  for (ptrdiff_t j = 0; j < forced_y; j++) range = span_both(range, (span){of_y[j].low - t, of_y[j].high + t});
  dpt_arena_release(&ctx->arena, mark);
  return (span){range.low - p->slack, range.high + p->slack};
}

/* Writes the pairs, or only counts them if `edges` is NULL. */
static ptrdiff_t list_edges(dpt_ctx *ctx, const problem *p, double t, edge_list *edges) {
  ptrdiff_t count = 0, from = 0, to = 0;
  for (ptrdiff_t i = 0; i < p->x.count; i++) {
    near_window(p, i, t, &from, &to);
    ptrdiff_t end = i < p->x.rows || to < p->y.rows ? to : p->y.rows;
    for (ptrdiff_t j = from; j < end; j++) {
      span s = span_of(&p->x, i, &p->y, j);
      if (s.low - t > p->range.high || s.high + t < p->range.low) continue;
      if (!(first_shift(s.low, t) - s.high <= t)) continue;
      if (edges) {
        edges->x[count] = (uint32_t) i;
        edges->y[count] = (uint32_t) j;
        edges->coming[count] = (dpt_grid_record){dpt_grid_key(s.low), (uint32_t) count};
        edges->going[count] = (dpt_grid_record){dpt_grid_key(s.high), (uint32_t) count};
      }
      count++;
    }
    dpt_tick(ctx, 3 * (end - from) + 5);
  }
  return count;
}

static edge_list find_edges(dpt_ctx *ctx, const problem *p, double t) {
  ptrdiff_t count = list_edges(ctx, p, t, NULL);
  if (count > (ptrdiff_t) UINT32_MAX) dpt_escape(ctx, DPT_ERROR_SIZE, "too many pairs of points are near each other");
  edge_list edges = {count, DPT_NEW(ctx, uint32_t, count), DPT_NEW(ctx, uint32_t, count),
                     DPT_NEW(ctx, dpt_grid_record, count), DPT_NEW(ctx, dpt_grid_record, count)};
  list_edges(ctx, p, t, &edges);
  dpt_grid_sort(ctx, edges.coming, count);
  dpt_grid_sort(ctx, edges.going, count);
  return edges;
}

/* The sweep ----------------------------------------------------------------------------------------------------- */

typedef struct {
  const problem *p;
  edge_list edges;
  double shift, t;
  ptrdiff_t come, gone; /* number of edges passed in either order */
  ptrdiff_t forced_x, forced_y;
  dpt_cover from_x, from_y;
  bool x_failed; /* which of the two matchings cannot be completed */
} sweep;

static inline double coming_at(const sweep *w, ptrdiff_t place) { return dpt_grid_value(w->edges.coming[place].key); }
static inline double going_at(const sweep *w, ptrdiff_t place) { return dpt_grid_value(w->edges.going[place].key); }

static void drop_edge(sweep *w, ptrdiff_t edge) {
  ptrdiff_t i = w->edges.x[edge], j = w->edges.y[edge];
  if (i < w->p->x.rows) dpt_cover_drop(&w->from_x, i, j);
  if (j < w->p->y.rows) dpt_cover_drop(&w->from_y, j, i);
}

/* Adds the next edge, unless it is already gone. */
static void add_edge(sweep *w) {
  ptrdiff_t edge = w->edges.coming[w->come++].id, i = w->edges.x[edge], j = w->edges.y[edge];
  if (w->shift - span_of(&w->p->x, i, &w->p->y, j).high > w->t) return;
  if (i < w->p->x.rows) dpt_cover_add(&w->from_x, i, j);
  if (j < w->p->y.rows) dpt_cover_add(&w->from_y, j, i);
}

/* Removes edges that are out of reach at this shift and t. */
static void drop_edges(dpt_ctx *ctx, sweep *w) {
  ptrdiff_t before = w->gone;
  while (w->gone < w->edges.count && w->shift - going_at(w, w->gone) > w->t) drop_edge(w, w->edges.going[w->gone++].id);
  dpt_tick(ctx, 5 * (w->gone - before));
}

static void move_to(dpt_ctx *ctx, sweep *w, double shift) {
  ptrdiff_t before = w->come;
  if (shift > w->shift) w->shift = shift;
  drop_edges(ctx, w);
  while (w->come < w->edges.count && coming_at(w, w->come) - w->shift <= w->t) add_edge(w);
  dpt_tick(ctx, 10 * (w->come - before));
}

static void lower_to(dpt_ctx *ctx, sweep *w, double t) {
  ptrdiff_t before = w->come;
  w->t = t;
  drop_edges(ctx, w);
  while (w->come > 0 && coming_at(w, w->come - 1) - w->shift > t) drop_edge(w, w->edges.coming[--w->come].id);
  dpt_tick(ctx, 5 * (before - w->come));
  w->forced_x = count_forced(&w->p->x, t);
  w->forced_y = count_forced(&w->p->y, t);
}

/* Whether all forced points can be matched here. Tries the matching that failed last first. */
static bool complete(dpt_ctx *ctx, sweep *w) {
  for (int turn = 0; turn < 2; turn++) {
    bool done = w->x_failed ? dpt_cover_complete(ctx, &w->from_x, w->forced_x)
                            : dpt_cover_complete(ctx, &w->from_y, w->forced_y);
    if (!done) return false;
    w->x_failed = !w->x_failed;
  }
  return true;
}

/* Goes on to the shift of the first edge that could help, adding all edges on the way. Returns false if there is
 * none. */
static bool advance(dpt_ctx *ctx, sweep *w) {
  for (; w->come < w->edges.count; add_edge(w)) {
    if (w->come % CHUNK == 0) dpt_tick(ctx, 5 * CHUNK);
    ptrdiff_t edge = w->edges.coming[w->come].id, i = w->edges.x[edge], j = w->edges.y[edge];
    bool helps = w->x_failed ? i < w->forced_x && dpt_cover_helps(&w->from_x, i, j)
                             : j < w->forced_y && dpt_cover_helps(&w->from_y, j, i);
    if (!helps) continue;
    span s = span_of(&w->p->x, i, &w->p->y, j);
    double shift = first_shift(s.low, w->t);
    if (!(shift - s.high <= w->t)) continue; /* too far apart for the present t */
    move_to(ctx, w, shift);
    return true;
  }
  return false;
}

static span matched_span(const sweep *w) {
  const side *x = &w->p->x, *y = &w->p->y;
  span all = w->p->essential;
  for (ptrdiff_t i = 0; i < w->forced_x; i++) all = span_both(all, span_of(x, i, y, w->from_x.column_of[i]));
  for (ptrdiff_t j = 0; j < w->forced_y; j++) all = span_both(all, span_of(x, w->from_y.column_of[j], y, j));
  return all;
}

/* The cost of the matchings at their best shift, or here if rounding makes that better: at most the present t. */
static dpt_shift_best price_matching(const sweep *w) {
  span all = matched_span(w);
  double middle = span_middle(all), there = span_cost(all, middle), here = span_cost(all, w->shift);
  double left = fmax(exit_from(&w->p->x, w->forced_x), exit_from(&w->p->y, w->forced_y));
  if (there <= here) return (dpt_shift_best){fmax(there, left), middle};
  return (dpt_shift_best){fmax(here, left), w->shift};
}

/* The best of all shifts, given the best of some. */
static dpt_shift_best sweep_shifts(dpt_ctx *ctx, const problem *p, dpt_shift_best best) {
  if (best.distance <= p->floor) return best;
  sweep w = {.p = p, .edges = find_edges(ctx, p, best.distance), .shift = -INFINITY, .x_failed = true};
  w.from_x = dpt_cover_new(ctx, p->x.rows, p->y.count);
  w.from_y = dpt_cover_new(ctx, p->y.rows, p->x.count);
  lower_to(ctx, &w, nextafter(best.distance, 0));
  for (;;) {
    if (p->essential.low - w.shift > w.t) move_to(ctx, &w, first_shift(p->essential.low, w.t));
    if (w.shift - p->essential.high > w.t) return best;
    if (complete(ctx, &w)) {
      best = price_matching(&w);
      if (best.distance <= p->floor) return best;
      lower_to(ctx, &w, nextafter(best.distance, 0));
    } else if (!advance(ctx, &w)) {
      return best;
    }
  }
}

/* Bounds -------------------------------------------------------------------------------------------------------- */

/* The distance if each point had a shift of its own. */
static double free_distance(dpt_ctx *ctx, const side *x, const side *y) {
  const side *sides[2] = {x, y};
  dpt_points line[2];
  for (int k = 0; k < 2; k++) {
    double *birth = DPT_NEW(ctx, double, sides[k]->count);
    for (ptrdiff_t i = 0; i < sides[k]->count; i++) birth[i] = -sides[k]->exit[i];
    line[k] = (dpt_points){birth, sides[k]->exit, sides[k]->count};
  }
  return dpt_bottleneck_distance(ctx, &line[0], &line[1]);
}

/* The distance at one shift. */
static double distance_at(dpt_ctx *ctx, const problem *p, double shift) {
  double distance = span_cost(p->essential, shift);
  if (p->x.count == 0) return fmax(distance, exit_from(&p->y, 0));
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  double *birth = DPT_NEW(ctx, double, p->x.count), *death = DPT_NEW(ctx, double, p->x.count);
  for (ptrdiff_t i = 0; i < p->x.count; i++) {
    birth[i] = p->x.birth[i] + shift;
    death[i] = p->x.death[i] + shift;
  }
  dpt_points x = {birth, death, p->x.count}, y = {p->y.birth, p->y.death, p->y.count};
  distance = fmax(distance, dpt_bottleneck_distance(ctx, &x, &y));
  dpt_arena_release(&ctx->arena, mark);
  return distance;
}

static void try_shift(dpt_ctx *ctx, const problem *p, double shift, dpt_shift_best *best) {
  if (!isfinite(shift)) return;
  double distance = distance_at(ctx, p, shift);
  if (distance < best->distance) *best = (dpt_shift_best){distance, shift};
}

/* The cheapest matching that is known without computation: all points to the diagonal. */
static dpt_shift_best no_matching(const problem *p) {
  double exits = fmax(exit_from(&p->x, 0), exit_from(&p->y, 0));
  if (!isfinite(p->essential.low)) return (dpt_shift_best){exits, 0};
  double shift = span_middle(p->essential);
  return (dpt_shift_best){fmax(exits, span_cost(p->essential, shift)), shift};
}

/* Tries shifts that bring persistent points together, then shifts all over the remaining range, then steps from the
 * best of them. */
static dpt_shift_best first_best(dpt_ctx *ctx, problem *p) {
  dpt_shift_best best = no_matching(p);
  if (best.distance <= p->floor) return best;
  if (isfinite(p->essential.low)) try_shift(ctx, p, best.shift, &best);
  for (ptrdiff_t k = 0; k < STARTS && k < p->y.count; k++) {
    if (p->x.count) try_shift(ctx, p, span_middle(span_of(&p->x, 0, &p->y, k)), &best);
  }
  p->range = find_range(ctx, p, best.distance);
  for (int k = 0; k < PLACES; k++) {
    try_shift(ctx, p, p->range.low + (k + 0.5) / PLACES * (p->range.high - p->range.low), &best);
  }
  double step = (p->range.high - p->range.low) / (2 * PLACES);
  for (int k = 0; k < STEPS; k++, step *= 0.5) {
    double shift = best.shift;
    try_shift(ctx, p, shift - step, &best);
    try_shift(ctx, p, shift + step, &best);
  }
  p->range = find_range(ctx, p, best.distance);
  return best;
}

/* The largest finite coordinate. */
static double widest(const dpt_points *points) {
  double most = 0;
  for (ptrdiff_t i = 0; i < points->count; i++) {
    if (isfinite(points->birth[i])) most = fmax(most, fabs(points->birth[i]));
    if (isfinite(points->death[i])) most = fmax(most, fabs(points->death[i]));
  }
  return most;
}

static dpt_points scale_points(dpt_ctx *ctx, const dpt_points *points, double factor) {
  double *birth = DPT_NEW(ctx, double, points->count), *death = DPT_NEW(ctx, double, points->count);
  for (ptrdiff_t i = 0; i < points->count; i++) {
    birth[i] = factor * points->birth[i];
    death[i] = factor * points->death[i];
  }
  return (dpt_points){birth, death, points->count};
}

/* On a line the sorted order is an optimal matching, at every shift. Returns false if the numbers of points differ. */
static bool match_essential(const dpt_split_points *x, const dpt_split_points *y, span *all) {
  *all = (span){-INFINITY, INFINITY};
  for (int kind = 0; kind < DPT_ENDLESS_KINDS; kind++) {
    if (x->count[kind] != y->count[kind]) return false;
    if (kind == DPT_BOTH_LESS) continue;
    for (ptrdiff_t i = 0; i < x->count[kind]; i++) {
      double difference = y->level[kind][i] - x->level[kind][i];
      *all = span_both(*all, (span){difference, difference});
    }
  }
  return true;
}

static dpt_shift_best best_shift(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y) {
  dpt_split_points left = dpt_split_essential(ctx, x), right = dpt_split_essential(ctx, y);
  problem p = {.floor = 0};
  if (!match_essential(&left, &right, &p.essential)) return (dpt_shift_best){INFINITY, NAN};
  p.x = rank_points(ctx, &left.finite);
  p.y = rank_points(ctx, &right.finite);
  p.slack = 16 * DBL_EPSILON * fmax(widest(&left.finite), widest(&right.finite));
  double free = free_distance(ctx, &p.x, &p.y);
  p.floor = isfinite(p.essential.low) ? fmax(free, span_cost(p.essential, span_middle(p.essential))) : free;
  p.x.rows = count_forced(&p.x, p.floor - p.slack);
  p.y.rows = count_forced(&p.y, p.floor - p.slack);
  return sweep_shifts(ctx, &p, first_best(ctx, &p));
}

/* Differences of differences of such large numbers are infinite. A few binary places lower they are finite. */
static const double too_large = 0x1p1016, lower = 0x1p-12;

dpt_shift_best dpt_shift_distance(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y) {
  if (fmax(widest(x), widest(y)) < too_large) return best_shift(ctx, x, y);
  const dpt_points low_x = scale_points(ctx, x, lower), low_y = scale_points(ctx, y, lower);
  dpt_shift_best best = best_shift(ctx, &low_x, &low_y);
  return (dpt_shift_best){best.distance / lower, best.shift / lower};
}
