/* graph-simulate.c - random undirected graphs with independent edges.
 *
 * Positions: computes the probabilities of one row of pairs at a time, then one draw for each. O(n^2 d) time and
 * O(n) memory beside the edges. Four pairs share a random word: 5 ns per pair if edges are few.
 *
 * Blocks: within a pair of blocks all rates are equal, and one geometric draw skips the pairs without an edge
 * (Batagelj and Brandes 2005): time proportional to the edges and to the square of the number of blocks. With
 * weights, the vertices of a block are sorted, the heaviest first, so that probabilities never rise along a row. The
 * skip is drawn for the probability at its start. At its end the edge is kept with the ratio of the two
 * probabilities (Miller and Hagberg 2011): O(n) for each block beside the edges.
 *
 * Probabilities have a resolution of 2^-52, and a skip is the ratio of two logarithms of doubles: this is a
 * simulation, not a release.
 *
 * Edges are stored in chunks, because their number is not known in advance. Two stable counting sorts order the
 * edges of blocks. Limit: as many edges as a data frame has rows, 2^31 - 1. */
#include "graph-simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base-draws.h"

enum { PIECE = 1 << 16, CHUNK = 1 << 14 };
#define MOST_EDGES ((ptrdiff_t) 2147483647)
/* Above this a draw for each pair is faster than skips. */
#define DENSE 0.15

/* Edges --------------------------------------------------------------------------------------------------------- */

struct dpt_edge_piece {
  dpt_edge_piece *next;
  ptrdiff_t count;
  int32_t from[PIECE], to[PIECE];
};

_Noreturn static void refuse_size(dpt_ctx *ctx) {
  dpt_escape(ctx, DPT_ERROR_SIZE, "the graph has more edges than a data frame has rows");
}

static void add_piece(dpt_ctx *ctx, dpt_edges *edges) {
  if (edges->count > MOST_EDGES - PIECE) refuse_size(ctx);
  dpt_edge_piece *piece = DPT_NEW(ctx, dpt_edge_piece, 1);
  piece->next = NULL;
  piece->count = 0;
  if (edges->last) edges->last->next = piece;
  else edges->first = piece;
  edges->last = piece;
}

static inline void add_edge(dpt_ctx *ctx, dpt_edges *edges, ptrdiff_t i, ptrdiff_t j) {
  if (edges->last == NULL || edges->last->count == PIECE) add_piece(ctx, edges);
  dpt_edge_piece *piece = edges->last;
  piece->from[piece->count] = (int32_t) (i < j ? i : j);
  piece->to[piece->count++] = (int32_t) (i < j ? j : i);
  edges->count++;
}

/* Turns counts into the start of each value. */
static void start_places(ptrdiff_t *counts, ptrdiff_t n) {
  ptrdiff_t start = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    ptrdiff_t here = counts[i];
    counts[i] = start;
    start += here;
  }
}

static void copy_edges(const dpt_edges *edges, int *from, int *to) {
  ptrdiff_t at = 0;
  for (const dpt_edge_piece *piece = edges->first; piece; piece = piece->next) {
    for (ptrdiff_t k = 0; k < piece->count; k++, at++) {
      from[at] = piece->from[k] + 1;
      to[at] = piece->to[k] + 1;
    }
  }
}

void dpt_edges_write(dpt_ctx *ctx, const dpt_edges *edges, ptrdiff_t n, int *from, int *to) {
  if (edges->sorted) {
    copy_edges(edges, from, to);
    return;
  }
  ptrdiff_t *place = DPT_NEW(ctx, ptrdiff_t, n);
  int32_t *low = DPT_NEW(ctx, int32_t, edges->count), *high = DPT_NEW(ctx, int32_t, edges->count);
  memset(place, 0, (size_t) n * sizeof *place);
  for (const dpt_edge_piece *piece = edges->first; piece; piece = piece->next) {
    for (ptrdiff_t k = 0; k < piece->count; k++) place[piece->to[k]]++;
  }
  start_places(place, n);
  for (const dpt_edge_piece *piece = edges->first; piece; piece = piece->next) {
    for (ptrdiff_t k = 0; k < piece->count; k++) {
      ptrdiff_t at = place[piece->to[k]]++;
      low[at] = piece->from[k];
      high[at] = piece->to[k];
    }
    dpt_tick(ctx, 10 * piece->count);
  }
  memset(place, 0, (size_t) n * sizeof *place);
  for (ptrdiff_t k = 0; k < edges->count; k++) place[low[k]]++;
  start_places(place, n);
  for (ptrdiff_t k = 0; k < edges->count; k++) {
    ptrdiff_t at = place[low[k]]++;
    from[at] = low[k] + 1;
    to[at] = high[k] + 1;
    if (k % CHUNK == 0) dpt_tick(ctx, 10 * CHUNK);
  }
}

