# Curves of persistence diagrams: the public settings, and one vector per diagram. Releases of many people's curves read
# their data by curve_values() with `lenient = TRUE`, so nothing in it may fail, warn, or use one diagram for another.

#' Curves of persistence diagrams as vectors
#'
#' Converts persistence diagrams to vectors of equal length, on which means, distances, principal components, and
#' clusters can be computed. If each person has one diagram, each person gets one vector. The vectors are *not* private.
#'
#' `curve_landscape()`, `curve_betti()`, and `curve_life()` describe a curve and contain no data. `diagram_curve()`
#' computes it for each diagram.
#'
#' @details
#' # Curves
#' A point of the diagram is *alive* at the levels t with birth <= t < death (birth >= t > death in a superlevel
#' diagram). The value of a curve at t is:
#'
#' * `curve_landscape()`: the largest tent min(t - birth, death - t) of the points alive, in units of the filtration.
#'   With `level = k`, the k-th largest (Bubenik 2015). It emphasizes persistent points.
#' * `curve_betti()`: the number of points alive.
#' * `curve_life()`: the total persistence of the points alive, as a fraction of the total persistence of all points.
#'   With `normalize = FALSE`, it is not divided. All points count, in proportion to their persistence (Chung and Lawson
#'   2022).
#'
#' No curve is best for all shapes. In landscapes, noisy points have little effect. In Betti curves, many small points
#' can outweigh a large one.
#'
#' # Grid
#' The range is divided into `size` equal cells, and the curve is evaluated at their midpoints. With range c(0, 2) and
#' `size = 64`, the first value belongs to level 1/64. The root mean square of a vector therefore approximates the L2
#' norm of the curve over the range, mapped to \[0, 1\].
#'
#' # Clipped and omitted points
#' Births and deaths are first clipped to `range`. A point that lies outside is then on the diagonal and has no effect.
#' Classes that never die (with infinite death) are omitted. Every connected shape has one of dimension 0, and its tent
#' would hide all others. TDA writes the largest level instead of `Inf`, so remove the first component from its
#' diagrams. To keep a class that never dies, give it a finite death, e.g., by `essential = "cap"` in
#' [dtm_persistence()].
#'
#' Points with missing values are also omitted, silently, and a diagram without points has the curve zero. Private
#' releases rely on this, because an error about one person's data would reveal something.
#'
#' # Bounds
#' If you pass vectors to a release such as [private_pca()] or [private_kmeans()], each column needs public bounds. All
#' values are at least 0. On range c(a, b), a landscape is at most (b - a) / 2, and a normalized life curve is at most
#' 1. For other curves, choose a bound; larger values are moved to it. The unit of such a release is one diagram.
#'
#' `range`, `size`, and all other settings must not depend on the data of a private release. `range` therefore has no
#' default.
#'
#' @param range Two increasing numbers: the range of levels, in units of the filtration.
#' @param dimension An integer of at least 0: the homological dimension of the points (0 for components, 1 for loops).
#' @param ... For `plot()`, graphical parameters such as `ylim`. Otherwise not used.
#' @param level An integer from 1 to 1,000: k for the k-th largest tent.
#' @param normalize `TRUE` or `FALSE`: divide by the total persistence.
#' @param size An integer from 2 to 10,000: the number of values of a curve.
#' @param diagrams A list of persistence diagrams, of class `dptda_diagram` or any form that [as_dptda_diagram()]
#'   accepts, or one diagram. Names of the list become names of the rows.
#' @param curve A curve from `curve_landscape()`, `curve_betti()`, or `curve_life()`.
#' @param x A result of `diagram_curve()`.
#' @param group `NULL`, or a vector with one value per diagram. Groups have different colors and separate means.
#' @param main,xlab,ylab Titles, or `NULL` for the default ones.
#' @return
#' * `curve_landscape()`, `curve_betti()`, `curve_life()`: an object of class `dptda_curve`, the list of its settings.
#' * `diagram_curve()`: an object of class `dptda_diagram_curves`, a list of `values` (a matrix with one row per diagram
#'   and `size` columns), `grid` (the levels), and `curve`. `as.matrix()` returns the values, and `mean()` the mean
#'   curve, a vector. `as.data.frame()` has one row per value, with the columns `diagram`, `grid`, and `value`.
#' * `plot()`: `x`, invisibly. It draws all curves, and their means as thick lines.
#'
#' @section Implementation:
#' C code visits, for each point, the grid values between birth and death. For 10,000 diagrams with 20 points each, this
#' takes a hundredth of a second, and reading the list of diagrams a few tenths.
#' @references
#' Bubenik, P. (2015). Statistical topological data analysis using persistence landscapes. *Journal of Machine Learning
#' Research* 16, 77-102. <https://jmlr.org/papers/v16/bubenik15a.html>
#'
#' Chung, Y.-M. and Lawson, A. (2022). Persistence curves: a canonical framework for summarizing persistence diagrams.
#' *Advances in Computational Mathematics* 48. \doi{10.1007/s10444-021-09893-4}
#' @seealso [persistence_diagram()], [bottleneck_distance()]
#' @examples
#' # one diagram per person: a loop that dies at about 1, and noise
#' set.seed(1)
#' diagrams <- lapply(1:30, function(i) {
#'   birth <- c(0.2, runif(5, 0, 0.5))
#'   persistence_diagram(1, birth, birth + c(rnorm(1, 0.8, 0.1), runif(5, 0, 0.2)))
#' })
#' curve <- curve_landscape(c(0, 1.5), dimension = 1)
#' curve
#' curves <- diagram_curve(diagrams, curve)
#' curves
#' dim(as.matrix(curves))
#' plot(curves)
#' plot(diagram_curve(diagrams, curve_betti(c(0, 1.5), dimension = 1)))
#' @name diagram_curve
NULL

