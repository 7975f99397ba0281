# The table of checks in test-manifold-kinds.R for every manifold. A new kind adds a line to each of these functions.

# Draws random points in the manifold's canonical form.
random_points <- function(n, M) {
  rows <- function(count) matrix(stats::rnorm(n * count), n)
  each <- function(make) array(replicate(n, make()), c(M$shape, n))
  switch(M$kind,
    product = lapply(M$factors, random_points, n = n),
    sphere = {
      X <- rows(M$size)
      X / sqrt(rowSums(X^2)) * M$numbers[2]
    },
    hyperbolic = {
      X <- rows(M$dimension) / sqrt(-M$numbers[2])
      cbind(sqrt(rowSums(X^2) - 1 / M$numbers[2]), X)
    },
    spd = , spd_log = each(function() random_definite(M$shape[1])),
    rotation = each(function() random_turn(M$shape[1])),
    grassmann = {
      X <- each(function() qr.Q(qr(matrix(stats::rnorm(M$size), M$shape[1]))))
      manifold_exp(X, 0 * X, M) # the basis that depends on the subspace alone
    },
    shapes = as_shapes(array(rows(M$size), c(M$shape, n))),
    if (M$size == 1) as.vector(rows(1)) else rows(M$size)
  )
}
random_tangents <- function(X, M) manifold_log(X, random_points(length(unlist(X)) / M$size, M), M)

random_definite <- function(p, spread = 1) {
  q <- qr.Q(qr(matrix(stats::rnorm(p * p), p)))
  S <- q %*% (exp(stats::rnorm(p) * spread) * t(q))
  (S + t(S)) / 2
}
random_turn <- function(p) {
  Q <- qr.Q(qr(matrix(stats::rnorm(p^2), p)))
  Q[, 1] <- Q[, 1] * det(Q)
  Q
}

grassmann_sizes <- list(c(1, 2), c(1, 3), c(2, 3), c(2, 4), c(2, 5), c(3, 5), c(4, 5), c(1, 8), c(4, 9), c(7, 9))

# The manifolds of each kind. `itself`: largest distance of a point from itself. `tolerance`: 1e-10 by default.
every_manifold <- function() {
  many <- function(make, sizes, ...) lapply(sizes, make, ...)
  scaled <- function(make, radii) {
    do.call(c, lapply(radii, function(radius) lapply(c(1, 2, 3, 4, 10), make, radius)))
  }
  list(
    euclidean = list(manifolds = many(manifold_euclidean, c(1, 3)), itself = 1e-15),
    sphere = list(manifolds = scaled(manifold_sphere, c(1e-3, 0.5, 1, 3, 1e3)), itself = 1e-15),
    hyperbolic = list(manifolds = scaled(function(d, radius) manifold_hyperbolic(d, -1 / radius^2),
                                         c(1e-3, 0.5, 1, 3, 1e3)), itself = 1e-15),
    spd = list(manifolds = many(manifold_spd, c(1, 2, 3, 4, 6, 7, 12, 13, 20, 50)), itself = 1e-13),
    spd_log = list(manifolds = many(manifold_spd, c(1, 2, 3, 4, 6, 7, 12, 13, 20, 50), "log-euclidean"),
                   itself = 1e-13),
    rotation = list(manifolds = many(manifold_rotation, c(2, 3, 4, 5, 9)), itself = 1e-13, tolerance = 1e-11),
    grassmann = list(manifolds = many(function(size) manifold_grassmann(size[1], size[2]), grassmann_sizes),
                     itself = 1e-14, tolerance = 1e-11),
    shapes = list(manifolds = many(manifold_shapes, c(3, 4, 5, 8, 40)), itself = 1e-15),
    product = list(manifolds = list(
      manifold_product(manifold_sphere(2, 3), manifold_hyperbolic(2, -4), manifold_euclidean(1),
                       manifold_sphere(1, 0.5)),
      manifold_product(manifold_product(manifold_sphere(2, 3), manifold_hyperbolic(2, -4)),
                       manifold_product(manifold_euclidean(1), manifold_sphere(1, 0.5))),
      manifold_product(manifold_sphere(3)), manifold_product(manifold_hyperbolic(1), manifold_sphere(2)),
      manifold_product(manifold_sphere(2), manifold_sphere(9, 0.1), manifold_sphere(3, 5)),
      manifold_product(manifold_hyperbolic(2), manifold_hyperbolic(5, -3)),
      manifold_product(manifold_grassmann(2, 4), manifold_euclidean(1)),
      manifold_product(manifold_shapes(4), manifold_sphere(2), manifold_shapes(3)),
      manifold_product(manifold_spd(3), manifold_rotation(3), manifold_grassmann(1, 3), manifold_hyperbolic(2),
                       manifold_euclidean(2)),
      manifold_product(manifold_rotation(4), manifold_grassmann(2, 5), manifold_sphere(4))
    ), itself = 1e-13)
  )
}

# The facts that a manifold declares.
manifold_facts <- function() {
  facts <- function(manifold, ...) list(manifold = manifold, facts = list(...))
  list(
    facts(manifold_euclidean(3), size = 3, dimension = 3, curvature = c(0, 0), injectivity_radius = Inf, threshold = 0,
          homogeneous = TRUE),
    facts(manifold_sphere(3, 4), size = 4, dimension = 3, curvature = c(1, 1) / 16, injectivity_radius = 4 * pi,
          threshold = 0, reach = 4 * pi, homogeneous = TRUE, exact = TRUE),
    facts(manifold_sphere(1, 2), curvature = c(0, 0)),
    facts(manifold_hyperbolic(3, -4), size = 4, dimension = 3, curvature = c(-4, -4), injectivity_radius = Inf,
          threshold = 4, reach = Inf, homogeneous = TRUE, exact = TRUE),
    facts(manifold_hyperbolic(1, -1 / 9), curvature = c(0, 0), threshold = 0),
    facts(manifold_spd(1), curvature = c(0, 0), threshold = 0),
    facts(manifold_spd(1, "log-euclidean"), curvature = c(0, 0), threshold = 0),
    facts(manifold_spd(2), curvature = c(-1 / 2, 0)),
    facts(manifold_spd(4, "log-euclidean"), curvature = c(0, 0)),
    facts(manifold_rotation(2), curvature = c(0, 0)),
    facts(manifold_rotation(3), curvature = c(0.25, 0.25)),
    facts(manifold_rotation(5), injectivity_radius = pi),
    facts(manifold_grassmann(1, 2), curvature = c(0, 0)),
    facts(manifold_grassmann(1, 4), curvature = c(1, 1)),
    facts(manifold_grassmann(3, 4), curvature = c(1, 1)),
    facts(manifold_grassmann(2, 4), curvature = c(0, 2), injectivity_radius = pi / 2),
    facts(manifold_shapes(3), size = 6, dimension = 2, curvature = c(4, 4), injectivity_radius = pi / 2),
    facts(manifold_shapes(8), size = 16, dimension = 12, curvature = c(1, 4), injectivity_radius = pi / 2,
          threshold = 0, reach = pi / 2, homogeneous = TRUE, exact = TRUE),
    facts(manifold_product(manifold_sphere(2), manifold_spd(2)), homogeneous = TRUE)
  )
}
