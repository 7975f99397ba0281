# Conversions are never below the truth, which is computed at 400 bits, and hardly above it. All are deterministic; the
# settings are drawn with a fixed seed. `DPTDA_SEARCH_CONVERSIONS=true` searches 10^5 of them, which takes long.

searched <- function(quick, all) if (identical(Sys.getenv("DPTDA_SEARCH_CONVERSIONS"), "true")) all else quick

expect_above <- function(value, truth, by = 1e-9) {
  excess <- as.numeric((wide(value) - truth) / truth)
  expect_true(all(excess >= 0), label = paste("least excess", min(excess)))
  expect_true(all(excess <= by), label = paste("largest excess", max(excess)))
}

test_that("divergences of pure mechanisms and of those of bounded range are never below the truth", {
  skip_if_not_installed("Rmpfr")
  withr::local_seed(1)
  n <- searched(400, 30000)
  epsilon <- 10^stats::runif(n, -9, 2.3)
  s <- pmin(10^stats::runif(n, -15, 9), 1e8 / epsilon) # beyond, numbers of any length overflow
  expect_above(response_renyi(epsilon, s), wide_response_renyi(epsilon, s))
  expect_above(range_renyi(epsilon, s), wide_range_renyi(epsilon, s))
  expect_above(response_rho(epsilon), wide(epsilon) * tanh(wide(epsilon) / 2))
  expect_above(range_rho(epsilon), wide_range_rho(epsilon))
  for (edge in list(c(.05, 1e-14), c(.05, 1e-9), c(1, 2^-52), c(20, 1e-15), c(.04, .25), c(700, 1), c(1e-3, 49))) {
    near <- edge[1] * (1 + c(-1e-9, 0, 1e-9))
    expect_above(range_renyi(near, edge[2]), wide_range_renyi(near, edge[2]))
    expect_above(response_renyi(near, edge[2]), wide_response_renyi(near, edge[2]))
  }
})

test_that("the bounds from Renyi divergences are never below the formula", {
  skip_if_not_installed("Rmpfr")
  withr::local_seed(2)
  n <- searched(400, 30000)
  s <- 10^stats::runif(n, -6, 6)
  divergence <- 10^stats::runif(n, -9, 2)
  log_delta <- -10^stats::runif(n, -1, 2.8)
  truth <- wide_renyi_epsilon(divergence, s, log_delta)
  error <- as.numeric(wide(renyi_epsilon(divergence, s, log_delta)) - truth)
  expect_true(all(error >= 0))
  expect_true(all(error <= 1e-14 * (divergence + log1p(1 / s) + (1 - log_delta + log1p(s)) / s)))
  epsilon <- 10^stats::runif(n, -6, 2)
  t <- wide(s)
  truth <- t * (wide(divergence) - epsilon) - log(t) - (1 + t) * log1p(1 / t)
  expect_true(all(wide(renyi_log_delta(divergence, s, epsilon)) >= truth))
})

test_that("delta of Gaussian noise is never below the truth", {
  skip_if_not_installed("Rmpfr")
  withr::local_seed(3)
  n <- searched(300, 10000)
  mu <- 10^stats::runif(n, -6, 1)
  x <- stats::runif(n, -2, 30)
  epsilon <- pmax(mu * (x + mu / 2), 0)
  truth <- log(wide_gaussian_delta(epsilon, mu))
  error <- as.numeric(wide(gaussian_log_delta(epsilon, mu)) - truth)
  expect_true(all(error >= 0), label = paste("least", min(error)))
  expect_true(all(error <= 1e-8), label = paste("largest", max(error)))
  expect_above(response_mu(mu), -2 * wide_quantile(1 / (1 + exp(wide(mu)))), by = 1e-8)
  # below zero the truth is 1 - exp(epsilon) and little more, also where its logarithm is long
  epsilon <- 10^stats::runif(200, -250, -20)
  expect_true(all(wide(gaussian_log_delta(-epsilon, epsilon / 100)) >= log(-expm1(-wide(epsilon)))))
})

