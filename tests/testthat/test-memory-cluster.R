# Kernels on small data (test-memory.R): mixtures, clusters along a density, k-means and rounds over rows.

test_that("mixtures", {
  for (D in c(1, 3, 12)) for (K in c(1, 4)) {
    S <- 0.5 + diag(D)
    model <- as_mixture(list(weights = seq_len(K), means = matrix(sin(seq_len(K * D)^2), K) * 5,
                             covariances = rep(list(S), K)))
    X <- rbind(model$means, NA, Inf, 1e200, 1e5)
    expect_length(predict(model, X, "logdensity"), K + 4)
    expect_identical(dim(simulate(model, 9)), c(9L, as.integer(D)))
  }
  thin <- list(1, matrix(0, 1, 2), c(1, 1, 1, 1))
  expect_error(.Call(ffi_cluster_draw, thin[[1]], thin[[2]], thin[[3]], 1, kernel_options("R")),
               class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("a fit without privacy", {
  for (D in c(1, 5)) for (K in c(1, 3)) for (n in c(3, 40)) {
    fit <- fit_mixture(matrix(sin(seq_len(n * D)^2), n), K, rounds = 2)
    expect_length(fit_mixture(matrix(cos(seq_len(n * D)), n), start = fit, rounds = 1)$weights, K)
  }
  expect_identical(live_blocks(), 0)
})

test_that("modes and passes of mixtures", {
  for (D in c(1, 2, 6)) for (K in c(1, 2, 5)) for (spread in c(1, 6, 1e5)) {
    model <- as_mixture(list(weights = seq_len(K), means = matrix(sin(seq_len(K * D)^2), K) * spread,
                             covariances = rep(list(0.5 + diag(D)), K)))
    merging <- cluster_morse(model)
    expect_identical(nrow(merging$merge), as.integer(K) - 1L)
    expect_length(predict(merging, rbind(model$means, NA), k = 1, assign = "basin"), K + 1)
  }
  # more saddles than there is room for at first
  corners <- as.matrix(expand.grid(c(-2, 0, 2), c(-2, 0, 2)))
  expect_gt(sum(cluster_morse(as_mixture(list(weights = rep(1, 9), means = corners,
                                            covariances = rep(list(diag(0.3, 2)), 9))))$passes$saddle), 10)
  expect_identical(live_blocks(), 0)
})

test_that("clusters along a density", {
  X <- cbind(sin(1:40), cos((1:40)^2))
  for (n in c(1, 2, 40)) for (k in c(1, 6, 50)) for (density in list("kernel", "dtm", rep_len(c(2, 1, 2, 3), n))) {
    for (prominence in c(0, 1, Inf)) {
      expect_length(cluster_tomato(X[seq_len(n), , drop = FALSE], density, k, prominence = prominence)$labels, n)
    }
  }
  expect_identical(live_blocks(), 0)
})

test_that("looks at the rows by cluster", {
  box <- domain_box(c(-1, -1, -1), c(1, 1, 1))
  X <- matrix(c(-2, -.5, 0, .5, 1, Inf), 4, 3)
  model <- list(weights = c(.5, .5), means = cbind(rep(-.5, 3), rep(.5, 3)),
                covariances = array(diag(3) / 9, c(3, 3, 2)))
  for (whitened in c(TRUE, FALSE)) for (hard in c(TRUE, FALSE)) {
    query <- list(whitened = whitened, hard = hard, stretch = 1, bits = c(4, 5))
    expect_true(all(is.finite(query_sums(X, model, box, query))))
    expect_true(all(query_sums(X[0, , drop = FALSE], model, box, query) == 0))
  }
  place <- list(lower = box$lower, upper = box$upper, mean = model$means)
  expect_true(all(is.finite(.Call(ffi_cluster_means, X, NULL, place, 9, kernel_options()))))
  expect_true(all(.Call(ffi_cluster_means, X[0, , drop = FALSE], NULL, place, 0, kernel_options()) == 0))
  expect_error(.Call(ffi_cluster_means, X, NULL, place, 25, kernel_options()), class = "dptda_error_argument")
  one <- query_model(standard_model(3), box)
  expect_length(.Call(ffi_cluster_scores, X, NULL, one, diag(3), 1, .5, 8, kernel_options()), 3)
  expect_true(.Call(ffi_cluster_choose, c(1, 0), .5, kernel_options("R")) %in% 1:2)
  expect_identical(live_blocks(), 0)
})

test_that("rows by their distance from a center", {
  X <- matrix(c(-2, -.5, 0, .5, 1, NaN), 6, 3)
  count <- function(...) .Call(ffi_cluster_distances, ..., kernel_options())
  for (n in c(0, 1, 6)) {
    rows <- X[seq_len(n), , drop = FALSE]
    expect_identical(sum(count(rows, NULL, rep(-1, 3), rep(1, 3), double(3), c(0, .5, 2))), as.double(n))
    expect_identical(sum(count(rows, rep(2L, n), rep(-1, 3), rep(1, 3), double(3), 1)), 2 * n)
  }
  expect_error(count(X, NULL, rep(-1, 2), rep(1, 3), double(3), 1), class = "dptda_error_argument")
  expect_error(count(X, NULL, rep(2, 3), rep(1, 3), double(3), 1), class = "dptda_error_argument")
  expect_error(count(X, NULL, rep(-1, 3), rep(1, 3), double(3), c(1, 1)), class = "dptda_error_argument")
  expect_error(count(X, NULL, rep(-1, 3), rep(1, 3), double(3), double()), class = "dptda_error_argument")
  wide <- double(1025)
  expect_error(count(matrix(0, 2, 1025), NULL, wide, wide, wide, 1), class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("centers of points with weights", {
  for (m in c(1, 3, 20)) for (k in c(1, 5)) for (D in c(1, 4)) {
    found <- weighted_kmeans(matrix(sin(seq_len(m * D)^2), D), rep_len(c(1, 0, 2), m), k, "R", starts = 2)
    expect_true(all(is.finite(found$centers)))
  }
  expect_identical(live_blocks(), 0)
})

test_that("rows that walk down a tree", {
  X <- matrix(c(-2, -.5, 0, .5, 1, Inf), 4, 3)
  lattice <- kmeans_lattice(domain_box(c(-1, -1, -1), c(1, 1, 1)), 6)
  planes <- rbind(diag(3), 0)
  for (sums in c(TRUE, FALSE)) for (n in c(0, 4)) {
    rows <- X[seq_len(n), , drop = FALSE]
    expect_identical(sum(.Call(ffi_cluster_tree, rows, NULL, lattice, planes, NULL, c(1, 3, 0, 0, 0), sums,
                               kernel_options())[1, ]), n)
    cubes <- .Call(ffi_cluster_tree, rows, NULL, lattice, NULL, c(0, 5, 127), c(1, double(8)), sums, kernel_options())
    expect_identical(sum(cubes[1, ]), n)
    lattice$matrix <- rbind(c(3, -2, 1))
    expect_identical(sum(.Call(ffi_cluster_tree, rows, NULL, lattice, NULL, 3, c(1, 0, 0), sums,
                               kernel_options())[1, ]), n)
    lattice["matrix"] <- list(NULL)
  }
  expect_error(.Call(ffi_cluster_tree, X, NULL, lattice, planes, NULL, c(1, 1, 0), TRUE, kernel_options()),
               class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("candidates that take the place of centers", {
  X <- matrix(c(-2, -.5, 0, .5, 1, Inf), 4, 3)
  places <- matrix(as.double(-7:7), 3)
  lattice <- kmeans_lattice(domain_box(c(-1, -1, -1), c(1, 1, 1)), 6)
  for (n in c(0, 4)) for (taken in list(1, c(5, 5, 2))) {
    rows <- X[seq_len(n), , drop = FALSE]
    expect_identical(dim(.Call(ffi_cluster_swaps, rows, NULL, lattice, places, taken, 3, 20, kernel_options())),
                     c(length(taken), 5L))
    expect_identical(sum(.Call(ffi_cluster_nearest, rows, NULL, lattice, places, kernel_options())[1, ]), n)
  }
  lattice$matrix <- rbind(c(3, -2, 1))
  expect_identical(dim(.Call(ffi_cluster_swaps, X, NULL, lattice, rbind(c(1, 2)), 2, 0, 1, kernel_options())), 1:2)
  expect_identical(live_blocks(), 0)
})
