/* persistence-match.c - bottleneck matching of points in the plane, in the maximum norm.
 *
 * The graph is never built: its edges are the pairs within t, found in a k-d tree over `to`. A tree node counts the
 * points below it that belong to a set (unmatched points, or points not visited yet). A search for some point of a
 * set within t therefore costs O(sqrt n) at worst, and a search that removes the points it finds visits each point
 * once.
 *
 * Covering at a fixed t (grow_matching): phases, each of which grows alternating trees from all unmatched points at
 * once, breadth first and disjoint, and augments along the first path of each. A phase costs O(n) queries. A phase
 * without progress proves that the matching cannot grow (Berge). A dozen phases are usual.
 *
 * The bottleneck (dpt_match_bottleneck): a matching within t is also a matching for any larger t, so the bisection
 * of t always continues from the matching of the largest t that failed. There the trees also give the next t at
 * which anything can change. When only a few points lack a partner, raise_for() grows the tree of one of them in the
 * order of cost, as Dijkstra's algorithm does for sums. If the tree cannot grow, t is raised to the cost of the next
 * edge or exit: the threshold algorithm of Derigs and Zimmermann (1978). The result is therefore exact without a
 * list of candidates: it is the cost of an edge or exit, for every course of the bisection.
 *
 * Cost: O(n) queries for each phase, O(n) memory. Limit: a query is some 100 to 500 ns of unpredictable branches. At
 * 2,000 random points all of it takes some milliseconds.
 *
 * Sources: Efrat, Itai and Katz (2001) for implicit edges; Azad, Buluc and Pothen (2017) for the trees. Tried and
 * rejected: depth-first phases (three times as many); the layers of Hopcroft and Karp, which need a k-d tree for
 * each layer; the threshold algorithm alone, quadratic if one diagram has many more points than the other; sorting
 * all candidate costs, n^2 memory. */
#include "persistence-match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_SIZE = 16, /* bits of a member word */ STACK_SIZE = 128, FEW = 8, MOST_BISECTIONS = 60 };
#define NONE ((ptrdiff_t) -1)

/* The tree ----------------------------------------------------------------------------------------------------- */

typedef struct {
  double birth_low, birth_high, death_low, death_high;
} tree_box;

/* A complete binary tree: the root is node 1, the children of k are 2k and 2k + 1, leaf l is node leaves + l and holds
 * the points first[l] .. first[l + 1] - 1. */
typedef struct {
  ptrdiff_t count, leaves;
  double *birth, *death; /* in the order of the leaves */
  ptrdiff_t *first, *leaf_of;
  tree_box *box;
} point_tree;

/* A set of points of a tree. */
typedef struct {
  ptrdiff_t *count;  /* below each node */
  uint16_t *members; /* a bit for each point of a leaf */
} point_set;

static void swap_points(point_tree *tree, ptrdiff_t i, ptrdiff_t j) {
  double birth = tree->birth[i], death = tree->death[i];
  tree->birth[i] = tree->birth[j];
  tree->death[i] = tree->death[j];
  tree->birth[j] = birth;
  tree->death[j] = death;
}

