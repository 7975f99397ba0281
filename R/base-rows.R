#' Rows of a data frame or of a database table
#'
#' Names the columns of a table, in memory or in a database, from which a release is computed. Every function that
#' counts or sums rows takes such an object, and the table itself just as well, with `columns` given by name. Rows stay
#' where they are: of a table in a database R gets exact counts or sums, and nothing is written there. (Releases of
#' several rounds read the rows of SQLite and DuckDB, which run within R's own process, a few MB at a time.)
#'
#' Points of a [manifold] that are matrices come as a list of them, or as an array with the point index last; those of a
#' product as a matrix with the numbers of all factors side by side.
#'
#' @param x A data frame, a tibble, a matrix of numbers, a vector; a lazy table of a database with a `dbplyr` backend,
#'   `dplyr::tbl(connection, "people")`; or the name of Parquet files, `"people.parquet"` or `"people/*.parquet"`, which
#'   the package `duckdb` reads. Not grouped ([private_groups]).
#' @param columns A character vector of different names of columns, in the order in which they are taken; `NULL` for
#'   all columns.
#' @param ... Must be empty: what follows is given by name.
#' @param person `NULL`, or whose each row is, where people have many: the name of a column of `x`, or, in memory, a
#'   vector with one element a row. Of whole numbers, strings or a factor, none of them missing. The guarantee of a
#'   release is then for one person with all rows; see *People*.
#' @param people `NULL`, or one whole number: how many people there are, where some may have no row here. `NULL`: as
#'   many as have rows, a number that is then public.
#' @param rows_of_person `"all"` rows of a person, each with the same part of the person's weight; or `"one"` of them,
#'   drawn at random in each release: the noise that a release states is without that of the draw, and its guarantee
#'   says so.
#' @param missing What missing values are taken for: `"error"`, the default; `"level"`; one public value, or a list of
#'   values and of `"level"`, named by column; or `"omit"`. See *Missing values*.
#' @param partition A string: the column of a table in a database by which it is spread over servers. Rows are then
#'   counted for each of its values first, which lets the database count where the rows are. `NULL` where the table is
#'   in one place. It changes nothing in what is computed.
#'
#' @return An object of class `dptda_rows`. Printing it shows where the rows are and how many there are, a public
#'   number; of people, how many these are, and not how many rows.
#'
#' @section People:
#' Where `person` is given the unit is one person: a release says as little about all rows of a person together as it
#' otherwise says about one row. The number of people is public, the number of rows is not, and nothing shows it. There
#' is no bound on the rows of a person, none is thrown away, and noise is that of a table with one row for each person.
#'
#' Estimates are about people: each person weighs one, whether with one row or with a thousand, and the rows of a person
#' share that. A mean is the mean over people of the means over their rows; a count is the sum over people of the share
#' of their rows that count; a sum is the number of people times the mean. (Shares are rounded to whole parts of
#' 1/1024, or of what `privacy(x)$public$weight` says, in such a way that they add up to one.) Who wants totals of
#' visits makes one row for each person first.
#'
#' In a database `person` is the name of a column that the database declares to be of whole numbers or of text, and not
#' one that is computed of random numbers: it is read more than once. People are equal where their text has equal bytes
#' in SQLite and PostgreSQL, whatever the collation of the column, and elsewhere where the database calls them equal.
#' Each statement counts people, and what they weigh together; where that is not what it was when the table was read
#' there is no release and nothing is spent. `partition` cannot be given. Of `rows_of_person = "one"` a few public
#' numbers are drawn in R, from which the database computes, with the number of each person, the row to take: `person`
#' must be of whole numbers. A filter that is about rows leaves a private number of people: give `people`, how many
#' there are with and without rows.
#'
#' All releases take people, some of them one row of each alone, in a database as in memory.
#'
#' A row that is about two people (a message, a marriage) is protected for the one whose it is alone. One person under
#' two spellings is two people, each of them protected.
#'
#' @section Columns:
#' Numbers, logical values, dates (`Date`), times (`POSIXct`), durations (`difftime`, `hms`) and 64-bit integers are
#' numbers wherever numbers are taken, with a box, breaks or levels of the same kind ([domain_box()] says how each is
#' read); strings, factors and ordered factors are categories. Other classes are refused by an error that names the
#' column. A database gives the same: of PostgreSQL `boolean`, `date`, `timestamp` and `timestamp with time zone` are
#' read, without the zone of the session, and of DuckDB `BOOLEAN`, `DATE` and all kinds of `TIMESTAMP`, an `ENUM`
#' being text; SQLite has no dates, and a column of numbers is taken for the days or seconds that R's driver writes.
#'
#' @section Missing values:
#' A release of a table with missing values is an error, before anything is drawn, unless `missing` says what they are
#' taken for. With a public value each is taken for it, and every release takes the table; `"level"` is the value
#' `"missing"` for columns of strings, factors and logical values, a level as others (which `levels` must have, or it is
#' `"other"`).
#'
#' With `"omit"` they are left out, of [private_count()], [private_table()], [private_histogram()], [private_sum()],
#' [private_mean()], [private_covariance()] and [private_quantile()]; all other releases refuse it. Of sums and means
#' each column leaves out its own, and how many values it has is private: they come with their noisy counts, as those
#' of [groups][private_groups]. Elsewhere a row is left out if it has no value in one of the columns. A person
#' ([table_rows()] with `person`) weighs the same on the rows that are left, and nothing where none is.
#'
#' No release shows how many values were missing, or of whom. Whether there is one does show in the error: it is for
#' whoever has the table, and no part of a release.
#'
#' @section Privacy:
#' The number of rows is public in every release of this package, so it must be a number that may be known. A table that
#' was filtered by a private condition has a private number of rows: leave the rows in, and make a column of the
#' condition (`dplyr::mutate(people, old = age > 65)`) that [private_count()] counts. A join may repeat rows, and then
#' one person is no longer one row; of a window function (a rank, a running mean) one row may move all others, and no
#' guarantee holds for what was computed so.
#'
#' A view, or a column of `dplyr::mutate()`, that draws numbers at random (`random()`) may be read in SQLite, DuckDB and
#' PostgreSQL if it draws them for each row by itself and not to choose rows. What one row is taken for may then differ
#' from table to table and from round to round of a release, and guarantees hold all the same: within one of them each
#' row has one value, and is bounded as any other. (SQLite would draw anew at each mention of the column; statements
#' have limits that keep it from doing so. In PostgreSQL the function must be volatile, as it is unless it was declared
#' otherwise.) What is missing by such a draw may be an error. Of other databases this is not known: write the numbers
#' into a table first.
#'
#' Whoever runs R is trusted: the exact counts travel to R, where the noise is added. Each release is computed by one
#' statement, whose cells hold all rows; where that is not the number that there were, or an error ends the statement,
#' there is no release and nothing is spent. (Of [private_mixture()], [private_covariance()] and [private_synthesis()]
#' each round is such a statement: from the second on what was declared has been spent.) Messages of the database are
#' shown only where they cannot be about a row.
#' All statements of a release see one state of the table where the database has transactions that hold one; elsewhere a
#' release of several rounds says so beforehand, by a message of class `dptda_message_state`.
#'
#' @section Implementation:
#' `dbplyr` writes the SQL of the table that is given; what counts and sums its rows is plain SQL. The map from a row to
#' a cell is the same arithmetic in memory and in SQL, in doubles, so
#' rows fall into the same cells; where a database computes otherwise the guarantee still holds, since it needs no more
#' than that each row is mapped by itself. Numbers of other types are turned into doubles first. Text is compared byte
#' by byte in SQLite and PostgreSQL, whatever the collation of the column; blanks at the end of a `char(n)` do not
#' count. Needed are the packages `dplyr` and `dbplyr` and the driver of the database.
#' @seealso `vignette("large-data", package = "dptda")`
#' @examples
#' people <- data.frame(age = 20 + (1:40)^2 %% 61, sex = c("f", "m", "f", "f"))
#' rows <- table_rows(people, columns = "age")
#' rows
#' private_histogram(rows, breaks = c(0, 30, 60, 90), epsilon = 1)
#'
#' # many rows of each person, one guarantee for all of them
#' growth <- table_rows(as.data.frame(Orange), "circumference", person = "Tree")
#' growth
#' private_mean(growth, c(0, 250), epsilon = 10)
#' @export
table_rows <- function(x, columns = NULL, ..., person = NULL, people = NULL, rows_of_person = c("all", "one"),
                       missing = "error", partition = NULL) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  if (!is.null(partition)) partition <- check_column_names(partition, "partition", most = 1)
  x <- if (is_parquet(x)) parquet_table(x, "x") else dense_matrix(x, "x")
  name <- if (is.symbol(substitute(person))) deparse1(substitute(person)) else "person"
  take <- check_choice(rows_of_person, c("all", "one"))
  if (is.null(person) && !(is.null(people) && take == "all")) {
    stop_argument("person", "must be given where `people` or `rows_of_person` is.")
  }
  matrices <- matrices_as_rows(x)
  if (!is.null(matrices)) x <- matrices
  vector <- is.atomic(x) && !is.null(x) && is.null(dim(x))
  if (!is.data.frame(x) && !inherits(x, "tbl_lazy") && !is.matrix(x) && !vector) {
    stop_argument("x", "must be a data frame, a matrix, a vector, a list of matrices or a lazy table, not ",
                  describe_data(x), ".")
  }
  if (is.matrix(x) && !identical(missing, "error")) x <- as.data.frame(x)
  rows <- if (is.null(person)) read_table(x, columns, "x", partition) else
    read_people(x, columns, person, people, take, name, partition)
  settle_missing(rows, missing)
}

