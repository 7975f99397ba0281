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
#' @export
table_schema <- function(...) {
  given <- list(...)
  if (length(given) == 0) stop_argument("...", "must have at least one column.")
  if (length(given) > max_row_columns) stop_argument("...", "must be at most ", max_row_columns, " columns.")
  if (!are_names(names(given)) || length(names(given)) != length(given)) {
    stop_argument("...", "must have a name for each column, all of them different, as in table_schema(age = ",
                  "schema_numeric(0, 100)).")
  }
  new_schema(Map(as_schema_column, given, names(given)))
}

new_schema <- function(columns) structure(list(columns = columns, origin = columns_origin(columns)),
                                          class = "dptda_schema")

# A column keeps to itself where it came from: it may be put into another schema.
columns_origin <- function(columns) {
  if (any(vapply(columns, function(column) column$origin == "data", NA))) "data" else "declared"
}

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

new_schema_column <- function(type, axis, names, missing, other = NULL, ...) {
  absent <- switch(missing, refuse = NA_real_, level = length(names), other = match(other, names) - 1)
  if (missing == "level") names <- c(names, "missing")
  structure(list(type = type, size = length(names), names = names, axis = axis, missing = absent,
                 origin = "declared", ...),
            class = "dptda_schema_column")
}

# A map that has a code for every value: one that was changed by hand might fail for some rows, and by then they would
# be charged.
is_axis <- function(axis) {
  if (!is.list(axis) || !is.null(axis$inner) || !is_one_number(axis$size) || !axis$size %in%
      seq_len(max_schema_cells + 1)) return(FALSE)
  if (!is.null(axis$levels)) return(is_level_axis(axis))
  if (is.null(axis$origin)) {
    return(length(axis$cuts) == axis$size - 1 && are_rising(axis$cuts) &&
           (is.null(axis$logical) || axis$size == 2))
  }
  ends <- c(axis$origin, axis$first, axis$last)
  # below `last` SQL does not look for the last cell
  is_plain_numeric(ends) && length(ends) == 3 && all(is.finite(ends)) && !is.unsorted(ends) &&
    is_one_number(axis$per) && axis$per > 0 && (axis$last - axis$origin) * axis$per < axis$size
}

is_level_axis <- function(axis) {
  if (!is_cell_vector(axis$levels) || !is_one_string(axis$other)) return(FALSE)
  names <- as.character(level_names(axis$levels))
  !anyNA(names) && !anyDuplicated(names) && identical(axis$names, union(names, axis$other)) && length(axis$names) ==
    axis$size
}

are_rising <- function(x) is_plain_numeric(x) && all(is.finite(x)) && !is.unsorted(x, strictly = TRUE)

define_class("dptda_schema_column", "schema_numeric() and the like",
             type = function(x) is_one_string(x) && x %in% schema_types, axis = is_axis,
             holds = is_null_or(is_class_name),
             names = function(x) is.character(x) && !anyNA(x),
             missing = function(x) is.numeric(x) && length(x) == 1, origin = function(x) is_one_string(x) && x %in%
               schema_origins,
             .valid = function(x) {
               # missing values have a cell of their own behind all others, or one of these, or none
               own <- x$size == x$axis$size + 1 && x$missing %in% x$axis$size
               identical(x$size, length(x$names)) &&
                 (own || x$size == x$axis$size && x$missing %in% c(NA, seq_len(x$size) - 1)) &&
                 (x$type %in% c("categorical", "ordered")) == !is.null(x$axis$levels) && (x$type == "logical") ==
                   !is.null(x$axis$logical) &&
                 (x$type != "numeric" ||
                  length(x$breaks) == x$axis$size + 1 && are_rising(x$breaks) && is_one_flag(x$whole))
             })
define_class("dptda_schema", "table_schema()", origin = function(x) is_one_string(x) && x %in% schema_origins,
             columns = function(x) {
               is.list(x) && length(x) > 0 && are_names(names(x)) && all(vapply(x, is_made("dptda_schema_column"), NA))
             },
             .valid = function(x) identical(x$origin, columns_origin(x$columns)))

