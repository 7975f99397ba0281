test_that("a proportion is the count of the same draws, divided by the rows", {
  x <- rep(c(TRUE, FALSE), c(5, 11))
  for (cost in list(list(epsilon = .5), list(rho = .1), list(epsilon = 1, delta = 1e-6))) {
    set.seed(1)
    count <- do.call(private_count, c(list(x), cost, rng = "R"))
    set.seed(1)
    share <- do.call(private_proportion, c(list(x), cost, rng = "R"))
    expect_identical(share$value, count$value / 16)
    expect_equal(confint(share), confint(count) / 16)
    expect_identical(privacy(share)$measure, privacy(count)$measure)
    expect_identical(privacy(share)$sensitivity, 1 / 16)
  }
  expect_identical(private_proportion(x, noiseless)$value, 5 / 16)
  expect_identical(private_proportion(TRUE, rho = noiseless)$value, 1)
})

test_that("it is spent like a count, under its own name", {
  budget <- privacy_budget(epsilon = 1)
  private_proportion(c(TRUE, FALSE), .75, budget = budget)
  expect_identical(budget$ledger$step, "private_proportion")
  expect_error(private_proportion(c(TRUE, FALSE), .5, budget = budget), class = "dptda_error_budget")
  expect_equal(budget$spent, .75)
})

test_that("tables in memory and in a database give the proportion of their column", {
  people <- data.frame(smokes = rep(c(TRUE, FALSE), c(3, 5)), age = 1:8)
  expect_identical(private_proportion(people, noiseless, columns = "smokes")$value, 3 / 8)
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  table <- dplyr::tbl(local_sqlite(people), "people")
  expect_identical(private_proportion(table, noiseless, columns = "smokes")$value, 3 / 8)
})

test_that("what is no column of logical values is refused, and so are no rows", {
  for (bad in list(1, "TRUE", factor(TRUE), NULL, matrix(TRUE), c(TRUE, NA), logical())) {
    expect_error(private_proportion(bad, 1), "^`x` must", class = "dptda_error_argument")
  }
  expect_error(private_proportion(unseen(0), epsilon = 1), "^`x` must have at least 1 row",
               class = "dptda_error_argument")
  expect_error(private_proportion(TRUE), class = "dptda_error_argument")
})

test_that("proportions of groups are means of zeros and ones", {
  frame <- data.frame(yes = rep(c(TRUE, FALSE, TRUE), c(30, 60, 10)), g = rep(c("a", "b"), c(90, 10)), age = 1:100)
  by <- list(g = c("a", "b"))
  released <- private_proportion(frame, epsilon = 1e6, columns = "yes", by = by)
  expect_equal(released$value[1:2], c(1 / 3, 1), tolerance = 1e-3)
  expect_equal(private_proportion(frame[c("yes", "g")], epsilon = 1e6, by = by)$value, released$value,
               tolerance = 1e-3)
  expect_output(print(released), "<private proportion by g>.* proportion ")
  expect_equal(privacy(released)$measure, private_proportion(unseen(100), epsilon = 1e6, by = by)$guarantee$measure)
  # numbers are no condition, and would be cut to zeros and ones
  expect_error(private_proportion(frame, epsilon = 1, columns = "age", by = by), "logical",
               class = "dptda_error_argument")
})