# Matrices of one size, in a list or in an array: a matrix with one row for each. NULL of anything else.
matrices_as_rows <- function(x) {
  if (is.list(x) && !is.object(x) && length(x) > 0) {
    if (!all(vapply(x, function(one) is.matrix(one) && is.numeric(one) && !is.object(one) &&
                      identical(dim(one), dim(x[[1]])), NA))) return(NULL)
    return(matrix(as.double(unlist(x, use.names = FALSE)), length(x), byrow = TRUE))
  }
  if (is.numeric(x) && !is.object(x) && length(dim(x)) == 3) return(t(matrix(as.double(x), ncol = dim(x)[3])))
}

# A vector is one column without a name.
read_table.default <- function(table, columns, arg, partition = NULL) check_rows(table, columns, arg)

# Rows of people (base-people.R): `person` is the name of a column, which is not looked at unless it is asked for, or
# says whose each row is and is called `name`.
read_people <- function(x, columns, person, people, take, name, partition) UseMethod("read_people")

read_people.default <- function(x, columns, person, people, take, name, partition) {
  ids <- person
  known <- colnames(x)
  if (is_one_string(person) && person %in% known) {
    name <- person
    ids <- if (is.data.frame(x)) .subset2(x, match(person, known)) else x[, person]
    if (is.null(columns)) columns <- setdiff(known, person)
  }
  memory_people(read_table(x, columns, "x", partition), ids, name, people, take)
}

