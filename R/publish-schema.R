# Public properties of the columns of a table to publish, which map a row to a tuple of codes.
#
# A schema is a list of named `columns` and of `origin`: "declared", or "data" if a column was read from the rows that
# it describes. Each column is a list of `type`, `size` (number of codes), `names` (of the cells, one for each code),
# `axis` (the map from a value to a code, base-axis.R), and `missing` (the code of missing values from 0, or NA if
# they are refused). Columns of numbers also have `breaks` and `whole`.

#' Public schema of a table: types, bounds, and levels
#'
#' Declares the public facts about the columns of a table: types, bounds, and levels. The schema maps every row to a
#' tuple of integer codes, one per column, and releases about the table are computed from these codes.
#'
#' # Codes of values
#' The map covers every value. A number beyond the bounds counts in the first or last cell. A value that is not one of
#' the levels counts in the cell `other`. Both happen silently, because a message would reveal something about a row.
#' The argument `missing` decides about missing values: they are refused before any budget is spent, have a cell of
#' their own, or count as `other`.
#'
#' For example, `schema_numeric(0, 100, cells = 20)` has 20 cells with a width of 5. The value 37 counts in the cell
#' from 35 to 40, and 250 in the cell from 95 to 100.
#'
#' # Accepted columns
#' Columns may hold numbers, strings, logical values, factors, dates, or times. For a factor, only its labels are used.
#' Its list of levels is ignored, because it may come from the data. Logical values and 64-bit integers are accepted
#' instead of numbers. Other classes are refused, since the encoding of one row may depend on other rows. Convert each
#' row to a number, a date, or a string by itself. Levels that are numbers are compared as in [private_table()].
#'
#' Rows that are drawn from a model return dates and times for `schema_date()`: whole days or seconds, with each one in
#' an interval equally likely.
#'
#' # Short forms
#' In `table_schema()`, a character vector, or a vector of at least three numbers, stands for `schema_categorical()`,
#' and `c(FALSE, TRUE)` stands for `schema_logical()`. Two numbers are refused, because they could be either bounds or
#' levels.
#'
#' @param ... For `table_schema()`, at most 256 arguments, each named after its column: a result of `schema_numeric()`,
#'   `schema_date()`, `schema_categorical()`, or `schema_logical()`, or a vector of levels. For the other functions, not
#'   used: later arguments must be named.
#' @param lower,upper The public bounds: two finite numbers or durations (`difftime`), two dates (`Date` or
#'   `"2020-01-01"`), or two times (`POSIXct`). `lower` may also be the pair `c(lower, upper)`, or a box with one side,
#'   such as [private_bounds()] releases. With dates or times, `schema_numeric()` is the same as `schema_date()`.
#' @param cells An integer from 1 to 10,000: the number of intervals of equal width between the bounds. For dates, use
#'   it instead of `by`; intervals then consist of whole days (for times, of whole seconds).
#' @param breaks `NULL`, or an increasing numeric vector between the bounds: the inner limits of the intervals, instead
#'   of `cells`. Intervals are closed on the left.
#' @param whole `TRUE` or `FALSE`: whether the numbers are integers, so that only integers are drawn. Each interval
#'   must contain an integer.
#' @param missing `"refuse"` or `FALSE`: a missing value is an error. `"level"` or `TRUE`: missing values have a cell
#'   of their own, named `"missing"`. `"other"` (for columns with levels): they count in the cell `other`.
#' @param by For dates, the length of the intervals: `"week"`, `"month"`, `"quarter"`, or `"year"`, also with a number
#'   (`"2 weeks"`), an integer number of days, or a `difftime`. For times, also `"hour"` and other units of
#'   [seq.POSIXt()]; a number counts seconds.
#' @param levels A plain vector or a factor of at most 10,000 different values, none of them missing: the levels (if
#'   `ordered`, in their order).
#' @param ordered `TRUE` or `FALSE`: whether the levels have an order.
#' @param other A string: the name of the cell for all other values. It is one of the levels, or an additional cell
#'   after them.
#' @param x,object An object of class `dptda_schema`.
#'
#' @return `table_schema()`: an object of class `dptda_schema`. Its methods `summary()` and `as.data.frame()` return a
#'   data frame with one row per column: `column`, `type`, `size` (the number of cells, including those for other and
#'   missing values), and `missing`. `schema_numeric()`, `schema_date()`, `schema_categorical()`, and
#'   `schema_logical()`: an object of class `dptda_schema_column`.
#'
#' @section Privacy:
#' A schema is public. Write it without seeing the rows: from a questionnaire, a data dictionary, or another table. A
#' schema from [schema_from_data()] is **not private**.
#'
#' @seealso [private_synthesis()], [schema_from_dictionary()]
#' @examples
#' schema <- table_schema(
#'   age = schema_numeric(0, 100, cells = 20, whole = TRUE),
#'   sex = schema_categorical(c("f", "m"), other = "f"),
#'   grade = schema_categorical(c("low", "mid", "high"), ordered = TRUE,
#'     missing = "level"),
#'   member = schema_logical(),
#'   joined = schema_date(as.Date("2020-01-01"), as.Date("2025-01-01"),
#'     by = "quarter")
#' )
#' schema
#' @order 1
#' @export
table_schema <- function(...) {
  given <- list(...)
  if (length(given) == 0) stop_argument("...", "must have at least one column.")
  if (length(given) > max_schema_columns) stop_argument("...", "must have at most ", max_schema_columns, " columns.")
  if (!are_names(names(given)) || length(names(given)) != length(given)) {
    stop_argument("...", "must have a different name for each column, as in table_schema(age = ",
                  "schema_numeric(0, 100)).")
  }
  new_schema(Map(as_schema_column, given, names(given)))
}

