# Points of a manifold: reads them from the forms that users have, computes with them, and returns them in the same
# form. Internally, points are the columns of a double matrix.

#' Distances, geodesics, and parallel transport on a manifold
#'
#' Computes with points of a manifold: distances, the exponential map and its inverse (the logarithm), inner products of
#' tangent vectors, and parallel transport. All functions are vectorized over points, and one point is recycled.
#'
#' @details
#' `manifold_exp()` follows the geodesic that leaves `x` with velocity `v` until time one. `manifold_log()` returns the
#' shortest velocity from `x` to `y`. If several are shortest (antipodal points of a sphere), it always returns the same
#' one. `manifold_transport()` carries a tangent vector from `x` to `y` along that geodesic, without turning it.
#' `manifold_inner()` is the metric.
#'
#' Tangent vectors have the form of points. They are numbers of the space around the manifold: symmetric matrices for
#' `manifold_spd()`, `x %*% A` with A skew for `manifold_rotation()`, matrices orthogonal to the basis `x` for
#' `manifold_grassmann()`, and centered landmarks that do not turn or scale `x` for `manifold_shapes()`. A vector is an
#' error if its part outside the tangent space exceeds `1e-8` of it.
#'
#' @param x,y Points of the manifold, in one of the forms of [manifold]: `n` points, or one.
#' @param u,v Tangent vectors at `x`, in the form of points.
#' @param manifold A manifold, e.g. from [manifold_sphere()].
#' @inheritParams private_release
#' @param pairwise `TRUE` for the distances of all pairs, or `FALSE` for the distances between the first points of `x`
#'   and `y`, the second points, and so on.
#' @return
#' * `manifold_exp()`: points.
#' * `manifold_log()`: tangent vectors at `x`. `manifold_transport()`: tangent vectors at `y`. Both have the form of
#'   points.
#' * `manifold_distance()`: `n` numbers, in the units of the manifold. With `pairwise = TRUE`, a matrix with one row per
#'   point of `x` and one column per point of `y` (without `y`, per point of `x`).
#' * `manifold_inner()`: `n` numbers.
#'
#' If all arguments are one point, the result is one point: a vector, a matrix, or a list.
#' @references
#' Lee, J. M. (2018). *Introduction to Riemannian manifolds*. Springer.
#' @examples
#' pole <- c(0, 0, 1)
#' v <- manifold_log(pole, c(1, 0, 0), manifold_sphere(2))
#' v
#' manifold_exp(pole, v / 2, manifold_sphere(2))
#'
#' # half way between two covariance matrices
#' A <- matrix(c(2, 1, 1, 1), 2)
#' manifold_exp(diag(2), manifold_log(diag(2), A, manifold_spd(2)) / 2,
#'              manifold_spd(2))
#'
#' # all distances within a set
#' X <- rbind(c(1, 0, 0), c(0, 1, 0), c(0, 0, 1))
#' manifold_distance(X, manifold = manifold_sphere(2), pairwise = TRUE)
#' @name manifold_geometry
NULL

#' @rdname manifold_geometry
#' @export
manifold_exp <- function(x, v, manifold) {
  check_manifold(manifold)
  base <- check_manifold_points(x, manifold)
  tangents <- check_tangents(v, manifold)
  check_counts(base, tangents, "x", "v")
  ends <- .Call(ffi_manifold_exp, manifold, base, tangents, kernel_options())
  check_stray(ends$stray, "v")
  shape_points(canonical_points(ends$value, manifold), manifold, is_single(x, manifold) && is_single(v, manifold))
}

#' @rdname manifold_geometry
#' @export
manifold_log <- function(x, y, manifold) {
  check_manifold(manifold)
  base <- check_manifold_points(x, manifold)
  ends <- check_manifold_points(y, manifold)
  check_counts(base, ends, "x", "y")
  tangents <- .Call(ffi_manifold_log, manifold, base, ends, kernel_options())
  shape_points(tangents, manifold, is_single(x, manifold) && is_single(y, manifold))
}

#' @rdname manifold_geometry
#' @export
manifold_distance <- function(x, y, manifold, ..., pairwise = FALSE) {
  check_no_dots(...)
  check_manifold(manifold)
  pairwise <- check_flag(pairwise)
  from <- check_manifold_points(x, manifold)
  if (missing(y)) {
    if (!pairwise) stop_missing("y")
    return(.Call(ffi_manifold_distances, manifold, from, from, kernel_options()))
  }
  to <- check_manifold_points(y, manifold)
  if (pairwise) return(.Call(ffi_manifold_distances, manifold, from, to, kernel_options()))
  check_counts(from, to, "x", "y")
  .Call(ffi_manifold_distance, manifold, from, to, kernel_options())
}

