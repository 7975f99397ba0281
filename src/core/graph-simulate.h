/* graph-simulate.h - random undirected graphs with independent edges. */
#ifndef DPT_GRAPH_SIMULATE_H
#define DPT_GRAPH_SIMULATE_H

#include "base-context.h"

/* Edges in chunks, in the order of their draws. Vertices count from 0. */
typedef struct dpt_edge_piece dpt_edge_piece;

typedef struct {
  dpt_edge_piece *first, *last;
  ptrdiff_t count;
  bool sorted;
} dpt_edges;

/* The probability of an edge between two vertices with positions in R^d is their inner product, and 0 or 1 beyond. */
typedef struct {
  const double *positions; /* n rows, d columns */
  ptrdiff_t n, d;
} dpt_graph_positions;

/* Blocks of vertices, one after the other. The rate of a pair is the rate of their blocks, times their weights if
 * there are any. Its probability is the rate, at most 1. */
typedef struct {
  const double *sizes; /* of the blocks */
  ptrdiff_t blocks;
  const double *rates;   /* blocks x blocks, not below 0 */
  const double *weights; /* one for each vertex, not below 0, or NULL: all 1 */
} dpt_graph_blocks;

dpt_edges dpt_graph_draw_positions(dpt_ctx *ctx, const dpt_graph_positions *model);
dpt_edges dpt_graph_draw_blocks(dpt_ctx *ctx, const dpt_graph_blocks *model);

/* Writes the edges, from < to, sorted by `from` and then by `to`, counted from 1. */
void dpt_edges_write(dpt_ctx *ctx, const dpt_edges *edges, ptrdiff_t n, int *from, int *to);

#endif
