#' Rows of a data frame or a database table
#'
#' `table_rows()` selects the columns of a table, in memory or in a database, that a release uses. It also states which
#' person each row belongs to and how missing values are handled. Most releases also accept the data frame or
#' database table itself, with `columns` given by name.
#'
#' To use points of a [manifold] that are matrices, pass a list of matrices, or an array whose last index counts the
#' points. For a product manifold, pass a matrix with one row per point and the numbers of all factors side by side.
#'
#' @param x A data frame, tibble, matrix of numbers, or vector; or a lazy table of a database with a `dbplyr` backend,
#'   `dplyr::tbl(connection, "people")`; or the name of Parquet files, `"people.parquet"` or `"people/*.parquet"`, which
#'   the package `duckdb` reads. It must not be grouped ([private_groups]).
#' @param columns A character vector of different column names, in the order in which the columns are used. `NULL`
#'   selects all columns.
#' @param ... Not used. Later arguments must be named.
#' @param person `NULL`, the name of a column of `x`, or, in memory, a vector of integers or strings, or a factor, with
#'   one element per row: the person to whom each row belongs. Put a vector in a list that names it,
#'   `list(patient = id)`. No element may be missing. The guarantee then protects all rows of a person: see
#'   [people_rows].
#' @param people `NULL`, or one integer: the public number of people, if some of them may have no row. With `NULL`, the
#'   number of people who have rows is used, and is public.
#' @param rows_of_person `"all"` uses all rows of a person with equal weights ([people_rows]). `"one"` draws one row of
#'   each person at random in each release. The noise that a release states then excludes the error of this draw, as its
#'   guarantee notes.
#' @param missing How missing values are handled: `"error"` (the default), `"level"`, or `"omit"`; one public value that
#'   replaces them; or a list, named by column, of values or `"level"`; other columns keep `"error"`. See *Missing
#'   values*.
#' @param partition `NULL`, or a string: the column by which a database table is spread over servers. Rows are then
#'   counted separately for each of its values first, so that each server can count its own rows. Results do not
#'   change.
#'
#' @return An object of class `dptda_rows`. `print()` shows where the rows are and their number, which is public. With
#' `person`, it shows the number of people instead, and never the number of rows.
#'
#' @section Columns:
#' Numbers, logical values, dates (`Date`), times (`POSIXct`), durations (`difftime`, `hms`), and 64-bit integers can be
#' used as numbers, with a box, breaks, or levels of the same kind ([domain_box()] explains how each is read). Strings,
#' factors, and ordered factors are categories. An error names any column of another class. For the types of databases,
#' see [database_rows].
#'
#' @section Missing values:
#' If the table has missing values, a release fails before anything is drawn, unless `missing` says how to handle them.
#' A public value replaces them, and every release then accepts the table. In columns of strings, factors, and logical
#' values, `"level"` replaces them by the value `"missing"`. Include this value in `levels`, or it is counted in
#' `"other"`.
#'
#' `"level"` is an error for other columns.
#'
#' `"omit"` leaves missing values out of [private_count()], [private_table()], [private_histogram()], [private_sum()],
#' [private_mean()], [private_covariance()], [private_lm()], [private_glm()], and [private_quantile()]. All other
#' releases refuse it. For sums and means, each column leaves out its own missing values. The number of values in a
#' column is then private, so a noisy count accompanies the result, as for [groups][private_groups]. The others leave
#' out each row that lacks a value in any column of the release. A person keeps the same total weight on the remaining
#' rows, and has weight zero without any. [private_quantile()] of people accepts `"omit"` only with `rows_of_person =
#' "one"`. The row is then drawn first, and a person whose drawn row lacks a value has weight zero.
#'
#' No release shows the exact number of missing values, or their rows. With `"omit"` or `"level"`, noisy counts show
#' about how many there are, within the guarantee. The error does show that one is missing. It is for
#' you, as the curator, and not part of a release.
#'
#' @section Privacy:
#' Without `person`, every release treats the number of rows as public, so it must be a number that may be published.
#' With `person`, the number of people is public and the number of rows is not. If you filter a table by a private
#' condition, the number of rows left is private. Keep all rows instead, and make a column of the condition
#' (`dplyr::mutate(people, old = age > 65)`) for [private_count()].
#'
#' A join may repeat rows, so that one person has several. Name that person in `person`. With a window function (a rank,
#' a running mean), one row may change all others, and no guarantee holds for the result.
#'
#' The person who runs R is trusted. R receives exact counts and sums, for some releases also rows ([database_rows]),
#' and adds the noise.
#' @seealso [people_rows], [database_rows], [unseen()]
#' @examples
#' people <- data.frame(age = 20 + (1:40)^2 %% 61, sex = c("f", "m", "f", "f"))
#' rows <- table_rows(people, columns = "age")
#' rows
#' private_histogram(rows, breaks = c(0, 30, 60, 90), epsilon = 1)
#'
#' # several rows per person, one guarantee for all of them
#' growth <- table_rows(as.data.frame(Orange), "circumference", person = "Tree")
#' growth
#' private_mean(growth, c(0, 250), epsilon = 10)
#' @export
table_rows <- function(x, columns = NULL, ..., person = NULL, people = NULL, rows_of_person = c("all", "one"),
                       missing = "error", partition = NULL) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  if (!is.null(partition)) partition <- check_column_names(partition, "partition", most = 1)
  x <- if (is_parquet(x)) open_parquet(as.vector(x), "x") else dense_matrix(x, "x")
  take <- check_choice(rows_of_person, c("all", "one"))
  if (is.null(person) && !(is.null(people) && take == "all")) {
    stop_argument("person", "must be given if `people` or `rows_of_person` is given.")
  }
  matrices <- matrices_as_rows(x)
  if (!is.null(matrices)) x <- matrices
  vector <- is.atomic(x) && !is.null(x) && is.null(dim(x))
  if (!is.data.frame(x) && !inherits(x, "tbl_lazy") && !is.matrix(x) && !vector) {
    stop_argument("x", "must be a data frame, a matrix, a vector, a list of matrices, or a lazy table, not ",
                  describe_data(x), ".")
  }
  if (is.matrix(x) && !identical(missing, "error")) x <- as.data.frame(x)
  rows <- count_at_once(if (is.null(person)) read_table(x, columns, "x", partition) else
    read_people(x, columns, person, people, take, partition))
  settle_missing(rows, missing)
}

