# Checks identities of every manifold, for points `x` and `Y` and tangents `U` at `x` (equally many of each, and no pair
# on each other's cut locus). `tolerance` is relative to the size of the compared values, and `itself` is a distance.
expect_geometry <- function(manifold, X, Y, U, tolerance = 1e-10, itself = 1e-15) {
  near <- function(object, expected) expect_equal(unlist(object), unlist(expected), tolerance = tolerance)
  times <- function(V, by) if (is.list(V)) lapply(V, times, by) else by * V
  V <- manifold_log(X, Y, manifold)
  distance <- manifold_distance(X, Y, manifold)
  near(manifold_exp(X, V, manifold), Y)
  near(sqrt(manifold_inner(X, V, V, manifold)), distance)
  near(manifold_distance(Y, X, manifold), distance)
  there <- manifold_transport(X, Y, U, manifold)
  near(manifold_inner(Y, there, there, manifold), manifold_inner(X, U, U, manifold))
  near(manifold_inner(Y, there, manifold_transport(X, Y, V, manifold), manifold), manifold_inner(X, U, V, manifold))
  near(manifold_transport(X, Y, V, manifold), times(manifold_log(Y, X, manifold), -1))
  near(manifold_transport(Y, X, there, manifold), U)
  # a third of the geodesic, then the rest
  third <- manifold_exp(X, times(V, 1 / 3), manifold)
  near(manifold_log(X, third, manifold), times(V, 1 / 3))
  near(manifold_distance(X, third, manifold), distance / 3)
  near(manifold_transport(third, Y, manifold_transport(X, third, U, manifold), manifold), there)
  expect_equal(manifold_distance(X, X, manifold), numeric(length(distance)), tolerance = itself)
  pairs <- manifold_distance(X, Y, manifold, pairwise = TRUE)
  within <- manifold_distance(X, manifold = manifold, pairwise = TRUE)
  for (i in seq_along(distance)) {
    shortcut <- apply(within[i, ] + pairs, 2, min) - pairs[i, ]
    expect_gte(min(shortcut), -1e-9 * max(pairs))
  }
  invisible()
}

# Computes the log of the Jacobian of exp at tangents given by orthonormal coordinates, one per row.
log_jacobian <- function(V, manifold) {
  .Call(ffi_test_manifold_jacobian, manifold, t(matrix(as.double(V), ncol = manifold$dimension)),
        kernel_options())$value
}

# Checks the bounds of the Jacobian by length alone, which the exact samplers need, at random tangents of many lengths.
expect_bounded_jacobian <- function(manifold, n = 2000) {
  D <- manifold$dimension
  longest <- min(manifold$reach, 30 / max(manifold$threshold, 1))
  rho <- longest * stats::runif(n)^2
  V <- matrix(stats::rnorm(n * D), D)
  V <- t(V) * rho / sqrt(colSums(V^2))
  found <- .Call(ffi_test_manifold_jacobian, manifold, t(V), kernel_options())
  growth <- as.list(stats::setNames(found$growth, c("count", "rate", "shrinking", "pace", "threshold", "reach")))
  ratio <- function(f, x) ifelse(x > 0, f(x) / x, 1)
  least <- pmin(growth$threshold * rho, if (growth$count > 0) growth$count *
                log(ratio(sinh, growth$rate * rho)) else Inf)
  if (growth$shrinking > 0) least <- growth$shrinking * log(ratio(sin, pmin(growth$pace * rho, pi)))
  expect_lte(max(found$value - least), 1e-9)
  expect_lte(growth$count, max(D - 1, 0))
}

# Computes the same by central differences. `move` maps coordinates to a point, and `product` is the ambient metric.
difference_log_jacobian <- function(v, move, product, h = 1e-5) {
  slopes <- sapply(seq_along(v), function(i) {
    step <- replace(numeric(length(v)), i, h)
    (move(v + step) - move(v - step)) / (2 * h)
  })
  gram <- apply(slopes, 2, function(a) apply(slopes, 2, function(b) product(a, b)))
  log(det(as.matrix(gram))) / 2
}
