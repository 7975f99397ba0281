/* publish-tree.c - the junction tree of sets of columns.
 *
 * Columns of one set are neighbors in a graph. The graph is made chordal by eliminating one column after the other. The
 * next column is the one whose clique has the fewest cells (the first one wins ties; greedy min-size, Kjaerulff 1990).
 * This clique is the column with its remaining neighbors, which become neighbors of each other. The cliques of the
 * model are those not contained in another one. A spanning tree of them with the largest separators is a junction tree
 * (Jensen and Jensen 1994). Prim's algorithm finds it, starting from the clique with the most cells. Unconnected parts
 * are joined by a separator without columns.
 *
 * Cost: columns^2 for the elimination, and the squared number of neighbors for each column, because only the neighbors'
 * cliques change; cliques^2 for the tree. Sets are rows of bits. Nothing here uses measured values, so the size of a
 * model depends on the sets only. */
#include "publish-tree.h"

#include <math.h>
#include <string.h>

dpt_axes dpt_scope(const dpt_scopes *scopes, ptrdiff_t i) {
  return (dpt_axes){(int) (scopes->start[i + 1] - scopes->start[i]), scopes->column + scopes->start[i]};
}

/* ---- sets as bits ------------------------------------------------------------------------- */

enum { WORD = 64 };

static bool has(const uint64_t *set, int i) { return set[i / WORD] >> (i % WORD) & 1; }
static void put(uint64_t *set, int i) { set[i / WORD] |= (uint64_t) 1 << (i % WORD); }
static void drop(uint64_t *set, int i) { set[i / WORD] &= ~((uint64_t) 1 << (i % WORD)); }

static int ones(uint64_t word) {
  int count = 0;
  for (; word; word &= word - 1) count++;
  return count;
}

static bool is_within(int words, const uint64_t *set, const uint64_t *other) {
  for (int w = 0; w < words; w++)
    if (set[w] & ~other[w]) return false;
  return true;
}

static int shared(int words, const uint64_t *set, const uint64_t *other) {
  int count = 0;
  for (int w = 0; w < words; w++) count += ones(set[w] & other[w]);
  return count;
}

/* ---- elimination ---------------------------------------------------------------------------- */

typedef struct {
  int columns, words, cliques;
  const ptrdiff_t *size;
  double *log_size;
  double *log_cells; /* of the row of each column in `work`, up to rounding */
  uint64_t *edges;   /* columns x words; every column is its own neighbor */
  uint64_t *work;    /* the same, used up */
  uint64_t *clique;  /* columns x words, the first `cliques` of them */
  uint64_t *left;
} graph;

static graph new_graph(dpt_ctx *ctx, int columns, const ptrdiff_t *size) {
  graph g = {.columns = columns, .words = (columns + WORD - 1) / WORD, .size = size};
  const ptrdiff_t bits = (ptrdiff_t) columns * g.words;
  g.log_size = DPT_NEW(ctx, double, columns);
  g.log_cells = DPT_NEW(ctx, double, columns);
  g.edges = DPT_NEW(ctx, uint64_t, bits);
  g.work = DPT_NEW(ctx, uint64_t, bits);
  g.clique = DPT_NEW(ctx, uint64_t, bits);
  g.left = DPT_NEW(ctx, uint64_t, g.words);
  memset(g.edges, 0, (size_t) bits * sizeof *g.edges);
  for (int i = 0; i < columns; i++) {
    g.log_size[i] = log2((double) size[i]);
    put(g.edges + (ptrdiff_t) i * g.words, i);
  }
  return g;
}

static void connect(uint64_t *edges, int words, dpt_axes set) {
  for (int i = 0; i < set.count; i++)
    for (int j = 0; j < set.count; j++) put(edges + (ptrdiff_t) set.column[i] * words, set.column[j]);
}

/* Finds the lowest bit of a word, in six halvings. */
static int lowest(uint64_t word) {
  uint64_t one = word & (~word + 1);
  int bit = 0;
  for (int half = 32; half > 0; half /= 2)
    if (one >> half) {
      one >>= half;
      bit += half;
    }
  return bit;
}

