# The test of independence: inst/proofs/number-population.md, statement 9.

cross_table <- function(counts, ...) {
  cell <- rep(seq_along(counts), counts)
  x <- data.frame(a = row(counts)[cell], b = col(counts)[cell])
  private_table(x, list(a = seq_len(nrow(counts)), b = seq_len(ncol(counts))), ...)
}

test_that("without noise, the statistic is that of chisq.test(), and so is the p-value", {
  counts <- matrix(c(30, 20, 25, 60, 35, 30), 2)
  release <- cross_table(counts, epsilon = noiseless)
  found <- independence_test(release, runs = 4999, seed = 1)
  known <- stats::chisq.test(counts, correct = FALSE)
  expect_s3_class(found, "htest")
  expect_equal(found$statistic[[1]], known$statistic[[1]], tolerance = 1e-9)
  expect_equal(found$expected, known$expected, ignore_attr = TRUE)
  # 4,999 tables: four standard errors
  expect_lt(abs(found$p.value - known$p.value), 4 * sqrt(known$p.value / 4999) + 0.005)
  expect_output(print(found), "private table.*noisy X-squared = .*runs = 4999, p-value")
})

test_that("expected counts are those of a loop, with margins of at least one half", {
  set.seed(821)
  z <- matrix(stats::rnorm(12 * 5, 3, 4), 12)
  for (n in list(NULL, 50)) {
    found <- fitted_margins(z, c(3, 4), n)
    for (run in 1:5) {
      table <- matrix(z[, run], 3)
      rows <- pmax(rowSums(table), 0.5)
      columns <- pmax(colSums(table), 0.5)
      total <- if (is.null(n)) max(sum(table), 1) else n
      expect_equal(found[, run], as.vector(total * outer(rows, columns) / sum(rows) / sum(columns)))
    }
  }
})

test_that("a seed gives the same p-value and leaves R's stream as it was", {
  release <- cross_table(matrix(c(20, 30, 30, 20), 2), epsilon = 1)
  state <- .Random.seed
  found <- independence_test(release, seed = 3, other = TRUE)
  expect_identical(.Random.seed, state)
  expect_identical(independence_test(release, seed = 3, other = TRUE)$p.value, found$p.value)
  expect_identical(found$p.value * 1000, round(found$p.value * 1000))
  expect_identical(dim(found$observed), c(3L, 3L))
  expect_identical(dim(independence_test(release)$observed), c(2L, 2L))
})

test_that("independent columns are rejected as often as the level says, and dependent ones more often", {
  # 400 tables of 500 rows with a fixed seed: standard error 0.011 at 5%; false alarm 1e-4 at 6.5%
  set.seed(822)
  rejected <- function(shares, cost) {
    mean(replicate(400, {
      counts <- matrix(stats::rmultinom(1, 500, shares), nrow(shares))
      release <- suppressWarnings(do.call(cross_table, c(list(counts, rng = "R"), cost)))
      independence_test(release, runs = 99)$p.value <= 0.05
    }))
  }
  even <- matrix(0.25, 2, 2)
  for (cost in list(list(epsilon = 0.5), list(rho = 0.05))) {
    expect_lte(rejected(even, cost), stats::qbinom(1 - 1e-4, 400, 0.065) / 400)
  }
  expect_gte(rejected(even + 0.05 * c(1, -1, -1, 1), list(epsilon = 1)), 0.85)
})

test_that("other than unchanged tables of two columns are refused", {
  refused <- function(code, words) expect_error(code, words, class = "dptda_error_argument")
  release <- cross_table(matrix(c(20, 30, 30, 20), 2), epsilon = 1)
  refused(independence_test(private_table(1:3, 1:3, epsilon = 1)), "two columns")
  refused(independence_test(1), "`x`")
  refused(independence_test(release, runs = 10), "`runs`")
  refused(independence_test(release, other = NA), "`other`")
  refused(independence_test(release + 1), "`x`")
  one <- private_table(data.frame(a = 1:4, b = 1), list(a = 1:4, b = 1), epsilon = 1)
  refused(independence_test(one), "at least two levels")
})
