/* diagram-chain.c - the Metropolis chain of Kang, Kim, Sohn and Awan (2024), Algorithm 1, for comparison.
 *
 * Its last state is not a draw from the exponential mechanism, so no finite run has the declared guarantee. It
 * starts uniformly in the public triangle, not in the range of the true diagram, which is private. All points of all
 * dimensions move together, and proposals that leave the triangle are rejected. Cost: one bottleneck distance for
 * each dimension and step. */
#include "diagram-chain.h"

#include <math.h>

#include "base-draws.h"
#include "persistence-bottleneck.h"

static void start_anywhere(dpt_ctx *ctx, const dpt_chain *m, dpt_chain_state *state) {
  state->count = m->most;
  for (int i = 0; i < m->most; i++) {
    double x = dpt_draw_between(ctx, 0, m->bound), y = dpt_draw_between(ctx, 0, m->bound);
    state->birth[i] = fmin(x, y);
    state->death[i] = fmax(x, y);
  }
}

/* Makes a Gaussian move of all points. Returns false if one leaves the triangle. */
static bool move(dpt_ctx *ctx, const dpt_chain *m, double step_sd, const dpt_chain_state *from, dpt_chain_state *to) {
  bool inside = true;
  to->count = from->count;
  for (int i = 0; i < from->count; i++) {
    to->birth[i] = from->birth[i] + step_sd * dpt_draw_normal(ctx);
    to->death[i] = from->death[i] + step_sd * dpt_draw_normal(ctx);
    if (!(to->birth[i] >= 0 && to->birth[i] <= to->death[i] && to->death[i] <= m->bound)) inside = false;
  }
  return inside;
}

static double loss_of(const double *distance, int dimensions, bool sum) {
  double loss = 0;
  for (int q = 0; q < dimensions; q++) loss = sum ? loss + distance[q] : fmax(loss, distance[q]);
  return loss;
}

static void find_distances(dpt_ctx *ctx, const dpt_points *diagrams, const dpt_chain_state *labels, int dimensions,
                           double *distance) {
  for (int q = 0; q < dimensions; q++) {
    dpt_points state = {labels[q].birth, labels[q].death, labels[q].count};
    distance[q] = dpt_bottleneck_distance(ctx, &state, &diagrams[q]);
  }
}

void dpt_chain_run(dpt_ctx *ctx, const dpt_chain *m, const dpt_points *diagrams, int dimensions, bool sum,
                   ptrdiff_t steps, double step_sd, dpt_chain_state *last, double *distances) {
  dpt_chain_state proposed[DPT_CHAIN_DIMENSIONS];
  double now[DPT_CHAIN_DIMENSIONS] = {0}, then[DPT_CHAIN_DIMENSIONS] = {0};
  for (int q = 0; q < dimensions; q++) start_anywhere(ctx, m, &last[q]);
  find_distances(ctx, diagrams, last, dimensions, now);
  for (ptrdiff_t step = 0; step < steps; step++) {
    bool inside = true;
    for (int q = 0; q < dimensions; q++) inside = move(ctx, m, step_sd, &last[q], &proposed[q]) && inside;
    if (inside) {
      find_distances(ctx, diagrams, proposed, dimensions, then);
      double gain = loss_of(now, dimensions, sum) - loss_of(then, dimensions, sum);
      if (log(dpt_draw_float(ctx)) < m->rate * gain) {
        for (int q = 0; q < dimensions; q++) {
          last[q] = proposed[q];
          now[q] = then[q];
        }
      }
    }
    for (int q = 0; q < dimensions; q++) distances[step + q * steps] = now[q];
    ctx->fraction = (double) step / (double) steps;
    dpt_tick(ctx, 1000);
  }
}