# ---- the class -------------------------------------------------------------------

# Rows are of one of two classes, "dptda_memory_rows" or "dptda_database_rows" (base-database.R), and what is done to
# them is a verb with a method for each:
#
#   count_cells(), sum_whole_steps()      what count_rows() and sum_rows() make of them, below
#   read_table(), point_rows()            what the user gave becomes rows; with one column for each side of a box
#   read_with_sums(), read_with_counts()  a table whose rows will be summed or counted, with what that gives where it
#                                         saves a look
#   take_columns()                        some of their columns
#   in_one_state(rows, code)              all that `code` asks is answered from the same rows (base-state.R)
#   holds_rows(), place_of_rows()         what holds them is whole; where that is, for people
#
# Families above add verbs of their own, beside the methods for rows in memory; methods for a database stand in files
# that nothing else calls.
#
# `columns`: their names, or NULL. `types`: what each holds (value_type()). `n`: how many rows, public. The others are
# words for messages: `arg`, what the caller calls them; `spent`, what a database that fails has cost; `advice`, if
# there is any for whoever has missing values.
new_rows <- function(class, columns, types, n, arg, ...) {
  structure(list(columns = columns, types = types, n = n, arg = arg, spent = "nothing is spent", ...),
            class = c(class, "dptda_rows"))
}

