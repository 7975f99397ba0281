test_that("the box holds the bulk of the data, to a factor of two", {
  set.seed(601)
  X <- cbind(stats::runif(2000, 5, 30), stats::rnorm(2000), -stats::rexp(2000, 1e-3), 7)
  box <- private_bounds(X, epsilon = 4, rng = "R")
  expect_identical(box$lower[c(1, 4)], c(4, 4))
  expect_identical(box$upper[c(1, 4)], c(32, 8))
  expect_true(box$lower[2] < -1 && box$lower[2] >= -4 && box$upper[2] > 1 && box$upper[2] <= 4)
  expect_true(box$lower[3] <= -2048 && box$lower[3] >= -16384 && box$upper[3] <= 0)
  expect_s3_class(box, "dptda_box")
  expect_equal(length(private_mean(X, box, 1)$value), 4)
})

test_that("an interval without rows is hardly ever kept", {
  skip_if_instrumented()
  # false alarm 2e-6: of 2000 boxes about 20 may keep one
  set.seed(602)
  wide <- replicate(2000, {
    box <- private_bounds(rep(3, 5000), epsilon = 0.1, false_alarm = 0.01, rng = "R")
    box$lower != 2 || box$upper != 4
  })
  expect_lte(sum(wide), stats::qbinom(1 - 2e-6, 2000, 0.01))
})

test_that("the counts hold every row once, and zero has its interval", {
  edges <- doubling_edges(c(-2, 3))
  expect_identical(edges, c(-8, -4, -2, -1, -0.5, -0.25, 0.25, 0.5, 1, 2, 4, 8))
  counts <- magnitude_counts(list_rows(list(c(-Inf, -9, 0, 0.2, -0.25, 0.25, 8, 1e300, Inf)), NULL), edges)
  expect_identical(counts, c(2, 0, 0, 0, 0, 3, 1, 0, 0, 0, 3))
  expect_identical(kept_span(matrix(counts), 3, edges), rbind(-0.25, 8))
  expect_identical(kept_span(matrix(counts), 9, edges), rbind(-8, 8))
  # of the counts 2, 3, 1 and 3 that are kept
  expect_identical(kept_span(matrix(counts), 1, edges, c(2 / 9, 5 / 9)), rbind(-0.25, 0.25))
  expect_identical(kept_span(matrix(counts), 1, edges, c(0.2, 0.6)), rbind(-8, 0.5))
  expect_identical(kept_span(matrix(counts), 1, edges, c(0.6, 1)), rbind(0.25, 8))
})

test_that("replacing one row has the stated sensitivity over all columns", {
  set.seed(603)
  edges <- doubling_edges(c(-3, 3))
  counts <- function(X) magnitude_counts(matrix_rows(X), edges)
  worst <- c(0, 0)
  for (i in 1:300) {
    X <- matrix(stats::rcauchy(15), 5)
    neighbor <- X
    neighbor[sample(5, 1), ] <- stats::rcauchy(3)
    change <- counts(X) - counts(neighbor)
    worst <- pmax(worst, c(sum(abs(change)), sum(change^2)))
  }
  expect_identical(worst, c(6, 6))
  expect_identical(privacy(private_bounds(matrix(1, 5, 3), epsilon = 1))$sensitivity, 6)
  expect_identical(privacy(private_bounds(matrix(1, 5, 3), rho = 1))$sensitivity, sqrt(6))
})

test_that("data without rows, or too few to be seen, give the largest box", {
  expect_identical(private_bounds(double(), epsilon = 1e4, exponents = c(0, 3))[c("lower", "upper")],
                   list(lower = -8, upper = 8))
  box <- private_bounds(matrix(5, 1, 2), epsilon = 1, exponents = c(-1000, 1000), false_alarm = 1e-6)
  expect_identical(box$upper, c(2^1000, 2^1000))
})

test_that("the guarantee stands in the ledger, is printed, and is lost by a change", {
  budget <- privacy_budget(rho = 1)
  for (d in 1:4) {
    box <- private_bounds(matrix(1, 9, d), rho = 0.25, budget = budget)
    expect_identical(privacy(box)$ledger$value, 0.25)
    expect_identical(privacy(box)$public$n, 9L)
  }
  expect_identical(budget$spent, 1)
  expect_error(private_bounds(1, rho = 0.1, budget = budget), class = "dptda_error_budget")
  expect_output(print(box), "rho = 0.25 zero-concentrated")
  box$lower[1] <- -2^70 # beyond all exponents
  expect_null(privacy(box))
  expect_output(print(box), "<box> [-1.181e+21", fixed = TRUE)
})

test_that("a box that kept nothing says so, of what was released alone", {
  set.seed(613) # the noise keeps an interval in one of fifty
  expect_output(print(private_bounds(numeric(), epsilon = 1, rng = "R")), "no interval was kept")
  kept <- private_bounds(rep(3, 1000), epsilon = 5)
  expect_no_match(capture.output(print(kept)), "kept")
  wide <- private_bounds(numeric(), epsilon = 1, rng = "R")
  wide$lower <- wide$lower / 2 - 1
  expect_no_match(capture.output(print(wide)), "kept")
})

