test_that("the three questions are inverses of each other", {
  grid <- small_grid()
  plan <- detectable_persistence(2000, grid, 1, m0 = .1, clip = 1.5)
  expect_identical(plan$asked, "persistence")
  expect_true(plan$persistence > 0 && plan$persistence < plan$bound)
  rows <- detectable_persistence(grid = grid, epsilon = 1, m0 = .1, clip = 1.5, persistence = plan$persistence)
  expect_lt(abs(rows$n / 2000 - 1), .05)
  price <- detectable_persistence(2000, grid, m0 = .1, clip = 1.5, persistence = plan$persistence)
  expect_lt(abs(price$epsilon - 1), .05)
})

test_that("a detectable feature is detected in that part of the releases, and spurious points are as rare as said", {
  # false alarm 1e-6 (five standard errors). The plan allows for small points, so without them the release does better;
  # at a height of 0 it is exact
  set.seed(31)
  grid <- small_grid()
  for (features in 0:1) {
    plan <- detectable_persistence(500, grid, 4, m0 = .1, max_points = 4, others = features, probability = .8)
    mechanism <- diagram_plan(500, grid, c(epsilon = 4), .1, 1, Inf, 0:1, 4, TRUE, "max")
    birth <- (mechanism$bound - plan$persistence) / 2
    feature <- cbind(birth, birth + plan$persistence)
    other <- if (features) cbind(.1, mechanism$bound * .9)
    least <- 4 / mechanism$groups[[1]]$rate
    for (small in list(NULL, cbind(seq(0, mechanism$bound - least, length.out = 300), least +
                                   seq(0, mechanism$bound - least, length.out = 300)))) {
      drawn <- as.data.frame(draw_plan(mechanism, list(rbind(other, feature, small), matrix(0, 0, 2)), 4000, "R"))
      near <- drawn$dimension == 0 & drawn$death - drawn$birth > plan$spurious &
        pmax(abs(drawn$birth - feature[1]), abs(drawn$death - feature[2])) < plan$persistence / 2
      expect_gt(length(unique(drawn$draw[near])) / 4000, .8 - 5 * sqrt(.16 / 4000))
      without <- as.data.frame(draw_plan(mechanism, list(rbind(matrix(0, 0, 2), other, small), matrix(0, 0, 2)),
                                         4000, "R"))
      without <- without[order(without$draw, without$death - without$birth, decreasing = TRUE), ]
      if (features) {
        without <- without[!(without$dimension == 0 & !duplicated(paste(without$draw, without$dimension))), ]
      }
      tall <- without$death - without$birth > plan$spurious
      expect_lt(length(unique(without$draw[tall])) / 4000, .2 + 5 * sqrt(.16 / 4000))
    }
  }
})

test_that("the plan touches no stream, falls with n and epsilon, and grows with the features", {
  grid <- small_grid()
  set.seed(1)
  state <- .Random.seed
  least <- function(n, epsilon, ...) detectable_persistence(n, grid, epsilon, m0 = .1, ...)$persistence
  expect_identical(least(1000, 1), least(1000, 1))
  expect_identical(.Random.seed, state)
  expect_gt(least(1000, 1), least(4000, 1))
  expect_gt(least(4000, 1), least(4000, 4))
  expect_gt(least(4000, 1, utility = "sum"), least(4000, 1))
  expect_identical(detectable_persistence(1000, grid, m0 = .1, rho = .1)$rho, .1)
  expect_gt(least(4000, 1, others = 2), least(4000, 1, others = 1))
  plan <- detectable_persistence(4000, grid, 1, m0 = .1, others = 6)
  expect_identical(plan$table$others, c(0:4, 6) + 0)
  expect_false(is.unsorted(plan$table$spurious))
  expect_false(is.unsorted(plan$table$persistence))
  expect_identical(plan$spurious, plan$table$spurious[6])
  expect_identical(plan$persistence, plan$table$persistence[6])
  expect_true(all(diff(plan$curve$probability) >= 0))
})

test_that("the plan and the release agree on the band", {
  plan <- detectable_persistence(400, small_grid(), 2, m0 = .1)
  release <- small_release(learn_points = TRUE)
  expect_equal(min(feature_evidence(release)$steps$threshold), plan$spurious)
})

test_that("what nothing can buy is infinite", {
  nothing <- detectable_persistence(2, small_grid(), .001, m0 = 1)
  expect_identical(nothing$persistence, Inf)
  expect_output(print(nothing), "nothing is detectable with probability 0.95 (n = 2, epsilon = 0.001)", fixed = TRUE)
  expect_silent({
    grDevices::pdf(NULL)
    plot(detectable_persistence(2, small_grid(), .001, m0 = 1))
    grDevices::dev.off()
  })
})

test_that("where any point is evidence, no height is printed", {
  plan <- detectable_persistence(1e6, small_grid(), 1000, m0 = .1)
  expect_identical(plan$spurious, 0)
  expect_output(print(plan), "\nany point is evidence\n")
})

test_that("answers print as sentences", {
  grid <- small_grid()
  expect_output(print(detectable_persistence(1000, grid, 1, m0 = .1)), "a feature must have a persistence of")
  expect_output(print(detectable_persistence(1000, grid, 1, m0 = .1, others = 2)),
                "beside 2 others (n = 1,000, epsilon = 1)", fixed = TRUE)
  expect_output(print(detectable_persistence(grid = grid, epsilon = 1, m0 = .1, persistence = .5)),
                "rows to be detected")
  expect_output(print(detectable_persistence(100, grid, m0 = .1, persistence = .5)), "needs epsilon")
})

test_that("exactly one question is asked", {
  grid <- small_grid()
  expect_error(detectable_persistence(10, grid, 1, m0 = .1, persistence = 1), class = "dptda_error_argument")
  expect_error(detectable_persistence(grid = grid, epsilon = 1, m0 = .1), class = "dptda_error_argument")
  expect_error(detectable_persistence(grid = grid, m0 = .1, persistence = 1), class = "dptda_error_argument")
  expect_error(detectable_persistence(10, grid, 1, m0 = .1, probability = 1), class = "dptda_error_argument")
  expect_error(detectable_persistence(10, grid, 1, NULL, .1), "`...` must be empty", class = "dptda_error_argument")
  expect_error(detectable_persistence(10, grid, 1, rho = 1, m0 = .1), class = "dptda_error_argument")
  expect_error(detectable_persistence(10, grid, 1, m0 = .1, others = 10), class = "dptda_error_argument")
})
