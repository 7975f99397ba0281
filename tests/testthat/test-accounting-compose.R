# Values of the measures over which the identities are checked.
sizes <- c(1e-300, 1e-8, .01, .3, 1, 5, 40, 700)
deltas <- c(1e-300, 1e-12, 1e-5, .1)

number <- function(x, ...) privacy_convert(x, ...)$measure[[1]]
epsilon_at <- function(x, delta) number(x, delta = delta)
delta_at <- function(x, epsilon) privacy_convert(x, epsilon = epsilon)$measure[["delta"]]
range_privacy <- function(epsilon) privacy_declare(epsilon = epsilon, bounded_range = TRUE)

# Oracles: the definitions, by quadrature or by enumeration ------------------------

renyi_of_pair <- function(p, q, alpha) log(sum(p^alpha * q^(1 - alpha))) / (alpha - 1)

stick_of_pair <- function(p, q, epsilon) sum(pmax(p - exp(epsilon) * q, 0))

# all outcomes of k randomized responses
response_pair <- function(epsilons) {
  p <- q <- 1
  for (epsilon in epsilons) {
    truth <- plogis(epsilon)
    p <- as.vector(outer(p, c(truth, 1 - truth)))
    q <- as.vector(outer(q, c(1 - truth, truth)))
  }
  list(p = p, q = q)
}

test_that("pure privacy becomes rho by the best bound, never worse than the simple one", {
  rho <- vapply(sizes, function(epsilon) number(c(epsilon = epsilon), "rho"), 0)
  expect_true(all(rho > 0 & rho <= pmax(sizes^2 / 2 * (1 + 1e-15), 1e-307)))
  bounded <- vapply(sizes, function(epsilon) number(range_privacy(epsilon), "rho"), 0)
  expect_true(all(bounded > 0 & bounded <= rho & bounded <= pmax(sizes^2 / 8 * (1 + 1e-15), 1e-307)))
  # the rho holds at every order and is reached in the limit
  for (epsilon in c(.01, .3, 1, 5, 12)) {
    truth <- plogis(epsilon)
    alpha <- c(1.0001, 1.01, 1.5, 2, 5, 20)
    loss <- vapply(alpha, function(a) renyi_of_pair(c(truth, 1 - truth), c(1 - truth, truth), a), 0)
    rho <- number(c(epsilon = epsilon), "rho")
    expect_true(all(loss <= rho * alpha * (1 + 1e-9)))
    expect_equal(loss[1], rho, tolerance = 1e-3)
  }
})

test_that("rho of a bounded range holds for every pair with that range", {
  for (epsilon in c(.01, .3, 1, 5, 12)) {
    rho <- number(range_privacy(epsilon), "rho")
    for (alpha in c(1.001, 1.5, 2, 8)) {
      loss <- vapply(seq(.01, .99, length.out = 99) * epsilon, function(top) {
        q <- (exp(-top) - exp(-epsilon)) / -expm1(-epsilon)
        renyi_of_pair(c(q * exp(top), (1 - q) * exp(top - epsilon)), c(q, 1 - q), alpha)
      }, 0)
      worst <- range_renyi(epsilon, alpha - 1)
      expect_lte(max(loss), worst * (1 + 1e-7))
      expect_gt(max(loss), worst * .99)
      expect_lte(worst, rho * alpha * (1 + 1e-9))
    }
  }
})

test_that("Renyi divergences are those of the definition, also where they are tiny", {
  for (epsilon in c(1e-3, .3, 2, 15)) {
    truth <- plogis(epsilon)
    for (alpha in c(1.1, 2, 7.5, 30)) {
      expect_equal(response_renyi(epsilon, alpha - 1), renyi_of_pair(c(truth, 1 - truth), c(1 - truth, truth), alpha),
                   tolerance = 1e-7)
    }
  }
  expect_equal(response_renyi(1e-9, 1) / 1e-18, 1)
  expect_equal(response_renyi(c(1, 700), 1e9), c(1, 700))
  expect_equal(range_renyi(1e-9, 1) / (2e-18 / 8), 1)
  expect_equal(range_renyi(700, 1e9), 700)
  # the series and the closed form meet
  for (s in c(.1, 1, 50)) {
    edge <- .05 / (1 + s)
    expect_equal(range_renyi(edge * (1 - 1e-9), s), range_renyi(edge * (1 + 1e-9), s), tolerance = 1e-8)
  }
  expect_equal(range_rho(.05 - 1e-12), range_rho(.05 + 1e-12), tolerance = 1e-9)
})