test_that("epsilon and delta of pure parts are never below the truth", {
  skip_if_not_installed("Rmpfr")
  withr::local_seed(4)
  short <- over <- 0
  for (i in seq_len(searched(150, 10000))) {
    each <- if (i %% 2) stats::runif(1, .01, 3) else round(stats::runif(1, .01, 3), 2)
    epsilons <- if (i %% 3) rep(each, sample(2:6, 1)) else c(each, stats::runif(sample(3, 1), .01, 2))
    parts <- new_parts(pure = sort(epsilons))
    delta <- 10^stats::runif(1, -17, -1)
    epsilon <- parts_epsilon(parts, delta)
    truth <- wide_response_delta(wide(epsilon), epsilons)
    short <- max(short, as.numeric(truth / delta))
    at <- sum(epsilons) * stats::runif(1)
    ratio <- as.numeric(wide(parts_delta(parts, at)) / wide_response_delta(wide(at), epsilons)) - 1
    over <- max(over, ratio)
    if (ratio < 0) short <- 2
  }
  expect_lte(short, 1)
  expect_lte(over, 1e-9)
})

test_that("mu of pure parts is never below the truth, and reaches it", {
  skip_if_not_installed("Rmpfr")
  withr::local_seed(6)
  for (i in seq_len(searched(40, 2000))) {
    epsilons <- if (i %% 3) stats::runif(sample(2:6, 1), .01, 3) else rep(stats::runif(1, .1, 8), sample(2:6, 1))
    expect_above(parts_mu(new_parts(pure = sort(epsilons))), wide_response_mu(epsilons))
  }
  # far in the tails, and next to one half
  for (epsilons in list(rep(40, 5), c(60, 90), c(1e-7, 2e-7))) {
    expect_above(parts_mu(new_parts(pure = epsilons)), wide_response_mu(epsilons), by = 1e-5)
  }
})

test_that("leaks are rounded up once", {
  expect_identical(parts_leak(new_parts(leak = c(.1, .2), leak_epsilon = c(1, 2))), .28)
  expect_identical(parts_leak(new_parts(leak = rep(.5, 20), leak_epsilon = rep(0, 20))), 1 - 2^-20)
  skip_if_not_installed("Rmpfr")
  withr::local_seed(7)
  for (i in seq_len(searched(60, 5000))) {
    leak <- 10^stats::runif(sample(2:12, 1), -sample(20, 1), 0)
    truth <- 1 - prod(1 - wide(leak))
    known <- parts_leak(new_parts(leak = leak, leak_epsilon = 0 * leak))
    expect_true(wide(known) >= truth && wide(known) * (1 - 2^-52) < truth)
  }
  many <- 10^stats::runif(600, -9, -4)
  expect_above(leak_up(many), 1 - prod(1 - wide(many)))
})

test_that("a delta that is there does not underflow to none", {
  expect_gt(parts_delta(new_parts(mu = 1), 100), 0)
  expect_gt(parts_delta(new_parts(rho = 1), 1e4), 0)
  expect_gt(parts_delta(new_parts(pure = rep(1e-3, 200), mu = .01), 50), 0)
  expect_identical(parts_delta(new_parts(pure = c(1, 2)), c(3, 4)), c(0, 0))
  expect_identical(parts_delta(new_parts(), 1), 0)
  expect_identical(parts_delta(new_parts(leak = .1, leak_epsilon = 1), c(1, 2)), c(.1, .1))
})

