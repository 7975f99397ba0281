# Classes of schemas and their columns.

new_schema <- function(columns) new_result(list(columns = columns, origin = columns_origin(columns)), "dptda_schema")

# Stores the origin in each column, because a column may be used in another schema.
columns_origin <- function(columns) {
  if (any(vapply(columns, function(column) column$origin == "data", NA))) "data" else "declared"
}

new_schema_column <- function(type, axis, names, missing, other = NULL, ...) {
  absent <- switch(missing, refuse = NA_real_, level = length(names), other = match(other, names) - 1)
  if (missing == "level") names <- c(names, "missing")
  new_result(list(type = type, size = length(names), names = names, axis = axis, missing = absent,
                  origin = "declared", ...),
             "dptda_schema_column")
}

# Checks that a map has a code for every value. A map changed by hand could fail for some rows, after the budget was
# charged.
is_axis <- function(axis) {
  if (!is.list(axis) || !is.null(axis$inner) || !is_one_number(axis$size) || !axis$size %in%
      seq_len(max_schema_cells + 1)) return(FALSE)
  if (!is.null(axis$levels)) return(is_level_axis(axis))
  if (is.null(axis$origin)) {
    return(length(axis$cuts) == axis$size - 1 && are_rising(axis$cuts) &&
           (is.null(axis$logical) || axis$size == 2))
  }
  ends <- c(axis$origin, axis$first, axis$last)
  # SQL does not search for the last cell below `last`
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
               # missing values have their own last cell, share another cell, or are refused
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

# The displayed type. Dates are stored as numbers, except for their names and the class of drawn values.
shown_type <- function(column) {
  if (is.null(column$holds)) return(column$type)
  if (column$holds == "Date") "date" else if (is_time(column$holds)) "time" else "duration"
}

max_schema_cells <- 1e4

# Checks whether missing values have their own cell, which is then the last.
has_missing_cell <- function(column) column$size > column$axis$size

schema_sizes <- function(schema) vapply(schema$columns, function(column) as.integer(column$size), 0L)

# The warning for the guarantee of a release with this schema.
schema_caveat <- function(schema) if (identical(schema$origin, "data")) "SCHEMA READ FROM THE DATA: NOT PRIVATE"