test_that("rho becomes epsilon by the tight formula, never worse than the simple one", {
  for (rho in sizes) {
    for (delta in deltas) {
      tight <- epsilon_at(c(rho = rho), delta)
      expect_lte(tight, rho + 2 * sqrt(rho * -log(delta)))
      # the formula itself, at many orders
      alpha <- 1 + 10^seq(-5, 10, by = .02)
      formula <- rho * alpha + log1p(-1 / alpha) - (log(delta) + log(alpha)) / (alpha - 1)
      expect_lte(tight, max(0, min(formula[alpha > 1])) * (1 + 1e-9) + 1e-300)
    }
  }
  # and back
  expect_equal(delta_at(c(rho = .5), epsilon_at(c(rho = .5), 1e-6)), 1e-6, tolerance = 1e-6)
  # the formula of the rules, minimized by optimize()
  formula <- function(alpha, rho, epsilon) {
    exp((alpha - 1) * (alpha * rho - epsilon)) / (alpha - 1) * (1 - 1 / alpha)^alpha
  }
  least <- optimize(formula, c(1.01, 100), rho = .1, epsilon = 2)$objective
  expect_equal(delta_at(c(rho = .1), 2), least, tolerance = 1e-6)
})

test_that("a Gaussian has its exact curve", {
  for (mu in c(.05, .4, 1, 6)) {
    for (epsilon in c(0, .1, 1, 8)) {
      # the hockey stick by quadrature; above `from` the first density wins
      from <- epsilon / mu + mu / 2
      stick <- integrate(function(x) dnorm(x, mu) * -expm1(epsilon + mu^2 / 2 - mu * x), from, from + 40,
                         rel.tol = 1e-11, abs.tol = 0)$value
      if (stick < 1e-250) next
      expect_equal(delta_at(c(mu = mu), epsilon) / stick, 1, tolerance = 1e-8)
    }
  }
  # published: Gaussian noise of standard deviation one gives about (1, 0.1269)
  expect_equal(delta_at(c(mu = 1), 1), pnorm(-.5) - exp(1) * pnorm(-1.5))
  for (delta in deltas) {
    for (mu in c(.01, 1, 30)) {
      exact <- epsilon_at(c(mu = mu), delta)
      expect_lte(exact, epsilon_at(c(rho = mu^2 / 2), delta))
      if (exact > 0) expect_equal(delta_at(c(mu = mu), exact) / delta, 1, tolerance = 1e-6)
      if (exact == 0) expect_lte(delta_at(c(mu = mu), 0), delta)
    }
  }
  # nearly no loss, and the symmetry that negative epsilons use
  expect_equal(exp(gaussian_log_delta(0, 1e-12)) / (1e-12 / sqrt(2 * pi)), 1)
  expect_equal(exp(gaussian_log_delta(-2, .5)), -expm1(-2) + exp(-2) * exp(gaussian_log_delta(2, .5)))
  # the two ways to compute it meet, and so do the two of the tail
  close <- gaussian_log_delta(c(.01, .01), .1 * (1 + c(-1e-9, 1e-9)))
  expect_equal(close[1], close[2], tolerance = 1e-8)
  expect_equal(mills_slope(49.999), mills_slope(50.001), tolerance = 1e-3)
})

test_that("a pure mechanism trades epsilon for delta as randomized response does", {
  for (epsilon in c(.01, 1, 5)) {
    for (share in c(0, .3, .9)) {
      truth <- plogis(epsilon)
      expect_equal(delta_at(c(epsilon = epsilon), share * epsilon),
                   stick_of_pair(c(truth, 1 - truth), c(1 - truth, truth), share * epsilon))
    }
  }
  for (epsilon in sizes) {
    expect_identical(epsilon_at(c(epsilon = epsilon), 0), epsilon)
    expect_identical(delta_at(c(epsilon = epsilon), epsilon), 0)
    expect_lte(epsilon_at(c(epsilon = epsilon), 1e-5), epsilon)
    mu <- number(c(epsilon = epsilon), "mu")
    expect_true(mu > 0)
    for (delta in c(1e-12, 1e-3)) {
      # a weaker statement must not give more
      expect_gte(epsilon_at(c(mu = mu), delta) * (1 + 1e-9), epsilon_at(c(epsilon = epsilon), delta) * (1 - 1e-9))
    }
  }
  expect_equal(response_mu(1e-5 * (1 - 1e-9)), response_mu(1e-5 * (1 + 1e-9)), tolerance = 1e-8)
})

test_that("pure mechanisms compose optimally", {
  for (epsilons in list(rep(.4, 9), c(.1, .5, 1), seq(.05, .5, length.out = 10))) {
    pair <- response_pair(epsilons)
    together <- privacy_compose(lapply(epsilons, function(epsilon) c(epsilon = epsilon)))
    for (epsilon in c(0, .3, 1, 2, sum(epsilons) * .99)) {
      expect_equal(delta_at(together, epsilon), stick_of_pair(pair$p, pair$q, epsilon), tolerance = 1e-9)
    }
    for (delta in c(1e-8, 1e-3)) {
      known <- epsilon_at(together, delta)
      expect_lte(stick_of_pair(pair$p, pair$q, known), delta * (1 + 1e-6) + 1e-15)
      expect_lte(known, sum(epsilons))
      k <- length(epsilons)
      advanced <- sum(epsilons * expm1(epsilons) / (exp(epsilons) + 1)) + sqrt(2 * log(1 / delta) * sum(epsilons^2))
      expect_lte(known, advanced)
      expect_lte(known, epsilon_at(c(rho = sum(epsilons^2) / 2), delta))
    }
  }
  # the closed form of Kairouz, Oh and Viswanath for k equal mechanisms
  k <- 20
  i <- 3
  epsilon <- .1
  l <- 0:(i - 1)
  delta <- sum(choose(k, l) * (exp((k - l) * epsilon) - exp((k - 2 * i + l) * epsilon))) / (1 + exp(epsilon))^k
  twenty <- privacy_compose(rep(list(c(epsilon = epsilon)), k))
  expect_equal(delta_at(twenty, (k - 2 * i) * epsilon), delta)
})