test_that("sums and products are raised where they are not exact, and only there", {
  expect_identical(sum_up(c(1, 2, 3)), 6)
  expect_identical(sum_up(numeric()), 0)
  expect_identical(sum_up(c(1, 2^-60)), 1 + 2^-52)
  expect_identical(sum_up(c(1, Inf)), Inf)
  expect_identical(product_up(3, c(2, .5, 0)), c(6, 1.5, 0))
  expect_identical(product_up(3, numeric()), numeric())
  skip_if_not_installed("Rmpfr")
  withr::local_seed(5)
  a <- sample(1:1000, 500, TRUE)
  b <- 2^stats::runif(500, -40, 10)
  exact <- wide(a) * wide(b)
  up <- product_up(a, b)
  expect_true(all(wide(up) >= exact & wide(up) * (1 - 2^-51) < exact))
  for (i in 1:100) {
    x <- b[sample(500, 5)]
    truth <- sum(wide(x))
    expect_true(wide(sum_up(x)) >= truth && wide(sum_up(x)) * (1 - 2^-51) < truth)
  }
  # groups
  for (i in 1:100) {
    epsilon <- 10^stats::runif(1, -6, 1)
    delta <- 10^stats::runif(1, -300, -50)
    size <- sample(2:40, 1)
    truth <- wide(delta) * expm1(size * wide(epsilon)) / expm1(wide(epsilon))
    expect_true(wide(group_delta(epsilon, delta, size)) >= truth)
    expect_equal(group_delta(epsilon, delta, size) / as.numeric(truth), 1, tolerance = 1e-9)
  }
})

test_that("settings at the ends of the doubles give bounds, not errors or none", {
  # far in the tail, where the square of x overflows
  expect_gt(parts_delta(new_parts(mu = 1), 1e160), 0)
  expect_gt(parts_delta(new_parts(rho = 1e-100), 1e200), 0)
  expect_gt(parts_delta(new_parts(mu = 1e-300), 1e10), 0)
  expect_gt(parts_delta(new_parts(mu = 2^-1074), 0), 0)
  # sums of losses that overflow, or whose lattice would underflow
  for (huge in list(c(1e308, 1.5e308), 1e307 * 1:20)) {
    expect_identical(parts_delta(new_parts(pure = huge), 1), 1)
    expect_identical(parts_delta(new_parts(pure = huge, mu = 1), 1), 1)
    expect_identical(parts_epsilon(new_parts(pure = huge), .001), Inf)
  }
  tiny <- 2^-1074 * 1:20
  expect_gt(parts_delta(new_parts(pure = tiny), 0), 0)
  expect_lte(parts_epsilon(new_parts(pure = tiny), 1e-300), sum(tiny))
  expect_lte(parts_renyi(new_parts(range = 1e300), 1e300), 1e300 * (1 + 1e-14))
  # numbers without all of their digits
  expect_gte(root_sum(rep(2^-1074, 2)), 2 * 2^-1074)
  expect_gte(response_mu(2^-1074), 2 * 2^-1074)
  expect_gte(group_delta(1e-9, 3 * 2^-1074, 2), 7 * 2^-1074)
  expect_gte(response_renyi(1e-153, 2^-52), 1e-153^2 / 2)
  # all of those leaks are certain
  expect_lte(parts_leak(new_parts(leak = c(1, 1), leak_epsilon = c(0, 0))), 1)
})

test_that("sums of unequal epsilons are not short by what rounding to the nearest takes", {
  # the sum is above 1, and 1 to the nearest double; too many unequal ones for the exact distribution of the loss
  epsilons <- c(2^-61 * 1:18, 1)
  parts <- new_parts(pure = sort(epsilons))
  expect_gt(parts_delta(parts, 1), 0)
  expect_gt(parts_epsilon(parts, 1e-300), 1)
})

test_that("delta of bounded ranges is no larger than the one from which their epsilon was found", {
  parts <- new_parts(range = rep(.5, 10))
  expect_equal(parts_delta(parts, parts_epsilon(parts, 1e-5)) / 1e-5, 1, tolerance = 1e-9)
})

test_that("squares of large groups and sums of parallel parts are never short", {
  size <- 94906267 # its square is odd and has 54 bits
  expect_identical(privacy_group(c(rho = 1), size)$measure[["rho"]], size^2 + 2)
  expect_gte(privacy_group(c(rho = 1), size)$parts$rho, size^2 + 2)
  pair <- lapply(c(1, 2^-54), function(rho) privacy_declare(rho = rho))
  expect_gt(privacy_compose(pair, parallel = TRUE)$parts$rho, 1)
})
