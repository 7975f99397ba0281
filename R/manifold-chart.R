# Normal coordinates about a public point: the input and the output of a private mean. Points and coordinates are
# columns of matrices.

#' Rows of a private Fréchet mean
#'
#' Describes how [private_frechet_mean()] moves each row to the manifold and into the ball, and which rows are errors.
#' Each row is moved by itself, so neighboring data sets remain neighbors.
#'
#' @details
#' # The manifold
#' Each row is moved to the nearest point of the manifold by itself. A vector of any length stands for its direction,
#' any basis for its subspace, and landmarks in any position, rotation, and size for their shape. Other rows may be off
#' by 1% of their size, e.g. by rounding: matrices become symmetric, semidefinite, or orthogonal. A row that is farther
#' off (such as the lower triangle of a matrix), or that has no nearest point (such as a vector of zeros), is an error.
#' Landmarks that are all equal are not ([as_shapes()]).
#'
#' # The ball
#' Points outside the ball are then moved along the geodesic to its center until they are inside. A singular covariance
#' matrix ends at the edge of the ball: eigenvalues below `exp(-3 * radius)`, relative to the center, are replaced by
#' that value. If all matrices are singular in the same way, as with EEG referenced to the average, leave out one
#' channel.
#' @seealso [private_frechet_mean()], [manifold_clamp()], [manifold]
#' @examples
#' # vectors of different lengths stand for directions
#' X <- rbind(c(0, 0, 2), c(0.1, 0, 1), c(0, 0.1, 1))
#' private_frechet_mean(X, manifold_sphere(2), center = c(0, 0, 1),
#'                      radius = pi / 6, epsilon = 20)
#' @name manifold_rows
NULL

# The fraction of the radius by which rounding may lengthen rows. Sensitivities refer to the larger ball.
ball_slack <- 1e-9

# The largest distance from the manifold, relative to its size, from which a row is moved to it. Rounded numbers
# (float32, four digits of a file) are closer. Rows farther away are mistakes, such as the lower triangle of a matrix.
# Directions, subspaces, shapes, and custom manifolds have no limit, because any vector has a direction.
row_tolerance <- 0.01

# Returns columns as coordinates in the ball around the center. Each column is moved to the manifold and into the ball
# by itself, so neighbors remain neighbors and rounding affects single rows only. A column without coordinates is an
# error for the curator, like a missing value. The same holds if a user's function fails at a column. Its conditions are
# suppressed, because they may show the row.
private_coordinates <- function(P, manifold, center, radius, arg = "x") {
  place <- function() {
    .Call(ffi_manifold_chart_rows, manifold, as.double(center), P, radius,
          kernel_options(progress = kernel_progress("Coordinates of rows")))
  }
  rows <- if (has_functions(manifold)) unheard(place()) else place()
  if (is.null(rows) || !all(rows$stray <= row_tolerance)) {
    forget_error()
    stop_no_row(manifold, arg)
  }
  rows$value
}

# Uses one message for all rows, without their positions or number.
stop_no_row <- function(manifold, arg) {
  stop_argument(arg, "must have rows that can be moved to the manifold, ", manifold$title, ". ", kind_of(manifold)$rows,
                " Nothing was released or spent.")
}

# Replaces each column that is not known to be good by the same column.
replace_columns <- function(P, good, column) {
  P[, is.na(good) | !good] <- column
  P
}

# Returns coordinates of the logarithms at the center, with `dimension` rows, shortened to the radius. The second
# function is the inverse.
normal_coordinates <- function(P, manifold, center, radius = Inf) {
  .Call(ffi_manifold_chart, manifold, as.double(center), P, radius, kernel_options())
}
normal_points <- function(V, manifold, center) {
  .Call(ffi_manifold_from_chart, manifold, as.double(center), V, kernel_options())
}

# The point at which means are computed and noise is drawn: doubles are finest around it. Isometries take every center
# there. The isometries of a custom manifold are unknown, so its origin is the center.
origin_of <- function(manifold, center) {
  if (manifold$kind == "custom") return(as.double(center))
  if (manifold$kind != "product") return(some_point(manifold))
  unlist(Map(function(factor, rows) origin_of(factor, center[rows]), manifold$factors, factor_rows(manifold)))
}

# The step of the public lattice of releases, a power of two. It is small compared with the noise everywhere in the
# ball, and so coarse that each step contains 2^30 possible doubles of a draw, at any distance that draws reach (proof:
# section "The lattice"). It is finer only in a large ball of negative curvature. It is never below 2^16 times the
# rounding errors of coordinates as long as the radius, or as draws (dimension times scale). The radius does not make it
# finer, because longer noise hides the difference.
chart_step <- function(manifold, radius, scale) 2^binary_exponent(largest_step(manifold, radius, scale))

# The step lies between half of this number and this number.
largest_step <- function(manifold, radius, scale) {
  bend <- radius * sqrt(max(0, -manifold$curvature[1]))
  spread <- if (bend > 0 && manifold$dimension > 1) sinh(bend) / bend else 1
  longest <- max(radius, min(manifold$dimension * scale, manifold$reach))
  fine <- min(scale, manifold$reach) * 2^-16 / min(spread, 2^4)
  max(fine, longest * 2^-35)
}

# The possible error of the logarithm of a probability on that lattice, for both sides of a comparison together: uniform
# numbers have 52 bits, and lengths and coordinates are rounded. It does not grow with the scale. Draws longer than
# `depth` scales have a probability below 2^-58. This is an estimate, not a proof (manifold-private-mean.md, section
# "The lattice").
lost_to_rounding <- function(manifold, radius, scale) {
  extent <- min(scale, manifold$reach)
  depth <- min(stats::qgamma(2^-58, manifold$dimension, lower.tail = FALSE), manifold$reach / extent)
  (2^-46 * (1 + depth) * extent + 2^-50 * radius) / largest_step(manifold, radius, scale) + 2^-42
}

# Shortens columns longer than the radius to it. Columns that are not finite become zero.
shorten_columns <- function(V, radius) {
  space <- list(kind = "euclidean", numbers = as.double(nrow(V))) # the kernel reads only these fields
  normal_coordinates(V, space, double(nrow(V)), radius)
}

# Rounds columns to integer steps of the lattice, none longer than `most` steps. Columns that arithmetic left outside
# become zero, so that the bound holds for any numbers.
whole_columns <- function(V, step, most) {
  V <- round(V / step)
  replace_columns(V, colSums(V^2) <= most^2, 0)
}

# Returns a point of a manifold of the package with simple numbers.
some_point <- function(manifold) {
  if (manifold$kind == "product") return(unlist(lapply(manifold$factors, some_point)))
  origin <- kind_of(manifold)$origin
  if (!is.null(origin)) return(origin(manifold))
  columns <- if (length(manifold$shape) == 2) manifold$shape[2] else 1
  as.double(project_points(cbind(as.double(diag(1, manifold$shape[1], columns))), manifold)$value)
}
