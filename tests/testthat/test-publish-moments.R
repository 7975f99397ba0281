# Sums of encoded rows: from counts of pairs of columns, against the vectors themselves.

moment_schema <- function() {
  table_schema(age = schema_numeric(0, 100, cells = 5), grade = schema_ordinal(c("low", "mid"), missing = "level"),
               color = c("red", "green", "blue"), member = schema_truth())
}

moment_source <- function(schema, n) {
  codes <- vapply(schema_sizes(schema), function(size) sample.int(size, n, replace = TRUE) - 1L, integer(n))
  list(sizes = schema_sizes(schema), n = n, codes = matrix(codes, n))
}

# The released numbers of one row, in units of their noise.
row_in_noise <- function(z, plan) {
  upper <- upper.tri(diag(length(z)), diag = TRUE)
  square <- is_square(length(z))
  c(z, outer(z, z)[upper]) / c(rep(plan$scale[["sum"]], length(z)), ifelse(square, plan$scale[["square"]], plan$scale[["product"]]))
}

test_that("sums are those of the vectors, exactly", {
  set.seed(1)
  for (columns in list(1:4, 2, c(1, 3))) {
    schema <- new_schema(moment_schema()$columns[columns])
    source <- moment_source(schema, 200)
    book <- encoding_book(schema, 10, intersect(c("age", "grade"), names(schema$columns)))
    X <- encode_codes(book, source$codes)
    expect_identical(moment_sums(source, book), c(colSums(X), crossprod(X)[upper.tri(diag(book$width), diag = TRUE)]))
  }
})

test_that("no pair of rows changes the sums by more than rho allows, and one comes near", {
  for (schema in list(moment_schema(), table_schema(a = c("u", "v")), table_schema(a = schema_numeric(0, 1, cells = 4)),
                      table_schema(a = schema_truth(), b = schema_truth(), c = schema_truth()))) {
    for (scale in list(NULL, intersect(c("age", "grade", "a"), names(schema$columns)))) {
      plan <- plan_moments(1000, schema, 0.3, scale)
      all <- as.matrix(expand.grid(lapply(schema_sizes(schema), function(size) seq_len(size) - 1L)))
      X <- encode_codes(plan$book, all)
      V <- apply(X, 1, row_in_noise, plan)
      change <- max(stats::dist(t(V)))^2
      # the cost of a change c is c^2 / 2
      expect_lte(change / 2, 0.3)
      expect_gt(change / 2, 0.3 * 0.4)
    }
  }
})

test_that("the shares use all of the bracket", {
  a <- moment_shares()
  expect_equal(sum(a) + a[[1]]^2 / (4 * a[[2]]), 1)
  expect_lt(sum(a) + a[[1]]^2 / (4 * a[[2]]), 1)
})

test_that("moments are those of the data but for the noise that the plan says", {
  set.seed(2)
  schema <- moment_schema()
  source <- moment_source(schema, 5000)
  plan <- plan_moments(5000, schema, 50)
  X <- encode_codes(plan$book, source$codes) / 2^plan$book$bits
  seen <- replicate(200, {
    moments <- draw_moments(moment_sums(source, plan$book), plan, "R")
    c(moments$mean[1] - mean(X[, 1]), moments$covariance[1, 2] - mean(X[, 1] * X[, 2]) + prod(moments$mean[1:2]))
  })
  scale <- c(plan$scale[["sum"]] / 2^plan$book$bits, plan$scale[["product"]] / 4^plan$book$bits) / 5000
  # sums of 200 squares: false-alarm rate .001 for both
  for (i in 1:2) {
    chance <- stats::pchisq(sum((seen[i, ] / scale[i])^2), 200)
    expect_gt(chance, 0.00025)
    expect_lt(chance, 0.99975)
  }
  moments <- draw_moments(moment_sums(source, plan$book), plan, "R")
  expect_true(isSymmetric(moments$covariance))
  expect_equal(moments$noise, scale[2])
})

test_that("lattices are as coarse as public numbers ask, and too much is refused by them", {
  schema <- moment_schema()
  expect_identical(plan_moments(1000, schema, 1)$book$bits, 10)
  expect_lt(plan_moments(2^40, schema, 1)$book$bits, 10)
  plan <- plan_moments(1000, schema, 1e-14)
  expect_lt(plan$book$bits, 10)
  expect_lte(max(plan$scale), 2^40)
  expect_null(plan_moments(1000, schema, 1e-30))
  expect_null(plan_moments(2^52, schema, 1))
})