/* Hoare's selection: afterwards no key before `middle` exceeds a key from `middle` on. */
static void split_points(point_tree *tree, const double *key, ptrdiff_t low, ptrdiff_t high, ptrdiff_t middle) {
  high--;
  while (low < high) {
    double pivot = key[low + (high - low) / 2];
    ptrdiff_t i = low, j = high;
    while (i <= j) {
      while (key[i] < pivot) i++;
      while (key[j] > pivot) j--;
      if (i <= j) swap_points(tree, i++, j--);
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

static tree_box bound_points(const point_tree *tree, ptrdiff_t low, ptrdiff_t high) {
  tree_box box = {INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (ptrdiff_t i = low; i < high; i++) {
    if (tree->birth[i] < box.birth_low) box.birth_low = tree->birth[i];
    if (tree->birth[i] > box.birth_high) box.birth_high = tree->birth[i];
    if (tree->death[i] < box.death_low) box.death_low = tree->death[i];
    if (tree->death[i] > box.death_high) box.death_high = tree->death[i];
  }
  return box;
}

/* First point of the `place`-th of `parts` equal parts, without overflow. */
static ptrdiff_t part_start(ptrdiff_t count, ptrdiff_t parts, ptrdiff_t place) {
  return count / parts * place + count % parts * place / parts;
}

/* Splits every node of every level at its median, across its longer side. */
static void build_levels(dpt_ctx *ctx, point_tree *tree) {
  for (ptrdiff_t nodes = 1; nodes <= tree->leaves; nodes *= 2) {
    ptrdiff_t below = tree->leaves / nodes;
    for (ptrdiff_t place = 0; place < nodes; place++) {
      ptrdiff_t low = tree->first[place * below], high = tree->first[(place + 1) * below];
      tree_box box = bound_points(tree, low, high);
      tree->box[nodes + place] = box;
      bool by_birth = box.birth_high - box.birth_low > box.death_high - box.death_low;
      if (below > 1) {
        split_points(tree, by_birth ? tree->birth : tree->death, low, high, tree->first[place * below + below / 2]);
      }
      dpt_tick(ctx, 10 * (high - low));
    }
  }
}

static point_tree build_tree(dpt_ctx *ctx, const dpt_points *points) {
  point_tree tree = {.count = points->count, .leaves = 1};
  while ((tree.count + tree.leaves - 1) / tree.leaves > LEAF_SIZE) tree.leaves *= 2;
  tree.birth = DPT_NEW(ctx, double, tree.count);
  tree.death = DPT_NEW(ctx, double, tree.count);
  tree.first = DPT_NEW(ctx, ptrdiff_t, tree.leaves + 1);
  tree.leaf_of = DPT_NEW(ctx, ptrdiff_t, tree.count);
  tree.box = DPT_NEW(ctx, tree_box, 2 * tree.leaves);
  memcpy(tree.birth, points->birth, (size_t) tree.count * sizeof(double));
  memcpy(tree.death, points->death, (size_t) tree.count * sizeof(double));
  for (ptrdiff_t leaf = 0; leaf <= tree.leaves; leaf++) tree.first[leaf] = part_start(tree.count, tree.leaves, leaf);
  for (ptrdiff_t leaf = 0; leaf < tree.leaves; leaf++) {
    for (ptrdiff_t i = tree.first[leaf]; i < tree.first[leaf + 1]; i++) tree.leaf_of[i] = leaf;
  }
  build_levels(ctx, &tree);
  return tree;
}

static point_set new_set(dpt_ctx *ctx, const point_tree *tree) {
  return (point_set){DPT_NEW(ctx, ptrdiff_t, 2 * tree->leaves), DPT_NEW(ctx, uint16_t, tree->leaves)};
}

static void copy_set(const point_tree *tree, point_set *to, const point_set *from) {
  memcpy(to->count, from->count, (size_t) (2 * tree->leaves) * sizeof *to->count);
  memcpy(to->members, from->members, (size_t) tree->leaves * sizeof *to->members);
}

static void fill_set(const point_tree *tree, point_set *set) {
  for (ptrdiff_t leaf = 0; leaf < tree->leaves; leaf++) {
    ptrdiff_t size = tree->first[leaf + 1] - tree->first[leaf];
    set->members[leaf] = (uint16_t) ((1ul << size) - 1);
    set->count[tree->leaves + leaf] = size;
  }
  for (ptrdiff_t node = tree->leaves - 1; node > 0; node--) {
    set->count[node] = set->count[2 * node] + set->count[2 * node + 1];
  }
  set->count[0] = 0;
}

/* Adds a point to a set (change = 1) or removes it (change = -1). */
static void change_set(const point_tree *tree, point_set *set, ptrdiff_t point, ptrdiff_t change) {
  ptrdiff_t leaf = tree->leaf_of[point];
  set->members[leaf] = (uint16_t) (set->members[leaf] ^ (1u << (point - tree->first[leaf])));
  for (ptrdiff_t node = tree->leaves + leaf; node > 0; node /= 2) set->count[node] += change;
}

/* A lower bound of the costs between a point and the points of a box, in the same rounded differences. */
static inline double box_gap(const tree_box *box, double birth, double death) {
  double gap = 0;
  if (birth - box->birth_high > gap) gap = birth - box->birth_high;
  if (box->birth_low - birth > gap) gap = box->birth_low - birth;
  if (death - box->death_high > gap) gap = death - box->death_high;
  if (box->death_low - death > gap) gap = box->death_low - death;
  return gap;
}

static inline int lowest_bit(unsigned members) {
#if defined(__GNUC__)
  return __builtin_ctz(members);
#else
  int bit = 0;
  while (!(members >> bit & 1)) bit++;
  return bit;
#endif
}

/* Returns some point of the set within t, or NONE. */
static ptrdiff_t find_within(const point_tree *tree, const point_set *set, double birth, double death, double t) {
  ptrdiff_t stack[STACK_SIZE];
  int depth = 0;
  stack[depth++] = 1;
  while (depth > 0) {
    ptrdiff_t node = stack[--depth];
    if (set->count[node] == 0 || box_gap(&tree->box[node], birth, death) > t) continue;
    if (node < tree->leaves) {
      stack[depth++] = 2 * node + 1;
      stack[depth++] = 2 * node;
      continue;
    }
    ptrdiff_t first = tree->first[node - tree->leaves];
    for (unsigned left = set->members[node - tree->leaves]; left; left &= left - 1) {
      ptrdiff_t i = first + lowest_bit(left);
      if (dpt_points_gap(birth, death, tree->birth[i], tree->death[i]) <= t) return i;
    }
  }
  return NONE;
}

/* Returns the smallest cost to a point of the set if it is below `best`, otherwise `best`. */
static double nearest_cost(const point_tree *tree, const point_set *set, double birth, double death, double best) {
  struct {
    ptrdiff_t node;
    double gap;
  } stack[STACK_SIZE];
  int depth = 0;
  stack[depth].node = 1;
  stack[depth++].gap = box_gap(&tree->box[1], birth, death);
  while (depth > 0) {
    depth--;
    ptrdiff_t node = stack[depth].node;
    if (set->count[node] == 0 || stack[depth].gap >= best) continue;
    if (node < tree->leaves) {
      double left = box_gap(&tree->box[2 * node], birth, death);
      double right = box_gap(&tree->box[2 * node + 1], birth, death);
      int near = right < left; /* pushed last, so that it comes first */
      stack[depth].node = 2 * node + !near;
      stack[depth++].gap = near ? left : right;
      stack[depth].node = 2 * node + near;
      stack[depth++].gap = near ? right : left;
      continue;
    }
    ptrdiff_t first = tree->first[node - tree->leaves];
    for (unsigned left = set->members[node - tree->leaves]; left; left &= left - 1) {
      ptrdiff_t i = first + lowest_bit(left);
      double cost = dpt_points_gap(birth, death, tree->birth[i], tree->death[i]);
      if (cost < best) best = cost;
    }
  }
  return best;
}

/* The matcher -------------------------------------------------------------------------------------------------- */

/* Points of `from` are called sources, points of the tree targets. */
struct dpt_matcher {
  point_tree tree;
  dpt_points from;
  double *exit;                     /* of each source */
  ptrdiff_t *target_of, *source_of; /* the matching; NONE: none */
  point_set all, unmatched, unvisited;
  ptrdiff_t *queue, *root; /* the sources in the trees, and the roots of their trees */
  ptrdiff_t reached;       /* number of sources in the trees */
  ptrdiff_t *discoverer;   /* for each target: the source from which a tree reached it */
  double *key;             /* heap of raise_for(): keys and sources */
  ptrdiff_t *heap;
  ptrdiff_t heap_count;
  ptrdiff_t *saved; /* the matching of the largest t that failed */
};

typedef struct {
  double birth, death;
} source_point;

static int compare_sources(const void *a, const void *b) {
  const source_point *x = a, *y = b;
  if (x->birth != y->birth) return x->birth < y->birth ? -1 : 1;
  return (x->death > y->death) - (x->death < y->death);
}

/* Copies the sources in sorted order, so that a search from left to right is a good first matching. */
static dpt_points sort_sources(dpt_ctx *ctx, const dpt_points *from) {
  double *birth = DPT_NEW(ctx, double, from->count), *death = DPT_NEW(ctx, double, from->count);
  source_point *points = DPT_NEW(ctx, source_point, from->count);
  for (ptrdiff_t u = 0; u < from->count; u++) points[u] = (source_point){from->birth[u], from->death[u]};
  qsort(points, (size_t) from->count, sizeof *points, compare_sources);
  for (ptrdiff_t u = 0; u < from->count; u++) {
    birth[u] = points[u].birth;
    death[u] = points[u].death;
  }
  return (dpt_points){birth, death, from->count};
}

dpt_matcher *dpt_match_new(dpt_ctx *ctx, const dpt_points *from, const dpt_points *to) {
  dpt_matcher *m = DPT_NEW(ctx, dpt_matcher, 1);
  ptrdiff_t sources = from->count, targets = to->count;
  m->tree = build_tree(ctx, to);
  m->from = sort_sources(ctx, from);
  m->exit = DPT_NEW(ctx, double, sources);
  m->target_of = DPT_NEW(ctx, ptrdiff_t, sources);
  m->source_of = DPT_NEW(ctx, ptrdiff_t, targets);
  m->all = new_set(ctx, &m->tree);
  m->unmatched = new_set(ctx, &m->tree);
  m->unvisited = new_set(ctx, &m->tree);
  m->queue = DPT_NEW(ctx, ptrdiff_t, sources + 1);
  m->root = DPT_NEW(ctx, ptrdiff_t, sources + 1);
  m->discoverer = DPT_NEW(ctx, ptrdiff_t, targets);
  m->key = DPT_NEW(ctx, double, sources + 1);
  m->heap = DPT_NEW(ctx, ptrdiff_t, sources + 1);
  m->saved = DPT_NEW(ctx, ptrdiff_t, sources);
  fill_set(&m->tree, &m->all);
  copy_set(&m->tree, &m->unmatched, &m->all);
  for (ptrdiff_t u = 0; u < sources; u++) {
    m->exit[u] = dpt_point_exit(m->from.birth[u], m->from.death[u]);
    m->target_of[u] = NONE;
  }
  for (ptrdiff_t v = 0; v < targets; v++) m->source_of[v] = NONE;
  return m;
}

static ptrdiff_t find_target(const dpt_matcher *m, const point_set *set, ptrdiff_t u, double t) {
  return find_within(&m->tree, set, m->from.birth[u], m->from.death[u], t);
}

static void visit(dpt_matcher *m, ptrdiff_t v) { change_set(&m->tree, &m->unvisited, v, -1); }

/* Gives target v to source u. The caller handles their former partners. */
static void pair(dpt_matcher *m, ptrdiff_t u, ptrdiff_t v) {
  if (m->source_of[v] == NONE) change_set(&m->tree, &m->unmatched, v, -1);
  m->target_of[u] = v;
  m->source_of[v] = u;
}

static void release(dpt_matcher *m, ptrdiff_t u) {
  ptrdiff_t v = m->target_of[u];
  if (v == NONE) return;
  change_set(&m->tree, &m->unmatched, v, 1);
  m->target_of[u] = m->source_of[v] = NONE;
}

/* Releases the partners of sources that can leave. */
static void release_unforced(dpt_matcher *m, double t) {
  for (ptrdiff_t u = 0; u < m->from.count; u++) {
    if (m->exit[u] <= t) release(m, u);
  }
}

/* Shifts partners along the path of a tree from its root to u, so that u no longer has a partner. */
static void shift_path(dpt_matcher *m, ptrdiff_t root, ptrdiff_t u) {
  ptrdiff_t v = m->target_of[u];
  m->target_of[u] = NONE;
  while (u != root) {
    u = m->discoverer[v];
    ptrdiff_t before = m->target_of[u];
    pair(m, u, v);
    v = before;
  }
}

/* One phase: alternating trees grow from all unmatched forced sources at once, breadth first and disjoint. A tree
 * that reaches an unmatched target is augmented and grows no more. Returns the number of sources left. `*progress`
 * receives whether this number fell. */
static ptrdiff_t grow_trees(dpt_ctx *ctx, dpt_matcher *m, double t, bool *progress) {
  ptrdiff_t head = 0, tail = 0, left;
  copy_set(&m->tree, &m->unvisited, &m->all);
  for (ptrdiff_t u = 0; u < m->from.count; u++) {
    if (m->exit[u] <= t || m->target_of[u] != NONE) continue;
    m->root[u] = u;
    m->queue[tail++] = u;
  }
  dpt_tick(ctx, m->from.count + m->tree.leaves);
  left = tail;
  while (head < tail) {
    ptrdiff_t u = m->queue[head++], root = m->root[u];
    if (m->target_of[root] != NONE) continue;
    dpt_tick(ctx, 300);
    ptrdiff_t v = find_target(m, &m->unmatched, u, t);
    if (v != NONE) {
      visit(m, v); /* otherwise another tree would grow through this one */
      shift_path(m, root, u);
      pair(m, u, v);
      left--;
      *progress = true;
      continue;
    }
    while ((v = find_target(m, &m->unvisited, u, t)) != NONE) {
      dpt_tick(ctx, 300);
      visit(m, v);
      m->discoverer[v] = u;
      m->root[m->source_of[v]] = root;
      m->queue[tail++] = m->source_of[v];
    }
  }
  m->reached = tail;
  return left;
}

/* Makes the matching within t as large as possible. Returns the number of forced sources without a partner. */
static ptrdiff_t grow_matching(dpt_ctx *ctx, dpt_matcher *m, double t) {
  ptrdiff_t left;
  bool progress;
  release_unforced(m, t);
  do {
    progress = false;
    left = grow_trees(ctx, m, t, &progress);
  } while (progress && left > 0);
  return left;
}

bool dpt_match_covers(dpt_ctx *ctx, dpt_matcher *m, double t) { return grow_matching(ctx, m, t) == 0; }

double dpt_match_floor(dpt_ctx *ctx, dpt_matcher *m, double floor) {
  for (ptrdiff_t u = 0; u < m->from.count; u++) {
    dpt_tick(ctx, 300);
    if (m->exit[u] <= floor || find_target(m, &m->all, u, floor) != NONE) continue;
    floor = nearest_cost(&m->tree, &m->all, m->from.birth[u], m->from.death[u], m->exit[u]);
  }
  return floor;
}

/* Raising t for one source ------------------------------------------------------------------------------------- */

static void heap_push(dpt_matcher *m, double key, ptrdiff_t u) {
  ptrdiff_t place = m->heap_count++;
  for (; place > 0 && m->key[(place - 1) / 2] > key; place = (place - 1) / 2) {
    m->key[place] = m->key[(place - 1) / 2];
    m->heap[place] = m->heap[(place - 1) / 2];
  }
  m->key[place] = key;
  m->heap[place] = u;
}

static ptrdiff_t heap_pop(dpt_matcher *m) {
  ptrdiff_t top = m->heap[0], last = --m->heap_count, place = 0;
  double key = m->key[last];
  for (;;) {
    ptrdiff_t child = 2 * place + 1;
    if (child >= last) break;
    if (child + 1 < last && m->key[child + 1] < m->key[child]) child++;
    if (m->key[child] >= key) break;
    m->key[place] = m->key[child];
    m->heap[place] = m->heap[child];
    place = child;
  }
  m->key[place] = key;
  m->heap[place] = m->heap[last];
  return top;
}

/* Cost of the cheapest way out of the trees at source u, its exit or a target in no tree; at most `best`. */
static double next_key(const dpt_matcher *m, ptrdiff_t u, double best) {
  if (m->exit[u] < best) best = m->exit[u];
  return nearest_cost(&m->tree, &m->unvisited, m->from.birth[u], m->from.death[u], best);
}

/* Follows every edge and exit within t from source u. Returns true if one ends the search. Otherwise, pushes the
 * sources behind them on the stack. */
static bool expand(dpt_ctx *ctx, dpt_matcher *m, ptrdiff_t start, ptrdiff_t u, double t, ptrdiff_t *waiting) {
  if (m->exit[u] <= t) {
    shift_path(m, start, u);
    return true;
  }
  ptrdiff_t v = find_target(m, &m->unmatched, u, t);
  if (v != NONE) {
    shift_path(m, start, u);
    pair(m, u, v);
    return true;
  }
  while ((v = find_target(m, &m->unvisited, u, t)) != NONE) {
    dpt_tick(ctx, 300);
    visit(m, v);
    m->discoverer[v] = u;
    m->queue[(*waiting)++] = m->source_of[v];
  }
  return false;
}

/* Finds the smallest value, at least t, at which the source `start` can be matched or leave as well, and does so. */
static double raise_for(dpt_ctx *ctx, dpt_matcher *m, ptrdiff_t start, double t) {
  ptrdiff_t waiting = 0;
  copy_set(&m->tree, &m->unvisited, &m->all);
  m->heap_count = 0;
  m->queue[waiting++] = start;
  for (;;) {
    dpt_tick(ctx, 600);
    ptrdiff_t u;
    if (waiting > 0) {
      u = m->queue[--waiting];
    } else {
      /* A key is a lower bound, because its nearest target may have been visited since. */
      double key = m->key[0];
      u = heap_pop(m);
      double now = next_key(m, u, INFINITY);
      if (now > key && now > t) {
        heap_push(m, now, u);
        continue;
      }
      if (now > t) t = now;
    }
    if (expand(ctx, m, start, u, t, &waiting)) return t;
    heap_push(m, next_key(m, u, INFINITY), u);
  }
}

/* The bottleneck ----------------------------------------------------------------------------------------------- */

static void restore_matching(dpt_matcher *m) {
  copy_set(&m->tree, &m->unmatched, &m->all);
  for (ptrdiff_t v = 0; v < m->tree.count; v++) m->source_of[v] = NONE;
  for (ptrdiff_t u = 0; u < m->from.count; u++) {
    m->target_of[u] = NONE;
    if (m->saved[u] != NONE) pair(m, u, m->saved[u]);
  }
}

/* After a phase without progress: nothing changes below this cost of the cheapest edge or exit out of the trees. */
static double next_change(dpt_ctx *ctx, const dpt_matcher *m) {
  double next = INFINITY;
  for (ptrdiff_t i = 0; i < m->reached; i++) {
    dpt_tick(ctx, 300);
    next = next_key(m, m->queue[i], next);
  }
  return next;
}

/* The bottleneck lies in [low, high], or is `low` if left is 0. The matching has `left` sources without a partner and
 * is within `low`. */
typedef struct {
  double low, high;
  ptrdiff_t left;
} bracket;

/* Tries t, not below `low`. */
static void narrow(dpt_ctx *ctx, dpt_matcher *m, bracket *b, double t) {
  memcpy(m->saved, m->target_of, (size_t) m->from.count * sizeof *m->saved);
  ptrdiff_t left = grow_matching(ctx, m, t);
  if (left > 0) {
    b->low = next_change(ctx, m);
    b->left = left;
  } else if (t > b->low) {
    b->high = t;
    restore_matching(m);
  } else {
    b->left = 0;
  }
}

/* Narrows the bracket while many sources are left. The lower end is itself a cost. It is tried after each success,
 * because it is the answer if many costs are equal. */
static void bisect(dpt_ctx *ctx, dpt_matcher *m, bracket *b) {
  for (int step = 0; step < MOST_BISECTIONS && b->left > FEW; step++) {
    double high = b->high, middle = b->low + 0.5 * (high - b->low);
    narrow(ctx, m, b, middle);
    if (b->left > 0 && (b->high < high || b->low >= b->high)) narrow(ctx, m, b, b->low);
  }
}

static double largest_exit(const dpt_matcher *m) {
  double largest = 0;
  for (ptrdiff_t u = 0; u < m->from.count; u++) largest = fmax(largest, m->exit[u]);
  return largest;
}

double dpt_match_bottleneck(dpt_ctx *ctx, dpt_matcher *m, double floor) {
  bracket b = {floor, fmax(floor, largest_exit(m)), 0};
  b.left = grow_matching(ctx, m, floor);
  if (b.left == 0) return floor;
  b.low = next_change(ctx, m);
  bisect(ctx, m, &b);
  if (b.left == 0) return b.low;
  double t = b.low;
  for (ptrdiff_t u = 0; u < m->from.count; u++) {
    if (m->exit[u] <= t || m->target_of[u] != NONE) continue;
    double raised = raise_for(ctx, m, u, t);
    /* the new t may match many sources at once */
    if (raised > t && grow_matching(ctx, m, raised) == 0) return raised;
    t = raised;
  }
  return t;
}
