/* cluster-morse.c - modes, saddles and passes of the log density of a mixture of normal distributions.
 *
 * cluster-morse-ascent.c ascends to modes.
 *
 * Saddles are found in two ways. The ridgeline of two components, (a P_k + (1 - a) P_l)^-1 (a P_k mu_k + (1 - a) P_l
 * mu_l) for a in (0, 1), contains all critical points of the mixture of these two (Ray and Lindsay 2005): its lowest
 * points are saddles if the other components are far away. This holds even if components are so far apart that the
 * density has a crease in between, which Newton's method would not find. Between any two modes a string of nodes (E,
 * Ren and Vanden-Eijnden 2007) is relaxed by a fraction of the ascent's steps. (The quadratic string of Byun et al. has
 * only one node that moves.) From each lowest point, steps that ascend in all directions except that of the largest
 * eigenvalue lead to a saddle. If they leave the crease, the lowest point of the path through the current point is
 * taken. A point is accepted as a saddle if its Hessian has one positive eigenvalue. From both of its sides, an ascent
 * leads to the modes that it joins. If that finds a new mode, the mode is included from then on.
 *
 * The lowest level of each path is also a pass, so that any two modes are joined. It is a bound, not a guess: along a
 * segment each component's part is log-concave, and segments are halved until the bound that follows from this is tight
 * enough.
 *
 * Cost: O(components^2) ridgelines and O(modes^2) strings; 30 components in 10 dimensions take at most 0.9 s in the
 * median (bench/cluster-morse.R). Rejected: straight segments instead of strings (they cut arcs through the middle),
 * and Newton's method from the nodes (it ends at modes as often as at saddles). */
#include "cluster-morse.h"

#include <math.h>
#include <string.h>

#include "base-linear.h"
#include "cluster-morse-ascent.h"

enum {
  NODES = 14,        /* segments of a string */
  SWEEPS = 12,       /* of its relaxation */
  BETWEEN = 4,       /* points on each of its segments */
  RIDGE = 36,        /* points on a ridgeline */
  GOLDEN_STEPS = 40, /* of a search on a line */
  FOLLOW_STEPS = 80,
  DEPTH = 40 /* of halvings of a segment */
};

static const double SAME_LENGTH = 1e-3; /* standard deviations: closer modes or saddles are the same */
static const double TOLERANCE = 1e-5;   /* of the lowest level of a way, relative */

/* ---- Ways ------------------------------------------------------------------------------------------------------ */

/* A path from t = 0 to t = `end`: straight between nodes, or the ridgeline of two components. */
typedef struct {
  const double *nodes; /* NULL: a ridgeline */
  ptrdiff_t first, second;
  double end;
} way;

static bool point_on(dpt_ascent *s, const way *on, double t, double *x) {
  const ptrdiff_t n = s->n, square = n * n;
  if (on->nodes) {
    ptrdiff_t i = (ptrdiff_t) t;
    if (i >= (ptrdiff_t) on->end) i = (ptrdiff_t) on->end - 1;
    const double part = t - (double) i, *node = on->nodes + i * n;
    for (ptrdiff_t j = 0; j < n; j++) x[j] = (1 - part) * node[j] + part * node[n + j];
    return true;
  }
  const double *mean = s->mixture->mean, *from = mean + on->first * n, *to = mean + on->second * n;
  if (t <= 0 || t >= on->end) {
    memcpy(x, t <= 0 ? from : to, (size_t) n * sizeof(double));
    return true;
  }
  /* even in the logarithm of the odds */
  const double odds = 24 * (t / on->end) - 12, a = 1 / (1 + exp(odds)), b = 1 / (1 + exp(-odds));
  const double *P = s->precision + on->first * square, *Q = s->precision + on->second * square;
  for (ptrdiff_t i = 0; i < square; i++) s->square[i] = a * P[i] + b * Q[i];
  if (!dpt_linear_cholesky(n, s->square, s->lower)) return false;
  for (ptrdiff_t i = 0; i < n; i++) {
    x[i] = 0;
    for (ptrdiff_t j = 0; j < n; j++) x[i] += b * Q[i + j * n] * (to[j] - from[j]);
  }
  dpt_linear_solve_lower(n, s->lower, 1, x);
  dpt_linear_solve_lower_transposed(n, s->lower, 1, x);
  for (ptrdiff_t i = 0; i < n; i++) x[i] += from[i];
  return true;
}

