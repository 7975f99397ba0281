/* cluster-mixture.h - mixtures of normal distributions, prepared for many evaluations. */
#ifndef DPT_CLUSTER_MIXTURE_H
#define DPT_CLUSTER_MIXTURE_H

#include "base-context.h"

typedef struct {
  ptrdiff_t components, dimension;
  double *log_scale; /* log of the weight times the highest density of each component */
  double *mean;      /* `dimension` numbers for each component */
  double *lower;     /* the Cholesky factor of each covariance, column-major */
  double *whitener;  /* its inverse, row after row, zeros above the diagonal */
} dpt_mixture;

/* Reads weights > 0, means (components x dimension) and covariances (dimension x dimension x components), all finite,
 * into memory of the context. Fails if a covariance is not positive definite to working precision. */
dpt_status dpt_mixture_prepare(dpt_ctx *ctx, ptrdiff_t components, ptrdiff_t dimension, const double *weights,
                               const double *means, const double *covariances, dpt_mixture *mixture);

/* Computes the log of the weighted density of component k at x, or -inf if the squared distance overflows. z receives
 * the whitened x - mean. */
double dpt_mixture_part(const dpt_mixture *mixture, ptrdiff_t k, const double *x, double *z);

/* Computes the log of a sum of exponentials; -inf if there are none. */
double dpt_mixture_log_sum(ptrdiff_t count, const double *part);

/* Writes parts, rows x components: dpt_mixture_part() of each row of X (rows x dimension). A row with a NaN gets NaN,
 * and a row with an infinite number gets -inf. */
void dpt_mixture_log_parts(dpt_ctx *ctx, const dpt_mixture *mixture, ptrdiff_t rows, const double *X, double *parts);

/* Writes independent draws into the rows of X, and the component (from 1) of each. */
void dpt_mixture_draw(dpt_ctx *ctx, const dpt_mixture *mixture, const double *weights, ptrdiff_t rows, double *X,
                      double *component);

#endif
