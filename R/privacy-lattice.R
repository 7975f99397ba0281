# Public lattices: what makes sums of real numbers into sums of integers.

#' Snap rows to a public lattice
#'
#' Moves each row to the nearest point of a lattice inside a public box. The
#' points of the lattice are the multiples of a power of two, so that the rows
#' become exact integers, and noise on their sums can be exact.
#'
#' The step of a column is the least power of two for which the side of the box
#' has at most `2^bits` steps, so between half and all of `2^bits`; it is never
#' finer than the spacing of doubles at the ends of the side. A multiple of a
#' step is a double without any rounding, and a row divided by the step is a
#' whole number.
#'
#' @param X A numeric matrix or data frame with one row a point and one column
#'   a side of the box; a vector for a box of one side. Rows outside the box are
#'   moved to its nearest point, silently; infinite coordinates too.
#' @param box A public box made by [domain_box()].
#' @param bits One whole number from 1 to 52: at most `2^bits` steps a side.
#' @return A numeric matrix of the size of `X`, in the units of `X`, with its
#'   columns in the order of the box and named as the box or `X`. Its attribute
#'   `lattice` is a list with one number a column in each field: `step`, and the
#'   whole numbers `first` and `last`, the ends of the lattice in steps.
#'
#' @section Privacy:
#' Each row is moved by itself, with nothing but public numbers, so replacing
#' one row of `X` replaces one row of the result. The result is as private as `X`
#' is: this is a step on the way to a release and not a release.
#' @examples
#' box <- domain_box(c(0, -1), c(10, 1))
#' lattice_snap(rbind(c(3.14159, 0.5), c(11, -0.01)), box, bits = 4)
#' @export
lattice_snap <- function(X, box, bits) {
  check_class(box, "dptda_box", "domain_box()")
  X <- check_points(X, min_rows = 0, box = box)
  lattice <- public_lattice(box, check_count(bits, 1, 52))
  snapped <- sweep(lattice_steps(X, lattice), 2, lattice$first, `+`)
  structure(sweep(snapped, 2, lattice$step, `*`), lattice = lattice)
}

public_lattice <- function(box, bits) {
  width <- box$upper - box$lower
  step <- 2^(binary_exponent(width) + (2^binary_exponent(width) < width) - bits)
  finest <- pmax(2^(binary_exponent(pmax(abs(box$lower), abs(box$upper))) - 52), 2^-1074)
  step <- pmax(step, finest)
  first <- ceiling(box$lower / step)
  last <- floor(box$upper / step)
  list(step = step, first = first, last = last)
}

# The whole e with 2^e <= x < 2^(e + 1). log2() may be a rounding off.
binary_exponent <- function(x) {
  e <- floor(log2(x))
  e - (2^e > x) + (2^(e + 1) <= x)
}

# Rows in whole steps from the first point of the lattice, from 0 to
# last - first. Division by a power of two does not round.
lattice_steps <- function(X, lattice) {
  for (j in seq_len(ncol(X))) {
    X[, j] <- pmin(pmax(round(X[, j] / lattice$step[j]), lattice$first[j]), lattice$last[j]) - lattice$first[j]
  }
  X
}
