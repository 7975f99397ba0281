# Converts diagrams of other packages to ours and back.

#' Convert persistence diagrams of other packages
#'
#' Converts persistence diagrams of TDA, ripserr, TDAstats, and phutil, or any matrix or data frame with the three
#' columns, to the class [persistence_diagram()]. Column names are matched in any case and order. In the other
#' direction, `phutil::as_persistence()` accepts an object of this class. It keeps the software, which phutil calls the
#' engine, and the parameters.
#'
#' Python packages often have the columns `birth`, `death`, `dimension`: name the columns of such a matrix first.
#'
#' TDA writes the largest value of the filtration as the death of a class that never dies, and TDAstats omits such a
#' class. The diagram alone does not show either, so such points stay as they are. Objects of other packages carry no
#' privacy guarantee, and converting them does not add one.
#'
#' @param x The diagram: a TDA list with an element `diagram`, or its matrix; a data frame or numeric matrix with the
#'   columns `dimension`, `birth`, and `death`; or a phutil object of class `persistence`. A matrix without column names
#'   must have the columns in this order.
#' @param sublevel `TRUE` or `FALSE`: whether births come before deaths. By default, this is determined from the points.
#'   If all points are on the diagonal, it is a sublevel diagram. A superlevel diagram in a matrix without column names
#'   needs `sublevel = FALSE`.
#' @inheritParams persistence_diagram
#' @param arg One string: the name of `x` in error messages.
#' @param ... Not used.
#' @return An object of class `dptda_diagram`, in the units of `x`.
#' @references Fasy, B. T., Kim, J., Lecci, F. and Maria, C. (2014).
#'   Introduction to the R package TDA. \doi{10.48550/arXiv.1411.1830}
#' @seealso [persistence_diagram()]
#' @examples
#' as_dptda_diagram(cbind(dimension = c(0, 1), Birth = 0:1, Death = c(Inf, 3)))
#' as_dptda_diagram(data.frame(death = 1, birth = 2, dimension = 0)) # superlevel
#' @export
as_dptda_diagram <- function(x, ...) {
  if (missing(x)) stop_missing("x")
  UseMethod("as_dptda_diagram")
}

#' @export
as_dptda_diagram.default <- function(x, ..., arg = "x") {
  stop_argument(arg, "must be a persistence diagram of TDA, ripserr, TDAstats, or phutil, or a matrix or data frame ",
                "with the columns `dimension`, `birth`, and `death`, not ", describe_data(x), ".")
}

#' @rdname as_dptda_diagram
#' @export
as_dptda_diagram.dptda_diagram <- function(x, ..., arg = "x") validate_diagram(x, arg)

#' @rdname as_dptda_diagram
#' @export
as_dptda_diagram.data.frame <- function(x, sublevel = NULL, software = NULL, parameters = list(), ..., arg = "x") {
  columns <- match(diagram_columns, tolower(names(x)))
  if (anyNA(columns)) stop_argument(arg, "must have the columns `dimension`, `birth`, and `death`.")
  # reads columns without calling methods of subclasses of data frames
  columns <- lapply(columns, function(column) .subset2(x, column))
  diagram_from_columns(columns[[1]], columns[[2]], columns[[3]], sublevel, software, parameters, arg)
}

#' @rdname as_dptda_diagram
#' @export
as_dptda_diagram.matrix <- function(x, sublevel = NULL, software = NULL, parameters = list(), ..., arg = "x") {
  if (!is.numeric(x)) stop_argument(arg, "must be a numeric matrix, not ", describe(x), ".")
  columns <- if (is.null(colnames(x)) && ncol(x) == 3) 1:3 else match(diagram_columns, tolower(colnames(x)))
  if (anyNA(columns) || length(columns) == 0) {
    stop_argument(arg, "must have the columns `dimension`, `birth`, and `death`.")
  }
  if (is.null(colnames(x))) check_order_of_columns(x, sublevel, arg)
  x <- unclass(x)
  column <- function(i) as.vector(x[, columns[i]])
  diagram_from_columns(column(1), column(2), column(3), sublevel, software, parameters, arg)
}