test_that("composed mechanisms have the smallest mu", {
  mu <- function(epsilons) number(privacy_compose(lapply(epsilons, function(one) c(epsilon = one))), "mu")
  # Google's reference value, and the largest difference of quantiles for others
  expect_equal(mu(c(1, 2)), 2.35796, tolerance = 1e-6)
  expect_equal(vapply(list(rep(1, 2), rep(1, 10), rep(.2, 10), rep(.5, 10)), mu, 0), c(1.5451, 3.1772, .6474, 1.6117),
               tolerance = 1e-4)
  # Gaussian noise beside them, and a lattice
  beside <- number(privacy_compose(c(epsilon = 1), c(epsilon = 2), c(mu = 1)), "mu")
  expect_equal(beside, sqrt(mu(c(1, 2))^2 + 1))
  expect_equal(mu(seq(.02, .04, length.out = 60)), mu(rep(sqrt(mean(seq(.02, .04, length.out = 60)^2)), 60)),
               tolerance = 1e-2)
  # all pairs with a bounded range
  for (epsilon in c(.1, 1, 4, 12)) {
    top <- seq(.001, .999, length.out = 999) * epsilon
    q <- (exp(-top) - exp(-epsilon)) / -expm1(-epsilon)
    expect_lte(max(qnorm(q * exp(top)) - qnorm(q)), number(range_privacy(epsilon), "mu") * (1 + 1e-12))
  }
  expect_equal(number(range_privacy(1), "mu"), 2 * qnorm(plogis(.5)))
})

test_that("leaks as small as doubles allow meet the delta that they were declared with", {
  leaky <- privacy_compose(c(epsilon = 1, delta = .1), c(epsilon = 2, delta = .2))
  expect_identical(privacy_convert(leaky, delta = .28)$measure, c(epsilon = 3, delta = .28))
  expect_identical(delta_at(leaky, 3), .28)
})

test_that("many unlike pure mechanisms are rounded up, by little", {
  epsilons <- seq(.02, .04, length.out = 60)
  together <- privacy_compose(lapply(epsilons, function(epsilon) c(epsilon = epsilon)))
  known <- epsilon_at(together, 1e-6)
  # between as many mechanisms with the same squares and the rho bound
  alike <- epsilon_at(privacy_compose(rep(list(c(epsilon = sqrt(mean(epsilons^2)))), 60)), 1e-6)
  expect_gt(known, alike * .99)
  expect_lt(known, alike * 1.01)
  expect_lt(delta_at(together, known * .999) , 2e-6)
  # so many that only Renyi divergences are left
  parts <- new_parts(pure = seq(.001, .002, length.out = 1200))
  expect_null(parts_losses(parts))
  expect_lte(parts_epsilon(parts, 1e-6), parts_epsilon(new_parts(rho = parts_rho(parts)), 1e-6))
  expect_equal(parts_delta(parts, parts_epsilon(parts, 1e-6)), 1e-6, tolerance = 1e-6)
})

test_that("unlike measures compose to what all of them have", {
  pure <- c(epsilon = .5)
  smooth <- c(rho = .1)
  gauss <- c(mu = .3)
  leaky <- c(epsilon = .2, delta = 1e-7)
  measure <- function(...) privacy_compose(...)$measure
  expect_equal(measure(pure, pure), c(epsilon = 1))
  expect_equal(measure(smooth, smooth), c(rho = .2))
  expect_equal(measure(c(mu = 3), c(mu = 4)), c(mu = 5))
  expect_equal(measure(pure, leaky, leaky), c(epsilon = .9, delta = 2e-7))
  expect_equal(measure(gauss, smooth), c(rho = .1 + .045))
  expect_equal(measure(pure, gauss), c(rho = .5 * tanh(.25) + .045))
  expect_equal(measure(leaky, gauss), c(rho = .2 * tanh(.1) + .045, delta = 1e-7))
  training <- privacy_subsample(4, steps = 10, batch = 10, n = 1000)
  expect_equal(measure(training, smooth), training$measure + .2)
  expect_identical(names(measure(training, leaky)), c("renyi", "delta"))
  # a Gaussian and randomized responses, by quadrature over the Gaussian
  mixed <- privacy_compose(c(epsilon = .5), c(epsilon = .5), c(mu = 1))
  pair <- response_pair(c(.5, .5))
  stick <- sum(pair$p * vapply(log(pair$p / pair$q), function(loss) {
    stick_at <- function(x) dnorm(x, 1) * pmax(0, -expm1(1.2 - loss + .5 - x))
    integrate(stick_at, -12, 14, rel.tol = 1e-10, subdivisions = 1000)$value
  }, 0))
  expect_equal(delta_at(mixed, 1.2), stick, tolerance = 1e-6)
  # a delta leaks beside everything else
  expect_equal(delta_at(leaky, .2), 1e-7)
  expect_identical(epsilon_at(leaky, 1e-7), .2)
  expect_error(privacy_convert(leaky, delta = 1e-8), class = "dptda_error_measure")
  expect_equal(delta_at(privacy_compose(leaky, leaky), .4), 1 - (1 - 1e-7)^2)
})

