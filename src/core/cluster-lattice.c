/* cluster-lattice.c - rows in a public box as integers, and public linear maps of these integers.
 *
 * All later decisions about a row (the side of a plane, a cube, the nearest center) are made in integers, so that they
 * do not depend on the rows beside it or on the compiler. Only this file rounds, by one sequence of scalar operations
 * on the row. Rounding changes the row but not a bound. Cost: a few operations per number. */
#include "cluster-lattice.h"

#include <math.h>
#include <string.h>

void dpt_lattice_row(const dpt_lattice *lattice, const double *X, ptrdiff_t rows, ptrdiff_t row, int64_t *q) {
  const double unit = (double) ((int64_t) 1 << lattice->bits);
  for (int j = 0; j < lattice->dimension; j++) {
    const double place = dpt_lattice_place(X[row + j * rows], lattice->lower[j], lattice->upper[j]);
    q[j] = (int64_t) floor(place * unit + 0.5);
  }
}

/* Shifts right, rounding down. In C the compiler may choose how to shift a negative number. */
static int64_t shift_down(int64_t x, int shift) {
  return x >= 0 ? x >> shift : -((-x + (((int64_t) 1 << shift) - 1)) >> shift);
}

void dpt_lattice_image(const dpt_lattice *lattice, const dpt_lattice_map *map, const int64_t *q, int64_t *y) {
  if (!map->matrix) {
    memcpy(y, q, (size_t) map->dimension * sizeof *y);
    return;
  }
  const int64_t most = (int64_t) 1 << lattice->bits;
  for (int i = 0; i < map->dimension; i++) {
    int64_t sum = 0; /* at most 2^50 */
    for (int j = 0; j < lattice->dimension; j++) sum += map->matrix[i + (ptrdiff_t) j * map->dimension] * q[j];
    sum = shift_down(sum, map->shift);
    y[i] = sum > most ? most : sum < -most ? -most : sum;
  }
}