static double level_on(dpt_ascent *s, const way *on, double t, double *x) {
  return point_on(s, on, t, x) ? dpt_ascent_level(s, x) : DPT_ASCENT_LOWEST;
}

/* Finds the lowest level between two points of a path, by golden sections. x receives its point. */
static double lowest_between(dpt_ascent *s, const way *on, double from, double to, double *x) {
  const double golden = 0.61803398874989484820;
  double left = to - golden * (to - from), right = from + golden * (to - from);
  double at_left = level_on(s, on, left, x), at_right = level_on(s, on, right, x);
  for (int time = 0; time < GOLDEN_STEPS; time++) {
    if (at_left <= at_right) {
      to = right;
      right = left;
      at_right = at_left;
      left = to - golden * (to - from);
      at_left = level_on(s, on, left, x);
    } else {
      from = left;
      left = right;
      at_left = at_right;
      right = from + golden * (to - from);
      at_right = level_on(s, on, right, x);
    }
  }
  return level_on(s, on, (from + to) / 2, x);
}

/* ---- The graph ------------------------------------------------------------------------------------------------- */

typedef struct {
  dpt_ascent s;
  ptrdiff_t room;      /* for modes */
  double *mode_metric; /* n x n for each */
  double *level;       /* room x room, of the best pass so far, for from < to */
  const double **place;
  double *saddle, *saddle_level; /* all that were found */
  ptrdiff_t saddles, saddle_room;
  double *x, *y, *nodes, *shifted, *length, *queries, *corner, *ridge;
  double *middle, *middle_part, *least, *deepest; /* of a search on a segment */
  bool deeper;
  dpt_morse_graph *graph;
} builder;

static ptrdiff_t find_mode(builder *b, const double *x, double level) {
  const ptrdiff_t n = b->s.n;
  for (ptrdiff_t i = 0; i < b->graph->modes; i++) {
    if (fabs(b->graph->mode_level[i] - level) > 1e-3) continue;
    if (dpt_ascent_length(n, b->mode_metric + i * n * n, x, b->graph->mode + i * n) < SAME_LENGTH) return i;
  }
  return -1;
}

/* Moves x to its mode. Returns the mode's number, or -1 if there is no room for another mode. */
static ptrdiff_t mode_above(builder *b, double *x) {
  const ptrdiff_t n = b->s.n, square = n * n;
  const double first = dpt_ascent_level(&b->s, x);
  double level;
  /* ends after a climb, so that level and metric are those at x */
  for (ptrdiff_t escapes = 0;; escapes++) {
    dpt_ascent_climb(&b->s, x, first);
    level = dpt_ascent_see(&b->s, x, false);
    const ptrdiff_t known = find_mode(b, x, level);
    if (known >= 0) return known;
    if (escapes == n + DPT_ASCENT_ESCAPES || !dpt_ascent_leave(&b->s, x)) break;
  }
  if (b->graph->modes == b->room) return -1;
  const ptrdiff_t i = b->graph->modes++;
  memcpy(b->graph->mode + i * n, x, (size_t) n * sizeof(double));
  memcpy(b->mode_metric + i * square, b->s.metric, (size_t) square * sizeof(double));
  b->graph->mode_level[i] = level;
  return i;
}

static void add_pass(builder *b, ptrdiff_t i, ptrdiff_t j, double level, const double *place) {
  const ptrdiff_t cell = (i < j ? i : j) + (i < j ? j : i) * b->room;
  /* the lowest point of a path through a saddle equals the saddle up to rounding */
  const double margin = place ? 1e-7 * (1 + fabs(level)) : 0;
  if (i == j || level + margin <= b->level[cell]) return;
  b->level[cell] = level;
  b->place[cell] = place;
}

static bool is_known_saddle(builder *b, const double *x, double level) {
  const ptrdiff_t n = b->s.n;
  for (ptrdiff_t i = 0; i < b->saddles; i++) {
    if (fabs(b->saddle_level[i] - level) > 1e-6 * (1 + fabs(level))) continue;
    if (dpt_ascent_length(n, b->s.metric, x, b->saddle + i * n) < SAME_LENGTH) return true;
  }
  return false;
}

