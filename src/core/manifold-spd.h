/* manifold-spd.h - functions shared by the two geometries of symmetric positive definite matrices.
 *
 * Tangent coordinates describe a symmetric p x p matrix S, by the columns of its lower triangle. Diagonal entries are
 * unchanged, and entries below the diagonal are multiplied by sqrt(2). The length of the coordinates is the Frobenius
 * norm.
 *
 * dpt_spd_work(p) doubles of scratch are enough for every function here and in the tables of both. No output aliases
 * an input. */
#ifndef DPT_MANIFOLD_SPD_H
#define DPT_MANIFOLD_SPD_H

#include "base-linear.h"
#include "manifold-parts.h"

ptrdiff_t dpt_spd_work(ptrdiff_t p);

/* Larger eigenvalues of an exponent are cut here, so that neither the end of a geodesic nor its factor overflows. */
static const double dpt_spd_largest_exponent = 460;

/* Rows of a release within this many radii are moved into the ball along the geodesic to its center. Eigenvalues
 * farther below, e.g. of singular matrices, are first raised to this limit. Otherwise the other eigenvalues would not
 * count beside them. */
static const double dpt_spd_farthest_row = 3;

void dpt_spd_pack(ptrdiff_t p, const double *symmetric, double *v);
void dpt_spd_unpack(ptrdiff_t p, const double *v, double *symmetric);

/* a := (a + a') / 2, in place. */
void dpt_spd_symmetrize(ptrdiff_t p, double *a);

/* Computes the Cholesky factor of x. If x is not definite to working precision (the end of a long geodesic, whose small
 * eigenvalues were lost to rounding), it is the factor of the nearest matrix that is. */
void dpt_spd_factor(ptrdiff_t p, const double *x, double *lower, double *work);

/* Moves x, symmetric, to the nearest matrix that is definite to working precision, in place. */
void dpt_spd_make_definite(ptrdiff_t p, double *x, double *work);

/* The same, but keeps a matrix that is already definite by more than rounding. */
void dpt_spd_ensure_definite(ptrdiff_t p, double *x, double *work);

/* Computes the eigenvalues, in decreasing order, and eigenvectors (NULL: not wanted) of log(lower^-1 y lower^-T).
 * `lower` NULL means the identity. */
void dpt_spd_log_spectrum(ptrdiff_t p, const double *lower, const double *y, double *values, double *vectors,
                          double *work);

/* Bounds the rounding error of a factor, for both metrics (see the proofs): the distance of lower lower' from a in the
 * affine invariant metric, if dpt_spd_factor() computed `lower` from a. Writes the inverse of the factor. */
double dpt_spd_factor_rounding(ptrdiff_t p, const double *lower, double *inverse, double *work);

/* Bounds the rounding error of the logarithm whose spectrum dpt_spd_log_spectrum() computes. `lower` NULL means the
 * identity. */
dpt_rounding dpt_spd_log_rounding(ptrdiff_t p, const double *lower, const double *y, double *work);

/* Bound both errors for all matrices within `radius` of the identity, in the affine invariant metric. Logarithms are
 * taken at the identity, or at points up to `apart` away, without the error of solving with their factor. */
double dpt_spd_factor_rounding_within(ptrdiff_t p, double radius);
dpt_rounding dpt_spd_log_rounding_within(ptrdiff_t p, double radius, double apart);

/* Bounds the distance of the computed y = exp(S) from the exact one, |S| <= `length`, in the affine invariant
 * metric. */
double dpt_spd_exp_rounding_within(ptrdiff_t p, double length);

/* The same spectrum for a row of a release, which is first moved to the nearest semidefinite matrix, in place. Returns
 * the distance of this move relative to its size, or infinity if x is not finite. Eigenvalues below `least` are raised
 * to it. */
double dpt_spd_row_spectrum(ptrdiff_t p, const double *lower, double least, double *x, double *values, double *vectors,
                            double *work);

/* The function `project` of both. */
double dpt_spd_project(const dpt_manifold *manifold, double *x, double *work);

#endif
