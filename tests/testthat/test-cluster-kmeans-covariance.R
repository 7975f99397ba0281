# Covariances of clusters are those of the rows, however narrow clusters are in the box. Tolerances are in standard
# deviations of the noise that the release states; every test has a fixed seed.

side_box <- function(D, side) domain_box(double(D), rep(side, D))

# Gaussian rows with one correlation, in clusters of their own.
narrow_rows <- function(n, centers, sd, correlation = 0) {
  D <- ncol(centers)
  S <- matrix(correlation, D, D)
  diag(S) <- 1
  group <- rep_len(seq_len(nrow(centers)), n)
  list(X = centers[group, , drop = FALSE] + matrix(stats::rnorm(n * D), n) %*% chol(S + diag(1e-12, D)) * sd,
       group = group)
}

# Each released entry against that of the rows, in standard deviations: false alarm 1e-6 in all, with a fixed seed. What
# shortening changes for Gaussian rows is below 2 percent.
expect_covariances <- function(fit, rows, times = 6) {
  label <- predict(fit, rows$X)
  for (k in seq_len(fit$k)) {
    truth <- stats::cov(rows$X[label == k, , drop = FALSE])
    scale <- sqrt(tcrossprod(diag(truth)))
    away <- abs(fit$covariances[, , k] - truth)
    expect_true(all(away <= times * fit$noise[, , k] + 0.03 * scale), info = format(max(away / scale)))
  }
}

test_that("narrow clusters have the covariances of their rows, at any budget", {
  set.seed(31)
  centers <- rbind(c(20, 40), c(60, 10), c(85, 90))
  for (sd in c(0.05, 0.8)) {
    rows <- narrow_rows(9000, centers, sd)
    for (cost in list(list(epsilon = 8), list(epsilon = 1e4), list(rho = 0.2), list(epsilon = 2, delta = 1e-6))) {
      fit <- do.call(private_kmeans, c(list(rows$X, side_box(2, 100), 3, covariance = TRUE, method = "cube",
                                            rng = "R"), cost))
      expect_covariances(fit, rows)
      # far below a public spread, which was the least that one round could find
      expect_lt(max(apply(fit$covariances, 3, diag)), 0.02 * 50^2 * kmeans_spread(3, 2))
    }
  }
})

test_that("correlations come out, up to 1, and in three columns", {
  set.seed(32)
  for (correlation in c(0.95, 0.99)) {
    rows <- narrow_rows(12000, rbind(c(5, 7, 4)), 0.6, correlation)
    fit <- private_kmeans(rows$X, side_box(3, 12), 1, epsilon = 30, covariance = TRUE, rng = "R")
    expect_covariances(fit, rows)
    expect_equal(stats::cov2cor(fit$covariances[, , 1])[1, 2], correlation, tolerance = 0.01)
  }
  z <- stats::rnorm(6000, 6, 0.7)
  fit <- private_kmeans(cbind(z, z), side_box(2, 12), 1, rho = 1, covariance = TRUE, rng = "R")
  expect_gt(stats::cov2cor(fit$covariances[, , 1])[1, 2], 0.999)
})

test_that("a constant column has next to no variance, and the print says what cannot be seen", {
  set.seed(33)
  X <- cbind(stats::rnorm(8000, 400, 30), 250)
  fit <- private_kmeans(X, side_box(2, 1000), 1, rho = 0.5, covariance = TRUE, rng = "R")
  expect_equal(sqrt(fit$covariances[1, 1, 1]), 30, tolerance = 0.05)
  expect_lt(sqrt(fit$covariances[2, 2, 1]), 2 * fit$narrowest * 1000)
  shown <- gsub("\\s+", " ", paste(utils::capture.output(print(fit)), collapse = " "))
  expect_match(shown,
               "standard deviations below [0-9.e-]+% of a side of the box cannot be detected \\(cluster 1 may be")
  # a wide one is not said to be narrow
  fit <- private_kmeans(cbind(X[, 1], X[, 1] + stats::rnorm(8000, -100, 30)), side_box(2, 1000), 1, rho = 0.5,
                        covariance = TRUE, rng = "R")
  expect_output(print(fit), "cannot\\s+be\\s+detected")
  expect_no_match(utils::capture.output(print(fit)), "narrower")
  # mixtures and tables inherit it
  expect_identical(as_mixture(fit)$covariances, fit$covariances)
})

