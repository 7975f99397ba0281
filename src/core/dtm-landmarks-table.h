/* dtm-landmarks-table.h - the integer distance to a measure from distances of any metric. */
#ifndef DPT_DTM_LANDMARKS_TABLE_H
#define DPT_DTM_LANDMARKS_TABLE_H

#include "dtm.h"

/* Known distances of any metric. Distance d counts as min(floor(d * scale), clip), as 0 below zero, and as the clip
 * if it is NaN. */
typedef struct {
  const double *distances; /* count rows, one column for each landmark, any doubles */
  const double *weight;    /* as in dtm.h, like all fields below, except that `scale` is any positive number */
  ptrdiff_t count, landmarks;
  double neighbors, r, clip;
  const dpt_dtm_lattice *lattice;
} dpt_landmarks_table;

void dpt_landmarks_steps(dpt_ctx *ctx, const dpt_landmarks_table *table, double *values);

#endif
