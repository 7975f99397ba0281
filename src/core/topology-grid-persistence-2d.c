/* topology-grid-persistence-2d.c - persistence of a cubical image of two axes.
 *
 * The vertices lower than v among its eight neighbors say which edges and squares lie in the lower star of v: one byte.
 * The lower link is a part of the ring of four edges and four squares. A table over the byte gives a gradient on the
 * lower star: v is matched with one lower edge (`down`), inside each run of edges joined by squares all squares are
 * matched with edges (away from the run's first), and what is left is critical: v itself if nothing is lower (a
 * minimum), the first edge of each further run, and one square if the ring is closed (a maximum).
 *
 * Why this is enough. The matching is acyclic in each lower star, and lower stars are entered in order, so it is a
 * discrete gradient whose critical cells carry all nonzero persistence (Robins, Wood and Sheppard 2011). A vertex has
 * one way down, so a critical edge joins the two minima under its ends: union-find over critical edges, ascending, the
 * higher minimum dies (dimension 0). An edge has at most two squares, so in the dual graph (squares and the outside) a
 * square has one way up, and a critical edge joins the two maxima above its sides: union-find, descending, the lower
 * maximum dies, and the class of dimension 1 that it closes was born by that edge. The edges that merge nothing in the
 * first are a spanning tree of the dual (a plane graph and its dual have complementary spanning trees): every edge merges
 * in exactly one of the two, so the second pass takes only the edges that the first leaves over.
 *
 * Cost: eight comparisons a vertex, one radix sort of the critical edges (a third of the vertices for noise, next to
 * none for a smooth image) and two walks for each. The vertices are never sorted. The walks are found lazily, from the
 * ends of critical edges only, and compressed into the union-find, so the total is nearly linear whatever the image.
 * Memory: 8 bytes a vertex for the values with their border, 9 for the bytes and the two forests, 32 for each critical
 * edge while it is sorted. */
#include "topology-grid-persistence-parts.h"

#include <math.h>

/* Directions in the order of the ring: +x, +y, -x, -y. Square k of the ring lies between directions k and k + 1.
 * Bits of the byte: edges 0 to 3, squares 4 to 7. */
enum { RING = 4, NOTHING = 4, ALL_LOWER = 255, UNKNOWN = -1, OUTSIDE = 0 };

typedef struct {
  uint8_t down;        /* the edge matched with the vertex, or NOTHING: a minimum */
  uint8_t critical;    /* bits of the critical edges */
  uint8_t cross[RING]; /* for each lower square, the edge matched with it, or NOTHING: a maximum */
} star;

typedef struct {
  dpt_ctx *ctx;
  const double *f;
  ptrdiff_t row;         /* stride of the second axis */
  ptrdiff_t step[RING];  /* from a vertex to its neighbors */
  ptrdiff_t base[RING];  /* from a vertex to the lowest corner of its squares */
  ptrdiff_t count;       /* vertices, with the border */
  ptrdiff_t first, last; /* the vertices inside the border lie between these */
  star stars[256];
  uint8_t *lower;
  int32_t *down; /* forest of vertices: towards the minima and then the union-find of the minima */
  int32_t *up;   /* forest of squares, named by their lowest corners: the same upwards; OUTSIDE is the oldest root */
} plane;

static star match_star(int byte) {
  star result = {NOTHING, 0, {NOTHING, NOTHING, NOTHING, NOTHING}};
  /* a run starts after a missing square; a closed ring, anywhere */
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
  p->down = DPT_NEW(ctx, int32_t, p->count);
}

/* The byte of one vertex. A neighbor of smaller index is lower also at equal values; NaN is never lower. */
static inline unsigned lower_byte(const double *v, ptrdiff_t row) {
  const double c = *v;
  const unsigned e0 = v[1] < c, e1 = v[row] < c, e2 = v[-1] <= c, e3 = v[-row] <= c;
  const unsigned s0 = e0 & e1 & (v[1 + row] < c), s1 = e1 & e2 & (v[row - 1] < c);
  const unsigned s2 = e2 & e3 & (v[-1 - row] <= c), s3 = e3 & e0 & (v[1 - row] <= c);
  return e0 | e1 << 1 | e2 << 2 | e3 << 3 | s0 << 4 | s1 << 5 | s2 << 6 | s3 << 7;
}

