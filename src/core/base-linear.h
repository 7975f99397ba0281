/* base-linear.h - dense linear algebra for small matrices, column-major, on R's BLAS and LAPACK.
 *
 * `work` is scratch of the caller with at least dpt_linear_work() doubles for the largest side. These functions
 * allocate nothing, so that threads may call them, each with its own scratch. Inputs must be finite. Outputs do not
 * alias inputs. */
#ifndef DPT_BASE_LINEAR_H
#define DPT_BASE_LINEAR_H

#include "base-context.h"

/* Size of scratch that suffices for every function below on matrices with sides up to n. */
ptrdiff_t dpt_linear_work(ptrdiff_t n);

/* Eigenvalues of the symmetric n x n matrix a, in decreasing order, and the eigenvectors as the columns of
 * `vectors`, which may be NULL. Only the lower triangle of a is read. */
void dpt_linear_eigen(ptrdiff_t n, const double *a, double *values, double *vectors, double *work);

/* Singular values of the rows x columns matrix a in decreasing order. There are m = min(rows, columns) of them. u is
 * rows x m and v is columns x m with a = u diag(s) v', and either may be NULL. */
void dpt_linear_svd(ptrdiff_t rows, ptrdiff_t columns, const double *a, double *u, double *s, double *v, double *work);

/* Replaces `scale` by the logarithms of the singular values of b diag(exp(scale)), and b by the left vectors. b is
 * square and invertible (base-linear-graded.c). */
void dpt_linear_graded(ptrdiff_t n, double *b, double *scale);

/* The full orthogonal rows x rows matrix q, whose first `columns` columns span the columns of a (rows >= columns).
 * If a is orthonormal, they are its columns, and otherwise they come from its QR decomposition with positive
 * diagonal. */
void dpt_linear_complete(ptrdiff_t rows, ptrdiff_t columns, const double *a, double *q, double *work);

/* The lower triangular factor of a positive definite matrix, zeros above. Returns false if the matrix is not
 * positive definite to working precision. */
bool dpt_linear_cholesky(ptrdiff_t n, const double *a, double *lower);

/* b := lower^-1 b and b := lower^-T b, for n x columns matrices, in place. */
void dpt_linear_solve_lower(ptrdiff_t n, const double *lower, ptrdiff_t columns, double *b);
void dpt_linear_solve_lower_transposed(ptrdiff_t n, const double *lower, ptrdiff_t columns, double *b);

/* c = a b, a' b, a b', with c rows x columns and `inner` the length of the sums. */
void dpt_linear_multiply(ptrdiff_t rows, ptrdiff_t inner, ptrdiff_t columns, const double *a, const double *b,
                         double *c);
void dpt_linear_multiply_left_transposed(ptrdiff_t rows, ptrdiff_t inner, ptrdiff_t columns, const double *a,
                                         const double *b, double *c);
void dpt_linear_multiply_right_transposed(ptrdiff_t rows, ptrdiff_t inner, ptrdiff_t columns, const double *a,
                                          const double *b, double *c);

/* c = vectors diag(values) vectors', symmetric to the last bit. c may not alias vectors. */
void dpt_linear_compose(ptrdiff_t n, const double *vectors, const double *values, double *c, double *work);

/* A uniformly distributed (Haar) orthogonal n x n matrix, with determinant one if `rotation`. */
void dpt_linear_random_orthogonal(dpt_ctx *ctx, ptrdiff_t n, bool rotation, double *q, double *work);

/* The real Schur form of an orthogonal n x n matrix: a = q t q', t block diagonal up to rounding, with blocks of one
 * row (1 or -1) or two rows. q may be NULL. */
void dpt_linear_schur(ptrdiff_t n, const double *a, double *t, double *q, double *work);

#endif
