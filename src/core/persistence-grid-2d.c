/* persistence-grid-2d.c - persistence of a cubical image of two axes.
 *
 * One byte records which of the eight neighbors are lower than v, and so which edges and squares lie in the lower
 * star of v. The lower link is a part of the ring of four edges and four squares. A table over the byte gives a
 * gradient on the lower star. v is matched with one lower edge (`down`). Inside each run of edges joined by squares,
 * all squares are matched with edges (away from the run's first). The remaining cells are critical: v itself if no
 * neighbor is lower (a minimum), the first edge of each further run, and one square if the ring is closed (a
 * maximum).
 *
 * Correctness. The matching is acyclic in each lower star, and lower stars are entered in order, so it is a discrete
 * gradient whose critical cells carry all nonzero persistence (Robins, Wood and Sheppard 2011). A vertex has one way
 * down, so a critical edge joins the two minima under its ends. Union-find over critical edges, ascending: the
 * higher minimum dies (dimension 0). An edge has at most two squares, so in the dual graph (squares and the outside)
 * a square has one way up, and a critical edge joins the two maxima above its sides. Union-find, descending: the
 * lower maximum dies, and that edge was the birth of the class of dimension 1 that it closes. The edges that merge
 * no minima are a spanning tree of the dual (a plane graph and its dual have complementary spanning trees). Every
 * edge therefore merges in exactly one of the two, and the second pass takes only the edges that the first leaves.
 *
 * Cost: eight comparisons per vertex, one radix sort of the critical edges (a third of the vertices for noise, very
 * few for a smooth image), two walks for each. The vertices are never sorted. For noise, the latency of memory is
 * the limit. Every walk is therefore made in the order of the image, with its neighborhood in the cache, only from
 * ends of critical edges, and is remembered. The union-finds, with random access in the order of the filtration, use
 * only short lists of extrema. (Walks and union-find in one forest over the image, in sorted order, took 1.4 times
 * as long in total.) Memory: 8 bytes per vertex for the values with their border, 5 for the bytes and the labels, 44
 * for each critical edge during the sort. */
#include "persistence-grid-2d.h"

#include <math.h>

#include "persistence-grid-sort.h"

/* Directions in the order of the ring: +x, +y, -x, -y. Square k of the ring lies between directions k and k + 1.
 * Bits of the byte: edges 0 to 3, squares 4 to 7. */
enum { RING = 4, NOTHING = 4, ALL_LOWER = 255, OUTSIDE = 0, AHEAD = 8 };

/* Labels: the number of an extremum, UNKNOWN, or, during a walk, the next node. */
enum { UNKNOWN = -1, SPENT = -1 };
static inline int32_t as_way(int32_t node) { return -2 - node; }

typedef struct {
  uint8_t down;        /* the edge matched with the vertex, or NOTHING for a minimum */
  uint8_t critical;    /* bits of the critical edges */
  uint8_t cross[RING]; /* for each lower square, the edge matched with it, or NOTHING for a maximum */
} star;

/* The ends of a critical edge, or its sides, as numbers of extrema. SPENT after the edge has merged two minima. */
typedef struct {
  int32_t a, b;
} ends;

typedef struct {
  dpt_ctx *ctx;
  const double *f;
  ptrdiff_t row;        /* stride of the second axis */
  ptrdiff_t step[RING]; /* from a vertex to its neighbors */
  ptrdiff_t base[RING]; /* from a vertex to the lowest corner of its squares */
  ptrdiff_t count;      /* vertices, with the border */
  star stars[256];
  uint8_t *lower;
  int32_t *label;                  /* of vertices, later of squares (named by their lowest corners) */
  ptrdiff_t minima, maxima, edges; /* their numbers */
  uint32_t *where;                 /* critical edges in the order in which they are found: vertex and direction */
  ends *between;                   /* the extrema that they join */
  dpt_grid_record *sorted;         /* the critical edges in the order of the filtration, by number */
} plane;

/* Extrema of one kind and their union-find. */
typedef struct {
  int32_t count;
  double *height; /* older is smaller: values of minima, negated values of maxima */
  int32_t *parent;
} extrema;

