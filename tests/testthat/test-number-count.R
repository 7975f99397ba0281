test_that("the query is the number of TRUEs, and one row moves it by at most one", {
  set.seed(201)
  expect_identical(private_count(c(TRUE, FALSE, TRUE), noiseless)$value, 2)
  expect_identical(private_count(logical(), noiseless)$value, 0)
  expect_identical(private_count(rep(TRUE, 1e6), rho = noiseless)$value, 1e6)
  for (i in 1:50) {
    x <- sample(c(TRUE, FALSE), 8, replace = TRUE)
    neighbor <- replace(x, sample(8, 1), sample(c(TRUE, FALSE), 1))
    expect_lte(abs(private_count(x, noiseless)$value - private_count(neighbor, noiseless)$value), 1)
  }
})

test_that("the noise is that of the declared budget", {
  skip_if_instrumented()
  # false alarm: 1e-6, with a fixed seed
  set.seed(202)
  x <- rep(c(TRUE, FALSE), c(5, 3))
  y <- -20:30
  laws <- list(pure = laplace_probability(y - 5, 1 / 0.7), smooth = rounded_probability(y - 5, sqrt(1 / 0.2)))
  costs <- list(pure = list(epsilon = 0.7), smooth = list(rho = 0.1))
  for (name in names(costs)) {
    released <- replicate(long_or(1500, 200), do.call(private_count, c(list(x, rng = "R"), costs[[name]]))$value)
    expect_gt(discrete_fit(released, y, laws[[name]]), 1e-6)
    mechanism <- do.call(private_count, c(list(unseen(8)), costs[[name]]))
    expect_gt(discrete_fit(unlist(draws_of(mechanism$plan, 5, 5000, "R")), y, laws[[name]]), 1e-6)
  }
})

test_that("the ledger is the declared budget, over many budgets", {
  for (value in c(1e-9, 0.1, 1, 3, 1e10, .Machine$double.xmax)) {
    for (name in c("epsilon", "rho", "mu")) {
      guarantee <- privacy(do.call(private_count, stats::setNames(list(TRUE, value), c("x", name))))
      expect_identical(guarantee$measure, stats::setNames(value, name))
      expect_identical(sum(guarantee$ledger$value), value)
      expect_identical(guarantee$ledger$measure, name)
      expect_identical(guarantee$sensitivity, 1)
    }
  }
})

test_that("a budget at the ends of the double range works or is refused, and never overflows", {
  for (tiny in c(2^-1074, 1e-300, 2^-41)) {
    expect_error(private_count(TRUE, epsilon = tiny), "`epsilon` is so small", class = "dptda_error_argument")
  }
  expect_error(private_count(TRUE, rho = 1e-30), "the rho of `mu` or `delta` is so small",
               class = "dptda_error_argument")
  expect_true(is.finite(private_count(TRUE, epsilon = 2^-40)$value))
  expect_identical(private_count(TRUE, epsilon = .Machine$double.xmax)$value, 1)
})

test_that("bad arguments are classed errors that show no data", {
  for (bad in list(1, "TRUE", factor(TRUE), NULL, matrix(TRUE), list(TRUE), c(TRUE, NA))) {
    expect_error(private_count(bad, 1), "^`x` must", class = "dptda_error_argument")
  }
  expect_error(private_count(epsilon = 1), "`x` must be given", class = "dptda_error_argument")
  expect_error(private_count(TRUE), class = "dptda_error_argument")
  expect_error(private_count(TRUE, 1, 1), class = "dptda_error_argument")
  for (bad in list(0, -1, NA, Inf, "1", c(1, 2))) {
    expect_error(private_count(TRUE, bad), class = "dptda_error_argument")
    expect_error(private_count(TRUE, rho = bad), class = "dptda_error_argument")
  }
  expect_error(private_count(TRUE, 1, budget = 1), class = "dptda_error_argument")
  expect_error(private_count(TRUE, 1, rng = "seed"), class = "dptda_error_argument")
})

test_that("a table of which no column is named is told which one to name", {
  people <- table_rows(data.frame(who = c(1, 1, 2), a = 1:3, b = TRUE), person = "who")
  advice <- "^`columns` must be the name of one column, not of 2: `a`, `b`[.] .* logical .* all people is public"
  expect_error(private_count(people, 1), advice, class = "dptda_error_argument")
  expect_error(private_proportion(people, 1), advice, class = "dptda_error_argument")
  expect_error(private_proportion(cbind(iris, TRUE), 1, by = list(Species = levels(iris$Species))),
               "^`columns` must name one column besides those of `by`, not 5[.] .* rows is public",
               class = "dptda_error_argument")
})

test_that("a budget shared by two releases keeps what a failed draw has cost", {
  budget <- privacy_budget(epsilon = 1)
  broken <- function(...) stop("the draw was cut off")
  expect_error(with_replaced("add_noise", broken, private_count(TRUE, 0.6, budget = budget)), "cut off")
  # noise may have been drawn, so the price stays spent
  expect_identical(budget$spent, 0.6)
  expect_error(private_count(TRUE, 0.6, budget = budget), class = "dptda_error_budget")
  private_table("a", levels = "a", epsilon = 0.4, budget = budget)
  expect_identical(nrow(budget$ledger), 2L)
  expect_identical(sum(budget$ledger$value), 1)
})

test_that("what fails before the draw costs nothing, and draws nothing", {
  budget <- privacy_budget(rho = 1)
  set.seed(203)
  state <- .Random.seed
  expect_error(private_count(NA, rho = 0.5, budget = budget, rng = "R"), class = "dptda_error_argument")
  expect_error(private_count(TRUE, rho = 1e-30, budget = budget, rng = "R"), class = "dptda_error_argument")
  expect_error(private_count(TRUE, rho = 2, budget = budget, rng = "R"), class = "dptda_error_budget")
  expect_identical(budget$spent, 0)
  expect_identical(.Random.seed, state)
})
