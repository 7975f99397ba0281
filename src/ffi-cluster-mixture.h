/* ffi-cluster-mixture.h - a mixture of normal distributions as an argument from R. */
#ifndef FFI_CLUSTER_MIXTURE_H
#define FFI_CLUSTER_MIXTURE_H

#include <Rinternals.h>

#include "cluster-mixture.h"

typedef struct {
  ptrdiff_t components, dimension;
  const double *weights, *means, *covariances;
} ffi_mixture;

/* `weights`: K positive doubles, `means`: a finite K x D matrix, `covariances`: D x D x K finite doubles. */
ffi_mixture ffi_read_mixture(SEXP weights, SEXP means, SEXP covariances);

dpt_mixture ffi_prepare_mixture(dpt_ctx *ctx, const ffi_mixture *read);

#endif
