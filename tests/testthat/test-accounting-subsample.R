# The divergence of Poisson sampling by adaptive quadrature.
quadrature <- function(alpha, rate, noise) {
  ratio <- function(z) 1 - rate + rate * exp((2 * z - 1) / (2 * noise^2))
  value <- integrate(function(z) dnorm(z, sd = noise) * ratio(z)^alpha, -15 * noise, alpha + 15 * noise,
                     rel.tol = 1e-12, subdivisions = 5000)$value
  log(value) / (alpha - 1)
}

test_that("Poisson sampling has the divergence of the definition, at any order", {
  for (noise in c(.5, 1, 4)) {
    for (rate in c(.01, .2, .9)) {
      for (alpha in c(1.05, 1.5, 2, 2.5, 4, 7.3)) {
        expect_equal(poisson_renyi(alpha, rate, noise), quadrature(alpha, rate, noise), tolerance = 1e-6)
      }
    }
  }
})

test_that("both theorems give the published values", {
  # TensorFlow Privacy's and Google's reference values of the two accountants
  poisson <- privacy_subsample(2.5, steps = 50, rate = .01, alpha = c(1.5, 2.5, 5, 50, 100))
  expect_equal(poisson$renyi$epsilon, c(6.5007e-04, 1.0854e-03, 2.1808e-03, 2.3846e-02, 1.6742e+02), tolerance = 1e-4)
  five <- privacy_subsample(2, steps = 10, rate = .1, alpha = c(2, 5))$renyi$epsilon[2]
  expect_equal(five, 0.07737, tolerance = 1e-4)
  batches <- privacy_subsample(2.5, steps = 50, batch = 1, n = 100, alpha = c(2, 5, 50, 100))
  expect_equal(batches$renyi$epsilon, c(3.4701e-03, 8.7634e-03, 9.8474e-02, 1.6776e+02), tolerance = 1e-4)
})

test_that("whole orders meet those beside them, also where the loss is tiny", {
  for (rate in c(1e-7, .01, .5)) {
    for (noise in c(.3, 1, 20)) {
      for (alpha in c(2, 3, 9)) {
        beside <- vapply(alpha * (1 + c(-1e-9, 1e-9)), poisson_renyi, 0, rate, noise)
        expect_equal(poisson_renyi(alpha, rate, noise) / mean(beside), 1, tolerance = 1e-7)
      }
    }
  }
  # leading term, to all digits
  expect_equal(poisson_renyi(1.5, 1e-9, 1e3) / (.75 * 1e-24), 1, tolerance = 1e-6)
  expect_true(is.finite(poisson_renyi(1.01, .5, 1e-2)))
})

test_that("curves are ordered as they must be", {
  expect_ordered <- function(low, high) expect_true(all(low$renyi$epsilon <= high$renyi$epsilon * (1 + 1e-9)))
  alpha <- c(2:20, 64, 128)
  for (sampled in list(
    function(noise, share, steps = 1) privacy_subsample(noise, steps, rate = share, alpha = alpha),
    function(noise, share, steps = 1) privacy_subsample(noise, steps, batch = 1000 * share, n = 1000, alpha = alpha)
  )) {
    expect_ordered(sampled(2, .1), sampled(1, .1))
    expect_ordered(sampled(1, .1), sampled(1, .2))
    expect_ordered(sampled(1, .9), sampled(1, 1))
    expect_equal(sampled(2, 1)$renyi$epsilon, alpha / 8)
    expect_equal(sampled(1, .1, 10)$renyi$epsilon, 10 * sampled(1, .1)$renyi$epsilon)
    expect_false(is.unsorted(sampled(1, .1)$renyi$epsilon))
    # (alpha - 1) times the divergence is convex
    slopes <- diff((alpha - 1) * sampled(1, .1)$renyi$epsilon) / diff(alpha)
    expect_false(is.unsorted(slopes[slopes > 1e-12] * (1 + 1e-9 * seq_along(slopes[slopes > 1e-12]))))
  }
  # replacing costs more than adding or removing, at the same multiplier
  expect_ordered(privacy_subsample(1, 1, rate = .1, alpha = alpha),
                 privacy_subsample(1, 1, batch = 100, n = 1000, alpha = alpha))
})

# The same trapezoidal rule over the whole line, one moment at a time.
even_moment <- function(l, noise) {
  y <- seq(-sqrt(l) - 14, l / noise + sqrt(l) + 14, by = .2)
  log_ratio <- y / noise - 1 / (2 * noise^2)
  size <- ifelse(log_ratio > 0, log_expm1(abs(log_ratio)), log(-expm1(pmin(log_ratio, 0))))
  log(.2) + log_sum(stats::dnorm(y, log = TRUE) + l * size)
}

test_that("moments of the difference are those of the definition", {
  for (noise in c(.5, 1, 5)) {
    for (l in c(2, 4, 10)) {
      i <- 0:l
      direct <- sum((-1)^(l - i) * choose(l, i) * exp(i * (i - 1) / (2 * noise^2)))
      expect_equal(exp(even_moments(l, noise)), direct, tolerance = if (noise == 5 && l == 10) 1e-2 else 1e-6)
    }
  }
  # a window around each peak holds all of them
  l <- c(2, 4, 50, 400, 2000)
  for (noise in c(.02, .1, .5, 1, 3, 10, 100, 1e4)) {
    expect_equal(even_moments(l, noise), vapply(l, even_moment, 0, noise), tolerance = 1e-13)
  }
})

