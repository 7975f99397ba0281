# Intervals for a proportion in the population: inst/proofs/number-population.md.

# ---- the law of a noisy count, by brute force ------------------------------------------------------------------------

new_law <- function(n, sd, kind = "laplace", weight = 1) {
  list(n = n, weight = weight, kind = kind, scale = sd * weight, sd = sd)
}

# P(noise <= k) from probabilities of single integers.
slow_noise_below <- function(k, law) {
  if (law$kind == "gaussian") return(stats::pnorm(k + 0.5, sd = law$scale))
  y <- seq.int(-ceiling(45 * law$scale) - 5, ceiling(45 * law$scale) + 5)
  at <- exp(-abs(y) / law$scale)
  below <- c(0, cumsum(at / sum(at)))
  below[pmin(pmax(k - y[1] + 2, 1), length(below))]
}

slow_count_below <- function(z, p, law, mid) {
  x <- 0:law$n
  below <- function(z) sum(stats::dbinom(x, law$n, p) * slow_noise_below(z - law$weight * x, law))
  if (mid) (below(z) + below(z - 1)) / 2 else below(z)
}

slow_counts_below <- function(z, p, law, mid) {
  vapply(seq_along(z), function(i) slow_count_below(z[i], p[i], law, mid), 0)
}

test_that("the law of a noisy count is the sum over all binomial counts", {
  set.seed(801)
  for (kind in c("laplace", "gaussian")) for (weight in c(1, 64)) for (sd in c(0.05, 0.4, 1, 1.5, 7, 30, 200)) {
    for (n in c(1, 40, 3000)) {
      law <- new_law(n, sd, kind, weight)
      p <- c(0, 1e-6, 0.02, 0.3, 0.5, 0.97, 1)
      spread <- sqrt(n * p * (1 - p) + sd^2) + 0.3
      z <- pmin(pmax(round(weight * (n * p + 1.5 * spread * stats::rnorm(7))), 0), n * weight)
      for (mid in c(TRUE, FALSE)) for (less in c(0, 1)) {
        slow <- slow_counts_below(z - less, p, law, mid)
        expect_lt(max(abs(count_below(z - less, p, law, mid) - slow)), 1e-11)
      }
    }
  }
})

test_that("large counts lose no digits that matter: sums in steps, and tilted laws", {
  # both forms of statement 5, and statement 4 beside its direct sum over the noise
  for (n in c(1e6, 1e9)) for (p in c(1e-4, 0.03, 0.5)) {
    sigma <- sqrt(n * p * (1 - p))
    for (ratio in c(0.1, 0.9, 1.1, 20)) {
      law <- new_law(n, ratio * sigma, "gaussian")
      z <- round(n * p + c(-2, 0, 1) * sqrt(sigma^2 + law$sd^2))
      same <- rep(p, 3)
      if (ratio %in% c(0.9, 1.1) && sigma > 9) {
        expect_equal(sum_by_noise(z, same, law, TRUE), sum_by_count(z, same, rep(sigma, 3), law, TRUE),
                     tolerance = 1e-9)
      }
      # the form in use is the normal law, up to the skewness of the binomial law
      expect_lt(max(abs(count_below(z, same, law, TRUE) - stats::pnorm((z - n * p) / sqrt(sigma^2 + law$sd^2)))),
                0.1 / sigma)
    }
    law <- new_law(n, 3)
    z <- round(n * p + c(-2, 0, 1) * sigma)
    y <- -150:150
    at <- exp(-abs(y) / 3)
    slow <- vapply(z, function(z) sum(at / sum(at) * stats::pbinom(z - y, n, p)), 0)
    expect_lt(max(abs(count_below(z, rep(p, 3), law, FALSE) - slow)), 2^-48 * n / 3 + 1e-12)
  }
})

# ---- intervals -------------------------------------------------------------------------------------------------------

