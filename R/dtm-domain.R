#' Public bounds (box) and grid of the data
#'
#' `domain_box()` declares public bounds for each column of the data. `domain_grid()` makes a regular grid over a box,
#' at whose points functions such as the distance to a measure are evaluated. Declare the bounds from public knowledge;
#' they are never read from the data. Rows outside the box are moved to its nearest point, silently.
#'
#' @param lower,upper Numeric vectors of the same length, 1 to 1,024 (1 to 4 for a grid): the finite ends of each side,
#'   with column names or without names. Or dates, times, or durations; mix them with numbers in a list. One number
#'   without a name applies to all sides. `lower` alone can be one pair `c(lower, upper)`, or a list of pairs.
#' @param box A box from `domain_box()`, or a pair `c(lower, upper)` for one side, or a list of pairs such as
#'   `list(age = c(0, 100), bmi = c(10, 60))`.
#' @param by One positive number, or one per axis: the spacing. Like `size` and `pad`, matched by name if both it and
#'   the box have names.
#' @param size One integer, at least 1, or one per axis: the number of points of the axis, equally spaced from `lower -
#'   pad` to `upper + pad`. A single point is in the middle.
#' @inheritParams private_release
#' @param pad One nonnegative number, or one per axis: how far the grid extends beyond the box on each side, in the
#'   units of the data. The data are still moved into the box.
#' @details
#' # Grids
#' Give exactly one of `by` and `size`. With `by`, the points of an axis are `lower - pad`, `lower - pad + by`, and so
#' on. The last one is the first that reaches `upper + pad` (up to rounding error), so the grid covers the box even if
#' the spacing does not divide its side. A grid has at most 10^8 points. Printing a large one shows the cost of a
#' private diagram on it.
#'
#' # Column names
#' If the box and the data both have column names, columns are matched by name, in any order, and other names are an
#' error. If one of the two is unnamed, columns are matched by position. The same holds for `by`, `size`, and `pad`.
#' Missing, empty, or repeated names count as no names. Results have the names too. Each column of a data frame
#' must have one number per row: a column that is a matrix is refused.
#'
#' # Dates, times, and other classes
#' A side whose ends are dates accepts columns of dates. `lower` and `upper` are then numbers, and `box$classes` has the
#' class. Means, quantiles, bounds, and the breaks of counts are released as dates; all other results are numbers. Each
#' value is converted by itself before it is moved into the box:
#'
#' * `Date`: days since 1970-01-01. An infinite date is beyond the box.
#' * `POSIXct`: seconds since 1970-01-01. Results have the time zone of the box, or UTC without one. `POSIXlt` is
#'   refused; convert it with [as.POSIXct()].
#' * `difftime`: numbers in the unit of the box, e.g., `as.difftime(c(0, 8), units = "hours")`, whatever the unit of the
#'   column. The unit of the column must be public, too: `"auto"` units of a difference depend on all rows.
#' * Logical values are 0 and 1. 64-bit integers (class `integer64`) are exact up to 2^53; beyond it, they stay on the
#'   same side of the box. Use a box of numbers for both.
#'
#' Columns of other classes cause an error that names them. Numbers are not accepted as dates, except in a matrix and in
#' databases without dates.
#'
#' @return
#' * `domain_box()`: an object of class `dptda_box`, a list of the numbers `lower` and `upper`, with `columns` and
#'   `classes` if sides have names or are dates.
#' * `domain_grid()`: an object of class `dptda_grid`, a list of `box` and `axes` (one increasing numeric vector per
#'   axis). `dim()` returns the number of points of each axis. `as.matrix()` returns all points as rows, with the column
#'   names of the box. The first coordinate varies fastest, so `array(f(as.matrix(grid)), dim(grid))` has the shape of
#'   the grid.
#' @examples
#' box <- domain_box(c(-2, -2), c(2, 2))
#' grid <- domain_grid(box, by = 0.1, pad = 0.5)
#' grid
#' dim(grid)
#' head(as.matrix(grid))
#'
#' # sides of numbers and of dates
#' domain_box(list(day = as.Date("2020-01-01"), age = 0),
#'            list(day = as.Date("2025-01-01"), age = 100))
#' @name domain
#' @aliases domain_box domain_grid
NULL

max_grid_points <- 1e8

max_grid_dimension <- 4