static const double *remember_saddle(builder *b, const double *x, double level) {
  const ptrdiff_t n = b->s.n;
  if (b->saddles == b->saddle_room) {
    const ptrdiff_t room = 2 * b->saddle_room;
    double *saddle = DPT_NEW(b->s.ctx, double, room *n), *levels = DPT_NEW(b->s.ctx, double, room);
    memcpy(saddle, b->saddle, (size_t) (b->saddles * n) * sizeof(double));
    memcpy(levels, b->saddle_level, (size_t) b->saddles * sizeof(double));
    /* places of passes still point into the old array, which is kept */
    b->saddle = saddle;
    b->saddle_level = levels;
    b->saddle_room = room;
  }
  double *place = b->saddle + b->saddles * n;
  memcpy(place, x, (size_t) n * sizeof(double));
  b->saddle_level[b->saddles++] = level;
  return place;
}

/* Moves x to the lowest point of the path from one mode through x to the other. */
static void cross_again(builder *b, ptrdiff_t i, ptrdiff_t j, double *x) {
  const ptrdiff_t n = b->s.n;
  const size_t bytes = (size_t) n * sizeof(double);
  memcpy(b->corner, b->graph->mode + i * n, bytes);
  memcpy(b->corner + n, x, bytes);
  memcpy(b->corner + 2 * n, b->graph->mode + j * n, bytes);
  const way on = {.nodes = b->corner, .end = 2};
  const int queries = 32;
  int lowest = 1;
  double level = INFINITY;
  for (int k = 1; k < queries; k++) {
    const double here = level_on(&b->s, &on, 2.0 * k / queries, x);
    if (here < level) {
      level = here;
      lowest = k;
    }
  }
  lowest_between(&b->s, &on, 2.0 * (lowest - 1) / queries, 2.0 * (lowest + 1) / queries, x);
}

/* Moves x to a saddle, and returns whether it is one. The eigenvectors there are kept in the search. */
static bool follow(builder *b, ptrdiff_t i, ptrdiff_t j, double *x, double *level) {
  dpt_ascent *s = &b->s;
  const ptrdiff_t n = s->n;
  double longest = 0.5, change = INFINITY;
  int escapes = 0;
  for (int time = 0; time < FOLLOW_STEPS; time++) {
    *level = dpt_ascent_see(s, x, true);
    if (*level == DPT_ASCENT_LOWEST) return false;
    const double before = change;
    change = dpt_ascent_turn(s);
    if (change < 0) return false;
    const bool still = change < 1e-20 || (change < 1e-11 && change >= before / 2);
    if (still || time == FOLLOW_STEPS - 1) {
      if (change > 1e-8 || !(s->values[0] > 1e-9)) return false;
      if (n == 1 || s->values[1] < 0) return true;
      if (escapes++ == 3) return false;
      /* above a saddle, by symmetry: move away */
      memset(s->step, 0, (size_t) n * sizeof(double));
      s->step[1] = DPT_ASCENT_SIDE;
      dpt_ascent_move(s, s->step, x);
      change = INFINITY;
      continue;
    }
    if (!(s->values[0] > 0)) {
      longest /= 2;
      if (longest < 1e-4) return false;
      cross_again(b, i, j, x);
      continue;
    }
    double squares = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
      s->step[k] /= (k == 0 ? -1 : 1) * fmax(fabs(s->values[k]), 1e-6);
      squares += s->step[k] * s->step[k];
    }
    const double length = sqrt(squares);
    if (length > longest)
      for (ptrdiff_t k = 0; k < n; k++) s->step[k] *= longest / length;
    dpt_ascent_move(s, s->step, x);
  }
  return false;
}

/* Follows x, a lowest point of a path between two modes, to a saddle and to the modes on its sides. */
static void try_saddle(builder *b, ptrdiff_t i, ptrdiff_t j, double *x) {
  const ptrdiff_t n = b->s.n;
  double level = DPT_ASCENT_LOWEST;
  if (!follow(b, i, j, x, &level) || is_known_saddle(b, x, level)) return;
  const double *place = remember_saddle(b, x, level);
  ptrdiff_t side[2];
  for (ptrdiff_t k = 0; k < n; k++) b->s.step[k] = k == 0 ? DPT_ASCENT_SIDE : 0;
  dpt_ascent_move(&b->s, b->s.step, x);
  for (ptrdiff_t k = 0; k < n; k++) b->y[k] = 2 * place[k] - x[k];
  side[0] = mode_above(b, x);
  side[1] = mode_above(b, b->y);
  if (side[0] >= 0 && side[1] >= 0) add_pass(b, side[0], side[1], level, place);
}

