/* graph-product.h - the adjacency matrix of an undirected graph, times a vector. */
#ifndef DPT_GRAPH_PRODUCT_H
#define DPT_GRAPH_PRODUCT_H

#include "base-context.h"

/* y = A x, n numbers each, A symmetric with zeros on its diagonal: the packed triangle of graph-bits.h. Bits that do
 * not belong to a pair must be zero. The result does not depend on the number of threads. */
void dpt_graph_multiply_bits(dpt_ctx *ctx, ptrdiff_t n, const unsigned char *bits, const double *x, double *y);

/* The same for a list of edges, vertices from 1. An edge with an invalid endpoint is an error. */
dpt_status dpt_graph_multiply_list(dpt_ctx *ctx, ptrdiff_t n, const int *from, const int *to, ptrdiff_t count,
                                   const double *x, double *y);

/* For a graph with flipped pairs, turns y = A x into the product without bias, (A - flip (11' - I)) x / contrast. */
void dpt_graph_debias(ptrdiff_t n, double flip, double contrast, const double *x, double *y);

#endif