test_that("integrals that cannot win are left out, and nothing changes", {
  for (noise in c(.1, .5, 1, 3, 10, 100)) {
    j <- seq_len(150)
    even <- even_moments(2 * seq_len(75), noise)
    between <- log(4) + (even[pmax(floor(j / 2), 1)] + even[ceiling(j / 2)]) / 2
    expect_equal(ternary_moments(150, noise), pmin(log(2) + j * (j - 1) / (2 * noise^2), between), tolerance = 1e-14)
  }
})

test_that("large orders: closed bounds are never below the sums, and meet them", {
  for (noise in c(.5, 2, 30)) {
    for (rate in c(1e-4, .3)) {
      alpha <- c(2, 10, 300, 4000)
      exact <- vapply(alpha, poisson_renyi, 0, rate, noise)
      bound <- vapply(alpha, poisson_norm_bound, 0, rate, noise)
      expect_true(all(exact <= bound & bound <= alpha / (2 * noise^2) * (1 + 1e-12)))
      if (noise < 10) expect_equal(exact[4], bound[4], tolerance = 1e-12)
      summed <- batch_renyi(alpha, rate, noise)
      expect_true(all(summed <= batch_closed_bound(alpha, rate, noise) * (1 + 1e-12)))
      if (noise == .5) expect_equal(summed[4], batch_closed_bound(4000, rate, noise), tolerance = 1e-4)
    }
  }
  # sums and integrals meet where one takes over from the other, and no order is too large
  expect_equal(poisson_renyi(1e5, .1, 50), poisson_renyi(1e5 + 1e-6, .1, 50), tolerance = 1e-9)
  huge <- c(2, 20000, 1e5, 1e5 + 1, 1e7, 1e18, 1e300)
  for (sampled in list(privacy_subsample(1, 1, rate = .1, alpha = huge),
                       privacy_subsample(1, 1, batch = 10, n = 100, alpha = huge))) {
    expect_identical(sampled$renyi$alpha, huge)
    expect_true(all(sampled$renyi$epsilon <= huge / 2))
    expect_true(all(sampled$renyi$epsilon >= huge / 2 + log(.1) * huge / (huge - 1) - .5))
    expect_false(is.unsorted(sampled$renyi$epsilon))
  }
  # a loss too small for a double is still a loss
  expect_gt(privacy_subsample(1e200, 1, rate = .1)$measure[["renyi"]], 0)
})

test_that("each way of sampling has its own relation and no other", {
  poisson <- privacy_subsample(1, 10, rate = .1, relation = "add_remove")
  expect_identical(poisson$relation, "add or remove one row")
  batches <- privacy_subsample(1, 10, batch = 10, n = 100, relation = "replace")
  expect_identical(batches$relation, "replace one row, n public")
  expect_error(privacy_subsample(1, 10, rate = .1, relation = "replace"), class = "dptda_error_relation")
  expect_error(privacy_subsample(1, 10, batch = 1, n = 10, relation = "add_remove"), class = "dptda_error_relation")
  expect_match(format(poisson)[2], "Poisson samples (rate 0.1), 10 steps", fixed = TRUE)
  expect_match(format(batches)[2], "batches of 10 rows, 10 steps", fixed = TRUE)
})

test_that("training runs get a finite epsilon, from the best order", {
  training <- privacy_subsample(1.1, steps = 14062, rate = 256 / 60000)
  epsilon <- privacy_convert(training, delta = 1e-5)$measure[["epsilon"]]
  expect_gt(epsilon, 2.3)
  expect_lt(epsilon, 2.4) # 2.59 by Renyi divergences
  expect_equal(privacy_convert(training, epsilon = epsilon)$measure[["delta"]], 1e-5, tolerance = 1e-3)
  # all rows at every step: composition of plain Gaussians
  plain <- privacy_subsample(10, steps = 25, rate = 1)
  expect_equal(privacy_convert(plain, delta = 1e-6)$measure, privacy_convert(c(mu = .5), delta = 1e-6)$measure)
  expect_equal(privacy_convert(plain, "mu")$measure, c(mu = .5))
  # tables with unlike orders add up on all of them, from above
  two <- add_curves(list(training$renyi, list(alpha = c(2, 3), epsilon = c(.2, .3))))
  expect_identical(max(two$alpha), 3)
  expect_gte(curve_at(two, 1.5), curve_at(training$renyi, 1.5) + .25)
})

test_that("bad arguments are refused", {
  bad <- function(code) expect_error(code, class = "dptda_error_argument")
  bad(privacy_subsample(0, 1, rate = .1))
  bad(privacy_subsample(1, 0, rate = .1))
  bad(privacy_subsample(1, 1))
  bad(privacy_subsample(1, 1, rate = .1, batch = 1, n = 2))
  bad(privacy_subsample(1, 1, batch = 1))
  bad(privacy_subsample(1, 1, rate = 0))
  bad(privacy_subsample(1, 1, rate = 1.1))
  bad(privacy_subsample(1, 1, batch = 3, n = 2))
  bad(privacy_subsample(1, 1, batch = 1, n = 2, alpha = c(1.5, 2)))
  bad(privacy_subsample(1, 1, rate = .1, alpha = 1.5))
  bad(privacy_subsample(1e-300, 1, rate = .1))
})

test_that("sampling is not believed to help against next to no noise", {
  # an integral there would have millions of nodes
  for (noise in c(1e-3, 9e-3)) {
    expect_identical(poisson_renyi(1.5, .1, noise), 1.5 / (2 * noise^2))
    expect_identical(batch_renyi(2:3, .1, noise), 2:3 / (2 * noise^2))
  }
})
