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
