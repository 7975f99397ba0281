# What a progress bar hears of releases of many short steps.

# The fractions that a listener is told, with its two seconds of patience taken away.
told_of <- function(code) {
  told <- double()
  withr::local_options(dptda.progress = function(fraction) told <<- c(told, fraction))
  with_replaced("throttled", function(report) report, code)
  told
}

rows_about <- function(at, n = 200) matrix(stats::rnorm(2 * n, at, 0.1), n)
small_box <- function() domain_box(c(-1, -1), c(1, 1))

test_that("releases of many rounds tell what part of a public number of them is done", {
  set.seed(781)
  mixture <- function(X) told_of(private_mixture(X, small_box(), k = 3, rho = 1, rounds = 7))
  expect_equal(mixture(rows_about(0)), 1:10 / 11) # three queries at all, a choice, seven rounds
  expect_identical(mixture(rows_about(0.9)), mixture(rows_about(0)))
  expect_equal(told_of(private_mixture(rows_about(0), small_box(), k = 3, rho = 1, rounds = 4, features = "box")),
               1:3 / 4)
  expect_equal(told_of(private_covariance(rows_about(0), small_box(), rho = 1, rounds = 5)), 1:4 / 5)
  expect_equal(told_of(private_kmeans(rows_about(0), small_box(), 3, rho = 1, method = kmeans_lloyd(rounds = 5))),
               1:4 / 5)
  expect_equal(told_of(private_kmeans(rows_about(0), small_box(), 3, rho = 1, method = kmeans_lloyd(rounds = 5),
                                      covariance = TRUE)), 1:12 / 13)
})

test_that("a search that may end early stays within its parts", {
  set.seed(782)
  for (method in c("tree", "cube")) {
    told <- told_of(private_kmeans(rows_about(c(-0.5, 0.5), 2000), small_box(), 3, rho = 1, method = method,
                                   covariance = TRUE))
    expect_gt(length(told), 3)
    expect_false(is.unsorted(told))
    expect_true(all(told > 0 & told < 1))
  }
})

test_that("a mean on a manifold tells its two parts after the rows", {
  set.seed(783)
  X <- cbind(stats::rnorm(50, sd = 0.1), stats::rnorm(50, sd = 0.1), 1)
  X <- X / sqrt(rowSums(X^2))
  expect_equal(told_of(private_frechet_mean(X, manifold_sphere(2), c(0, 0, 1), 0.5, epsilon = 1)), 1 / 2)
})

test_that("rounds over rows of a database are parts too", {
  set.seed(784)
  con <- local_sqlite(data.frame(x = stats::runif(60, -1, 1), y = stats::runif(60, -1, 1)))
  kmeans <- function() {
    told_of(private_kmeans(dplyr::tbl(con, "people"), small_box(), 2, rho = 1, method = kmeans_lloyd(rounds = 3)))
  }
  # also if each round reads the rows
  for (kept in c(2^27, 0)) expect_equal(withr::with_options(list(dptda.kept_numbers = kept), kmeans()), 1:2 / 3)
})

test_that("a shared bar is gone after an error, is no part of another's, and does not count what its listener does", {
  kernel <- function() kernel_progress("one")
  expect_error(told_of(with_shared_bar("all", 3, stop("enough"))), "enough")
  expect_null(shared_bar$next_part)
  expect_equal(told_of(with_shared_bar("all", 2, {
    kernel()(0.5)
    with_shared_bar("within", 5, kernel()(0.5))
    kernel()(1) # more than was said
  })), c(0.25, 0.5, 0.75, 0.5, 1))
  depth <- 0
  listener <- function(fraction) {
    depth <<- depth + 1
    if (depth < 3) with_shared_bar("its own", 4, kernel()(0.5))
  }
  withr::local_options(dptda.progress = listener)
  with_shared_bar("all", 2, kernel()(0.5))
  expect_identical(depth, 3)
  withr::local_options(dptda.progress = FALSE)
  expect_identical(with_shared_bar("all", 2, kernel()), NULL)
})

test_that("nothing is told within two seconds", {
  told <- 0
  between <- throttled(function(fraction) told <<- told + 1)
  between(0.5)
  expect_identical(told, 0)
})
