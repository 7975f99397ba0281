# A false alarm has probability 1e-6; the seeds are fixed, so that a test fails always or never.
rarely <- 1e-6

choice_probability <- function(scores, rate) {
  weight <- exp(rate * (scores - max(scores)))
  weight / sum(weight)
}

# A rate is half of an epsilon where the sensitivity is 1; what is below 2^-73 is 0.
draw_at <- function(scores, rate, rng, count = 1) draw_choice(scores, max(2 * rate, 2^-80), 1, rng, count)

# The sign of x * y - z where the two are close, exactly: products of halves of 26 and 27 digits are exact (Dekker
# 1971), and so is the difference of close numbers.
compare_product <- function(x, y, z) {
  high <- function(x) {
    scaled <- x * (2^27 + 1)
    scaled - (scaled - x)
  }
  product <- x * y
  rest <- ((high(x) * high(y) - product) + high(x) * (y - high(y)) + (x - high(x)) * high(y)) +
    (x - high(x)) * (y - high(y))
  sign((product - z) + rest)
}

test_that("places have the probabilities of the exponential mechanism", {
  set.seed(401)
  for (rate in c(2^-60, 0.01, 0.3, 1, 7.7)) {
    for (scores in list(0, c(3, 3), c(-5, 0, 2, 2, 1), c(0, 100, 101, 350), -(1:40))) {
      drawn <- draw_at(scores, rate, "R", 2e4)
      p <- choice_probability(scores, rate)
      expect_gt(discrete_fit(drawn, seq_along(scores), p), rarely)
    }
  }
})

test_that("scores and rates may be as far apart as they can", {
  set.seed(402)
  far <- c(-2^53, 2^53, 2^53 - 1)
  expect_true(all(draw_at(far, 2^40, "R", 1000) == 2))
  expect_gt(discrete_fit(draw_at(far, 1, "R", 1e4), 2:3, choice_probability(c(0, -1), 1)), rarely)
  # a gap of 2^54 times a rate of 2^-54 is one
  expect_gt(discrete_fit(draw_at(far[1:2], 2^-54, "R", 1e4), 1:2, choice_probability(0:1, 1)), rarely)
  expect_gt(discrete_fit(draw_at(far[1:2], 2^-73, "R", 1e4), 1:2, c(.5, .5)), rarely)
  expect_gt(discrete_fit(draw_at(far[1:2], 0, "R", 1e4), 1:2, c(.5, .5)), rarely)
})

test_that("the rate is the largest that keeps epsilon", {
  set.seed(403)
  for (epsilon in c(2^-40, exp(runif(50, -8, 8)), 700)) {
    for (sensitivity in c(1, 2, 3, 6 * 45222, 2^53, ceiling(exp(runif(20, 0, 30))))) {
      rate <- choice_rate(epsilon, sensitivity)
      if (epsilon / sensitivity < 2^-70) next
      expect_lte(compare_product(2 * rate, sensitivity, epsilon), 0)
      expect_gt(compare_product(2 * (rate + 2^-52 * rate), sensitivity, epsilon), 0)
    }
  }
  expect_identical(choice_rate(2^-60, 2^53), 0)
  expect_identical(choice_rate(1e300, 1), 2^40)
  expect_identical(choice_rate(1, c(1, 2, 4)), c(.5, .25, .125))
})

test_that("the system's entropy serves a choice", {
  expect_true(all(draw_at(c(0, 1, 0), 0.5, "os", 200) %in% 1:3))
})

test_that("scores that are not whole have no sensitivity, and are refused", {
  expect_error(draw_at(c(1, 1.5), 1, "R"), class = "dptda_error_argument")
  expect_error(draw_at(c(1, NaN), 1, "R"), class = "dptda_error_argument")
})
