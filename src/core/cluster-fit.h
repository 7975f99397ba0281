/* cluster-fit.h - one round of expectation and maximization over the rows. Not private. */
#ifndef DPT_CLUSTER_FIT_H
#define DPT_CLUSTER_FIT_H

#include "cluster-mixture.h"

/* Sums from which the next mixture is computed. Here z = lower^-1 (x - mean) is a row in the coordinates of the
 * component, weighted by its probability of belonging to it. The caller clears the sums. */
typedef struct {
  double *count;   /* components */
  double *sum;     /* of z: dimension x components */
  double *product; /* of z z': dimension x dimension x components, the upper triangle of each */
  double log_likelihood;
} dpt_fit_sums;

/* Adds all rows of X (rows x dimension, finite). A row whose distance from every component overflows is not counted,
 * and its log likelihood is -inf. The result does not depend on the number of threads. */
void dpt_fit_round(dpt_ctx *ctx, const dpt_mixture *mixture, ptrdiff_t rows, const double *X, dpt_fit_sums *sums);

#endif
