# The mean of a private covariance has the standard deviation of its noise beside it. The print says what it leaves out.

test_that("the noise of the mean is that of many releases", {
  # false alarm: 1e-6 with a fixed seed; 60 squares of a standard Gaussian, for each of two columns
  set.seed(41)
  X <- cbind(a = stats::rnorm(3000, 3, 2), b = stats::rnorm(3000, 50, 9))
  box <- domain_box(c(a = -20, b = 0), c(30, 100))
  fits <- lapply(1:60, function(i) private_covariance(X, box, rho = 0.05, rng = "R"))
  ratio <- vapply(fits, function(fit) (fit$center - colMeans(X)) / fit$center_noise, double(2))
  expect_identical(names(fits[[1]]$center_noise), c("a", "b"))
  expect_true(all(abs(rowMeans(ratio^2) - 1) < 4.9 * sqrt(2 / 60)))
  # noise is not larger than that of other methods would be, and shown
  expect_output(print(fits[[1]]),
                "mean: a [-0-9.]+, b [0-9.]+\nstandard deviations of noise in the mean: a 0.[0-9]+, b [0-9.]+\n")
})

test_that("skewed rows have a mean that is off by more than its noise, which is said", {
  set.seed(42)
  X <- cbind(stats::rexp(8000)^2, stats::rnorm(8000))
  fit <- private_covariance(X, domain_box(c(0, -9), c(150, 9)), rho = 0.2, rng = "R")
  expect_lt(fit$center[[1]], mean(X[, 1]) - 3 * fit$center_noise[[1]])
  shown <- gsub("\\s+", " ", paste(utils::capture.output(print(fit)), collapse = " "))
  expect_match(shown, "means of skewed columns are biased. The stated noise does not include this. private_mean\\(\\)")
  # normal rows are not accused
  fit <- private_covariance(matrix(stats::rnorm(16000), ncol = 2), domain_box(c(-9, -9), c(9, 9)), rho = 0.2, rng = "R")
  expect_no_match(paste(utils::capture.output(print(fit)), collapse = " "), "skewed")
})
