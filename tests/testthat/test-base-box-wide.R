# Boxes of many sides: what can take them does, what cannot says why, before anything is spent.

wide <- function(D) domain_box(rep(0, D), rep(16, D))

test_that("boxes have up to 1,024 sides, and refusals say how many", {
  expect_length(wide(64)$lower, 64)
  expect_length(wide(1024)$lower, 1024)
  expect_length(domain_box(rep(list(c(0, 1)), 70))$lower, 70)
  for (code in expression(domain_box(rep(0, 1025), 1), domain_box(rep(list(c(0, 1)), 1100)),
                          private_mean(matrix(0, 3, 1030), rep(list(c(0, 1)), 1030), epsilon = 1))) {
    expect_error(eval(code), "must have at most 1,024 sides, not 1,[0-9]+\\.", class = "dptda_error_argument")
  }
})

test_that("k-means of 64 and of 300 columns runs by every method, and finds what there is", {
  set.seed(71)
  for (D in c(64, 300)) {
    # three pictures of few levels, as of digits, with noise
    pictures <- matrix(sample(c(0, 4, 16), 3 * D, TRUE), 3)
    X <- pictures[rep(1:3, length.out = 900), ] + matrix(stats::rnorm(900 * D, 0, 1), 900)
    for (method in list(NULL, "lloyd", "grid", "cube", "tree")) {
      fit <- private_kmeans(X, wide(D), 3, rho = 5, method = method, rng = "R")
      expect_identical(dim(fit$centers), as.integer(c(3, D)))
      if (is.null(method) && D == 64) {
        expect_identical(sort(tabulate(predict(fit, pictures), 3)), rep(1L, 3))
      }
    }
  }
})

test_that("sums and means of many columns are exact and cost what is declared", {
  set.seed(72)
  X <- matrix(stats::runif(100 * 200, 0, 16), 100)
  budget <- privacy_budget(epsilon = 2)
  fit <- private_mean(X, wide(200), epsilon = 2, budget = budget, rng = "R")
  expect_identical(budget$spent, 2)
  expect_length(as.double(fit), 200)
  # a product of whole numbers above 2^53 is not rounded down: 49 (2^24 - 1)^2 is odd
  steps <- 2^24 - 1
  expect_gt(raise_product(49 * steps^2), 49 * steps^2)
  expect_identical(raise_product(49 * 2^40), 49 * 2^40)
})

# Of as many columns as a box has sides: with names and without, of matrices and tables, rows and people.
test_that("what takes a box of 1,024 sides takes rows of 1,024 columns", {
  set.seed(74)
  D <- 1024L
  X <- matrix(stats::runif(40 * D, 0, 16), 40)
  table <- as.data.frame(X)
  named <- domain_box(stats::setNames(rep(0, D), names(table)), rep(16, D))
  people <- table_rows(cbind(table, id = rep(1:20, 2)), person = "id", columns = names(table))
  for (release in list(private_sum, private_mean, private_var, private_sd)) {
    budget <- privacy_budget(rho = 2e5)
    for (x in list(X, table)) {
      expect_length(as.double(release(x, named, rho = 1e5, budget = budget, rng = "R")), D)
    }
    expect_identical(budget$spent, 2e5)
    expect_length(as.double(release(people, named, rho = 1e5, rng = "R")), D)
  }
  fit <- private_mean(table, named, rho = 1e9, columns = rev(names(table)), rng = "R")
  expect_equal(as.double(fit), unname(colMeans(X)[match(names(fit), names(table))]), tolerance = 0.01)
  for (x in list(X, table, people)) {
    expect_identical(dim(private_kmeans(x, named, 2, rho = 1e3, rng = "R")$centers), c(2L, D))
    expect_identical(length(private_bounds(x, rho = 1e5, rng = "R")$lower), D)
  }
  expect_error(private_mean(cbind(table, a = 1), named, epsilon = 1, columns = c(names(table), "a")),
               "must be at most 1,024 columns, not 1,025", class = "dptda_error_argument")
})

test_that("covariances of more than 64 columns are refused with the reason, before anything is spent", {
  X <- matrix(1, 30, 80)
  budget <- privacy_budget(rho = 1)
  releases <- list(function() private_covariance(X, wide(80), rho = 1, budget = budget),
                   function() private_mixture(X, wide(80), 2, rho = 1, budget = budget),
                   function() private_pca(X, wide(80), 2, rho = 1, budget = budget),
                   function() private_kmeans(X, wide(80), 2, rho = 1, covariance = TRUE, budget = budget))
  for (release in releases) {
    expect_error(release(), "must have at most 64 sides, not 80: products of more columns would not be exact",
                 class = "dptda_error_argument")
  }
  expect_identical(budget$spent, 0)
})

# |q|^2 of features is a sum of squares of at most 8 steps of 2^20 each, which 64 of them keep an exact double; the
# bound holds in the integers, for rows in all directions.
test_that("features of 64 columns are as long as the bound, and no longer", {
  skip_if_instrumented()
  set.seed(73)
  D <- 64
  box <- domain_box(rep(-1, D), rep(1, D))
  query <- plan_query(3, D, 1, list(whitened = TRUE, hard = TRUE), 1)
  model <- standard_model(D)
  model$covariances[, , 1] <- diag(1e-3, D)
  X <- rbind(rep(1, D), sample(c(-1, 1), D, TRUE), c(1, double(D - 1)), stats::runif(D, -1, 1))
  for (i in seq_len(nrow(X))) {
    sums <- query_sums(X[i, , drop = FALSE], model, box, query)
    squares <- sums[1 + D + which(is_square(D))] / 2^query$bits[2]
    expect_lte(sum(squares), D * 4^query$bits[1])
    expect_gt(sum(squares), D * 4^query$bits[1] * 0.999)
  }
  # all directions of a covariance of 64 columns
  Y <- matrix(stats::rnorm(20000 * D, 0, 0.1), 20000)
  fit <- private_covariance(Y, box, rho = 20, rng = "R")
  expect_equal(mean(diag(fit$cov)), 0.01, tolerance = 0.05)
})