# Rows of a release that has spent.
charged_rows <- function(rows) {
  rows$spent <- "what was declared is spent"
  rows
}

define_class("dptda_rows", "table_rows()", n = is_numbers, types = is.character, arg = is_one_string,
             spent = is_one_string, partition = is_null_or(is_one_string), advice = is_null_or(is.character),
             data = function(x) TRUE, table = function(x) TRUE, dialect = is_null_or(is.list), start = function(x) TRUE,
             piece_statement = is_null_or(is_one_string), asked = is_null_or(is.list),
             prepared = is_null_or(is.list), beside = is_null_or(is.list), person = is_null_or(is_one_string),
             complete = is_null_or(is_one_flag), state = is_null_or(is.environment),
             take = is_null_or(is_one_string), owner = function(x) length(x) == 0 || are_sizes(x),
             weight = is_null_or(is.integer), person_id = is_null_or(is.list), weight_names = is_null_or(is.character),
             missing = is_null_or(is_one_string), omit_known = is_null_or(is_one_flag),
             columns = is_null_or(function(x) are_names(x)), .valid = function(x) length(x$n) == 1 && holds_rows(x))

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

# A table of the user's: rows of its columns `columns`, of all that it has if that is NULL.
read_table <- function(table, columns, arg, partition = NULL) UseMethod("read_table")

read_table.data.frame <- function(table, columns, arg, partition = NULL) {
  check_partition(partition, names(table), arg)
  frame_rows(table, columns, arg)
}

# A matrix of numbers.
read_table.matrix <- function(table, columns, arg, partition = NULL) {
  check_partition(partition, colnames(table), arg)
  refuse_scaled(table, arg)
  if (!is.null(columns)) table <- table[, check_columns(columns, colnames(table), arg), drop = FALSE]
  matrix_rows(check_points(table, columns = NULL, arg = arg, min_rows = 0, advice = missing_advice), arg)
}

read_table.dptda_rows <- function(table, columns, arg, partition = NULL) {
  rows <- check_valid(table, "dptda_rows", arg)
  rows$arg <- arg
  refuse_omitting(rows)
  if (is.null(columns)) return(rows)
  take_columns(rows, match(check_columns(columns, rows$columns, arg), rows$columns))
}

is_table <- function(x) inherits(x, c("data.frame", "tbl_lazy", "dptda_rows"))

check_partition <- function(partition, known, arg) {
  if (!is.null(partition) && !partition %in% known) {
    stop_argument("partition", "must be the name of a column of `", arg, "`.")
  }
}

# The names of its columns.
table_columns <- function(table) UseMethod("table_columns")

table_columns.data.frame <- function(table) names(table)

table_columns.dptda_rows <- function(table) table$columns