static double log_cells(const graph *g, const uint64_t *set) {
  double sum = 0;
  for (int w = 0; w < g->words; w++)
    for (uint64_t rest = set[w]; rest; rest &= rest - 1) sum += g->log_size[w * WORD + lowest(rest)];
  return sum;
}

static double count_cells(const graph *g, const uint64_t *set) {
  double product = 1;
  for (int w = 0; w < g->words; w++)
    for (uint64_t rest = set[w]; rest; rest &= rest - 1) product *= (double) g->size[w * WORD + lowest(rest)];
  return product;
}

/* Finds the cliques that are not contained in another, from g->work. A later clique lacks a column of each earlier
 * one. */
static void eliminate(dpt_ctx *ctx, graph *g) {
  memset(g->left, 0, (size_t) g->words * sizeof *g->left);
  for (int i = 0; i < g->columns; i++) {
    put(g->left, i);
    g->log_cells[i] = log_cells(g, g->work + (ptrdiff_t) i * g->words);
  }
  g->cliques = 0;
  for (int done = 0; done < g->columns; done++) {
    int best = -1;
    double least = 0;
    for (int i = 0; i < g->columns; i++) {
      if (!has(g->left, i)) continue;
      if (best < 0 || g->log_cells[i] < least - 1e-9) {
        best = i;
        least = g->log_cells[i];
      }
    }
    dpt_tick(ctx, (int64_t) 4 * g->columns);
    uint64_t *taken = g->work + (ptrdiff_t) best * g->words;
    bool is_new = true;
    for (int c = 0; c < g->cliques && is_new; c++)
      is_new = !is_within(g->words, taken, g->clique + (ptrdiff_t) c * g->words);
    if (is_new) memcpy(g->clique + (ptrdiff_t) g->cliques++ * g->words, taken, (size_t) g->words * sizeof *taken);
    drop(g->left, best);
    for (int i = 0; i < g->columns; i++) {
      if (!has(taken, i) || !has(g->left, i)) continue;
      uint64_t *row = g->work + (ptrdiff_t) i * g->words;
      for (int w = 0; w < g->words; w++) row[w] |= taken[w];
      drop(row, best);
      g->log_cells[i] = log_cells(g, row);
    }
    /* `taken` still has itself, but is not used again */
  }
}

static double all_cells(const graph *g) {
  double cells = 0;
  for (int c = 0; c < g->cliques; c++) cells += count_cells(g, g->clique + (ptrdiff_t) c * g->words);
  return cells;
}

static void copy_edges(graph *g) {
  memcpy(g->work, g->edges, (size_t) g->columns * (size_t) g->words * sizeof *g->work);
}

double dpt_tree_size(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes) {
  graph g = new_graph(ctx, columns, size);
  for (ptrdiff_t i = 0; i < scopes->count; i++) connect(g.edges, g.words, dpt_scope(scopes, i));
  copy_edges(&g);
  eliminate(ctx, &g);
  return all_cells(&g);
}

void dpt_tree_sizes(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes, const dpt_scopes *more,
                    double *cells) {
  graph g = new_graph(ctx, columns, size);
  for (ptrdiff_t i = 0; i < scopes->count; i++) connect(g.edges, g.words, dpt_scope(scopes, i));
  for (ptrdiff_t i = 0; i < more->count; i++) {
    copy_edges(&g);
    connect(g.work, g.words, dpt_scope(more, i));
    eliminate(ctx, &g);
    cells[i] = all_cells(&g);
    ctx->fraction = (double) (i + 1) / (double) more->count;
  }
}

/* ---- the tree --------------------------------------------------------------------------------- */

/* Runs Prim's algorithm: the order in which cliques join, and the clique that each joins. */
static void span(const graph *g, int *order, int *parent, int *overlap, bool *joined) {
  const int count = g->cliques;
  int next = 0;
  double most = -1;
  for (int c = 0; c < count; c++) {
    const double cells = log_cells(g, g->clique + (ptrdiff_t) c * g->words);
    if (cells > most) {
      most = cells;
      next = c;
    }
    joined[c] = false;
    overlap[c] = -1;
    parent[c] = -1;
  }
  for (int done = 0; done < count; done++) {
    order[done] = next;
    joined[next] = true;
    int best = -1;
    for (int c = 0; c < count; c++) {
      if (joined[c]) continue;
      const int common = shared(g->words, g->clique + (ptrdiff_t) c * g->words,
                                g->clique + (ptrdiff_t) next * g->words);
      if (common > overlap[c]) {
        overlap[c] = common;
        parent[c] = next;
      }
      if (best < 0 || overlap[c] > overlap[best]) best = c;
    }
    next = best;
  }
}

