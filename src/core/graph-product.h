/* graph-product.h - the adjacency matrix of an undirected graph, times a vector. */
#ifndef DPT_GRAPH_PRODUCT_H
#define DPT_GRAPH_PRODUCT_H

#include "base-context.h"

/* y = A x, n numbers each, A symmetric with zeros on its diagonal: the packed triangle of graph-bits.h. Bits that are no
 * pair must be zero. The result does not depend on the number of threads. */
void dpt_graph_multiply_bits(dpt_ctx *ctx, ptrdiff_t n, const unsigned char *bits, const double *x, double *y);

/* The same of a list of edges, vertices from 1; an edge with an end that is no vertex is an error. */
dpt_status dpt_graph_multiply_list(dpt_ctx *ctx, ptrdiff_t n, const int *from, const int *to, ptrdiff_t count,
                                   const double *x, double *y);

/* Of a graph whose pairs were flipped, y = A x becomes its product without bias, (A - flip (11' - I)) x / contrast. */
void dpt_graph_debias(ptrdiff_t n, double flip, double contrast, const double *x, double *y);

#endif
