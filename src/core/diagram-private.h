/* diagram-private.h - the exponential mechanism on persistence diagrams, drawn in integers. */
#ifndef DPT_DIAGRAM_PRIVATE_H
#define DPT_DIAGRAM_PRIVATE_H

#include "diagram-lattice-radius.h"

/* One draw of all dimensions that share a radius: with s = max over q of 2 d_B(P_q, D_q), an integer,
 *   probability proportional to V(s) times the base measures of the P_q.
 * The base measure of one dimension draws M, then M lattice points uniformly in 0 <= birth <= death <= bound: M =
 * most if `learn` is false, otherwise M = 0 .. most with probability proportional to 2^-M. */
typedef struct {
  int64_t bound; /* 1 .. 2^31 - 1 */
  int most;
  bool learn;
  dpt_weights weights;
  dpt_rounding rounding;
} dpt_lattice_mechanism;

/* The rounding rule of a release. */
dpt_rounding dpt_lattice_rounding(void);

typedef struct dpt_lattice_sampler dpt_lattice_sampler;

/* Prepares the sampler. `diagrams` has `dimensions` true diagrams, in any order, with integers inside the triangle. */
dpt_status dpt_lattice_open(dpt_ctx *ctx, const dpt_lattice_mechanism *mechanism, const dpt_points *diagrams,
                            int dimensions, dpt_lattice_sampler **sampler);

/* Makes one draw: labels[q] for each dimension, by decreasing persistence. Returns the number of proposals, which
 * depends on the data and must never leave a test. */
int64_t dpt_lattice_draw(dpt_ctx *ctx, const dpt_lattice_sampler *sampler, dpt_lattice_labels *labels);

/* For the tests: numbers of lattice points in the band, in the staircase of all but the `forced` most persistent
 * points, in the staircase of all, and in the union of the squares of the forced points, whose persistence is above
 * tau. */
dpt_status dpt_lattice_counts(dpt_ctx *ctx, const dpt_points *diagram, int64_t bound, int64_t tau, int forced,
                              double counts[4]);

#endif
