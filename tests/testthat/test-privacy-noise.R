coins <- function(n, parameter, what, rng = "R") {
  .Call(ffi_test_coins, n, parameter, match(what, c("bernoulli", "exp", "below")) - 1L, kernel_options(rng))
}
scale_for <- function(kind, sensitivity, budget) .Call(ffi_privacy_scale_for, noise_kinds[[kind]], sensitivity, budget)
round_scale <- function(scale) .Call(ffi_test_round_scale, scale)

# Every distribution test below fails by chance with probability 1e-6; with
# rng = "R" the seed is fixed, so that it fails always or never.
rarely <- 1e-6

test_that("the discrete Laplace distribution fits over the scales, from both sources", {
  set.seed(101)
  for (scale in c(0.05, 0.3, 0.5, 1, 2, 3.3, 10, 48.7)) {
    for (rng in c("R", "os")) {
      y <- seq(-ceiling(40 * scale), ceiling(40 * scale))
      p <- laplace_probability(y, round_scale(scale))
      expect_equal(sum(p), 1, tolerance = 1e-12)
      expect_gt(discrete_fit(rdiscrete_laplace(1e5, scale, rng = rng), y, p), rarely)
    }
  }
})

test_that("the discrete Gaussian distribution fits over the scales, from both sources", {
  set.seed(102)
  for (scale in c(0.05, 0.2, 0.5, 0.999, 1, 1.001, 2, 3.3, 10, 48.7)) {
    for (rng in c("R", "os")) {
      y <- seq(-ceiling(20 * scale), ceiling(20 * scale))
      p <- gaussian_probability(y, round_scale(scale))
      expect_equal(sum(p), 1, tolerance = 1e-12)
      expect_gt(discrete_fit(rdiscrete_gaussian(1e5, scale, rng = rng), y, p), rarely)
    }
  }
})

test_that("at large scales the noise is that of the continuous distribution", {
  # the distance between the two is of the order of 1 / scale
  set.seed(103)
  laplace <- function(x) ifelse(x < 0, exp(x) / 2, 1 - exp(-x) / 2)
  for (scale in c(1e5 + 0.3, 2^30, 3^25, 2^40)) {
    gaussian <- rdiscrete_gaussian(1e5, scale, rng = "R")
    expect_true(all(gaussian == floor(gaussian)))
    expect_gt(suppressWarnings(stats::ks.test(gaussian / scale, "pnorm"))$p.value, rarely)
    expect_gt(suppressWarnings(stats::ks.test(rdiscrete_laplace(1e5, scale, rng = "R") / scale,
                                              laplace))$p.value, rarely)
    # the low digits of a wide draw are uniform
    expect_gt(stats::chisq.test(table(gaussian %% 16))$p.value, rarely)
  }
})

test_that("the smallest scale gives no noise, and zero has no sign", {
  for (draw in list(rdiscrete_laplace, rdiscrete_gaussian)) {
    expect_identical(draw(1000, 2^-30), double(1000))
    zeros <- Filter(function(y) y == 0, draw(1000, 0.5))
    expect_true(all(1 / zeros == Inf))
  }
})

test_that("scales are recycled over the draws, and draws are independent", {
  set.seed(104)
  y <- rdiscrete_gaussian(1001, c(2^-30, 2^40), rng = "R")
  expect_true(all(y[c(TRUE, FALSE)] == 0))
  expect_true(all(y[c(FALSE, TRUE)] != 0))
  expect_length(rdiscrete_laplace(0, 1), 0)
  for (draw in list(rdiscrete_laplace, rdiscrete_gaussian)) {
    z <- draw(1e5, 3, rng = "R")
    # the standard error is 0.0032
    for (lag in 1:3) expect_lt(abs(stats::cor(z[-seq_len(lag)], z[seq_len(1e5 - lag)])), 0.016)
    expect_lt(abs(stats::cor(abs(z[-1]), abs(z[-1e5]))), 0.016)
  }
})

test_that("Bernoulli draws have the probability of a double, to its last digit", {
  set.seed(105)
  n <- 1e5
  for (p in c(2^-20, 0.1, 1 / 3, 0.5, 0.75, 1 - 2^-10)) {
    expect_gt(stats::binom.test(sum(coins(n, p, "bernoulli")), n, p)$p.value, rarely)
  }
  expect_true(all(coins(100, 1, "bernoulli") == 1))
  expect_true(all(coins(100, 1 - 2^-53, "bernoulli") == 1))
  for (p in c(0, 2^-1074, 2^-60)) expect_true(all(coins(100, p, "bernoulli") == 0))
})

test_that("Bernoulli draws of exp(-x) have that probability for every double", {
  set.seed(106)
  n <- 1e5
  for (x in c(2^-16, 0.1, 0.5, 1 - 2^-53, 1, 1.7, 2, 5.25)) {
    expect_gt(stats::binom.test(sum(coins(n, x, "exp")), n, exp(-x))$p.value, rarely)
  }
  for (x in c(0, 2^-1074, 1e-300, 2^-60)) expect_true(all(coins(100, x, "exp") == 1))
  for (x in c(60, 1e6, 2^60, .Machine$double.xmax, Inf)) expect_true(all(coins(100, x, "exp") == 0))
})

