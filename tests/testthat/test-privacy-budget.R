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

test_that("a budget that a callback emptied after the check does not pay", {
  budget <- privacy_budget(epsilon = 1)
  spend_budget(budget, "in a callback", c(epsilon = 1))
  expect_error(spend_budget(budget, "after it", c(epsilon = 1)), class = "dptda_error_budget")
  expect_identical(nrow(budget$ledger), 1L)
})

test_that("a release that fails its checks costs nothing", {
  budget <- privacy_budget(epsilon = 3)
  expect_error(small_release(m0 = 2, budget = budget), class = "dptda_error_argument")
  expect_error(private_diagram(cbind(NA, 1), small_grid(), 1, .1, budget = budget), class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})

test_that("a budget of rho takes pure releases at their tightest rho", {
  budget <- privacy_budget(rho = 1)
  private_diagram(circle_points(), small_grid(), m0 = .1, rho = .25, budget = budget)
  expect_equal(budget$spent, .25)
  release <- small_release(epsilon = 1, budget = budget)
  cost <- convert_privacy(release, "rho")$measure[["rho"]]
  expect_lte(cost, 1 / 8)
  expect_equal(budget$spent, .25 + cost)
  expect_equal(sum(budget$ledger$value), budget$spent)
  expect_identical(budget$ledger$measure, c("rho", "rho"))
  # two independent exponential mechanisms of half the epsilon each
  halves <- small_release(epsilon = 1, utility = "sum")
  expect_lte(convert_privacy(halves, "rho")$measure, 1 / 16)
})

test_that("a budget refuses what it cannot count", {
  spend <- function(budget, ...) {
    check_budget(budget, ...)
    spend_budget(budget, "step", ...)
  }
  budget_error <- function(code) expect_error(code, class = "dptda_error_budget")
  pure <- privacy_budget(epsilon = 10)
  budget_error(spend(pure, c(rho = .1)))
  budget_error(spend(pure, c(epsilon = .1, delta = 1e-9)))
  budget_error(spend(privacy_budget(rho = 10), c(epsilon = .1, delta = 1e-9)))
  training <- subsampled_gaussian(4, steps = 10, batch = 10, n = 1000)
  budget_error(spend(privacy_budget(rho = 10), training))
  expect_error(spend(pure, subsampled_gaussian(4, steps = 10, rate = .1)), class = "dptda_error_relation")
  expect_identical(nrow(pure$ledger), 0L)
  expect_identical(pure$spent, 0)
  spend(pure, c(epsilon = 1e-300))
  spend(pure, c(epsilon = 10))
  budget_error(spend(pure, c(epsilon = 1e-3)))
})

test_that("a budget of epsilon and delta counts by sums, or by one Renyi order", {
  spend <- function(budget, ...) {
    check_budget(budget, ...)
    spend_budget(budget, "step", ...)
  }
  pays <- function(budget, ...) {
    tryCatch({ spend(budget, ...); TRUE }, dptda_error_budget = function(e) FALSE)
  }
  # basic: both sums, to the last bit
  basic <- privacy_budget(epsilon = 1, delta = 1e-6)
  expect_output(print(basic), "auto composition")
  for (i in 1:10) spend(basic, c(epsilon = .1, delta = 1e-7))
  expect_equal(basic$spent, c(epsilon = 1, delta = 1e-6))
  expect_false(pays(basic, c(epsilon = .1)))
  expect_false(pays(basic, c(rho = 1e-9)))
  expect_output(print(basic), "basic composition")
  # concentrated: rho up to what converts to the total, no further
  smooth <- privacy_budget(epsilon = 1, delta = 1e-6)
  while (pays(smooth, c(rho = .001))) NULL
  total <- nrow(smooth$ledger) * .001
  expect_lte(convert_privacy(c(rho = total), delta = 1e-6)$measure[["epsilon"]], 1 + 1e-9)
  expect_gt(convert_privacy(c(rho = total + .001), delta = 1e-6)$measure[["epsilon"]], 1 - 1e-9)
  expect_false(pays(smooth, c(epsilon = .1, delta = 1e-9)))
  expect_output(print(smooth), "concentrated composition")
  # many pure releases: more than by their sum; few: the sum
  many <- privacy_budget(epsilon = 1, delta = 1e-6)
  while (pays(many, c(epsilon = .02))) NULL
  expect_gt(nrow(many$ledger), 60)
  expect_lte(convert_privacy(many, delta = 1e-6)$measure[["epsilon"]], 1)
  few <- privacy_budget(epsilon = 1, delta = 1e-6, composition = "concentrated")
  expect_true(pays(few, c(epsilon = 1)))
  # a training run, by its curve
  trained <- privacy_budget(epsilon = 2, delta = 1e-5, relation = "add_remove")
  expect_true(pays(trained, subsampled_gaussian(4, steps = 1000, rate = .01)))
  expect_lte(convert_privacy(trained, delta = 1e-5)$measure[["epsilon"]], trained$spent[["epsilon"]] + 1e-9)
})

test_that("a budget for groups of rows pays group prices", {
  budget <- privacy_budget(epsilon = 3, unit_rows = 14)
  expect_output(print(budget), "for 14 rows")
  small_release(epsilon = .1, budget = budget)
  expect_equal(budget$spent, 1.4)
  small_release(epsilon = .1, budget = budget)
  expect_error(small_release(epsilon = .1, budget = budget), class = "dptda_error_budget")
  whole <- compose_privacy(budget)
  expect_identical(whole$unit, "14 rows")
  expect_equal(whole$measure, c(epsilon = 2.8))
  smooth <- privacy_budget(rho = 1, unit_rows = 3)
  check_budget(smooth, c(rho = .1))
  spend_budget(smooth, "step", c(rho = .1))
  expect_equal(smooth$spent, .9)
  expect_error(convert_privacy(privacy_budget(rho = 1), "rho"), class = "dptda_error_argument")
})

test_that("a budget is made from one positive number", {
  for (bad in list(0, -1, Inf, NA, "1", c(1, 2), NULL)) {
    expect_error(privacy_budget(epsilon = bad), class = "dptda_error_argument")
  }
  expect_error(privacy_budget(1, 1), class = "dptda_error_argument")
  expect_error(privacy_budget(rho = 1, delta = .1), class = "dptda_error_argument")
  expect_error(privacy_budget(1, delta = 1), class = "dptda_error_argument")
  expect_error(privacy_budget(1, delta = -1), class = "dptda_error_argument")
  expect_error(privacy_budget(1, unit_rows = 0), class = "dptda_error_argument")
  expect_error(privacy_budget(1, relation = "swap"), class = "dptda_error_argument")
  expect_error(small_release(budget = 3), class = "dptda_error_argument")
})

test_that("a forked worker cannot spend its copy of a budget, but one of its own", {
  skip_on_os("windows")
  budget <- privacy_budget(epsilon = 1)
  pay <- function(budget) {
    tryCatch(privacy(private_count(TRUE, epsilon = 1, budget = budget))$measure[["epsilon"]],
             dptda_error_budget = conditionMessage)
  }
  copies <- parallel::mclapply(1:2, function(i) pay(budget), mc.cores = 2)
  expect_match(unlist(copies), "forked worker")
  own <- parallel::mclapply(1:2, function(i) pay(privacy_budget(epsilon = 1)), mc.cores = 2)
  expect_identical(unlist(own), c(1, 1))
  expect_identical(pay(budget), 1)
})

test_that("the terms of a budget cannot be changed by a slip, and only rows are paid for", {
  budget <- privacy_budget(epsilon = 1)
  expect_error(budget$total <- 100, class = "dptda_error_budget")
  expect_error(budget$measure <- "rho", class = "dptda_error_budget")
  expect_equal(budget$total, 1)
  group <- group_privacy(declare_privacy(epsilon = .1), 3)
  expect_error(check_budget(budget, group), class = "dptda_error_relation")
  expect_identical(check_budget(budget, declare_privacy(epsilon = .1)), budget)
})