static star match_star(int byte) {
  star result = {NOTHING, 0, {NOTHING, NOTHING, NOTHING, NOTHING}};
  /* a run starts after a missing square, and in a closed ring anywhere */
  int start = 0;
  while (start < RING && (byte >> (RING + start) & 1)) start++;
  start = (start + 1) % RING;
  for (int i = 0; i < RING; i++) {
    const int edge = (start + i) % RING, before = (edge + RING - 1) % RING;
    if (!(byte >> edge & 1)) continue;
    if (i > 0 && (byte >> (RING + before) & 1)) {
      result.cross[before] = (uint8_t) edge;
    } else if (result.down == NOTHING) {
      result.down = (uint8_t) edge;
    } else {
      result.critical |= (uint8_t) (1 << edge);
    }
  }
  return result;
}

static void open_plane(plane *p, dpt_ctx *ctx, const dpt_grid_image *image) {
  p->ctx = ctx;
  p->f = image->values;
  p->row = image->size[0] + 2;
  p->count = image->count;
  const ptrdiff_t step[RING] = {1, p->row, -1, -p->row}, base[RING] = {0, -1, -1 - p->row, -p->row};
  memcpy(p->step, step, sizeof step);
  memcpy(p->base, base, sizeof base);
  for (int byte = 0; byte < 256; byte++) p->stars[byte] = match_star(byte);
  p->lower = DPT_NEW(ctx, uint8_t, p->count);
  p->label = DPT_NEW(ctx, int32_t, p->count);
  p->minima = p->maxima = 0;
}

/* The byte of one vertex. At equal values, a neighbor of smaller index is lower. NaN is never lower. */
static inline unsigned lower_byte(const double *v, ptrdiff_t row) {
  const double c = *v;
  const unsigned e0 = v[1] < c, e1 = v[row] < c, e2 = v[-1] <= c, e3 = v[-row] <= c;
  const unsigned s0 = e0 & e1 & (v[1 + row] < c), s1 = e1 & e2 & (v[row - 1] < c);
  const unsigned s2 = e2 & e3 & (v[-1 - row] <= c), s3 = e3 & e0 & (v[1 - row] <= c);
  return e0 | e1 << 1 | e2 << 2 | e3 << 3 | s0 << 4 | s1 << 5 | s2 << 6 | s3 << 7;
}

/* Fills the bytes and counts the critical cells. Euler's formula for a rectangle gives the number of edges. */
static void read_stars(plane *p) {
  for (ptrdiff_t start = p->row; start < p->count - p->row; start += p->row) {
    uint8_t *const lower = p->lower + start;
    for (ptrdiff_t i = 1; i < p->row - 1; i++) lower[i] = (uint8_t) lower_byte(p->f + start + i, p->row);
    for (ptrdiff_t i = 1; i < p->row - 1; i++) {
      p->minima += lower[i] == 0;
      p->maxima += lower[i] == ALL_LOWER;
    }
    dpt_tick(p->ctx, 4 * p->row);
  }
  p->edges = p->minima + p->maxima - 1;
}

static void collect_edges(plane *p) {
  p->where = DPT_NEW(p->ctx, uint32_t, p->edges);
  p->between = DPT_NEW(p->ctx, ends, p->edges);
  p->sorted = DPT_NEW(p->ctx, dpt_grid_record, p->edges);
  uint32_t found = 0;
  for (ptrdiff_t start = p->row; start < p->count - p->row; start += p->row) {
    for (ptrdiff_t v = start + 1; v < start + p->row - 1; v++) {
      const unsigned critical = p->stars[p->lower[v]].critical;
      if (critical == 0) continue;
      for (unsigned edge = 0; edge < RING; edge++) {
        if (!(critical >> edge & 1)) continue;
        p->sorted[found].key = dpt_grid_key(p->f[v]);
        p->sorted[found].id = found;
        p->where[found++] = (uint32_t) v * RING + edge;
      }
    }
    dpt_tick(p->ctx, 4 * p->row);
  }
  dpt_grid_sort(p->ctx, p->sorted, p->edges);
}