/* Lowers `lowest` to the lowest level on the segment from x to y, up to TOLERANCE and never above it, and keeps the
 * point with that level. Along a segment the log of each component's part is concave, so it is at least the smaller of
 * its values at the two ends, and the density is at least the sum of these values. Stops if the level is at most
 * `enough`. */
static void search_segment(builder *b, const double *x, const double *y, const double *part_x, const double *part_y,
                           int depth, double enough, double *lowest) {
  const ptrdiff_t n = b->s.n, K = b->s.K;
  for (ptrdiff_t k = 0; k < K; k++) b->least[k] = fmin(part_x[k], part_y[k]);
  const double bound = fmax(dpt_mixture_log_sum(K, b->least), DPT_ASCENT_LOWEST);
  if (*lowest <= enough || bound >= *lowest) return;
  if (depth == DEPTH || bound >= *lowest - TOLERANCE * (1 + fabs(*lowest))) {
    *lowest = bound;
    return;
  }
  double *middle = b->middle + depth * n, *part = b->middle_part + depth * K;
  for (ptrdiff_t i = 0; i < n; i++) middle[i] = (x[i] + y[i]) / 2;
  const double level = dpt_ascent_level(&b->s, middle);
  memcpy(part, b->s.part, (size_t) K * sizeof(double));
  if (level < *lowest) {
    *lowest = level;
    memcpy(b->deepest, middle, (size_t) n * sizeof(double));
    b->deeper = true;
  }
  search_segment(b, x, middle, part_x, part, depth + 1, enough, lowest);
  search_segment(b, middle, y, part, part_y, depth + 1, enough, lowest);
}

/* Adds a pass at the lowest level of a path through `count` nodes, if it is above the known pass. `lowest` is the
 * lowest level found so far. A new point may lead to a saddle. */
static void add_way(builder *b, ptrdiff_t i, ptrdiff_t j, const double *nodes, int count, double lowest) {
  const ptrdiff_t n = b->s.n, K = b->s.K;
  const double enough = b->level[(i < j ? i : j) + (i < j ? j : i) * b->room];
  double *here = b->middle_part + DEPTH * K, *next = here + K;
  b->deeper = false;
  dpt_ascent_level(&b->s, nodes);
  memcpy(here, b->s.part, (size_t) K * sizeof(double));
  for (int k = 0; k + 1 < count && lowest > enough; k++) {
    dpt_ascent_level(&b->s, nodes + (k + 1) * n);
    memcpy(next, b->s.part, (size_t) K * sizeof(double));
    search_segment(b, nodes + k * n, nodes + (k + 1) * n, here, next, 0, enough, &lowest);
    memcpy(here, next, (size_t) K * sizeof(double));
  }
  if (b->deeper) try_saddle(b, i, j, b->deepest);
  add_pass(b, i, j, lowest, NULL);
}

/* Walks a path between two modes. Adds a pass at its lowest level, and a saddle from each of its low points. */
static void walk(builder *b, ptrdiff_t i, ptrdiff_t j, const way *on, int queries) {
  double lowest = INFINITY;
  const double step = on->end / queries;
  for (int k = 0; k <= queries; k++) {
    b->queries[k] = level_on(&b->s, on, step * k, b->x);
    lowest = fmin(lowest, b->queries[k]);
  }
  for (int k = 1; k < queries; k++) {
    if (b->queries[k] > b->queries[k - 1] || b->queries[k] >= b->queries[k + 1]) continue;
    lowest = fmin(lowest, lowest_between(&b->s, on, step * (k - 1), step * (k + 1), b->x));
    try_saddle(b, i, j, b->x);
  }
  if (on->nodes) {
    add_way(b, i, j, on->nodes, NODES + 1, lowest);
    return;
  }
  for (int k = 0; k <= queries; k++)
    if (!point_on(&b->s, on, step * k, b->ridge + k * b->s.n)) return;
  add_way(b, i, j, b->ridge, queries + 1, lowest);
}

