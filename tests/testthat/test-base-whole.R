coins <- function(count, above, below) .Call(ffi_test_ratio_coins, count, above, below, kernel_options("R"))

test_that("a coin of rational probability has just that", {
  # false alarm: 6e-7 a ratio (five standard errors)
  set.seed(220)
  for (below in c(1, 2, 3, 7, 16, 100, 2^53 - 1, 2^126)) {
    for (part in c(0, 1e-9, .01, 1 / 16, 1 / 3, .5, .7, 15 / 16, .95, .99, 1 - 1e-9, 1)) {
      above <- floor(part * below)
      p <- above / below
      expect_lte(abs(coins(1e5, above, below) - 1e5 * p), 5 * sqrt(1e5 * p * (1 - p)))
    }
  }
  # close to one a failure takes many digits: a twentieth of 1/16^3
  below <- 20 * 16^3
  expect_lte(abs(2e6 - coins(2e6, below - 1, below) - 2e6 / below), 5 * sqrt(2e6 / below))
})

test_that("a ratio above one is an error, not a bias", {
  expect_error(coins(1, 2, 1), class = "dptda_error_argument")
  expect_error(coins(1, 2^126, 2^125), class = "dptda_error_argument")
  expect_error(coins(1, .5, 1), class = "dptda_error_argument")
  expect_error(coins(1, 0, 0), class = "dptda_error_argument")
})