test_that("ledgers add up to the measure of every composition, in any order", {
  set.seed(4)
  training <- privacy_subsample(4, steps = 10, batch = 10, n = 1000)
  some <- list(c(epsilon = .5), range_privacy(.7), c(rho = .1), c(mu = .3), c(epsilon = .2, delta = 1e-7), training)
  for (i in 1:25) {
    chosen <- some[sample(length(some), sample(2:6, 1), replace = TRUE)]
    composed <- privacy_compose(chosen)
    shuffled <- privacy_compose(chosen[sample(length(chosen))])
    nested <- privacy_compose(chosen[[1]], do.call(privacy_compose, chosen[-1]))
    for (name in names(composed$measure)) {
      rows <- composed$ledger$value[composed$ledger$measure == name]
      expect_length(rows, length(chosen))
      expect_equal(if (name == "mu") sqrt(sum(rows^2)) else sum(rows), composed$measure[[name]])
    }
    expect_identical(shuffled$measure, composed$measure)
    expect_equal(nested$measure, composed$measure)
    expect_equal(privacy_curve(shuffled, c(.1, 1)), privacy_curve(composed, c(.1, 1)), tolerance = 1e-12)
    expect_equal(privacy_curve(nested, c(.1, 1)), privacy_curve(composed, c(.1, 1)), tolerance = 1e-12)
    expect_length(format(composed), 3)
  }
  expect_match(privacy_compose(rep(some[3], 5))$mechanism, "composition of 5 steps", fixed = TRUE)
})

test_that("more releases, less delta and smaller measures cost what they should", {
  for (kind in c("epsilon", "rho", "mu")) {
    curve <- function(value) privacy_curve(stats::setNames(value, kind), c(0, .5, 1, 2))$delta
    expect_true(all(curve(.5) <= curve(1)))
    expect_true(all(diff(curve(1)) <= 0))
    one <- stats::setNames(.4, kind)
    expect_gt(epsilon_at(privacy_compose(one, one), 1e-5), epsilon_at(one, 1e-5))
    expect_gte(epsilon_at(one, 1e-9), epsilon_at(one, 1e-5))
    expect_identical(epsilon_at(stats::setNames(0, kind), 1e-300), 0)
    expect_identical(delta_at(stats::setNames(0, kind), 0), 0)
    expect_identical(epsilon_at(one, 1), 0)
  }
  # extreme values: finite, ordered, not negative
  for (kind in c("epsilon", "rho", "mu")) {
    for (delta in c(1e-300, .5)) {
      known <- vapply(sizes, function(value) epsilon_at(stats::setNames(value, kind), delta), 0)
      expect_true(all(is.finite(known) & known >= 0))
      expect_false(is.unsorted(known))
    }
  }
})

test_that("conversions keep what is known, and refuse what is not", {
  thirty <- privacy_compose(rep(list(c(epsilon = .1)), 30))
  stated <- privacy_convert(thirty, delta = 1e-6)
  expect_identical(names(stated$measure), c("epsilon", "delta"))
  expect_identical(nrow(stated$ledger), 2L)
  expect_match(stated$ledger$step[1], "30 steps together")
  expect_equal(delta_at(stated, 1), delta_at(thirty, 1))
  expect_equal(privacy_convert(thirty)$measure, c(epsilon = 3))
  curve <- privacy_convert(c(rho = .1), "renyi", alpha = c(1.5, 2, 8))
  expect_equal(curve$renyi, list(alpha = c(1.5, 2, 8), epsilon = c(.15, .2, .8)))
  expect_equal(curve$measure, c(renyi = .2))
  # a table knows less than the formula, and a denser one more
  expect_gte(epsilon_at(curve, 1e-6), epsilon_at(c(rho = .1), 1e-6))
  dense <- privacy_convert(c(rho = .1), "renyi", alpha = 1 + 10^seq(-2, 4, by = .01))
  expect_equal(epsilon_at(dense, 1e-6), epsilon_at(c(rho = .1), 1e-6), tolerance = 1e-4)
  # between two orders, the chord of a convex function
  expect_gte(curve_at(curve$renyi, 2), .3)
  expect_identical(curve_at(curve$renyi, 8), Inf)
  for (to in c("mu", "epsilon")) expect_error(privacy_convert(c(rho = .1), to), class = "dptda_error_measure")
  expect_error(privacy_convert(curve, "rho"), class = "dptda_error_measure")
  bad <- function(code) expect_error(code, class = "dptda_error_argument")
  bad(privacy_convert(c(rho = .1), "delta"))
  bad(privacy_convert(c(rho = .1), delta = 2))
  bad(privacy_convert(c(rho = .1), epsilon = -1))
  bad(privacy_convert(c(rho = .1), "zeta"))
  for (alpha in list(1, c(3, 2), NA, "a", numeric())) bad(privacy_convert(c(rho = .1), "renyi", alpha = alpha))
  for (x in list(.1, c(eps = 1), c(rho = 1, rho = 2), NULL, "a", data.frame(x = 1))) bad(privacy_convert(x, "rho"))
  expect_equal(number(small_release(epsilon = 1), "rho"), range_rho(1))
})

