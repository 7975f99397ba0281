# The vector spaces around manifolds, for the baselines that private means are
# compared with: coordinates in which a ball of the manifold lies in a ball.

# list(dimension, center, radius, embed, read, holds): the place in the space of
# the points with the normal coordinates V about the center, the value at a
# place, and whether it is on the manifold.
ambient_space <- function(manifold, center, radius) {
  space <- switch(manifold$kind, spd = spd_ambient, sphere = sphere_ambient, rotation = rotation_ambient,
                  grassmann = grassmann_ambient)
  if (is.null(space)) {
    stop_argument("method", "must be \"intrinsic\" on this manifold: there are ambient baselines for manifold_sphere(), for ",
                  "manifold_spd() with the affine invariant metric, for manifold_rotation() and for manifold_grassmann() only.")
  }
  space <- space(manifold, radius, center)
  space$center <- as.double(space$embed(matrix(0, manifold$dimension, 1)))
  space$dimension <- length(space$center)
  space
}

# Symmetric matrices seen in the basis in which the center is the identity.
spd_ambient <- function(manifold, radius, center) {
  p <- manifold$shape[1]
  lower <- t(chol(matrix(center, p)))
  list(
    radius = expm1(radius),
    embed = function(V) symmetric_coordinates(normal_points(V, manifold, diag(p)), p),
    read = function(y) lower %*% symmetric_matrix(y, p) %*% t(lower),
    holds = function(value) is_point(value, manifold)
  )
}

sphere_ambient <- function(manifold, radius, center) {
  own <- manifold$numbers[2]
  list(
    radius = 2 * own * sin(radius / (2 * own)),
    embed = function(V) normal_points(V, manifold, center),
    read = as.double,
    holds = function(value) is_point(value, manifold)
  )
}

rotation_ambient <- function(manifold, radius, center) {
  p <- manifold$shape[1]
  planes <- floor(p / 2)
  list(
    radius = sqrt(8 * planes) * sin(radius / (2 * sqrt(planes))),
    embed = function(V) normal_points(V, manifold, center),
    read = function(y) matrix(y, p),
    holds = function(value) is_point(value, manifold)
  )
}

# A subspace as its orthogonal projector.
grassmann_ambient <- function(manifold, radius, center) {
  p <- manifold$shape[1]
  k <- manifold$shape[2]
  angles <- min(k, p - k)
  list(
    radius = sqrt(2 * angles) * sin(radius / sqrt(angles)),
    embed = function(V) {
      symmetric_coordinates(apply(normal_points(V, manifold, center), 2, function(basis) tcrossprod(matrix(basis, p))), p)
    },
    read = function(y) symmetric_matrix(y, p),
    holds = function(value) {
      max(abs(value %*% value - value)) <= point_tolerance && round(sum(diag(value))) == k
    }
  )
}

is_point <- function(value, manifold) {
  isTRUE(project_points(cbind(as.double(value)), manifold)$stray <= point_tolerance)
}

# Symmetric matrices as vectors of the same length: the lower triangle, column
# by column, times the root of two off the diagonal.
symmetric_coordinates <- function(P, p) {
  P <- matrix(P, p * p)
  lower <- which(lower.tri(diag(p), diag = TRUE))
  P[lower, , drop = FALSE] * symmetric_weights(p)
}

symmetric_matrix <- function(y, p) {
  value <- matrix(0, p, p)
  value[lower.tri(value, diag = TRUE)] <- y / symmetric_weights(p)
  value + t(value) - diag(diag(value), p)
}

symmetric_weights <- function(p) {
  square <- diag(p)
  ifelse(square[lower.tri(square, diag = TRUE)] == 1, 1, sqrt(2))
}
