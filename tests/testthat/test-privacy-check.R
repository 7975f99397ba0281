# Several releases are asked for at once, before the first of them is made.

test_that("what a budget is asked for together is what it could be charged one by one", {
  count <- private_count(unseen(100), epsilon = 0.3)
  budget <- privacy_budget(epsilon = 1)
  expect_identical(withVisible(privacy_check(budget, list(a = count, b = count, c = count)))$visible, FALSE)
  expect_identical(budget$spent, 0)
  expect_error(privacy_check(budget, list(a = count, b = count, c = count, d = count)),
               "Release `d`: `budget` cannot be charged: epsilon = 0.9 of epsilon = 1 is spent or planned",
               class = "dptda_error_budget")
  private_count(rep(TRUE, 100), epsilon = 0.3, budget = budget)
  expect_error(privacy_check(budget, list(count, count, count)), "^`budget` cannot", class = "dptda_error_budget")
  expect_error(privacy_check(budget, c(epsilon = 0.8)), "0.3 of epsilon = 1 is spent, and epsilon = 0.7 is left[.]",
               class = "dptda_error_budget")
  expect_identical(privacy_check(budget, list(c(epsilon = 0.7))), budget)
  expect_identical(budget$spent, 0.3)
})

test_that("sums are those of the budget: of rho, and of epsilon and delta", {
  withr::local_options(dptda.weak_release = FALSE)
  gauss <- private_mean(unseen(100), c(0, 1), epsilon = 0.5, delta = 1e-6)
  budget <- privacy_budget(epsilon = 1, delta = 1e-5, composition = "concentrated")
  # as many as can be charged: more than two, by their divergences
  most <- 0
  repeat {
    refused <- tryCatch(privacy_check(budget, rep(list(gauss), most + 1)), dptda_error_budget = identity)
    if (inherits(refused, "error")) break
    most <- most + 1
  }
  expect_gt(most, 2)
  for (i in seq_len(most)) private_mean(rep(0.5, 100), c(0, 1), epsilon = 0.5, delta = 1e-6, budget = budget)
  expect_error(private_mean(rep(0.5, 100), c(0, 1), epsilon = 0.5, delta = 1e-6, budget = budget),
               class = "dptda_error_budget")
  expect_error(privacy_check(privacy_budget(rho = 0.001), gauss), class = "dptda_error_budget")
  # squares of mu add up: sixteen times a quarter
  each <- private_mean(unseen(100), c(0, 1), mu = 0.25)
  budget <- privacy_budget(mu = 1)
  expect_identical(privacy_check(budget, rep(list(each), 16)), budget)
  expect_error(privacy_check(budget, rep(list(each), 17)), class = "dptda_error_budget")
  expect_identical(budget$spent, 0)
})

test_that("a ledger is asked as it is now, and people are not rows", {
  skip_if_not_installed("filelock")
  file <- withr::local_tempfile()
  budget <- privacy_budget(epsilon = 1, file = file)
  privacy_check(budget, list(c(epsilon = 0.5), c(epsilon = 0.5)))
  private_count(rep(TRUE, 100), epsilon = 0.3, budget = privacy_budget(file = file))
  expect_error(privacy_check(budget, list(c(epsilon = 0.5), c(epsilon = 0.5))), class = "dptda_error_budget")
  people <- private_count(unseen(100, person = "patient"), epsilon = 0.1)
  expect_error(privacy_check(budget, list(one = people, other = people)), "Release `one`: ",
               class = "dptda_error_relation")
  expect_error(privacy_check(budget, list()), "at least one", class = "dptda_error_argument")
})
