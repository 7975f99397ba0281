# Slow private k-means, and attacks on it.

kmeans_box <- function(D) domain_box(rep(-1, D), rep(1, D))

# The cost that methods must spend.
spent_rho <- function(rho) new_cost(c(rho = rho))
spent_epsilon <- function(epsilon) new_cost(c(epsilon = epsilon))

# Turns rows into integers, one column per row.
slow_lattice <- function(X, box, bits) {
  apply(X, 1, function(x) {
    place <- 2 * ((pmin(pmax(x, box$lower), box$upper) - box$lower) / (box$upper - box$lower)) - 1
    floor(pmin(pmax(place, -1), 1) * 2^bits + 0.5)
  }, simplify = FALSE)
}

slow_image <- function(q, lattice) {
  if (is.null(lattice$matrix)) return(q)
  pmin(pmax(floor(as.vector(lattice$matrix %*% q) / 2^lattice$shift), -2^lattice$bits), 2^lattice$bits)
}

# Makes rows at corners, near corners, in the middle, and anywhere in the box.
hostile_rows <- function(n, D) {
  one <- function() {
    corner <- sample(c(-1, 1), D, TRUE)
    switch(sample(4, 1), corner, corner * (1 - 10^stats::runif(1, -6, 0)), stats::runif(D, -1, 1), double(D))
  }
  t(matrix(replicate(n, one()), D))
}

# Draws three groups in the box.
kmeans_groups <- function(n, D = 2) {
  withr::with_seed(1, {
    centers <- matrix(stats::runif(3 * D, -0.8, 0.8), 3)
    centers[sample(3, n, TRUE), , drop = FALSE] + matrix(stats::rnorm(n * D, sd = 0.05), n)
  })
}

is_fit <- function(fit, D, k) {
  identical(dim(fit$centers), c(as.integer(D), as.integer(k))) && all(abs(fit$centers) <= 1) &&
    length(fit$size) == k && all(fit$size >= 0 & is.finite(fit$size))
}

# Checks a method of private_kmeans(): the declared cost is spent once, before the first draw, and a refused call spends
# nothing.
expect_charged_release <- function(method, measures, queries) {
  X <- kmeans_groups(300)
  X[1:2, ] <- c(Inf, -3, -Inf, 1e300)
  for (measure in measures) for (covariance in c(FALSE, TRUE)) for (k in c(1, 4)) {
    fit <- do.call(private_kmeans, c(list(X, kmeans_box(2), k, method = method, covariance = covariance), measure))
    expect_true(is_valid(fit, "dptda_private_kmeans"))
    expect_identical(privacy(fit)$measure, measure)
    expect_identical(fit$method, method)
    if (covariance) expect_identical(privacy(as_mixture(fit)), privacy(fit))
    given <- as.list(measure)
    settings <- check_kmeans_method(method, k)
    cost <- method_cost(settings, given$epsilon, given$rho, given$delta)$spent
    expect_equal(sum(privacy(fit)$public$steps[[2]]), cost[[1]], tolerance = 1e-13)
  }
  budget <- privacy_budget(rho = 1)
  bad <- function(...) expect_error(private_kmeans(..., method = method, budget = budget),
                                    class = "dptda_error_argument")
  bad(replace(X, 3, NA), kmeans_box(2), 2, rho = 0.1)
  bad(X, kmeans_box(3), 2, rho = 0.1)
  bad(X, kmeans_box(2), 2, rho = 1e-40)
  bad(X, kmeans_box(2), 2, rho = 1e-40, covariance = TRUE)
  expect_identical(budget$spent, 0)
  add <- add_noise
  for (at in queries) {
    budget <- privacy_budget(rho = 1)
    seen <- 0
    stops <- function(...) {
      seen <<- seen + 1
      if (seen == at) signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
      add(...)
    }
    release <- function() private_kmeans(X, kmeans_box(2), 3, rho = 0.25, method = method, budget = budget)
    ended <- with_replaced("add_noise", stops, tryCatch(release(), interrupt = function(cnd) "interrupted"))
    expect_identical(ended, "interrupted")
    expect_identical(budget$spent, 0.25)
  }
}

unit_sums <- function(X, centers, bits) lloyd_sums(X, centers, kmeans_box(ncol(X)), list(bits = bits))

# Computes the contribution of each row to a query. With one cluster the count is public.
row_sums <- function(X, centers, bits) {
  each <- lapply(seq_len(nrow(X)), function(i) unit_sums(X[i, , drop = FALSE], centers, bits))
  do.call(cbind, lapply(each, function(sums) if (ncol(centers) == 1) sums[-1, ] else as.vector(sums)))
}

# Checks that the declared cost was spent, up to the rounding of scales to 24 binary digits.
expect_spent <- function(loss, declared) {
  expect_lte(loss, declared)
  expect_gt(loss, declared * (1 - 2^-22))
}

# A cache, because the largest rho for an epsilon and a delta takes long to find and is needed often.
known_spents <- new.env()
kmeans_spent <- function(measure) {
  key <- deparse1(measure)
  given <- as.list(measure)
  if (is.null(known_spents[[key]])) known_spents[[key]] <- check_cost(given$epsilon, given$rho, given$delta)
  known_spents[[key]]
}

declared_measures <- list(c(epsilon = 1e-6), c(epsilon = 0.7), c(epsilon = 1e3), c(rho = 1e-6), c(rho = 0.3),
                          c(rho = 1e3), c(epsilon = 2, delta = 1e-6))

is_kmeans <- function(fit, k, D) {
  inside <- all(t(fit$centers) >= fit$box$lower & t(fit$centers) <= fit$box$upper)
  is_valid(fit, "dptda_private_kmeans") && identical(dim(fit$centers), as.integer(c(k, D))) && inside &&
    !is.null(privacy(fit))
}