#' People with several rows
#'
#' Describes tables in which people have several rows. If you supply `person` to [table_rows()], the privacy unit is a
#' person: all rows of a person are protected together, as one row is otherwise. A person may have any number of rows,
#' and the noise is as for a table with one row per person. All releases accept people, in memory
#' and in databases, some of them only with `rows_of_person = "one"`.
#'
#' @section Estimates:
#' Estimates are about people: each person has weight one, divided equally among that person's rows. A mean is the mean
#' over people of the means over their rows. A count is the sum over people of the fraction of their rows that count. A
#' sum is the number of people times the mean. (Weights are rounded to multiples of 1/1024, or of 1 /
#' `privacy(x)$public$weight`, so that they add up to one. If a person has more rows, evenly spaced ones count.) For
#' totals, such as visits, first make one row per person.
#'
#' @section Privacy:
#' The number of people is public. The number of rows is not, and nothing shows it. If you filter rows, the number of
#' people left is private. Pass `people`, the number of people with and without rows.
#'
#' A row about two people, such as a message or a marriage, is protected only for the person named in `person`. One
#' person under two spellings counts as two people, and each is protected separately.
#'
#' @section Names of people:
#' Guarantees and budgets distinguish patients from doctors by a name: the name of the column, or the name in the list.
#' The package trusts these names, so give the same name only to the same people. A vector alone, `visits$patient` or
#' `id`, has no name that identifies its people. Each call of `table_rows()` then makes up a name, and releases add up
#' only with others from the same `dptda_rows`. To add them to other releases, or to charge a budget
#' (`privacy_budget(person = "patient")`), use a column or write `person = list(patient = visits$patient)`.
#' @seealso [table_rows()], [unseen()], `vignette("people", package = "dptda")`
#' @name people_rows
NULL

