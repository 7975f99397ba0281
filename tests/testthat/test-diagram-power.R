grid_of_power <- function() domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), by = 0.1)

test_that("power_diagram(): persistence is what it was, and thresholds", {
  # recorded from the plan that had one probability for power and level
  plan <- function(power, ...) {
    power_diagram(4000, grid_of_power(), 1, power = power, level = power, m0 = 0.2, clip = 1.6, ...)
  }
  expect_equal(plan(.95)$persistence, 0.106562968285852, tolerance = 1e-12)
  expect_equal(plan(.95)$table$spurious, c(0, 0.01917881079, 0.0375923791, 0.05918501902, 0.08154156005),
               tolerance = 1e-6)
  expect_equal(plan(.8, others = 2)$persistence, 0.126067852825361, tolerance = 1e-12)
})

test_that("power_diagram(): each of the four is computed from the other three", {
  grid <- small_grid()
  at <- function(...) power_diagram(grid = grid, m0 = .1, clip = 1.5, ...)
  plan <- at(n = 2000, epsilon = 1, power = .95)
  expect_identical(plan$asked, "persistence")
  expect_true(plan$persistence > 0 && plan$persistence < plan$bound)
  for (others in c(0, 2)) {
    power <- c(.95, NA, .5)[others + 1]
    seen <- function(...) at(persistence = plan$persistence, others = others, ...)$power
    rows <- at(epsilon = 1, persistence = plan$persistence, power = power, others = others)
    expect_identical(rows$asked, "n")
    expect_identical(rows$power, power)
    # the least that reaches it
    expect_gte(seen(n = rows$n, epsilon = 1), power)
    expect_lt(seen(n = rows$n - 1, epsilon = 1), power)
    price <- at(n = 2000, persistence = plan$persistence, power = power, others = others)
    expect_gte(seen(n = 2000, epsilon = price$epsilon), power)
    expect_lt(seen(n = 2000, epsilon = price$epsilon * .999), power)
    least <- at(n = 2000, epsilon = 1, power = power, others = others)$persistence
    expect_gte(at(n = 2000, epsilon = 1, persistence = least, others = others)$power, power)
    expect_lt(at(n = 2000, epsilon = 1, persistence = least * .998, others = others)$power, power)
  }
  expect_lt(abs(at(epsilon = 1, persistence = plan$persistence, power = .95)$n / 2000 - 1), .01)
  expect_lt(abs(at(n = 2000, persistence = plan$persistence, power = .95)$epsilon - 1), .01)
  # a zero-concentrated budget, and several groups of dimensions
  zero <- at(rho = .1, persistence = .7, power = .9)
  expect_gte(at(n = zero$n, rho = .1, persistence = .7)$power, .9)
  expect_lt(at(n = zero$n - 1, rho = .1, persistence = .7)$power, .9)
})

