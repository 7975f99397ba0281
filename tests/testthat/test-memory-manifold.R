# Kernels on small data (test-memory.R): manifolds, draws about a point, means.

test_that("rotations and subspaces, in every branch of their sizes", {
  basis <- function(p, k) qr.Q(qr(matrix(sin(seq_len(p * k)^2), p)))
  through <- function(M, x, y, far) {
    v <- manifold_log(x, y, M)
    expect_true(all(is.finite(manifold_exp(x, v, M))))
    expect_equal(manifold_distance(x, y, M)^2, manifold_inner(x, v, v, M), tolerance = 1e-10)
    expect_true(all(is.finite(manifold_transport(x, y, v, M))))
    expect_true(all(is.finite(manifold_clamp(far, M, x, 0.1))))
    V <- matrix(sin(seq_len(2 * M$dimension)), ncol = 2) * rep(c(0.1, 10), each = M$dimension)
    expect_identical(is.finite(.Call(ffi_test_manifold_jacobian, M, V, kernel_options())$value), c(TRUE, FALSE))
    expect_error(manifold_distance(0 * x, y, M), class = "dptda_error_argument")
  }
  for (p in c(2, 3, 4, 7, 14)) {
    x <- basis(p, p)
    x[, 1] <- x[, 1] * det(x)
    through(manifold_rotation(p), x, diag(p), x %*% diag(rep(c(-1, 1), c(2 * (p %/% 2), p %% 2))))
    expect_error(manifold_distance(-diag(c(1, -rep(1, p - 1))), x, manifold_rotation(p)),
                 class = "dptda_error_argument")
    for (k in unique(c(1, p %/% 2, p - 1))) {
      I <- diag(p)
      through(manifold_grassmann(k, p), I[, 1:k, drop = FALSE], basis(p, k), I[, p + 1 - 1:k, drop = FALSE])
    }
  }
  both <- manifold_product(manifold_rotation(3), manifold_grassmann(1, 3))
  from <- list(diag(3), basis(3, 1))
  to <- list(diag(c(-1, -1, 1)), -basis(3, 1))
  expect_equal(manifold_distance(from, to, both), pi)
  expect_length(manifold_transport(from, to, manifold_log(from, to, both), both), 2)
  expect_identical(live_blocks(), 0)
})

test_that("shapes, in every branch", {
  for (k in c(3, 4, 9)) {
    M <- manifold_shapes(k)
    X <- as_shapes(array(sin(seq_len(4 * k)^2), c(k, 2, 2)))
    x <- X[, , 1]
    v <- manifold_log(x, X, M)
    expect_equal(manifold_distance(x, X, M)^2, manifold_inner(x, v, v, M), tolerance = 1e-10)
    expect_true(all(is.finite(manifold_exp(x, v, M))))
    expect_true(all(is.finite(manifold_transport(x, X, v, M))))
    expect_true(all(is.finite(manifold_clamp(X, M, x, 0.1))))
    V <- matrix(sin(seq_len(2 * M$dimension)), ncol = 2) * rep(c(0.1, 10), each = M$dimension)
    expect_identical(is.finite(.Call(ffi_test_manifold_jacobian, M, V, kernel_options())$value), c(TRUE, FALSE))
    # landmarks that are equal, far away, huge, and tiny
    rows <- as.vector(x) %o% c(0, 1, 1e308, 1e-310) + rep(c(5, 1e9, 0, 0), each = 2 * k)
    expect_true(all(is.finite(as_shapes(array(rows, c(k, 2, 4))))))
    expect_length(rmanifold_uniform(2, M), 4 * k)
  }
  # at the cut locus
  expect_equal(manifold_distance(as_shapes(c(1, -1, 0) + 0i), as_shapes(c(1, 1, -2) + 0i), manifold_shapes(3)), pi / 2)
  expect_identical(live_blocks(), 0)
})

