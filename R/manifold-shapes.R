# Reads shapes of landmarks in the plane. The space around them is in manifold-ambient.R, and their pictures are in
# manifold-shapes-plot.R.

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
#' # Forms
#' The landmarks of all configurations have the same order. They are one of:
#'
#' * a k x 2 matrix: one configuration with the columns x and y; or its transpose, if the rows are named so;
#' * a k x 2 x n array, or a list of k x 2 matrices: n configurations;
#' * a complex vector of length k, or a complex k x n matrix: x + iy;
#' * a matrix or data frame with n rows and 2k columns: all x, then all y. If the columns are named like `x1`, `y1`,
#'   `x2` or `1.X`, `1.Y`, `2.X`, then the names set the order. Without names, reorder columns of the form x, y, x, y.
#'
#' @param landmarks A k x 2 x n array of finite numbers: n configurations of k landmarks with the columns x and y; or
#'   another form (see *Forms*). k is at least 3.
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
  } else if (is_plain_numeric(x) && length(dim(x)) == 2 && identical(tolower(rownames(x)), c("x", "y"))) {
    single <- TRUE
    x <- columns_of(t(x), 2 * ncol(x))
  } else if (is_plain_numeric(x) && length(dim(x)) == 2 && nrow(x) == 2 && is.null(colnames(x))) {
    stop_argument(arg, "has two rows, which may be the x and y of one configuration, or two configurations. Use t(x) ",
                  "for one, or a k x 2 x 2 array for two.")
  } else if (is_plain_numeric(x) && length(dim(x)) == 2 && ncol(x) %% 2 == 0) {
    single <- FALSE
    x <- columns_of(t(x[, landmark_order(colnames(x), seq_len(ncol(x))), drop = FALSE]), ncol(x))
  } else {
    stop_landmarks(landmarks, arg)
  }
  if (nrow(x) < 6 || nrow(x) > 2 * longest_shape) stop_landmarks(landmarks, arg)
  if (!all(is.finite(x))) {
    stop_argument(arg, "must not contain missing or infinite values. Leave such configurations out, or replace each ",
                  "missing landmark by a value that does not depend on other configurations.")
  }
  structure(x, single = single)
}

# Returns the order of columns that has all x first, by their names if these tell it.
landmark_order <- function(names, place) {
  if (is.null(names)) return(place)
  axis <- tolower(gsub("[0-9._ -]", "", names))
  number <- suppressWarnings(as.numeric(gsub("[^0-9]", "", names)))
  of <- function(letter) sort(number[axis == letter])
  named <- all(axis %in% c("x", "y")) && !anyNA(number) && identical(of("x"), of("y")) && !anyDuplicated(of("x"))
  if (named) order(axis, number) else place
}

is_configuration <- function(x) is_plain_numeric(x) && length(dim(x)) == 2 && ncol(x) == 2

stop_landmarks <- function(x, arg) {
  stop_argument(arg, "must be a k x 2 x n array of landmarks in the plane with k of at least 3, a k x 2 matrix, a ",
                "list of such matrices, a complex k x n matrix, or n rows of all x and then all y, not ",
                describe_form(x), ".")
}