# A column that is a matrix or a list has not one value a row.
frame_rows <- function(frame, columns, arg) {
  refuse_groups(frame, arg)
  refuse_scaled(frame, arg)
  columns <- check_columns(columns, names(frame), arg)
  data <- lapply(match(columns, names(frame)), function(j) .subset2(frame, j))
  plain <- vapply(data, function(x) is.atomic(x) && length(dim(x)) < 2 && length(x) == nrow(frame), NA)
  if (!all(plain)) {
    first <- data[!plain][[1]]
    stop_argument(arg, "must have one value per row in each column; `", columns[!plain][1], "` is ",
                  if (is.object(first)) c(describe_column(first), class_hint(first)) else "a list or a matrix", ".")
  }
  list_rows(data, columns, arg)
}

# The columns that are looked at, of those that there are.
check_columns <- function(columns, known, arg) {
  named <- !is.null(columns) || are_names(known)
  columns <- if (is.null(columns)) known else check_column_names(columns, "columns")
  if (!all(columns %in% known)) {
    stop_argument("columns", "must be names of columns of `", arg, "`, which has no ",
                  quote_names(setdiff(columns, known)), "; there are ", quote_names(known), ".")
  }
  if (!named || sum(known %in% columns) > length(columns)) {
    stop_argument(arg, "must have columns with names, all of them different.")
  }
  if (length(columns) > max_row_columns) stop_argument("columns", "must be at most ", max_row_columns, ".")
  columns
}

max_row_columns <- 256

check_column_names <- function(columns, arg, most = max_row_columns) {
  if (!is.character(columns) || !are_names(columns) || length(columns) > most) {
    twice <- if (is.character(columns)) columns[duplicated(columns)]
    stop_argument(arg, "must be ", if (most == 1) "the name of a column" else "different names of columns", ", not ",
                  describe(columns), if (length(twice) && are_names(twice[1])) c(" with `", twice[1], "` twice"), ".")
  }
  as.vector(columns)
}

# What a mechanism gets as its rows. A vector is one column without a name; of a table the columns are named by the
# user.
# `omit`: whether the release is known for rows that leave missing values out (base-missing.R).
# `advice`: what else may have been meant by a table whose columns are not named.
check_rows <- function(x, columns = NULL, arg = deparse1(substitute(x)), omit = FALSE, advice = NULL) {
  force(arg)
  if (omit && is_omitting(x)) x$omit_known <- TRUE
  if (is_table(x)) {
    if (is.null(columns) && !inherits(x, "dptda_rows")) {
      if (is.data.frame(x)) refuse_groups(x, arg) # that is not mended by naming columns
      columns <- table_columns(x)
      if (length(columns) != 1) {
        stop_argument("columns", "must be given, by name, where `", arg, "` is a table",
                      if (length(columns)) c("; there are ", quote_names(columns)), advice, ".")
      }
    }
    return(read_table(x, columns, arg))
  }
  if (!is.null(columns)) stop_argument("columns", "is for tables; `", arg, "` is none, but ", describe_data(x), ".")
  if (!is.atomic(x) || is.null(x) || !is.null(dim(x))) {
    stop_argument(arg, "must be a vector, a factor or a table, not ", describe_data(x),
                  if (is.matrix(x)) "; as.data.frame() makes a table of it", if (is.null(x)) rows_hint(x),
                  if (is.object(x)) class_hint(x), ".")
  }
  refuse_scaled(x, arg)
  list_rows(list(x), NULL, arg)
}

# The columns of a table that public arguments name, where the user names none. Rows have theirs.
# `of`: the argument that has the names.
named_columns <- function(x, columns, names, of) {
  if (!is.null(columns) || !is_table(x) || !is.character(names) || !are_names(names)) return(columns)
  # columns that were chosen are looked at in their order; names of fewer choose among them
  if (inherits(x, "dptda_rows")) return(if (all(names %in% x$columns) && length(names) < length(x$columns)) names)
  refuse_other_columns(names, table_columns(x), of)
  names
}

