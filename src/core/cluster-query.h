/* cluster-query.h - turns rows into integers by the clusters of a public model, and sums them. */
#ifndef DPT_CLUSTER_LOOK_H
#define DPT_CLUSTER_LOOK_H

#include "cluster-lattice.h"

/* With features of at most 20 bits the square of a length is exact as a double: 64 * (8 * 2^20)^2 = 2^52. The query of
 * k-means has no lengths, and as many columns as a lattice. */
enum { DPT_LOOK_MAX_DIMENSION = 64, DPT_LOOK_MAX_BITS = 24, DPT_LOOK_FEATURE_BITS = 20 };

/* A public model. Rows lie in a public box, which is mapped to [-1, 1]^dimension. Each of the `clusters` has a mean and
 * a linear map, the inverse of a lower triangle, dimension x dimension. Numbers are stored by column. */
typedef struct {
  int dimension, clusters;
  const double *lower, *upper;
  const double *mean;    /* dimension x clusters */
  const double *whiten;  /* dimension x dimension x clusters */
  const double *level;   /* log of weight and determinant, one for each cluster */
  double stretch;        /* the variance of a cluster's Gaussian that `whiten` turns into 1 */
  const double *nearest; /* dimension x clusters, or NULL: places that assign rows, instead of `level` */
} dpt_query_model;

typedef struct {
  bool hard;      /* the full share for the likeliest cluster */
  bool whitened;  /* features are coordinates of the cluster, shortened; otherwise of the box */
  bool far;       /* the first number of a cluster counts the rows that are shortened, not all; whitened */
  int bits;       /* of a feature: steps of 2^-bits */
  int share_bits; /* the shares of a row add up to at most 2^share_bits */
} dpt_query_options;

/* The numbers of a cluster: the share (with `far`, the share of the shortened rows only), its product with each
 * feature, and its product with each product of two features, in the order (1, 1), (1, 2), (2, 2), (1, 3), and so
 * on. */
static inline ptrdiff_t dpt_query_size(int dimension) {
  return 1 + dimension + (ptrdiff_t) dimension * (dimension + 1) / 2;
}

/* Sums over all rows: dpt_query_size() x clusters. The shares of a row of weight w add up to at most w. If rows have
 * weights, share_bits is not used. The total weight of all rows, or rows * 2^share_bits, times dimension * 4^bits must
 * be at most 2^52, and `bits` at most DPT_LOOK_FEATURE_BITS. */
void dpt_query_sum(dpt_ctx *ctx, const dpt_query_model *model, const dpt_query_options *options, dpt_cluster_rows X,
                   int64_t *sums);

/* The query of k-means: each row belongs to the nearest mean (the first one wins ties), and adds 1 and its coordinates
 * in the box in steps of 2^-bits, all times its weight. Sums over all rows: (1 + dimension) x clusters. Only the box
 * and the means of the model are used. The total weight of all rows times 2^bits must be below 2^62. */
void dpt_query_means(dpt_ctx *ctx, const dpt_query_model *model, int bits, dpt_cluster_rows X, int64_t *sums);

/* Scores `starts` public mixtures of `each` Gaussians with covariance spread times the identity, in the coordinates of
 * the only cluster of `model`. A row's score is the log density, less the log density of the standard Gaussian, cut at
 * -3 and 3, plus 3, in steps of 2^-bits. The score of a start is the weighted sum over all rows. centers: dimension x
 * (each * starts). */
void dpt_query_scores(dpt_ctx *ctx, const dpt_query_model *model, const double *centers, int each, int starts,
                      double spread, int bits, dpt_cluster_rows X, int64_t *scores);

/* Chooses one of `count` with probability proportional to exp(-factor * loss), exactly if the products are exact.
 * Losses are at least 0, and one of them is 0. */
int dpt_query_choose(dpt_ctx *ctx, const double *loss, int count, double factor);

#endif