schema_origins <- c("declared", "data")
schema_types <- c("numeric", "categorical", "ordered", "logical")

# What a column is called: dates are numbers in all but their names and what they come back as.
shown_type <- function(column) {
  if (is.null(column$holds)) return(column$type)
  if (column$holds == "Date") "date" else if (is_time(column$holds)) "time" else "duration"
}
max_schema_cells <- 1e4

#' @rdname table_schema
#' @export
schema_numeric <- function(lower, upper, cells = 20, ..., breaks = NULL, whole = FALSE,
                           missing = c("refuse", "level")) {
  check_no_dots(...)
  if (base::missing(lower)) stop_missing("lower") # `missing` is what the user gave
  if (inherits(lower, c("dptda_box", "dptda_no_box"))) lower <- box_pair(lower)
  if (are_dates(lower)) {
    if (!is.null(breaks)) {
      stop_argument("breaks", "must be left out where `lower` is a date; schema_date() says what intervals there are.")
    }
    return(schema_date(lower, upper, cells = if (!base::missing(cells)) cells, missing = missing))
  }
  if (is_pair(lower)) {
    if (!base::missing(upper)) stop_argument("upper", "must be left out where `lower` is a pair, c(lower, upper).")
    upper <- lower[2]
    lower <- lower[1]
  }
  class <- value_class(lower)
  if (is.object(lower) && !is.null(class)) {
    number <- function(x) if (identical(value_type(x), value_type(lower))) class_numbers(x, class) else x
    if (!base::missing(upper)) upper <- number(upper)
    breaks <- number(breaks)
    lower <- number(lower)
  }
  lower <- check_number(lower)
  upper <- check_number(upper, lower, open_lower = TRUE)
  if (!is.finite(upper - lower)) stop_argument("upper", "must be so near to `lower` that their difference is finite.")
  cells <- check_count(cells, 1, max_schema_cells)
  whole <- check_flag(whole)
  missing <- check_missing_policy(missing)
  numeric_column(lower, upper, cells, breaks, whole, missing, class)
}

# The ends of a box of one side, as what they are.
box_pair <- function(box, arg = "lower") {
  box <- check_box(box, arg)
  in_classes(one_side(box, arg), box$classes)
}

# `class`: what the numbers mean, NULL where they are numbers.
numeric_column <- function(lower, upper, cells, breaks, whole, missing, class = NULL) {
  if (is.null(breaks)) {
    ends <- c(lower + (upper - lower) / cells * seq.int(0, cells - 1), upper)
    if (is.unsorted(ends, strictly = TRUE)) {
      stop_argument("cells", "must be fewer between bounds that are so near to each other.")
    }
    # whole numbers are drawn between the ends, and so are counted between them to the last digit
    axis <- if (whole) axis_intervals(ends) else axis_cells(lower, upper, cells)
  } else {
    ends <- c(lower, check_inner_breaks(breaks, lower, upper), upper)
    axis <- axis_intervals(ends)
  }
  if (whole && any(cell_wholes(ends)$count < 1)) {
    stop_argument("whole", "needs a whole number in each of the intervals.")
  }
  shown <- if (is.null(class)) interval_names(ends) else interval_names(ends, class)
  column <- new_schema_column("numeric", axis, shown, missing, breaks = ends, whole = whole)
  if (!is.null(class) && class != "number") column$holds <- class
  column
}

