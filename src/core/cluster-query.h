/* cluster-query.h - rows become whole numbers by the clusters of a public model, and are summed. */
#ifndef DPT_CLUSTER_LOOK_H
#define DPT_CLUSTER_LOOK_H

#include "cluster-lattice.h"

/* With features of at most 20 bits the square of a length is exact as a double: 64 * (8 * 2^20)^2 = 2^52. The query of
 * k-means has no lengths, and as many columns as a lattice. */
enum { DPT_LOOK_MAX_DIMENSION = 64, DPT_LOOK_MAX_BITS = 24, DPT_LOOK_FEATURE_BITS = 20 };

/* Rows in a public box that becomes [-1, 1]^dimension, and one place and one linear map for each of `clusters`: the
 * inverse of a lower triangle, dimension x dimension. Numbers by column. */
typedef struct {
  int dimension, clusters;
  const double *lower, *upper;
  const double *mean;    /* dimension x clusters */
  const double *whiten;  /* dimension x dimension x clusters */
  const double *level;   /* log of weight and determinant, one for each cluster */
  double stretch;        /* of which variance `whiten` makes 1 of the Gaussian of a cluster */
  const double *nearest; /* dimension x clusters, or NULL: the places that decide where a row belongs, not `level` */
} dpt_query_model;

typedef struct {
  bool hard;      /* the whole share for the likeliest cluster */
  bool whitened;  /* features are coordinates of the cluster, shortened; else those of the box */
  bool far;       /* the first number of a cluster counts the rows that are shortened, not all; whitened */
  int bits;       /* of a feature: steps of 2^-bits */
  int share_bits; /* the shares of a row add up to at most 2^share_bits */
} dpt_query_options;

/* Numbers of a cluster: the share (with `far`, that of the rows that are shortened), its product with each feature, and with each product of two features, those of
 * (1, 1), (1, 2), (2, 2), (1, 3) and so on. */
static inline ptrdiff_t dpt_query_size(int dimension) {
  return 1 + dimension + (ptrdiff_t) dimension * (dimension + 1) / 2;
}

/* Sums over all rows: dpt_query_size() x clusters. The shares of a row that weighs w add up to at most w, and share_bits is
 * not read where rows have weights. What all rows weigh, or rows * 2^share_bits, times dimension * 4^bits must be at most
 * 2^52, and `bits` at most DPT_LOOK_FEATURE_BITS. */
void dpt_query_sum(dpt_ctx *ctx, const dpt_query_model *model, const dpt_query_options *options, dpt_cluster_rows X,
                   int64_t *sums);

/* The query of k-means: each row belongs to the nearest mean, the first of equally near ones, and adds 1 and its
 * coordinates in the box in steps of 2^-bits, as many times as it weighs. Sums over all rows: (1 + dimension) x clusters. Of
 * the model only the box and the means are read. What all rows weigh times 2^bits must be below 2^62. */
void dpt_query_means(dpt_ctx *ctx, const dpt_query_model *model, int bits, dpt_cluster_rows X, int64_t *sums);

/* For each of `starts` public mixtures of `each` Gaussians with the covariance spread times the identity, in the
 * coordinates of the one cluster of `model`: the sum over all rows of the logarithm of the density, less that of the
 * standard Gaussian, cut at -3 and 3, plus 3, in steps of 2^-bits, times what it weighs. centers: dimension x (each *
 * starts). */
void dpt_query_scores(dpt_ctx *ctx, const dpt_query_model *model, const double *centers, int each, int starts,
                      double spread, int bits, dpt_cluster_rows X, int64_t *scores);

/* One of `count` with probability in proportion to exp(-factor * loss), exactly where the products are exact; losses
 * are at least 0, and one of them is 0. */
int dpt_query_choose(dpt_ctx *ctx, const double *loss, int count, double factor);

#endif