new_domain_grid <- function(box, axes) new_result(list(box = box, axes = axes), "dptda_grid")

is_axes <- function(x) {
  is.list(x) && length(x) %in% seq_len(max_grid_dimension) &&
    all(vapply(x, function(axis) is_numbers(axis) && length(axis) > 0 && !is.unsorted(axis, strictly = TRUE), NA))
}
# `origin`: text for guarantees about the origin of a grid that may not be public (domain_pca()).
define_class("dptda_grid", "domain_grid()", box = is_made("dptda_box"), axes = is_axes,
             origin = is_null_or(is_one_string))

#' @rdname domain
#' @export
domain_grid <- function(box, by = NULL, size = NULL, ..., pad = 0) {
  check_no_dots(...)
  box <- check_box(box)
  if (length(box$lower) > max_grid_dimension) {
    stop_argument("box", "must have 1 to ", max_grid_dimension, " sides for a grid, not ", length(box$lower), ".")
  }
  if (is.null(by) == is.null(size)) stop_argument("by", "or `size` must be given, but not both.")
  pad <- check_per_axis(pad, box, "pad", function(x) is.finite(x) & x >= 0, "finite and at least 0")
  lower <- box$lower - pad
  upper <- box$upper + pad
  if (!all(is.finite(upper - lower))) stop_argument("pad", "must leave the grid finite.")
  if (is.null(size)) {
    by <- check_per_axis(by, box, "by", function(x) is.finite(x) & x > 0, "finite and above 0")
    size <- steps_to_cover((upper - lower) / by) + 1
    check_grid_size(size, "by")
    axes <- Map(function(from, step, count) from + step * seq.int(0, count - 1), lower, by, size)
  } else {
    size <- check_per_axis(size, box, "size", function(x) is.finite(x) & x >= 1 & x == floor(x),
                           "an integer and at least 1")
    check_grid_size(size, "size")
    axes <- Map(equal_spacing, lower, upper, size)
  }
  if (any(vapply(axes, is.unsorted, NA, strictly = TRUE))) {
    stop_argument(if (is.null(by)) "size" else "by", "must keep neighboring grid points apart in floating point.")
  }
  new_domain_grid(box, axes)
}

# The number of steps. A quotient such as 0.6 / 0.2 may be slightly above an integer. The tolerance prevents an extra
# point.
steps_to_cover <- function(quotient) ceiling(quotient * (1 - 1e-12))

equal_spacing <- function(lower, upper, count) {
  if (count == 1) return(lower + (upper - lower) / 2)
  seq(lower, upper, length.out = count)
}

# Expands `x` to one number per side of the box. Names are matched with the columns.
check_per_axis <- function(x, box, arg, good, words) {
  d <- length(box$lower)
  if (!is_plain_numeric(x) || !length(x) %in% c(1, d) || anyNA(x) || !all(good(x))) {
    stop_argument(arg, "must be one number", if (d > 1) paste0(" or ", d, ", one for each axis"), ", ", words, ", not ",
                  describe(x), ".")
  }
  if (!is.null(names(x)) && !is.null(box$columns)) {
    x <- x[match_names(names(x), box$columns, arg, "no names or those of the sides of `box`")]
  }
  rep_len(as.double(x), d)
}

check_grid_size <- function(size, arg) {
  if (prod(size) > max_grid_points) {
    stop_argument(arg, "must give a grid of at most ", format(max_grid_points), " points, not ",
                  format(prod(size), digits = 3), ".")
  }
}

#' @rdname domain_rescale
#' @order 2
#' @export
domain_unit <- function(box) {
  box <- check_box(box)
  new_domain_box(0 * box$lower, 0 * box$lower + 1, box$columns)
}

