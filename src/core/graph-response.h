/* graph-response.h - each pair of vertices flipped with one probability, independently and exactly. */
#ifndef DPT_GRAPH_FLIP_H
#define DPT_GRAPH_FLIP_H

#include "base-context.h"
#include "graph-coin.h"

/* Flips every pair of a packed graph (graph-bits.h), in place, with probability p; the key of the cipher is open
 * (base-chacha.h). A kernel that is left in the middle leaves a graph of which some pairs are flipped: it must not be shown. */
void dpt_graph_randomize_bits(dpt_ctx *ctx, ptrdiff_t n, dpt_fraction p, unsigned char *bits);

/* Edges as numbers, sorted, each once: {i, j}, i < j, is number j (j - 1) / 2 + i, vertices count from 0. */
typedef struct {
  uint64_t *at; /* in the arena */
  ptrdiff_t count;
} dpt_pairs;

static inline uint64_t dpt_graph_pair_number(uint64_t i, uint64_t j) { return j * (j - 1) / 2 + i; }

/* The pairs of a list, in which vertices count from 1; a loop or an end that is no vertex is none of them. */
dpt_pairs dpt_graph_sort(dpt_ctx *ctx, ptrdiff_t n, const int *from, const int *to, ptrdiff_t count);

/* The pairs that are flipped, for probabilities of which few are. */
dpt_pairs dpt_graph_draw_response(dpt_ctx *ctx, ptrdiff_t n, dpt_graph_skip skip);

/* What is in one of the two and not in both; its room is taken from the arena. */
dpt_pairs dpt_graph_merge(dpt_ctx *ctx, dpt_pairs a, dpt_pairs b);

/* Back to lists. */
void dpt_graph_split(dpt_ctx *ctx, dpt_pairs pairs, int *from, int *to);

#endif
