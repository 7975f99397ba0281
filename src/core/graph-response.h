/* graph-response.h - flips each pair of vertices with the same probability, independently and exactly. */
#ifndef DPT_GRAPH_FLIP_H
#define DPT_GRAPH_FLIP_H

#include "base-context.h"
#include "graph-coin.h"

/* Flips every pair of a packed graph (graph-bits.h) with probability p, in place. The key of the cipher must be open
 * (base-chacha.h). If the kernel is left early, only some pairs have been flipped, and the graph must not be shown. */
void dpt_graph_randomize_bits(dpt_ctx *ctx, ptrdiff_t n, dpt_fraction p, unsigned char *bits);

/* Edges as sorted numbers without duplicates: {i, j}, i < j, has number j (j - 1) / 2 + i, vertices count from 0. */
typedef struct {
  uint64_t *at; /* in the arena */
  ptrdiff_t count;
} dpt_pairs;

static inline uint64_t dpt_graph_pair_number(uint64_t i, uint64_t j) { return j * (j - 1) / 2 + i; }

/* The pairs of a list, with vertices counted from 1. Loops and edges with an invalid endpoint are left out. */
dpt_pairs dpt_graph_sort(dpt_ctx *ctx, ptrdiff_t n, const int *from, const int *to, ptrdiff_t count);

/* Draws the pairs to flip, if few are flipped. */
dpt_pairs dpt_graph_draw_response(dpt_ctx *ctx, ptrdiff_t n, dpt_graph_skip skip);

/* The pairs in exactly one of the two, in memory of the arena. */
dpt_pairs dpt_graph_merge(dpt_ctx *ctx, dpt_pairs a, dpt_pairs b);

/* Writes pairs as lists. */
void dpt_graph_split(dpt_ctx *ctx, dpt_pairs pairs, int *from, int *to);

#endif