test_that("a detectable feature is detected in that part of the releases, and spurious points are as rare as said", {
  # false alarm 1e-6 (five standard errors). The plan allows for small points, so without them the release does better;
  # at a height of 0 it is exact
  set.seed(31)
  grid <- small_grid()
  for (features in 0:1) {
    plan <- power_diagram(500, grid, 4, m0 = .1, max_points = 4, others = features, power = .8,
                          level = .8)
    mechanism <- diagram_plan(500, grid, new_cost(c(epsilon = 4)), .1, 1, Inf, 0:1, 4, TRUE, "max")
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
  least <- function(n, epsilon, ...) power_diagram(n, grid, epsilon, power = .95, m0 = .1, ...)$persistence
  expect_identical(least(1000, 1), least(1000, 1))
  expect_identical(.Random.seed, state)
  expect_gt(least(1000, 1), least(4000, 1))
  expect_gt(least(4000, 1), least(4000, 4))
  expect_gt(least(4000, 1, utility = "sum"), least(4000, 1))
  expect_identical(power_diagram(1000, grid, power = .95, m0 = .1, rho = .1)$rho, .1)
  expect_gt(least(4000, 1, others = 2), least(4000, 1, others = 1))
  plan <- power_diagram(4000, grid, 1, power = .95, m0 = .1, others = 6)
  expect_identical(plan$table$others, c(0:4, 6) + 0)
  expect_false(is.unsorted(plan$table$spurious))
  expect_false(is.unsorted(plan$table$persistence))
  expect_identical(plan$spurious, plan$table$spurious[6])
  expect_identical(plan$persistence, plan$table$persistence[6])
  expect_true(all(diff(plan$curve$power) >= 0))
})

test_that("the plan and the release agree on the band", {
  plan <- power_diagram(400, small_grid(), 2, power = .95, m0 = .1)
  release <- small_release(learn_points = TRUE)
  expect_equal(min(feature_evidence(release)$steps$threshold), plan$spurious)
})

test_that("power_diagram(): a persistence that nothing shows is infinite, and a lack of n or epsilon is an error", {
  nothing <- power_diagram(2, small_grid(), .001, power = .95, m0 = 1)
  expect_identical(nothing$persistence, Inf)
  expect_output(print(nothing), "No feature can be detected.", fixed = TRUE)
  expect_silent({
    grDevices::pdf(NULL)
    plot(nothing)
    grDevices::dev.off()
  })
  refused <- function(words, ...) {
    expect_error(power_diagram(grid = small_grid(), power = .95, ...), words, fixed = TRUE,
                 class = "dptda_error_argument")
  }
  refused("`n` cannot be large enough: even with", epsilon = 1, persistence = 1e-8, m0 = .2)
  refused("`n` cannot be large enough: even with", epsilon = 1, persistence = 1e-8, m0 = .2, r = 3)
  refused("`n` cannot be large enough: even with", epsilon = 1, persistence = 1e-8, m0 = 1e-9)
  refused("`epsilon` cannot be large enough: even with 1,024", n = 40, persistence = 1e-4, m0 = .1)
})

test_that("where any point is evidence, no height is printed", {
  plan <- power_diagram(1e6, small_grid(), 1000, power = .95, m0 = .1)
  expect_identical(plan$spurious, 0)
  expect_output(print(plan), "Any released point is evidence of a feature.", fixed = TRUE)
})

test_that("power_diagram() prints as power.t.test() does", {
  shown <- function(...) {
    paste(utils::capture.output(print(power_diagram(grid = small_grid(), m0 = .1, ...))), collapse = "\n")
  }
  text <- shown(n = 1000, epsilon = 1, power = .9, others = 2)
  expect_match(text, "<private diagram power> smallest detectable persistence", fixed = TRUE)
  expect_match(text, "              n = 1,000\n        epsilon = 1\n    persistence = ", fixed = TRUE)
  expect_match(text, "          power = 0.9\n         others = 2\n          level = 0.95\n", fixed = TRUE)
  expect_match(text, "`persistence` is the smallest value that reaches `power`.\n", fixed = TRUE)
  expect_match(shown(epsilon = 1, persistence = .5, power = .9), "smallest number of rows")
  expect_match(shown(n = 100, persistence = .5, power = .9), "smallest epsilon")
  expect_match(shown(n = 100, rho = 1, persistence = .5), "probability of detection")
})

test_that("power_diagram(): exactly one is left out, and the error says which were", {
  refused <- function(words, ...) {
    expect_error(power_diagram(..., m0 = .1), words, fixed = TRUE, class = "dptda_error_argument")
  }
  grid <- small_grid()
  refused(paste("Exactly one of `n`, `epsilon`, `persistence` and `power` must be left out, to be computed from the",
                "others, but all are given."), 10, grid, 1, persistence = 1, power = .5)
  refused("`persistence` and `power` are left out", 10, grid, 1)
  refused("`n` and `epsilon` are left out", grid = grid, persistence = 1, power = .5)
  refused("`n`, `epsilon`, `persistence` and `power` are left out", grid = grid)
  refused("`power`", 10, grid, 1, power = 1)
  refused("`level`", 10, grid, 1, power = .5, level = 0)
  refused("`persistence`", 10, grid, 1, persistence = 100)
  refused("`...` must be empty", 10, grid, 1, NULL, .1)
  refused("`rho`", 10, grid, 1, rho = 1, power = .5)
  refused("`others`", 10, grid, 1, power = .5, others = 10)
})
