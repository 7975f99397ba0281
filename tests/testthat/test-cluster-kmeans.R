# The budget identity first: the scales of all noise that is really drawn, caught where it is added, against sensitivities that
# are searched for among rows in the integers themselves.

kmeans_box <- function(D) domain_box(rep(-1, D), rep(1, D))

# What the noise of a release was asked for, one element a look.
caught_noise <- function(...) {
  caught <- list()
  keep <- function(values, scale, kind, rng) {
    caught[[length(caught) + 1]] <<- list(scale = rep_len(scale, length(values)), kind = kind)
    values
  }
  with_replaced("add_noise", keep, private_kmeans(...))
  caught
}

# The most that any pair of rows loses by this noise; one column a row, what it adds in steps.
searched_loss <- function(V, noise) {
  W <- t(V / noise$scale)
  if (noise$kind == "laplace") max(stats::dist(W, "manhattan")) else max(stats::dist(W))^2 / 2
}

# Corners of the box: all, or some of many.
corner_rows <- function(D) {
  if (D <= 3) return(as.matrix(expand.grid(rep(list(c(-1, 1)), D))))
  rbind(rep(-1, D), rep(1, D), c(-1, rep(1, D - 1)), c(1, rep(-1, D - 1)))
}

# Centers in a row from side to side.
line_of_centers <- function(D, k) {
  centers <- matrix(0, D, k)
  if (k > 1) centers[1, ] <- seq(-1, 1, length.out = k)
  centers
}

lloyd_sums <- function(X, centers, bits) {
  D <- ncol(X)
  .Call(ffi_cluster_means, X, list(lower = rep(-1, D), upper = rep(1, D), mean = centers), bits, kernel_options())
}

# What each row adds to a look; of one cluster the count is public.
row_sums <- function(X, centers, bits) {
  each <- lapply(seq_len(nrow(X)), function(i) lloyd_sums(X[i, , drop = FALSE], centers, bits))
  do.call(cbind, lapply(each, function(sums) if (ncol(centers) == 1) sums[-1, ] else as.vector(sums)))
}

# What was declared, less the rounding of scales, which have 24 binary digits.
expect_spent <- function(loss, declared) {
  expect_lte(loss, declared)
  expect_gt(loss, declared * (1 - 2^-22))
}

kmeans_spent <- function(measure) {
  given <- as.list(measure)
  check_kmeans_budget(given$epsilon, given$rho, given$delta)
}

declared_measures <- list(c(epsilon = 1e-6), c(epsilon = 0.7), c(epsilon = 1e3), c(rho = 1e-6), c(rho = 0.3), c(rho = 1e3),
                          c(epsilon = 2, delta = 1e-6))

test_that("the noise of all rounds costs what was declared and no more", {
  for (D in c(1, 2, 8, 50)) for (k in c(1, 2, 5)) for (n in c(1, 1e3)) for (measure in declared_measures) {
    spent <- kmeans_spent(measure)
    caught <- do.call(caught_noise, c(list(matrix(0.25, n, D), kmeans_box(D), k), measure))
    plan <- plan_kmeans_lloyd(n, kmeans_box(D), k, spent)
    expect_length(caught, plan$rounds)
    V <- row_sums(corner_rows(D), line_of_centers(D, k), plan$bits)
    expect_spent(sum(vapply(caught, function(noise) searched_loss(V, noise), 0)), spent_cost(spent)[[1]])
    expect_equal(sum(plan$steps[[2]]), spent_cost(spent)[[1]], tolerance = 1e-14)
  }
})

test_that("shares of the budget that are swapped do not add up", {
  # the way of a known library; the factor is that of the proof
  for (D in c(2, 8, 50)) {
    c <- lloyd_factor(D)
    honest <- lloyd_sensitivity
    swapped <- function(dimension, clusters, rounds, noise) {
      honest(dimension, clusters, rounds, noise) * c(c, 1 / c)
    }
    caught <- with_replaced("lloyd_sensitivity", swapped, caught_noise(matrix(0, 9, D), kmeans_box(D), 3, epsilon = 1, rounds = 3))
    bits <- with_replaced("lloyd_sensitivity", swapped,
                          plan_kmeans_lloyd(9, kmeans_box(D), 3, kmeans_spent(c(epsilon = 1)), 3)$bits)
    V <- row_sums(corner_rows(D), line_of_centers(D, 3), bits)
    loss <- sum(vapply(caught, function(noise) searched_loss(V, noise), 0))
    expect_equal(loss, (1 + D * c) / (D + c), tolerance = 1e-6)
    expect_gt(abs(loss - 1), 0.09)
  }
})

# The nominal loss of a look at covariances, from its sensitivities in closed form.
covariance_loss <- function(noise, D, k, bits) {
  numbers <- c(1, D, D * (D + 1) / 2)
  s <- noise$scale[cumsum(c(1, numbers[-3]))]
  if (noise$kind == "laplace") return(sum(c(2, 2 * D * 2^bits, D * (D + 1) * 4^bits) / s))
  # twice the largest square: of a product, whose variance is half, each counts twice
  sum(c(1, D * 4^bits, D^2 * 16^bits) / s^2)
}

test_that("with covariances, and on a grid, the parts add up as well", {
  for (method in c("lloyd", "grid")) for (D in c(1, 2, 8, 50)) for (k in c(1, 4)) for (n in c(1, 1e3)) {
    for (measure in declared_measures) {
      spent <- kmeans_spent(measure)
      plan <- plan_kmeans(n, kmeans_box(D), k, spent, method, NULL, TRUE)
      caught <- do.call(caught_noise, c(list(matrix(0.25, n, D), kmeans_box(D), k, method = method, covariance = TRUE), measure))
      V <- if (method == "lloyd") row_sums(corner_rows(D), line_of_centers(D, k), plan$method$bits)
      first <- vapply(caught[-length(caught)], function(noise) {
        if (method == "lloyd") searched_loss(V, noise) else if (noise$kind == "laplace") 2 / noise$scale[1] else 1 / noise$scale[1]^2
      }, 0)
      last <- covariance_loss(caught[[length(caught)]], D, k, plan$look$bits[1])
      expect_spent(sum(first) + last, spent_cost(spent)[[1]])
      expect_equal(sum(kmeans_steps(plan)[[2]]), spent_cost(spent)[[1]], tolerance = 1e-14)
    }
  }
})
