# Sides on both sides of every size at which own code hands over to LAPACK.
sides <- c(1, 2, 3, 4, 6, 7, 12, 13, 16, 17, 40)

linear <- function(what, ...) {
  entries <- list(
    eigen = ffi_test_linear_eigen, svd = ffi_test_linear_svd, complete = ffi_test_linear_complete,
    cholesky = ffi_test_linear_cholesky, multiply = ffi_test_linear_multiply, schur = ffi_test_linear_schur,
    orthogonal = ffi_test_linear_orthogonal, graded = ffi_test_linear_graded
  )
  .Call(entries[[what]], ..., kernel_options("R"))
}
gaussian <- function(rows, columns = rows) matrix(stats::rnorm(rows * columns), rows)
off_identity <- function(q) max(abs(crossprod(q) - diag(ncol(q))))

test_that("eigenvalues and eigenvectors are those of R", {
  set.seed(1)
  for (n in sides) {
    a <- gaussian(n) + t(gaussian(n))
    symmetric <- a
    symmetric[upper.tri(a)] <- t(a)[upper.tri(a)]
    ours <- linear("eigen", a, TRUE)
    expect_equal(ours$values, eigen(symmetric, TRUE, TRUE)$values, tolerance = 1e-13)
    expect_equal(linear("eigen", a, FALSE)$values, ours$values, tolerance = 1e-13)
    expect_lt(off_identity(ours$vectors), 1e-13)
    expect_equal(ours$vectors %*% (ours$values * t(ours$vectors)), symmetric, tolerance = 1e-13)
  }
})

test_that("eigenvalues of special matrices: zero, multiple, rank one, of extreme size", {
  for (n in sides) {
    none <- linear("eigen", matrix(0, n, n), TRUE)
    expect_identical(none$values, numeric(n))
    expect_identical(off_identity(none$vectors), 0)
    expect_identical(linear("eigen", diag(n), FALSE)$values, rep(1, n))
    one <- linear("eigen", matrix(1, n, n), TRUE)
    expect_equal(one$values, c(n, numeric(n - 1)), tolerance = 1e-14)
    expect_lt(off_identity(one$vectors), 1e-13)
    for (size in c(1e-290, 1e290)) {
      expect_equal(linear("eigen", matrix(size, n, n), FALSE)$values / size, c(n, numeric(n - 1)), tolerance = 1e-14)
    }
  }
})

test_that("small eigenvalues of small definite matrices are exact to the last digits", {
  # D C D with powers of two has eigenvalues over sixty decades; those of the
  # inverse, which is exact up to rounding of the inverse of C, are the reciprocals.
  C <- matrix(c(4, 1, 1, 1, 3, 1, 1, 1, 2), 3)
  D <- 2^c(50, 0, -50)
  values <- linear("eigen", C * outer(D, D), FALSE)$values
  inverse <- linear("eigen", solve(C) / outer(D, D), FALSE)$values
  expect_equal(values * rev(inverse), rep(1, 3), tolerance = 1e-14)
})

test_that("singular values and vectors are those of R, for tall, wide and deficient matrices", {
  set.seed(2)
  for (n in sides) for (m in unique(pmax(1, c(1, n %/% 2, n)))) for (wide in c(FALSE, TRUE)) for (deficient in c(FALSE,
    TRUE)) {
    a <- if (deficient) gaussian(n, 1) %*% (seq_len(m) %% 3) else gaussian(n, m)
    if (wide) a <- t(a)
    both <- linear("svd", a, 3L)
    expect_equal(both$d, svd(a)$d, tolerance = 1e-13)
    expect_lt(off_identity(both$u), 1e-13)
    expect_lt(off_identity(both$v), 1e-13)
    expect_equal(both$u %*% (both$d * t(both$v)), a, tolerance = 1e-13)
    expect_equal(linear("svd", a, 0L)$d, both$d, tolerance = 1e-13)
    left <- linear("svd", a, 1L)$u
    right <- linear("svd", a, 2L)$v
    expect_lt(max(off_identity(left), off_identity(right)), 1e-13)
    if (!deficient) expect_equal(abs(crossprod(left, both$u)), diag(min(dim(a))), tolerance = 1e-10)
  }
  expect_equal(linear("svd", matrix(c(3e-200, 0, 0, 4e-200), 2), 3L)$d, c(4e-200, 3e-200), tolerance = 1e-15)
  expect_identical(linear("svd", matrix(0, 3, 2), 3L)$d, c(0, 0))
})

