/* regression-query.h - turns rows of a regression into integers by a public model, and sums their products. */
#ifndef DPT_REGRESSION_QUERY_H
#define DPT_REGRESSION_QUERY_H

#include "cluster-lattice.h"

/* With features of at most 20 bits, the square of a length is exact as a double: 256 * 4^20 = 2^48. */
enum { DPT_REGRESSION_MAX_COLUMNS = 255, DPT_REGRESSION_MAX_BITS = 20 };

/* A public model. Rows are `columns` columns of the design, and then y. All are mapped from a public box to [-1, 1],
 * except the y of a binomial model, which is 1 if it is above 1/2, and 0 otherwise. */
typedef struct {
  int columns;
  bool binomial;
  const double *lower, *upper; /* columns + 1 */
  const double *beta;          /* columns */
  const double *map;           /* columns x columns, a lower triangle; a row is shortened to length 1 after it */
  double cut;                  /* of residuals: y - eta, or Pearson residuals of a binomial model */
} dpt_regression_model;

/* The products of two of columns + 1 features, or of `columns` scores, in the order (1, 1), (1, 2), (2, 2), (1, 3), and
 * so on. */
static inline ptrdiff_t dpt_regression_size(int columns, bool scores) {
  const ptrdiff_t features = columns + !scores;
  return features * (features + 1) / 2;
}

/* Weighted sums of the products over all rows. The features of a design have at most the length 2^bits, and the feature
 * of the residual at most this size. Scores, the products of a row's design and residual in units of 2^bits, have at
 * most the length 2^bits. The total weight of all rows times 2 * 4^bits must be at most 2^52. */
void dpt_regression_sum(dpt_ctx *ctx, const dpt_regression_model *model, int bits, bool scores, dpt_cluster_rows X,
                        int64_t *sums);

/* The weighted sum of the residuals of a model that is not binomial, each an integer from -2^bits to 2^bits. The total
 * weight of all rows times 2^bits must be at most 2^52. `map` is not used. */
int64_t dpt_regression_level(dpt_ctx *ctx, const dpt_regression_model *model, int bits, dpt_cluster_rows X);

#endif
