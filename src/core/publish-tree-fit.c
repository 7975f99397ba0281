/* publish-tree-fit.c - the graphical model nearest to noisy margins.
 *
 * Minimizes the sum of weight / 2 times the squared difference of the model's counts mu and the noisy ones y, over all
 * models with the given total, by mirror descent with entropy (Beck and Teboulle 2003; McKenna, Sheldon and Miklau
 * 2019). In log potentials, a step goes to theta - a weight (mu - y), and mu is recomputed along the junction tree. A
 * step is taken if the loss falls by at least half of <gradient, mu - mu'>. The next step is then 1.3 times as long.
 * Otherwise half the step is tried. Weights are those of least squares, one over the variance.
 *
 * Cost: one update and one set of margins (publish-tree-belief.c) per step, and little besides. */
#include "publish-tree-fit.h"

#include <math.h>
#include <string.h>

static double loss_of(ptrdiff_t cells, const dpt_tree_target *target, const double *margin) {
  double loss = 0;
  for (ptrdiff_t j = 0; j < cells; j++) {
    const double away = margin[j] - target->count[j];
    loss += target->weight[j] * away * away;
  }
  return loss / 2;
}

/* <gradient at `margin`, margin - tried> */
static double expected_gain(ptrdiff_t cells, const dpt_tree_target *target, const double *margin, const double *tried) {
  double gain = 0;
  for (ptrdiff_t j = 0; j < cells; j++)
    gain += target->weight[j] * (margin[j] - target->count[j]) * (margin[j] - tried[j]);
  return gain;
}

static void step_from(ptrdiff_t cells, const dpt_tree_target *target, const double *margin, const double *potential,
                      double length, double *next) {
  for (ptrdiff_t j = 0; j < cells; j++)
    next[j] = potential[j] - length * target->weight[j] * (margin[j] - target->count[j]);
}

/* Shifts log potentials so that the largest of each set is 0, because a constant added to a set changes nothing. Values
 * below -2^60 mean probability zero and are cut there: if a noisy count is negative, steps continue and grow. */
static void settle(const dpt_belief *belief, double *potential) {
  for (ptrdiff_t i = 0; i < belief->scopes->count; i++) {
    double top = -INFINITY;
    for (ptrdiff_t j = belief->offset[i]; j < belief->offset[i + 1]; j++) top = fmax(top, potential[j]);
    for (ptrdiff_t j = belief->offset[i]; j < belief->offset[i + 1]; j++)
      potential[j] = fmax(potential[j] - top, -0x1p60);
  }
}

dpt_tree_fitted dpt_tree_fit(dpt_ctx *ctx, dpt_belief *belief, const dpt_tree_target *target, int steps, double gain,
                             double *potential) {
  const ptrdiff_t cells = belief->offset[belief->scopes->count];
  double *margin = DPT_NEW(ctx, double, cells), *tried = DPT_NEW(ctx, double, cells);
  double *next = DPT_NEW(ctx, double, cells);
  double most = 0;
  for (ptrdiff_t j = 0; j < cells; j++) most = target->weight[j] > most ? target->weight[j] : most;
  double length = 2 / (target->total * most);
  dpt_belief_update(ctx, belief, potential);
  dpt_belief_margins(ctx, belief, target->total, margin);
  dpt_tree_fitted fitted = {.loss = loss_of(cells, target, margin)};
  double before = fitted.loss; /* ten steps ago */
  for (; fitted.steps < steps; fitted.steps++) {
    if (fitted.steps % 10 == 0 && fitted.steps > 0) {
      if (before - fitted.loss <= gain * before) break;
      before = fitted.loss;
    }
    step_from(cells, target, margin, potential, length, next);
    dpt_belief_update(ctx, belief, next);
    dpt_belief_margins(ctx, belief, target->total, tried);
    const double loss = loss_of(cells, target, tried);
    dpt_tick(ctx, 6 * cells);
    ctx->fraction = (double) (fitted.steps + 1) / (double) steps;
    if (!(fitted.loss - loss >= 0.5 * expected_gain(cells, target, margin, tried))) {
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
  settle(belief, potential);
  return fitted;
}