/* Moves the nodes to equal distances, with each segment measured in the metrics at its ends (in b->length). */
static void space_evenly(builder *b, double total) {
  const ptrdiff_t n = b->s.n;
  const size_t bytes = (size_t) n * sizeof(double);
  ptrdiff_t segment = 0;
  double passed = 0;
  memcpy(b->shifted, b->nodes, bytes);
  memcpy(b->shifted + NODES * n, b->nodes + NODES * n, bytes);
  for (ptrdiff_t k = 1; k < NODES; k++) {
    const double wanted = total * (double) k / NODES;
    while (segment < NODES - 1 && passed + b->length[segment] < wanted) passed += b->length[segment++];
    const double part = b->length[segment] > 0 ? fmin((wanted - passed) / b->length[segment], 1) : 0;
    const double *node = b->nodes + segment * n;
    for (ptrdiff_t i = 0; i < n; i++) b->shifted[k * n + i] = (1 - part) * node[i] + part * node[n + i];
  }
  memcpy(b->nodes, b->shifted, bytes * (NODES + 1));
}

/* Makes one sweep over the string. Returns false if its lengths are not finite. */
static bool relax(builder *b) {
  const ptrdiff_t n = b->s.n;
  memset(b->length, 0, NODES * sizeof(double));
  for (ptrdiff_t k = 0; k <= NODES; k++) {
    double *node = b->nodes + k * n;
    dpt_ascent_see(&b->s, node, false);
    if (k > 0 && k < NODES && dpt_ascent_factor(&b->s)) {
      dpt_ascent_step(&b->s);
      for (ptrdiff_t i = 0; i < n; i++) b->shifted[k * n + i] = node[i] + 0.4 * b->s.step[i];
    } else {
      memcpy(b->shifted + k * n, node, (size_t) n * sizeof(double));
    }
    if (k > 0) b->length[k - 1] += dpt_ascent_length(n, b->s.metric, node, node - n) / 2;
    if (k < NODES) b->length[k] += dpt_ascent_length(n, b->s.metric, node, node + n) / 2;
  }
  memcpy(b->nodes, b->shifted, (size_t) ((NODES + 1) * n) * sizeof(double));
  double total = 0;
  for (int k = 0; k < NODES; k++) total += b->length[k];
  if (!(total > 0) || !isfinite(total)) return false;
  space_evenly(b, total);
  return true;
}

static void pull_string(builder *b, ptrdiff_t i, ptrdiff_t j) {
  const ptrdiff_t n = b->s.n;
  const double *from = b->graph->mode + i * n, *to = b->graph->mode + j * n;
  for (ptrdiff_t k = 0; k <= NODES; k++) {
    const double part = (double) k / NODES;
    for (ptrdiff_t d = 0; d < n; d++) b->nodes[k * n + d] = (1 - part) * from[d] + part * to[d];
  }
  const way on = {.nodes = b->nodes, .end = NODES};
  walk(b, i, j, &on, BETWEEN * NODES);
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    if (!relax(b)) return;
  walk(b, i, j, &on, BETWEEN * NODES);
}

static builder new_builder(dpt_ctx *ctx, const dpt_mixture *mixture, dpt_morse_graph *graph) {
  const ptrdiff_t n = mixture->dimension, K = mixture->components, room = 2 * K + 10, saddle_room = K;
  *graph = (dpt_morse_graph){.mode = DPT_NEW(ctx, double, room *n),
                             .mode_level = DPT_NEW(ctx, double, room),
                             .mode_of = DPT_NEW(ctx, ptrdiff_t, K)};
  builder b = {.s = dpt_ascent_new(ctx, mixture),
               .room = room,
               .mode_metric = DPT_NEW(ctx, double, room *n *n),
               .level = DPT_NEW(ctx, double, room *room),
               .place = DPT_NEW(ctx, const double *, room *room),
               .saddle = DPT_NEW(ctx, double, saddle_room *n),
               .saddle_level = DPT_NEW(ctx, double, saddle_room),
               .saddle_room = saddle_room,
               .x = DPT_NEW(ctx, double, n),
               .y = DPT_NEW(ctx, double, n),
               .nodes = DPT_NEW(ctx, double, (NODES + 1) * n),
               .shifted = DPT_NEW(ctx, double, (NODES + 1) * n),
               .length = DPT_NEW(ctx, double, NODES),
               .queries = DPT_NEW(ctx, double, BETWEEN *NODES + 1 > RIDGE ? BETWEEN * NODES + 1 : RIDGE + 1),
               .corner = DPT_NEW(ctx, double, 3 * n),
               .ridge = DPT_NEW(ctx, double, (RIDGE + 1) * n),
               .middle = DPT_NEW(ctx, double, DEPTH *n),
               .middle_part = DPT_NEW(ctx, double, (DEPTH + 2) * K),
               .least = DPT_NEW(ctx, double, K),
               .deepest = DPT_NEW(ctx, double, n),
               .graph = graph};
  for (ptrdiff_t cell = 0; cell < room * room; cell++) {
    b.level[cell] = -INFINITY;
    b.place[cell] = NULL;
  }
  return b;
}

