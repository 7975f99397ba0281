# Shapes of landmarks in the plane: reading them, the space around them, and pictures of their private means.

#' Shapes of landmarks in the plane
#'
#' Turns configurations of landmarks into points of [manifold_shapes()]. Each configuration is centered, scaled, and
#' rotated by itself, so that the result depends on its shape alone.
#'
#' @details
#' A shape is centered at zero, has the sum of squares 1, and is turned so that one landmark lies to the right of the
#' center: the first whose squared distance from it exceeds 62% of the largest. Shapes that differ by a reflection are
#' different.
#'
#' [private_frechet_mean()] also accepts landmarks that are not shapes, and moves them in the same way.
#'
#' @param landmarks The landmarks, one of:
#'
#' * a k x 2 matrix: one configuration of k landmarks with the columns x and y;
#' * a k x 2 x n array, or a list of k x 2 matrices: n configurations;
#' * a complex vector of length k, or a complex k x n matrix: x + iy;
#' * a matrix or data frame with n rows and 2k columns: all x, then all y.
#'
#' k is at least 3. The landmarks of all configurations have the same order.
#' @return A k x 2 matrix for one configuration, otherwise a k x 2 x n array.
#' @section Privacy:
#' The result is not private. Each shape depends on one configuration alone, so neighboring data sets remain neighbors.
#' A configuration whose landmarks are all equal has no shape. It becomes landmarks that are equally spaced on a line,
#' so no message depends on it. Missing and infinite values are errors for the curator.
#' @references
#' Kendall, D. G. (1984). Shape manifolds, Procrustean metrics, and complex
#' projective spaces. *Bulletin of the London Mathematical Society* 16, 81-121.
#' @seealso [manifold_shapes()], [private_frechet_mean()], [frechet_mean()]
#' @examples
#' triangles <- array(stats::rnorm(60), c(3, 2, 10))
#' shapes <- as_shapes(triangles)
#' manifold_distance(shapes, as_shapes(cbind(c(0, 1, 0.5), c(0, 0, 1))),
#'                   manifold_shapes(3))
#' @export
as_shapes <- function(landmarks) {
  P <- read_landmarks(landmarks)
  single <- attr(P, "single")
  manifold <- manifold_shapes(nrow(P) / 2)
  shape_points(canonical_points(project_points(P, manifold)$value, manifold), manifold, single)
}

# Returns configurations as columns, all x before all y, with the attribute `single`: given as one configuration.
read_landmarks <- function(landmarks, arg = deparse1(substitute(landmarks))) {
  force(arg)
  if (missing(landmarks)) stop_missing(arg)
  refuse_scaled(landmarks, arg)
  refuse_database(landmarks, arg)
  x <- landmarks
  if (is.data.frame(x)) x <- as_numeric_matrix(x, arg)
  if (is.complex(x) && !is.object(x) && length(dim(x)) %in% c(0, 2)) {
    single <- length(dim(x)) < 2
    x <- as.matrix(x)
    x <- rbind(Re(x), Im(x))
  } else if (is.list(x) && length(x) > 0 && !is.object(x) && all(vapply(x, is_configuration, NA)) &&
               length(unique(vapply(x, nrow, 0L))) == 1) {
    single <- FALSE
    x <- vapply(x, as.double, double(length(x[[1]])))
  } else if (is_plain_numeric(x) && length(dim(x)) %in% 2:3 && dim(x)[2] == 2) {
    single <- length(dim(x)) == 2
    x <- columns_of(x, 2 * dim(x)[1])
  } else if (is_plain_numeric(x) && length(dim(x)) == 2 && ncol(x) %% 2 == 0) {
    single <- FALSE
    x <- columns_of(t(x), ncol(x))
  } else {
    stop_landmarks(landmarks, arg)
  }
  if (nrow(x) < 6 || nrow(x) > 2 * longest_shape) stop_landmarks(landmarks, arg)
  if (!all(is.finite(x))) stop_argument(arg, "must not contain missing or infinite values.")
  structure(x, single = single)
}

longest_shape <- 5e5

is_configuration <- function(x) is_plain_numeric(x) && length(dim(x)) == 2 && ncol(x) == 2