#' Columns in comparable units
#'
#' `domain_rescale()` moves each row into a public box and maps it to another box, by default the unit box.
#' `domain_unit()` returns that box. Both use public numbers only, so one row of the data becomes one row of the result.
#'
#' @details
#' # Rescaling columns
#' Distances combine all columns, so a column in large units dominates the others. Do not use [scale()]: it divides each
#' column by a number computed from all rows, so replacing one row changes every row, and no guarantee would hold.
#' Releases refuse data that still have the attributes of `scale()`.
#'
#' Instead, declare a box with the range of each column, rescale the rows, and put the grid over `domain_unit(box)`. A
#' diagram is then in the units of the unit box. `domain_rescale(Y, domain_unit(box), to = box)` maps back.
#'
#' # Preprocessing that voids the guarantee
#' Releases can only refuse a matrix or column that still has the attributes of `scale()`. `as.data.frame(scale(X))`,
#' `[`, and [cbind()] lose them. Other numbers computed from all rows leave no mark at all: `prcomp(X)$x`, `sweep(X, 2,
#' colMeans(X))`, [rank()], [cut()] at quantiles, or rows that were dropped or imputed because of other rows. The
#' guarantee does not hold for a release of such rows. Make sure that each row is computed from itself and public
#' numbers only, e.g., each row divided by its own length. If you used `scale()` that way, remove its attributes.
#'
#' [as.matrix()] of a data frame with 64-bit integers drops their class and leaves denormal numbers near zero. Supply
#' the data frame itself.
#'
#' @param x A numeric matrix or data frame with one row per point and one column per side of the box (for one side, a
#'   vector). Rows outside the box are moved to its nearest point, silently.
#' @param box A box from [domain_box()], or a pair `c(lower, upper)` for one side, or a list of pairs such as
#'   `list(age = c(0, 100), bmi = c(10, 60))`. Columns are matched by name if both have names.
#' @param to The box to map the rows into, with as many sides as `box`. By default, the unit box.
#' @param ... Not used. Later arguments must be named.
#' @return
#' * `domain_rescale()`: a numeric matrix with the rows of `x`, in the box `to`. Its columns are in the order of `box`,
#'   with the names of `box`, `x`, or `to`.
#' * `domain_unit()`: the box from 0 to 1 on each side, with the names of `box`.
#' @seealso [domain_box()], [domain_grid()]
#' @examples
#' # ages in years and incomes in a currency, in comparable units
#' people <- data.frame(income = c(12000, 54000, 31000), age = c(23, 61, 38))
#' box <- domain_box(c(age = 0, income = 0), c(age = 100, income = 1e5))
#' domain_rescale(people, box)
#' domain_grid(domain_unit(box), by = 0.1)
#' @order 1
#' @export
domain_rescale <- function(x, box, ..., to = domain_unit(box)) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  box <- check_box(box)
  to <- check_box(to)
  if (length(to$lower) != length(box$lower)) {
    stop_argument("to", "must have as many sides as `box`, ", length(box$lower), ", not ", length(to$lower), ".")
  }
  x <- clamp_to_box(check_points(x, min_rows = 0, box = box), box)
  to <- turn_box(to, colnames(x), "to")
  for (j in seq_along(box$lower)) {
    part <- (x[, j] - box$lower[j]) / (box$upper[j] - box$lower[j])
    x[, j] <- to$lower[j] + part * (to$upper[j] - to$lower[j])
  }
  x <- clamp_to_box(x, to) # rounding may leave it
  if (!is.null(to$columns)) colnames(x) <- to$columns
  x
}

# Reorders the sides of the box like the columns, if both have names.
turn_box <- function(box, columns, arg) {
  if (is.null(box$columns) || is.null(columns)) return(box)
  order <- match_names(box$columns, columns, arg, "no names or those of the columns of `box` or `x`")
  new_domain_box(box$lower[order], box$upper[order], columns, box$classes[order])
}

#' @export
dim.dptda_grid <- function(x) grid_size(check_valid(x, "dptda_grid"))

#' @export
as.matrix.dptda_grid <- function(x, ...) grid_vertices(check_valid(x, "dptda_grid"))

# For grids that are checked already: the number of vertices on each axis, and the vertices.
grid_size <- function(grid) lengths(grid$axes, use.names = FALSE)

grid_vertices <- function(grid) {
  size <- grid_size(grid)
  repeats <- cumprod(c(1, size))
  points <- matrix(0, prod(size), length(size))
  for (j in seq_along(size)) points[, j] <- rep(grid$axes[[j]], each = repeats[j])
  colnames(points) <- grid$box$columns
  points
}

