/* persistence-bottleneck.c - the bottleneck distance of persistence diagrams, and whether it is at most t.
 *
 * Decision. By the theorem of Mendelsohn and Dulmage (1958), two partial matchings, one that covers a set of points
 * of x and one that covers a set of points of y, can be joined into one that covers both. So the distance is at most
 * t iff the points of x with persistence above 2t (they cannot go to the diagonal) can be matched into y within t,
 * and the points of y with persistence above 2t into x. The two halves are independent one-sided problems, without
 * copies of diagonal points.
 *
 * Few points against many (at most SMALL forced points). A point needs at most as many neighbors as there are forced
 * points: by Hall's theorem, a point with that many can be matched last. The graph therefore has at most SMALL^2
 * edges, found by binary search on the births, and Kuhn's augmenting paths on bit masks cover it without touching
 * memory: microseconds. For the distance, only the SMALL nearest points of the large diagram to each point of the
 * small one, and the SMALL most persistent points of the large diagram, can matter. A binary search over the sorted
 * costs of these edges finishes: O(small * large), and one pass over the large diagram with short scans if it is
 * sorted by birth.
 *
 * Many against many: persistence-match.c.
 *
 * Exactness. Costs are compared in one arithmetic expression each (persistence-points.h). Rounded subtraction is
 * monotone, so the binary search on births and the pruning of boxes use the same rounded differences, and the result
 * is bit for bit one of the costs.
 *
 * Sources: Mendelsohn and Dulmage (1958), Some generalizations of the problem of distinct representatives; Efrat,
 * Itai and Katz (2001), Geometry helps in bottleneck matching; Kerber, Morozov and Nigmetov (2017), Geometry helps
 * to compare persistence diagrams. Rejected: one matching with diagonal copies (twice the nodes, and the dense graph
 * between the copies); sorting all candidate costs (n^2 memory). */
#include "persistence-bottleneck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "persistence-essential.h"
#include "persistence-match.h"

enum { SMALL = 32, NONE = -1 };

/* Small graphs ------------------------------------------------------------------------------------------------- */

/* Up to SMALL points with their neighbors: column numbers in the other diagram and costs. */
typedef struct {
  int rows;
  int degree[SMALL];
  ptrdiff_t column[SMALL][SMALL];
  double cost[SMALL][SMALL];
  double exit[SMALL];
} small_graph;

typedef struct {
  ptrdiff_t column[SMALL]; /* of each row, or NONE */
} small_matching;

static int owner_of(const small_matching *matching, int rows, ptrdiff_t column) {
  for (int row = 0; row < rows; row++) {
    if (matching->column[row] == column) return row;
  }
  return NONE;
}

/* Searches depth first for an augmenting path from `start`. A row is entered once. */
static bool small_augment(const small_graph *graph, small_matching *matching, int start, double t) {
  int stack[SMALL], edge[SMALL], depth = 0;
  uint32_t seen = (uint32_t) 1 << start;
  stack[0] = start;
  edge[0] = 0;
  while (depth >= 0) {
    int row = stack[depth];
    if (edge[depth] == graph->degree[row]) {
      depth--;
      if (depth >= 0) edge[depth]++;
      continue;
    }
    int owner = NONE;
    bool usable = graph->cost[row][edge[depth]] <= t;
    if (usable) owner = owner_of(matching, graph->rows, graph->column[row][edge[depth]]);
    if (!usable || (owner != NONE && (seen >> owner & 1))) {
      edge[depth]++;
    } else if (owner == NONE) {
      for (; depth >= 0; depth--) matching->column[stack[depth]] = graph->column[stack[depth]][edge[depth]];
      return true;
    } else {
      seen |= (uint32_t) 1 << owner;
      stack[++depth] = owner;
      edge[depth] = 0;
    }
  }
  return false;
}

static bool small_covers(const small_graph *graph, double t) {
  small_matching matching;
  for (int row = 0; row < graph->rows; row++) matching.column[row] = NONE;
  for (int row = 0; row < graph->rows; row++) {
    if (graph->exit[row] > t && !small_augment(graph, &matching, row, t)) return false;
  }
  return true;
}

/* Decision ----------------------------------------------------------------------------------------------------- */

