# The release, by any of its methods: what comes out, what is refused, and what is spent.

test_that("with a large budget the groups are found, and their covariances", {
  set.seed(6)
  X <- rbind(matrix(stats::rnorm(4000, -3, 0.5), ncol = 2), matrix(stats::rnorm(2000, 3, 1), ncol = 2))
  box <- domain_box(c(-8, -8), c(8, 8))
  for (method in c("lloyd", "grid"))
  for (measure in list(c(epsilon = 1e3), c(rho = 1e3), c(epsilon = 100, delta = 1e-6))) {
    fit <- do.call(private_kmeans, c(list(X, box, 2, method = method, rng = "R"), measure))
    expect_true(is_kmeans(fit, 2, 2))
    expect_equal(unname(fit$centers[order(fit$centers[, 1]), ]), cbind(c(-3, 3), c(-3, 3)), tolerance = 0.1)
    expect_equal(sort(fit$size), c(1000, 2000), tolerance = 0.02)
    fit <- do.call(private_kmeans, c(list(X, box, 2, method = method, covariance = TRUE, rng = "R"), measure))
    # rows far from a center are shortened
    sizes <- apply(fit$covariances[, , order(fit$centers[, 1])], 3, diag)
    expect_equal(sizes, cbind(c(0.25, 0.25), c(1, 1)), tolerance = 0.15)
    model <- as_mixture(fit)
    expect_identical(model$means, fit$centers)
    expect_equal(sum(model$weights), 1)
    expect_identical(privacy(model), privacy(fit))
    expect_identical(privacy(fit)$measure, measure)
    expect_identical(nrow(predict(model, X, "probability")), 3000L)
  }
})

test_that("one cluster is a private mean", {
  set.seed(7)
  X <- matrix(stats::runif(4000, 0, 1), ncol = 2)
  fit <- private_kmeans(X, domain_box(c(0, 0), c(1, 1)), 1, epsilon = 100, rng = "R")
  expect_equal(as.vector(fit$centers), colMeans(X), tolerance = 0.01)
  expect_identical(fit$size, 2000)
  expect_identical(nrow(privacy(fit)$public$steps), 1L)
})

test_that("settings at the edges give whole objects, in silence", {
  some <- function(n, D, kind) {
    switch(kind, matrix(stats::runif(n * D, -9, 9), n), matrix(0.3, n, D),
           matrix(rep_len(c(-1, 1, Inf, -Inf, 1e300), n * D), n),
           cbind(matrix(1, n, D - 1), stats::rnorm(n)))
  }
  set.seed(8)
  for (D in c(1, 2, 50)) for (n in c(1, 30)) for (kind in 1:4) {
    k <- sample(c(1, 7, 40), 1)
    measure <- sample(declared_measures, 1)[[1]]
    for (method in c("lloyd", "grid")) for (covariance in c(FALSE, TRUE)) {
      # k-means of thousands of cells is no edge
      if (method == "grid" && n * k * measure[1] > 1e4) next
      expect_silent(fit <- do.call(private_kmeans, c(list(some(n, D, kind), kmeans_box(D), k, method = method,
                                                          covariance = covariance), measure)))
      expect_true(is_kmeans(fit, k, D))
      if (covariance) expect_true(is_valid(as_mixture(fit), "dptda_mixture"))
    }
  }
})

test_that("rows outside the box are its nearest points", {
  X <- rbind(matrix(0.5, 40, 2), c(100, -1e300), c(Inf, -Inf))
  corner <- rbind(matrix(0.5, 40, 2), c(1, -1), c(1, -1))
  for (method in c("lloyd", "grid")) {
    fit <- function(X) {
      set.seed(9)
      private_kmeans(X, kmeans_box(2), 3, epsilon = 3, method = method, covariance = TRUE, rng = "R")
    }
    expect_identical(fit(X), fit(corner))
    expect_identical(privacy(fit(X))$random, "R")
  }
})