#' @rdname manifold_geometry
#' @export
manifold_inner <- function(x, u, v, manifold) {
  check_manifold(manifold)
  base <- check_manifold_points(x, manifold)
  first <- check_tangents(u, manifold)
  second <- check_tangents(v, manifold)
  count <- check_counts(base, first, "x", "u")
  count <- check_counts(base, second, "x", "v", count)
  check_counts(first, second, "u", "v")
  inner <- .Call(ffi_manifold_inner, manifold, base, first, second, count, kernel_options())
  check_stray(inner$stray, "u", "v")
  inner$value
}

#' @rdname manifold_geometry
#' @export
manifold_transport <- function(x, y, v, manifold) {
  check_manifold(manifold)
  if (lacks_transport(manifold)) stop_argument("manifold", "must have a function `transport`.")
  base <- check_manifold_points(x, manifold)
  ends <- check_manifold_points(y, manifold)
  tangents <- check_tangents(v, manifold)
  count <- check_counts(base, ends, "x", "y")
  count <- check_counts(base, tangents, "x", "v", count)
  check_counts(ends, tangents, "y", "v")
  moved <- .Call(ffi_manifold_transport, manifold, base, ends, tangents, count, kernel_options())
  check_stray(moved$stray, "v")
  shape_points(moved$value, manifold, is_single(x, manifold) && is_single(y, manifold) && is_single(v, manifold))
}

lacks_transport <- function(manifold) {
  if (manifold$kind == "product") return(any(vapply(manifold$factors, lacks_transport, NA)))
  manifold$kind == "custom" && is.null(manifold$functions$transport)
}

#' Clamp points to a geodesic ball of a manifold
#'
#' Clamps points to a ball. A point that is farther than `radius` from the center moves along the geodesic to the
#' center, until it is at that distance. Points within the ball are not changed. A point on the cut locus of the center,
#' such as the antipode on a sphere, moves along the geodesic that [manifold_log()] picks.
#'
#' @inheritParams frechet_mean
#' @param center One point of the manifold.
#' @param radius One positive number: the radius of the ball, in the units of the distance.
#' @return As many points as in `x`: the rows of a matrix, an array with the index of the point last, or a list with one
#'   element per factor. One point is returned as one point.
#' @seealso [private_frechet_mean()], which clamps the data.
#' @examples
#' manifold_clamp(rbind(c(0, 0, 1), c(1, 0, 0)), manifold_sphere(2),
#'   center = c(0, 0, 1), radius = pi / 4)
#' @export
manifold_clamp <- function(x, manifold, center, radius) {
  check_manifold(manifold)
  points <- check_manifold_points(x, manifold)
  center <- check_manifold_points(center, manifold, n = 1)
  radius <- check_number(radius, 0, open_lower = TRUE)
  clamped <- clamp_points(points, manifold, center, radius)
  shape_points(canonical_points(clamped, manifold), manifold, is_single(x, manifold))
}

clamp_points <- function(P, manifold, center, radius) {
  .Call(ffi_manifold_clamp, manifold, P, as.double(center), radius, kernel_options())
}

# Returns the representatives that depend on the points alone.
canonical_points <- function(P, manifold) .Call(ffi_manifold_canonical, manifold, P, kernel_options())

# Returns list(value, stray): the nearest points of the manifold, and the distances to them relative to their size (Inf
# without a nearest point).
project_points <- function(P, manifold) .Call(ffi_manifold_project, manifold, P, kernel_options())

# The largest distance from the manifold, relative to its size, at which a point is accepted.
point_tolerance <- 1e-8

# Returns points of the manifold as the columns of a matrix. `n`: the required number of points (NULL: any).
check_manifold_points <- function(x, manifold, arg = deparse1(substitute(x)), n = NULL) {
  force(arg)
  points <- project_points(read_points(x, manifold, arg), manifold)
  if (any(!(points$stray <= point_tolerance))) {
    stop_argument(arg, "must be on the manifold, ", manifold$title, ", within a relative error of ",
                  format(point_tolerance), ". ", kind_of(manifold)$needs)
  }
  if (!is.null(n) && ncol(points$value) != n) {
    stop_argument(arg, "must be ", n, " point", if (n > 1) "s", " of the manifold, not ", ncol(points$value), ".")
  }
  points$value
}