new_diagram_curve <- function(kind, range, dimension, size, level = NULL, normalize = NULL) {
  new_result(list(kind = kind, range = range, dimension = dimension, level = level, normalize = normalize, size = size),
             "dptda_curve")
}

define_class("dptda_curve", "curve_landscape(), curve_betti(), or curve_life()",
             kind = function(x) is_one_string(x) && x %in% c("landscape", "betti", "life"),
             range = function(x) is_numbers(x) && is_curve_range(x), dimension = is_one_number,
             level = is_null_or(is_row_count), normalize = is_null_or(is_one_flag), size = is_row_count,
             .valid = function(x) {
               x <- unclass(x)
               if (x$kind == "landscape" && is.null(x$level) || x$kind == "life" && is.null(x$normalize)) return(FALSE)
               x$dimension >= 0 && x$size <= max_curve_size && is_curve_grid(curve_grid(x), x$range) &&
                 (is.null(x$level) || x$level <= max_curve_level)
             })

max_curve_size <- 1e4
max_curve_level <- 1000

#' @rdname diagram_curve
#' @order 2
#' @export
curve_landscape <- function(range, dimension, ..., level = 1, size = 64) {
  check_no_dots(...)
  shape <- check_curve_shape(range, dimension, size)
  level <- check_count(level, 1, max_curve_level)
  new_diagram_curve("landscape", shape$range, shape$dimension, shape$size, level = level)
}

#' @rdname diagram_curve
#' @order 3
#' @export
curve_betti <- function(range, dimension, ..., size = 64) {
  check_no_dots(...)
  shape <- check_curve_shape(range, dimension, size)
  new_diagram_curve("betti", shape$range, shape$dimension, shape$size)
}

#' @rdname diagram_curve
#' @order 4
#' @export
curve_life <- function(range, dimension, ..., normalize = TRUE, size = 64) {
  check_no_dots(...)
  shape <- check_curve_shape(range, dimension, size)
  new_diagram_curve("life", shape$range, shape$dimension, shape$size, normalize = check_flag(normalize))
}

# Checks the arguments that all curves share, in the order of the arguments.
check_curve_shape <- function(range, dimension, size) {
  if (missing(range)) stop_missing("range", "the public range of levels, e.g., c(0, 2)")
  if (!is_plain_numeric(range) || !is.null(dim(range)) || !is_curve_range(range)) {
    stop_argument("range", "must be two increasing numbers, at most 1e100 in absolute value, not ", describe(range),
                  ".")
  }
  if (missing(dimension)) stop_missing("dimension", "0 for components, 1 for loops")
  dimension <- check_count(dimension, upper = .Machine$integer.max)
  size <- check_count(size, 2, max_curve_size)
  range <- as.double(range)
  if (!is_curve_grid(curve_grid(list(range = range, size = size)), range)) {
    stop_argument("range", "must be wider, because neighboring levels of the grid are equal in floating point.")
  }
  list(range = range, dimension = dimension, size = size)
}

is_curve_range <- function(x) length(x) == 2 && all(abs(x) <= 1e100) && isTRUE(x[1] < x[2])

is_curve_grid <- function(grid, range) {
  !is.unsorted(grid, strictly = TRUE) && grid[1] >= range[1] && grid[length(grid)] <= range[2]
}

# The midpoints of equal cells of the range. A range and its mirror image have mirrored grids, bit by bit.
curve_grid <- function(curve) {
  size <- .subset2(curve, "size")
  range <- .subset2(curve, "range")
  share <- (seq_len(size) - 0.5) / size
  range[1] * rev(share) + range[2] * share
}

