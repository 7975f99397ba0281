# growth: count and rate of the expanding bound, of the contracting bound,
# threshold
lengths <- function(n, power, rate, growth = double(5), upper = Inf) {
  .Call(ffi_test_draw_lengths, n, power, rate, as.double(growth), upper, kernel_options("R"))
}

test_that("powers times exponentials are gamma distributions, at every scale and power", {
  set.seed(1)
  for (power in c(0, 0.5, 1, 5, 100, 1999)) for (rate in c(1e12, 1, 1e-3, 1e-100)) {
    x <- lengths(2e4, power, rate)
    expect_law(x * rate, function(q) stats::pgamma(q, power + 1))
  }
})

test_that("truncation is exact, with the mode inside, at the end and at the start", {
  set.seed(2)
  for (power in c(0, 1, 20, 1999)) for (part in c(0.01, 0.5, 0.999)) {
    upper <- stats::qgamma(part, power + 1)
    x <- lengths(2e4, power, 1, upper = upper)
    expect_true(all(x >= 0 & x <= upper))
    expect_law(x, function(q) stats::pgamma(q, power + 1) / part)
  }
  expect_law(lengths(2e4, 0, 0, upper = 3) / 3, stats::punif)
  expect_law(lengths(2e4, 6, 0, upper = 3) / 3, function(q) q^7)
  # rising to the end
  expect_law(lengths(2e4, 0, -2, upper = 3), function(q) expm1(2 * q) / expm1(6))
})

test_that("growing and shrinking volumes are those of quadrature", {
  set.seed(3)
  grown <- function(power, count, threshold) {
    function(rho) power * log(rho) + pmin(count * (log_sinh(0.7 * rho) - log(0.7 * rho)), threshold * rho)
  }
  expect_law(lengths(2e4, 2, 3, c(2, 0.7, 0, 0, 1.4)), distance_law(grown(2, 2, 1.4), 1 / 3, 40))
  expect_law(lengths(2e4, 5, 3, c(4, 0.7, 0, 0, 2)), distance_law(grown(5, 4, 2), 1 / 3, 40))
  expect_law(lengths(2e4, 4, 1, c(0, 0, 4, 1, 0), upper = pi), distance_law(function(rho) 4 * log_sin(rho), 1, pi))
  expect_law(lengths(2e4, 4, 1e-3, c(0, 0, 4, 1, 0), upper = pi), distance_law(function(rho) 4 * log_sin(rho), 1e3, pi))
})

test_that("just below the threshold the tail is long, and exact", {
  set.seed(4)
  x <- lengths(2e4, 1, 1 + 1e-9, c(1, 1, 0, 0, 1))
  # sinh(x) exp(-x (1 + h)) is exponential of rate h but for its start
  expect_law(x * 1e-9, stats::pexp)
})

test_that("a density without an integral is an error", {
  expect_error(lengths(1, 1, 0), class = "dptda_error_argument")
  expect_error(lengths(1, 1, 1, c(1, 1, 0, 0, 1)), class = "dptda_error_argument")
  expect_error(lengths(1, 0, 0), class = "dptda_error_argument")
})

test_that("draws obey the seed", {
  set.seed(5); x <- lengths(10, 3, 1)
  set.seed(5); y <- lengths(10, 3, 1)
  expect_identical(x, y)
})
