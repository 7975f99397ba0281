# Two laws on a few outputs, and the largest divergence over its order, of all orders.
some_pair <- function(k) {
  p <- stats::rexp(k)
  q <- p * exp(stats::runif(k, -1, 1))
  list(p = p / sum(p), q = q / sum(q))
}
true_rho <- function(pair) {
  alpha <- 1 + exp(seq(-6, 6, length.out = 100))
  # between the orders, by a slack that covers the grid
  max(vapply(alpha, function(a) log_sum(a * log(pair$p) + (1 - a) * log(pair$q)) / (a - 1) / a, 0)) * (1 + 1e-2)
}

# What a test on counts needs; the levels are a guess at the log ratio.
bets_for <- function(levels, pair, order, runs, alarm) {
  bets <- order_bets(levels, pair$p * runs, pair$q * runs, runs, alarm)
  as.list(bets[, which(divergence_orders == order)])
}

test_that("the variational bound is the divergence at the log ratio, and less elsewhere", {
  set.seed(330)
  for (i in 1:5) {
    pair <- some_pair(6)
    value <- function(levels, order) {
      means <- power_means(levels, order)
      log(sum(pair$p * means$first)) / (order - 1) - log(sum(pair$q * means$second)) / order
    }
    for (order in divergence_orders) {
      exact <- log(sum(pair$p^order * pair$q^(1 - order))) / (order - 1) / order
      expect_equal(value(log(pair$p / pair$q), order), exact)
      expect_lte(value(log(pair$p / pair$q) + stats::rnorm(6), order), exact)
    }
  }
})

test_that("the bound is the least value that the three statements leave, from below", {
  set.seed(331)
  for (i in 1:10) {
    pair <- some_pair(5)
    runs <- 500
    order <- sample(divergence_orders[1:9], 1)
    levels <- log(pair$p / pair$q)
    bets <- bets_for(levels, pair, order, runs, 0.01)
    means <- power_means(levels, order)
    first <- as.vector(stats::rmultinom(1, runs, pair$p))
    second <- as.vector(stats::rmultinom(1, runs, pair$q))
    found <- divergence_bound(means, first, second, bets, 0.01)
    # brute force over a grid of both averages
    a <- seq(min(means$first), max(means$first), length.out = 800)
    b <- seq(min(means$second), max(means$second), length.out = 800)
    wealth_a <- vapply(a, function(at) sum(first * log1p(bets$bet_first * (means$first - at))), 0)
    wealth_b <- vapply(b, function(at) sum(second * log1p(bets$bet_second * (at - means$second))), 0)
    expect_equal(wealth(first, means$first, a, bets$bet_first), wealth_a)
    left <- outer(wealth_a, wealth_b, "+") < log(1 / 0.008) & outer(wealth_a < log(1000), wealth_b < log(1000), "&")
    values <- outer(log(a) / (order - 1), log(b) / order, "-")
    expect_lte(found, min(values[left]) + 1e-12)
    expect_gt(found, min(values[left]) - 0.05 * max(abs(values)))
  }
})

test_that("the bound exceeds the truth as rarely as stated, whatever function was chosen", {
  skip_unless_long()
  # alarm 0.05, 600 tests: more than qbinom() says have probability 0.001; held against the largest of all orders
  set.seed(332)
  excess <- replicate(600, {
    pair <- some_pair(sample(2:8, 1))
    runs <- sample(c(40, 300, 3000), 1)
    levels <- pmin(pmax(log(pair$p / pair$q) + stats::rnorm(length(pair$p), 0, 0.3), -2), 2)
    bets <- bets_for(levels, pair, sample(divergence_orders, 1), runs, 0.05)
    first <- as.vector(stats::rmultinom(1, runs, pair$p))
    second <- as.vector(stats::rmultinom(1, runs, pair$q))
    divergence_bound(power_means(levels, bets$order), first, second, bets, 0.05) > true_rho(pair)
  })
  expect_lte(sum(excess), stats::qbinom(0.999, 600, 0.05))
})

test_that("an audit of rho rejects exact noise as rarely as stated, and finds 10 % too little", {
  skip_unless_long()
  set.seed(333)
  audit <- function(sd, runs, level = 0.99, data = c(0, 1), rho = 1 / 2, ...) {
    audit_mechanism(draws = normal_draws(sd), x = data[1], neighbor = data[2], rho = rho, runs = runs,
                  level = level, ...)
  }
  # at 90 %, 100 audits of noise that is exactly what rho asks for: more than 20 have probability 0.001
  rejected <- replicate(100, audit(1, sample(c(200, 2000), 1), 0.9)$rejected)
  expect_lte(sum(rejected), stats::qbinom(0.999, 100, 0.1))
  # the power was measured as 1 at 40,000 runs (rho = 1/2) and at 200,000 (rho = 1/18)
  for (data in list(c(0, 1), c(1, 0))) expect_true(audit(0.9, 1e5, data = data)$rejected)
  expect_true(audit(0.9, 2e5, data = c(0, 1 / 3), rho = 1 / 18)$rejected)
  # and honest noise is found to be nearly what it is
  near <- audit(1, 2e5)
  expect_false(near$rejected)
  expect_gt(near$lower, 0.45)
  # a score of the user's own serves as well; events alone are taken at their word
  expect_gt(audit(1, 2e5, classifier = function(output) output)$lower, 0.45)
  by_event <- audit(1, 2000, events = list(function(output) output > 1))
  expect_null(by_event$divergence)
})

test_that("a bound that rests on a divergence says so, and can be drawn", {
  set.seed(334)
  found <- audit_mechanism(draws = normal_draws(0.5), x = 0, neighbor = 1, rho = 1 / 2, runs = 4000)
  expect_identical(names(found$divergence), c("description", "favors", "order"))
  expect_match(format(found)[2], "^REJECTED: rho is at least")
  expect_match(format(found)[3], "^divergence: of order .*, through ")
  expect_match(format(found)[4], "averages over 2000 runs on each; chosen on 2000 other runs", fixed = TRUE)
  expect_lte(found$lower, found$reach)
  expect_identical(dim(as.data.frame(found)), c(1L, 9L))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(found), found)
  # told apart with certainty, or not at all
  apart <- audit_mechanism(function(data) data, 0, 1, rho = 1 / 2, runs = 400)
  expect_equal(apart$lower, apart$reach, tolerance = 0.05)
  same <- audit_mechanism(function(data) 1, 0, 1, rho = 1 / 2, runs = 40)
  expect_identical(same$lower, 0)
})