#' Rows of a database
#'
#' Explains how releases read a table of a database: which types of columns they accept, when budget is spent, and which
#' releases read rows into R. [table_rows()] selects the columns of such a table. You need the packages `dplyr` and
#' `dbplyr`, and the driver of the database.
#'
#' Rows stay in the database. R receives exact counts or sums, to which it adds noise, and nothing is written. Only the
#' releases under *Large tables* read rows into R.
#'
#' @section Columns:
#' Releases accept the same types as in memory:
#'
#' * **PostgreSQL**: also `boolean`, `date`, `timestamp`, `timestamp with time zone`, and `ENUM` (as text). A
#'   `timestamp` is in the time zone of the connection (`timezone` of `RPostgres`, by default UTC), as in the table
#'   that `collect()` returns.
#' * **DuckDB**: also `BOOLEAN`, `DATE`, all kinds of `TIMESTAMP`, and `ENUM` (as text).
#' * **SQLite** has no dates. Numbers stand for the days or seconds that R's driver writes.
#'
#' Text is compared byte by byte in SQLite and PostgreSQL, regardless of the column's collation. Blanks at the end of a
#' `char(n)` do not count. Numbers of other types are converted to doubles first.
#'
#' @section People:
#' `person` is the name of a column that the database declares to hold integers or text. Do not compute it from random
#' numbers, because it is read more than once. Two people are the same if their text has equal bytes (SQLite,
#' PostgreSQL), or if the database calls them equal (other databases).
#'
#' Each statement counts the people and their total weight. If either differs from when the table was read, nothing is
#' released and nothing is spent. `partition` cannot be used with `person`. With `rows_of_person = "one"`, R draws a few
#' public numbers, from which the database computes the row of each person, so `person` must hold integers.
#'
#' @section Privacy:
#' The number of rows is public, as in memory. A message of class `dptda_message_filter` warns if the query of a lazy
#' table may leave out rows: by a condition (`filter()`, `WHERE`), a join, `DISTINCT`, `INTERSECT`, or `EXCEPT`. Steps
#' inside a view are not detected.
#'
#' Each release runs one statement, whose cells cover all rows. If the cells do not add up to the number of rows, or the
#' statement fails, nothing is released and nothing is spent. [private_synthesis()], and rounds over a table that R does
#' not keep, query the database again after the charge. If that fails, the declared budget is spent. Messages of the
#' database are shown only if they cannot be about a row.
#'
#' If the database has transactions that hold one state of the table, all statements of a release see that state.
#' Otherwise, a release of several rounds announces this in advance, by a message of class `dptda_message_state`.
#'
#' @section Random columns:
#' A view, or a column of `dplyr::mutate()`, may draw random numbers (`random()`) in SQLite, DuckDB, and PostgreSQL, if
#' it draws them for each row separately and not to choose rows. The value of a row may then differ between tables and
#' between rounds. Guarantees still hold, because each row has one bounded value within a table or round. (SQLite would
#' draw again each time the column is mentioned, which limits in the statements prevent. In PostgreSQL, the function
#' must be volatile, which is the default.) If a random draw produces a missing value, the release may fail. For other
#' databases, write the numbers into a table first, because their behavior is not known.
#'
#' @section Large tables:
#' [private_covariance()], [private_mixture()], [private_pca()], and the rounds of [private_kmeans()] and of
#' [synthesis_topology()] run in R. They read the rows of a database in pieces of 2 MB. A table of at most 2^27 numbers
#' (1 GB) is read once, before the budget is charged, and kept during the release. After that, nothing in the database
#' can fail. The option `dptda.kept_numbers` sets another limit ([dptda-package]). A larger table is read once before
#' the charge and once more in each round, and a synthesis reads its table in each round.
#'
#' A message of class `dptda_message_rows` states the size of a larger table and the number of readings before anything
#' is spent. Rounds do not run on the servers over which a table is spread (`partition`, ClickHouse), and the same
#' message announces that. A random sample of 1,000,000 rows usually gives as good a model: let the database draw it,
#' and store it as a table.
#'
#' The drivers of SQLite, PostgreSQL (`RPostgres`), and DuckDB (with `nanoarrow`), and the package `odbc`, read rows in
#' pieces. Other drivers read all rows at once, and larger tables are then refused.
#'
#' If a query or view chooses its rows at random, the database counts its rows once more for each round, before the
#' charge. A different number of rows is an error. A stored table is not counted again.
#'
#' @section Implementation:
#' `dbplyr` writes the SQL of the given table. Its rows are counted and summed by plain SQL. The map from a row to a
#' cell uses the same arithmetic, in doubles, in memory and in SQL, so rows fall into the same cells. If a database
#' computes differently, the guarantee still holds, because it only requires that each row is mapped separately.
#' @seealso [table_rows()], `vignette("large-data", package = "dptda")`
#' @name database_rows
NULL

is_parquet <- function(x) is_one_string(x) && grepl("\\.parquet$", x, ignore.case = TRUE)

# Opens Parquet files as a lazy table (database-parquet.R). `file`: one file, or several by wildcards.
open_parquet <- function(file, arg) UseMethod("open_parquet")

# Turns matrices of one size, in a list or an array, into a matrix with one row for each. Otherwise NULL.
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

# Reads rows of people (base-people.R). `person` is the name of a column, which is used as data only if `columns` names
# it, or a vector with the person of each row, or a list with one named vector.
read_people <- function(x, columns, person, people, take, partition) UseMethod("read_people")

read_people.default <- function(x, columns, person, people, take, partition) {
  known <- colnames(x)
  if (is_one_string(person) && person %in% known) {
    name <- person
    ids <- if (is.data.frame(x)) .subset2(x, match(person, known)) else x[, person]
    if (is.null(columns)) columns <- setdiff(known, person)
  } else if (is.list(person) && length(person) == 1 && !is.null(names(person))) {
    name <- check_person(names(person))
    ids <- .subset2(person, 1)
  } else {
    name <- unnamed_people()
    ids <- person
  }
  memory_people(read_table(x, columns, "x", partition), ids, name, people, take)
}
