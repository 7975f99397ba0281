#' Bottleneck distance up to a shift or a scale
#'
#' Computes the bottleneck distance of two persistence diagrams up to a shift: the smallest [bottleneck_distance()] if
#' all points of `x` may be shifted along the diagonal, with the same number added to all births and deaths. Two
#' functions that differ by a constant have diagrams at distance 0.
#'
#' With `log = TRUE`, the logarithms of births and deaths are compared. A shift of the logarithms is a factor, so the
#' result does not depend on the units of either diagram. Use this for a point cloud whose coordinates were multiplied
#' by an unknown number, such as an embedding of a released graph. A birth of 0, as all classes of dimension 0 in a Rips
#' or alpha complex have, is infinitely early on this scale. Such points are matched with each other by the logarithms
#' of their deaths, in order, and the distance is `Inf` if their numbers differ. Points on the diagonal are omitted
#' first.
#'
#' Each dimension has its own shift. The distance from a diagram of the data is *not* private, even if the other diagram
#' is a release.
#'
#' @section Implementation:
#' A point of `x` and a point of `y` are within t of each other if the shift is in an interval. Points at most t from
#' the diagonal need no match. One sweep through the shifts updates two one-sided matchings (Mendelsohn and Dulmage) as
#' pairs start and stop being within t, and reduces t whenever both matchings are complete. The result is the cost of a
#' matching, without a tolerance: only the shift is rounded. Time and memory are as for sorting the pairs whose
#' persistences differ by at most twice the distance.
#'
#' @inheritParams bottleneck_distance
#' @param log `TRUE` or `FALSE`: whether to compare the logarithms of births and deaths, which must then be nonnegative.
#' @return A numeric vector with one distance per element of `dimension`, in the units of the filtration (of its
#'   logarithm if `log`). The attribute `shift` has, for each, a shift of `x` that attains it (the logarithm of a factor
#'   if `log`). It is `NA` if the distance is `Inf` at every shift, and infinite if it exceeds all doubles.
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

# Takes the logarithm of the columns alone, without class or guarantee: they are not rows of a release.
diagram_logarithms <- function(x, arg) {
  if (any(x$birth < 0, x$death < 0)) {
    stop_argument(arg, "must not have a birth or death below 0 if `log` is TRUE.")
  }
  kept <- x$birth != x$death
  list(dimension = x$dimension[kept], birth = log(x$birth[kept]), death = log(x$death[kept]))
}