test_that("a box of quantiles is made of them, column by column", {
  set.seed(604)
  X <- cbind(a = stats::rnorm(5000, 100), b = stats::rcauchy(5000))
  box <- private_bounds(X, epsilon = 1e6, probs = c(0.05, 0.9), rng = "R")
  width <- (box$within$upper - box$within$lower) / 2^16
  for (j in 1:2) {
    truth <- unname(stats::quantile(X[, j], c(0.05, 0.9), type = 1))
    expect_lte(box$lower[j], truth[1])
    expect_gt(box$lower[j] + width[j], truth[1])
    expect_gt(box$upper[j], truth[2])
    expect_lte(box$upper[j] - width[j], truth[2])
  }
  expect_identical(box$columns, c("a", "b"))
  expect_s3_class(box, "dptda_private_box")
  expect_length(private_mean(X, box, 1)$value, 2)
  # the lattice leaves out what is far beyond the quantiles, here infinite rows and codes
  far <- private_bounds(c(stats::runif(9000, 3, 5), rep(c(-Inf, 1e15), c(100, 300))), epsilon = 10, probs = c(0.05, 0.9))
  expect_identical(far$within[c("lower", "upper")], list(lower = 2, upper = 8))
  expect_gt(far$upper, 4)
  expect_output(print(box), "from quantile 5% to 90%, looked for within a \\[")
})

test_that("equal rows give a box of one cell, and rows that nobody found the largest", {
  box <- private_bounds(rep(5, 1000), epsilon = 100, probs = c(0.1, 0.9))
  expect_identical(box$upper - box$lower, 4 / 2^16)
  expect_true(box$lower <= 5 && 5 < box$upper)
  set.seed(614) # noise alone widens one box of 1,600
  zero <- private_bounds(rep(0, 1000), epsilon = 100, probs = c(0, 1), rng = "R")
  expect_true(zero$lower <= 0 && 0 < zero$upper && zero$upper - zero$lower <= 2^-31)
  lost <- private_bounds(1:3, epsilon = 0.01, probs = c(0.1, 0.9), false_alarm = 1e-6)
  expect_identical(lost$within[c("lower", "upper")], list(lower = -2^64, upper = 2^64))
  expect_true(lost$lower < lost$upper)
  expect_output(print(lost), "no interval was kept")
  extreme <- private_bounds(rep(c(-1e305, 1e305), 50), epsilon = 100, probs = c(0.1, 0.9), exponents = c(-1000, 1000))
  expect_true(all(is.finite(c(extreme$lower, extreme$upper))))
})

test_that("both steps are paid, add up exactly, and are asked for together", {
  set.seed(605)
  for (value in c(0.1, 1 / 3, 1, 0.7, stats::runif(20))) {
    budget <- privacy_budget(epsilon = value)
    box <- private_bounds(1:5, epsilon = value, probs = c(0.1, 0.9), budget = budget)
    expect_identical(sum(privacy(box)$ledger$value), value)
    expect_identical(privacy(box)$measure, c(epsilon = value))
    expect_identical(budget$spent, value)
    expect_identical(budget$ledger$step, c("private_bounds", "private_quantile"))
  }
  scales <- privacy(private_bounds(cbind(1:5, 1), rho = 0.5, probs = c(0.1, 0.9)))$public$scales
  expect_lte(4 / (2 * scales[1]^2), 0.125 * (1 + 1e-15))
  expect_lte(2 * plan_looks("gaussian", 16, 2)$l2_squared / (2 * scales[2]^2), 0.375 * (1 + 1e-15))
  # a budget that reaches for the first step only pays nothing
  budget <- privacy_budget(epsilon = 0.5)
  expect_error(private_bounds(1:5, epsilon = 0.6, probs = c(0.1, 0.9), budget = budget), class = "dptda_error_budget")
  expect_identical(budget$spent, 0)
  for (bad in list(0.5, c(0.9, 0.1), c(0.5, 0.5), c(0, 2), NA, "a", c(0.1, 0.5, 0.9))) {
    expect_error(private_bounds(1:5, epsilon = 1, probs = bad), class = "dptda_error_argument")
  }
  expect_error(private_bounds(numeric(), epsilon = 1, probs = c(0.1, 0.9)), class = "dptda_error_argument")
  box$upper <- 2^70 # beyond all exponents
  expect_null(privacy(box))
  expect_output(print(box), "<box>")
})

test_that("bad arguments are classed errors", {
  refused <- function(X = 1, epsilon = 1, ...) {
    expect_error(private_bounds(X, epsilon, ...), class = "dptda_error_argument")
  }
  refused(NA)
  refused("1")
  refused(matrix(1, 2, 51))
  refused(matrix(1, 2, 0))
  refused(epsilon = 0)
  for (bad in list(1, c(2, 1), c(0.5, 2), c(0, NA), c(-1001, 0), "1")) refused(exponents = bad)
  for (bad in list(0, 1, NA, "1")) refused(false_alarm = bad)
  refused(rng = "seed")
  expect_error(private_bounds(epsilon = 1), "`X` must be given", class = "dptda_error_argument")
  expect_error(private_bounds(1), class = "dptda_error_argument")
})