/* Coins --------------------------------------------------------------------------------------------------------- */

/* The rest of a random word, 16 bits for each coin. */
typedef struct {
  uint64_t word;
  int left;
} bit_pool;

/* True with probability p. 16 bits decide, except once in 65,536 times, when another number decides. */
static inline bool toss(dpt_ctx *ctx, bit_pool *pool, double p) {
  if (pool->left == 0) *pool = (bit_pool){dpt_draw_bits(ctx), 4};
  const double wanted = 65536 * (p < 0 ? 0 : (p < 1 ? p : 1));
  const int32_t whole = (int32_t) wanted, digit = (int32_t) (pool->word & 0xffff);
  pool->word >>= 16;
  pool->left--;
  return digit < whole || (digit == whole && dpt_draw_unit(ctx) < wanted - whole);
}

/* Positions ----------------------------------------------------------------------------------------------------- */

/* The inner products of vertex i with each of those after it. */
static void fill_row(const dpt_graph_positions *m, ptrdiff_t i, double *row) {
  const ptrdiff_t count = m->n - i - 1;
  memset(row, 0, (size_t) count * sizeof *row);
  for (ptrdiff_t k = 0; k < m->d; k++) {
    const double here = m->positions[i + k * m->n];
    const double *there = m->positions + i + 1 + k * m->n;
    for (ptrdiff_t j = 0; j < count; j++) row[j] += here * there[j];
  }
}

dpt_edges dpt_graph_draw_positions(dpt_ctx *ctx, const dpt_graph_positions *model) {
  dpt_edges edges = {NULL, NULL, 0, true};
  bit_pool pool = {0, 0};
  double *row = DPT_NEW(ctx, double, model->n);
  const ptrdiff_t n = model->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    const ptrdiff_t count = n - i - 1;
    fill_row(model, i, row);
    for (ptrdiff_t j = 0; j < count; j++) {
      if (toss(ctx, &pool, row[j])) add_edge(ctx, &edges, i, i + 1 + j);
    }
    ctx->fraction = (double) (i + 1) / (double) n;
    ctx->fraction *= 2 - ctx->fraction; /* rows get shorter */
    dpt_tick(ctx, (8 + model->d) * count + 10);
  }
  return edges;
}

/* Blocks -------------------------------------------------------------------------------------------------------- */

/* Draws the number of failures before the first success of trials with probability p in (0, 1), as a double. */
static inline double draw_failures(dpt_ctx *ctx, double per_trial) {
  return floor(log(dpt_draw_unit(ctx)) / per_trial); /* per_trial = log(1 - p) */
}

static inline double probability_of(double rate) { return rate < 1 ? rate : 1; }

/* Vertices first .. first + count - 1. */
typedef struct {
  ptrdiff_t first, count;
} block;

/* Adds a pair of two blocks, numbered from 0. Pairs within one block are ordered by the larger vertex. */
static inline void add_pair(dpt_ctx *ctx, dpt_edges *edges, block a, block b, int64_t pair) {
  if (a.first != b.first) {
    add_edge(ctx, edges, a.first + (ptrdiff_t) (pair / b.count), b.first + (ptrdiff_t) (pair % b.count));
    return;
  }
  int64_t j = (int64_t) (0.5 + 0.5 * sqrt(1 + 8 * (double) pair));
  while (j * (j - 1) / 2 > pair) j--;
  while (j * (j + 1) / 2 <= pair) j++;
  add_edge(ctx, edges, a.first + (ptrdiff_t) (pair - j * (j - 1) / 2), a.first + (ptrdiff_t) j);
}

/* A draw for each pair, row by row. */
static void draw_each(dpt_ctx *ctx, dpt_edges *edges, block a, block b, double p) {
  bit_pool pool = {0, 0};
  for (ptrdiff_t i = a.first; i < a.first + a.count; i++) {
    for (ptrdiff_t j = a.first == b.first ? i + 1 : b.first; j < b.first + b.count; j++) {
      if (toss(ctx, &pool, p)) add_edge(ctx, edges, i, j);
    }
    dpt_tick(ctx, 5 * b.count + 1);
  }
}

