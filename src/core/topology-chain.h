/* topology-chain.h - the Metropolis chain that the exact draws stand in for; its law is the mechanism's in the limit. */
#ifndef DPT_TOPOLOGY_CHAIN_H
#define DPT_TOPOLOGY_CHAIN_H

#include "topology-private-diagram.h"

/* The Metropolis chain of Kang, Kim, Sohn and Awan (2024), Algorithm 1, started and kept in the public triangle, with
 * most points in each dimension and joint Gaussian moves. `sum`: their utility (sum over dimensions), else the
 * maximum. distances: steps x dimensions, by column, the bottleneck distance of the state after each step: private. */
void dpt_chain_run(dpt_ctx *ctx, const dpt_mechanism *mechanism, const dpt_points *diagrams, int dimensions, bool sum,
                   ptrdiff_t steps, double step_sd, dpt_labels *last, double *distances);

#endif
