# Schemas made from a dictionary, or from public data.

#' Schemas from a data dictionary or from public data
#'
#' `schema_from_dictionary()` makes a schema ([table_schema()]) from a data frame that describes one column per row.
#' `schema_from_data()` reads bounds and levels from the rows themselves. It is for experiments, and its result is not
#' private.
#'
#' # Dictionaries
#' Each row has the name and the type of a column, with its bounds or its levels. Levels are a list of vectors, or
#' strings that are split at `separator`, such as `"f|m"`. A string without the separator is an error, because it
#' probably uses another separator. For a column with a single level, end the string with the separator: `"f|"`.
#'
#' @param dictionary A data frame with one row per column of the table: `column`, its name; `type`, one of `"numeric"`,
#'   `"date"`, `"categorical"`, `"ordered"`, and `"logical"`; and either `lower` and `upper` (dates as `"2024-12-31"`)
#'   or `levels`. The columns `cells`, `by`, `whole`, `other`, and `missing` are optional, and `NA` stands for the
#'   default. They have the meaning of the arguments of [table_schema()].
#' @param ... Not used. Later arguments must be named.
#' @param separator A string: the separator of levels in a string.
#' @param x A data frame, or a matrix with column names.
#' @param columns `NULL` (all), or a character vector: the names of the columns to use.
#' @param cells An integer from 1 to 10,000: the number of intervals of a column of numbers.
#'
#' @return An object of class `dptda_schema`, as from [table_schema()].
#'
#' @section Privacy:
#' A dictionary must be public. `schema_from_data()` reads bounds and levels from the rows, and whether all numbers are
#' integers. Releases that use its result are **not private**, and their guarantee states so.
#'
#' @seealso [table_schema()], [private_synthesis()]
#' @examples
#' schema_from_dictionary(data.frame(
#'   column = c("age", "sex"), type = c("numeric", "categorical"),
#'   lower = c(0, NA), upper = c(100, NA), levels = c(NA, "f|m")
#' ))
#' schema_from_data(infert, columns = c("age", "education"))
#' @order 1
#' @export
schema_from_dictionary <- function(dictionary, ..., separator = "|") {
  check_no_dots(...)
  if (missing(dictionary)) stop_missing("dictionary")
  if (!is.data.frame(dictionary)) stop_argument("dictionary", "must be a data frame, not ", describe(dictionary), ".")
  if (!is_one_string(separator) || !nzchar(separator)) {
    stop_argument("separator", "must be a string, not ", describe(separator), ".")
  }
  absent <- setdiff(c("column", "type"), names(dictionary))
  if (length(absent)) stop_argument("dictionary", "must have a column `", absent[1], "`.")
  names <- as.character(dictionary$column)
  if (!are_names(names) || length(names) > max_schema_columns) {
    stop_argument("dictionary", "must have 1 to ", max_schema_columns,
                  " rows, each with a different name in `column`.")
  }
  columns <- lapply(seq_along(names), function(i) dictionary_column(dictionary, i, separator))
  new_schema(structure(columns, names = names))
}

# Makes a column from one row of a dictionary. Missing entries have the defaults of the schema_*() functions.
dictionary_column <- function(dictionary, i, separator) {
  entry <- function(name) {
    value <- if (name %in% names(dictionary)) dictionary[[name]][[i]]
    if (is.factor(value)) value <- as.character(value)
    if (length(value) && !all(is.na(value))) value
  }
  type <- entry("type")
  if (!is_one_string(type) || !type %in% c(schema_types, "date")) {
    stop_argument("dictionary", "must have one of ", paste0("\"", c(schema_types, "date"), "\"", collapse = ", "),
                  " in the column `type`, not ", describe(type), " (row ", i, ").")
  }
  wanted <- switch(type, numeric = c("lower", "upper", "cells", "whole", "missing"), logical = "missing",
                   date = c("lower", "upper", "by", "cells", "missing"), c("levels", "other", "missing"))
  arguments <- Filter(Negate(is.null), structure(lapply(wanted, entry), names = wanted))
  make <- list(numeric = schema_numeric, date = schema_date, categorical = schema_categorical, logical = schema_logical,
               ordered = function(...) schema_categorical(..., ordered = TRUE))
  tryCatch({
    if (!is.null(arguments$levels)) {
      arguments$levels <- dictionary_levels(arguments$levels, is.list(dictionary$levels), separator)
    }
    if (type == "date") {
      ends <- intersect(c("lower", "upper"), names(arguments))
      arguments[ends] <- Map(dictionary_date, arguments[ends], ends)
      # the column may hold strings
      if (is.character(arguments$by) && grepl("^[0-9]+$", arguments$by)) arguments$by <- as.double(arguments$by)
    }
    if (type == "numeric" && "lower" %in% names(arguments)) {
      ends <- intersect(c("lower", "upper"), names(arguments))
      # in a column with dates, numbers are strings
      arguments[ends] <- lapply(arguments[ends], function(x) if (is.character(x)) as_plain_number(x) else x)
    }
    do.call(make[[type]], arguments)
  }, dptda_error_argument = function(parent) {
    stop_dptda("argument", "`dictionary` is wrong in row ", i, ": ", conditionMessage(parent), parent = parent)
  })
}

