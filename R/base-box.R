# The public box that data live in: base, since mechanisms on numbers and on
# shapes both need it. Documented with the grids (topology-domain.R).

max_box_dimension <- 4

new_domain_box <- function(lower, upper) structure(list(lower = lower, upper = upper), class = "dptda_box")

is_corner <- function(x) is_numbers(x) && length(x) %in% seq_len(max_box_dimension) && all(is.finite(x))
define_class("dptda_box", "domain_box()", lower = is_corner, upper = is_corner)

#' @rdname domain
#' @export
domain_box <- function(lower, upper) {
  lower <- check_corner(lower, "lower")
  upper <- check_corner(upper, "upper")
  if (length(lower) != length(upper)) {
    stop_argument("upper", "must be as long as `lower` (", length(lower), "), not of length ", length(upper), ".")
  }
  if (!all(lower < upper)) {
    stop_argument("upper", "must be above `lower` on every side: no side may have a zero or negative width.")
  }
  if (!all(is.finite(upper - lower))) stop_argument("upper", "must be so near to `lower` that their difference is finite.")
  new_domain_box(lower, upper)
}

check_corner <- function(x, arg) {
  if (missing(x)) stop_missing(arg)
  if (!is.numeric(x) || is.object(x) || !is.null(dim(x)) || !length(x) %in% seq_len(max_box_dimension)) {
    stop_argument(arg, "must be a numeric vector of length 1 to ", max_box_dimension, ", not ", describe(x), ".")
  }
  if (!all(is.finite(x))) stop_argument(arg, "must be finite.")
  as.double(x)
}

#' @export
print.dptda_box <- function(x, ...) {
  check_whole(x, "dptda_box")
  cat("<box> ", format_box(x), "\n", sep = "")
  invisible(x)
}

format_box <- function(box) format_sides(box$lower, box$upper)

format_sides <- function(lower, upper) {
  shown <- function(x) vapply(x, format, "", digits = 4)
  paste0("[", shown(lower), ", ", shown(upper), "]", collapse = " x ")
}

# Moves each row to the nearest point of the box, row by row and silently:
# whether a row was outside is private. Infinite coordinates end on the
# boundary.
clamp_to_box <- function(X, box) {
  for (j in seq_along(box$lower)) X[, j] <- pmin(pmax(X[, j], box$lower[j]), box$upper[j])
  X
}

box_diameter <- function(box) euclidean_length(box$upper - box$lower)

# In the order of a plain loop, as the kernels add: sum() may use long doubles,
# and a bound must not fall short of what it bounds by a rounding. The power of
# two keeps squares from overflowing and changes no digit.
euclidean_length <- function(x) {
  if (all(x == 0)) return(0)
  scale <- 2^floor(log2(max(abs(x))))
  scale * sqrt(Reduce(`+`, (x / scale)^2))
}