test_that("guarantees are declared with one measure", {
  shown <- format(privacy_declare(mu = .5, mechanism = "noise", relation = "add_remove"))
  expect_match(shown[1], "mu = 0.5 Gaussian differential privacy for one row (add or remove one row)", fixed = TRUE)
  expect_match(shown[3], "not known")
  expect_match(format(privacy_declare(1, delta = 1e-6))[1], "epsilon = 1, delta = 1e-06 differential privacy",
               fixed = TRUE)
  leaky <- privacy_compose(c(epsilon = 1, delta = .1), c(mu = 1))
  expect_match(format(leaky)[1], "approximate zero-concentrated", fixed = TRUE)
  expect_match(format(privacy_subsample(1, 1, 1))[1], "Renyi differential privacy of order 2", fixed = TRUE)
  expect_true(range_privacy(1)$bounded_range)
  expect_false(privacy_declare(1)$bounded_range)
  expect_true(privacy(small_release())$bounded_range)
  bad <- function(code) expect_error(code, class = "dptda_error_argument")
  bad(privacy_declare())
  bad(privacy_declare(1, rho = 1))
  bad(privacy_declare(-1))
  bad(privacy_declare(rho = 1, delta = .1))
  bad(privacy_declare(rho = 1, bounded_range = TRUE))
  bad(privacy_declare(1, mechanism = 3))
  bad(privacy_declare(1, n = -1))
  bad(privacy_compose())
  bad(privacy_compose(c(rho = 1), parallel = NA))
})

test_that("unlike units and relations do not add up", {
  other <- function(code) expect_error(code, class = "dptda_error_relation")
  other(privacy_compose(c(rho = 1), privacy_declare(rho = 1, relation = "add_remove")))
  other(privacy_compose(c(rho = 1), privacy_group(c(rho = 1), 2)))
  other(privacy_compose(privacy_subsample(1, 1, rate = .1), privacy_subsample(1, 1, batch = 1, n = 10)))
  # caveats survive
  seeded <- small_release(rng = "R")
  expect_match(format(privacy_compose(seeded, c(rho = 1)))[1], "SEEDED")
  expect_identical(privacy_compose(seeded), privacy(seeded))
  data <- data.frame(a = 1:9 / 9)
  careless <- privacy(private_synthesis(data, schema_from_data(data), rho = 1, method = "margins"))
  for (both in list(privacy_compose(careless, c(rho = 1)), privacy_compose(c(rho = 1), careless),
                    privacy_compose(careless, careless),
                    after_earlier(privacy_declare(rho = 1), careless), privacy_group(careless, 2))) {
    expect_match(format(both)[1], "SCHEMA READ FROM THE DATA")
  }
  expect_identical(privacy_compose(privacy_declare(1, n = 5), privacy_declare(1, n = 5))$public$n, 5)
})

