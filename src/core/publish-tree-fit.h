/* publish-tree-fit.h - the graphical model that comes nearest to noisy margins. */
#ifndef DPT_PUBLISH_TREE_FIT_H
#define DPT_PUBLISH_TREE_FIT_H

#include "publish-tree-belief.h"

typedef struct {
  const double *count;  /* of each set, tables one after the other: noisy, perhaps negative */
  const double *weight; /* of each of them: one over the variance of its noise; at least one is positive */
  double total;         /* what the model adds up to */
} dpt_tree_target;

typedef struct {
  double loss;
  int steps; /* that were tried */
} dpt_tree_fitted;

/* Goes on from the log potentials given, and changes them. At most `steps` steps; it ends where ten of them lower
 * the loss by less than `gain` of itself. */
dpt_tree_fitted dpt_tree_fit(dpt_ctx *ctx, dpt_belief *belief, const dpt_tree_target *target, int steps, double gain,
                             double *potential);

#endif