check_curve <- function(curve, arg = "curve") {
  check_class(curve, "dptda_curve", "curve_landscape(), curve_betti(), or curve_life()", arg)
}

# "landscape of level 1, dimension 1", for print and pictures.
curve_title <- function(curve) {
  name <- switch(curve$kind, landscape = "landscape", betti = "Betti curve",
                 life = if (curve$normalize) "normalized life curve" else "life curve")
  with_plain_numbers(paste0(name, " of ", if (curve$kind == "landscape") paste0("level ", curve$level, ", "),
                            "dimension ", curve$dimension))
}

# "64 values from 0 to 2".
curve_grid_words <- function(curve) {
  paste(format_count(curve$size), "values from", format(curve$range[1], digits = 4), "to",
        format(curve$range[2], digits = 4))
}

#' @export
print.dptda_curve <- function(x, ...) {
  check_valid(x, "dptda_curve")
  writeLines(wrap_lines(paste0("<curve> ", curve_title(x), ": ", curve_grid_words(x))))
  invisible(x)
}

#' @exportS3Method
result_table.dptda_curve <- function(x) {
  data.frame(kind = x$kind, lower = x$range[1], upper = x$range[2], dimension = x$dimension,
             level = if (is.null(x$level)) NA_real_ else x$level,
             normalize = if (is.null(x$normalize)) NA else x$normalize, size = x$size)
}

# ---- values ----------------------------------------------------------------------------------------------------------

# The curve of each diagram, as the rows of a matrix without a class. With `lenient`, whatever is not a diagram has the
# curve zero, and no element of the list can cause an error or a warning.
curve_values <- function(diagrams, curve, lenient = FALSE, arg = "diagrams") {
  points <- curve_points(diagrams, curve$dimension, lenient, arg)
  kind <- switch(curve$kind, landscape = 0L, betti = 1L, life = if (curve$normalize) 3L else 2L)
  .Call(ffi_persistence_curves, points$birth, points$death, points$counts, kind,
        if (is.null(curve$level)) 1 else curve$level, curve$range, curve_grid(curve), kernel_options())
}

# The points of all diagrams in one dimension, one diagram after the other, and their numbers.
curve_points <- function(diagrams, dimension, lenient, arg) {
  if (is.object(diagrams)) diagrams <- lapply(seq_along(diagrams), function(i) .subset2(diagrams, i))
  parts <- if (lenient) for_each_person(points_of_people(diagrams, dimension)) else
    lapply(seq_along(diagrams), function(i) checked_points(diagrams[[i]], dimension, paste0(arg, "[[", i, "]]")))
  births <- lapply(parts, .subset2, 1)
  list(birth = as.double(unlist(births, use.names = FALSE)),
       death = as.double(unlist(lapply(parts, .subset2, 2), use.names = FALSE)), counts = as.double(lengths(births)))
}

# Whatever is not a diagram has no points. A class with its own method may do anything.
points_of_people <- function(diagrams, dimension) {
  # catching errors of each diagram takes longer than reading it
  parts <- value_of_person(lapply(diagrams, points_of_diagram, dimension))
  if (is.null(parts)) parts <- lapply(diagrams, function(x) value_of_person(points_of_diagram(x, dimension)))
  for (i in which(lengths(parts) == 0)) {
    points <- value_of_person(points_by_method(diagrams[[i]], dimension, ""))
    parts[[i]] <- if (is.null(points)) list(double(), double()) else points
  }
  parts
}

checked_points <- function(x, dimension, arg) {
  points <- value_or(points_of_diagram(x, dimension), NULL)
  if (is.null(points)) points <- points_by_method(x, dimension, arg)
  rises <- points[[1]] < points[[2]]
  falls <- points[[1]] > points[[2]]
  if (any(rises, na.rm = TRUE) && any(falls, na.rm = TRUE)) {
    stop_argument(arg, "has points that die above their birth and points that die below. If a death of -1 means that ",
                  "a class never dies, write Inf.")
  }
  points
}

# The points of another class, which may have its own method. Never NULL.
points_by_method <- function(x, dimension, arg) {
  points <- points_of_diagram(as_dptda_diagram(x, arg = arg), dimension)
  if (is.null(points)) as_dptda_diagram.default(x, arg = arg)
  points
}