test_that("bounds are where the tails have half of the error probability, and sets are never empty", {
  for (kind in c("laplace", "gaussian")) for (n in c(1, 60, 1000)) for (sd in c(0.3, 2, 50)) {
    law <- new_law(n, sd, kind)
    z <- unique(round(c(-1e6, -3 * sd, 0, n / 7, n / 2, n, n + 2 * sd, 1e9)))
    for (level in c(0.5, 0.95, 0.999)) for (exact in c(TRUE, FALSE)) {
      ends <- share_ends(z, law, level, exact)
      expect_true(all(ends[, 1] <= ends[, 2] & ends >= 0 & ends <= 1))
      expect_true(all(diff(ends[, 1]) >= -1e-12 & diff(ends[, 2]) >= -1e-12))
      inner <- z >= 0 & ends[, 2] < 1
      upper <- slow_counts_below(z[inner], ends[inner, 2], law, !exact)
      expect_equal(upper, rep((1 - level) / 2, sum(inner)), tolerance = 1e-7)
      inner <- z <= n & ends[, 1] > 0
      lower <- slow_counts_below(z[inner] - exact, ends[inner, 1], law, !exact)
      expect_equal(lower, rep((1 + level) / 2, sum(inner)), tolerance = 1e-7)
    }
    # far outside, and so for every set that is empty
    expect_equal(share_ends(-1e6, law, 0.95, FALSE), cbind(0, min(share_ends(0, law, 0.95, FALSE)[, 2], 1 / 3)))
    near <- share_ends(-1, law, 0.95, FALSE)
    expect_true(near[, 1] == 0 && near[, 2] <= share_ends(0, law, 0.95, FALSE)[, 2])
    # symmetric
    expect_equal(share_ends(3, law, 0.95, FALSE), 1 - share_ends(n - 3, law, 0.95, FALSE)[, 2:1, drop = FALSE],
                 tolerance = 1e-9)
  }
})

test_that("without noise, the exact interval is that of Clopper and Pearson", {
  for (x in c(0, 1, 17, 40)) {
    ends <- confint(private_count(rep(c(TRUE, FALSE), c(x, 40 - x)), epsilon = noiseless), of = "population",
                    exact = TRUE)
    expect_equal(as.vector(ends) / 40, as.vector(stats::binom.test(x, 40)$conf.int), tolerance = 1e-9)
  }
})

# The first and the last noisy count whose interval contains p: bounds increase with the count (as tested above).
accepted_counts <- function(p, law, level, exact) {
  ends <- function(z) share_ends(z, law, level, exact)
  reach <- ceiling(45 * law$sd) * law$weight
  most <- law$n * law$weight + reach
  # the first count that reaches a bound, among 40 at a time
  cross <- function(low, high, reached) {
    while (high - low > 1) {
      middle <- unique(round(seq(low, high, length.out = 42)))
      middle <- middle[middle > low & middle < high]
      yes <- reached(middle)
      low <- max(low, middle[!yes])
      high <- min(high, middle[yes])
    }
    high
  }
  first <- cross(-reach, most, function(z) ends(z)[, 2] >= p)
  last <- cross(-reach, most, function(z) ends(z)[, 1] > p) - 1
  c(if (first == 1 - reach) -Inf else first, if (last == most - 1) Inf else last)
}

# The probability that the interval contains p. No simulation.
exact_coverage <- function(p, law, level, exact) {
  accepted <- accepted_counts(p, law, level, exact)
  below <- function(z) if (is.finite(z)) slow_count_below(z, p, law, FALSE) else as.double(z > 0)
  below(accepted[2]) - below(accepted[1] - 1)
}

test_that("intervals contain the proportion of the population as often as they say", {
  settings <- rbind(expand.grid(p = c(0, 0.01, 0.5), n = c(50, 300), sd = c(0.25, 1, 10)),
                    expand.grid(p = c(0.003, 0.8), n = 2, sd = c(1, 20)))
  for (kind in c("laplace", "gaussian")) for (i in seq_len(nrow(settings))) {
    s <- settings[i, ]
    if (kind == "gaussian" && i %% 3 == 0) next # to save time
    law <- new_law(s$n, s$sd, kind)
    level <- c(0.95, 0.99)[1 + i %% 2]
    expect_gte(exact_coverage(s$p, law, level, TRUE), level)
    mid <- exact_coverage(s$p, law, 0.95, FALSE)
    expect_gte(mid, 0.93)
    if (s$n > 2 && s$p > 0) expect_lte(mid, 0.99)
  }
})