/* First point of the sorted `to` whose birth is not below birth - t, in rounded differences. */
static ptrdiff_t window_start(const dpt_points *to, double birth, double t) {
  ptrdiff_t low = 0, high = to->count;
  while (low < high) {
    ptrdiff_t middle = low + (high - low) / 2;
    if (birth - to->birth[middle] > t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Appends a forced point with its neighbors within t, at most `enough`. Returns false if it has no neighbor. */
static bool add_forced_row(small_graph *graph, double birth, double death, const dpt_points *to, double t, int enough) {
  int row = graph->rows++, degree = 0;
  graph->exit[row] = dpt_point_exit(birth, death);
  for (ptrdiff_t j = window_start(to, birth, t); j < to->count && degree < enough; j++) {
    if (to->birth[j] - birth > t) break;
    double cost = dpt_points_gap(birth, death, to->birth[j], to->death[j]);
    if (cost > t) continue;
    graph->column[row][degree] = j;
    graph->cost[row][degree++] = cost;
  }
  graph->degree[row] = degree;
  return degree > 0;
}

bool dpt_bottleneck_covers(dpt_ctx *ctx, const dpt_points *from, const dpt_points *to, double t) {
  ptrdiff_t forced[SMALL], count = 0;
  for (ptrdiff_t i = 0; i < from->count; i++) {
    if (dpt_point_exit(from->birth[i], from->death[i]) <= t) continue;
    if (count < SMALL) forced[count] = i;
    if (++count > to->count) return false;
  }
  dpt_tick(ctx, from->count + 1);
  if (count == 0) return true;
  if (count > SMALL) {
    dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
    bool covered = dpt_match_covers(ctx, dpt_match_new(ctx, from, to), t);
    dpt_arena_release(&ctx->arena, mark);
    return covered;
  }
  small_graph graph;
  graph.rows = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    if (!add_forced_row(&graph, from->birth[forced[i]], from->death[forced[i]], to, t, (int) count)) return false;
  }
  dpt_tick(ctx, 100 * count);
  return small_covers(&graph, t);
}

bool dpt_bottleneck_within(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y, double t) {
  return dpt_bottleneck_covers(ctx, x, y, t) && dpt_bottleneck_covers(ctx, y, x, t);
}

/* Distance of a small diagram ---------------------------------------------------------------------------------- */

/* Keeps the `most` smallest costs of a row, in increasing order. */
static inline void offer_neighbor(small_graph *graph, int row, int most, ptrdiff_t column, double cost) {
  double *costs = graph->cost[row];
  int degree = graph->degree[row];
  if (degree == most && cost >= costs[most - 1]) return;
  int place = degree < most ? degree : most - 1;
  for (; place > 0 && costs[place - 1] > cost; place--) {
    costs[place] = costs[place - 1];
    graph->column[row][place] = graph->column[row][place - 1];
  }
  costs[place] = cost;
  graph->column[row][place] = column;
  if (degree < most) graph->degree[row]++;
}

static bool is_sorted(const dpt_points *points) {
  for (ptrdiff_t i = 1; i < points->count; i++) {
    if (points->birth[i - 1] > points->birth[i]) return false;
  }
  return true;
}

/* Appends the `most` nearest neighbors. If births are sorted, the scan goes outward from the nearest birth, and ends
 * on each side when births alone are too far: a handful of points. */
static void add_nearest_row(small_graph *graph, double birth, double death, const dpt_points *to, bool sorted,
                            int most) {
  int row = graph->rows++;
  const double *farthest = &graph->cost[row][most - 1];
  ptrdiff_t start = sorted ? window_start(to, birth, 0) : 0;
  graph->exit[row] = dpt_point_exit(birth, death);
  graph->degree[row] = 0;
  for (ptrdiff_t j = start; j < to->count; j++) {
    if (sorted && graph->degree[row] == most && to->birth[j] - birth >= *farthest) break;
    offer_neighbor(graph, row, most, j, dpt_points_gap(birth, death, to->birth[j], to->death[j]));
  }
  for (ptrdiff_t j = start - 1; j >= 0; j--) {
    if (sorted && graph->degree[row] == most && birth - to->birth[j] >= *farthest) break;
    offer_neighbor(graph, row, most, j, dpt_points_gap(birth, death, to->birth[j], to->death[j]));
  }
}

/* Chooses the `most` most persistent points, most persistent first, and returns their number. `*next` is half the
 * persistence of the first point left out, or zero. */
static int most_persistent(const dpt_points *points, int most, ptrdiff_t *chosen, double *next) {
  double best[SMALL + 1];
  ptrdiff_t index[SMALL + 1];
  int kept = 0;
  for (ptrdiff_t i = 0; i < points->count; i++) {
    double exit = dpt_point_exit(points->birth[i], points->death[i]);
    if (kept > most && exit <= best[most]) continue;
    int place = kept <= most ? kept++ : most;
    for (; place > 0 && best[place - 1] < exit; place--) {
      best[place] = best[place - 1];
      index[place] = index[place - 1];
    }
    best[place] = exit;
    index[place] = i;
  }
  *next = kept > most ? best[most] : 0;
  if (kept > most) kept = most;
  memcpy(chosen, index, (size_t) kept * sizeof *chosen);
  return kept;
}

/* Lower bound of every t that covers: each row needs its exit or its nearest neighbor. */
static double small_floor(const small_graph *graph, double floor) {
  for (int row = 0; row < graph->rows; row++) {
    double way = graph->exit[row];
    if (graph->degree[row] > 0 && graph->cost[row][0] < way) way = graph->cost[row][0];
    if (way > floor) floor = way;
  }
  return floor;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Collects the costs above `floor` at which a row gets a new neighbor or exit. */
static int collect_costs(const small_graph *graph, double floor, double *costs) {
  int count = 0;
  for (int row = 0; row < graph->rows; row++) {
    double exit = graph->exit[row];
    if (exit <= floor) continue;
    costs[count++] = exit;
    for (int k = 0; k < graph->degree[row] && graph->cost[row][k] < exit; k++) {
      if (graph->cost[row][k] > floor) costs[count++] = graph->cost[row][k];
    }
  }
  return count;
}

static double small_distance(dpt_ctx *ctx, const dpt_points *small, const dpt_points *large) {
  small_graph there, back; /* from the small diagram into the large one, and back */
  ptrdiff_t chosen[SMALL];
  int most = (int) small->count;
  double floor;
  there.rows = back.rows = 0;
  int heavy = most_persistent(large, most, chosen, &floor);
  bool sorted = is_sorted(large);
  for (int i = 0; i < most; i++) add_nearest_row(&there, small->birth[i], small->death[i], large, sorted, most);
  for (int i = 0; i < heavy; i++) {
    add_nearest_row(&back, large->birth[chosen[i]], large->death[chosen[i]], small, false, most);
  }
  dpt_tick(ctx, 2 * (most + 1) * (large->count + most));

  floor = small_floor(&back, small_floor(&there, floor));
  if (small_covers(&there, floor) && small_covers(&back, floor)) return floor;
  double costs[2 * SMALL * (SMALL + 1)];
  int count = collect_costs(&there, floor, costs);
  count += collect_costs(&back, floor, costs + count);
  qsort(costs, (size_t) count, sizeof *costs, compare_doubles);
  int low = 0, high = count - 1; /* the largest exit covers everything */
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (small_covers(&there, costs[middle]) && small_covers(&back, costs[middle])) high = middle;
    else low = middle + 1;
  }
  dpt_tick(ctx, 1000 * most);
  return costs[low];
}

/* Distance ----------------------------------------------------------------------------------------------------- */

static double large_distance(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y) {
  dpt_matcher *there = dpt_match_new(ctx, x, y), *back = dpt_match_new(ctx, y, x);
  double floor = dpt_match_floor(ctx, back, dpt_match_floor(ctx, there, 0));
  return dpt_match_bottleneck(ctx, back, dpt_match_bottleneck(ctx, there, floor));
}

static double finite_distance(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y) {
  const dpt_points *small = x->count < y->count ? x : y, *large = small == x ? y : x;
  return small->count <= SMALL ? small_distance(ctx, small, large) : large_distance(ctx, x, y);
}

/* On a line the sorted order is an optimal matching. */
static double essential_distance(const dpt_split_points *x, const dpt_split_points *y) {
  double distance = 0;
  for (int kind = 0; kind < DPT_ENDLESS_KINDS; kind++) {
    if (x->count[kind] != y->count[kind]) return INFINITY;
    for (ptrdiff_t i = 0; i < x->count[kind]; i++) {
      distance = fmax(distance, fabs(x->level[kind][i] - y->level[kind][i]));
    }
  }
  return distance;
}

double dpt_bottleneck_distance(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y) {
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  dpt_split_points left = dpt_split_essential(ctx, x), right = dpt_split_essential(ctx, y);
  double distance = essential_distance(&left, &right);
  if (isfinite(distance)) distance = fmax(distance, finite_distance(ctx, &left.finite, &right.finite));
  dpt_arena_release(&ctx->arena, mark);
  return distance;
}
