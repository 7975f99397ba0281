/* cluster-fit.h - one round of expectation and maximization over the rows. Not private. */
#ifndef DPT_CLUSTER_FIT_H
#define DPT_CLUSTER_FIT_H

#include "cluster-mixture.h"

/* What the next mixture is computed from, z being a row in the coordinates of the component, lower^-1 (x - mean), and
 * every row counted by its probability of being of the component. Cleared by the caller. */
typedef struct {
  double *count;   /* components */
  double *sum;     /* of z: dimension x components */
  double *product; /* of z z': dimension x dimension x components, the upper triangle of each */
  double log_likelihood;
} dpt_fit_sums;

/* Adds all rows of X (rows x dimension, finite). Rows beyond all doubles from every component count nowhere, and their
 * log likelihood is -inf. The result does not depend on the number of threads. */
void dpt_fit_round(dpt_ctx *ctx, const dpt_mixture *mixture, ptrdiff_t rows, const double *X, dpt_fit_sums *sums);

#endif