#' @rdname table_schema
#' @export
schema_date <- function(lower, upper, by = "month", ..., cells = NULL, missing = c("refuse", "level")) {
  check_no_dots(...)
  if (base::missing(lower)) stop_missing("lower", "the first date, as \"2020-01-01\"") # as above
  if (inherits(lower, c("dptda_box", "dptda_no_box"))) lower <- box_pair(lower)
  if (length(lower) == 2) {
    if (!base::missing(upper)) stop_argument("upper", "must be left out where `lower` is a pair, c(lower, upper).")
    upper <- lower[2]
    lower <- lower[1]
  }
  lower <- as_date(lower)
  if (!base::missing(upper)) upper <- as_date(upper)
  class <- value_class(lower)
  if (is.null(class) || !class == "Date" && !is_time(class)) {
    stop_argument("lower",
                  "must be a date, as \"2020-01-01\", or a time, as.POSIXct(\"2020-01-01\", tz = \"UTC\"), ",
                  "not ", describe(lower), ".")
  }
  if (base::missing(upper)) stop_missing("upper", "the last date")
  if (is.null(value_class(upper)) || !same_class(value_class(upper), class)) {
    stop_argument("upper", "must be of the class of `lower`, \"", sub(" .*", "", class), "\", not ",
                  describe(upper), ".")
  }
  first <- check_number(class_numbers(lower), arg = "lower")
  last <- check_number(class_numbers(upper), first, arg = "upper", open_lower = TRUE)
  if (!is.null(cells)) {
    if (!base::missing(by)) stop_argument("cells", "must be left out where `by` is given.")
    return(equal_dates(first, last, check_date_cells(cells, first, last, class), check_missing_policy(missing), class))
  }
  inner <- date_steps(first, last, by, class)
  numeric_column(first, last, 1, if (length(inner)) inner, TRUE, check_missing_policy(missing), class)
}

check_date_cells <- function(cells, first, last, class) {
  cells <- check_count(cells, 1, max_schema_cells)
  most <- max(1, floor(last - first))
  if (cells > most) {
    stop_argument("cells", "must be at most ", format_count(most), ", the ", if (class == "Date") "days" else "seconds",
                  " between the bounds.")
  }
  cells
}

# Intervals of whole days or seconds, one longer than another by at most one of them.
equal_dates <- function(first, last, cells, missing, class) {
  steps <- unique(round(seq(first, last, length.out = cells + 1)))
  inner <- steps[steps > first & steps < last]
  numeric_column(first, last, 1, if (length(inner)) inner, TRUE, missing, class)
}

check_missing_policy <- function(missing, other = NULL) {
  if (is_one_flag(missing)) return(if (missing) "level" else "refuse")
  check_choice(missing, c("refuse", "level", other))
}

# Dates or times, or text that schema_date() takes for one.
are_dates <- function(x) {
  class <- value_class(if (is.character(x)) as_date(x[1]) else x)
  !is.null(class) && (class == "Date" || is_time(class))
}