static void draw_equal(dpt_ctx *ctx, dpt_edges *edges, block a, block b, double p) {
  const int64_t pairs = a.first == b.first ? (int64_t) a.count * (a.count - 1) / 2 : (int64_t) a.count * b.count;
  if (p <= 0 || pairs <= 0) return;
  if (p > DENSE) {
    draw_each(ctx, edges, a, b, p);
    return;
  }
  const double per_trial = log1p(-p);
  for (int64_t pair = 0;; pair++) {
    double failures = draw_failures(ctx, per_trial);
    if (!(failures < (double) (pairs - pair))) return;
    pair += (int64_t) failures;
    if (pair >= pairs) return; /* as doubles, the two may have been equal */
    add_pair(ctx, edges, a, b, pair);
    dpt_tick(ctx, 30);
  }
}

typedef struct {
  double weight;
  int32_t vertex;
} heavy_vertex;

static int compare_heavy(const void *a, const void *b) {
  const heavy_vertex *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Draws the edges of a vertex to a list of falling weights. `rate` multiplies the weights of the list. */
static void draw_falling(dpt_ctx *ctx, dpt_edges *edges, double rate, int32_t vertex, const heavy_vertex *list,
                         ptrdiff_t count) {
  if (count <= 0) return;
  double bound = probability_of(rate * list[0].weight);
  for (ptrdiff_t j = 0; j < count && bound > 0; j++) {
    if (bound < 1) {
      double failures = draw_failures(ctx, log1p(-bound));
      if (!(failures < (double) (count - j))) return;
      j += (ptrdiff_t) failures;
    }
    double p = probability_of(rate * list[j].weight);
    if (dpt_draw_unit(ctx) * bound < p) add_edge(ctx, edges, vertex, list[j].vertex);
    bound = p;
    dpt_tick(ctx, 50);
  }
}

static void draw_weighted(dpt_ctx *ctx, dpt_edges *edges, const heavy_vertex *order, block a, block b, double rate) {
  for (ptrdiff_t i = a.first; i < a.first + a.count; i++) {
    ptrdiff_t start = a.first == b.first ? i + 1 : b.first;
    draw_falling(ctx, edges, rate * order[i].weight, order[i].vertex, order + start, b.first + b.count - start);
    dpt_tick(ctx, 5);
  }
}

static heavy_vertex *sort_blocks(dpt_ctx *ctx, const dpt_graph_blocks *m, const block *blocks, ptrdiff_t n) {
  heavy_vertex *order = DPT_NEW(ctx, heavy_vertex, n);
  for (ptrdiff_t i = 0; i < n; i++) order[i] = (heavy_vertex){m->weights[i], (int32_t) i};
  for (ptrdiff_t k = 0; k < m->blocks; k++) {
    qsort(order + blocks[k].first, (size_t) blocks[k].count, sizeof *order, compare_heavy);
    dpt_tick(ctx, 100 * blocks[k].count);
  }
  return order;
}

/* Expected number of edges without weights. */
static double expected_edges(const dpt_graph_blocks *m) {
  double sum = 0;
  for (ptrdiff_t k = 0; k < m->blocks; k++) {
    for (ptrdiff_t l = k; l < m->blocks; l++) {
      double pairs = k == l ? 0.5 * m->sizes[k] * (m->sizes[k] - 1) : m->sizes[k] * m->sizes[l];
      sum += pairs * probability_of(m->rates[k + l * m->blocks]);
    }
  }
  return sum;
}

dpt_edges dpt_graph_draw_blocks(dpt_ctx *ctx, const dpt_graph_blocks *model) {
  if (!model->weights && expected_edges(model) > (double) MOST_EDGES) refuse_size(ctx);
  dpt_edges edges = {NULL, NULL, 0, false};
  block *blocks = DPT_NEW(ctx, block, model->blocks);
  ptrdiff_t n = 0;
  for (ptrdiff_t k = 0; k < model->blocks; k++) {
    blocks[k] = (block){n, (ptrdiff_t) model->sizes[k]};
    n += blocks[k].count;
  }
  const heavy_vertex *order = model->weights ? sort_blocks(ctx, model, blocks, n) : NULL;
  for (ptrdiff_t k = 0; k < model->blocks; k++) {
    for (ptrdiff_t l = k; l < model->blocks; l++) {
      const double rate = model->rates[k + l * model->blocks];
      if (order) draw_weighted(ctx, &edges, order, blocks[k], blocks[l], rate);
      else draw_equal(ctx, &edges, blocks[k], blocks[l], probability_of(rate));
      dpt_tick(ctx, 5);
    }
  }
  return edges;
}
