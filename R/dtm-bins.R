#' Bin points on a public grid
#'
#' Moves each row to the nearest point of a public grid and counts the rows at each point. Diagrams of a million rows
#' then cost only as much as the occupied cells. Binning spends no privacy: each row is moved by itself, so results
#' computed from the bins have the same sensitivity to one row as before.
#'
#' @param x A numeric matrix or data frame with one row per point and one column per axis of the grid (in one dimension,
#'   a vector), or rows from [table_rows()]; rows in a database stay there. Columns are matched by name if both have
#'   names. No missing values. Rows outside the box are moved into it, silently.
#' @param grid A grid from [domain_grid()], the lattice of the bins. It can differ from the grid on which a function is
#'   evaluated later, and is best about twice as fine. Only its points within the box are used, so that the centers of
#'   the bins are in the box. Each axis must have at least one.
#' @inheritParams private_release
#' @return An object of class `dptda_bins`: a list of `points`, a numeric matrix with one row per occupied grid point
#'   (first coordinate fastest), and `weights`, the number of rows at each. Use it as `x` in [distance_to_measure()] and
#'   the functions built on it. The counts are not private.
#'
#'   For rows of people (`person` of [table_rows()]), `weights` holds the total weight of their rows, and releases from
#'   the bins protect people. With `rows_of_person = "one"`, `bin_points()` chooses the rows, by R's random numbers.
#'
#' @section Implementation:
#' A row halfway between two grid points goes to the upper one, up to rounding error. The cost is one pass over the rows
#' and one over the cells of the grid, with one count per cell in memory. A row moves by at most half the diagonal of a
#' cell, and the distance to a measure changes by no more than that. (Rows at the edge of a grid that ends before the
#' box does may move further.)
#' @seealso [table_rows()] for rows in a database.
#' @examples
#' X <- cbind(rnorm(1e5), rnorm(1e5))
#' box <- domain_box(c(-3, -3), c(3, 3))
#' bins <- bin_points(X, domain_grid(box, size = 128))
#' bins
#' f <- distance_to_measure(bins, domain_grid(box, by = 0.2), m0 = 0.1)
#' @export
bin_points <- function(x, grid, ..., columns = NULL) {
  check_no_dots(...)
  check_class(grid, "dptda_grid", "domain_grid()")
  if (missing(x)) stop_missing("x")
  axes <- Map(within_side, grid$axes, grid$box$lower, grid$box$upper)
  if (any(lengths(axes) == 0)) stop_argument("grid", "must have a point within the box on every axis.")
  read_in_state(environment())
  force(x)
  count_later()
  rows <- check_point_rows(x, columns, grid$box)
  if (is_of_people(rows)) return(bin_people(rows, axes))
  counts <- count_rows(rows, list(cell_table(lapply(axes, axis_nearest))))[[1]]
  counted_rows(rows)
  points <- cell_points(counts$cell, axes)
  colnames(points) <- rows$columns
  new_bins(points, counts$count)
}

# Bins rows of people. Each bin holds the total weight of its rows. If one row per person is used, R's random stream
# draws it: with any row, a person changes only one row.
bin_people <- function(rows, axes) {
  units <- check_public_units(public_units(rows), exact = TRUE, arg = "x")
  unit <- people_unit(units)
  rows <- weigh_rows(settle_rows(rows, "R"), unit)
  counts <- count_rows(rows, list(cell_table(lapply(axes, axis_nearest))))[[1]]
  points <- cell_points(counts$cell, axes)
  colnames(points) <- rows$columns
  bins <- new_bins(points, counts$count)
  bins[c("n", "person", "take", "complete", "unit")] <- list(units$n, units$person, rows$take, TRUE, unit)
  bins
}

# The points of numbered cells. Numbers start at 1, and the first axis varies fastest.
cell_points <- function(cell, axes) {
  points <- matrix(0, length(cell), length(axes))
  rest <- cell - 1
  for (j in seq_along(axes)) {
    points[, j] <- axes[[j]][rest %% length(axes[[j]]) + 1]
    rest <- rest %/% length(axes[[j]])
  }
  points
}

is_weights <- function(x) is_numbers(x) && all(x >= 0 & x == floor(x)) && sum(x) >= 1
define_class("dptda_bins", "bin_points()", points = is_number_matrix, weights = is_weights,
             person = is_null_or(is_one_string), take = is_null_or(is_one_string), complete = is_null_or(is_one_flag),
             n = is_null_or(is_one_number), unit = is_null_or(is_one_number),
             .valid = function(x) {
               if (is.null(x$person)) return(is.null(x$unit) && is.null(x$n) && is.null(x$take) && is.null(x$complete))
               isTRUE(x$complete && sum(x$weights) == x$n * x$unit)
             })

new_bins <- function(points, weights) new_result(list(points = points, weights = weights), "dptda_bins")

# The points of an axis within a side of the box. A point that is outside by rounding, as `lower + 3 * by` may be, moves
# to the bound.
within_side <- function(axis, lower, upper) {
  tolerance <- 1e-12 * (upper - lower)
  kept <- axis[axis >= lower - tolerance & axis <= upper + tolerance]
  unique(pmin(pmax(kept, lower), upper))
}

#' @export
print.dptda_bins <- function(x, ...) {
  check_valid(x, "dptda_bins")
  d <- ncol(x$points)
  held <- if (is.null(x$person)) paste(format_count(sum(x$weights)), "points") else units_words(x)
  cat("<bins>\n", held, " at ", format_count(nrow(x$points)),
      " grid points in ", d, if (d == 1) " dimension" else " dimensions", " (not private)\n", sep = "")
  invisible(x)
}
