/* manifold-spd.h - what the two geometries of symmetric positive definite matrices share.
 *
 * Tangent coordinates are those of a symmetric p x p matrix S, one column of its lower triangle after the other: the
 * diagonal entries as they are, those below it times sqrt(2). The length of the coordinates is the Frobenius norm.
 *
 * dpt_spd_work(p) doubles of scratch are enough for every function here and in the tables of both. No output aliases
 * an input. */
#ifndef DPT_MANIFOLD_SPD_H
#define DPT_MANIFOLD_SPD_H

#include "base-linear.h"
#include "manifold-parts.h"

ptrdiff_t dpt_spd_work(ptrdiff_t p);

/* Eigenvalues of an exponent beyond this are cut, so that neither the end of a geodesic nor its factor overflows. */
static const double dpt_spd_largest_exponent = 460;

/* Rows of a release within so many radii are moved into the ball along the geodesic to its center; eigenvalues that are
 * farther below, such as those of singular matrices, are raised to that first: the others would count for nothing
 * beside them. */
static const double dpt_spd_farthest_row = 3;

void dpt_spd_pack(ptrdiff_t p, const double *symmetric, double *v);
void dpt_spd_unpack(ptrdiff_t p, const double *v, double *symmetric);

/* a := (a + a') / 2, in place. */
void dpt_spd_symmetrize(ptrdiff_t p, double *a);

/* The Cholesky factor of x. A matrix that is not definite to working precision (the end of a long geodesic, whose
 * small eigenvalues rounding took) gets the factor of the nearest one that is. */
void dpt_spd_factor(ptrdiff_t p, const double *x, double *lower, double *work);

/* Moves x, symmetric, to the nearest matrix that is definite to working precision, in place. */
void dpt_spd_make_definite(ptrdiff_t p, double *x, double *work);

/* The same for a matrix that may be definite already, by more than rounding: it stays as it is. */
void dpt_spd_ensure_definite(ptrdiff_t p, double *x, double *work);

/* Eigenvalues, in decreasing order, and eigenvectors (NULL: not wanted) of log(lower^-1 y lower^-T); `lower` NULL
 * stands for the identity. */
void dpt_spd_log_spectrum(ptrdiff_t p, const double *lower, const double *y, double *values, double *vectors,
                          double *work);

/* Rounding, for both metrics; see the proofs. `lower` is what dpt_spd_factor() made of a: how far, in the affine
 * invariant metric, is lower lower' from a? Writes the inverse of the factor. */
double dpt_spd_factor_rounding(ptrdiff_t p, const double *lower, double *inverse, double *work);

/* Of the logarithm whose spectrum dpt_spd_log_spectrum() computes; `lower` NULL stands for the identity. */
dpt_rounding dpt_spd_log_rounding(ptrdiff_t p, const double *lower, const double *y, double *work);

/* Bounds of both for all matrices within `radius` of the identity, all in the affine invariant metric. The logarithms
 * are taken at the identity, or, but for what solving with its factor adds, at points up to `apart` away. */
double dpt_spd_factor_rounding_within(ptrdiff_t p, double radius);
dpt_rounding dpt_spd_log_rounding_within(ptrdiff_t p, double radius, double apart);

/* How far y = exp(S) as computed is from it, |S| <= `length`, in the affine invariant metric. */
double dpt_spd_exp_rounding_within(ptrdiff_t p, double length);

/* The same for a row of a release, which is moved to the nearest semidefinite matrix, in place; returns how far that
 * was, relative to its size, infinity if x is not finite. Eigenvalues below `least` are raised to it. */
double dpt_spd_row_spectrum(ptrdiff_t p, const double *lower, double least, double *x, double *values, double *vectors,
                            double *work);

/* The function `project` of both. */
double dpt_spd_project(const dpt_manifold *manifold, double *x, double *work);

#endif