# Reads numbers in the form of points, as columns, which need not lie on the manifold. A missing value is an error for
# the curator.
read_points <- function(x, manifold, arg = deparse1(substitute(x))) {
  force(arg)
  if (missing(x)) stop_missing(arg)
  refuse_scaled(x, arg)
  refuse_database(x, arg)
  if (is.null(manifold$shape)) return(read_product(x, manifold, arg))
  x <- if (length(manifold$shape) == 1) read_vectors(x, manifold, arg) else read_matrices(x, manifold, arg)
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  x
}

# Does the same for a release, whose points may come as rows (table_rows()), also of people (base-people-points.R).
read_point_rows <- function(x, manifold, arg) {
  if (!inherits(x, "dptda_rows")) return(read_points(x, manifold, arg))
  rows <- read_points_of_rows(x, arg)
  if (ncol(rows$data) != manifold$size) {
    stop_argument(arg, "must have ", count_of(manifold$size, "number"), " in each row, not ", ncol(rows$data), ".")
  }
  points <- t(unname(rows$data))
  if (is_of_people(rows)) people_points(list(points = points), rows, columns = TRUE) else points
}

read_vectors <- function(x, manifold, arg) {
  size <- manifold$size
  if (is.data.frame(x)) x <- as_numeric_matrix(x, arg)
  if (!is_plain_numeric(x)) stop_form(x, manifold, arg)
  if (length(dim(x)) < 2) {
    if (size > 1 && length(x) != size) stop_form(x, manifold, arg)
    return(matrix(as.double(x), nrow = size))
  }
  if (length(dim(x)) != 2 || ncol(x) != size) stop_form(x, manifold, arg)
  columns_of(t(x), size)
}

read_matrices <- function(X, manifold, arg) {
  shape <- manifold$shape
  if (is.list(X) && !is.data.frame(X)) {
    if (!all(vapply(X, function(x) is_plain_numeric(x) && identical(as.double(dim(x)), shape), NA))) {
      stop_form(X, manifold, arg)
    }
    return(columns_of(unlist(X, use.names = FALSE), manifold$size))
  }
  if (is.data.frame(X)) X <- as_numeric_matrix(X, arg)
  if (!is_plain_numeric(X)) stop_form(X, manifold, arg)
  sides <- as.double(dim(X))
  if (length(sides) < 2) {
    if (manifold$size == 1) return(columns_of(X, 1))
    stop_form(X, manifold, arg)
  }
  if (identical(sides[1:2], shape) && length(sides) <= 3) return(columns_of(X, manifold$size))
  # one vectorized point per row
  if (length(sides) == 2 && sides[2] == manifold$size) return(columns_of(t(X), manifold$size))
  stop_form(X, manifold, arg)
}

read_product <- function(x, manifold, arg) {
  factors <- manifold$factors
  if (!is.list(x) || is.data.frame(x) || length(x) != length(factors)) {
    stop_argument(arg, "must be a list of ", length(factors), " element", if (length(factors) > 1) "s",
                  ", one per factor of the manifold, not ", describe_form(x), ".")
  }
  if (!is.null(names(x)) && !is.null(manifold$names) && any(names(x) != manifold$names)) {
    stop_argument(arg, "must have its elements in the order of the factors of the manifold, with the same names or ",
                  "none.")
  }
  parts <- lapply(seq_along(factors), function(i) read_points(x[[i]], factors[[i]], paste0(arg, "[[", i, "]]")))
  if (length(unique(vapply(parts, ncol, 0L))) != 1) {
    stop_argument(arg, "must have the same number of points in each of its elements.")
  }
  do.call(rbind, parts)
}

as_numeric_matrix <- function(x, arg) {
  check_plain_columns(x, arg)
  x <- as.matrix(x)
  storage.mode(x) <- "double" # without rows it is logical
  x
}

# Offers the manifolds whose points have the form of `x`, and the call with one. `rest`: its arguments after the center.
# Uses the sizes of `x` only.
stop_missing_manifold <- function(x, name, verb, rest = NULL) {
  many <- is.list(x) && length(x) > 0 && !is.data.frame(x) && !inherits(x, "dptda_rows")
  sides <- if (many) dim(x[[1]]) else if (length(dim(x)) == 3) dim(x)[1:2]
  numbers <- if (inherits(x, "dptda_rows")) length(x$types) else if (length(dim(x)) == 2) ncol(x) else length(x)
  if (length(sides) == 2) {
    p <- sides[1]
    k <- if (sides[2] < p) sides[2]
    made <- if (is.null(k)) sprintf("manifold_spd(%d)", p) else sprintf("manifold_grassmann(%d, %d)", k, p)
    center <- if (is.null(k)) sprintf("diag(%d)", p) else sprintf("diag(%d)[, 1:%d, drop = FALSE]", p, k)
    what <- if (is.null(k)) {
      sprintf(" for %1$d x %1$d covariance matrices, manifold_rotation(%1$d) for rotations", p)
    } else {
      paste0(" for subspaces", if (k == 2 && p > 2) sprintf(", manifold_shapes(%d) for landmarks in the plane", p))
    }
  } else {
    made <- if (numbers > 1) sprintf("manifold_sphere(%d)", numbers - 1) else "manifold_euclidean(1)"
    center <- if (numbers > 1) sprintf("c(1, rep(0, %d))", numbers - 1) else "0"
    what <- if (numbers > 1) sprintf(" for directions, manifold_euclidean(%d) for positions", numbers)
  }
  if (nchar(name) > 20) name <- "x"
  stop_missing("manifold", paste0(made, what, ", as in ", verb, "(", name, ", ", made,
                                  if (!is.null(rest)) paste0(", center = ", center, rest), ")"))
}

