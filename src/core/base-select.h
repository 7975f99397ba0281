/* base-select.h - the weighted k-th smallest. */
#ifndef DPT_BASE_SELECT_H
#define DPT_BASE_SELECT_H

#include "base-context.h"

/* The smallest key at which the weights of all keys up to it sum to at least `target`, for keys within [lower,
 * upper] and positive weights. Returns `upper` if there is none. Both arrays are permuted. Safe inside parallel
 * regions with `ctx` NULL: it allocates nothing, and polls only if it has a context. */
double dpt_select_weighted(dpt_ctx *ctx, double *key, double *weight, ptrdiff_t count, double target, double lower,
                           double upper);

#endif