test_that("disjoint parts: one changes or two, by the relation", {
  parts <- function(relation, ...) {
    lapply(list(...), function(one) do.call(privacy_declare, c(as.list(one), relation = relation)))
  }
  at_once <- function(...) privacy_compose(parts(...), parallel = TRUE)$measure
  expect_equal(at_once("add_remove", c(epsilon = 1), c(epsilon = 3), c(epsilon = 2)), c(epsilon = 3))
  expect_equal(at_once("replace", c(epsilon = 1), c(epsilon = 3), c(epsilon = 2)), c(epsilon = 5))
  expect_equal(at_once("add_remove", c(rho = 1), c(rho = 3), c(rho = 2)), c(rho = 3))
  expect_equal(at_once("replace", c(rho = 1), c(rho = 3), c(rho = 2)), c(rho = 5))
  expect_equal(at_once("replace", c(mu = 3), c(mu = 1), c(mu = 4)), c(mu = 5))
  expect_equal(at_once("replace", c(mu = 1), c(mu = 1)), c(mu = sqrt(2)))
  expect_equal(at_once("replace", c(epsilon = 1, delta = 1e-6), c(epsilon = 2)), c(epsilon = 3, delta = 1e-6))
  expect_equal(at_once("add_remove", c(rho = .1), c(mu = 1)), c(rho = .5))
  # alike parts keep what is known of them
  cells <- privacy_compose(rep(list(range_privacy(1)), 7), parallel = TRUE)
  expect_equal(number(cells, "rho"), 2 * range_rho(1))
  unlike <- privacy_compose(range_privacy(1), range_privacy(2), range_privacy(3), parallel = TRUE)
  expect_equal(number(unlike, "rho"), range_rho(2) + range_rho(3))
  expect_identical(nrow(unlike$ledger), 1L)
  # curves
  train <- function(noise) privacy_subsample(noise, 1, rate = .1)
  expect_equal(privacy_compose(train(1), train(2), parallel = TRUE)$renyi, train(1)$renyi[c("alpha", "epsilon")])
  swap <- function(noise) privacy_subsample(noise, 1, batch = 10, n = 100)
  expect_equal(privacy_compose(swap(1), swap(2), swap(3), parallel = TRUE)$measure, swap(1)$measure + swap(2)$measure)
  # a part of its own size would show the row that left
  other <- function(code) expect_error(code, class = "dptda_error_relation")
  other(privacy_compose(privacy_declare(1, n = 3), privacy_declare(1, n = 4), parallel = TRUE))
  sized <- function(n) privacy_declare(1, n = n, relation = "add_remove")
  expect_equal(privacy_compose(sized(3), sized(4), parallel = TRUE)$measure, c(epsilon = 1))
  other(privacy_compose(privacy_group(c(rho = 1), 2), privacy_group(c(rho = 1), 2), parallel = TRUE))
})

test_that("guarantees for people add up with those for the same people, and with no others", {
  patient <- privacy_declare(rho = 1, person = "patient", n = 9)
  expect_identical(privacy_compose(patient, patient)$measure, c(rho = 2))
  expect_identical(privacy_compose(patient, patient)$public$n, 9)
  others <- list(privacy_declare(rho = 1, person = "doctor"), privacy_declare(rho = 1, person = "patients"),
                 privacy_declare(rho = 1, person = "Patient"), privacy_declare(rho = 1, person = "patient "),
                 privacy_declare(rho = 1), privacy_declare(rho = 1, relation = "add_remove"),
                 privacy_declare(rho = 1, relation = "edge"), privacy_group(patient, 2), c(rho = 1),
                 privacy_subsample(1, 1, rate = .1), privacy_subsample(1, 1, batch = 1, n = 9))
  for (other in others) {
    for (pair in list(list(patient, other), list(other, patient), list(patient, patient, other))) {
      expect_error(privacy_compose(pair), "do not add up", class = "dptda_error_relation")
      expect_error(privacy_compose(pair, parallel = TRUE, parts = "people"), class = "dptda_error_relation")
    }
    if (inherits(other, "dptda_guarantee")) expect_error(after_earlier(patient, other), class = "dptda_error_relation")
  }
  expect_error(privacy_compose(patient, others[[1]]),
               "different kinds of people do not add up: \"patient\", \"doctor\"", class = "dptda_error_relation")
  expect_error(privacy_subsample(1, 1, rate = .1, relation = "person"), class = "dptda_error_relation")
})

test_that("a composition over unlike numbers of people says for whom it holds", {
  says <- "only for people with rows in every table"
  of <- function(n) privacy_declare(epsilon = 1, person = "patient", n = n)
  for (given in list(list(of(9), of(8)), list(of(9), of(9), of(100)), list(privacy_compose(of(9), of(8)), of(9)))) {
    both <- privacy_compose(given)
    expect_match(format(both)[1], says, fixed = TRUE)
    expect_identical(both$measure, c(epsilon = length(both$steps) + 0))
  }
  for (given in list(list(of(9), of(9)), list(of(9), of(NULL)))) {
    expect_no_match(format(privacy_compose(given))[1], says, fixed = TRUE)
  }
  rows <- privacy_compose(privacy_declare(1, n = 9), privacy_declare(1, n = 8)) # a row lies in one table
  expect_no_match(format(rows)[1], says, fixed = TRUE)
  plots <- data.frame(tree = rep(1:6, 2), tall = c(TRUE, FALSE))
  of_plots <- function(rows) private_count(table_rows(plots[rows, ], "tall", person = "tree"), epsilon = 1)
  expect_match(format(privacy(of_plots(1:12) + of_plots(1:5)))[1], says, fixed = TRUE)
  expect_no_match(format(privacy(of_plots(1:6) + of_plots(7:12)))[1], says, fixed = TRUE)
})

