#' A public box and a grid over it
#'
#' `domain_box()` says where the data live. The box is public: it is declared,
#' never read from the data, and every function that takes data together with
#' a box first moves each row outside it to the nearest point of the box,
#' silently. `domain_grid()` lays a regular grid over a box; functions such as
#' the distance to a measure are evaluated at its points.
#'
#' @param lower,upper Numeric vectors of the same length, 1 to 4: the two ends
#'   of each side. Finite, `lower < upper` everywhere.
#' @param box A box made by `domain_box()`.
#' @param by Positive number, or one for each axis: the spacing. The points of
#'   an axis are `lower - pad`, `lower - pad + by`, ...; the last one is the
#'   first that reaches `upper + pad` (up to rounding), so that the grid covers
#'   the box even where the spacing does not divide its side.
#' @param size Whole number of at least 1, or one for each axis: the number of
#'   points of the axis, equally spaced from `lower - pad` to `upper + pad`. A
#'   single point stands in the middle.
#' @param pad Number of at least 0, or one for each axis: how far the grid goes
#'   beyond the box on each side, in the units of the data. The data are still
#'   moved into the box.
#' @details Exactly one of `by` and `size` is given. A grid has at most 10^8
#'   points.
#' @return `domain_box()`: an object of class `dptda_box`, a list of `lower`
#'   and `upper`. `domain_grid()`: an object of class `dptda_grid`, a list of
#'   `box` and `axes` (one increasing numeric vector for each axis). `dim()` of
#'   a grid gives the number of points of each axis, `as.matrix()` all its
#'   points as rows, the first coordinate moving fastest, so that
#'   `array(f(as.matrix(grid)), dim(grid))` has each value at its place.
#' @examples
#' box <- domain_box(c(-2, -2), c(2, 2))
#' grid <- domain_grid(box, by = 0.1, pad = 0.5)
#' grid
#' dim(grid)
#' head(as.matrix(grid))
#' @name domain
#' @aliases domain_box domain_grid
NULL

max_grid_points <- 1e8

new_domain_grid <- function(box, axes) structure(list(box = box, axes = axes), class = "dptda_grid")

is_axes <- function(x) {
  is.list(x) && length(x) %in% seq_len(max_box_dimension) &&
    all(vapply(x, function(axis) is_numbers(axis) && length(axis) > 0 && !is.unsorted(axis, strictly = TRUE), NA))
}
define_class("dptda_grid", "domain_grid()", box = is_made("dptda_box"), axes = is_axes)

#' @rdname domain
#' @export
domain_grid <- function(box, by = NULL, size = NULL, pad = 0) {
  check_class(box, "dptda_box", "domain_box()")
  if (is.null(by) == is.null(size)) stop_argument("by", "or `size` must be given, and not both.")
  d <- length(box$lower)
  pad <- check_per_axis(pad, d, "pad", function(x) is.finite(x) & x >= 0, "finite and at least 0")
  lower <- box$lower - pad
  upper <- box$upper + pad
  if (!all(is.finite(upper - lower))) stop_argument("pad", "must leave the grid finite.")
  if (is.null(size)) {
    by <- check_per_axis(by, d, "by", function(x) is.finite(x) & x > 0, "finite and above 0")
    size <- steps_to_cover((upper - lower) / by) + 1
    check_grid_size(size, "by")
    axes <- Map(function(from, step, count) from + step * seq.int(0, count - 1), lower, by, size)
  } else {
    size <- check_per_axis(size, d, "size", function(x) is.finite(x) & x >= 1 & x == floor(x), "whole and at least 1")
    check_grid_size(size, "size")
    axes <- Map(equal_spacing, lower, upper, size)
  }
  if (any(vapply(axes, is.unsorted, NA, strictly = TRUE))) {
    stop_argument(if (is.null(by)) "size" else "by", "must keep neighboring grid points apart in floating point.")
  }
  new_domain_grid(box, axes)
}

# A quotient such as 0.6 / 0.2 is a little off a whole number; the tolerance
# keeps that from adding a point.
steps_to_cover <- function(quotient) ceiling(quotient * (1 - 1e-12))

equal_spacing <- function(lower, upper, count) {
  if (count == 1) return(lower + (upper - lower) / 2)
  seq(lower, upper, length.out = count)
}

check_per_axis <- function(x, d, arg, good, words) {
  if (!is.numeric(x) || is.object(x) || !length(x) %in% c(1, d) || anyNA(x) || !all(good(x))) {
    stop_argument(arg, "must be one number", if (d > 1) paste0(" or ", d, ", one for each axis"), ", ", words, ", not ",
                  describe(x), ".")
  }
  rep_len(as.double(x), d)
}

check_grid_size <- function(size, arg) {
  if (prod(size) > max_grid_points) {
    stop_argument(arg, "must give a grid of at most ", format(max_grid_points), " points, not ",
                  format(prod(size), digits = 3), ".")
  }
}

#' @export
dim.dptda_grid <- function(x) lengths(check_whole(x, "dptda_grid")$axes, use.names = FALSE)

#' @export
as.matrix.dptda_grid <- function(x, ...) {
  size <- dim(x)
  repeats <- cumprod(c(1, size))
  points <- matrix(0, prod(size), length(size))
  for (j in seq_along(size)) points[, j] <- rep(x$axes[[j]], each = repeats[j])
  points
}

#' @export
print.dptda_grid <- function(x, ...) {
  cat("<grid> ", paste(dim(x), collapse = " x "), if (prod(dim(x)) == 1) " point" else " points", " over ",
      format_sides(vapply(x$axes, min, 0), vapply(x$axes, max, 0)), "\n",
      "box    ", format_box(x$box), "\n", sep = "")
  invisible(x)
}

# The box of a grid, or a box itself, for arguments that may be either.
public_box <- function(grid, arg) {
  if (missing(grid)) stop_missing(arg)
  if (inherits(grid, "dptda_grid")) return(check_whole(grid, "dptda_grid", arg)$box)
  check_class(grid, "dptda_box", "domain_grid() or domain_box()", arg)
}
