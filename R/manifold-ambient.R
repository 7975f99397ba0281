# The vector spaces around manifolds, for baselines of private means: coordinates in which a ball of the manifold lies
# in a ball of the space.

# Each kind of manifold has functions of the manifold and of public numbers: `radius` of the ball that contains the
# ball, `embed` (the positions of points with the normal coordinates V about the center, as columns), `read` (the value
# at a position y), and `holds` (whether a value is on the manifold).

# Returns the space around a ball as plain numbers: list(dimension, center, radius).
ambient_space <- function(manifold, center, radius) {
  form <- kind_of(manifold)$ambient
  if (is.null(form)) {
    stop_argument("method",
                  "must be \"tangent\" or \"intrinsic\" on this manifold. Ambient baselines exist for ",
                  "manifold_sphere(), manifold_spd() with the affine invariant metric, manifold_rotation(), ",
                  "manifold_grassmann(), and manifold_shapes() only.")
  }
  place <- as.double(form$embed(matrix(0, manifold$dimension, 1), manifold, center))
  list(dimension = length(place), center = place, radius = form$radius(manifold, radius))
}

holds_point <- function(value, manifold) is_point(value, manifold)

# Symmetric matrices in the basis in which the center is the identity.
spd_ambient <- list(
  radius = function(manifold, radius) expm1(radius),
  embed = function(V, manifold, center) {
    p <- manifold$shape[1]
    symmetric_coordinates(normal_points(V, manifold, diag(p)), p)
  },
  read = function(y, manifold, center) {
    p <- manifold$shape[1]
    lower <- t(chol(matrix(center, p)))
    lower %*% symmetric_matrix(y, p) %*% t(lower)
  },
  holds = holds_point
)

embed_as_is <- function(V, manifold, center) normal_points(V, manifold, center)

sphere_ambient <- list(
  radius = function(manifold, radius) 2 * manifold$numbers[2] * sin(radius / (2 * manifold$numbers[2])),
  embed = embed_as_is,
  read = function(y, manifold, center) as.double(y),
  holds = holds_point
)

rotation_ambient <- list(
  radius = function(manifold, radius) {
    planes <- floor(manifold$shape[1] / 2)
    sqrt(8 * planes) * sin(radius / (2 * sqrt(planes)))
  },
  embed = embed_as_is,
  read = function(y, manifold, center) matrix(y, manifold$shape[1]),
  holds = holds_point
)

# A subspace as its orthogonal projector.
grassmann_ambient <- list(
  radius = function(manifold, radius) {
    angles <- min(manifold$shape[2], manifold$shape[1] - manifold$shape[2])
    sqrt(2 * angles) * sin(radius / sqrt(angles))
  },
  embed = function(V, manifold, center) {
    p <- manifold$shape[1]
    symmetric_coordinates(apply(normal_points(V, manifold, center), 2, function(basis) tcrossprod(matrix(basis, p))), p)
  },
  read = function(y, manifold, center) symmetric_matrix(y, manifold$shape[1]),
  holds = function(value, manifold) {
    max(abs(value %*% value - value)) <= point_tolerance && round(sum(diag(value))) == manifold$shape[2]
  }
)

# A shape as the Hermitian matrix z z* of its landmarks as complex numbers. Coordinates are those of symmetric matrices
# for the real part, and the entries below the diagonal, times sqrt(2), for the imaginary part. Landmarks are centered,
# so that k - 1 numbers in an orthonormal basis stand for them. The value A + iB is returned as the real matrix
# rbind(cbind(A, -B), cbind(B, A)), which acts on all x and then all y. Its first eigenvector is a shape.
shapes_ambient <- list(
  radius = function(manifold, radius) sqrt(2) * sin(radius),
  embed = function(V, manifold, center) {
    Z <- crossprod(centered_basis(manifold$shape[1]), complex_landmarks(normal_points(V, manifold, center)))
    apply(Z, 2, function(z) hermitian_coordinates(z %*% Conj(t(z))))
  },
  read = function(y, manifold, center) {
    basis <- centered_basis(manifold$shape[1])
    H <- basis %*% hermitian_matrix(y, manifold$shape[1] - 1) %*% t(basis)
    rbind(cbind(Re(H), -Im(H)), cbind(Im(H), Re(H)))
  },
  holds = function(value, manifold) {
    max(abs(value %*% value - value)) <= point_tolerance && round(sum(diag(value))) == 2
  }
)

# An orthonormal basis of the vectors of k numbers that add up to zero, by a reflection that takes ones to the first
# axis.
centered_basis <- function(k) {
  axis <- rep(1 / sqrt(k), k) + c(1, double(k - 1))
  (diag(k) - 2 * tcrossprod(axis) / sum(axis^2))[, -1, drop = FALSE]
}

hermitian_coordinates <- function(H) {
  c(symmetric_coordinates(Re(H), nrow(H)), sqrt(2) * Im(H)[lower.tri(H)])
}

hermitian_matrix <- function(y, p) {
  real <- seq_len(p * (p + 1) / 2)
  below <- matrix(0, p, p)
  below[lower.tri(below)] <- y[-real] / sqrt(2)
  symmetric_matrix(y[real], p) + 1i * (below - t(below))
}

# Points of shapes, as columns of complex numbers.
complex_landmarks <- function(P) {
  P <- as.matrix(P)
  half <- seq_len(nrow(P) / 2)
  P[half, , drop = FALSE] + 1i * P[-half, , drop = FALSE]
}

is_point <- function(value, manifold) {
  isTRUE(project_points(cbind(as.double(value)), manifold)$stray <= point_tolerance)
}

# Converts symmetric matrices to vectors of the same norm: the lower triangle, column by column, times sqrt(2) off the
# diagonal.
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