stop_landmarks <- function(x, arg) {
  stop_argument(arg, "must be a k x 2 x n array of landmarks in the plane with k of at least 3, a k x 2 matrix, a ",
                "list of such matrices, a complex k x n matrix, or n rows of all x and then all y, not ",
                describe_form(x), ".")
}

# ---- the space around a ball: Hermitian matrices z z* ----

# Coordinates are those of symmetric matrices for the real part, and the entries below the diagonal, times sqrt(2), for
# the imaginary part. Landmarks are centered, so that k - 1 complex numbers in an orthonormal basis stand for them. The
# value A + iB is returned as the real matrix rbind(cbind(A, -B), cbind(B, A)), which acts on all x and then all y. Its
# first eigenvector is a shape.
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

# ---- pictures: landmarks in the rotation of the center ----

# Turns each of the shapes, as columns of complex numbers, to the one that is nearest to z.
turned_to <- function(z, P) {
  Z <- complex_landmarks(P)
  inner <- as.vector(Conj(t(z)) %*% Z)
  sweep(Z, 2, ifelse(Mod(inner) > 0, Conj(inner) / Mod(inner), 1), `*`)
}

complex_landmarks <- function(P) {
  P <- as.matrix(P)
  half <- seq_len(nrow(P) / 2)
  P[half, , drop = FALSE] + 1i * P[-half, , drop = FALSE]
}

# The region of each landmark over the shapes within `reach` of z, if they are turned to z: a union of disks. The end
# cos(t) z + sin(t) u of a geodesic has landmark j in the disk about cos(t) z_j with the radius sin(t) sqrt(1 - 1/k -
# |z_j|^2), since u is a centered vector of length one orthogonal to z. Returns its convex hull, a list of complex
# vectors.
landmark_regions <- function(z, reach) {
  turn <- exp(1i * seq(0, 2 * pi, length.out = 73)[-1])
  times <- seq(0, min(reach, pi / 2), length.out = 25)
  lapply(z, function(landmark) {
    wide <- sqrt(max(1 - 1 / length(z) - Mod(landmark)^2, 0))
    edge <- as.vector(outer(turn, sin(times) * wide) + rep(cos(times) * landmark, each = length(turn)))
    edge[grDevices::chull(Re(edge), Im(edge))]
  })
}

# Everything that a picture shows: list(center, ball, release, reach, data).
landmark_picture <- function(x, data, reach) {
  z <- complex_landmarks(as.double(x$center))[, 1]
  release <- if (x$on_manifold) turned_to(z, as.double(x$value))[, 1]
  list(center = z, ball = landmark_regions(z, x$radius), release = release,
       reach = if (!is.null(reach) && !is.null(release)) landmark_regions(release, reach),
       data = if (!is.null(data)) turned_to(z, data))
}

draw_landmarks <- function(x, data, reach) {
  shown <- landmark_picture(x, data, reach)
  open_square(1.06 * max(Mod(unlist(shown))))
  fill <- function(regions, color) {
    for (region in regions) {
      graphics::polygon(Re(region), Im(region), col = grDevices::adjustcolor(color, 0.18),
                        border = grDevices::adjustcolor(color, 0.7))
    }
  }
  fill(shown$ball, mean_colors[["ball"]])
  if (!is.null(data)) {
    graphics::points(shown$data, pch = 20, cex = 0.35, col = grDevices::adjustcolor(mean_colors[["data"]], 0.6))
  }
  fill(shown$reach, mean_colors[["release"]])
  graphics::points(shown$center, pch = 3, cex = 1.1, lwd = 1.6, col = mean_colors[["center"]])
  if (!is.null(shown$release)) {
    graphics::points(shown$release, pch = 21, cex = 1.1, bg = mean_colors[["release"]], col = "white")
  }
  shown_keys(shown$reach, data)
}

landmark_shapes <- function(x, data, reach) {
  shown <- landmark_picture(x, data, reach)
  flat <- function(z) rbind(Re(z), Im(z))
  regions <- function(part) {
    do.call(rbind, lapply(seq_along(shown[[part]]), function(j) {
      mean_shape(flat(shown[[part]][[j]]), part, "region", j)
    }))
  }
  marks <- function(part) if (!is.null(shown[[part]])) mean_shape(flat(as.vector(shown[[part]])), part, "point")
  rbind(regions("ball"), marks("data"), regions("reach"), marks("center"), marks("release"))
}