test_that("parts are parallel for people where each person lies in one", {
  patient <- function(epsilon, n = 9) privacy_declare(epsilon = epsilon, person = "patient", n = n)
  other <- function(code, words) expect_error(code, words, class = "dptda_error_relation")
  other(privacy_compose(patient(1), patient(2), parallel = TRUE), "may have rows in all parts")
  both <- privacy_compose(patient(1), patient(3), patient(2), parallel = TRUE, parts = "people")
  expect_equal(both$measure, c(epsilon = 5))
  expect_identical(both$person, "patient")
  other(privacy_compose(patient(1), patient(2, 8), parallel = TRUE, parts = "people"), "number of people")
  other(privacy_compose(privacy_group(patient(1), 2), privacy_group(patient(1), 2), parallel = TRUE, parts = "people"),
        "for one person only")
  for (relation in c("replace", "add_remove", "edge")) {
    row <- privacy_declare(epsilon = 1, relation = relation)
    other(privacy_compose(row, row, parallel = TRUE, parts = "people"), "for people only")
  }
  expect_error(privacy_compose(patient(1), parts = "people"), class = "dptda_error_argument")
  expect_error(privacy_compose(patient(1), parallel = TRUE, parts = "persons"), class = "dptda_error_argument")
})

test_that("groups of rows scale every measure", {
  grouped <- function(x, size) privacy_group(x, size)$measure
  expect_equal(grouped(c(epsilon = .1), 14), c(epsilon = 1.4))
  expect_equal(grouped(c(rho = .1), 14), c(rho = 19.6))
  expect_equal(grouped(c(mu = .1), 14), c(mu = 1.4))
  expect_equal(grouped(c(epsilon = .1, delta = 1e-7), 3), c(epsilon = .3, delta = 1e-7 * (1 + exp(.1) + exp(.2))))
  expect_equal(grouped(c(epsilon = 0, delta = 1e-7), 3), c(epsilon = 0, delta = 3e-7))
  expect_equal(grouped(c(epsilon = 700, delta = 1e-7), 3), c(epsilon = 2100, delta = 1))
  expect_equal(grouped(range_privacy(1), 2), c(epsilon = 2))
  expect_equal(number(privacy_group(range_privacy(1), 2), "rho"), range_rho(2))
  expect_identical(privacy_group(privacy_group(c(rho = 1), 2), 3)$unit, "6 rows")
  expect_identical(privacy_group(c(rho = 1), 1), as_guarantee(c(rho = 1)))
  both <- privacy_compose(c(epsilon = .1), c(rho = .1))
  expect_equal(grouped(both, 3), c(rho = response_rho(.3) + .9))
  expect_equal(privacy_group(both, 3)$ledger$value, c(response_rho(.3), .9))
  # the weak triangle inequality finds k^2 rho where the curve is a line
  line <- privacy_convert(c(rho = .01), "renyi", alpha = c(1 + 1:9 / 10, 2:600))
  for (size in c(2, 3, 5)) {
    curve <- privacy_group(line, size)$renyi
    expect_true(all(curve$epsilon >= size^2 * .01 * curve$alpha * (1 - 1e-9)))
    expect_true(all(curve$epsilon[curve$alpha < 30] <= size^2 * .01 * curve$alpha[curve$alpha < 30] * 1.1))
  }
  leaky <- privacy_compose(c(epsilon = 1, delta = .1), c(rho = .1))
  expect_equal(privacy_group(leaky, 2)$measure[["delta"]], .1 * (1 + exp(1)))
  stuck <- privacy_compose(leaky, leaky, c(rho = 3), parallel = TRUE)
  expect_error(privacy_group(stuck, 2), class = "dptda_error_measure")
  expect_error(privacy_group(c(rho = 1), 0), class = "dptda_error_argument")
})

test_that("a group is halved, and each size is computed once", {
  recursive <- function(curve, size) {
    if (size == 1) return(curve)
    join_curves(recursive(curve, ceiling(size / 2)), recursive(curve, floor(size / 2)))
  }
  training <- privacy_subsample(1.1, steps = 100, rate = .01)
  for (size in long_or(c(1:7, 20), c(1:3, 6))) {
    expect_identical(group_curve(training$renyi, size), recursive(training$renyi, size))
    expect_equal(privacy_group(training, size)$measure[["renyi"]], curve_at(recursive(training$renyi, size), 1),
                 tolerance = 1e-14)
  }
  # the table ends, and so does what is known: an error, at once
  for (size in c(1e4, 2^52)) expect_error(privacy_group(training, size), class = "dptda_error_measure")
  # an empty table says nothing, not that nothing is lost
  expect_identical(parts_epsilon(new_parts(renyi = new_curve(2, Inf)), 1e-6), Inf)
  further <- privacy_subsample(1.1, steps = 100, rate = .01, alpha = c(1.5, 2^(1:60)))
  expect_true(is.finite(privacy_group(further, 1e4)$measure))
  # no more than a group loses without sampling, up to what the chords of the table add
  expect_lte(privacy_group(further, 16)$measure[["renyi"]], 16^2 * 100 / 1.1^2 * 2)
  for (infinite in list(c(epsilon = 1e300), c(rho = 1e300), c(mu = 1e300))) {
    expect_error(privacy_group(infinite, 1e15), class = "dptda_error_measure")
  }
})