test_that("210 settings keep the coverage, at two levels", {
  skip_unless_long()
  settings <- expand.grid(p = c(0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5), n = c(50, 200, 1000, 5000, 20000),
                          epsilon = c(0.1, 0.25, 0.5, 1, 2, 4))
  for (i in seq_len(nrow(settings))) {
    s <- settings[i, ]
    law <- new_law(s$n, 1 / s$epsilon)
    for (level in c(0.95, 0.99)) {
      expect_gte(exact_coverage(s$p, law, level, TRUE), level)
      mid <- exact_coverage(s$p, law, level, FALSE)
      expect_true(mid >= if (level == 0.95) 0.93 else 0.98)
      expect_lte(mid, if (level == 0.95) 0.99 else 0.999)
    }
  }
})

test_that("the binomial law is conservative for people with several rows", {
  # fractions of each person's rows: constant, beta, and a mixture of few values. Coverage by 4,000 draws with a fixed
  # seed; an interval that misses 5% fails with probability 1e-6
  set.seed(802)
  laws <- list(function(n, p) rep(p, n), function(n, p) stats::rbeta(n, p, 1 - p),
               function(n, p) stats::rbeta(n, 4 * p, 4 * (1 - p)), function(n, p) (stats::runif(n) < 2 * p) / 2)
  weight <- 1024
  for (n in c(3, 50, 400)) for (p in c(0.02, 0.3)) for (sd in c(0.25, 2)) {
    accepted <- accepted_counts(p, new_law(n, sd, weight = weight), 0.95, FALSE)
    for (law in laws) {
      z <- replicate(4000, sum(round(weight * law(n, p)))) + rdiscrete_laplace(4000, sd * weight, rng = "R")
      expect_gte(sum(accepted[1] <= z & z <= accepted[2]), stats::qbinom(1e-6, 4000, 0.95))
    }
  }
})

test_that("a release of each kind has the interval of its own noise, weight, and number of units", {
  x <- data.frame(a = rep(c(TRUE, FALSE, FALSE), 40), g = rep(c("u", "v"), 60), who = rep(1:30, 4), v = 1:120)
  people <- table_rows(x, c("a", "g", "v"), person = "who")
  check <- function(release, n, sd, kind = "laplace", unit = 1) {
    noise <- release$noise
    weight <- privacy(release)$public$weight
    law <- new_law(n, sd, kind, if (is.null(weight)) 1 else weight)
    expect_equal(noise$scale[1] * noise$step, sd / unit, tolerance = 1e-6)
    expect_equal(confint(release, of = "population"),
                 n / unit * share_ends(release$value * unit * law$weight, law, 0.95, FALSE), ignore_attr = TRUE,
                 tolerance = 1e-6)
  }
  check(private_count(x$a, epsilon = 0.5), 120, 2)
  check(private_count(x$a, rho = 0.02), 120, 5, "gaussian")
  check(private_proportion(x$a, epsilon = 0.5), 120, 2, unit = 120)
  check(private_table(x$g, c("u", "v"), epsilon = 0.5), 120, 4)
  check(private_histogram(x$v, c(0, 50, 130), epsilon = 0.5), 120, 4)
  check(private_count(x, epsilon = 0.5, columns = "a", by = list(g = c("u", "v"))), 120, 4)
  check(private_table(people, list(g = c("u", "v")), columns = "g", epsilon = 0.5), 30, 4)
  check(private_proportion(people, columns = "a", epsilon = 0.5), 30, 2, unit = 30)
  # a database releases the same number, and the law needs its public number of rows alone
  skip_if_not_installed("RSQLite")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "x", x["g"])
  check(private_table(dplyr::tbl(connection, "x"), list(g = c("u", "v")), epsilon = 0.5), 120, 4)
  # no rows at all
  expect_equal(confint(private_count(logical(), epsilon = 1), of = "population"), matrix(0, 1, 2), ignore_attr = TRUE)
})
