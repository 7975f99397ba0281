# Sums of encoded rows: from counts of pairs of columns, against the vectors themselves.

moment_schema <- function() {
  table_schema(age = schema_numeric(0, 100, cells = 5),
               grade = schema_categorical(c("low", "mid"), ordered = TRUE, missing = "level"),
               color = c("red", "green", "blue"), member = schema_logical())
}

moment_source <- function(schema, n) {
  codes <- vapply(schema_sizes(schema), function(size) sample.int(size, n, replace = TRUE) - 1L, integer(n))
  list(sizes = schema_sizes(schema), n = n, codes = matrix(codes, n))
}

# The released numbers of one row, in units of their noise.
row_in_noise <- function(z, plan) {
  upper <- upper.tri(diag(length(z)), diag = TRUE)
  square <- is_square(length(z))
  c(z, outer(z, z)[upper]) / c(rep(plan$scale[["sum"]], length(z)),
                               ifelse(square, plan$scale[["square"]], plan$scale[["product"]]))
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
                      table_schema(a = schema_logical(), b = schema_logical(), c = schema_logical()))) {
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

# The worst that a search finds where each part of the sums is of a reading of its own, as a fraction of rho. Parts are
# independent of each other: the worst of each is found by all pairs of codes of its columns.
cost_of_readings <- function(plan) {
  book <- plan$book
  sizes <- vapply(book$columns, function(column) nrow(column$whole), 0L)
  cost <- 0
  for (j in seq_along(sizes)) {
    own <- book$columns[[j]]$whole
    cost <- cost + max(stats::dist(own / plan$scale[["sum"]]))^2
    square <- is_square(ncol(own))
    outers <- apply(own, 1, function(z) outer(z, z)[upper.tri(diag(length(z)), diag = TRUE)])
    scale <- ifelse(square, plan$scale[["square"]], plan$scale[["product"]])
    cost <- cost + max(stats::dist(t(matrix(outers, ncol = nrow(own)) / scale)))^2
    for (k in seq_len(j - 1)) {
      pairs <- expand.grid(a = seq_len(sizes[j]), b = seq_len(sizes[k]))
      products <- t(mapply(function(a, b) as.vector(outer(own[a, ], book$columns[[k]]$whole[b, ])), pairs$a, pairs$b))
      cost <- cost + max(stats::dist(matrix(products, nrow(pairs)) / plan$scale[["product"]]))^2
    }
  }
  cost / 2 / plan$rho
}

test_that("no readings of a row change the sums by more than rho allows, which the scales of one reading do", {
  truths <- do.call(table_schema, lapply(c(a = 1, b = 2, c = 3, d = 4), function(i) schema_logical()))
  levels <- table_schema(a = c("u", "v", "w"), b = c("u", "v", "w"), c = c("u", "v", "w"))
  ordered <- table_schema(a = schema_numeric(0, 1, cells = 4),
                          b = schema_categorical(c("low", "mid"), ordered = TRUE, missing = "level"))
  seen <- vapply(list(moment_schema(), truths, levels, ordered), function(schema) {
    for (scale in list(NULL, intersect(c("age", "grade", "a"), names(schema$columns)))) {
      apart <- cost_of_readings(plan_moments(1000, schema, 0.3, scale, together = FALSE))
      expect_lte(apart, 1)
      expect_gt(apart, 0.5)
    }
    c(cost_of_readings(plan_moments(1000, schema, 0.3)), apart)
  }, c(0, 0))
  # with the scales of one reading all of these would break the promise
  expect_true(all(seen[1, 1:3] > 1.1))
  expect_gt(seen[1, 2], 1.5)
})

test_that("rows in memory and one table of a database are one reading, several tables are not", {
  sizes <- function(...) list(sizes = c(...), reading = list(once = FALSE))
  expect_true(is_one_reading(list(sizes = rep(1000L, 5), reading = list(once = TRUE))))
  expect_true(is_one_reading(sizes(a = 3L)))
  expect_true(is_one_reading(sizes(a = 64L, b = 64L, c = 64L)))
  expect_false(is_one_reading(sizes(a = 64L, b = 64L, c = 65L)))
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