test_that("a basis is completed, and kept where it is orthonormal", {
  set.seed(3)
  for (n in sides) for (m in unique(pmax(1, c(1, n %/% 2, n)))) {
    a <- gaussian(n, m)
    q <- linear("complete", a)
    expect_lt(off_identity(q), 1e-13)
    r <- crossprod(q, a)
    expect_lt(max(abs(r[lower.tri(r)]), 0), 1e-13)
    expect_true(all(diag(r) > 0))
    basis <- q[, seq_len(m), drop = FALSE]
    expect_equal(linear("complete", basis)[, seq_len(m), drop = FALSE], basis, tolerance = 1e-13)
  }
  expect_lt(off_identity(linear("complete", matrix(0, 3, 2))), 1e-15)
})

test_that("Cholesky factors, triangular solves and products are those of R", {
  set.seed(4)
  for (n in sides) {
    a <- crossprod(gaussian(n + 5, n))
    b <- gaussian(n, 3)
    ours <- linear("cholesky", a, b)
    expect_equal(ours$lower, t(chol(a)), tolerance = 1e-12)
    expect_equal(ours$lower %*% ours$forward, b, tolerance = 1e-12)
    expect_equal(t(ours$lower) %*% ours$backward, b, tolerance = 1e-12)
    expect_equal(linear("multiply", a, b, 0L), a %*% b, tolerance = 1e-13)
    expect_equal(linear("multiply", b, a, 1L), crossprod(b, a), tolerance = 1e-13)
    expect_equal(linear("multiply", b, b, 2L), tcrossprod(b), tolerance = 1e-13)
  }
})

test_that("definite means definite to working precision, in any units", {
  for (n in c(2, 3, 17, 40)) {
    expect_null(linear("cholesky", matrix(1, n, n), diag(n)))
    expect_null(linear("cholesky", -diag(n), diag(n)))
    expect_null(linear("cholesky", matrix(0, n, n), diag(n)))
    expect_null(linear("cholesky", diag(c(rep(1, n - 1), 0)), diag(n)))
    barely <- matrix(1 - 1e-10, n, n) + diag(1e-10, n)
    units <- 2^seq(-200, 200, length.out = n)
    expect_type(linear("cholesky", barely, diag(n)), "list")
    expect_type(linear("cholesky", barely * outer(units, units), diag(n)), "list")
    expect_null(linear("cholesky", matrix(1, n, n) * outer(units, units), diag(n)))
  }
})

test_that("random orthogonal matrices are orthogonal, and rotations where asked for", {
  set.seed(5)
  for (n in sides) for (i in 1:3) {
    expect_lt(off_identity(linear("orthogonal", n, FALSE)), 1e-13)
    q <- linear("orthogonal", n, TRUE)
    expect_lt(off_identity(q), 1e-13)
    expect_equal(det(q), 1)
  }
})

