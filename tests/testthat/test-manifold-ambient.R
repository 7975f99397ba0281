ambient_kinds <- c("sphere", "wide", "circle", "spd", "rotation", "subspaces", "shapes")
# The space around a ball, with what its kind of manifold makes of places there.
ambient_of <- function(ball) {
  center <- check_manifold_points(ball$center, ball$manifold)
  form <- kind_of(ball$manifold)$ambient
  c(ambient_space(ball$manifold, center, ball$radius), list(
    embed = function(V) form$embed(V, ball$manifold, center), read = function(y) form$read(y, ball$manifold, center),
    holds = function(value) form$holds(value, ball$manifold)
  ))
}

# The place of points (vectorized, as rows) in the space around their manifold.
embedded <- function(ball, X) {
  center <- check_manifold_points(ball$center, ball$manifold)
  ambient_of(ball)$embed(normal_coordinates(matrix(X, ball$manifold$size), ball$manifold, center))
}

test_that("the ball around the manifold holds the ball of the manifold, and no smaller one does", {
  set.seed(721)
  for (kind in ambient_kinds) {
    ball <- mean_balls()[[kind]]
    space <- ambient_of(ball)
    V <- replicate(3000, stats::rnorm(ball$manifold$dimension))
    V <- matrix(V, ball$manifold$dimension)
    center <- check_manifold_points(ball$center, ball$manifold)
    V <- sweep(V, 2, ball$radius / sqrt(colSums(V^2)), `*`)
    distance <- sqrt(colSums((space$embed(V) - space$center)^2))
    # what has these coordinates in the space is the point itself
    if (!kind %in% c("subspaces", "shapes")) {
      P <- normal_points(V, ball$manifold, center)
      expect_equal(apply(space$embed(V), 2, function(y) as.vector(space$read(y))), P, tolerance = 1e-12)
    }
    expect_lte(max(distance), space$radius * (1 + 1e-12))
    expect_gt(max(distance), 0.97 * space$radius)
  }
  # the worst direction of positive definite matrices, with another metric of the same space as a check of sqrt(2)
  ball <- mean_balls()$spd
  lower <- t(chol(ball$center))
  worst <- lower %*% diag(c(exp(ball$radius), 1)) %*% t(lower)
  space <- ambient_of(ball)
  expect_equal(sqrt(sum((embedded(ball, worst) - space$center)^2)), space$radius)
})

test_that("coordinates keep lengths of symmetric matrices and give them back", {
  set.seed(722)
  for (p in c(1, 2, 5)) {
    x <- crossprod(matrix(stats::rnorm(p^2), p))
    y <- symmetric_coordinates(x, p)
    expect_length(y, p * (p + 1) / 2)
    expect_equal(sum(y^2), sum(x^2))
    expect_equal(symmetric_matrix(as.vector(y), p), x)
  }
})

test_that("without noise the baseline is the arithmetic mean of the clamped points", {
  set.seed(723)
  for (kind in ambient_kinds) {
    ball <- mean_balls()[[kind]]
    X <- points_about(ball, 30, 1.5 * ball$radius)
    center <- check_manifold_points(ball$center, ball$manifold)
    clamped <- t(clamped_points(t(X), ball$manifold, center, ball$radius))
    if (kind == "subspaces") clamped <- t(apply(clamped, 1, function(x) as.vector(tcrossprod(matrix(x, 4)))))
    if (kind == "shapes") { # of the plane of z and iz
      clamped <- t(apply(clamped, 1, function(x) as.vector(tcrossprod(cbind(x, c(-x[5:8], x[1:4]))))))
    }
    for (charge in list(list(epsilon = 1e12), list(rho = noiseless))) {
      released <- do.call(release_of, c(list(ball, X, method = "ambient"), charge))
      expect_equal(as.numeric(released), colMeans(clamped), tolerance = 1e-5)
    }
  }
})

test_that("the baseline pays as declared, and its noise has the radius of a K-norm mechanism (false alarm 1e-5 each)", {
  set.seed(724)
  for (kind in ambient_kinds) {
    ball <- mean_balls()[[kind]]
    X <- points_about(ball, 30)
    for (charge in list(list(epsilon = 0.7), list(rho = 0.7))) {
      released <- do.call(release_of, c(list(ball, X, method = "ambient"), charge))
      expect_equal(privacy(released)$sensitivity, 2 * ambient_of(ball)$radius / 30, tolerance = 1e-4)
      expect_equal(spent_by(released, privacy(released)), 0.7, tolerance = 5e-7)
    }
  }
  ball <- mean_balls()$spd
  X <- points_about(ball, 30)
  lower <- t(chol(ball$center))
  seen <- function(y) as.vector(symmetric_coordinates(solve(lower) %*% matrix(as.numeric(y), 2) %*% t(solve(lower)), 2))
  mean <- seen(release_of(ball, X, method = "ambient", rho = noiseless))
  released <- lapply(1:300, function(i) release_of(ball, X, method = "ambient", epsilon = 1))
  noise <- sapply(released, function(one) seen(one) - mean)
  length <- sqrt(colSums(noise^2))
  expect_gt(stats::ks.test(length / released[[1]]$noise$scale, stats::pgamma, 3)$p.value, 1e-5)
  # a coordinate of a uniform direction of three is uniform
  expect_gt(stats::ks.test(noise[2, ] / length, stats::punif, -1, 1)$p.value, 1e-5)
})

test_that("leaving the manifold is told from the release alone", {
  set.seed(725)
  ball <- mean_balls()$spd
  leaves <- function(n, kind = "spd", ...) {
    ball <- mean_balls()[[kind]]
    X <- points_about(ball, n)
    mean(vapply(1:60, function(i) {
      released <- release_of(ball, X, method = "ambient", ...)
      if (kind == "spd") {
        expect_identical(released$on_manifold, all(eigen(released$value, TRUE, only.values = TRUE)$values > 0))
      }
      !released$on_manifold
    }, NA))
  }
  expect_gt(leaves(3, epsilon = 1), 0.2)
  expect_identical(leaves(2000, epsilon = 10), 0)
  for (kind in setdiff(ambient_kinds, "spd")) expect_identical(leaves(20, kind, epsilon = 1), 1)
  # the mean of equal points, without noise, is on it
  expect_true(mean_space_holds(ambient_of(mean_balls()$subspaces)))
  expect_true(mean_space_holds(ambient_of(mean_balls()$rotation)))
  expect_true(mean_space_holds(ambient_of(mean_balls()$shapes)))
})

test_that("manifolds without a baseline say which have one", {
  ball <- mean_balls()$hyperbolic
  expect_error(release_of(ball, t(ball$center), epsilon = 1, method = "ambient"), "sphere\\(\\)",
               class = "dptda_error_argument")
  # the radii of the mean that it is compared with
  expect_error(private_frechet_mean(t(c(0, 0, 1)), manifold_sphere(2), c(0, 0, 1), 1, 1, method = "ambient"),
               "`radius`",
               class = "dptda_error_argument")
})