# Checks unnamed columns, whose order is a guess. Python packages use the order birth, death, dimension. Such a matrix
# could be read as a superlevel diagram, so a superlevel diagram must be declared.
check_order_of_columns <- function(x, sublevel, arg) {
  if (has_usual_order(x, sublevel)) return(invisible())
  stop_argument(arg, "has no column names, and its columns are not `dimension`, `birth`, and `death` of a sublevel ",
                "diagram, in this order. Name the columns. For the order of many Python packages: colnames(", arg,
                ") <- c(\"birth\", \"death\", \"dimension\").")
}

has_usual_order <- function(x, sublevel = NULL) {
  dimension <- x[, 1]
  all(dimension >= 0 & dimension == floor(dimension) & (isFALSE(sublevel) | x[, 2] <= x[, 3]), na.rm = TRUE)
}

# Matrices from TDA have the class "diagram".
#' @export
as_dptda_diagram.diagram <- function(x, software = "TDA", ...) {
  if (!is.matrix(x)) return(as_dptda_diagram.default(x, ...))
  as_dptda_diagram.matrix(x, software = software, ...)
}

#' @rdname as_dptda_diagram
#' @export
as_dptda_diagram.list <- function(x, ..., arg = "x") {
  if (is.null(x[["diagram"]])) return(as_dptda_diagram.default(x, arg = arg))
  as_dptda_diagram(x[["diagram"]], ..., arg = arg)
}

#' @rdname as_dptda_diagram
#' @export
as_dptda_diagram.persistence <- function(x, sublevel = NULL, ..., arg = "x") {
  if (!is.list(x)) return(as_dptda_diagram.default(x, arg = arg))
  pairs <- x[["pairs"]]
  is_pairs <- function(pair) is.numeric(pair) && is.matrix(pair) && ncol(pair) == 2
  if (!is.list(pairs) || !all(vapply(pairs, is_pairs, NA))) {
    stop_argument(arg, "must contain a list `pairs` of two-column matrices, as in phutil.")
  }
  rows <- vapply(pairs, nrow, 0L)
  points <- do.call(rbind, c(list(matrix(0, 0, 2)), unname(pairs)))
  metadata <- x[["metadata"]]
  software <- metadata[["engine"]]
  parameters <- metadata[["parameters"]]
  diagram_from_columns(rep(seq_along(pairs) - 1L, rows), points[, 1], points[, 2], sublevel,
                       # phutil stores "?" for unknown software
                       if (!identical(software, "?")) software, if (is.list(parameters)) parameters else list(), arg)
}

diagram_from_columns <- function(dimension, birth, death, sublevel, software, parameters, arg) {
  if (!all(vapply(list(dimension, birth, death), is_plain_numeric, NA))) {
    stop_argument(arg, "must have numeric columns only.")
  }
  if (is.null(sublevel)) sublevel <- read_direction(birth, death, arg)
  diagram <- new_diagram(check_dimensions(dimension, arg = paste0(arg, "$dimension")), as.double(birth),
                         as.double(death), check_flag(sublevel), software, parameters)
  validate_diagram(diagram, arg)
}

# Determines the direction from the order of births and deaths. Perseus and others use the death -1 for "never dies".
read_direction <- function(birth, death, arg) {
  falls <- which(death < birth)
  marked <- length(falls) > 0 && all(death[falls] == -1) && all(birth >= 0, na.rm = TRUE)
  if (marked || (length(falls) && any(death > birth, na.rm = TRUE))) {
    stop_argument(arg, "must have all deaths after their births, or all before, as in a superlevel diagram. A class ",
                  "that never dies has the death `Inf`. Replace other marks, such as -1.",
                  if (marked) " If -1 is a level, set `sublevel = FALSE`.")
  }
  length(falls) == 0
}

#' @exportS3Method phutil::as_persistence
as_persistence.dptda_diagram <- function(x, warn = TRUE, ...) {
  known <- list(engine = attr(x, "software"), parameters = attr(x, "parameters"))
  # phutil would warn about every superlevel diagram
  arguments <- utils::modifyList(known[lengths(known) > 0], list(...))
  do.call(phutil::as_persistence, c(list(strip_diagram(x), warn = warn && attr(x, "sublevel")), arguments))
}
