/* base-linear.c - dense linear algebra for small matrices.
 *
 * A statistic on 3 x 3 matrices calls for tens of thousands of decompositions. LAPACK spends microseconds on blocks
 * and workspaces before it begins, so small matrices are handled here: loops for products and triangular solves, and
 * Jacobi's rotations for eigenvalues and singular values. Rotations are also more accurate (Demmel and Veselic 1992,
 * "Jacobi's method is more accurate than QR"). Small eigenvalues of a definite matrix and small singular values keep
 * their relative accuracy whenever the data determine it, as logarithms of spectra require. LAPACK finds them only
 * up to rounding of the largest one.
 *
 * Cost: a sweep of rotations takes 4 n^3 flops (6 n^3 with vectors), and about five to eight sweeps are needed.
 * LAPACK takes 4/3 n^3 for values, about 9 n^3 with vectors, and is faster above the sizes SMALL_*. For few numbers,
 * a rotation is limited by the latency of two square roots and two divisions in a row, some 25 ns. Rotations of
 * disjoint columns overlap.
 *
 * LAPACK's iterations can in principle fail to converge. Jacobi's cannot, so they replace LAPACK's then, and callers
 * never see a failure. The arguments given to LAPACK are right for every size by construction. Its error handler,
 * which would jump out of a thread, is therefore never reached. */
#include "base-linear.h"

#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base-draws.h"
#include "base-simd.h"

enum {
  SMALL_EIGEN = 8, /* largest sides with this code faster than the reference LAPACK, as measured */
  SMALL_SVD = 16,
  SMALL_PRODUCT = 16,
  SWEEPS = 60 /* never reached, a bound for input that is not finite */
};

static const double tiny_square = 1e-280; /* Squares below have lost digits or may do so. */

/* Workspace of LAPACK's routines, in doubles, as their documentation requires. */
static ptrdiff_t work_of_dsyevd(ptrdiff_t n) { return 1 + 6 * n + 2 * n * n; }
static ptrdiff_t work_of_dgesdd(ptrdiff_t n) { return 7 * n * n + 8 * n; }
static ptrdiff_t work_of_dgees(ptrdiff_t n) { return 16 * n; }

/* The singular values need most: a copy, both sets of vectors, and dgesdd with its 8 n integers. */
ptrdiff_t dpt_linear_work(ptrdiff_t n) { return 3 * n * n + work_of_dgesdd(n) + 4 * n + work_of_dgees(n) + 8; }