refuse_other_columns <- function(names, known, of, arg = "x") {
  absent <- setdiff(names, known)
  if (!length(absent)) return(invisible())
  stop_argument(of, "is named by ", quote_names(absent), ", which is no column of `", arg, "`; there are ",
                quote_names(known), ".")
}

# For what looks at one column. `advice`: a function of what there are many of, "rows" or "people".
check_one_column <- function(rows, advice = NULL) {
  many <- length(rows$types)
  if (many != 1) {
    stop_argument("columns", "must be the name of one column, not of ", many, ": ", quote_names(rows$columns),
                  if (!is.null(advice)) advice(units_noun(rows$person)), ".")
  }
  rows
}

take_columns <- function(rows, places) UseMethod("take_columns")

take_columns.dptda_rows <- function(rows, places) {
  rows$columns <- rows$columns[places]
  rows$types <- rows$types[places]
  rows
}

take_columns.dptda_memory_rows <- function(rows, places) {
  rows$data <- if (is.matrix(rows$data)) rows$data[, places, drop = FALSE] else rows$data[places]
  take_columns.dptda_rows(rows, places)
}

# Rows that are points: columns of numbers, one for each side of the box if there is one, by name where it has names.
check_point_rows <- function(x, columns = NULL, box = NULL, dimension = length(box$lower),
                             arg = deparse1(substitute(x)), min_rows = 1) {
  force(arg)
  if (missing(x)) stop_missing(arg)
  point_rows(x, columns_of_box(x, columns, box), box, dimension, arg, min_rows)
}

# Where the user names none, those that the box names, of a table that has more.
columns_of_box <- function(x, columns, box) {
  if (is.null(columns) && is_table(x) && has_columns(table_columns(x), box$columns)) box$columns else columns
}

point_rows <- function(x, columns, box, dimension, arg, min_rows) UseMethod("point_rows")

point_rows.dptda_memory_rows <- function(x, columns, box, dimension, arg, min_rows) {
  rows <- read_table(x, columns, arg)
  points <- if (is.matrix(rows$data)) rows$data else as_frame(rows)
  new <- point_rows(points, NULL, box, dimension, arg, if (is.null(rows$person)) min_rows else 0)
  if (is.null(rows$person)) return(new)
  if (rows$n < min_rows) stop_argument(arg, "must have at least ", count_units(min_rows, rows$person), ".")
  add_people(new, rows$n, rows$person, rows$take, rows$complete, rows$owner)
}

point_rows.default <- function(x, columns, box, dimension, arg, min_rows) {
  x <- dense_matrix(x, arg)
  if (!is.null(columns)) {
    if (!is.data.frame(x) && !is.matrix(x)) stop_argument("columns", "is for tables; `", arg, "` is none.")
    columns <- check_columns(columns, colnames(x), arg)
    x <- if (is.data.frame(x)) as_frame(frame_rows(x, columns, arg)) else x[, columns, drop = FALSE]
  }
  matrix_rows(check_points(x, columns = dimension, arg = arg, min_rows = min_rows, box = box, advice = missing_advice),
              arg)
}

as_frame <- function(rows) {
  structure(rows$data, names = rows$columns, row.names = .set_row_names(memory_count(rows)), class = "data.frame")
}

#' @export
print.dptda_rows <- function(x, ...) {
  check_valid(x, "dptda_rows")
  cat("<rows> ", units_words(x), " ", place_of_rows(x),
      if (length(x$columns)) c("; columns ", paste0("`", x$columns, "`", collapse = ", ")),
      if (!is.null(x$partition)) c("; partitioned by `", x$partition, "`"),
      if (is_omitting(x)) "; missing values are left out", "\n", sep = "")
  invisible(x)
}

# "3 rows", or "3 people (`patient`)": then never how many rows. `noun`: what rows without people are called.
units_words <- function(x, noun = "row") {
  x <- unclass(x)
  if (is.null(x[["person"]])) return(count_of(format_count(x$n), noun))
  paste0(count_units(x$n, x$person), " (`", x$person, "`)",
         if (identical(x$take, "one")) ", one row of each,")
}

