/* publish-tree-fit.h - the graphical model nearest to noisy margins. */
#ifndef DPT_PUBLISH_TREE_FIT_H
#define DPT_PUBLISH_TREE_FIT_H

#include "publish-tree-belief.h"

typedef struct {
  const double *count;  /* of each set, tables one after the other: noisy, perhaps negative */
  const double *weight; /* of each set: one over the variance of its noise; at least one is positive */
  double total;         /* the sum of the model's counts */
} dpt_tree_target;

typedef struct {
  double loss;
  int steps; /* the number of steps tried */
} dpt_tree_fitted;

/* Fits from the given log potentials, and changes them. It takes at most `steps` steps, and ends if ten steps lower the
 * loss by less than the fraction `gain`. */
dpt_tree_fitted dpt_tree_fit(dpt_ctx *ctx, dpt_belief *belief, const dpt_tree_target *target, int steps, double gain,
                             double *potential);

#endif
