# Rows are of one of two classes, "dptda_memory_rows" or "dptda_database_rows" (database-rows.R), and what is done to
# them is a verb with a method for each:
#
#   count_cells(), sum_whole_steps()  what count_rows() and sum_rows() make of them (base-rows-counts.R)
#   read_table(), point_rows()        what the user gave becomes rows; with one column for each side of a box
#   take_columns()                    some of their columns
#   fetch_rows(), sum_over()          rows for several rounds, and the sum of a kernel over them (base-rows-counts.R)
#   in_one_state(rows, code)          all that `code` asks is answered from the same rows (database-state.R)
#   holds_rows(), place_of_rows()     what holds them is whole; where that is, for people
#
# Families above add verbs of their own, beside the methods for rows in memory; methods for a database stand in files
# that nothing else calls.
#
# `columns`: their names, or NULL. `types`: what each holds (value_type()). `n`: how many rows, public; NA in a release
# that counts them with what it asks of them, where `least` is how many there must be. The others are
# words for messages: `arg`, what the caller calls them; `spent`, what a database that fails has cost; `advice`, if
# there is any for whoever has missing values.
new_rows <- function(class, columns, types, n, arg, ...) {
  new_result(list(columns = columns, types = types, n = n, arg = arg, spent = "nothing was spent", ...),
             c(class, "dptda_rows"))
}

# Rows of a release that has spent.
charged_rows <- function(rows) {
  rows$spent <- "the declared budget is spent"
  rows
}

# Rows that are counted later must be enough then.
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

# Whether each of `count` rows is of one of the n people: of all of them where each has a row. Without owners there is
# one row of each.
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

# Rows in memory have `data`: a matrix of doubles or a list of vectors.
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

# "3 rows", or "3 people (`patient`)": then never how many rows. `noun`: what rows without people are called.
units_words <- function(x, noun = "row") {
  x <- unclass(x)
  if (is.null(x[["person"]])) return(count_of(format_count(x$n), noun))
  paste0(count_units(x$n, x$person), " (`", x$person, "`)",
         if (identical(x$take, "one")) ", one row of each,")
}

# The rows, if they are in memory. `...`: what an error says of `arg` if they are not.
in_memory_only <- function(rows, arg, ...) UseMethod("in_memory_only")

in_memory_only.dptda_memory_rows <- function(rows, arg, ...) rows

in_memory_only.default <- function(rows, arg, ...) stop_argument(arg, ...)

place_of_rows <- function(rows) UseMethod("place_of_rows")

place_of_rows.dptda_memory_rows <- function(rows) "in memory"
