# Distributions of the privacy loss on a lattice are never below the truth, and close above it.

sampled <- function(kind, noise, rate, steps) {
  new_parts(renyi = c(list(alpha = 2, epsilon = 1e9), stats::setNames(list(c(noise, rate, steps)), kind)))
}

expect_close_above <- function(value, truth, by = 1e-2, error = 1e-6) {
  ratio <- value / truth
  expect_true(all(ratio >= 1 - error), label = paste("least ratio", format(min(ratio), digits = 10)))
  expect_true(all(ratio <= 1 + by), label = paste("largest ratio", format(max(ratio), digits = 10)))
}

test_that("one sampled step has the hockey stick of its pair", {
  for (noise in c(.5, 1, 4)) {
    for (rate in c(.001, .1, .7)) {
      epsilon <- c(.05, .3, 1) / noise
      poisson <- function(x) pmax(stick_of_poisson(x, noise, rate, FALSE), stick_of_poisson(x, noise, rate, TRUE))
      known <- poisson(epsilon) > 1e-11
      if (!any(known)) next
      expect_close_above(parts_delta(sampled("poisson", noise, rate, 1), epsilon[known]), poisson(epsilon[known]))
      batches <- stick_of_batches(epsilon[known], noise, rate)
      expect_close_above(parts_delta(sampled("batches", noise, rate, 1), epsilon[known]), batches)
    }
  }
})

test_that("random mixtures are never below quadrature", {
  withr::local_seed(8)
  for (i in seq_len(long_or(2000, 60))) {
    kind <- sample(c("poisson", "batches", "range"), 1)
    pure <- round(stats::runif(sample(0:3, 1), .02, 1.2), 2)
    beside <- sample(c("nothing", "gaussian", "again"), 1)
    noise <- round(10^stats::runif(1, -.3, .7), 3)
    rate <- signif(10^stats::runif(1, -2.5, -.05), 2)
    range <- round(stats::runif(1, .1, 2), 2)
    mu <- if (beside == "gaussian") signif(10^stats::runif(1, -1, .3), 2) else 0
    if (kind == "range" && beside == "again") beside <- "nothing"
    steps <- if (beside == "again") 2 else 1
    parts <- if (kind == "range") new_parts(range = range) else sampled(kind, noise, rate, steps)
    parts$pure <- sort(pure)
    parts$mu <- mu
    at <- stats::runif(1, 0, .7) * (sum(pure) + 2 * mu + if (kind == "range") range else 1 / noise)
    truth <- 0
    for (reversed in c(FALSE, TRUE)) {
      stick <- switch(kind,
        poisson = function(x) stick_of_poisson(x, noise, rate, reversed),
        batches = function(x) stick_of_batches(x, noise, rate),
        range = function(x) stick_of_range(x, range)
      )
      losses <- switch(beside,
        gaussian = losses_of_gaussian(mu),
        again = if (kind == "poisson") losses_of_mixture(noise, rate, reversed) else losses_of_batches(noise, rate),
        nothing = list(loss = 0, p = 1)
      )
      truth <- max(truth, mean_stick(at, function(x) mean_stick(x, stick, losses), losses_of_pure(pure)))
    }
    if (truth < 1e-9) next
    known <- parts_delta(parts, at)
    expect_close_above(known, truth, by = .05)
    expect_close_above(parts_epsilon(parts, known), at, by = 1e-2, error = 1e-2)
  }
})

test_that("an epsilon below the first lattice is found", {
  # the lattice is chosen by a bound of Renyi divergences, far above the epsilon of one range beside little noise
  for (setting in list(c(1.27, .14, .04), c(1.9, .02, .4), c(.8, .05, .1), c(2, .3, .01))) {
    parts <- new_parts(range = setting[1])
    parts$mu <- setting[2]
    expect_close_above(parts_epsilon(parts, parts_delta(parts, setting[3])), setting[3], by = 1e-6, error = 1e-6)
  }
})

