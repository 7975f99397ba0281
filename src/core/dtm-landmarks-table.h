/* dtm-landmarks-table.h - the distance to a measure in whole numbers from distances of any metric. */
#ifndef DPT_DTM_LANDMARKS_TABLE_H
#define DPT_DTM_LANDMARKS_TABLE_H

#include "dtm.h"

/* Distances that are known, of any metric. Distance d counts as min(floor(d * scale), clip), and as 0 below zero and as
 * the clip where it is not a number. */
typedef struct {
  const double *distances; /* count rows, one column for each landmark, any doubles */
  const double *weight;    /* as in dtm.h, and so all below, but that `scale` is any positive number */
  ptrdiff_t count, landmarks;
  double neighbors, r, clip;
  const dpt_dtm_lattice *lattice;
} dpt_landmarks_table;

void dpt_landmarks_steps(dpt_ctx *ctx, const dpt_landmarks_table *table, double *values);

#endif
