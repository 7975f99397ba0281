# The persistence diagram: a data frame with exactly three columns. All other data are attributes, so that phutil, TDA's
# plots, and ggplot2 accept it as it is.
#
# A guarantee must not outlive its data. Only `[` that keeps the three columns keeps the class and the attributes,
# because a selection of released rows is post-processing. All other functions that make a data frame of a diagram use
# strip_diagram(), because the new values may be anything. Some functions copy attributes without calling a method
# (tibble::add_row(), pmax(), rapply()), so a private diagram also stores the rows that were released
# (attach_guarantee()).

diagram_columns <- c("dimension", "birth", "death")
diagram_attributes <- c("sublevel", "software", "parameters", "privacy", "released")

new_diagram <- function(dimension = integer(), birth = double(), death = double(), sublevel = TRUE, software = NULL,
                        parameters = list()) {
  structure(
    list(dimension = dimension, birth = birth, death = death),
    row.names = .set_row_names(length(birth)),
    class = c("dptda_diagram", "dptda_result", "data.frame"),
    sublevel = sublevel, software = software, parameters = parameters
  )
}

# The minimum for printing. validate_diagram() checks more, because other functions may have written other numbers into
# the columns.
define_class("dptda_diagram", "persistence_diagram()",
             dimension = function(x) is.atomic(x) && !is.null(x),
             birth = is.numeric, death = is.numeric,
             .valid = function(x) length(unique(lengths(unclass(x)))) == 1)

# Writes each row as a string that preserves all bits.
row_keys <- function(dimension, birth, death) sprintf("%d %a %a", as.integer(dimension), birth, death)

# Counts equal keys up to each key. Key and count together are unique.
occurrence <- function(keys) stats::ave(seq_along(keys), keys, FUN = seq_along)
counted_keys <- function(keys) paste(keys, occurrence(keys))

# Returns rows as strings, row numbers, and attributes with their meaning. Returns NULL if `x` is no longer a diagram.
diagram_part <- function(x) {
  meaning <- attributes(x)[c("sublevel", "software", "parameters")]
  if (!are_row_numbers(x)) return(NULL)
  numbers <- attr(x, "row.names", exact = TRUE)
  x <- unclass(x)
  if (!is.list(x) || !identical(names(x), diagram_columns)) return(NULL)
  if (!all(vapply(x, function(column) is.null(attributes(column)), NA))) return(NULL)
  if (!identical(vapply(x, typeof, ""), c(dimension = "integer", birth = "double", death = "double"))) return(NULL)
  list(rows = row_keys(x$dimension, x$birth, x$death), meaning = meaning, numbers = numbers)
}

# A selection of released rows is also released, if no row occurs more often than before.
is_part_of_diagram <- function(part, released) {
  if (is.null(part) || !is.list(released) || !is.character(released$rows)) return(FALSE)
  identical(part$meaning, released$meaning) && all(counted_keys(part$rows) %in% counted_keys(released$rows)) &&
    all(part$numbers %in% c(released$numbers, seq_along(released$rows)))
}

define_release("dptda_diagram", diagram_part, is_part_of_diagram,
               attributes = c("names", "row.names", "sublevel", "software", "parameters"))

# Checks a diagram. Messages name columns, never rows or values, because a diagram may be private.
validate_diagram <- function(x, arg = "x") {
  if (!identical(names(x), diagram_columns)) {
    stop_argument(arg, "must have exactly the columns `dimension`, `birth`, and `death`.")
  }
  if (!is.integer(x$dimension) || anyNA(x$dimension) || any(x$dimension < 0L)) {
    stop_argument(arg, "must have nonnegative integers as `dimension`.")
  }
  if (!is.double(x$birth) || anyNA(x$birth)) stop_argument(arg, "must have numbers as `birth`.")
  if (!is.double(x$death) || anyNA(x$death)) {
    stop_argument(arg, "must have numbers as `death`, infinite if a class never dies.")
  }
  validate_order(x, check_flag(attr(x, "sublevel"), arg = "sublevel"), arg)
  software <- attr(x, "software")
  if (!is.null(software) && !(is.character(software) && length(software) == 1 && !is.na(software))) {
    stop_argument("software", "must be NULL or one string, not ", describe(software), ".")
  }
  if (!is.list(attr(x, "parameters"))) {
    stop_argument("parameters", "must be a list, not ", describe(attr(x, "parameters")), ".")
  }
  x
}