test_that("a cluster of too few rows keeps a public covariance, which is said", {
  set.seed(34)
  X <- cbind(stats::rnorm(300, 3, 0.1), stats::rnorm(300, 8, 0.1))
  fit <- without_weak(private_kmeans(X, side_box(2, 20), 3, epsilon = 0.5, covariance = TRUE, rng = "R"))
  unseen <- which(!seen_covariances(fit))
  expect_gt(length(unseen), 0)
  for (k in unseen) expect_equal(fit$covariances[, , k], diag(100 * kmeans_spread(3, 2), 2))
  expect_output(print(fit), "public,\\s+with\\s+standard\\s+deviations\\s+of")
})

test_that("the rounds are as many as public numbers say, and cost all that is declared", {
  for (cost in list(list(epsilon = 2), list(rho = 0.05))) for (n in c(3000, 1e6)) {
    mechanism <- do.call(private_kmeans, c(list(unseen(n), side_box(2, 9), 4, covariance = TRUE), cost))
    steps <- mechanism$guarantee$public$steps
    rounds <- grepl("^covariances", steps$step)
    expect_length(mechanism$plan$steps$queries, sum(rounds))
    expect_equal(sum(steps[[2]]), cost[[1]], tolerance = 1e-13)
    # half of it in the last
    if (sum(rounds) > 1) expect_equal(steps[[2]][nrow(steps)], sum(steps[[2]][rounds]) / 2, tolerance = 1e-12)
  }
})

# The kernel against the slow way, where nothing rounds: whole numbers to the last one.
test_that("rows belong to the nearest place, with the features of its cluster", {
  set.seed(35)
  for (i in 1:20) {
    D <- sample(1:5, 1)
    k <- sample(1:4, 1)
    n <- sample(0:40, 1)
    X <- matrix(sample(-8:8, n * D, TRUE) / 8, n, D)
    places <- matrix(sample(-4:4, D * k, TRUE) / 4, D)
    means <- matrix(sample(-4:4, D * k, TRUE) / 8, D)
    # coordinates are those of the box, eight times as large
    model <- list(weights = rep(1 / k, k), means = means, covariances = array(diag(1 / 64, D), c(D, D, k)),
                  nearest = places)
    query <- plan_cluster_query(max(n, 1), D, new_cost(c(rho = 1)), 1)
    weight <- if (i %% 2) sample(0:3, n, TRUE)
    sums_of <- function(rows) {
      .Call(ffi_cluster_query, X[rows, , drop = FALSE], weight[rows], query_model(model, kmeans_box(D), 1), TRUE, TRUE,
            FALSE, as.double(query$bits), kernel_options())
    }
    at <- vapply(seq_len(n), function(row) which.min(colSums((places - X[row, ])^2)), 1L)
    u <- 8 * (t(X) - means[, at])
    # shortened rows are compared by their number alone
    near <- colSums(u^2) <= D
    size <- 1 + D + D * (D + 1) / 2
    slow <- matrix(0, size, k)
    for (row in which(near)) {
      q <- u[, row] * 2^query$bits[1]
      product <- tcrossprod(q)
      times <- if (is.null(weight)) 1 else weight[row]
      slow[, at[row]] <- slow[, at[row]] + times * c(1, q, product[upper.tri(product, diag = TRUE)])
    }
    expect_identical(sums_of(near), slow)
    counts <- vapply(seq_len(k), function(place) if (is.null(weight)) sum(at == place) else sum(weight[at == place]), 0)
    expect_equal(sums_of(rep(TRUE, n))[1, ], counts)
  }
})

test_that("a database gives the covariances of rows in memory", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  set.seed(36)
  rows <- narrow_rows(600, rbind(c(2, 3), c(7, 6)), 0.3, 0.5)
  people <- data.frame(a = rows$X[, 1], b = rows$X[, 2])
  DBI::dbWriteTable(con, "people", people)
  # kept, and read in each round
  for (kept in c(2^27, 0)) for (method in list("lloyd", kmeans_grid(rounds = 2))) {
    fit <- function(x) {
      set.seed(37)
      private_kmeans(x, domain_box(c(a = 0, b = 0), 10), 2, rho = 50, method = method, covariance = TRUE, rng = "R")
    }
    asked <- withr::with_options(list(dptda.kept_numbers = kept), fit(dplyr::tbl(con, "people")))
    expect_identical(asked$covariances, fit(people)$covariances)
    expect_identical(asked$centers, fit(people)$centers)
  }
})
