/* topology-cover.h - a region that contains a bottleneck ball and can be drawn from: the proposals of the sampler. */
#ifndef DPT_TOPOLOGY_COVER_H
#define DPT_TOPOLOGY_COVER_H

#include "topology-points.h"
#include "topology-staircase.h"

enum { DPT_COVER_MOST = 20 }; /* most points of a released diagram, for each dimension */

/* A partition of the forced points into blocks. The labels of a block fall anywhere in the union of its squares and
 * must match its points perfectly; a block of one point is a plain square. */
typedef struct {
  int count;
  int size[DPT_COVER_MOST];
  uint32_t members[DPT_COVER_MOST]; /* bit i: point i, by decreasing persistence */
} dpt_blocks;

/* What is fixed about one dimension of the release, in units of the bound: births and deaths lie in [0, 1]. */
typedef struct {
  int most;                             /* labels at most */
  double log_prior[DPT_COVER_MOST + 1]; /* log of the base measure of M labels, M = 0 .. most; -inf: none */
  dpt_points diagram;                   /* the true diagram, sorted by birth */
  double birth[DPT_COVER_MOST + 1];     /* its most persistent points, by decreasing persistence */
  double death[DPT_COVER_MOST + 1];
  int leading; /* how many of them are kept: at most most + 1 */
} dpt_release;

/* The cover on an interval of radii on which the forced points do not change. */
typedef struct {
  int forced;
  dpt_blocks blocks;
  const dpt_staircase *staircase; /* of all points that are not forced */
  ptrdiff_t loose;                /* how many points are not forced */
  const dpt_staircase *outline;   /* of all points */
  uint32_t outlined;              /* bit M: M labels are drawn from the outline, not from blocks */
} dpt_cover;

/* A released diagram in the making: labels 0 .. count - 1. */
typedef struct {
  int count;
  double birth[DPT_COVER_MOST], death[DPT_COVER_MOST];
} dpt_labels;

/* Cuts the `forced` leading points into blocks, so that the cover is small at radius t (and below). */
void dpt_cover_choose_blocks(const dpt_release *release, int forced, double t, dpt_blocks *blocks);

/* Chooses, for each number of labels, the smaller cover at radius t; the rest of the cover is filled in. */
void dpt_cover_choose_outlined(const dpt_release *release, dpt_cover *cover, double t);

/* log of the measure of the cover at radius t, relative to the base measure. Increasing in t. */
double dpt_cover_log_measure(const dpt_release *release, const dpt_cover *cover, double t);

/* Draws a proposal uniformly from the cover with its multiplicities. */
void dpt_cover_draw(dpt_ctx *ctx, const dpt_release *release, const dpt_cover *cover, double t, dpt_labels *labels);

/* Is the point in the square of radius t around leading point i? */
bool dpt_cover_square_holds(const dpt_release *release, int i, double t, double birth, double death);

/* M from the base measure, points uniform in the triangle. */
void dpt_cover_draw_anywhere(dpt_ctx *ctx, const dpt_release *release, dpt_labels *labels);

#endif
