test_that("flat space is vectors", {
  set.seed(1)
  for (d in c(1, 3)) {
    M <- manifold_euclidean(d)
    X <- matrix(stats::rnorm(20 * d), 20)
    Y <- matrix(stats::rnorm(20 * d), 20)
    if (d == 1) {
      X <- as.vector(X)
      Y <- as.vector(Y)
    }
    expect_identical(manifold_exp(X, Y, M), X + Y)
    expect_identical(manifold_log(X, Y, M), Y - X)
    expect_identical(manifold_transport(X, Y, X, M), X)
    expect_equal(manifold_distance(X, Y, M), sqrt(rowSums(cbind(X - Y)^2)), tolerance = 1e-15)
    expect_equal(manifold_inner(X, X, Y, M), rowSums(cbind(X * Y)), tolerance = 1e-15)
    expect_identical(log_jacobian(X, M), numeric(20))
  }
})

test_that("the squares of lengths may leave the range of a double", {
  M <- manifold_euclidean(2)
  expect_equal(manifold_distance(c(0, 0), c(3e200, 4e200), M), 5e200)
  expect_equal(manifold_distance(c(0, 0), c(3e-200, 4e-200), M), 5e-200)
  expect_error(manifold_distance(c(0, Inf), c(0, 0), M), class = "dptda_error_argument")
})

# 20,000 draws for each: |z| < 5, a false alarm of 6e-7 each.
test_that("Reimherr et al. (2021), Theorem 4: projected noise of the ambient space is (m + 1) / (d + 1) as large", {
  set.seed(741)
  squared <- function(space, rows, read) {
    mechanism <- mean_plan(nrow(rows), space, 1, c(epsilon = 2))
    statistic <- plan_statistic(mechanism, t(rows))
    drawn <- read(draw_mean(mechanism, statistic, 20000, "R") - colMeans(rows))
    # in units of the scale, which is 2 r / (n epsilon) in both spaces
    expect_equal(shown_noise(mechanism)$scale, 1 / nrow(rows), tolerance = 1e-5)
    colSums(drawn^2) * nrow(rows)^2
  }
  for (case in list(c(2, 8), c(1, 5), c(3, 4))) {
    d <- case[1]
    m <- case[2]
    V <- matrix(stats::runif(30 * d, -1, 1), 30) / sqrt(d)
    Q <- qr.Q(qr(matrix(stats::rnorm(m * d), m))) # a basis of the subspace
    own <- squared(manifold_euclidean(d), V, identity)
    projected <- squared(manifold_euclidean(m), V %*% t(Q), function(noise) t(Q) %*% noise)
    z <- function(x, mean) (mean(x) - mean) / (stats::sd(x) / sqrt(length(x)))
    expect_lt(abs(z(own, d * (d + 1))), 5)
    expect_lt(abs(z(projected, d * (m + 1))), 5)
    # the ratio of the dimensions, which a reader may expect, is rejected
    expect_gt(abs(z(projected, d * (d + 1) * m / d)), 5)
  }
})