#' @export
print.dptda_grid <- function(x, ...) {
  check_valid(x, "dptda_grid")
  cost <- grid_cost(x)
  points <- paste0(paste(grid_size(x), collapse = " x "), if (prod(grid_size(x)) == 1) " point" else " points",
                   " over ", format_sides(vapply(x$axes, min, 0), vapply(x$axes, max, 0)))
  writeLines(c("<grid>", wrap_lines(c(
    points, paste0("box    ", format_box(x$box)), if (!is.null(x$origin)) paste0("origin ", sub("^, ", "", x$origin)),
    if (is_long(cost)) paste0("cost   ", format_cost(cost))
  ))))
  invisible(x)
}

# Approximate cost of a diagram on the grid on an ordinary machine, from public numbers: seconds for `neighbors` nearest
# rows and bytes at the peak. Seconds by dimension cover descent and persistence, and seconds by neighbor cover square
# roots.
grid_cost <- function(grid, neighbors = 0) {
  d <- length(grid$axes)
  points <- prod(grid_size(grid))
  c(points = points, seconds = points * (c(1e-7, 3e-7, 1.2e-6, 3.5e-6)[d] + 5e-9 * neighbors),
    bytes = points * (16 * d + 16))
}

is_long <- function(cost) cost[["seconds"]] > 10 || cost[["bytes"]] > 2e9

format_cost <- function(cost) {
  units <- c(seconds = 1, minutes = 60, hours = 3600)
  unit <- max(which(c(0, 100, 6000) <= cost[["seconds"]]))
  paste0("about ", format(signif(cost[["seconds"]] / units[[unit]], 2)), " ", names(units)[unit], " and ",
         format(signif(cost[["bytes"]] / 1e9, 2)), " GB for a diagram")
}

# Informs the user of long computations before they begin. `rows` is the number of rows that are not binned. For people,
# it is the number of people.
tell_cost <- function(grid, neighbors, rows = 0, units = "rows") {
  cost <- grid_cost(grid, neighbors)
  points <- cost[["points"]]
  # on a line, rows are sorted and cost little, otherwise 1e8 visits take about a second
  if (length(grid$axes) > 1 && rows >= 10 * points && rows * points >= 2e8) {
    return(tell_dptda("cost", "There are ", format(round(rows / points)), " times as many ", units,
                      " as grid points. With `bin_points(X, grid)` instead of `x`, this takes a tenth of the time or ",
                      "less, and no row moves by more than half the diagonal of a cell."))
  }
  if (!is_long(cost)) return(invisible())
  tell_dptda("cost", "A grid of ", format_count(points), " points takes ", format_cost(cost),
             ". Twice the spacing takes 1/", 2^length(grid$axes), " of that.")
}

# Methods of a public domain for a release: a grid (here) or landmarks (dtm-landmarks.R) ---------------------------

# Checks for a grid or landmarks. A box is also valid if only distances within it matter.
check_domain <- function(domain, arg = deparse1(substitute(domain)), box = FALSE) {
  if (missing(domain)) stop_missing(arg)
  if (inherits(domain, "dptda_no_box")) check_box(domain, arg)
  for (class in c("dptda_grid", "dptda_landmarks", if (box) "dptda_box")) {
    if (inherits(domain, class)) return(refuse_changed(check_valid(domain, class, arg), arg))
  }
  stop_argument(arg, "must be made by domain_grid()", if (box) ", domain_landmarks() or domain_box()" else
    " or domain_landmarks()", ", not ", describe(domain),
    if (inherits(domain, "dptda_box")) c(". Make a grid over the box with domain_grid(", arg, ", size = 32)"), ".")
}

# Public facts: `title` for messages, `origin` for guarantees if the domain may not be public, and `top`, the highest
# dimension of homology that is computed.
domain_facts <- function(domain) UseMethod("domain_facts")

#' @export
domain_facts.dptda_grid <- function(domain) {
  dimension <- length(domain$axes)
  list(title = paste("a grid of", count_of(dimension, "dimension")), origin = domain$origin, top = dimension - 1)
}

# Returns a field that only some domains have, or NULL.
field_of <- function(domain, name) .subset2(domain, name)

# The metric of a domain. Grids are always Euclidean.
metric_of <- function(domain) if (is.null(field_of(domain, "metric"))) "euclidean" else domain$metric

is_euclidean <- function(metric) identical(metric, "euclidean")

# Upper bound on the distance between two rows of the domain.
domain_diameter <- function(domain) {
  box <- if (inherits(domain, "dptda_box")) domain else domain$box
  if (is.null(box)) as_metric(metric_of(domain))$diameter else box_diameter(box)
}

