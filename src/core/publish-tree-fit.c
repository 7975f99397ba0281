/* publish-tree-fit.c - the graphical model that comes nearest to noisy margins.
 *
 * Minimizes the sum over the sets of weight / 2 times the squared distance of the model's counts mu and the noisy ones y, over
 * all models of one total: mirror descent with entropy (Beck and Teboulle 2003; McKenna, Sheldon and Miklau 2019). In log
 * potentials a step is theta - a weight (mu - y), and mu is found anew along the junction tree. A step is taken if the loss
 * falls by at least half of <gradient, mu - mu'>; the next is then longer by 1.3, else it is tried again with half
 * of it. The weight is that of least squares, one over the variance.
 *
 * Cost: one update and one set of margins (publish-tree-belief.c) a step, and nothing beside. */
#include "publish-tree-fit.h"

#include <string.h>

static double loss_of(const dpt_belief *belief, const dpt_tree_target *target, const double *margin) {
  double loss = 0;
  for (ptrdiff_t i = 0; i < belief->scopes->count; i++) {
    double sum = 0;
    for (ptrdiff_t j = belief->offset[i]; j < belief->offset[i + 1]; j++) {
      const double away = margin[j] - target->count[j];
      sum += away * away;
    }
    loss += target->weight[i] * sum / 2;
  }
  return loss;
}

/* <gradient at `margin`, margin - tried> */
static double expected_gain(const dpt_belief *belief, const dpt_tree_target *target, const double *margin,
                            const double *tried) {
  double gain = 0;
  for (ptrdiff_t i = 0; i < belief->scopes->count; i++) {
    double sum = 0;
    for (ptrdiff_t j = belief->offset[i]; j < belief->offset[i + 1]; j++)
      sum += (margin[j] - target->count[j]) * (margin[j] - tried[j]);
    gain += target->weight[i] * sum;
  }
  return gain;
}

static void step_from(const dpt_belief *belief, const dpt_tree_target *target, const double *margin,
                      const double *potential, double length, double *next) {
  for (ptrdiff_t i = 0; i < belief->scopes->count; i++) {
    const double by = length * target->weight[i];
    for (ptrdiff_t j = belief->offset[i]; j < belief->offset[i + 1]; j++)
      next[j] = potential[j] - by * (margin[j] - target->count[j]);
  }
}

dpt_tree_fitted dpt_tree_fit(dpt_ctx *ctx, dpt_belief *belief, const dpt_tree_target *target, int steps, double gain,
                             double *potential) {
  const ptrdiff_t sets = belief->scopes->count, cells = belief->offset[sets];
  double *margin = DPT_NEW(ctx, double, cells), *tried = DPT_NEW(ctx, double, cells);
  double *next = DPT_NEW(ctx, double, cells);
  double most = 0;
  for (ptrdiff_t i = 0; i < sets; i++) most = target->weight[i] > most ? target->weight[i] : most;
  double length = 2 / (target->total * most);
  dpt_belief_update(ctx, belief, potential);
  dpt_belief_margins(ctx, belief, target->total, margin);
  dpt_tree_fitted fitted = {.loss = loss_of(belief, target, margin)};
  double before = fitted.loss; /* ten steps ago */
  for (; fitted.steps < steps; fitted.steps++) {
    if (fitted.steps % 10 == 0 && fitted.steps > 0) {
      if (before - fitted.loss <= gain * before) break;
      before = fitted.loss;
    }
    step_from(belief, target, margin, potential, length, next);
    dpt_belief_update(ctx, belief, next);
    dpt_belief_margins(ctx, belief, target->total, tried);
    const double loss = loss_of(belief, target, tried);
    dpt_tick(ctx, 6 * cells);
    ctx->fraction = (double) (fitted.steps + 1) / (double) steps;
    if (!(fitted.loss - loss >= 0.5 * expected_gain(belief, target, margin, tried))) {
      length /= 2;
      continue;
    }
    length *= 1.3;
    fitted.loss = loss;
    memcpy(potential, next, (size_t) cells * sizeof *next);
    double *swap = margin;
    margin = tried;
    tried = swap;
  }
  return fitted;
}