# The date that text of the form "2020-01-01" names; the calendar's other ways of writing one are not guessed.
as_date <- function(x) {
  if (!is_one_string(x) || !grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", x)) return(x)
  date <- as.Date(x, format = "%Y-%m-%d")
  if (is.na(date)) x else date
}

# The dates between two by steps, as seq() has them; by months, quarters and years of the calendar, in the time zone.
date_steps <- function(first, last, by, class) {
  if (inherits(by, "difftime") && !is.null(value_class(by))) {
    by <- class_numbers(by, if (class == "Date") "difftime days" else "difftime secs")
  }
  good <- if (is.character(by)) are_calendar_words(by) && (class != "Date" || !grepl("sec|min|hour|DST", by)) else
    is_one_number(by) && is.finite(by) && by >= 1 && by == floor(by)
  # no step is shorter, so that there are not too many before they are made
  least <- if (is.character(by)) 1 else by
  if (!isTRUE(good)) {
    stop_argument("by", "must be one of \"week\", \"month\", \"quarter\" and \"year\", or a number before it as in ",
                  "\"2 weeks\", or a whole number of ", if (class == "Date") "days" else "seconds", ", not ",
                  describe(by), ".")
  }
  if (is.character(by)) {
    seconds <- c(sec = 1, min = 60, hour = 3600, day = 86400, DSTday = 82800, week = 604800, month = 28 * 86400,
                 quarter = 89 * 86400, year = 365 * 86400)
    count <- suppressWarnings(as.double(sub(" .*", "", by)))
    unit <- seconds[[sub("s$", "", sub("^[0-9]+ ", "", by))]] * (if (is.na(count)) 1 else count)
    least <- if (class == "Date") unit / 86400 else unit
  }
  if (!isTRUE(least > 0) || (last - first) / least > max_schema_cells + 1) {
    stop_argument("by", "must be longer: at most ", format_count(max_schema_cells), " steps are possible.")
  }
  steps <- class_numbers(seq(in_class(first, class), in_class(last, class), by = by))
  steps <- steps[steps > first & steps < last]
  if (is.unsorted(steps, strictly = TRUE)) stop_argument("by", "must give dates that increase from `lower`.")
  if (length(steps) >= max_schema_cells) {
    stop_argument("by", "must be longer: at most ", format_count(max_schema_cells), " steps are possible.")
  }
  steps
}

check_inner_breaks <- function(breaks, lower, upper, arg = "breaks") {
  good <- is_plain_numeric(breaks) && is.null(dim(breaks)) && length(breaks) < max_schema_cells &&
    all(is.finite(breaks)) &&
    !is.unsorted(c(lower, breaks, upper), strictly = TRUE)
  if (!good) stop_argument(arg, "must be increasing numbers between `lower` and `upper`.")
  as.double(breaks)
}

# The whole numbers of each interval: the first, and how many.
cell_wholes <- function(ends) {
  size <- length(ends) - 1
  first <- ceiling(ends[-(size + 1)])
  list(first = first, count = c(ceiling(ends[-c(1, size + 1)]) - 1, floor(ends[size + 1])) - first + 1)
}

#' @rdname table_schema
#' @export
schema_categorical <- function(levels, ..., ordered = FALSE, other = "other", missing = c("refuse", "level", "other")) {
  check_no_dots(...)
  if (base::missing(levels)) stop_missing("levels") # `missing` is what the user gave
  levels <- check_schema_levels(levels)
  type <- if (check_flag(ordered)) "ordered" else "categorical"
  level_column(type, levels, other, check_missing_policy(missing, "other"))
}

#' @rdname table_schema
#' @export
schema_logical <- function(..., missing = c("refuse", "level")) {
  check_no_dots(...)
  new_schema_column("logical", axis_logical(), c("FALSE", "TRUE"), check_missing_policy(missing))
}

check_schema_levels <- function(levels, arg = deparse1(substitute(levels))) {
  force(arg)
  levels <- check_cell_levels(levels, arg)
  if (is.object(levels)) stop_argument(arg, "must not be of class \"", class(levels)[1],
                                       "\"; schema_date() is for dates.")
  if (length(levels) > max_schema_cells) {
    stop_argument(arg, "must have at most ", format_count(max_schema_cells), " levels.")
  }
  levels
}

level_column <- function(type, levels, other, missing) {
  if (!is_one_string(other) || !nzchar(other)) stop_argument("other", "must be a string, not ", describe(other), ".")
  axis <- axis_levels(levels, other)
  if (missing == "level" && "missing" %in% axis$names) {
    stop_argument("levels", "must not have one that is named \"missing\" where `missing` is \"level\".")
  }
  new_schema_column(type, axis, axis$names, missing, other)
}

#' @rdname table_schema
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
  if (!are_names(names) || length(names) > max_row_columns) {
    stop_argument("dictionary", "must have 1 to ", max_row_columns, " rows, and in `column` a different name in each.")
  }
  columns <- lapply(seq_along(names), function(i) dictionary_column(dictionary, i, separator))
  new_schema(structure(columns, names = names))
}

# One row of a dictionary; what is missing in it has the default of the functions above.
dictionary_column <- function(dictionary, i, separator) {
  entry <- function(name) {
    value <- if (name %in% names(dictionary)) dictionary[[name]][[i]]
    if (is.factor(value)) value <- as.character(value)
    if (length(value) && !all(is.na(value))) value
  }
  type <- entry("type")
  if (!is_one_string(type) || !type %in% c(schema_types, "date")) {
    stop_argument("dictionary", "must have in `type` ", paste0("\"", c(schema_types, "date"), "\"", collapse = ", "),
                  ", in row ", i,
                  " it is ", describe(type), ".")
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
      # in a column of strings
      if (is.character(arguments$by) && grepl("^[0-9]+$", arguments$by)) arguments$by <- as.double(arguments$by)
    }
    if (type == "numeric" && "lower" %in% names(arguments)) {
      ends <- intersect(c("lower", "upper"), names(arguments))
      # beside dates, numbers are strings
      arguments[ends] <- lapply(arguments[ends], function(x) if (is.character(x)) as_plain_number(x) else x)
    }
    do.call(make[[type]], arguments)
  }, dptda_error_argument = function(parent) {
    stop_dptda("argument", "`dictionary` is wrong in row ", i, ": ", conditionMessage(parent), parent = parent)
  })
}