# Checks the order of births and deaths. A birth may be infinite at the start of the levels (a pixel that exists from
# the beginning), and a death at their end.
validate_order <- function(x, sublevel, arg) {
  early <- if (sublevel) x$birth else x$death
  late <- if (sublevel) x$death else x$birth
  if (any(early > late)) {
    stop_argument(arg, "must not have a death ", if (sublevel) "before its birth in a sublevel" else
      "above its birth in a superlevel", " diagram.")
  }
  if (any(early == Inf) || any(late == -Inf)) {
    stop_argument(arg, "must not have an infinite birth where levels end, or an infinite death where they start.")
  }
}

#' Persistence diagram as a data frame
#'
#' Makes a persistence diagram: a data frame with one row per feature and exactly the columns `dimension`, `birth`, and
#' `death`. The software that computed it and the privacy guarantee of a release are attributes.
#'
#' @details
#' # When the guarantee is kept
#' Selecting rows with `[` (also by [utils::head()], [subset()], or [split()]) keeps the class and the guarantee. A
#' choice among released rows costs no privacy, as long as it does not use the data. Operations that can change a value
#' or add a row (assignment, `rbind()`, [merge()], [as.data.frame()], every dplyr verb) return a plain data frame
#' without a guarantee. Some functions, such as `tibble::add_row()`, copy all attributes. Even then, the guarantee is
#' accepted only if every row is a released one.
#'
#' @param dimension Integers, n of them or one: the homological dimension of each feature, from 0.
#' @param birth Numbers, n of them: the level at which each feature appears; `-Inf` (`Inf` in a superlevel diagram) if
#'   it was always there.
#' @param death Numbers, n of them: the level at which each feature disappears; `Inf` (`-Inf` in a superlevel diagram)
#'   for a class that never dies.
#' @param sublevel `TRUE` or `FALSE`: whether levels rise (birth <= death) or fall (birth >= death).
#' @param software One string or `NULL`: the software that computed the diagram.
#' @param parameters A named list: the settings of the computation.
#' @param x An object of class `dptda_diagram`.
#' @param object An object of class `dptda_diagram`.
#' @param ... For `[`: rows and columns, as for a data frame. Otherwise not used.
#' @param n An integer: the largest number of rows to print.
#' @return
#' * `persistence_diagram()`: an object of class `dptda_diagram` with n rows, in the units of the filtration.
#' * `as.matrix()`: an n x 3 double matrix with the same columns.
#' * `summary()`: an object of class `summary.dptda_diagram`, a data frame with one row per dimension: the number of
#'   points, the number of points with infinite persistence (`essential`), and the largest, median, and total
#'   persistence of the others. For a release of [private_diagram()], it also has the columns `features`, `band`,
#'   `detectable`, and `radius` of [feature_evidence()], and `print()` adds the first line of the guarantee.
#' @references Edelsbrunner, H., Letscher, D. and Zomorodian, A. (2002).
#'   Topological persistence and simplification. *Discrete & Computational
#'   Geometry* 28, 511-533. \doi{10.1007/s00454-002-2885-2}
#' @seealso [plot.dptda_diagram()], [as_dptda_diagram()],
#'   [bottleneck_distance()]
#' @examples
#' circle <- persistence_diagram(c(0, 0, 1), c(0, 0, 0.4), c(Inf, 0.3, 1.1))
#' circle
#' summary(circle)
#' circle[circle$dimension == 1, ]
#' @order 1
#' @export
persistence_diagram <- function(dimension = integer(), birth = double(), death = double(), sublevel = TRUE,
                                software = NULL, parameters = list()) {
  dimension <- check_dimensions(dimension)
  birth <- check_levels(birth)
  death <- check_levels(death)
  if (length(dimension) == 1) dimension <- rep(dimension, length(birth))
  if (length(birth) != length(death)) stop_argument("death", "must have the length of `birth`.")
  if (length(dimension) != length(birth)) stop_argument("dimension", "must have length 1 or that of `birth`.")
  validate_diagram(new_diagram(dimension, birth, death, check_flag(sublevel), software, parameters), arg = "birth")
}

check_dimensions <- function(x, arg = deparse1(substitute(x))) {
  whole <- is_plain_numeric(x) && !anyNA(x) && all(x >= 0 & x <= .Machine$integer.max & x == floor(x))
  if (!whole) stop_argument(arg, "must be a vector of nonnegative integers.")
  as.integer(x)
}