test_that("several ranges have the largest delta over all adaptive choices", {
  for (ranges in list(c(.5, .5), c(.3, 1.2))) {
    slow <- function(left, x) {
      if (!length(left)) return(pmax(-expm1(x), 0))
      best <- 0
      for (k in seq_along(left)) {
        best <- pmax(best, add_range_slowly(x, function(y) slow(left[-k], y), left[k], starts = 101))
      }
      best
    }
    at <- c(0, .3, .8) * sum(ranges)
    expect_close_above(parts_delta(new_parts(range = ranges), at), slow(ranges, at), by = .02)
  }
  # never above what Renyi divergences or pure mechanisms give, and below both for many
  for (k in c(2, 10, 40)) {
    parts <- new_parts(range = rep(.3, k))
    for (delta in c(1e-9, 1e-4, .02)) {
      known <- parts_epsilon(parts, delta)
      expect_lte(known, renyi_bound(parts, 0)$epsilon(log(delta)) * (1 + 1e-12))
      expect_lte(known, parts_epsilon(new_parts(pure = rep(.3, k)), delta))
    }
  }
  expect_lt(parts_epsilon(new_parts(range = rep(.1, 30)), 1e-3), .67) # .757 by Renyi divergences
  # too many for a table: as pure, and by Renyi divergences
  many <- new_parts(range = seq(.01, .02, length.out = 900))
  expect_true(is.na(range_sticks(many$range)))
  expect_lte(parts_epsilon(many, 1e-6), renyi_bound(many, 0)$epsilon(log(1e-6)) * (1 + 1e-12))
})

test_that("sampled steps have Google's values", {
  epsilon <- function(x, delta) privacy_convert(x, delta = delta)$measure[["epsilon"]]
  expect_equal(epsilon(privacy_subsample(.67379294682, steps = 1, rate = .01), 1e-5), 1, tolerance = 1e-4)
  expect_equal(epsilon(privacy_subsample(3.2096 / 6, steps = 25, rate = .001), 1e-5), 1, tolerance = 1e-3)
  three <- privacy_convert(privacy_subsample(.5, steps = 3, rate = .2), epsilon = 1)$measure[["delta"]]
  expect_equal(three, .156, tolerance = 1e-3)
})

# delta by the inversion formula of the moments, independent of any lattice.
inverted_delta <- function(epsilon, noise, rate, steps, reversed, theta) {
  z <- seq(-12, 12 + 1 / noise, by = .01)
  loss <- log1p(rate * expm1(z / noise - .5 / noise^2))
  power <- function(s) if (reversed) -s else 1 + s
  moment <- function(s) sum(.01 * dnorm(z) * exp(power(s) * loss))
  t <- seq(0, 60, by = .02)
  terms <- vapply(t, function(t) {
    s <- complex(real = theta, imaginary = t)
    Re(exp(steps * log(moment(s)) - s * epsilon) / (s * (s + 1)))
  }, 0)
  .02 * (sum(terms) - terms[1] / 2) / pi
}

test_that("ten thousand steps agree with the inversion of their moments", {
  training <- privacy_subsample(1.1, steps = 1e4, rate = .01)
  truth <- max(inverted_delta(5, 1.1, .01, 1e4, FALSE, 4), inverted_delta(5, 1.1, .01, 1e4, TRUE, 4))
  expect_close_above(privacy_convert(training, epsilon = 5)$measure[["delta"]], truth, by = 5e-3)
  epsilon <- privacy_convert(training, delta = truth)$measure[["epsilon"]]
  expect_close_above(epsilon, 5, by = 1e-3)
  expect_lt(epsilon, renyi_bound(training$parts, 0)$epsilon(log(truth)))
})