/* The next vertex on the way down. A minimum is its own. */
static inline int32_t next_down(const plane *p, int32_t v) {
  const unsigned edge = p->stars[p->lower[v]].down;
  return edge == NOTHING ? v : (int32_t) (v + p->step[edge]);
}

/* The last corner of the square, in the order of the filtration. `corner` is its place in that vertex's ring. The
 * result is unpredictable, so there is no branch. */
static inline int32_t last_corner(const plane *p, int32_t square, int *corner) {
  const double *low = p->f + square, *high = low + p->row;
  const int right_low = low[1] >= low[0], right_high = high[1] >= high[0];
  const int is_high = high[right_high] >= low[right_low];
  const int right = is_high ? right_high : right_low;
  *corner = is_high ? 3 - right : right;
  return square + right + (is_high ? (int32_t) p->row : 0);
}

/* The next square on the way up, across the edge matched with it. A maximum is its own. */
static inline int32_t next_up(const plane *p, int32_t square) {
  int corner;
  const int32_t v = last_corner(p, square, &corner);
  const int edge = p->stars[p->lower[v]].cross[corner];
  if (edge == NOTHING) return square;
  const int other = corner == edge ? (edge + RING - 1) % RING : edge;
  return (int32_t) (v + p->base[other]);
}

static double height_of_minimum(const plane *p, int32_t v) { return p->f[v]; }

static double height_of_maximum(const plane *p, int32_t square) {
  int corner;
  return -p->f[last_corner(p, square, &corner)];
}

static int32_t add_extremum(extrema *e, double height) {
  e->height[e->count] = height;
  e->parent[e->count] = e->count;
  return e->count++;
}

/* Returns the number of the extremum at the end of a node's walk. All nodes of the walk are labeled. */
#define DEFINE_FOLLOW(name, next, height)                                                                              \
  static int32_t name(plane *p, extrema *e, int32_t node) {                                                            \
    int32_t *const label = p->label;                                                                                   \
    int32_t at = node;                                                                                                 \
    while (label[at] == UNKNOWN) {                                                                                     \
      const int32_t following = next(p, at);                                                                           \
      label[at] = following == at ? add_extremum(e, height(p, at)) : as_way(following);                                \
      at = following;                                                                                                  \
    }                                                                                                                  \
    const int32_t found = label[at];                                                                                   \
    while (node != at) {                                                                                               \
      const int32_t following = as_way(label[node]);                                                                   \
      label[node] = found;                                                                                             \
      node = following;                                                                                                \
    }                                                                                                                  \
    return found;                                                                                                      \
  }

DEFINE_FOLLOW(follow_down, next_down, height_of_minimum)
DEFINE_FOLLOW(follow_up, next_up, height_of_maximum)

static int32_t find_root(int32_t *parent, int32_t node) {
  while (parent[node] != node) {
    parent[node] = parent[parent[node]];
    node = parent[node];
  }
  return node;
}

/* Merges the components of both ends of an edge. Returns the extremum that dies, or SPENT if they were already
 * merged. If two extrema have one value, either may die, but the outside, number 0, never does. */
static int32_t merge(extrema *e, ends join) {
  const int32_t a = find_root(e->parent, join.a), b = find_root(e->parent, join.b);
  if (a == b) return SPENT;
  const bool a_older = e->height[a] < e->height[b] || (e->height[a] == e->height[b] && a < b);
  e->parent[a_older ? b : a] = a_older ? a : b;
  return a_older ? b : a;
}

static void open_extrema(plane *p, extrema *e, ptrdiff_t most) {
  e->count = 0;
  e->height = DPT_NEW(p->ctx, double, most);
  e->parent = DPT_NEW(p->ctx, int32_t, most);
  memset(p->label, 0xff, (size_t) p->count * sizeof *p->label);
}

/* Prefetches memory, because sorted edges cause random access. */
static inline void send_for(const void *address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  (void) address;
#endif
}