/* Sorts columns by size, the largest first, so that innermost runs are long. */
static void sort_by_size(const ptrdiff_t *size, int *column, int count) {
  for (int i = 1; i < count; i++) {
    const int moved = column[i];
    int j = i;
    for (; j > 0 && size[column[j - 1]] < size[moved]; j--) column[j] = column[j - 1];
    column[j] = moved;
  }
}

static void order_axes(dpt_tree *tree, int c, const uint64_t *clique, int *column) {
  int inner = 0, count = 0;
  const int parent = tree->parent[c];
  const dpt_axes above = parent < 0 ? (dpt_axes){0, NULL} : tree->axes[parent];
  for (int i = 0; i < tree->columns; i++) {
    if (!has(clique, i) || dpt_axes_have(above, i)) continue;
    column[inner++] = i;
    tree->home[i] = c;
  }
  sort_by_size(tree->size, column, inner);
  count = inner;
  for (int j = 0; j < above.count; j++)
    if (has(clique, above.column[j])) column[count++] = above.column[j];
  tree->axes[c] = (dpt_axes){count, column};
  tree->inner[c] = inner;
  tree->rest[c] = (ptrdiff_t) dpt_table_cells(tree->size, (dpt_axes){inner, column});
  tree->cells[c] = (ptrdiff_t) dpt_table_cells(tree->size, tree->axes[c]);
  tree->offset[c + 1] = tree->offset[c] + tree->cells[c];
}

dpt_status dpt_tree_build(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes, dpt_tree *tree) {
  graph g = new_graph(ctx, columns, size);
  for (ptrdiff_t i = 0; i < scopes->count; i++) connect(g.edges, g.words, dpt_scope(scopes, i));
  copy_edges(&g);
  eliminate(ctx, &g);
  if (!(all_cells(&g) <= exp2(DPT_TABLE_BITS - 1)))
    return dpt_fail(ctx, DPT_ERROR_SIZE, "A model of these sets of columns has more than 2^%d cells.",
                    DPT_TABLE_BITS - 1);
  const int count = g.cliques;
  *tree = (dpt_tree){.columns = columns,
                     .cliques = count,
                     .size = size,
                     .parent = DPT_NEW(ctx, int, count),
                     .axes = DPT_NEW(ctx, dpt_axes, count),
                     .inner = DPT_NEW(ctx, int, count),
                     .rest = DPT_NEW(ctx, ptrdiff_t, count),
                     .cells = DPT_NEW(ctx, ptrdiff_t, count),
                     .offset = DPT_NEW(ctx, ptrdiff_t, count + 1),
                     .home = DPT_NEW(ctx, int, columns)};
  int *order = DPT_NEW(ctx, int, count), *parent = DPT_NEW(ctx, int, count), *place = DPT_NEW(ctx, int, count);
  span(&g, order, parent, DPT_NEW(ctx, int, count), DPT_NEW(ctx, bool, count));
  tree->offset[0] = 0;
  for (int c = 0; c < count; c++) {
    place[order[c]] = c;
    tree->parent[c] = c == 0 ? -1 : place[parent[order[c]]];
    const uint64_t *clique = g.clique + (ptrdiff_t) order[c] * g.words;
    order_axes(tree, c, clique, DPT_NEW(ctx, int, shared(g.words, clique, clique)));
  }
  return DPT_OK;
}

dpt_axes dpt_tree_separator(const dpt_tree *tree, int clique) {
  const int inner = tree->inner[clique];
  return (dpt_axes){tree->axes[clique].count - inner, tree->axes[clique].column + inner};
}

int dpt_tree_holder(const dpt_tree *tree, dpt_axes axes) {
  int best = -1;
  for (int c = 0; c < tree->cliques; c++)
    if (dpt_axes_have_all(tree->axes[c], axes) && (best < 0 || tree->cells[c] < tree->cells[best])) best = c;
  return best;
}
