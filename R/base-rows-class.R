# Rows have one of two classes, "dptda_memory_rows" or "dptda_database_rows" (database-rows.R). Each operation is
# a generic with a method for each:
#
#   count_cells(), sum_whole_steps()  the work of count_rows() and sum_rows() (base-rows-counts.R)
#   read_table(), point_rows()        turn the user's table into rows; the latter with one column per side of a box
#   take_columns()                    selects columns
#   fetch_rows(), sum_over()          rows for several rounds, and the sum of a kernel over them (base-rows-counts.R)
#   in_one_state(rows, code)          answers all queries of `code` from the same rows (database-state.R)
#   holds_rows(), place_of_rows()     whether the storage is valid; the place of the rows, in words
#
# Families above add their own generics, beside the methods for rows in memory. Methods for databases are in files that
# no other file calls.
#
# `columns`: names, or NULL. `types`: the kind of each column (value_type()). `n`: the public number of rows, or NA in a
# release that counts them with its query, where `least` is the smallest number allowed. The other fields are words for
# messages: `arg`, the caller's name for the rows; `spent`, the cost of a failure of the database; `advice`, if any, for
# missing values.
new_rows <- function(class, columns, types, n, arg, ...) {
  new_result(list(columns = columns, types = types, n = n, arg = arg, spent = "nothing was spent", ...),
             c(class, "dptda_rows"))
}

# Rows of a release after its charge.
charged_rows <- function(rows) {
  rows$spent <- "the declared budget is spent"
  rows
}

# Requires a number of rows, which is checked later if rows are counted later.
require_rows <- function(rows, least) {
  if (!is_counted(rows)) {
    rows$least <- least
  } else if (rows$n < least) {
    stop_argument(rows$arg, "must have at least ", count_units(least, rows$person), ".")
  }
  rows
}

is_counted <- function(rows) !inherits(rows, "dptda_rows") || !is.na(rows$n)

define_class("dptda_rows", "table_rows()", n = is_number_or_na, types = is.character, arg = is_one_string,
             spent = is_one_string, partition = is_null_or(is_one_string), advice = is_null_or(is.character),
             data = function(x) TRUE, table = function(x) TRUE, given = function(x) TRUE,
             dialect = is_null_or(is.list), piece_statement = is_null_or(is_one_string),
             piece_columns = is_null_or(is_one_number), group_count = is_null_or(is_one_number),
             least = is_null_or(is_one_number), person = is_null_or(is_one_string),
             complete = is_null_or(is_one_flag), state = is_null_or(is.environment),
             take = is_null_or(is_one_string), owner = function(x) length(x) == 0 || are_sizes(x),
             weight = is_null_or(is.integer), person_id = is_null_or(is.list), weight_names = is_null_or(is.character),
             missing = is_null_or(is_one_string), omit_known = is_null_or(is_one_flag),
             columns = is_null_or(function(x) are_names(x)),
             .valid = function(x) (!is.na(x$n) || is.environment(x$state)) && holds_rows(x))

holds_rows <- function(rows) UseMethod("holds_rows")

holds_rows.default <- function(rows) FALSE

holds_rows.dptda_memory_rows <- function(rows) {
  if (!is.list(rows$data) && !is.matrix(rows$data)) return(FALSE)
  if (is.null(rows$person)) {
    plain <- is.null(rows$owner) && is.null(rows$take) && is.null(rows$complete) && is.null(rows$weight)
    return(plain && is_row_data(rows$data, rows$types, rows$n))
  }
  holds_people(rows, memory_count(rows)) && is_row_data(rows$data, rows$types, memory_count(rows))
}

# Whether each of `count` rows belongs to one of the n people, and, if each person has a row, all people occur. Without
# owners, each person has one row.
holds_people <- function(rows, count) {
  if (!is_one_flag(rows$complete)) return(FALSE)
  if (is.null(rows$owner)) {
    fits <- if (rows$complete) count == rows$n else count <= rows$n
    return(rows$take == "one" && fits && is.null(rows$weight))
  }
  if (length(rows$owner) != count) return(FALSE)
  if (!rows$complete) return(count == 0 || max(rows$owner) <= rows$n)
  rows$n <= count && max(rows$owner) == rows$n && all(tabulate(rows$owner, rows$n) > 0)
}

is_row_data <- function(data, types, n) {
  if (is.matrix(data)) return(is.double(data) && nrow(data) == n && ncol(data) == length(types))
  is.list(data) && length(data) == length(types) && all(lengths(data) == n) &&
    identical(vapply(data, value_type, ""), types)
}

# Rows in memory have `data`, a matrix of doubles or a list of vectors.
matrix_rows <- function(x, arg = "x") {
  new_rows("dptda_memory_rows", colnames(x), rep("number", ncol(x)), nrow(x), arg, data = x)
}

list_rows <- function(data, columns, arg = "x") {
  new_rows("dptda_memory_rows", columns, vapply(data, value_type, ""), length(data[[1]]), arg, data = data)
}

#' @export
print.dptda_rows <- function(x, ...) {
  check_valid(x, "dptda_rows")
  cat("<rows> ", units_words(x), " ", place_of_rows(x),
      if (length(x$columns)) c(", columns ", paste0("`", x$columns, "`", collapse = ", ")),
      if (!is.null(x$partition)) c(", partitioned by `", x$partition, "`"),
      if (is_omitting(x)) ", missing values left out", "\n", sep = "")
  invisible(x)
}

# "3 rows", or "3 people (`patient`)", never with their number of rows. `noun`: the name of rows without people.
units_words <- function(x, noun = "row") {
  x <- unclass(x)
  if (is.null(x[["person"]])) return(count_of(format_count(x$n), noun))
  paste0(count_units(x$n, x$person), " (`", x$person, "`)",
         if (identical(x$take, "one")) ", one row of each,")
}

# The rows, if they are in memory. `...`: words of the error about `arg` otherwise.
in_memory_only <- function(rows, arg, ...) if (are_in_database(rows)) stop_argument(arg, ...) else rows

# Rows not seen yet are in a database if the user states it.
are_in_database <- function(rows) if (is_unseen(rows)) rows$in_database else !inherits(rows, "dptda_memory_rows")

place_of_rows <- function(rows) UseMethod("place_of_rows")

place_of_rows.dptda_memory_rows <- function(rows) "in memory"