test_that("more steps, rates, and parts never cost less, in any order", {
  epsilon <- function(parts) parts_epsilon(parts, 1e-5)
  for (kind in c("poisson", "batches")) {
    steps <- vapply(c(1, 10, 100), function(n) epsilon(sampled(kind, 1, .02, n)), 0)
    rates <- vapply(c(.01, .1, .5, 1), function(q) epsilon(sampled(kind, 1, q, 3)), 0)
    expect_false(is.unsorted(steps))
    expect_false(is.unsorted(rates))
    expect_equal(rates[4], epsilon(new_parts(mu = sqrt(3))), tolerance = 1e-7)
  }
  all <- list(new_parts(pure = .3), new_parts(range = .5), new_parts(mu = .4), sampled("poisson", 1, .02, 5),
              new_parts(range = .7), sampled("poisson", 1, .02, 3), sampled("poisson", 2, .05, 4))
  last <- 0
  for (i in seq_along(all)) {
    parts <- add_parts(all[seq_len(i)])
    expect_identical(add_parts(rev(all[seq_len(i)])), parts)
    known <- epsilon(parts)
    expect_gte(known, last * (1 - 1e-6))
    expect_lte(known, renyi_bound(parts, 0)$epsilon(log(1e-5)) * (1 + 1e-12))
    last <- known
  }
  expect_identical(parts$renyi$poisson, c(1, .02, 8, 2, .05, 4))
  # a table without its mechanisms hides the others
  hidden <- add_parts(list(parts, new_parts(renyi = list(alpha = c(2, 8), epsilon = c(.1, .5)))))
  expect_null(hidden$renyi$poisson)
  expect_null(parts_losses(hidden))
  expect_null(parts_losses(new_parts(rho = .1, range = c(1, 1))))
})

test_that("samples are written, read, checked, and not known for groups", {
  training <- privacy_subsample(1.1, steps = 10, rate = .1)
  step <- training$steps[[1]]
  expect_identical(read_steps(write_step(step))[[1]], step)
  expect_null(privacy_group(training, 2)$renyi$poisson)
  for (bad in list(c(1, .1), c(1, 1.1, 1), c(0, .1, 1), c(1, .1, 1.5), c(1, .1, NA), "a")) expect_false(is_sample(bad))
  broken <- replace(step, "parts", list(replace(step$parts, "renyi", list(c(step$parts$renyi, batches = list(1))))))
  expect_null(read_steps(write_step(broken)))
})

test_that("losses below the lattice are not taken for higher ones, and extreme parts give bounds", {
  elements <- loss_elements(new_parts(mu = 1))
  losses <- lattice_losses_of(elements, lattice_plan(elements, list(), FALSE, epsilon = 3), FALSE)
  below <- losses$loss[1] - 1e-3
  expect_identical(lattice_log_delta(losses, NULL, below), c(0, 1))
  expect_gte(parts_epsilon(new_parts(range = c(500, 600), mu = 1), 1e-6), 1090)
  expect_gte(parts_epsilon(new_parts(range = c(90, 100), mu = 1), 1e-6), 185)
  for (range in list(c(1e300, 1e300), rep(2^-1074, 2), c(1e-9, 700), c(1e-300, 1e-200))) {
    expect_lte(parts_epsilon(new_parts(range = range), 1e-6), sum_up(range))
  }
})

test_that("the transform is that of the definition, within its bound", {
  withr::local_seed(9)
  for (n in 2^c(0, 1, 5, 12)) {
    x <- complex(real = stats::rnorm(n), imaginary = stats::rnorm(n))
    for (sign in c(-1, 1)) {
      truth <- stats::fft(x, inverse = sign == 1)
      expect_lte(sqrt(sum(Mod(fourier(x, sign) - truth)^2)), (log2(n) + 1) * 2^-48 * sqrt(sum(Mod(truth)^2)))
    }
  }
})

test_that("probabilities of short and long intervals keep their digits", {
  skip_if_not_installed("Rmpfr")
  tail <- function(x) Rmpfr::erfc(x / sqrt(wide(2))) / 2
  for (lower in c(-30, -3, -.01, 0, 2, 37)) {
    for (width in c(1e-9, 1e-3, .06, .07, 2)) {
      upper <- lower + width
      truth <- log(tail(wide(lower)) - tail(wide(upper)))
      expect_lte(abs(as.numeric(log_normal_mass(lower, upper) - truth)), 2^-46 * (1 + abs(as.numeric(truth))))
    }
  }
})