static inline double dot(ptrdiff_t n, const double *a, const double *b) {
  double sum = 0;
  DPT_SIMD("omp simd reduction(+ : sum)")
  for (ptrdiff_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void swap(ptrdiff_t n, double *a, double *b) {
  for (ptrdiff_t i = 0; i < n; i++) {
    double t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

static void set_identity(ptrdiff_t n, double *a) {
  memset(a, 0, (size_t) (n * n) * sizeof *a);
  for (ptrdiff_t i = 0; i < n; i++) a[i + i * n] = 1;
}

static void transpose(ptrdiff_t rows, ptrdiff_t columns, const double *a, double *b) {
  for (ptrdiff_t j = 0; j < columns; j++)
    for (ptrdiff_t i = 0; i < rows; i++) b[j + i * columns] = a[i + j * rows];
}

/* Sorts values in decreasing order, and with them the columns of up to two matrices. */
static void sort_decreasing(ptrdiff_t n, double *values, ptrdiff_t rows_a, double *a, ptrdiff_t rows_b, double *b) {
  for (ptrdiff_t i = 0; i < n; i++) {
    ptrdiff_t top = i;
    for (ptrdiff_t j = i + 1; j < n; j++)
      if (values[j] > values[top]) top = j;
    if (top == i) continue;
    swap(1, values + i, values + top);
    if (a) swap(rows_a, a + i * rows_a, a + top * rows_a);
    if (b) swap(rows_b, b + i * rows_b, b + top * rows_b);
  }
}

/* ---- rotations ---------------------------------------------------------------------------------------------- */

/* The smaller of the two rotations that diagonalize [alpha, gamma; gamma, beta]: tangent, cosine and sine. The
 * cosine does not wait for the tangent, because the chain of roots and divisions determines the time of a short
 * rotation. */
typedef struct {
  double t, c, s;
} plane_rotation;

static inline plane_rotation rotation_for(double alpha, double beta, double gamma) {
  double zeta = (beta - alpha) / (2 * gamma), size = fabs(zeta);
  if (size > 1e150) return (plane_rotation){0.5 / zeta, 1, 0.5 / zeta}; /* its square would overflow */
  double root = sqrt(1 + size * size);
  double t = copysign(1 / (size + root), zeta), c = sqrt(0.5 + 0.5 * (size / root));
  return (plane_rotation){t, c, t * c};
}

static inline void rotate(ptrdiff_t n, plane_rotation r, double *restrict a, double *restrict b) {
  DPT_SIMD("omp simd")
  for (ptrdiff_t i = 0; i < n; i++) {
    double g = a[i], h = b[i];
    a[i] = r.c * g - r.s * h;
    b[i] = r.c * h + r.s * g;
  }
}

/* Is gamma^2 > tolerance * |alpha beta|, without overflow? */
static inline bool needs_rotation(double gamma, double alpha, double beta, double tolerance) {
  return gamma != 0 && fabs(gamma / alpha * gamma) > tolerance * fabs(beta);
}

/* The partner of p in a round: all p + q are `round` modulo n. The pairs of a round are disjoint, so that the
 * processor works on several rotations at once. A sweep has n rounds (Luk and Park 1989). */
static inline ptrdiff_t partner(ptrdiff_t n, ptrdiff_t round, ptrdiff_t p) {
  return round >= p ? round - p : round - p + n;
}

/* Cyclic Jacobi on the full symmetric matrix a, which becomes diagonal. The test is relative to the two diagonal
 * entries, not to the norm, which preserves the small eigenvalues. */
static inline void jacobi_eigen_sized(ptrdiff_t n, double *a, double *vectors) {
  const double tolerance = DBL_EPSILON * DBL_EPSILON / 4;
  bool rotated = true;
  for (int sweep = 0; sweep < SWEEPS && rotated; sweep++) {
    rotated = false;
    for (ptrdiff_t round = 0; round < n; round++) {
      for (ptrdiff_t p = 0; p < n; p++) {
        ptrdiff_t q = partner(n, round, p);
        if (q <= p) continue;
        double *x = a + p * n, *y = a + q * n, alpha = x[p], beta = y[q], gamma = x[q];
        if (!needs_rotation(gamma, alpha, beta, tolerance)) continue;
        plane_rotation r = rotation_for(alpha, beta, gamma);
        rotate(n, r, x, y);
        x[p] = alpha - r.t * gamma;
        y[q] = beta + r.t * gamma;
        x[q] = y[p] = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
          a[p + i * n] = x[i];
          a[q + i * n] = y[i];
        }
        if (vectors) rotate(n, r, vectors + p * n, vectors + q * n);
        rotated = true;
      }
    }
  }
}

static void jacobi_eigen(ptrdiff_t n, const double *a, double *values, double *vectors, double *full) {
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = j; i < n; i++) full[i + j * n] = full[j + i * n] = a[i + j * n];
  if (vectors) set_identity(n, vectors);
  switch (n) { /* constants, so that the compiler unrolls */
  case 2: jacobi_eigen_sized(2, full, vectors); break;
  case 3: jacobi_eigen_sized(3, full, vectors); break;
  default: jacobi_eigen_sized(n, full, vectors);
  }
  for (ptrdiff_t i = 0; i < n; i++) values[i] = full[i + i * n];
  sort_decreasing(n, values, n, vectors, 0, NULL);
}

/* Divide and conquer. Returns false if an iteration did not converge. */
static bool lapack_eigen(ptrdiff_t n, const double *a, double *values, double *vectors, double *work) {
  int size = (int) n, lwork = (int) work_of_dsyevd(n), liwork = 3 + 5 * size, info;
  double *copy = vectors ? vectors : work;
  double *scratch = work + n * n;
  int *integers = (int *) (scratch + lwork);
  memcpy(copy, a, (size_t) (n * n) * sizeof *a);
  F77_CALL(dsyevd)
  (vectors ? "V" : "N", "L", &size, copy, &size, values, scratch, &lwork, integers, &liwork, &info FCONE FCONE);
  if (info != 0) return false;
  for (ptrdiff_t i = 0, j = n - 1; i < j; i++, j--) { /* LAPACK's order is increasing */
    swap(1, values + i, values + j);
    if (vectors) swap(n, vectors + i * n, vectors + j * n);
  }
  return true;
}

void dpt_linear_eigen(ptrdiff_t n, const double *a, double *values, double *vectors, double *work) {
  if (n > SMALL_EIGEN && lapack_eigen(n, a, values, vectors, work)) return;
  jacobi_eigen(n, a, values, vectors, work);
}

/* ---- Householder reflections -------------------------------------------------------------------------------- */

/* Writes the full orthogonal factor of a rows x columns matrix and returns its determinant. Signs are chosen so that
 * the diagonal of the triangular factor is not negative. `work` holds a copy of the matrix and the signs. */
static double householder(ptrdiff_t rows, ptrdiff_t columns, const double *a, double *q, double *work) {
  double *copy = work, *sign = work + rows * columns, determinant = 1;
  memcpy(copy, a, (size_t) (rows * columns) * sizeof *a);
  for (ptrdiff_t j = 0; j < columns; j++) { /* the unit normal of its reflection, or zero for no reflection */
    ptrdiff_t length = rows - j;
    double *x = copy + j + j * rows;
    double norm = sqrt(dot(length, x, x));
    sign[j] = 1;
    if (norm == 0) continue;
    sign[j] = x[0] > 0 ? -1 : 1;
    x[0] -= sign[j] * norm;
    double normal = sqrt(dot(length, x, x));
    for (ptrdiff_t i = 0; i < length; i++) x[i] /= normal;
    determinant = -determinant * sign[j];
    for (ptrdiff_t k = j + 1; k < columns; k++) {
      double *y = copy + j + k * rows, twice = 2 * dot(length, x, y);
      for (ptrdiff_t i = 0; i < length; i++) y[i] -= twice * x[i];
    }
  }
  set_identity(rows, q);
  for (ptrdiff_t j = columns - 1; j >= 0; j--) {
    const double *x = copy + j + j * rows;
    for (ptrdiff_t k = j; k < rows; k++) {
      double *y = q + j + k * rows, twice = 2 * dot(rows - j, x, y);
      for (ptrdiff_t i = 0; i < rows - j; i++) y[i] -= twice * x[i];
    }
  }
  for (ptrdiff_t j = 0; j < columns; j++)
    for (ptrdiff_t i = 0; i < rows; i++) q[i + j * rows] *= sign[j];
  return determinant;
}

void dpt_linear_complete(ptrdiff_t rows, ptrdiff_t columns, const double *a, double *q, double *work) {
  householder(rows, columns, a, q, work);
}

/* If the triangular factor has a positive diagonal, the orthogonal factor of a Gaussian matrix is Haar distributed
 * (Stewart 1980; Mezzadri 2007). A reflection of the first column turns factors of determinant -1 into rotations. */
void dpt_linear_random_orthogonal(dpt_ctx *ctx, ptrdiff_t n, bool rotation, double *q, double *work) {
  double *gaussian = work;
  for (ptrdiff_t i = 0; i < n * n; i++) gaussian[i] = dpt_draw_normal(ctx);
  double determinant = householder(n, n, gaussian, q, work + n * n);
  if (rotation && determinant < 0)
    for (ptrdiff_t i = 0; i < n; i++) q[i] = -q[i];
}

/* ---- singular values ---------------------------------------------------------------------------------------- */

/* One-sided Jacobi (Hestenes 1958): rotates the columns of w, at most as many as rows, until they are orthogonal.
 * The same rotations are applied to `right`, if given. Rotations update the squared lengths of the columns, and each
 * sweep begins by computing them again. */
static inline void jacobi_svd_sized(ptrdiff_t rows, ptrdiff_t columns, double *w, double *right, double *square) {
  const double tolerance = (double) rows * DBL_EPSILON * DBL_EPSILON;
  bool rotated = true;
  for (int sweep = 0; sweep < SWEEPS && rotated; sweep++) {
    rotated = false;
    for (ptrdiff_t j = 0; j < columns; j++) square[j] = dot(rows, w + j * rows, w + j * rows);
    for (ptrdiff_t round = 0; round < columns; round++) {
      for (ptrdiff_t p = 0; p < columns; p++) {
        ptrdiff_t q = partner(columns, round, p);
        if (q <= p || !(square[p] >= DBL_MIN && square[q] >= DBL_MIN)) continue;
        double gamma = dot(rows, w + p * rows, w + q * rows);
        if (!needs_rotation(gamma, square[p], square[q], tolerance)) continue;
        plane_rotation r = rotation_for(square[p], square[q], gamma);
        square[p] -= r.t * gamma;
        square[q] += r.t * gamma;
        rotate(rows, r, w + p * rows, w + q * rows);
        if (right) rotate(columns, r, right + p * columns, right + q * columns);
        rotated = true;
      }
    }
  }
}

static double largest_entry(ptrdiff_t count, const double *a) {
  double largest = 0;
  for (ptrdiff_t i = 0; i < count; i++) largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
  return largest;
}

static double length_of(ptrdiff_t n, const double *a) {
  double square = dot(n, a, a), largest, sum = 0;
  if (square > tiny_square) return sqrt(square);
  largest = largest_entry(n, a);
  if (largest == 0) return 0;
  for (ptrdiff_t i = 0; i < n; i++) sum += (a[i] / largest) * (a[i] / largest);
  return largest * sqrt(sum);
}

/* Compares the last of the first `count` columns with the columns before it. */
static bool is_orthogonal(ptrdiff_t rows, ptrdiff_t count, const double *columns) {
  const double *last = columns + (count - 1) * rows;
  for (ptrdiff_t j = 0; j < count - 1; j++)
    if (fabs(dot(rows, columns + j * rows, last)) > 1e-12) return false;
  return true;
}

/* Divides the columns by their lengths s, which decrease, and returns the number of directions. Parallel columns
 * leave a rest of rounding, which every sweep makes smaller until squares vanish. This rest has no direction. */
static ptrdiff_t normalize(ptrdiff_t rows, ptrdiff_t columns, double *w, const double *s) {
  ptrdiff_t rank = 0;
  for (; rank < columns && s[rank] > 0; rank++) {
    for (ptrdiff_t i = 0; i < rows; i++) w[i + rank * rows] /= s[rank];
    if (s[rank] * s[rank] <= tiny_square && !is_orthogonal(rows, rank + 1, w)) break;
  }
  return rank;
}

/* For rows >= columns. `left` is the matrix and becomes the left vectors, and `right` may be NULL. Squares must not
 * overflow, nor vanish if they matter, so a matrix far from one is multiplied by a power of two. */
static void jacobi_svd(ptrdiff_t rows, ptrdiff_t columns, double *left, double *s, double *right, double *work) {
  double largest = largest_entry(rows * columns, left);
  int exponent = 0;
  if (!(largest > 0x1p-100 && largest < 0x1p100)) {
    frexp(largest, &exponent);
    for (ptrdiff_t i = 0; i < rows * columns; i++) left[i] = ldexp(left[i], -exponent);
  }
  if (right) set_identity(columns, right);
  if (rows == 2 && columns == 2) jacobi_svd_sized(2, 2, left, right, s);
  else if (rows == 3 && columns == 3) jacobi_svd_sized(3, 3, left, right, s);
  else jacobi_svd_sized(rows, columns, left, right, s);
  for (ptrdiff_t j = 0; j < columns; j++) s[j] = length_of(rows, left + j * rows);
  sort_decreasing(columns, s, rows, left, columns, right);
  ptrdiff_t rank = normalize(rows, columns, left, s);
  if (exponent != 0)
    for (ptrdiff_t j = 0; j < columns; j++) s[j] = ldexp(s[j], exponent);
  if (rank == columns) return;
  householder(rows, rank, left, work, work + rows * rows); /* the rest gets any orthonormal basis */
  memcpy(left + rank * rows, work + rank * rows, (size_t) (rows * (columns - rank)) * sizeof *left);
}

/* Divide and conquer on `copy`, which is destroyed. Returns false if it did not converge. Computes both sets of
 * vectors or none. */
static bool lapack_svd(ptrdiff_t rows, ptrdiff_t columns, double *copy, double *left, double *s, double *right,
                       double *work) {
  ptrdiff_t few = rows < columns ? rows : columns, many = rows < columns ? columns : rows;
  int m = (int) rows, n = (int) columns, k = (int) few, lwork = (int) work_of_dgesdd(many), info;
  int *integers = (int *) (work + lwork);
  F77_CALL(dgesdd)
  (left ? "S" : "N", &m, &n, copy, &m, s, left, &m, right, &k, work, &lwork, integers, &info FCONE);
  return info == 0;
}

static bool large_svd(ptrdiff_t rows, ptrdiff_t columns, const double *a, double *u, double *s, double *v,
                      double *work) {
  ptrdiff_t m = rows < columns ? rows : columns;
  double *copy = work, *left = copy + rows * columns, *right = left + rows * m, *rest = right + m * columns;
  bool vectors = u || v;
  memcpy(copy, a, (size_t) (rows * columns) * sizeof *a);
  if (!lapack_svd(rows, columns, copy, vectors ? left : NULL, s, vectors ? right : NULL, rest)) return false;
  if (u) memcpy(u, left, (size_t) (rows * m) * sizeof *u);
  if (v) transpose(m, columns, right, v);
  return true;
}

void dpt_linear_svd(ptrdiff_t rows, ptrdiff_t columns, const double *a, double *u, double *s, double *v, double *work) {
  ptrdiff_t m = rows < columns ? rows : columns;
  if (m > SMALL_SVD && large_svd(rows, columns, a, u, s, v, work)) return;
  bool wide = rows < columns;
  double *left = wide ? v : u;
  if (!left) {
    left = work;
    work += rows * columns;
  }
  if (wide) transpose(rows, columns, a, left);
  else memcpy(left, a, (size_t) (rows * columns) * sizeof *a);
  jacobi_svd(wide ? columns : rows, m, left, s, wide ? u : v, work);
}

/* ---- triangular and products -------------------------------------------------------------------------------- */

/* Tests the rest of a diagonal entry after the columns before it are subtracted. Rounding makes n units of its last
 * place meaningless. The test is relative to each entry, so that the answer does not depend on the units of the
 * variables. */
static bool is_definite(ptrdiff_t n, double pivot, double entry) {
  return pivot > (double) n * DBL_EPSILON * entry && pivot >= DBL_MIN && pivot <= DBL_MAX;
}

static bool small_cholesky(ptrdiff_t n, const double *a, double *lower) {
  for (ptrdiff_t j = 0; j < n; j++) {
    for (ptrdiff_t i = 0; i < j; i++) lower[i + j * n] = 0;
    for (ptrdiff_t i = j; i < n; i++) {
      double sum = a[i + j * n];
      for (ptrdiff_t k = 0; k < j; k++) sum -= lower[i + k * n] * lower[j + k * n];
      lower[i + j * n] = sum;
    }
    if (!is_definite(n, lower[j + j * n], a[j + j * n])) return false;
    double root = sqrt(lower[j + j * n]);
    for (ptrdiff_t i = j; i < n; i++) lower[i + j * n] /= root;
  }
  return true;
}

static bool large_cholesky(ptrdiff_t n, const double *a, double *lower) {
  int size = (int) n, info;
  memcpy(lower, a, (size_t) (n * n) * sizeof *a);
  F77_CALL(dpotrf)("L", &size, lower, &size, &info FCONE);
  if (info != 0) return false;
  for (ptrdiff_t j = 0; j < n; j++) {
    for (ptrdiff_t i = 0; i < j; i++) lower[i + j * n] = 0;
    if (!is_definite(n, lower[j + j * n] * lower[j + j * n], a[j + j * n])) return false;
  }
  return true;
}

bool dpt_linear_cholesky(ptrdiff_t n, const double *a, double *lower) {
  return n <= SMALL_PRODUCT ? small_cholesky(n, a, lower) : large_cholesky(n, a, lower);
}

static void large_solve(const char *transposed, ptrdiff_t n, const double *lower, ptrdiff_t columns, double *b) {
  int size = (int) n, sides = (int) columns;
  const double one = 1;
  F77_CALL(dtrsm)
  ("L", "L", transposed, "N", &size, &sides, &one, lower, &size, b, &size FCONE FCONE FCONE FCONE);
}

void dpt_linear_solve_lower(ptrdiff_t n, const double *lower, ptrdiff_t columns, double *b) {
  if (n > SMALL_PRODUCT) {
    large_solve("N", n, lower, columns, b);
    return;
  }
  for (ptrdiff_t j = 0; j < columns; j++) {
    double *x = b + j * n;
    for (ptrdiff_t k = 0; k < n; k++) {
      x[k] /= lower[k + k * n];
      for (ptrdiff_t i = k + 1; i < n; i++) x[i] -= lower[i + k * n] * x[k];
    }
  }
}

void dpt_linear_solve_lower_transposed(ptrdiff_t n, const double *lower, ptrdiff_t columns, double *b) {
  if (n > SMALL_PRODUCT) {
    large_solve("T", n, lower, columns, b);
    return;
  }
  for (ptrdiff_t j = 0; j < columns; j++) {
    double *x = b + j * n;
    for (ptrdiff_t k = n - 1; k >= 0; k--)
      x[k] = (x[k] - dot(n - 1 - k, lower + k + 1 + k * n, x + k + 1)) / lower[k + k * n];
  }
}

/* c = op(a) op(b) by dgemm. lda and ldb are the numbers of rows as stored. */
static void large_multiply(const char *op_a, const char *op_b, ptrdiff_t rows, ptrdiff_t inner, ptrdiff_t columns,
                           const double *a, ptrdiff_t lda, const double *b, ptrdiff_t ldb, double *c) {
  int m = (int) rows, n = (int) columns, k = (int) inner, stride_a = (int) lda, stride_b = (int) ldb;
  const double one = 1, zero = 0;
  F77_CALL(dgemm)(op_a, op_b, &m, &n, &k, &one, a, &stride_a, b, &stride_b, &zero, c, &m FCONE FCONE);
}

static bool is_small(ptrdiff_t rows, ptrdiff_t inner, ptrdiff_t columns) {
  return rows * inner * columns <= (ptrdiff_t) SMALL_PRODUCT * SMALL_PRODUCT * SMALL_PRODUCT || rows == 0 ||
         columns == 0;
}

/* column += factor * a, with `rows` entries each. */
static inline void add_column(ptrdiff_t rows, double factor, const double *a, double *column) {
  for (ptrdiff_t i = 0; i < rows; i++) column[i] += factor * a[i];
}

void dpt_linear_multiply(ptrdiff_t rows, ptrdiff_t inner, ptrdiff_t columns, const double *a, const double *b,
                         double *c) {
  if (!is_small(rows, inner, columns)) {
    large_multiply("N", "N", rows, inner, columns, a, rows, b, inner, c);
    return;
  }
  memset(c, 0, (size_t) (rows * columns) * sizeof *c);
  for (ptrdiff_t j = 0; j < columns; j++)
    for (ptrdiff_t k = 0; k < inner; k++) add_column(rows, b[k + j * inner], a + k * rows, c + j * rows);
}

void dpt_linear_multiply_left_transposed(ptrdiff_t rows, ptrdiff_t inner, ptrdiff_t columns, const double *a,
                                         const double *b, double *c) {
  if (!is_small(rows, inner, columns)) {
    large_multiply("T", "N", rows, inner, columns, a, inner, b, inner, c);
    return;
  }
  for (ptrdiff_t j = 0; j < columns; j++)
    for (ptrdiff_t i = 0; i < rows; i++) c[i + j * rows] = dot(inner, a + i * inner, b + j * inner);
}

void dpt_linear_multiply_right_transposed(ptrdiff_t rows, ptrdiff_t inner, ptrdiff_t columns, const double *a,
                                          const double *b, double *c) {
  if (!is_small(rows, inner, columns)) {
    large_multiply("N", "T", rows, inner, columns, a, rows, b, columns, c);
    return;
  }
  memset(c, 0, (size_t) (rows * columns) * sizeof *c);
  for (ptrdiff_t j = 0; j < columns; j++)
    for (ptrdiff_t k = 0; k < inner; k++) add_column(rows, b[j + k * columns], a + k * rows, c + j * rows);
}

void dpt_linear_compose(ptrdiff_t n, const double *vectors, const double *values, double *c, double *work) {
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++) work[i + j * n] = vectors[i + j * n] * values[j];
  dpt_linear_multiply_right_transposed(n, n, n, work, vectors, c);
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = j + 1; i < n; i++) c[j + i * n] = c[i + j * n];
}

/* ---- Schur form --------------------------------------------------------------------------------------------- */

/* If the iteration did not converge (it always has), q would still be orthogonal and a = q t q' with t of Hessenberg
 * form. */
void dpt_linear_schur(ptrdiff_t n, const double *a, double *t, double *q, double *work) {
  int size = (int) n, lwork = (int) work_of_dgees(n), ordered, unused, info;
  double *real = work, *imaginary = work + n, *scratch = work + 2 * n;
  memcpy(t, a, (size_t) (n * n) * sizeof *a);
  F77_CALL(dgees)
  (q ? "V" : "N", "N", NULL, &size, t, &size, &ordered, real, imaginary, q, &size, scratch, &lwork, &unused,
   &info FCONE FCONE);
}