place_of_rows <- function(rows) UseMethod("place_of_rows")

place_of_rows.dptda_memory_rows <- function(rows) "in memory"

# ---- counts and sums ----------------------------------------------------------

# Axes for columns of rows, by their places: their product is the cells of a table, the first axis fastest.
cell_table <- function(axes, columns = seq_along(axes)) list(axes = axes, columns = columns)

table_size <- function(table) prod(vapply(table$axes, `[[`, 0, "size"))

max_cells <- 1e8

# What must be true of columns and axes before rows are looked at; both are public.
check_table <- function(table, rows) {
  for (i in seq_along(table$axes)) {
    place <- table$columns[i]
    check_axis(table$axes[[i]], rows$types[place], column_arg(rows, place))
  }
  check_table_size(table, rows$arg)
}

check_table_size <- function(table, arg) {
  if (table_size(table) <= max_cells) return(invisible())
  stop_argument(arg, "would be counted in ", format(table_size(table), digits = 3), " cells; at most ",
                format(max_cells), " are possible: take fewer columns, levels or breaks.")
}

# A database may have no logical values (0 and 1 stand for them), or not know what a column holds ("unknown").
check_axis <- function(axis, type, arg) {
  if (!is.null(axis$inner)) return(check_axis(axis$inner, type, arg))
  if (!is.null(axis$levels)) return(check_level_type(axis$levels, type, arg))
  check_type(type, if (is.null(axis$logical)) "number" else "logical", arg)
}

check_level_type <- function(levels, type, arg) {
  if (type %in% c("Date", "POSIXct", "difftime")) {
    stop_argument(arg, "is of class \"", type, "\", and so must be `levels`.")
  }
  if (!type %in% c("number", "decimal", "bit", "text", "logical", "unknown", class_types)) {
    stop_argument(arg, "must be of numbers, strings or logical values, not of class \"", type, "\"", type_remedy(type),
                  ".")
  }
  if (type == "logical" && is.numeric(levels) || type %in% c("number", "decimal", "bit") && is.logical(levels)) {
    stop_argument("levels", "must be numbers where `", arg, "` is, and logical values where it is logical: it holds ",
                  type_words(type), ".")
  }
}

# What becomes of a table whose columns a release will sum, all rows as one group, on a lattice in the box: the table
# itself, or rows with these sums, where one look gives both and two would take twice as long. `allowed`: whether the
# budget lets the release look at rows, which is asked where that is done.
read_with_sums <- function(x, columns, box, lattice, arg, allowed) UseMethod("read_with_sums")

read_with_sums.default <- function(x, columns, box, lattice, arg, allowed) x

# The same of a table whose rows a release will count in cells. `cells`: of rows, a list of `rows`, what the release
# will make of them, and `table`.
read_with_counts <- function(x, columns, arg, allowed, cells) UseMethod("read_with_counts")

read_with_counts.default <- function(x, columns, arg, allowed, cells) x

# The numbers of the columns that have a class, where a release takes them as `classes` say, by their places; NA where
# what a column holds is compared by its value.
class_rows <- function(rows, classes) UseMethod("class_rows")

class_rows.dptda_memory_rows <- function(rows, classes) {
  if (is.matrix(rows$data)) return(rows)
  for (place in seq_along(rows$types)) {
    type <- rows$types[place]
    class <- class_at(classes, place)
    if (is.na(class)) class <- if (type == "integer64") "number" else next
    check_class_type(type, class, column_arg(rows, place))
    rows$data[[place]] <- if (type == "number") rows$data[[place]] else class_numbers(rows$data[[place]], class)
    rows$types[place] <- "number"
  }
  rows
}

class_at <- function(classes, place) if (is.null(classes)) "number" else classes[[place]]