/* Fills the bytes and returns the number of critical edges. */
static ptrdiff_t read_stars(plane *p) {
  static const uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  ptrdiff_t edges = 0;
  for (ptrdiff_t start = p->row; start < p->count - p->row; start += p->row) {
    for (ptrdiff_t v = start + 1; v < start + p->row - 1; v++) p->lower[v] = (uint8_t) lower_byte(p->f + v, p->row);
    for (ptrdiff_t v = start + 1; v < start + p->row - 1; v++) edges += bits[p->stars[p->lower[v]].critical];
    dpt_tick(p->ctx, 4 * p->row);
  }
  return edges;
}

static dpt_grid_record *collect_edges(plane *p, ptrdiff_t count) {
  dpt_grid_record *edges = DPT_NEW(p->ctx, dpt_grid_record, count);
  ptrdiff_t found = 0;
  for (ptrdiff_t start = p->row; start < p->count - p->row; start += p->row) {
    for (ptrdiff_t v = start + 1; v < start + p->row - 1; v++) {
      const unsigned critical = p->stars[p->lower[v]].critical;
      if (critical == 0) continue;
      for (unsigned edge = 0; edge < RING; edge++) {
        if (!(critical >> edge & 1)) continue;
        edges[found].key = dpt_grid_key(p->f[v]);
        edges[found++].id = (uint32_t) v * RING + edge;
      }
    }
    dpt_tick(p->ctx, 4 * p->row);
  }
  dpt_grid_sort(p->ctx, edges, count);
  return edges;
}

/* The next vertex on the way down; a minimum is its own. */
static inline int32_t next_down(const plane *p, int32_t v) {
  const unsigned edge = p->stars[p->lower[v]].down;
  return edge == NOTHING ? v : (int32_t) (v + p->step[edge]);
}

/* The last corner of the square, in the order of the filtration; `corner` is its place in that vertex's ring. */
static inline int32_t last_corner(const plane *p, int32_t square, int *corner) {
  const double *f = p->f + square;
  const ptrdiff_t row = p->row;
  const bool right = f[1] >= f[0], right_above = f[row + 1] >= f[row];
  const double below_value = right ? f[1] : f[0], above_value = right_above ? f[row + 1] : f[row];
  if (above_value >= below_value) {
    *corner = right_above ? 2 : 3;
    return (int32_t) (square + row + right_above);
  }
  *corner = right ? 1 : 0;
  return (int32_t) (square + right);
}

/* The next square on the way up, across the edge matched with it; a maximum is its own. */
static inline int32_t next_up(const plane *p, int32_t square) {
  int corner;
  const int32_t v = last_corner(p, square, &corner);
  const int edge = p->stars[p->lower[v]].cross[corner];
  if (edge == NOTHING) return square;
  const int other = corner == edge ? (edge + RING - 1) % RING : edge;
  return (int32_t) (v + p->base[other]);
}

/* The root above a node, with the path compressed; unknown steps are taken as `next` says. */
#define DEFINE_FIND(name, forest, next)                                                                                \
  static int32_t name(plane *p, int32_t node) {                                                                        \
    int32_t *const parent = p->forest;                                                                                 \
    int32_t root = node;                                                                                               \
    for (;;) {                                                                                                         \
      if (parent[root] == UNKNOWN) parent[root] = next(p, root);                                                       \
      if (parent[root] == root) break;                                                                                 \
      root = parent[root];                                                                                             \
    }                                                                                                                  \
    while (parent[node] != root) {                                                                                     \
      const int32_t following = parent[node];                                                                          \
      parent[node] = root;                                                                                             \
      node = following;                                                                                                \
    }                                                                                                                  \
    return root;                                                                                                       \
  }

DEFINE_FIND(find_minimum, down, next_down)
DEFINE_FIND(find_maximum, up, next_up)