/* Merges minima along the critical edges, ascending. Edges that merge nothing are moved to the front of the list, in
 * order. Returns their number. */
static ptrdiff_t merge_minima(plane *p, dpt_grid_diagram *diagram) {
  extrema minima;
  open_extrema(p, &minima, p->minima);
  for (ptrdiff_t i = 0; i < p->edges; i++) {
    const int32_t v = (int32_t) (p->where[i] / RING);
    p->between[i].a = follow_down(p, &minima, v);
    p->between[i].b = follow_down(p, &minima, (int32_t) (v + p->step[p->where[i] % RING]));
    if (i % 1024 == 0) dpt_tick(p->ctx, 32 * 1024);
  }
  ptrdiff_t left = 0;
  for (ptrdiff_t i = 0; i < p->edges; i++) {
    if (i + AHEAD < p->edges) send_for(&p->between[p->sorted[i + AHEAD].id]);
    ends *join = &p->between[p->sorted[i].id];
    const int32_t younger = merge(&minima, *join);
    if (younger == SPENT) {
      p->sorted[left++] = p->sorted[i];
    } else {
      join->a = SPENT;
      dpt_grid_emit(diagram, 0, minima.height[younger], dpt_grid_value(p->sorted[i].key));
    }
    if (i % 1024 == 0) dpt_tick(p->ctx, 64 * 1024);
  }
  const int32_t first = follow_down(p, &minima, (int32_t) (p->row + 1));
  dpt_grid_emit(diagram, 0, minima.height[find_root(minima.parent, first)], INFINITY);
  return left;
}

/* Labels squares that extend beyond the image as the outside. */
static void label_outside(plane *p) {
  for (ptrdiff_t start = 0; start < p->count; start += p->row) {
    if (start == 0 || start >= p->count - 2 * p->row)
      for (ptrdiff_t i = 0; i < p->row; i++) p->label[start + i] = OUTSIDE;
    p->label[start] = p->label[start + p->row - 2] = p->label[start + p->row - 1] = OUTSIDE;
  }
}

/* Merges maxima and the outside along the edges that merged no minima, descending. */
static void merge_maxima(plane *p, ptrdiff_t left, dpt_grid_diagram *diagram) {
  extrema maxima;
  open_extrema(p, &maxima, p->maxima + 1);
  add_extremum(&maxima, -INFINITY);
  label_outside(p);
  for (ptrdiff_t i = 0; i < p->edges; i++) {
    if (i % 1024 == 0) dpt_tick(p->ctx, 32 * 1024);
    if (p->between[i].a == SPENT) continue;
    const uint32_t v = p->where[i] / RING, edge = p->where[i] % RING;
    p->between[i].a = follow_up(p, &maxima, (int32_t) (v + p->base[edge]));
    p->between[i].b = follow_up(p, &maxima, (int32_t) (v + p->base[(edge + RING - 1) % RING]));
  }
  for (ptrdiff_t i = left - 1; i >= 0; i--) {
    if (i >= AHEAD) send_for(&p->between[p->sorted[i - AHEAD].id]);
    const int32_t younger = merge(&maxima, p->between[p->sorted[i].id]);
    dpt_grid_emit(diagram, 1, dpt_grid_value(p->sorted[i].key), -maxima.height[younger]);
    if (i % 1024 == 0) dpt_tick(p->ctx, 64 * 1024);
  }
}

dpt_status dpt_grid_plane(dpt_ctx *ctx, const dpt_grid_image *image, int max_dimension, dpt_grid_diagram *diagram) {
  if (image->count > INT32_MAX / RING)
    return dpt_fail(ctx, DPT_ERROR_SIZE, "a plane grid, with its border, must have fewer than 2^29 vertices");
  plane p;
  open_plane(&p, ctx, image);
  read_stars(&p);
  dpt_grid_open_diagram(ctx, diagram, p.edges + 1);
  collect_edges(&p);
  const ptrdiff_t left = merge_minima(&p, diagram);
  if (max_dimension > 0) merge_maxima(&p, left, diagram);
  return DPT_OK;
}
