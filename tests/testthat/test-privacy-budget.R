test_that("a budget pays until it is spent, and refuses before anything is drawn", {
  budget <- privacy_budget(epsilon = 3)
  set.seed(1)
  small_release(epsilon = 1, budget = budget, rng = "R")
  small_release(epsilon = 1.5, budget = budget, rng = "R")
  state <- .Random.seed
  expect_error(small_release(epsilon = 1, budget = budget, rng = "R"), class = "dptda_error_budget")
  expect_identical(.Random.seed, state)
  expect_equal(budget$spent, 2.5)
  expect_identical(nrow(budget$ledger), 2L)
  expect_equal(sum(budget$ledger$value), budget$spent)
  expect_output(print(budget), "2.5 of 3 spent")
})

test_that("a budget pays for its parts in full", {
  budget <- privacy_budget(epsilon = 1)
  for (i in 1:10) small_release(epsilon = .1, budget = budget)
  expect_error(small_release(epsilon = .1, budget = budget), class = "dptda_error_budget")
})

test_that("a release that fails its checks costs nothing", {
  budget <- privacy_budget(epsilon = 3)
  expect_error(small_release(m0 = 2, budget = budget), class = "dptda_error_argument")
  expect_error(private_diagram(cbind(NA, 1), small_grid(), 1, .1, budget = budget), class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})

test_that("measures are not mixed", {
  expect_error(small_release(budget = privacy_budget(rho = 1)), class = "dptda_error_budget")
  budget <- privacy_budget(rho = 1)
  private_diagram(circle_points(), small_grid(), m0 = .1, rho = .25, budget = budget)
  expect_equal(budget$spent, .25)
})

test_that("a budget is made from one positive number", {
  for (bad in list(0, -1, Inf, NA, "1", c(1, 2), NULL)) {
    expect_error(privacy_budget(epsilon = bad), class = "dptda_error_argument")
  }
  expect_error(privacy_budget(1, 1), class = "dptda_error_argument")
  expect_error(small_release(budget = 3), class = "dptda_error_argument")
})