# Converts a date that may be a string.
dictionary_date <- function(x, arg) {
  if (!is.character(x)) return(x)
  date <- value_or(as.Date(x, format = "%Y-%m-%d"), NA)
  if (is.na(date)) stop_argument(arg, "must be a date such as \"2020-12-31\", not ", describe(x), ".")
  date
}

# Splits a string. Without the separator, it more likely has another separator than a single level, which would put
# all rows into the cell `other`. `listed`: an entry of a list may be a vector of one level, unless it is a string.
dictionary_levels <- function(levels, listed, separator) {
  if (length(levels) > 1 || (listed && !is.character(levels))) return(levels)
  text <- as.character(levels)
  if (!grepl(separator, text, fixed = TRUE)) {
    stop_argument("levels", "has no separator, ", encodeString(separator, quote = "\""), ", and would be a single ",
                  "level, ", describe(levels), ". Set `separator` to the string between levels. If a single level is ",
                  "meant, end the string with the separator.")
  }
  strsplit(text, separator, fixed = TRUE)[[1]]
}

#' @rdname schema_from_dictionary
#' @export
schema_from_data <- function(x, ..., columns = NULL, cells = 20) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  x <- dense_matrix(x, "x")
  if (is.matrix(x) && !is.null(colnames(x))) x <- as.data.frame(x)
  if (!is.data.frame(x)) {
    stop_argument("x", "must be a data frame, or a matrix with column names, not ", describe_data(x), ".")
  }
  rows <- frame_rows(x, columns, "x")
  cells <- check_count(cells, 1, max_schema_cells)
  made <- Map(function(values, type, name) column_from_data(values, type, paste0("x$", name), cells), rows$data,
              rows$types,
              rows$columns)
  made <- lapply(made, function(column) {
    column$origin <- "data"
    column
  })
  new_schema(structure(made, names = rows$columns))
}

column_from_data <- function(x, type, arg, cells) {
  policy <- if (anyNA(x)) "level" else "refuse"
  if (type == "logical") return(schema_logical(missing = policy))
  if (type == "text") {
    found <- unique(as.character(x[!is.na(x)]))
    levels <- if (is.factor(x)) levels(x)[levels(x) %in% found] else sort(canonical_strings(found), method = "radix")
    levels <- check_schema_levels(if (length(levels)) levels else "none", arg)
    return(levels_from_data(if (is.ordered(x)) "ordered" else "categorical", levels, policy))
  }
  class <- value_class(x)
  if (is.null(class)) check_type(type, "number", arg)
  class <- plain_duration(class)
  x <- class_numbers(x, class)
  finite <- x[is.finite(x)]
  ends <- if (length(finite)) range(finite) else c(0, 0)
  whole <- length(finite) > 0 && are_whole(finite)
  if (class == "Date" || is_time(class) || is_time_of_day(class) && whole) {
    return(dates_from_data(ends, cells, policy, class))
  }
  if (class == "number" && whole) return(wholes_from_data(ends, cells, policy))
  if (ends[1] == ends[2]) {
    largest <- .Machine$double.xmax
    ends <- pmax(pmin(ends[1] + c(-0.5, 0.5) * max(1, abs(ends[1])), largest), -largest)
  }
  if (!is.finite(ends[2] - ends[1])) {
    stop_argument(arg, "has numbers whose difference exceeds the largest double.")
  }
  numeric_column(ends[1], ends[2], cells, NULL, FALSE, policy, class)
}

# Counts other values in the first level with a name, and missing values in a level "missing" if there is one.
levels_from_data <- function(type, levels, policy) {
  names <- level_names(levels)
  if (policy == "level" && "missing" %in% names) return(level_column(type, levels, "missing", "other"))
  level_column(type, levels, c(names[nzchar(names)], "other")[1], policy)
}

# Checks for integers between which halves are representable.
are_whole <- function(x) all(x == round(x) & abs(x) < 2^51)

# Gives each integer its own cell if there are enough cells.
wholes_from_data <- function(ends, cells, policy) {
  cells <- min(cells, ends[2] - ends[1] + 1)
  breaks <- round(seq(ends[1], ends[2] + 1, length.out = cells + 1)) - 0.5
  numeric_column(breaks[1], breaks[cells + 1], 1, breaks[-c(1, cells + 1)], TRUE, policy)
}

# Whole days or seconds, also for times of day in whole seconds, with at least one in each cell.
dates_from_data <- function(ends, cells, policy, class) {
  ends <- c(floor(ends[1]), max(ceiling(ends[2]), floor(ends[1]) + 1))
  equal_dates(ends[1], ends[2], cells, policy, class)
}
