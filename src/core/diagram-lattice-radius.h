/* diagram-lattice-radius.h - which radius a proposal has: intervals of radii with their covers and weights. */
#ifndef DPT_DIAGRAM_LATTICE_RADIUS_H
#define DPT_DIAGRAM_LATTICE_RADIUS_H

#include "diagram-lattice-cover.h"
#include "diagram-lattice-weights.h"

enum { DPT_LATTICE_DIMENSIONS = 5 };

/* Radii tau in [start, end), on which the forced points do not change in any dimension. */
typedef struct {
  int64_t start, end;
  int64_t halvings;         /* 0: within one halving of the weights; else so many whole ones */
  bool open;                /* start is the bound, and stands for all radii from there on */
  dpt_scaled mass;          /* sum of V(tau) - V(tau + 1); of whole halvings that of all radii from start on */
  dpt_scaled weight;        /* mass times the weights of the covers, rounded up */
  double log_weight, waste; /* log2 of the weight, and the part of it that is turned down, about */
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
  uint64_t *below; /* count + 1: sums of the weights in whole units */
  int64_t unit;
} dpt_lattice_radii;

/* Fills in the intervals; all before `count` is given. */
void dpt_lattice_radii_list(dpt_ctx *ctx, dpt_lattice_radii *radii);

/* The staircase of all points but the `forced` leading ones. */
const dpt_lattice_staircase *dpt_lattice_loose_staircase(dpt_ctx *ctx, const dpt_lattice_release *release, int forced);

/* An interval and a radius in it, each radius with V(tau) - V(tau + 1) times the weights of the covers; or NULL if a coin
 * turns the proposal down. */
const dpt_lattice_interval *dpt_lattice_radii_draw(dpt_ctx *ctx, const dpt_lattice_radii *radii, int64_t *tau);

#endif
