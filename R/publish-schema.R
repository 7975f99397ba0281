# What is public about the columns of a table that is to be published, and how a row becomes a tuple of codes by it.
#
# A schema is a list of `columns`, named, and `origin`: "declared", or "data" where one of them was read from the rows
# it is meant for. Each column is a list of `type`, `size` (how many codes), `names` (of the cells, one for each code),
# `axis` (the map from a value to a code, base-axis.R), `missing` (the code of missing values from 0, or NA where they
# are refused) and `breaks` of numbers, `whole`.

#' Public schema of a table: types, bounds and levels
#'
#' Declares the schema of a table, what is public about its columns: their types, bounds and levels. By it every row
#' becomes a tuple of codes, one for each column, and what is released of a table is released of these codes.
#'
#' The map is total. A number beyond the bounds counts in the first or last cell, a value that is none of the levels in
#' the cell `other`, each silently: a message would say something about a row. A missing value is refused before
#' anything is released or spent, or has a cell of its own, or counts as `other`, as `missing` says.
#'
#' Numbers, strings, logical values, factors, dates and times are taken. Of a factor the labels count, not its levels,
#' which may come from the data. Rows that are drawn by a schema have dates and times where it has `schema_date()`:
#' whole days and seconds, each of an interval equally likely. Logical values and 64-bit integers may stand where
#' numbers do. Other classes are refused, since how one row is written may depend on the others; turn each row into a
#' number, a date or a string by itself.
#'
#' A character vector in `table_schema()`, or three numbers or more, are the same as `schema_categorical()` of them, and
#' `c(FALSE, TRUE)` as `schema_logical()`. Two numbers are refused there, since they may be bounds as well as levels.
#'
#' Levels that are numbers are compared as in [private_table()]. In a dictionary a string of levels without the
#' separator is an error; for a column with one level alone it ends with the separator.
#'
#' @param ... For `table_schema()`, at most 256 arguments, one for each column and named by it, in their order: what
#'   `schema_numeric()`, `schema_date()`, `schema_categorical()` or `schema_logical()` make, or a vector of levels. Else
#'   must be empty: what follows is given by name.
#' @param lower,upper Two finite numbers or durations (`difftime`), or two dates (`Date`, or `"2020-01-01"`) or times
#'   (`POSIXct`), of which `schema_numeric()` is `schema_date()`: the bounds, public. Or both as `lower`: a pair
#'   `c(lower, upper)`, or a box of one side, as [private_bounds()] releases it.
#' @param by Of dates, how long the intervals between the bounds are: `"week"`, `"month"`, `"quarter"` or `"year"`, also
#'   with a number before it (`"2 weeks"`), of times also `"hour"` and the like, as in [seq.Date()] and [seq.POSIXt()];
#'   or a whole number of days, of times of seconds; or a `difftime`.
#' @param cells One whole number from 1 to 10,000: how many intervals of one width there are between the bounds; of
#'   dates instead of `by`, and of whole days, of times of whole seconds.
#' @param breaks `NULL`, or an increasing numeric vector of numbers between the bounds: the intervals are between them
#'   and the bounds, instead of `cells` ones of one width. Closed on the left.
#' @param whole `TRUE` or `FALSE`: whether the numbers are whole, so that whole ones are drawn from an interval. Each
#'   interval must have one.
#' @param levels A plain vector or a factor of different values without missing ones, at most 10,000 of them: the
#'   levels, where `ordered` in their order. In a dictionary a list of such vectors, or strings of levels between which
#'   there is `separator`.
#' @param ordered `TRUE` or `FALSE`: whether the levels have an order.
#' @param other A string: the name of the cell for every other value; one of the levels, or a cell of its own, behind
#'   them.
#' @param missing `"refuse"` or `FALSE`: a missing value is an error. `"level"` or `TRUE`: it has a cell of its own,
#'   named `"missing"`.
#'   `"other"`: it counts in the cell `other` (of columns with levels).
#' @param dictionary A data frame with one row for each column: `column`, its name; `type`, one of `"numeric"`,
#'   `"date"`, `"categorical"`, `"ordered"` and `"logical"`; `lower` and `upper` (dates as `"2024-12-31"`) or
#'   `levels`. `cells`, `by`, `whole`, `other` and `missing` may be there; an `NA` in them is the default.
#' @param separator A string: what is between the levels in a string of a dictionary.
#' @param x A data frame, or a matrix with names of columns; for methods an object of class `dptda_schema`.
#' @param columns `NULL` or a character vector: the names of the columns that are taken.
#' @param object An object of class `dptda_schema`.
#'
#' @return `table_schema()`, `schema_from_dictionary()` and `schema_from_data()`: an object of class `dptda_schema`.
#'   `summary()` and `as.data.frame()` give a data frame with a row for each column: `column`, `type`, `size` (how many
#'   cells, with those for other and for missing values) and `missing`. The others: an object of class
#'   `dptda_schema_column`.
#'
#' @section Privacy:
#' A schema is public: it must be known without seeing the rows, as from a questionnaire, a data dictionary or
#' another table. `schema_from_data()` reads bounds and levels from the rows, and whether numbers are all whole. What is
#' released by its result is **not private**, and its guarantee says so; it is for trying things out.
#'
#' @seealso [private_synthesis()]
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
#'
#' schema_from_dictionary(data.frame(
#'   column = c("age", "sex"), type = c("numeric", "categorical"),
#'   lower = c(0, NA), upper = c(100, NA), levels = c(NA, "f|m")
#' ))
#' @order 1
#' @export
table_schema <- function(...) {
  given <- list(...)
  if (length(given) == 0) stop_argument("...", "must have at least one column.")
  if (length(given) > max_schema_columns) stop_argument("...", "must be at most ", max_schema_columns, " columns.")
  if (!are_names(names(given)) || length(names(given)) != length(given)) {
    stop_argument("...", "must have a name for each column, all of them different, as in table_schema(age = ",
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
    stop_argument(name, "must be a vector of levels, or made by schema_numeric(), ",
                  "schema_date(), schema_categorical() or schema_logical(), not ", describe(x), column_hint(x), ".")
  }
  level_column("categorical", check_schema_levels(x, name), "other", "refuse")
}

# What else may have been meant. Two numbers are bounds to one reader and levels to another, and of a factor the levels
# that may occur or those that do.
column_hint <- function(x) {
  if (is.factor(x)) return("; levels() gives all that it may have, where they are public")
  if (is.logical(x)) return("; schema_logical() is for logical values")
  if (!is_plain_numeric(x)) return("")
  bounds <- length(x) == 2 && all(is.finite(x)) && is.null(dim(x)) && x[1] < x[2]
  few <- all(is.finite(x)) && is.null(dim(x)) && length(x) %in% 1:12 && !anyDuplicated(x)
  named <- if (few) level_names(x) # which the cells would be called
  levels <- if (few) paste0("c(", paste0("\"", named, "\"", collapse = ", "), ")") else "as.character() of them"
  paste0("; numbers between bounds are schema_numeric(", if (bounds) paste(named, collapse = ", ") else "lower, upper",
         "), and levels are ", levels)
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
  cat("<schema> ", count_of(length(x$columns), "column"), ", ", format(prod(sizes), digits = 3), " cells altogether",
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
  if (missing(schema)) stop_missing(arg, "table_schema() makes one, of public bounds and levels of the columns")
  # what the columns are in a list, as those of levels and breaks
  if (is.list(schema) && !is.object(schema) && length(schema)) return(do.call(table_schema, schema))
  check_class(schema, "dptda_schema", "table_schema()", arg)
}