# Counts rows in the cells of each of the tables. Gives, for each table, `cell`, the numbers of the occupied cells from
# 1, increasing, and `count`.
count_rows <- function(rows, tables) {
  for (table in tables) check_table(table, rows)
  count_cells(rows, tables)
}

count_cells <- function(rows, tables) UseMethod("count_cells")

count_cells.dptda_memory_rows <- function(rows, tables) {
  lapply(tables, function(table) {
    refuse_missing(.Call(ffi_base_count_rows, memory_columns(rows, table), table$axes, row_weights(rows),
                         kernel_options(progress = kernel_progress("Counts"))), rows)
  })
}

# The counts of all cells, as doubles.
dense_counts <- function(counts, size) {
  all <- new_doubles(size)
  all[counts$cell] <- counts$count
  all
}

# Sums whole steps of a lattice, as public_lattice() makes it for the columns `summed`, over all rows or by the cells of
# the table `groups`. A matrix of exact doubles with one row for each group.
sum_rows <- function(rows, lattice, summed = seq_along(lattice$step), groups = NULL) {
  if (!is.null(groups)) check_table(groups, rows)
  for (place in summed) check_type(rows$types[place], "number", column_arg(rows, place))
  sum_whole_steps(rows, lattice, summed, groups)
}

sum_whole_steps <- function(rows, lattice, summed, groups) UseMethod("sum_whole_steps")

sum_whole_steps.dptda_memory_rows <- function(rows, lattice, summed, groups) {
  data <- if (identical(summed, seq_along(rows$types))) rows$data else take_columns(rows, summed)$data
  group_columns <- if (!is.null(groups)) memory_columns(rows, groups)
  refuse_missing(.Call(ffi_base_sum_rows, data, cbind(lattice$step, lattice$first, lattice$last), group_columns,
                       groups$axes, row_weights(rows), kernel_options(progress = kernel_progress("Sums"))), rows)
}

# The same with what the rows of each group weigh, from one look at the rows: `sums` and `count`.
count_and_sum <- function(rows, lattice, summed, groups) {
  check_table(groups, rows)
  for (place in summed) check_type(rows$types[place], "number", column_arg(rows, place))
  count_and_sum_steps(rows, lattice, summed, groups)
}

count_and_sum_steps <- function(rows, lattice, summed, groups) UseMethod("count_and_sum_steps")

count_and_sum_steps.dptda_memory_rows <- function(rows, lattice, summed, groups) {
  one <- length(groups$axes) == 0
  weight <- row_weights(rows)
  count <- if (!one) dense_counts(count_cells(rows, list(groups))[[1]], table_size(groups)) else
    if (is.null(weight)) as.double(memory_count(rows)) else sum(as.double(weight))
  list(count = count, sums = sum_whole_steps(rows, lattice, summed, if (!one) groups))
}

# What rows in memory weigh: NULL where each weighs one.
row_weights <- function(rows) {
  if (is.matrix(rows)) return(NULL)
  if (!is.null(rows$owner) && is.null(rows$weight)) stop_argument(rows$arg, "has rows of people that were not weighed.")
  rows$weight
}

refuse_missing <- function(result, rows) {
  if (is.null(result)) stop_missing_values(rows)
  result
}

# What the kernel counts: numbers as they are, without a copy, and the codes of levels.
memory_columns <- function(rows, table) {
  if (is.matrix(rows$data) && identical(table$columns, seq_len(ncol(rows$data)))) return(rows$data)
  Map(function(place, axis) {
    x <- if (is.matrix(rows$data)) rows$data[, place] else rows$data[[place]]
    if (!is.null(axis$inner)) return(axis_codes_absent(x, axis) + 1L)
    if (is.null(axis$levels)) return(x)
    if (anyNA(x)) refuse_missing(NULL, rows)
    level_cells(x, axis$levels, axis$other, axis$names)
  }, table$columns, table$axes)
}
