/* diagram-chain.h - the Metropolis chain that exact draws replace. Its distribution converges to the mechanism's. */
#ifndef DPT_DIAGRAM_CHAIN_H
#define DPT_DIAGRAM_CHAIN_H

#include "persistence-points.h"

enum { DPT_CHAIN_MOST = 20, DPT_CHAIN_DIMENSIONS = 5 };

/* The limit distribution of the chain: density proportional to exp(-rate * loss) on `most` points in each dimension,
 * uniform in 0 <= birth <= death <= bound without the loss. */
typedef struct {
  double bound, rate;
  int most;
} dpt_chain;

typedef struct {
  int count;
  double birth[DPT_CHAIN_MOST], death[DPT_CHAIN_MOST];
} dpt_chain_state;

/* Runs the Metropolis chain of Kang, Kim, Sohn and Awan (2024), Algorithm 1, started and kept in the public
 * triangle, with most points in each dimension and joint Gaussian moves. `sum`: their utility (sum over dimensions),
 * otherwise the maximum. distances: steps x dimensions, by column, the bottleneck distance of the state after each
 * step, which is private. */
void dpt_chain_run(dpt_ctx *ctx, const dpt_chain *chain, const dpt_points *diagrams, int dimensions, bool sum,
                   ptrdiff_t steps, double step_sd, dpt_chain_state *last, double *distances);

#endif
