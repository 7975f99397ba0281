/* graph-coin.h - the probability that a pair of vertices is flipped, rounded to the safe side. */
#ifndef DPT_GRAPH_COIN_H
#define DPT_GRAPH_COIN_H

#include <stdbool.h>
#include <stdint.h>

/* high 2^-64 + low 2^-128 */
typedef struct {
  uint64_t high, low;
} dpt_fraction;

typedef enum { DPT_GRAPH_EDGE = 0, DPT_GRAPH_LAPLACE = 1 } dpt_graph_method;

/* The smallest multiple of 2^-128 for which integer arithmetic can prove that it is at least
 *   1 / (1 + exp(epsilon))     DPT_GRAPH_EDGE
 *   exp(-epsilon / 2) / 2      DPT_GRAPH_LAPLACE
 * from 2^-128 to 1/2, for finite epsilon >= 0. */
dpt_fraction dpt_graph_coin(double epsilon, dpt_graph_method method);

/* The draw if few pairs are flipped. With q = 1 - exp(-2^-m), a pair is a candidate with probability q, and a
 * candidate is flipped with probability `accept`. The product is at least p. */
typedef struct {
  int m;
  dpt_fraction accept;
} dpt_graph_skip;

enum { DPT_GRAPH_SKIP_MOST = 52 }; /* m: U / 2^m must be a double */

/* 0 < p <= 1/2. */
dpt_graph_skip dpt_graph_skip_for(dpt_fraction p);

#endif
