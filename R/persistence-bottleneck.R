#' Bottleneck distance of two persistence diagrams
#'
#' Computes the bottleneck distance of two persistence diagrams exactly. It is the smallest t such that their points can
#' be paired with each other or with the diagonal, and no point moves by more than t in the maximum norm. Points that
#' never die are paired with each other; if their numbers differ, the distance is `Inf`.
#'
#' The result is always a difference of two births or two deaths, or half a persistence.
#'
#' The package phutil has a function of the same name with other arguments. If you attach phutil after this package,
#' write `dptda::bottleneck_distance()`.
#'
#' The distance from a diagram of the data is *not* private, even if the other diagram is a release.
#'
#' @section Implementation:
#' There are two one-sided problems: match every point of one diagram that is too persistent for the diagonal. They are
#' independent by a theorem of Mendelsohn and Dulmage. Each is solved by augmenting paths, whose edges are found in a
#' k-d tree. This takes about n log n in practice, and memory proportional to n. For a diagram of at most 32 points
#' against n points, it takes one pass over the n points.
#'
#' @param x,y Persistence diagrams with n and m points, of class `dptda_diagram` or any class that [as_dptda_diagram()]
#'   accepts; both sublevel or both superlevel.
#' @param ... Not used. `dimension` must be named, because the third argument of functions of this name in other
#'   packages is a tolerance.
#' @param dimension Integers: the homological dimensions to compare. There is no default, because packages disagree on
#'   it.
#' @return A numeric vector with one distance per element of `dimension`, in the units of the filtration.
#' @references Efrat, A., Itai, A. and Katz, M. J. (2001). Geometry helps in
#'   bottleneck matching and related problems. *Algorithmica* 31, 1-28.
#'   \doi{10.1007/s00453-001-0016-8}
#'
#'   Kerber, M., Morozov, D. and Nigmetov, A. (2017). Geometry helps to compare
#'   persistence diagrams. *ACM Journal of Experimental Algorithmics* 22.
#'   \doi{10.1145/3064175}
#' @examples
#' x <- persistence_diagram(c(0, 1), c(0, 0.4), c(Inf, 1.1))
#' y <- persistence_diagram(c(0, 1, 1), c(0.1, 0.5, 0.2), c(Inf, 1.3, 0.3))
#' bottleneck_distance(x, y, dimension = 0:1)
#' @export
bottleneck_distance <- function(x, y, ..., dimension) {
  check_no_dots(...)
  pair <- check_diagram_pair(x, y, dimension)
  compare_by_dimension(pair, pair$x, pair$y, 1, function(birth_x, death_x, birth_y, death_y) {
    .Call(ffi_persistence_bottleneck_distance, birth_x, death_x, birth_y, death_y, kernel_options())
  })
}

# Checks two diagrams of the same direction, and the requested dimensions.
check_diagram_pair <- function(x, y, dimension) {
  if (missing(x)) stop_missing("x")
  if (missing(y)) stop_missing("y")
  x <- as_dptda_diagram(x, arg = "x")
  y <- as_dptda_diagram(y, arg = "y")
  if (missing(dimension)) stop_missing("dimension", "0 for components, 1 for loops, c(0, 1) for both")
  list(x = x, y = y, dimension = check_dimensions(dimension), sign = common_direction(x, y))
}

# Applies `compare` to the points x and y in each dimension of the pair. It returns `size` numbers, so the result is a
# vector, or a matrix with one column per dimension.
compare_by_dimension <- function(pair, x, y, size, compare) {
  vapply(pair$dimension, function(q) {
    left <- x$dimension == q
    right <- y$dimension == q
    compare(pair$sign * x$birth[left], pair$sign * x$death[left], pair$sign * y$birth[right],
            pair$sign * y$death[right])
  }, double(size))
}

# Returns 1 for sublevel diagrams and -1 for superlevel ones, which the kernel needs with the opposite sign.
# A diagram without points off the diagonal counts as either.
common_direction <- function(x, y) {
  rises <- any(x$death > x$birth, y$death > y$birth)
  falls <- any(x$death < x$birth, y$death < y$birth)
  if (rises && falls) stop_argument("y", "must be a sublevel diagram if `x` is one, and a superlevel one if not.")
  if (falls) -1 else 1
}