# Births and deaths of the points of one dimension, or NULL if `x` has none of the usual forms. Reads columns and
# attributes without methods. Values are not checked, because the kernel accepts all.
points_of_diagram <- function(x, dimension) {
  if (is.list(x)) {
    names <- attr(x, "names", exact = TRUE)
    if (inherits(x, "persistence")) return(pairs_of_dimension(.subset2(x, "pairs"), dimension))
    if (!inherits(x, "data.frame")) return(points_of_element(.subset2(x, "diagram"), dimension))
    at <- if (identical(names, diagram_columns)) 1:3 else match(diagram_columns, tolower(names))
    if (anyNA(at)) return(NULL)
    return(points_of_columns(.subset2(x, at[1]), .subset2(x, at[2]), .subset2(x, at[3]), dimension))
  }
  if (!is.numeric(x) || !is.matrix(x)) return(NULL)
  names <- attr(x, "dimnames", exact = TRUE)[[2]]
  at <- if (is.null(names) && ncol(x) == 3) 1:3 else match(diagram_columns, tolower(names))
  if (anyNA(at)) return(NULL)
  x <- unclass(x)
  if (is.null(names) && !has_usual_order(x)) return(NULL)
  points_of_columns(x[, at[1]], x[, at[2]], x[, at[3]], dimension)
}

# TDA's list has a matrix as its element.
points_of_element <- function(x, dimension) if (is.matrix(x) || is.data.frame(x)) points_of_diagram(x, dimension)

points_of_columns <- function(of, birth, death, dimension) {
  good <- is_plain_numeric(of) && is_plain_numeric(birth) && is_plain_numeric(death) &&
    length(of) == length(birth) && length(of) == length(death)
  if (!good) return(NULL)
  rows <- which(of == dimension)
  list(birth[rows], death[rows])
}

# phutil has one matrix per dimension, from 0.
pairs_of_dimension <- function(pairs, dimension) {
  if (!is.list(pairs)) return(NULL)
  if (dimension >= length(pairs)) return(list(double(), double()))
  pairs <- .subset2(pairs, dimension + 1)
  if (!is.matrix(pairs) || !is_plain_numeric(pairs) || ncol(pairs) != 2) return(NULL)
  list(pairs[, 1], pairs[, 2])
}

#' @rdname diagram_curve
#' @order 1
#' @export
diagram_curve <- function(diagrams, curve) {
  diagrams <- check_diagrams(diagrams)
  curve <- check_curve(curve)
  values <- curve_values(diagrams, curve)
  rownames(values) <- names(diagrams)
  new_result(list(values = values, grid = curve_grid(curve), curve = curve), "dptda_diagram_curves")
}

define_class("dptda_diagram_curves", "diagram_curve()",
             values = function(x) is.matrix(x) && is.double(x) && nrow(x) > 0 && all(is.finite(x)),
             grid = is_numbers, curve = is_made("dptda_curve"),
             .valid = function(x) {
               x <- unclass(x)
               length(x$grid) == ncol(x$values) && length(x$grid) == x$curve$size
             })

# Returns a list of diagrams. One diagram, which may be a list of columns, becomes a list with one element.
check_diagrams <- function(diagrams, arg = "diagrams") {
  if (missing(diagrams)) stop_missing(arg, "a list of persistence diagrams")
  if (is_one_diagram(diagrams)) diagrams <- list(check_one_diagram(diagrams, arg))
  if (!is.list(diagrams) || length(diagrams) == 0) {
    stop_argument(arg, "must be a list of at least one persistence diagram, not ",
                  if (identical(diagrams, list())) "an empty list" else describe_data(diagrams), ".")
  }
  diagrams
}

# A table with more columns than a diagram may hold the points of many.
check_one_diagram <- function(x, arg) {
  names <- if (is.matrix(x)) colnames(x) else if (is.data.frame(x)) names(x)
  if (is.null(dim(x)) && anyDuplicated(names(x))) {
    stop_argument(arg, "must be a list with one element per diagram. Lists of TDA became one flat list.")
  }
  at <- match(diagram_columns, tolower(names))
  if (anyNA(at) || length(names) == 3) return(x)
  others <- names[-at]
  stop_argument(arg, "has the column `", others[1], "` beside `dimension`, `birth`, and `death`. If the table holds ",
                "the points of several diagrams, pass a list of them, e.g., split(", arg, ", ", arg, "$", others[1],
                "), and otherwise, only the three columns.")
}

# Decided by the type and the names. TDA's list has locations beside the diagram. In a list of such lists that became
# flat, all names are "diagram".
is_one_diagram <- function(x) {
  if (is.matrix(x) || inherits(x, c("data.frame", "persistence"))) return(TRUE)
  is.list(x) && "diagram" %in% names(x) && !(length(x) > 1 && all(names(x) == "diagram")) &&
    all(names(x) %in% c("diagram", "birthLocation", "deathLocation", "cycleLocation"))
}
