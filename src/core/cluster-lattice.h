/* cluster-lattice.h - rows in a public box as integers, and public linear maps of these integers. */
#ifndef DPT_CLUSTER_LATTICE_H
#define DPT_CLUSTER_LATTICE_H

#include "base-context.h"

enum { DPT_LATTICE_MAX_DIMENSION = 1024, DPT_LATTICE_MAX_BITS = 20 };

/* A public box. Each side is mapped to the integers from -2^bits to 2^bits. */
typedef struct {
  int dimension, bits;
  const double *lower, *upper;
} dpt_lattice;

/* A linear map to `dimension` numbers, each a sum over the row's numbers, shifted right (rounded down) and cut at
 * -2^bits and 2^bits. Without a matrix the row is its own image. */
typedef struct {
  int dimension, shift;
  const int64_t *matrix; /* dimension x that of the lattice, entries up to 2^20; or NULL */
} dpt_lattice_map;

/* Rows, by column, and their weights. NULL: each weight is one. */
typedef struct {
  const double *at;
  ptrdiff_t count;
  const int *weight;
} dpt_cluster_rows;

static inline int64_t dpt_cluster_weight(const dpt_cluster_rows *X, ptrdiff_t row) {
  return X->weight == NULL ? 1 : X->weight[row];
}

static inline double dpt_lattice_within(double x, double least, double most) {
  return x > least ? (x < most ? x : most) : least;
}

/* Moves a coordinate of a row into its side of the box, and rescales it to [-1, 1]. NaN becomes the middle. */
static inline double dpt_lattice_place(double x, double lower, double upper) {
  const double place = 2 * ((dpt_lattice_within(x, lower, upper) - lower) / (upper - lower)) - 1;
  return x == x && place == place ? dpt_lattice_within(place, -1, 1) : 0;
}

/* Moves a row of X into the box and rounds it to the nearest integers. NaN becomes the middle. */
void dpt_lattice_row(const dpt_lattice *lattice, const double *X, ptrdiff_t rows, ptrdiff_t row, int64_t *q);

void dpt_lattice_image(const dpt_lattice *lattice, const dpt_lattice_map *map, const int64_t *q, int64_t *y);

#endif