# A date that may be written as a string.
dictionary_date <- function(x, arg) {
  if (!is.character(x)) return(x)
  date <- value_or(as.Date(x, format = "%Y-%m-%d"), NA)
  if (is.na(date)) stop_argument(arg, "must be a date as \"2020-12-31\", not ", describe(x), ".")
  date
}

# A string is split. One without a separator is more likely one with another separator than a column of one level, in
# whose cell `other` all rows would be. `listed`: an entry of a list may be a vector of one level, but for strings.
dictionary_levels <- function(levels, listed, separator) {
  if (length(levels) > 1 || (listed && !is.character(levels))) return(levels)
  text <- as.character(levels)
  if (!grepl(separator, text, fixed = TRUE)) {
    stop_argument("levels", "has no separator, ", encodeString(separator, quote = "\""), ", and would be one level, ",
                  describe(levels),
                  "; say by `separator` what is between levels, or end it with the separator if one is meant.")
  }
  strsplit(text, separator, fixed = TRUE)[[1]]
}

#' @rdname table_schema
#' @export
schema_from_data <- function(x, ..., columns = NULL, cells = 20) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  x <- dense_matrix(x, "x")
  if (is.matrix(x) && !is.null(colnames(x))) x <- as.data.frame(x)
  if (!is.data.frame(x)) {
    stop_argument("x", "must be a data frame, or a matrix with names of columns, not ", describe_data(x), ".")
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
  if (class == "Date" || is_time(class)) return(dates_from_data(ends, cells, policy, class))
  if (class == "number" && length(finite) && are_whole(finite)) return(wholes_from_data(ends, cells, policy))
  if (ends[1] == ends[2]) {
    largest <- .Machine$double.xmax
    ends <- pmax(pmin(ends[1] + c(-0.5, 0.5) * max(1, abs(ends[1])), largest), -largest)
  }
  if (!is.finite(ends[2] - ends[1])) {
    stop_argument(arg, "has numbers that are too far from each other for a double to hold their difference.")
  }
  numeric_column(ends[1], ends[2], cells, NULL, FALSE, policy, class)
}

# Other values count in the first level that has a name, and missing ones in one that is named so.
levels_from_data <- function(type, levels, policy) {
  names <- level_names(levels)
  if (policy == "level" && "missing" %in% names) return(level_column(type, levels, "missing", "other"))
  level_column(type, levels, c(names[nzchar(names)], "other")[1], policy)
}

# Numbers between which there are halves.
are_whole <- function(x) all(x == round(x) & abs(x) < 2^51)

# Each in a cell of its own where there are no more than cells.
wholes_from_data <- function(ends, cells, policy) {
  cells <- min(cells, ends[2] - ends[1] + 1)
  breaks <- round(seq(ends[1], ends[2] + 1, length.out = cells + 1)) - 0.5
  numeric_column(breaks[1], breaks[cells + 1], 1, breaks[-c(1, cells + 1)], TRUE, policy)
}

# Whole days or seconds, and at least one in each cell.
dates_from_data <- function(ends, cells, policy, class) {
  ends <- c(floor(ends[1]), max(ceiling(ends[2]), floor(ends[1]) + 1))
  equal_dates(ends[1], ends[2], cells, policy, class)
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

# Whether missing values have a cell of their own, which is then the last.
has_missing_cell <- function(column) column$size > column$axis$size

schema_sizes <- function(schema) vapply(schema$columns, function(column) as.integer(column$size), 0L)

# What a guarantee of a release by this schema must say.
schema_caveat <- function(schema) if (identical(schema$origin, "data")) "SCHEMA READ FROM THE DATA: NOT PRIVATE"