# Upper bound on the distance between a row and a vertex.
domain_reach <- function(domain) {
  if (is.null(domain$box)) as_metric(metric_of(domain))$diameter else longest_of(farthest_sides(domain, domain$box))
}

# The largest absolute coordinate, or 0 for metrics without coordinates.
largest_coordinate <- function(domain) {
  if (!is_euclidean(metric_of(domain))) return(0)
  max(abs(c(unlist(field_of(domain, "axes")), field_of(domain, "points"), domain$box$lower, domain$box$upper)))
}

# The box that Euclidean rows are moved into. Landmarks without a box get one so large that it preserves all distances
# below the clip, even after rounding. Each row is moved by itself, and by public numbers alone.
euclidean_box <- function(domain, clip) {
  if (!is.null(domain$box)) return(domain$box)
  most <- .Machine$double.xmax
  beyond <- clip + min(clip, 2^1000) + 2^-50 * max(abs(domain$points))
  new_domain_box(pmax(apply(domain$points, 2, min) - beyond, -most), pmin(apply(domain$points, 2, max) + beyond, most))
}

# Largest distances of rows from vertices on each axis: a matrix with one row per vertex, or one row for the worst case.
farthest_sides <- function(domain, box, place = identity) UseMethod("farthest_sides")

# the largest distance can be found on each axis by itself, between an end of the axis and an end of the box
#' @export
farthest_sides.dptda_grid <- function(domain, box, place = identity) {
  ends <- place(vapply(domain$axes, range, double(2)))
  lower <- place(box$lower)
  upper <- place(box$upper)
  matrix(pmax(abs(ends[1, ] - lower), abs(ends[1, ] - upper), abs(ends[2, ] - lower), abs(ends[2, ] - upper)), 1)
}

longest_of <- function(sides) max(apply(sides, 1, euclidean_length))

# The distance to a measure at the vertices: as doubles, and as integer steps. For a grid the result is an array.
domain_values <- function(domain, cloud, m0, r, clip) UseMethod("domain_values")

lattice_values <- function(domain, cloud, lattice, K) UseMethod("lattice_values")

# The diagram of values at the vertices: a data frame with dimension, birth, and death. No level exceeds `cap`.
# `step` is the size of a unit of `values` if they are integers.
domain_pairs <- function(domain, values, dimensions, essential, cap, step = NULL) UseMethod("domain_pairs")

# The true diagrams of a release, by dimension and in integer steps, in the format of split_diagram().
domain_diagrams <- function(domain, cloud, plan, essential) UseMethod("domain_diagrams")

# Informs the user of long computations before a release begins, based on public numbers.
domain_tell_cost <- function(domain, cloud, k, dimensions) UseMethod("domain_tell_cost")

#' @export
domain_tell_cost.dptda_grid <- function(domain, cloud, k, dimensions) {
  # for binned rows, the number of rows is public, but not the number of nonempty bins
  if (cloud$binned) tell_cost(domain, 0) else tell_cost(domain, k, cloud$total, if (is_of_people(cloud)) "people" else
    "rows")
}

# Returns the released dimensions: `dimensions`, or all up to `max_dimension`.
check_released <- function(dimensions, max_dimension, domain) {
  facts <- domain_facts(domain)
  top <- facts$top
  if (!is.null(dimensions)) {
    if (!is.null(max_dimension)) stop_argument("max_dimension", "must be NULL if `dimensions` is given.")
    good <- is_plain_numeric(dimensions) && is.null(dim(dimensions)) && length(dimensions) > 0 && !anyNA(dimensions) &&
      all(dimensions %in% seq.int(0, top)) && !anyDuplicated(dimensions)
    if (!good) {
      stop_argument("dimensions", "must be distinct integers from 0 to ", top, " on ", facts$title,
                    ", not ",
                    describe(dimensions), ".")
    }
    return(sort(as.double(dimensions)))
  }
  max_dimension <- if (is.null(max_dimension)) min(1, top) else check_count(max_dimension)
  if (max_dimension > top) {
    stop_argument("max_dimension", "must be at most ", top, " on ", facts$title, ", not ",
                  format(max_dimension), ".")
  }
  as.double(seq.int(0, max_dimension))
}