max_schema_columns <- 256

as_schema_column <- function(x, name) {
  if (inherits(x, "dptda_schema_column")) return(check_valid(x, "dptda_schema_column", name))
  if (is.logical(x) && is_cell_vector(x) && identical(sort(as.vector(x), na.last = TRUE), c(FALSE, TRUE))) {
    return(schema_logical())
  }
  levels <- is_cell_vector(x) && (is.character(x) && length(x) > 0 || is_plain_numeric(x) && length(x) > 2)
  if (!levels) {
    stop_argument(name, "must be a vector of levels, or a result of schema_numeric(), schema_date(), ",
                  "schema_categorical(), or schema_logical(), not ", describe(x), ".", column_hint(x))
  }
  level_column("categorical", check_schema_levels(x, name), "other", "refuse")
}

# Suggests what may be meant. Two numbers may be bounds or levels, and a factor may stand for all possible levels or
# for those that occur.
column_hint <- function(x) {
  if (is.factor(x)) return(" If its levels are public, use levels().")
  if (is.logical(x)) return(" For logical values, use schema_logical().")
  if (!is_plain_numeric(x)) return("")
  bounds <- length(x) == 2 && all(is.finite(x)) && is.null(dim(x)) && x[1] < x[2]
  few <- all(is.finite(x)) && is.null(dim(x)) && length(x) %in% 1:12 && !anyDuplicated(x)
  named <- if (few) level_names(x) # the names of the cells
  levels <- if (few) paste0("c(", paste0("\"", named, "\"", collapse = ", "), ")") else "as.character()"
  paste0(" For numbers between bounds, use schema_numeric(",
         if (bounds) paste(named, collapse = ", ") else "lower, upper", "). For levels, use ", levels, ".")
}

#' @rdname table_schema
#' @inheritParams private_value
#' @export
as.data.frame.dptda_schema <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_valid(x, "dptda_schema")
  columns <- unname(x$columns)
  policy <- vapply(columns, function(column) {
    if (is.na(column$missing)) "refuse" else if (has_missing_cell(column)) "level" else "other"
  }, "")
  as.data.frame(data.frame(column = names(x$columns), type = vapply(columns, shown_type, ""),
                           size = vapply(columns, function(column) as.double(column$size), 0), missing = policy),
                row.names = row.names, optional = optional)
}

#' @rdname table_schema
#' @export
summary.dptda_schema <- function(object, ...) {
  check_no_dots(...)
  as.data.frame(object)
}

#' @rdname table_schema
#' @export
print.dptda_schema <- function(x, ...) {
  check_valid(x, "dptda_schema")
  sizes <- schema_sizes(x)
  cat("<schema> ", count_of(length(x$columns), "column"), ", ", format(prod(sizes), digits = 3), " cells in all",
      if (x$origin == "data") " -- READ FROM THE DATA: NOT PRIVATE", "\n", sep = "")
  shown <- utils::head(seq_along(sizes), 20)
  cells <- vapply(x$columns[shown], function(column) {
    few <- utils::head(column$names, 4)
    paste0(paste(encodeString(few), collapse = ", "), if (column$size > 4) ", ...")
  }, "")
  print(data.frame(column = names(x$columns)[shown], type = vapply(x$columns[shown], shown_type, ""),
                   size = unname(sizes)[shown],
                   cells = substr(cells, 1, 60)), row.names = FALSE, right = FALSE)
  if (length(sizes) > 20) cat("... and", length(sizes) - 20, "more\n")
  invisible(x)
}

#' @export
print.dptda_schema_column <- function(x, ...) {
  check_valid(x, "dptda_schema_column")
  cat("<column of a schema> ", shown_type(x), ", ", count_of(x$size, "cell"), if (x$origin == "data")
      " -- READ FROM THE DATA: NOT PRIVATE",
      "\n", sep = "")
  invisible(x)
}

check_schema <- function(schema, arg = "schema") {
  if (missing(schema)) stop_missing(arg, "make one with table_schema(), from public bounds and levels of the columns")
  # accepts a plain list of columns, like lists of levels and of breaks
  if (is.list(schema) && !is.object(schema) && length(schema)) return(do.call(table_schema, schema))
  check_class(schema, "dptda_schema", "table_schema()", arg)
}