test_that("positive definite matrices, also those that have to be repaired", {
  for (metric in c("affine", "log-euclidean")) for (p in c(1, 2, 3, 7, 14)) {
    M <- manifold_spd(p, metric)
    x <- crossprod(matrix(sin(seq_len(p * p)^2), p)) + diag(p)
    v <- manifold_log(x, diag(p), M)
    y <- manifold_exp(x, -200 * v, M)
    for (end in list(diag(p), y)) expect_true(is.finite(manifold_distance(x, end, M)))
    expect_true(all(is.finite(manifold_transport(x, diag(p), v, M))))
    expect_true(all(is.finite(manifold_clamp(array(c(diag(p), y), c(p, p, 2)), M, x, 0.1))))
    expect_error(manifold_distance(0 * x, x, M), class = "dptda_error_argument")
    V <- matrix(sin(seq_len(M$dimension)))
    expect_true(is.finite(.Call(ffi_test_manifold_jacobian, M, V, kernel_options())$value))
    l <- matrix(as.double(seq_along(.Call(ffi_test_manifold_drift, M, kernel_options()))))
    for (given in list(l, -l)) {
      expect_length(.Call(ffi_test_manifold_from_drift, M, given, kernel_options("os"))$v, M$dimension)
    }
  }
  expect_identical(live_blocks(), 0)
})

test_that("flat, round and hyperbolic space, and their products", {
  first <- function(size, at = 1) replace(numeric(size), 1, at)
  through <- function(M, x, ends, l) {
    count <- if (is.list(ends)) nrow(ends[[1]]) else nrow(ends)
    v <- manifold_log(x, ends, M)
    expect_length(unlist(manifold_exp(x, v, M)), count * M$size)
    expect_length(unlist(manifold_transport(x, ends, v, M)), count * M$size)
    expect_identical(dim(manifold_distance(ends, manifold = M, pairwise = TRUE)), c(count, count))
    expect_length(unlist(manifold_clamp(ends, M, x, 0.1)), count * M$size)
    V <- cbind(numeric(M$dimension), first(M$dimension, 10))
    expect_length(.Call(ffi_test_manifold_jacobian, M, V, kernel_options())$value, 2)
    expect_length(.Call(ffi_test_manifold_drift, M, kernel_options()), length(l))
    for (given in list(l, -l)) {
      expect_length(.Call(ffi_test_manifold_from_drift, M, as.matrix(given), kernel_options("os"))$v, M$dimension)
    }
  }
  for (d in c(1, 2, 5)) {
    turned <- cbind(diag(d), 0)[, c(d + 1, 1:d), drop = FALSE]
    through(manifold_sphere(d, 2), first(d + 1, 2), 2 * rbind(diag(d + 1), -diag(d + 1)), first(d))
    expect_error(manifold_distance(numeric(d + 1), first(d + 1), manifold_sphere(d)), class = "dptda_error_argument")
    sheet <- cbind(sqrt(2), turned[, -1, drop = FALSE])
    through(manifold_hyperbolic(d), sheet[1, ], rbind(sheet, first(d + 1), c(1e100, 1e100, numeric(d - 1))), 1)
    expect_error(manifold_distance(first(d + 1, Inf), first(d + 1), manifold_hyperbolic(d)),
                 class = "dptda_error_argument")
  }
  through(manifold_euclidean(3), 1:3, diag(3), first(3))
  both <- manifold_product(manifold_hyperbolic(2), manifold_product(manifold_sphere(2), manifold_euclidean(2)))
  x <- list(first(3), list(first(3), c(0, 0)))
  ends <- list(rbind(first(3), c(sqrt(2), 0, 1)), list(rbind(first(3), first(3, -1)), diag(2)))
  through(both, x, ends, first(5))
  expect_identical(live_blocks(), 0)
})

test_that("draws about a point, by each proposal and by the walk", {
  run <- function(M, x, scale, center = NULL, radius = NULL, kinds = 0:6) {
    for (kind in kinds) {
      drawn <- tryCatch(
        .Call(ffi_manifold_laplace, M, 3, as.double(x), scale, center, radius, kind, NULL, kernel_options("os")),
        dptda_error_argument = function(condition) list(points = matrix(0, M$size, 3))
      )
      expect_identical(dim(drawn$points), c(as.integer(M$size), 3L))
    }
    .Call(ffi_manifold_chain, M, 2, as.double(x), scale, center, radius, c(3, 2), 0.1, kernel_options("os"))
  }
  for (M in list(manifold_spd(3), manifold_spd(2, "log-euclidean"), manifold_rotation(4))) {
    run(M, diag(M$shape[1]), 0.4)
    run(M, diag(M$shape[1]), 2, as.double(diag(M$shape[1])), 0.5)
  }
  run(manifold_grassmann(2, 5), diag(5)[, 1:2], 0.2)
  run(manifold_shapes(4), as_shapes(cbind(1:4, c(0, 2, 1, 1))), 0.2)
  run(manifold_hyperbolic(2), c(1, 0, 0), 0.9)
  run(manifold_hyperbolic(2), c(1, 0, 0), Inf, c(sqrt(2), 1, 0), 2)
  run(manifold_product(manifold_sphere(1), manifold_euclidean(2), manifold_hyperbolic(1)), c(0, 1, 3, 4, 1, 0), 0.3)
  for (upper in c(0.5, Inf)) {
    lengths <- .Call(ffi_test_draw_lengths, 5, 2, 3, c(2, 1, 0, 0, 2), upper, kernel_options("os"))
    expect_true(all(lengths <= upper))
  }
  expect_error(.Call(ffi_test_draw_lengths, 5, 2, 0, double(5), Inf, kernel_options("os")), class = "dptda_error")
  expect_identical(live_blocks(), 0)
})