test_that("whole numbers below a bound are uniform", {
  set.seed(107)
  expect_true(all(coins(10, 1, "below") == 0))
  for (bound in c(2, 3, 7, 64, 100)) {
    y <- coins(1e5, bound, "below")
    expect_gt(discrete_fit(y, seq_len(bound) - 1, rep(1 / bound, bound)), rarely)
  }
  for (bound in c(2^33 + 1, 2^53)) {
    expect_gt(suppressWarnings(stats::ks.test(coins(1e5, bound, "below") / bound, "punif"))$p.value, rarely)
  }
  expect_true(all(coins(1000, 2^63, "below") < 2^63))
})

test_that("a scale is rounded up to 24 bits and no further", {
  set.seed(108)
  scale <- c(2^stats::runif(1000, -30, 40), 2^(-30:40), 1 - 2^-53, 1 + 2^-52)
  rounded <- round_scale(scale)
  expect_true(all(rounded >= scale & rounded < scale * (1 + 2^-22)))
  unit <- 2^(floor(log2(rounded)) - 23)
  expect_true(all(rounded / unit == floor(rounded / unit)))
  expect_identical(round_scale(c(0, 1e-320, 2^-31)), rep(2^-30, 3))
  expect_identical(round_scale(c(1, 3, 1234567)), c(1, 3, 1234567))
  expect_identical(round_scale(c(2^40 + 1, Inf, NaN, -1)), rep(NA_real_, 4))
})

# Is scale * budget - sensitivity at least zero? Exactly: the products of parts
# of 26 bits are exact, the first difference too, and rounding keeps a sign.
charges <- function(scale, budget, sensitivity) {
  head <- signif_bits(budget, 26)
  (scale * head - sensitivity) + scale * (budget - head) >= 0
}
signif_bits <- function(x, bits) {
  unit <- 2^(floor(log2(x)) - bits + 1)
  floor(x / unit) * unit
}

test_that("the scale for a budget never falls short, and the next smaller one does", {
  set.seed(109)
  sensitivity <- as.double(sample(2^20, 2000))
  budget <- sensitivity / 2^stats::runif(2000, -25, 35)
  laplace <- mapply(scale_for, "laplace", sensitivity, budget)
  expect_true(all(charges(laplace, budget, sensitivity)))
  expect_false(any(charges(signif_bits(laplace * (1 - 2^-25), 24), budget, sensitivity)))
  gaussian <- mapply(scale_for, "gaussian", sensitivity, budget)
  expect_true(all(gaussian^2 * 2 * budget >= sensitivity * (1 - 4e-16)))
  expect_true(all(gaussian <= pmax(2^-30, sqrt(sensitivity / 2 / budget)) * (1 + 2^-22)))
  # budgets that divide to a scale of 24 bits but for a rounding
  budget <- as.vector(outer(1 / (sample(2^23, 500) + 2^23), 1 + (-1:1) * 2^-52))
  expect_true(all(charges(mapply(scale_for, "laplace", 1, budget), budget, 1)))
  expect_identical(scale_for("gaussian", 1, 1 / 2), 1)
  expect_identical(scale_for("gaussian", 2, 2^-40), 2^20)
  expect_identical(scale_for("laplace", 0, 1), 2^-30)
  expect_identical(scale_for("laplace", 1, .Machine$double.xmax), 2^-30)
  expect_identical(scale_for("laplace", 1, 2^-1074), NA_real_)
})

test_that("sensitivities whose products have bits below 2^-1074 are refused", {
  budget <- 2^34 - 1
  sensitivity <- budget + 2^11
  expect_identical(scale_for("laplace", sensitivity, budget), 1 + 2^-22)
  # the same quotient, whose remainder would be rounded to zero
  expect_error(scale_for("laplace", sensitivity * 2^-1074, budget * 2^-1074), class = "dptda_error_argument")
  for (kind in names(noise_kinds)) {
    expect_error(scale_for(kind, c(1, 2^-901), 1), class = "dptda_error_argument")
    expect_identical(scale_for(kind, c(0, 2^-900), 2^-900), c(2^-30, scale_for(kind, 1, 1)))
  }
  expect_identical(scale_for("laplace", sensitivity * 2^-934, budget * 2^-934), 1 + 2^-22)
})

# 256 bytes of each seed in a row, as in checks/laws/vectors.py. By the seed, a third of the rows have few ones, and a
# third few zeros.
bytes_of <- function(seed) {
  state <- seed
  next_byte <- function() {
    state <<- (16807 * state) %% (2^31 - 1)
    as.integer(state %/% 2^12 %% 256)
  }
  vapply(1:256, function(i) {
    first <- next_byte()
    second <- next_byte()
    ifelse(seed %% 3 == 0, first, ifelse(seed %% 3 == 1, bitwAnd(first, second), bitwOr(first, second)))
  }, seed)
}

