# Expectation and maximization without privacy, against the same in plain R.

slow_round <- function(model, X) {
  K <- length(model$weights)
  parts <- vapply(seq_len(K), function(k) {
    S <- as.matrix(model$covariances[, , k])
    log(model$weights[k]) - ncol(X) / 2 * log(2 * pi) - determinant(S)$modulus / 2 -
      stats::mahalanobis(X, model$means[k, ], S) / 2
  }, double(nrow(X)))
  parts <- matrix(parts, nrow(X))
  top <- apply(parts, 1, max)
  share <- exp(parts - top)
  log_likelihood <- sum(top + log(rowSums(share)))
  share <- share / rowSums(share)
  for (k in seq_len(K)) {
    one <- stats::cov.wt(X, share[, k] / sum(share[, k]), method = "ML")
    model$means[k, ] <- one$center
    model$covariances[, , k] <- one$cov
    model$weights[k] <- mean(share[, k])
  }
  list(model = model, log_likelihood = log_likelihood)
}

some_rows <- function(n, D) {
  set.seed(4)
  X <- matrix(stats::rnorm(n * D), n) + outer(seq_len(n) %% 3, seq_len(D)) * 2
  X[, D] <- X[, D] * 1e-3 + 1e4 # a narrow column far from zero
  X
}

test_that("a round is that of the textbook, in any number of columns, rows and components", {
  for (D in c(1, 2, 3, 4, 5, 8, 9)) for (K in c(1, 3)) for (n in c(15, 16, 17, 700)) {
    X <- some_rows(n, D)
    start <- as_mixture(list(weights = seq_len(K), means = X[seq_len(K), , drop = FALSE],
                             covariances = rep(list(overall_spread(X)$covariance), K)))
    slow <- slow_round(start, X)
    slow <- slow_round(slow$model, X)
    fast <- fit_mixture(X, start = start, rounds = 2, tolerance = 0, floor = 1e-12)
    expect_equal(fast$weights, slow$model$weights, tolerance = 1e-9)
    expect_equal(unclass(fast)$means, slow$model$means, tolerance = 1e-10)
    expect_equal(fast$covariances, slow$model$covariances, tolerance = 1e-6)
    expect_equal(attr(fast, "log_likelihood")[2], slow$log_likelihood, tolerance = 1e-9)
  }
})

test_that("the log likelihood grows, and it is that of predict()", {
  X <- some_rows(3000, 4)
  set.seed(1)
  fit <- fit_mixture(X, 5, tolerance = 0, rounds = 30)
  trace <- attr(fit, "log_likelihood")
  expect_true(all(diff(trace) > -1e-6))
  again <- fit_mixture(X, start = fit, rounds = 1)
  expect_equal(attr(again, "log_likelihood"), sum(predict(fit, X, "logdensity")))
})

test_that("threads change nothing, and rows in another order nearly nothing", {
  X <- some_rows(20000, 3)
  start <- fit_mixture(X[1:50, ], 3)
  one <- withr::with_options(list(dptda.threads = 1), fit_mixture(X, start = start, rounds = 4))
  two <- withr::with_options(list(dptda.threads = 2), fit_mixture(X, start = start, rounds = 4))
  expect_identical(one, two)
  expect_equal(fit_mixture(X[20000:1, ], start = start, rounds = 4), one)
})

test_that("rows that are hard for it do no harm", {
  expect_equal(fit_mixture(7, 1)$means, matrix(7))
  equal <- fit_mixture(matrix(3, 50, 2), 1)
  expect_equal(equal$means, matrix(3, 1, 2))
  expect_error(fit_mixture(matrix(3, 50, 2), 2), class = "dptda_error_argument")
  set.seed(2)
  X <- cbind(stats::rnorm(60), 5, 0)
  X[, 3] <- X[, 1] * 2 # one constant column, and one that is twice another
  expect_s3_class(check_valid(fit_mixture(X, 3), "dptda_mixture"), "dptda_mixture")
  expect_length(fit_mixture(matrix(stats::rnorm(20), 10), 10)$weights, 10)
  far <- as_mixture(list(weights = c(1, 1), means = rbind(c(0, 0), c(1e9, 0)), covariances = list(diag(2), diag(2))))
  kept <- fit_mixture(matrix(stats::rnorm(200), 100), start = far)
  expect_identical(kept$means[2, ], c(1e9, 0))
  expect_true(all(is.finite(kept$covariances)))
  # further away than doubles can tell
  lost <- as_mixture(list(weights = 1, means = matrix(0, 1, 1), covariances = list(matrix(1e-200))))
  for (x in c(1e100, 1e300)) {
    left <- fit_mixture(c(x, 2 * x), start = lost, rounds = 1)
    expect_identical(attr(left, "log_likelihood"), -Inf)
    expect_identical(left$means, matrix(0))
  }
})

test_that("what cannot be fitted is refused by class", {
  X <- some_rows(20, 2)
  refused <- function(...) expect_error(fit_mixture(...), class = "dptda_error_argument")
  refused(X)
  refused(X, 0)
  refused(X, 21)
  refused(replace(X, 3, Inf), 2)
  refused(replace(X, 3, NA), 2)
  refused(X[0, ], 1)
  refused(X, 3, start = fit_mixture(X, 2))
  refused(X[, 1], start = fit_mixture(X, 2))
  refused(X, 2, floor = 0)
  refused(X, 2, round = 3)
})
