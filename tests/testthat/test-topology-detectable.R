test_that("the three questions are inverses of each other", {
  grid <- small_grid()
  plan <- detectable_persistence(2000, grid, 1, .1, clip = 1.5)
  expect_identical(plan$asked, "persistence")
  expect_true(plan$persistence > 0 && plan$persistence < plan$bound)
  rows <- detectable_persistence(grid = grid, epsilon = 1, m0 = .1, clip = 1.5, persistence = plan$persistence)
  expect_lt(abs(rows$n / 2000 - 1), .05)
  price <- detectable_persistence(2000, grid, m0 = .1, clip = 1.5, persistence = plan$persistence)
  expect_lt(abs(price$epsilon - 1), .05)
})

test_that("a detectable feature does appear in that part of the releases", {
  # fresh randomness against the plan's fixed key; false alarm 1e-6 (five standard errors of both)
  set.seed(31)
  grid <- small_grid()
  plan <- detectable_persistence(500, grid, 2, .1, max_points = 4, probability = .8)
  mechanism <- check_mechanism(500, grid, c(epsilon = 2), .1, 1, Inf, 1, 4, TRUE, "max")
  birth <- (mechanism$bound - plan$persistence) / 2
  feature <- cbind(birth, birth + plan$persistence)
  drawn <- as.data.frame(draw_mechanism(mechanism, list(feature, feature[0, , drop = FALSE]), 4000, "R"))
  near <- drawn$dimension == 0 & pmax(abs(drawn$birth - feature[1]), abs(drawn$death - feature[2])) < plan$persistence / 2
  expect_lt(abs(length(unique(drawn$draw[near])) / 4000 - .8), 5 * sqrt(.16 / 4000 + .16 / 2000))
})

test_that("the plan is reproducible, leaves R's stream alone, and falls with n and epsilon", {
  grid <- small_grid()
  set.seed(1)
  state <- .Random.seed
  least <- function(n, epsilon, ...) detectable_persistence(n, grid, epsilon, .1, ...)$persistence
  expect_identical(least(1000, 1), least(1000, 1))
  expect_identical(.Random.seed, state)
  expect_gt(least(1000, 1), least(4000, 1))
  expect_gt(least(4000, 1), least(4000, 4))
  expect_gt(least(4000, 1, utility = "sum"), least(4000, 1))
  expect_identical(detectable_persistence(1000, grid, m0 = .1, rho = .1)$rho, .1)
})

test_that("what nothing can buy is infinite", {
  expect_identical(detectable_persistence(2, small_grid(), .001, 1)$persistence, Inf)
  expect_silent({
    grDevices::pdf(NULL)
    plot(detectable_persistence(2, small_grid(), .001, 1))
    grDevices::dev.off()
  })
})

test_that("answers print as sentences", {
  grid <- small_grid()
  expect_output(print(detectable_persistence(1000, grid, 1, .1)), "a feature must have a persistence of")
  expect_output(print(detectable_persistence(grid = grid, epsilon = 1, m0 = .1, persistence = .5)), "rows to appear")
  expect_output(print(detectable_persistence(100, grid, m0 = .1, persistence = .5)), "needs epsilon")
})

test_that("exactly one question is asked", {
  grid <- small_grid()
  expect_error(detectable_persistence(10, grid, 1, .1, persistence = 1), class = "dptda_error_argument")
  expect_error(detectable_persistence(grid = grid, epsilon = 1, m0 = .1), class = "dptda_error_argument")
  expect_error(detectable_persistence(grid = grid, m0 = .1, persistence = 1), class = "dptda_error_argument")
  expect_error(detectable_persistence(10, grid, 1, .1, probability = 1), class = "dptda_error_argument")
  expect_error(detectable_persistence(10, grid, 1, .1, draws = 3), class = "dptda_error_argument")
})