test_that("random orthogonal matrices are Haar distributed", {
  # An entry has the density of a coordinate on the sphere, (1 + x) / 2 in R^3; the trace of a rotation has angle
  # density (1 - cos t) / pi; determinants are even. False alarms: 1e-3 each.
  set.seed(6)
  draws <- replicate(2000, linear("orthogonal", 3, FALSE))
  for (i in 1:3) for (j in 1:3) expect_gt(stats::ks.test(draws[i, j, ], stats::punif, -1, 1)$p.value, 1e-3)
  expect_gt(stats::binom.test(sum(apply(draws, 3, det) > 0), 2000)$p.value, 1e-3)
  turns <- replicate(2000, linear("orthogonal", 3, TRUE))
  angle <- acos(pmin(1, pmax(-1, (apply(turns, 3, function(q) sum(diag(q))) - 1) / 2)))
  expect_gt(stats::ks.test(angle, function(t) (t - sin(t)) / pi)$p.value, 1e-3)
})

test_that("the Schur form of orthogonal matrices", {
  set.seed(7)
  cycle <- diag(5)[c(2:5, 1), ]
  given <- c(lapply(sides, function(n) linear("orthogonal", n, FALSE)), list(cycle, diag(4), -diag(3)))
  for (a in given) {
    ours <- linear("schur", a)
    expect_lt(off_identity(ours$q), 1e-13)
    expect_equal(ours$q %*% tcrossprod(ours$t, ours$q), a, tolerance = 1e-13)
    expect_lt(max(abs(ours$t[abs(row(a) - col(a)) > 1]), 0), 1e-13)
  }
})

test_that("singular values of graded columns are those of the matrix where that can be written down", {
  set.seed(21)
  for (n in c(1, 2, 3, 5, 9, 20)) {
    for (spread in c(0, 1, 20)) {
      b <- gaussian(n)
      scale <- stats::runif(n, -spread, spread)
      ours <- linear("graded", b, scale)
      expect_lt(off_identity(ours$u), 1e-13)
      theirs <- svd(sweep(b, 2, exp(scale), `*`))
      order <- order(-ours$log_d)
      large <- theirs$d > 1e-7 * theirs$d[1] # svd() knows the others only roughly
      expect_equal(exp(ours$log_d[order])[large], theirs$d[large], tolerance = 1e-8)
    }
  }
})

test_that("singular values keep their digits however far apart the columns are", {
  set.seed(22)
  # of 2 x 2 matrices by their determinant and their length, in logarithms
  for (i in 1:200) {
    b <- gaussian(2)
    scale <- stats::rnorm(2) * 10^stats::runif(1, -3, 6)
    ours <- sort(linear("graded", b, scale)$log_d, decreasing = TRUE)
    top <- max(scale)
    square <- sum(exp(2 * (log(abs(b)) + rep(scale, each = 2) - top)))
    both <- log(abs(det(b))) + sum(scale) # of the product
    ratio <- exp(2 * (both - 2 * top)) / (square / 2)^2 # determinant over half the trace, squared
    largest <- top + log(square / 2 * (1 + sqrt(max(0, 1 - ratio)))) / 2
    tolerance <- 1e-13 * kappa(b, exact = TRUE) + 1e-15 * max(abs(scale))
    if (ratio < 0.99) expect_lt(abs(ours[1] - largest), tolerance)
    expect_lt(abs(sum(ours) - both), tolerance)
  }
  # the left vectors of columns that are infinitely far apart are those of Gram and Schmidt
  for (n in c(3, 8)) {
    b <- gaussian(n)
    scale <- 1e5 * seq(n, 1)
    ours <- linear("graded", b, scale)
    q <- qr.Q(qr(b))
    expect_equal(abs(crossprod(ours$u, q)), diag(n), tolerance = 1e-12)
    expect_equal(ours$log_d, scale + log(abs(diag(qr.R(qr(b))))), tolerance = 1e-15)
  }
  # columns that differ by little, and none at all
  b <- cbind(c(1, 0), c(1, 1e-9))
  expect_equal(linear("graded", b, c(0, 0))$log_d, log(c(sqrt(2), 1e-9 / sqrt(2))), tolerance = 1e-7)
  expect_identical(linear("graded", diag(3), c(1, 3, 2))$log_d, c(3, 2, 1))
})
