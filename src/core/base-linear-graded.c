/* base-linear-graded.c - singular values of a matrix with graded columns, as logarithms.
 *
 * For a = b diag(e^g) with b well conditioned, one-sided Jacobi finds every singular value with an error of about
 * 1e-16 times the condition of b, however different the g are (Demmel and Veselic 1992). The columns of a itself may
 * leave the range of doubles, so each is stored as a vector of length about one and the logarithm of its scale. With
 * s = e^(g_q - g_p), the columns x and s y (in units of e^(g_p)), alpha = |x|^2, beta = |y|^2, gamma = <x, y>, the
 * rotation has the tangent
 *   t = 2 s gamma / (delta + sign(delta) sqrt(delta^2 + 4 s^2 gamma^2)),   delta = s^2 beta - alpha,
 * and turns x into c (x - t s y) and y into c (y + (t / s) x). The quotient t / s is written without dividing by s.
 * If s is zero to working precision, this is the step of Gram and Schmidt.
 *
 * Columns begin in the order of their scales, so that s is small. A rotation then barely changes the columns that
 * earlier rotations made orthogonal. Cost: 6 n^3 flops per sweep, five to eight sweeps, n the side of a covariance
 * matrix. */
#include <float.h>
#include <math.h>

#include "base-linear.h"

enum { SWEEPS = 60 }; /* never reached, a bound for input that is not finite */

static double dot(ptrdiff_t n, const double *a, const double *b) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Moves the length of each column into its scale. */
static void normalize(ptrdiff_t n, double *b, double *scale) {
  for (ptrdiff_t j = 0; j < n; j++) {
    const double length = sqrt(dot(n, b + j * n, b + j * n));
    if (!(length > 0)) continue; /* no direction: b is not invertible */
    for (ptrdiff_t i = 0; i < n; i++) b[i + j * n] /= length;
    scale[j] += log(length);
  }
}

static void swap(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

static void sort_decreasing(ptrdiff_t n, double *b, double *scale) {
  for (ptrdiff_t j = 0; j < n; j++) {
    ptrdiff_t top = j;
    for (ptrdiff_t k = j + 1; k < n; k++)
      if (scale[k] > scale[top]) top = k;
    if (top == j) continue;
    swap(scale + j, scale + top);
    for (ptrdiff_t i = 0; i < n; i++) swap(b + i + j * n, b + i + top * n);
  }
}

/* Makes the columns x and s y orthogonal. Returns false if they already were. */
static bool rotate(ptrdiff_t n, double *x, double *y, double s) {
  const double alpha = dot(n, x, x), beta = dot(n, y, y), gamma = dot(n, x, y);
  if (!(fabs(gamma) > (double) n * DBL_EPSILON * sqrt(alpha * beta))) return false;
  const double delta = s * s * beta - alpha, root = sqrt(delta * delta + 4 * s * s * gamma * gamma);
  const double over = 2 * gamma / (delta + copysign(root, delta)), t = over * s; /* over: t / s */
  const double cosine = 1 / sqrt(1 + t * t);
  for (ptrdiff_t i = 0; i < n; i++) {
    const double left = x[i], right = y[i];
    x[i] = cosine * (left - t * s * right);
    y[i] = cosine * (right + over * left);
  }
  return true;
}

void dpt_linear_graded(ptrdiff_t n, double *b, double *scale) {
  bool rotated = true;
  for (int sweep = 0; sweep < SWEEPS && rotated; sweep++) {
    rotated = false;
    normalize(n, b, scale);
    sort_decreasing(n, b, scale);
    for (ptrdiff_t p = 0; p < n; p++) {
      for (ptrdiff_t q = p + 1; q < n; q++) {
        if (rotate(n, b + p * n, b + q * n, exp(scale[q] - scale[p]))) rotated = true;
      }
    }
  }
  normalize(n, b, scale);
}