check_levels <- function(x, arg = deparse1(substitute(x))) {
  if (!is_plain_numeric(x)) stop_argument(arg, "must be a numeric vector.")
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  as.double(x)
}

# Length of each bar. It is never negative, and `Inf` for a class that never dies.
diagram_persistence <- function(x) abs(x$death - x$birth)

# Selection ------------------------------------------------------------------

#' @rdname persistence_diagram
#' @export
`[.dptda_diagram` <- function(x, ...) {
  selected <- strip_diagram(x)[...]
  if (is_rows_of_diagram(selected)) restore_diagram(selected, x) else selected
}

# A missing row, from an index out of range, is not a row of the diagram.
is_rows_of_diagram <- function(selected) {
  is.data.frame(selected) && identical(names(selected), diagram_columns) && !anyNA(selected, recursive = TRUE)
}

restore_diagram <- function(selected, x) {
  for (name in diagram_attributes) attr(selected, name) <- attr(x, name, exact = TRUE)
  class(selected) <- class(x)
  selected
}

#' @rdname persistence_diagram
#' @export
as.matrix.dptda_diagram <- function(x, ...) {
  check_valid(x, "dptda_diagram")
  cbind(dimension = as.double(x$dimension), birth = x$birth, death = x$death)
}

# All other functions return a plain data frame ------------------------------

strip_diagram <- function(x) {
  attributes(x) <- list(names = names(x), row.names = attr(x, "row.names"), class = "data.frame")
  x
}

#' @export
as.data.frame.dptda_diagram <- function(x, row.names = NULL, optional = FALSE, ...) {
  as.data.frame(strip_diagram(x), row.names = row.names, optional = optional, ...)
}

#' @export
as.list.dptda_diagram <- function(x, ...) as.list(strip_diagram(x), ...)

#' @export
as.vector.dptda_diagram <- function(x, mode = "any") as.vector(as.list(x), mode)

#' @export
`[<-.dptda_diagram` <- function(x, ..., value) {
  x <- strip_diagram(x)
  x[...] <- value
  x
}

#' @export
`[[<-.dptda_diagram` <- function(x, ..., value) {
  x <- strip_diagram(x)
  x[[...]] <- value
  x
}

#' @export
`$<-.dptda_diagram` <- function(x, name, value) {
  x <- strip_diagram(x)
  x[[name]] <- value
  x
}

#' @export
`names<-.dptda_diagram` <- function(x, value) {
  x <- strip_diagram(x)
  names(x) <- value
  x
}

#' @export
`length<-.dptda_diagram` <- function(x, value) {
  x <- as.list(x)
  length(x) <- value
  x
}

#' @export
rbind.dptda_diagram <- function(...) {
  do.call(rbind, lapply(list(...), function(part) if (inherits(part, "dptda_diagram")) strip_diagram(part) else part))
}

#' @exportS3Method tibble::as_tibble
as_tibble.dptda_diagram <- function(x, ...) tibble::as_tibble(strip_diagram(x), ...)

#' @exportS3Method dplyr::group_by
group_by.dptda_diagram <- function(.data, ...) dplyr::group_by(strip_diagram(.data), ...)

#' @exportS3Method dplyr::rowwise
rowwise.dptda_diagram <- function(data, ...) dplyr::rowwise(strip_diagram(data), ...)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.dptda_diagram <- function(data, template) strip_diagram(data)

# Returns a plain data frame after vctrs slices, binds, or assigns rows (bind_rows(), tidyr, purrr).
#' @exportS3Method vctrs::vec_restore
vec_restore.dptda_diagram <- function(x, to, ...) strip_diagram(x)

# Converts a data frame of points to the list of matrices for the kernels. Points are sorted by birth, because the
# bottleneck distance is then faster.
split_diagram <- function(diagram, dimensions) {
  lapply(dimensions, function(dimension) {
    points <- diagram[diagram$dimension == dimension, ]
    by_birth <- order(points$birth)
    cbind(points$birth[by_birth], points$death[by_birth])
  })
}

# Okabe and Ito's colors, which color-blind readers can distinguish. Symbols differ also, for pictures in gray.
diagram_colors <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
diagram_symbols <- c(21, 24, 23, 22, 25)