/* Merges minima along the critical edges, ascending. Edges that merge nothing are moved to the front of the list, in
 * order; returns how many. */
static ptrdiff_t merge_minima(plane *p, dpt_grid_record *edges, ptrdiff_t count, dpt_grid_diagram *diagram) {
  memset(p->down, 0xff, (size_t) p->count * sizeof *p->down);
  ptrdiff_t left = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    const int32_t v = (int32_t) (edges[i].id / RING);
    const int32_t a = find_minimum(p, v), b = find_minimum(p, (int32_t) (v + p->step[edges[i].id % RING]));
    if (a == b) {
      edges[left++] = edges[i];
    } else {
      const bool a_older = p->f[a] < p->f[b] || (p->f[a] == p->f[b] && a < b);
      const int32_t older = a_older ? a : b, younger = a_older ? b : a;
      p->down[younger] = older;
      dpt_grid_emit(diagram, 0, p->f[younger], p->f[v]);
    }
    if (i % 1024 == 0) dpt_tick(p->ctx, 64 * 1024);
  }
  return left;
}

/* Squares that stick out of the image are the outside. */
static void open_dual(plane *p) {
  p->up = DPT_NEW(p->ctx, int32_t, p->count);
  memset(p->up, 0xff, (size_t) p->count * sizeof *p->up);
  for (ptrdiff_t start = 0; start < p->count; start += p->row) {
    const bool edge_row = start == 0 || start >= p->count - 2 * p->row;
    if (edge_row)
      for (ptrdiff_t i = 0; i < p->row; i++) p->up[start + i] = OUTSIDE;
    p->up[start] = p->up[start + p->row - 2] = p->up[start + p->row - 1] = OUTSIDE;
  }
}

/* Merges maxima and the outside along the edges that merged no minima, descending. */
static void merge_maxima(plane *p, const dpt_grid_record *edges, ptrdiff_t count, dpt_grid_diagram *diagram) {
  open_dual(p);
  for (ptrdiff_t i = count - 1; i >= 0; i--) {
    const int32_t v = (int32_t) (edges[i].id / RING);
    const unsigned edge = edges[i].id % RING;
    const int32_t a = find_maximum(p, (int32_t) (v + p->base[edge]));
    const int32_t b = find_maximum(p, (int32_t) (v + p->base[(edge + RING - 1) % RING]));
    int corner;
    const int32_t top_a = a == OUTSIDE ? OUTSIDE : last_corner(p, a, &corner);
    const int32_t top_b = b == OUTSIDE ? OUTSIDE : last_corner(p, b, &corner);
    const bool a_older =
        a == OUTSIDE ||
        (b != OUTSIDE && (p->f[top_a] > p->f[top_b] || (p->f[top_a] == p->f[top_b] && top_a > top_b)));
    p->up[a_older ? b : a] = a_older ? a : b;
    dpt_grid_emit(diagram, 1, p->f[v], p->f[a_older ? top_b : top_a]);
    if (i % 1024 == 0) dpt_tick(p->ctx, 64 * 1024);
  }
}

static double lowest_value(const plane *p) {
  double lowest = INFINITY;
  for (ptrdiff_t v = 0; v < p->count; v++)
    if (p->f[v] < lowest) lowest = p->f[v];
  return lowest;
}

dpt_status dpt_grid_plane(dpt_ctx *ctx, const dpt_grid_image *image, int max_dimension, dpt_grid_diagram *diagram) {
  if (image->count > INT32_MAX / RING)
    return dpt_fail(ctx, DPT_ERROR_SIZE, "a plane grid, with its border, must have fewer than 2^29 vertices");
  plane p;
  open_plane(&p, ctx, image);
  const ptrdiff_t count = read_stars(&p);
  dpt_grid_open_diagram(ctx, diagram, count + 1);
  dpt_grid_record *edges = collect_edges(&p, count);
  const ptrdiff_t left = merge_minima(&p, edges, count, diagram);
  dpt_grid_emit(diagram, 0, lowest_value(&p), INFINITY);
  if (max_dimension > 0) merge_maxima(&p, edges, left, diagram);
  return DPT_OK;
}