test_that("any orders can be asked for, and those of the measure are there", {
  below <- privacy_convert(c(rho = .1), "renyi", alpha = 1.5)
  expect_equal(below$renyi, list(alpha = c(1.5, 2), epsilon = c(.15, .2)))
  expect_equal(below$measure, c(renyi = .2))
  expect_equal(privacy_convert(c(rho = .1), "renyi", alpha = c(3, 1e18))$renyi$alpha, c(2, 3, 1e18))
  short <- privacy_group(privacy_subsample(4, 1, rate = .01, alpha = c(1.2, 2, 4)), 2)
  expect_error(privacy_convert(privacy_group(short, 2), "renyi"), "order 2", class = "dptda_error_measure")
})

test_that("what is missing or made by hand is refused by class", {
  bad <- function(code) expect_error(code, class = "dptda_error_argument")
  bad(privacy_convert())
  bad(privacy_group())
  bad(privacy_group(c(rho = 1)))
  bad(privacy_curve())
  bad(privacy())
  bad(audit_features())
  bad(privacy_compose(, c(rho = 1)))
  whole <- privacy_declare(rho = 1)
  other <- function(field, value) structure(replace(unclass(whole), field, list(value)), class = class(whole))
  hand_made <- list(
    structure(list(), class = "dptda_guarantee"), structure("a", class = "dptda_guarantee"),
    structure(list(measure = c(rho = 1)), class = "dptda_guarantee"), other("steps", list()), other("steps", list(1)),
    other("measure", c(zeta = 1)), other("unit", 3), other("public", 1), other("parts", new_parts(rho = .1)),
    other("steps", list(new_step("a", c(rho = 1), renyi = list(alpha = c(2, 2), epsilon = 1:2)))),
    structure(list(), class = "dptda_budget"), structure(1, class = "dptda_budget"),
    structure(new.env(), class = "dptda_budget"), structure(list(steps = list(1)), class = "dptda_budget"),
    structure(list(), class = "dptda_diagram"), structure(list(), class = "dptda_private_value"),
    structure(list(value = 1), privacy = 5, released = list(value = 1), class = "dptda_private_release")
  )
  for (one in hand_made) {
    bad(privacy_convert(one, "rho"))
    bad(privacy_group(one, 2))
    bad(privacy_curve(one))
    bad(privacy_compose(one, c(rho = 1)))
  }
  bad(format(hand_made[[1]]))
  # what this package makes is what it takes, composed, grouped, saved and restored
  made <- list(whole, privacy_group(whole, 3), privacy_compose(whole, c(epsilon = 1, delta = .1)),
               privacy_subsample(1, 10, rate = .1), privacy_convert(whole, "renyi"), privacy(small_release()))
  for (one in made) {
    expect_identical(as_guarantee(one), one)
    expect_identical(as_guarantee(unserialize(serialize(one, NULL))), one)
  }
})

test_that("a privacy curve is a data frame that can be drawn", {
  curve <- privacy_curve(c(mu = 1), epsilon = c(0, 1))
  expect_s3_class(curve, "data.frame")
  expect_equal(curve$delta, c(2 * pnorm(.5) - 1, delta_at(c(mu = 1), 1)))
  pdf(NULL)
  on.exit(dev.off())
  for (x in list(c(mu = 1), c(rho = 0), c(epsilon = 1, delta = .1), c(epsilon = 1, delta = 1), c(epsilon = 1))) {
    curve <- privacy_curve(x)
    expect_identical(nrow(curve), 100L)
    expect_false(is.unsorted(-curve$delta))
    expect_identical(plot(curve), curve)
  }
  for (bad in list(-1, NA, "a", numeric(), Inf)) {
    expect_error(privacy_curve(c(mu = 1), epsilon = bad), class = "dptda_error_argument")
  }
})

test_that("rounding to a lattice never lowers an epsilon", {
  epsilons <- c(1, 1 / 3, sqrt(2), 0.1) * (1 + 1e-12)
  for (most in c(7, 100, 1000)) {
    losses <- lattice_losses(epsilons, most)
    expect_gte(max(losses$loss), sum(epsilons))
    for (epsilon in epsilons) expect_gte(max(lattice_losses(rep(epsilon, 4), 4)$loss), 4 * epsilon)
  }
})

test_that("counts of one are written as such, and a curve prints its head", {
  budget <- privacy_budget(epsilon = 1)
  private_count(TRUE, 0.5, budget = budget)
  expect_match(privacy_convert(budget, "rho")$mechanism, "^composition of 1 step: ")
  refused <- function(code, words) expect_error(code, words, class = "dptda_error_argument")
  refused(privacy_declare(), "one of the three, not none of them")
  refused(privacy_declare(epsilon = 1, rho = 1), "not two of them")
  refused(privacy_declare(1, 1, 1), "not all of them")
  curve <- privacy_curve(c(mu = 1))
  shown <- utils::capture.output(expect_identical(withVisible(print(curve))$visible, FALSE))
  expect_identical(shown[c(1, length(shown))], c("<privacy curve> 100 points", "... and 90 more"))
  expect_s3_class(curve[1:5, ], "dptda_privacy_curve")
  expect_identical(class(curve["delta"]), "data.frame")
  expect_identical(curve[2, "epsilon"], curve$epsilon[2])
})