static void write_passes(dpt_ctx *ctx, const builder *b, dpt_morse_graph *graph) {
  const ptrdiff_t most = graph->modes * (graph->modes - 1) / 2;
  graph->from = DPT_NEW(ctx, ptrdiff_t, most);
  graph->to = DPT_NEW(ctx, ptrdiff_t, most);
  graph->level = DPT_NEW(ctx, double, most);
  graph->place = DPT_NEW(ctx, const double *, most);
  for (ptrdiff_t j = 1; j < graph->modes; j++)
    for (ptrdiff_t i = 0; i < j; i++) {
      const ptrdiff_t pass = graph->passes++;
      graph->from[pass] = i;
      graph->to[pass] = j;
      graph->level[pass] = b->level[i + j * b->room];
      graph->place[pass] = b->place[i + j * b->room];
    }
}

void dpt_morse_search(dpt_ctx *ctx, const dpt_mixture *mixture, dpt_morse_graph *graph) {
  const ptrdiff_t n = mixture->dimension, K = mixture->components;
  builder b = new_builder(ctx, mixture, graph);
  for (ptrdiff_t k = 0; k < K; k++) {
    memcpy(b.x, mixture->mean + k * n, (size_t) n * sizeof(double));
    graph->mode_of[k] = mode_above(&b, b.x);
  }
  for (ptrdiff_t l = 1; l < K; l++)
    for (ptrdiff_t k = 0; k < l; k++) {
      ctx->fraction = (double) (l * (l - 1) + 2 * k) / (double) (2 * K * (K - 1));
      if (graph->mode_of[k] == graph->mode_of[l]) continue;
      const way ridge = {.first = k, .second = l, .end = 1};
      walk(&b, graph->mode_of[k], graph->mode_of[l], &ridge, RIDGE);
    }
  /* modes may be added meanwhile */
  for (ptrdiff_t j = 1; j < graph->modes; j++)
    for (ptrdiff_t i = 0; i < j; i++) {
      ctx->fraction = 0.5 + (double) (j * (j - 1) + 2 * i) / (double) (2 * graph->modes * (graph->modes - 1));
      pull_string(&b, i, j);
    }
  write_passes(ctx, &b, graph);
}

void dpt_morse_basins(dpt_ctx *ctx, const dpt_mixture *mixture, ptrdiff_t modes, const double *mode, ptrdiff_t rows,
                      const double *X, double *label) {
  const ptrdiff_t n = mixture->dimension;
  dpt_ascent s = dpt_ascent_new(ctx, mixture);
  double *x = DPT_NEW(ctx, double, n);
  for (ptrdiff_t row = 0; row < rows; row++) {
    bool finite = true;
    for (ptrdiff_t i = 0; i < n; i++) {
      x[i] = X[row + i * rows];
      finite = finite && isfinite(x[i]);
    }
    label[row] = 0;
    ctx->fraction = (double) row / (double) rows;
    const double first = finite ? dpt_ascent_level(&s, x) : DPT_ASCENT_LOWEST;
    if (first == DPT_ASCENT_LOWEST) continue;
    for (ptrdiff_t escapes = 0; escapes <= n + DPT_ASCENT_ESCAPES && label[row] == 0; escapes++) {
      dpt_ascent_climb(&s, x, first);
      dpt_ascent_see(&s, x, false);
      /* coarser than between found modes: a row may reach a flat mode from any side */
      double nearest = 0.05;
      for (ptrdiff_t i = 0; i < modes; i++) {
        const double length = dpt_ascent_length(n, s.metric, x, mode + i * n);
        if (length >= nearest) continue;
        nearest = length;
        label[row] = (double) (i + 1);
      }
      if (label[row] == 0 && !dpt_ascent_leave(&s, x)) break;
    }
  }
}
