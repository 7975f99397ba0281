/* topology-private-diagram.h - exact draws from the exponential mechanism on persistence diagrams. */
#ifndef DPT_TOPOLOGY_PRIVATE_DIAGRAM_H
#define DPT_TOPOLOGY_PRIVATE_DIAGRAM_H

#include "topology-cover.h"

enum { DPT_RELEASE_DIMENSIONS = 5 };

/* One draw of all dimensions that share a radius:
 *   density proportional to exp(-rate * max over q of d_B(P_q, D_q)) against the product of the base measures.
 * The base measure of one dimension draws M, then M points uniformly in 0 <= birth <= death <= bound: M = most if
 * `learn` is false, else M = 0 .. most with probability proportional to 2^-M. */
typedef struct {
  double bound, rate;
  int most;
  bool learn;
} dpt_mechanism;

typedef struct dpt_sampler dpt_sampler;

/* Prepares the sampler: `diagrams` has `dimensions` true diagrams, any order, inside the triangle. */
dpt_status dpt_sampler_open(dpt_ctx *ctx, const dpt_mechanism *mechanism, const dpt_points *diagrams, int dimensions,
                            dpt_sampler **sampler);

/* One draw: labels[q] for each dimension, by decreasing persistence. Returns how many proposals it took; that number
 * depends on the data and must never leave a test. */
int64_t dpt_sampler_draw(dpt_ctx *ctx, const dpt_sampler *sampler, dpt_labels *labels);

#endif
