#' Rows of a data frame or of a database table
#'
#' Names the columns of a table, in memory or in a database, from which a release is computed. Every function that
#' counts or sums rows takes such an object, and the table itself just as well, with `columns` given by name. R gets
#' exact counts or sums from a database, and nothing is written there. Releases in several rounds (covariances,
#' principal components, mixtures, k-means by rounds, [synthesis_topology()]) read rows into R, from servers as well;
#' see *Large tables*.
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
#' @param person `NULL`, or who each row belongs to: the name of a column of `x`; or, in memory, a vector of integers,
#'   strings or a factor, one per row, better in a list that names it, `list(patient = id)`. None may be missing. The
#'   guarantee then protects all rows of one person; see *People*.
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
#' If you supply `person`, the privacy unit is a person: all rows of a person together are protected as one row is
#' otherwise. The number of people is public. The number of rows is not, and nothing shows it. A person may have any
#' number of rows, no row is discarded, and the noise is as for a table with one row per person.
#'
#' Estimates are about people: each person has weight one, divided equally among that person's rows. A mean is the mean
#' over people of the means over their rows. A count is the sum over people of the fraction of their rows that count. A
#' sum is the number of people times the mean. (Weights are rounded to multiples of 1/1024, or of one over
#' `privacy(x)$public$weight`, so that they add up to one.) For totals, such as visits, first make one row per person.
#'
#' In a database `person` is the name of a column that the database declares to be of whole numbers or of text, and not
#' one that is computed of random numbers: it is read more than once. People are equal where their text has equal bytes
#' in SQLite and PostgreSQL, whatever the collation of the column, and elsewhere where the database calls them equal.
#' Each statement counts people, and what they weigh together; where that is not what it was when the table was read
#' there is no release and nothing is spent. `partition` cannot be given. Of `rows_of_person = "one"` a few public
#' numbers are drawn in R, from which the database computes, with the number of each person, the row to take: `person`
#' must be of integers. If you filter rows, the number of people left is private. Pass `people`, the number of people
#' with and without rows.
#'
#' All releases take people, some of them one row of each alone, in a database as in memory.
#'
#' **The name of people.** Guarantees and budgets for people tell patients from doctors by a name: the column's, or the
#' name in the list. Names are your word: give one name to the same people only. A vector alone, `visits$patient` or
#' `id`, has no name that proves whose rows it tells apart, so each call of `table_rows()` invents one, and its releases
#' add up only with others from the same `dptda_rows`. To add them up with others, or to charge a budget
#' (`privacy_budget(person = "patient")`), use a column or write `person = list(patient = visits$patient)`.
#'
#' A row that is about two people (a message, a marriage) is protected for the one whose it is alone. One person under
#' two spellings is two people, each of them protected.
#'
#' @section Columns:
#' Numbers, logical values, dates (`Date`), times (`POSIXct`), durations (`difftime`, `hms`) and 64-bit integers are
#' numbers wherever numbers are taken, with a box, breaks or levels of the same kind ([domain_box()] says how each is
#' read); strings, factors and ordered factors are categories. Other classes are refused by an error that names the
#' column. A database gives the same. PostgreSQL: `boolean`, `date`, `timestamp`, `timestamp with time zone`, and an
#' `ENUM` as text. A `timestamp` is in the time zone of the connection (`timezone` of `RPostgres`, by default UTC), as
#' in the table that `collect()` gives. DuckDB: `BOOLEAN`, `DATE`, all kinds of `TIMESTAMP`, and an `ENUM` as text.
#' SQLite has no dates, and a column of numbers is taken for the days or seconds that R's driver writes.
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
#' condition (`dplyr::mutate(people, old = age > 65)`) that [private_count()] counts. A lazy table whose query has a
#' condition (`filter()`, `WHERE`), or a join, `DISTINCT`, `INTERSECT` or `EXCEPT`, which may leave out rows, gives a
#' message of class `dptda_message_filter`. What a view does is not seen. A
#' join may repeat rows, and then one person is no longer one row; of a window function (a rank, a running mean) one row
#' may move all others, and no guarantee holds for what was computed so.
#'
#' A view, or a column of `dplyr::mutate()`, that draws numbers at random (`random()`) may be read in SQLite, DuckDB and
#' PostgreSQL if it draws them for each row by itself and not to choose rows. What one row is taken for may then differ
#' from table to table and from round to round of a release, and guarantees hold all the same: within one of them each
#' row has one value, and is bounded as any other. (SQLite would draw anew at each mention of the column; statements
#' have limits that keep it from doing so. In PostgreSQL the function must be volatile, as it is unless it was declared
#' otherwise.) If a random draw produces a missing value, the release may fail. For other databases this is not known:
#' write the numbers into a table first.
#'
#' Whoever runs R is trusted: the exact counts travel to R, where the noise is added. Each release is computed by one
#' statement, whose cells hold all rows; where that is not the number that there were, or an error ends the statement,
#' there is no release and nothing is spent. ([private_synthesis()], and rounds over a table that R does not keep, ask
#' the database again after the charge. If that fails, the declared budget is spent.) Messages of the database are
#' shown only where they cannot be about a row.
#' All statements of a release see one state of the table where the database has transactions that hold one; elsewhere a
#' release of several rounds says so beforehand, by a message of class `dptda_message_state`.
#'
#' @section Large tables:
#' [private_covariance()], [private_mixture()], [private_pca()], and the rounds of [private_kmeans()] and of
#' [synthesis_topology()] run in R. They read the rows of a database in pieces of 2 MB. A table of at most 2^27 numbers
#' (1 GB) is read once, before the budget is charged, and kept during the release. After that, nothing in the database
#' can fail. The option `dptda.kept_numbers` sets another limit ([dptda-package]). A larger table is read once before
#' the charge and once more in each round, and a synthesis reads its table in each round.
#'
#' A message of class `dptda_message_rows` gives the size of a larger table and the number of readings, before anything
#' is spent. Rounds do not run on the servers over which a table is spread (`partition`, ClickHouse), and the same
#' message tells of that. A random sample of 1,000,000 rows usually gives as good a model: let the database draw it, and
#' store it as a table. The drivers of SQLite, PostgreSQL (`RPostgres`), DuckDB (with `nanoarrow`), and the package
#' `odbc` give rows in pieces. Other drivers read all rows at once, and larger tables are then refused.
#'
#' A query or a view may choose its rows at random. The database counts the rows of such a table once more for each
#' round, before the charge, and another number of rows is an error. A stored table is not counted again.
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
  x <- if (is_parquet(x)) open_parquet(as.vector(x), "x") else dense_matrix(x, "x")
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
  rows <- count_at_once(if (is.null(person)) read_table(x, columns, "x", partition) else
    read_people(x, columns, person, people, take, partition))
  settle_missing(rows, missing)
}

is_parquet <- function(x) is_one_string(x) && grepl("\\.parquet$", x, ignore.case = TRUE)

# A lazy table of Parquet files (database-parquet.R). `file`: one of them, or several by wildcards.
open_parquet <- function(file, arg) UseMethod("open_parquet")

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
# says whose each row is: a vector, or a list of one with its name.
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
