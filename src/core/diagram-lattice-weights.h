/* diagram-lattice-weights.h - the weights of an exponential mechanism on integers, verified in integers. */
#ifndef DPT_DIAGRAM_LATTICE_WEIGHTS_H
#define DPT_DIAGRAM_LATTICE_WEIGHTS_H

#include "base-whole.h"

enum { DPT_WEIGHTS_KNOTS = 4096 }; /* at most, in one halving */

/* The weight V(s) of the loss s = 0, 1, 2, ...: it halves with every `period` = knots * stride losses, and is linear
 * between knots. With s = period * n + stride * j + i, j < knots, i < stride,
 *     V(s) = (knot[j] (stride - i) + knot[j + 1] i) 2^-n,      knot[0] = 2 knot[knots],
 * integers up to 2^60 times a power of two. */
typedef struct {
  int64_t knots, stride, period;
  const uint64_t *knot; /* knots + 1 of them, falling */
} dpt_weights;

/* V(s) = m 2^-n. */
dpt_scaled dpt_weights_at(const dpt_weights *weights, int64_t s);

/* V(u) - V(v) for u < v within one halving (v may be its end). */
dpt_scaled dpt_weights_mass(const dpt_weights *weights, int64_t u, int64_t v);

/* Draws a loss s of [u, v) as above, with probability exactly proportional to V(s) - V(s + 1). */
int64_t dpt_weights_draw(dpt_ctx *ctx, const dpt_weights *weights, int64_t u, int64_t v);

/* Whether the knots fall, halve, and stay within 2^58 .. 2^60 after multiplication by the stride. */
bool dpt_weights_valid(const dpt_weights *weights);

/* Whether they are valid and
 *     V(s) <= V(s + move) exp(epsilon / 2)   for all s,
 * decided in integers. Then a loss that moves by at most `move` costs epsilon. 0 < epsilon <= 1024. */
bool dpt_weights_hold(dpt_ctx *ctx, const dpt_weights *weights, int64_t move, double epsilon);

/* Builds verified weights for a loss that moves by at most `move` = 2 * steps, with the shortest period that is
 * found. `used` (may be NULL): twice the largest log of a ratio of two such weights, divided by epsilon, rounded,
 * for display. Steps up to 2^31. Fails, by these public numbers alone, if epsilon is above 1024 or so small that the
 * period exceeds 2^42. */
dpt_status dpt_weights_build(dpt_ctx *ctx, int64_t steps, double epsilon, dpt_weights *weights, double *used);

/* Chooses the number of steps of the sensitivity, for values that range over `range` sensitivities. The range stays
 * below about 2^20 steps (or 64 steps per sensitivity), and 99.99% of epsilon are used if possible. The range never
 * exceeds 2^31 - 1 steps. Uses public numbers only. */
dpt_status dpt_weights_plan(dpt_ctx *ctx, double range, double epsilon, int64_t *steps);

#endif