# A lattice that begins above most losses once gave an epsilon of 0.
test_that("a mixture costs at least as much as each of its parts", {
  set.seed(2410)
  range_of <- function(epsilon) privacy_declare(epsilon = epsilon, bounded_range = TRUE)
  least <- function(mu, ranges, delta) {
    parts <- c(list(privacy_declare(mu = mu)), lapply(ranges, range_of))
    whole <- privacy_convert(do.call(privacy_compose, parts), delta = delta)$measure[["epsilon"]]
    alone <- vapply(parts, function(part) privacy_convert(part, delta = delta)$measure[["epsilon"]], 0)
    expect_gte(whole, max(alone) * (1 - 1e-9))
    whole
  }
  # by numerical integrals of the two exact losses
  expect_equal(least(0.01, 1, 1e-15), 1.061, tolerance = 0.005)
  expect_equal(least(0.01, 5, 1e-6), 5.013, tolerance = 0.005)
  expect_equal(least(0.1, 10, 1e-10), 10.49, tolerance = 0.005)
  expect_gte(least(0.01, c(1, 1, 1), 1e-15), 3)
  for (i in seq_len(long_or(300, 15))) {
    least(10^stats::runif(1, -3, 0), 10^stats::runif(sample(3, 1), -1, 1.3), 10^stats::runif(1, -12, -2))
  }
})

# The exact hockey stick of a Poisson sample at lattice points, with 300 bits.
exact_poisson_stick <- function(x, noise, rate, reversed) {
  many <- function(x) Rmpfr::mpfr(x, 300)
  q <- many(rate)
  s <- many(noise)
  below <- function(z) Rmpfr::pnorm(z)
  inner <- exp(many(if (reversed) -x else x)) - (1 - q)
  if (inner <= 0) return(if (reversed) many(0) else 1 - exp(many(x)))
  z <- s * (log(inner) - log(q)) + 1 / (2 * s)
  if (reversed) return(below(z) - exp(many(x)) * ((1 - q) * below(z) + q * below(z - 1 / s)))
  (1 - q) * below(-z) + q * below(1 / s - z) - exp(many(x)) * below(-z)
}

# Rates near one have losses that are a small difference of large numbers. Seed 4; no tolerance.
test_that("a Poisson sample on the lattice dominates the exact one in both directions", {
  skip_if_not_installed("Rmpfr")
  withr::local_seed(4)
  for (i in seq_len(long_or(300, 4))) {
    noise <- signif(10^stats::runif(1, -1.3, .7), 3)
    rate <- if (i %% 2) 1 - signif(10^stats::runif(1, -12, -1), 3) else signif(10^stats::runif(1, -4, -.1), 3)
    step <- signif_bits(10^stats::runif(1, -2.5, -.5))
    for (reversed in c(FALSE, TRUE)) {
      element <- list(kind = "poisson", noise = noise, rate = rate, count = 10^(i %% 4))
      known <- sampled_element(element, list(step = step, log_tail = -60), reversed)
      if (is.null(known)) next
      loss <- (known$first + seq_along(known$log_p) - 1) * step
      kept <- known$log_p > -Inf
      p <- exp(Rmpfr::mpfr(known$log_p[kept], 300))
      for (at in loss[unique(round(seq(1, length(loss), length.out = 8)))]) {
        above <- loss[kept] > at
        excess <- p[above] * (1 - exp(at - Rmpfr::mpfr(loss[kept][above], 300)))
        on_lattice <- exp(Rmpfr::mpfr(known$log_lost, 300)) + sum(excess)
        truth <- exact_poisson_stick(at, noise, rate, reversed)
        # the difference of tails has 300 bits, relative to one
        if (truth > 1e-75) expect_true(on_lattice >= truth, label = paste(noise, rate, step, reversed, at))
      }
    }
  }
})