test_that("draws are those of a second program, which was written from the proofs alone", {
  vectors <- utils::read.csv(test_path("noise-vectors.csv"), colClasses = c(scale = "character", scores = "character"))
  expect_identical(as.vector(table(vectors$kind)), rep(200L, 4))
  kinds <- c(noise_kinds, choice = 3L)
  bytes <- bytes_of(as.double(vectors$seed))
  drawn <- vapply(seq_len(nrow(vectors)), function(i) {
    case <- vectors[i, ]
    scores <- as.double(strsplit(case$scores, " ", fixed = TRUE)[[1]])
    .Call(ffi_test_noise_words, kinds[[case$kind]], as.double(case$scale), scores, as.raw(bytes[i, ]), kernel_options())
  }, double(2))
  expect_identical(drawn, rbind(as.double(vectors$value), as.double(vectors$words)))
})

test_that("values are added before anything is rounded", {
  expect_identical(add_noise(c(0, 2^52, -2^52, 2^53), 2^-30, "laplace", "os"), c(0, 2^52, -2^52, 2^53))
  y <- add_noise(rep(2^52, 1000), 3, "gaussian", "os") - 2^52
  expect_true(all(abs(y) < 50) && stats::sd(y) > 2)
})

test_that("noise on a list is that of one vector after the other", {
  values <- list(c(1, 5), double(), 7:9 / 1)
  for (kind in names(noise_kinds)) {
    set.seed(112)
    apart <- lapply(values, add_noise, c(3, 30), kind, "R")
    state <- .Random.seed
    set.seed(112)
    expect_identical(add_noise(values, c(3, 30), kind, "R"), apart)
    expect_identical(.Random.seed, state)
  }
  expect_identical(add_noise(list(), 3, "laplace", "R"), list())
  expect_error(add_noise(list(1, "a"), 3, "laplace", "R"), class = "dptda_error_argument")
})

test_that("the stated half width holds what it says", {
  set.seed(110)
  for (scale in c(2^-30, 0.4, 1, 2.5, 30)) {
    y <- seq(-ceiling(60 * scale) - 5, ceiling(60 * scale) + 5)
    for (kind in c("laplace", "gaussian")) {
      p <- if (kind == "laplace") laplace_probability(y, scale) else rounded_probability(y, scale)
      for (level in c(0.5, 0.95, 0.999)) {
        half <- noise_half_width(kind, scale, level)
        expect_gte(sum(p[abs(y) <= half]), level - 1e-12)
        if (half > 0) expect_lt(sum(p[abs(y) <= half - 1]), level + 1e-12)
      }
    }
  }
  expect_equal(noise_half_width("gaussian", 2^30), stats::qnorm(0.975) * 2^30, tolerance = 1e-6)
})

test_that("rng = \"R\" obeys the seed and \"os\" leaves R's stream alone", {
  set.seed(5); a <- rdiscrete_gaussian(20, 1000, rng = "R")
  set.seed(5); b <- rdiscrete_gaussian(20, 1000, rng = "R")
  expect_identical(a, b)
  state <- .Random.seed
  expect_false(identical(rdiscrete_gaussian(20, 1000), rdiscrete_gaussian(20, 1000)))
  expect_identical(.Random.seed, state)
})

test_that("forked workers never draw the same noise", {
  skip_on_os("windows")
  for (set_seed in c(TRUE, FALSE)) {
    rdiscrete_laplace(1, 1) # something has been drawn before the fork
    draws <- parallel::mclapply(1:6, function(i) rdiscrete_gaussian(5, 2^39), mc.cores = 2, mc.set.seed = set_seed)
    expect_identical(anyDuplicated(unlist(draws)), 0L)
  }
})

test_that("neither a reload nor a restored session draws the same noise again", {
  skip_on_cran()
  image <- tempfile(fileext = ".RData")
  withr::defer(unlink(image))
  draw <- "cat(format(rdiscrete_gaussian(3, 2^39), digits = 17), sep = '\\n')"
  first <- in_new_session(c("library(dptda)", "set.seed(1)", draw, "unloadNamespace('dptda')", "library(dptda)", draw,
                            "release <- private_count(TRUE, epsilon = 1)",
                            sprintf("save.image(%s)", encodeString(image, quote = "\""))))
  restored <- c(sprintf("load(%s)", encodeString(image, quote = "\"")), "library(dptda)", draw)
  second <- in_new_session(c(restored, "cat(identical(privacy(release)$measure, c(epsilon = 1)))"))
  third <- in_new_session(restored)
  expect_length(first, 6)
  expect_identical(second[4], "TRUE")
  expect_identical(anyDuplicated(c(first, second[1:3], third)), 0L)
})

test_that("bad arguments are classed errors", {
  for (draw in list(rdiscrete_laplace, rdiscrete_gaussian)) {
    for (bad in list(0, -1, 2^-31, 2^41, Inf, NA, "1", NULL, double(), factor(1))) {
      expect_error(draw(1, bad), class = "dptda_error_argument")
    }
    for (bad in list(-1, 1.5, NA, "1", c(1, 2), Inf)) expect_error(draw(bad, 1), class = "dptda_error_argument")
    expect_error(draw(1, 1, "seed"), class = "dptda_error_argument")
  }
})
