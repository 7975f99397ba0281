#' Bottleneck distance up to a shift or a scale
#'
#' Computes the bottleneck distance of two persistence diagrams up to a shift: the smallest [bottleneck_distance()] if
#' all points of `x` may be shifted along the diagonal by one number s, births and deaths alike. Two functions that
#' differ by a constant have diagrams at distance 0.
#'
#' With `log = TRUE` the logarithms of births and deaths are compared, and a shift of these is a factor: the result does
#' not depend on the units of either diagram. Distances to a cloud of points whose coordinates were multiplied by an
#' unknown number, as an embedding of a released graph is, are compared so. A birth of 0, as all classes of dimension 0
#' have in a Rips or alpha complex, is infinitely early on this scale: such points are matched among themselves by the
#' logarithms of their deaths, in order, and the distance is `Inf` if their numbers differ. Points on the diagonal are
#' left out first.
#'
#' Each dimension has a shift of its own. The distance from a diagram of the data is *not* private, even where the other
#' diagram is a release.
#'
#' @section Implementation:
#' A point of `x` and one of `y` are within t of each other where the shift lies in an interval, and what costs less
#' than t on the diagonal need not be matched. One sweep through the shifts keeps two one-sided matchings (Mendelsohn
#' and Dulmage) up to date as pairs come and go, at a t that falls whenever both are complete. The result is the cost of
#' a matching, with no tolerance: only the shift is rounded. Time and memory are those of sorting the pairs whose
#' persistences differ by at most twice the distance.
#'
#' @inheritParams bottleneck_distance
#' @param log `TRUE` or `FALSE`: whether the logarithms of births and deaths are compared. None of them may be below 0.
#' @return a numeric vector with one distance for each element of `dimension`, in the units of the filtration (of its
#'   logarithm if `log`). The attribute `shift` has, for each, a shift of `x` that attains it (the logarithm of a factor
#'   if `log`); `NA` where the distance is `Inf` at every shift, infinite where it is beyond all doubles.
#' @references Sheehy, D. R., Kisielius, O. and Cavanna, N. J. (2018). Computing the shift-invariant bottleneck distance
#'   for persistence diagrams. *Proceedings of the 30th Canadian Conference on Computational Geometry*, 78-84.
#' @seealso [bottleneck_distance()]
#' @examples
#' x <- persistence_diagram(c(0, 1), c(0, 0.4), c(Inf, 1.1))
#' y <- persistence_diagram(c(0, 1, 1), c(5, 5.5, 5.2), c(Inf, 6.3, 5.3))
#' bottleneck_distance(x, y, dimension = 0:1)
#' shift_invariant_distance(x, y, dimension = 0:1)
#'
#' # the same shape in other units
#' z <- persistence_diagram(x$dimension, 3 * x$birth, 3 * x$death)
#' shift_invariant_distance(x, z, dimension = 0:1, log = TRUE)
#' @export
shift_invariant_distance <- function(x, y, ..., dimension, log = FALSE) {
  check_no_dots(...)
  pair <- check_diagram_pair(x, y, dimension)
  points <- pair[c("x", "y")]
  if (check_flag(log)) points <- Map(diagram_logarithms, points, c("x", "y"))
  best <- compare_by_dimension(pair, points$x, points$y, 2, function(birth_x, death_x, birth_y, death_y) {
    .Call(ffi_persistence_shift_distance, birth_x, death_x, birth_y, death_y, kernel_options())
  })
  shift <- pair$sign * best[2, ]
  shift[is.nan(shift)] <- NA
  structure(best[1, ], shift = shift)
}

# The columns alone: logarithms of a release are no rows of it.
diagram_logarithms <- function(x, arg) {
  if (any(x$birth < 0, x$death < 0)) {
    stop_argument(arg, "must not have a birth or death below 0 where `log` is TRUE.")
  }
  kept <- x$birth != x$death
  list(dimension = x$dimension[kept], birth = log(x$birth[kept]), death = log(x$death[kept]))
}
