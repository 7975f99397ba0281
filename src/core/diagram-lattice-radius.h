/* diagram-lattice-radius.h - the radius of a proposal: intervals of radii with their covers and weights. */
#ifndef DPT_DIAGRAM_LATTICE_RADIUS_H
#define DPT_DIAGRAM_LATTICE_RADIUS_H

#include "diagram-lattice-cover.h"
#include "diagram-lattice-weights.h"

enum { DPT_LATTICE_DIMENSIONS = 5 };

/* Radii tau in [start, end), on which the forced points do not change in any dimension. */
typedef struct {
  int64_t start, end;
  int64_t halvings;         /* 0: within one halving of the weights; otherwise the number of entire halvings */
  bool open;                /* start is the bound, and stands for all radii from there on */
  dpt_scaled mass;          /* sum of V(tau) - V(tau + 1); for entire halvings, the sum over all radii from start on */
  dpt_scaled weight;        /* mass times the weights of the covers, rounded up */
  double log_weight, waste; /* log2 of the weight, and approximately the fraction of it that is rejected */
  dpt_lattice_cover cover[DPT_LATTICE_DIMENSIONS];
} dpt_lattice_interval;

typedef struct {
  const dpt_rounding *rounding;
  const dpt_weights *weights;
  int64_t bound;
  int dimensions;
  const dpt_lattice_release *release;
  ptrdiff_t count, room;
  dpt_lattice_interval **interval;
  uint64_t *below; /* count + 1: sums of the weights in integer units */
  int64_t unit;
} dpt_lattice_radii;

/* Lists the intervals. All fields before `count` are given. */
void dpt_lattice_radii_list(dpt_ctx *ctx, dpt_lattice_radii *radii);

/* The staircase of all points except the `forced` leading ones. */
const dpt_lattice_staircase *dpt_lattice_loose_staircase(dpt_ctx *ctx, const dpt_lattice_release *release, int forced);

/* Draws an interval and a radius in it. Each radius has the weight V(tau) - V(tau + 1) times the weights of the
 * covers. Returns NULL if a coin rejects the proposal. */
const dpt_lattice_interval *dpt_lattice_radii_draw(dpt_ctx *ctx, const dpt_lattice_radii *radii, int64_t *tau);

#endif