test_that("nothing is spent where something public or a missing value is refused", {
  X <- matrix(0.1, 20, 2)
  budget <- privacy_budget(epsilon = 10)
  bad <- function(X, ...) expect_error(private_kmeans(X, ..., budget = budget), class = "dptda_error_argument")
  for (method in c("lloyd", "grid")) {
    bad(replace(X, 3, NA), kmeans_box(2), 2, epsilon = 1, method = method)
    bad(X, kmeans_box(2), 2, epsilon = 1e-40, method = method)
    bad(X, kmeans_box(2), 2, epsilon = 1e-40, method = method, covariance = TRUE)
    bad(X, kmeans_box(2), 2, rho = 1e-40, method = method, covariance = TRUE)
  }
  bad(X, kmeans_box(3), 2, epsilon = 1)
  bad(X[0, ], kmeans_box(2), 2, epsilon = 1)
  for (k in list(0, 1.5, 201, NA, "two", mean, quote(a), globalenv(), list(1))) bad(X, kmeans_box(2), k, epsilon = 1)
  for (delta in list(0, 1, -1, NA_real_, "small")) bad(X, kmeans_box(2), 2, epsilon = 1, delta = delta)
  bad(X, kmeans_box(2), 2, rho = 1, delta = 1e-6)
  bad(X, kmeans_box(2), 2)
  bad(X, kmeans_box(2), 2, epsilon = 1, rho = 1)
  bad(X, kmeans_box(2), 2, epsilon = 1, method = "forgy")
  bad(X, kmeans_box(2), 2, epsilon = 1, method = synthesis_aim())
  bad(X, kmeans_box(2), 2, epsilon = 1, rounds = 3)
  bad(X, kmeans_box(2), 2, epsilon = 1, covariance = NA)
  bad(X, domain_box(c(0, 0), c(1, 1e-200)), 2, epsilon = 1)
  expect_identical(budget$spent, 0)
  private_kmeans(X, kmeans_box(2), 2, epsilon = 1, budget = budget, covariance = TRUE)
  expect_identical(budget$spent, 1)
  expect_error(private_kmeans(X, kmeans_box(2), 2, epsilon = 9.5, budget = budget), class = "dptda_error_budget")
})

test_that("what a release that is interrupted in any round has spent stays spent", {
  X <- matrix(0.1, 20, 2)
  add <- add_noise
  for (method in c("lloyd", "grid")) for (at in 1:4) {
    budget <- privacy_budget(rho = 1)
    queries <- 0
    stops <- function(...) {
      queries <<- queries + 1
      if (queries == at) signalCondition(structure(class = c("interrupt", "condition"),
                                                   list(message = "", call = NULL)))
      add(...)
    }
    release <- function() {
      private_kmeans(X, kmeans_box(2), 2, rho = 0.25,
                     method = if (method == "lloyd") kmeans_lloyd(rounds = 3) else kmeans_grid(rounds = 2),
                     covariance = TRUE, budget = budget)
    }
    ended <- with_replaced("add_noise", stops, tryCatch(release(), interrupt = function(cnd) "interrupted"))
    expect_identical(ended, "interrupted")
    expect_equal(queries, at)
    expect_identical(budget$spent, 0.25)
  }
})

test_that("a forked worker has no release of its own", {
  skip_on_os("windows")
  X <- matrix(0.1, 20, 2)
  budget <- privacy_budget(epsilon = 5)
  release <- function(...) private_kmeans(X, kmeans_box(2), 2, epsilon = 1, method = "lloyd", ...)
  child <- parallel::mcparallel(tryCatch(release(budget = budget),
                                         error = class))
  expect_true("dptda_error_budget" %in% parallel::mccollect(child)[[1]])
  # without a budget the draws of two processes are independent
  children <- lapply(1:2, function(i) parallel::mcparallel(release()$centers))
  drawn <- parallel::mccollect(children)
  expect_false(identical(drawn[[1]], drawn[[2]]))
})

test_that("tables in a database give what the same rows in memory give", {
  set.seed(10)
  data <- data.frame(a = stats::rnorm(200), b = stats::rnorm(200))
  box <- domain_box(c(a = -3, b = -3), c(a = 3, b = 3))
  fit <- function(X, ...) {
    set.seed(11)
    private_kmeans(X, box, ..., columns = c("a", "b"), rng = "R")
  }
  for (people in list(dplyr::tbl(local_sqlite(data), "people"), dplyr::tbl(local_postgres(data), "people"))) {
    for (covariance in c(FALSE, TRUE)) for (k in long_or(c(1, 3), if (covariance) 3 else 1)) {
      expect_identical(fit(people, k, epsilon = 2, method = "grid", covariance = covariance),
                       fit(data, k, epsilon = 2, method = "grid", covariance = covariance))
      lloyd <- function(X) fit(X, k, epsilon = 20, covariance = covariance, method = kmeans_lloyd(rounds = 2))
      expect_identical(lloyd(people), lloyd(data))
    }
    for (method in c("tree", "cube")) {
      expect_error(private_kmeans(people, box, 3, rho = 2, method = method), "memory", class = "dptda_error_argument")
    }
  }
  missing <- local_sqlite(data.frame(a = c(1, NA), b = 1))
  budget <- privacy_budget(epsilon = 2)
  expect_error(private_kmeans(dplyr::tbl(missing, "people"), box, 2, epsilon = 2, budget = budget), "missing",
               class = "dptda_error_argument")
  expect_identical(budget$spent, privacy_budget(epsilon = 2)$spent)
})