columns_of <- function(x, size) matrix(as.double(x), nrow = size)

stop_form <- function(x, manifold, arg) {
  shape <- manifold$shape
  wanted <- if (length(shape) == 1) {
    paste0("a vector of ", shape, " number", if (shape > 1) "s", ", or a matrix with one point per row and ", shape,
           " column", if (shape > 1) "s")
  } else {
    paste0("a ", shape[1], " x ", shape[2], " matrix, an array of ", shape[1], " x ", shape[2],
           " x n, or a list of such matrices")
  }
  stop_argument(arg, "must be ", wanted, ", not ", describe_form(x), ".")
}

# Describes type and sizes, never a value.
describe_form <- function(x) {
  if (is.atomic(x) && !is.object(x) && length(dim(x)) >= 2) {
    return(paste(with_article(typeof(x)), "array of", paste(dim(x), collapse = " x ")))
  }
  if (is.atomic(x) && !is.object(x) && !is.null(x)) {
    return(paste(with_article(typeof(x)), "vector of length", length(x)))
  }
  if (is.list(x) && !is.object(x)) {
    return(paste("a list of", length(x), if (length(x) == 1) "other element" else "other elements"))
  }
  describe_data(x)
}

# Whether `x` is one point, in the form of one point.
is_single <- function(x, manifold) {
  if (is.null(manifold$shape)) return(all(mapply(is_single, x, manifold$factors)))
  if (is.list(x)) return(FALSE)
  if (length(manifold$shape) == 1) {
    length(dim(x)) < 2 && length(x) == manifold$size
  } else if (length(dim(x)) < 2) {
    length(x) == 1
  } else {
    identical(as.double(dim(x)), manifold$shape)
  }
}

# Returns columns in the form of the user's points. `single`: one point, in the form of one point.
shape_points <- function(P, manifold, single = FALSE) {
  if (is.null(manifold$shape)) {
    parts <- Map(function(rows, factor) shape_points(P[rows, , drop = FALSE], factor, single),
                 factor_rows(manifold), manifold$factors)
    return(structure(parts, names = manifold$names))
  }
  if (manifold$size == 1 && length(manifold$shape) == 1) return(as.vector(P))
  if (length(manifold$shape) == 1) return(if (single) as.vector(P) else t(P))
  if (single) matrix(P, manifold$shape[1]) else array(P, c(manifold$shape, ncol(P)))
}

# The rows of each factor's numbers in a column of points.
factor_rows <- function(manifold) {
  sizes <- vapply(manifold$factors, `[[`, 0, "size")
  Map(function(last, size) seq(last - size + 1, last), cumsum(sizes), sizes)
}

# Checks the form of tangent vectors. Whether they are tangent is checked later, with their point.
check_tangents <- function(V, manifold, arg = deparse1(substitute(V))) {
  force(arg)
  V <- read_points(V, manifold, arg)
  if (!all(is.finite(V))) stop_argument(arg, "must be finite.")
  V
}

check_stray <- function(stray, ...) {
  if (isTRUE(all(stray <= point_tolerance))) return(invisible())
  args <- paste0("`", c(...), "`", collapse = " and ")
  stop_dptda("argument", args, " must be tangent to the manifold at `x`, within a relative error of ",
             format(point_tolerance), ".")
}

# Checks that both numbers of points are equal, or one of them is 1. Returns the larger number.
check_counts <- function(P, Q, first, second, count = 1) {
  counts <- c(ncol(P), ncol(Q))
  if (counts[1] != counts[2] && !any(counts == 1)) {
    stop_argument(second, "must have 1 point, or as many as `", first, "` (", counts[1], "), not ", counts[2], ".")
  }
  if (any(counts == 0)) 0 else max(counts, count)
}