test_that("means and medians", {
  first <- function(d) c(1, rep(0, d - 1))
  around <- function(M, x, n = 70) {
    push <- vapply(seq_len(n), function(i) sin(i * seq_along(x)), numeric(length(x)))
    P <- clamp_points(project_points(c(x) + 0.1 * push, M)$value, M, c(x), 0.2)
    shape_points(P, M)
  }
  symmetric <- function(X) (X + aperm(X, c(2, 1, 3))) / 2
  clouds <- list(
    list(manifold_euclidean(2), c(1, 2)), list(manifold_sphere(2), first(3)), list(manifold_hyperbolic(2), first(3)),
    list(manifold_spd(2), diag(2)),
    list(manifold_spd(2, "log-euclidean"), diag(2)), list(manifold_rotation(3), diag(3)),
    list(manifold_grassmann(2, 4), diag(4)[, 1:2]), list(manifold_shapes(4), as_shapes(cbind(1:4, c(0, 2, 1, 1))))
  )
  for (cloud in clouds) {
    M <- cloud[[1]]
    x <- cloud[[2]]
    X <- if (startsWith(M$kind, "spd")) symmetric(x[, 2:1, drop = FALSE] %o% sin(1:70) / 9 + c(x)) else around(M, x)
    for (type in c("mean", "median")) for (weights in list(NULL, rep_len(0:2, 70))) {
      expect_true(frechet_mean(X, M, weights = weights, type = type)$certified)
      expect_warning(frechet_mean(X, M, weights = weights, type = type, max_iterations = 1, tolerance = 1e-300),
                     class = "dptda_warning_uncertified")
    }
    P <- clamp_points(check_manifold_points(X, M), M, c(x), 0.2)
    expect_true(is.finite(mean_in_ball(P, M, c(x), 0.2)$error))
    expect_true(all(.Call(ffi_test_manifold_rounding, M, c(x), P, kernel_options()) >= 0))
    expect_true(all(.Call(ffi_test_manifold_rounding_within, M, c(x), 1, 0.5, 1.2, kernel_options()) >= 0))
    expect_error(check_mean_bound(M, c(x), 1e-300), class = "dptda_error_argument")
  }
  both <- manifold_product(manifold_sphere(2), manifold_spd(2))
  expect_true(frechet_mean(list(rbind(first(3), c(0, 1, 0)), array(diag(2), c(2, 2, 2))), both)$certified)
  expect_identical(live_blocks(), 0)
})

test_that("rows of private means that are off the manifold, or have no point", {
  stray <- function(M, center, P, radius = 1) {
    rows <- .Call(ffi_manifold_chart_rows, M, as.double(center), P, radius, kernel_options())
    expect_lte(max(colSums(rows$value^2)), radius^2 * (1 + 1e-9))
    rows$stray
  }
  for (metric in c("affine", "log-euclidean")) for (p in c(1, 2, 9, 20)) {
    half <- as.vector(diag(c(1, double(p - 1)), p))
    found <- stray(manifold_spd(p, metric), diag(p), cbind(half, 0, 1e300 * half, 1e-300 * half, -half, NaN))
    expect_equal(found, c(0, 0, 0, 0, 1, Inf))
  }
  far <- cbind(c(1e300, 1e300, 0), c(1, Inf, 0))
  expect_equal(stray(manifold_hyperbolic(2), c(1, 0, 0), far), c(0, Inf))
  expect_equal(stray(manifold_grassmann(2, 3), diag(3)[, 1:2], cbind(c(1e-300, 0, 0, 0, 1e300, 0), 1)), c(0, Inf))
  pair <- manifold_product(manifold_sphere(1), manifold_spd(2))
  expect_equal(stray(pair, c(1, 0, 1, 0, 0, 1), cbind(c(0, 5, 1, 0, 0, 0), 0)), c(0, Inf))
  expect_identical(live_blocks(), 0)
})
