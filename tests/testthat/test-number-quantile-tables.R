# Quantiles of columns of data frames and databases.
counted_quantile <- function(...) private_quantile(..., method = "counts")

test_that("tables give what vectors give", {
  people <- data.frame(age = c(20, 30, 40, 80), name = letters[1:4])
  release <- counted_quantile(people, c(0, 128), 0.5, noiseless, columns = "age", bits = 7)
  expect_identical(release$value, counted_quantile(people$age, c(0, 128), 0.5, noiseless, bits = 7)$value)
  expect_error(counted_quantile(people, c(0, 128), 0.5, 1), class = "dptda_error_argument")
  expect_error(counted_quantile(people, c(0, 128), 0.5, 1, columns = "name"), class = "dptda_error_argument")
})

test_that("a database gives what memory gives, and its missing values cost nothing", {
  set.seed(710)
  rows <- data.frame(a = c(stats::rnorm(2000, 50, 10), 0, 100, 1e300), b = stats::rexp(2003))
  con <- local_sqlite(rows)
  people <- dplyr::tbl(con, "people")
  for (probs in list(0.5, 1:19 / 20)) {
    there <- counted_quantile(people, c(0, 100), probs, noiseless, columns = "a")
    expect_identical(there$counts, counted_quantile(rows$a, c(0, 100), probs, noiseless)$counts)
  }
  box <- private_bounds(people, noiseless, probs = c(0.05, 0.9), columns = c("a", "b"))
  expect_identical(unclass(box)[1:4], unclass(private_bounds(rows, noiseless, probs = c(0.05, 0.9)))[1:4])
  DBI::dbExecute(con, "INSERT INTO people VALUES (NULL, 1)")
  budget <- privacy_budget(epsilon = 1)
  people <- dplyr::tbl(con, "people")
  expect_error(counted_quantile(people, c(0, 100), 0.5, 1, columns = "a", budget = budget),
               class = "dptda_error_argument")
  expect_error(private_bounds(people, 1, probs = c(0.1, 0.9), columns = "a", budget = budget),
               class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})
