# Reads rows that stay in a database: the names and types of their columns, and the queries sent for them. Nothing is
# written into the database. The queries are in database-counts.R, and the words of each database in database-dialect.R.

uncounted_rows <- function(table, columns, arg, partition = NULL) {
  known <- table_columns(table)
  refuse_groups(table, arg, length(dplyr::group_vars(table)) > 0)
  columns <- check_columns(columns, known, arg)
  check_partition(partition, known, arg)
  rows <- before_rows(database_rows(subquery(table, known), columns, character(), NA_real_, arg, partition), arg)
  refuse_unknown_database(rows)
  rows$given <- rows$table # before a release makes another query of it
  rows$dialect <- asked_dialect(rows)
  rows$types <- before_rows(database_types(rows), arg)
  rows
}

# A condition or join in the query may leave a private number of rows. The message depends on the text of the query
# alone, so a condition inside a view is not detected.
tell_filtered <- function(rows) {
  words <- gsub("'[^']*'|\"[^\"]*\"|`[^`]*`|\\[[^]]*\\]|--[^\n]*|/\\*.*?\\*/", " ", query_words(rows), perl = TRUE)
  words <- gsub("\\bLEFT(\\s+OUTER)?\\s+JOIN\\b", " ", words, ignore.case = TRUE)
  has_word <- function(choices) grepl(paste0("\\b(", choices, ")\\b"), words, ignore.case = TRUE)
  step <- if (has_word("WHERE|HAVING")) {
    "has a condition (filter() or WHERE)"
  } else if (has_word("JOIN|DISTINCT|INTERSECT|EXCEPT")) {
    "may leave out rows (JOIN, DISTINCT, INTERSECT, or EXCEPT)"
  }
  if (is.null(step)) return(invisible())
  people <- !is.null(rows$person_id)
  tell_dptda("filter", "The query of `", rows$arg, "` ", step, ". The number of ",
             if (people) "people" else "rows", " that it leaves is treated as public: it is shown, and noise depends ",
             "on it. If that number depends on private values, ",
             if (people) "give `people`, the number of people with and without such rows." else
               paste("keep all rows and make a column of the condition. Count it by private_count(), or use it as",
                     "groups by `by`. With `person`, give table_rows() the public number of `people` instead."))
}

query_words <- function(rows) as.character(before_rows(dbplyr::remote_query(rows$table), rows$arg))

asked_dialect <- function(rows) {
  dialect <- rows$dialect
  if (is.null(dialect$version) || !dialect$answers) return(dialect)
  answer <- before_rows(DBI::dbGetQuery(dialect$connection, dialect$version[["question"]]), rows$arg)
  refuse_other_words(answer$searched, rows$arg)
  dialect_of_server(dialect, as.character(answer[[1]][1]))
}

# PostgreSQL uses the first schema of its path that has a function, operator, or type. In a schema before its own,
# anyone may have put functions that read other rows. (Temporary schemas are not searched for functions and operators.)
refuse_other_words <- function(searched, arg) {
  if (identical(grep("^pg_temp", searched, value = TRUE, invert = TRUE)[1], "pg_catalog")) return(invisible())
  stop_dptda("database", "The connection of `", arg, "` searches another schema before `pg_catalog`, so functions and ",
             "operators that are not PostgreSQL's own could compute the release. Remove `pg_catalog` from the ",
             "search_path, or put it first.")
}

refuse_unknown_database <- function(rows) {
  if (is.null(rows$dialect$refused) || !rows$dialect$answers) return(invisible())
  stop_dptda("database", "`", rows$arg, "` is in an unsupported database (", rows$dialect$refused,
             "). Read its tables by DuckDB (ATTACH, with the extension of its name) or PostgreSQL (a foreign data ",
             "wrapper).")
}

# A text query as a table, without querying the database for its columns.
table_of_query <- function(query, columns, rows) {
  dplyr::tbl(database_connection(rows), dbplyr::sql(as.vector(query)), vars = columns)
}

table_columns.tbl_lazy <- function(table) {
  require_database_packages()
  before_rows(as.character(dplyr::tbl_vars(table)), "x")
}

# Rows in a database have a lazy `table`, `partition` (the column that spreads them, or NULL), and `dialect`, the words
# of their database (database-dialect.R). Rows that a release reads also have `state`, in which they are queried.
database_rows <- function(table, columns, types, n, arg, partition = NULL) {
  new_rows("dptda_database_rows", columns, types, n, arg, table = table, partition = partition,
           dialect = dialect_of(dbplyr::remote_con(table)))
}

holds_rows.dptda_database_rows <- function(rows) inherits(rows$table, "tbl_lazy") && is.list(rows$dialect)

place_of_rows.dptda_database_rows <- function(rows) paste0("in a database (", class(database_connection(rows))[1], ")")

# Without other columns, the columns that the box names are used.
point_rows.tbl_lazy <- function(x, columns, box, dimension, arg, min_rows) {
  rows <- read_table(x, if (is.null(columns)) box$columns else columns, arg)
  point_rows(rows, NULL, box, dimension, arg, min_rows)
}

point_rows.dptda_database_rows <- function(x, columns, box, dimension, arg, min_rows) {
  rows <- read_table(x, columns, arg)
  if (!is.null(box$columns)) {
    rows <- take_columns(rows, match_names(rows$columns, box$columns, arg, "the columns that the box names"))
  }
  if (length(dimension) && length(rows$columns) != dimension) {
    stop_argument(arg, "must have ", dimension, " column", if (dimension != 1) "s",
                  ", one for each side of the box, not ",
                  length(rows$columns), ". Choose them by `columns`.")
  }
  class_rows(require_rows(rows, min_rows), box$classes)
}

# Reads dates, times, and logical values as numbers, row by row. A database without dates stores the numbers that R's
# drivers write.
class_rows.dptda_database_rows <- function(rows, classes) {
  dialect <- rows$dialect
  for (place in seq_along(rows$types)) {
    type <- rows$types[place]
    class <- class_at(classes, place)
    # a column without a type is read as numbers: other values in it are missing
    if (type == "unknown" && dialect$answers && class %in% c("number", "Date", "POSIXct")) rows$types[place] <- "number"
    if (is.na(class) || type == "unknown" || class != "number" && dialect$number_dates && type %in%
        c("number", "bit")) next
    check_class_type(type, class, column_arg(rows, place))
    rows$types[place] <- number_type(type, dialect, column_arg(rows, place))
  }
  rows
}

number_type <- function(type, dialect, arg) {
  if (type %in% c("Date", "POSIXct") && dialect$number_dates) return("number")
  wanted <- switch(type, logical = "logical number", Date = "date number", POSIXct = "time number", type)
  if (type == "difftime" || wanted != type && is.null(read_word(dialect, wanted))) {
    stop_argument(arg, "holds ", if (type == "logical") "logical values" else class_words(type),
                  ", which cannot be read as numbers in this database. Convert each to a number in the table, ",
                  "separately.")
  }
  wanted
}

# Reads a column of another type as doubles, and keeps missing values. Some databases read constants with a point as
# decimals.
read_word <- function(dialect, type) {
  if (type == "date number") return(dialect$date)
  if (type == "time number") return(dialect$time)
  zero_or_one <- paste0("CASE WHEN ", dialect$logical, " THEN 1.0 WHEN NOT (", dialect$logical, ") THEN 0.0 END")
  if (type == "logical number" && !is.null(dialect$double)) fill_word(dialect$double, zero_or_one)
}

# Keeps the end of a pipe separate from the statement that reads it: after distinct(), some versions of dbplyr write
# SELECT DISTINCT of the cells.
subquery <- function(table, known) {
  if (!is.null(dbplyr::remote_name(table))) return(table)
  name <- rev(make.unique(c(known, "one_row")))[1]
  do.call(dplyr::mutate, c(list(table), structure(list(1L), names = name)))
}

require_database_packages <- function() {
  missing <- Filter(function(name) !requireNamespace(name, quietly = TRUE), c("DBI", "dplyr", "dbplyr"))
  if (length(missing)) {
    stop_dptda("database", "Tables of a database need the package", if (length(missing) > 1) "s", " ",
               paste0("`", missing, "`", collapse = " and "), ".")
  }
}

database_connection <- function(rows) rows$dialect$connection

# ---- types ---------------------------------------------------------------------

# Like value_type(), and "decimal" for numbers that are not doubles and may exceed them, "bit" for integers that may be
# logical values, and "unknown". The query returns no rows.
database_types <- function(rows) {
  dialect <- rows$dialect
  if (!dialect$answers) return(rep("unknown", length(rows$columns)))
  none <- no_rows(rows)
  frame <- dplyr::collect(none)
  types <- vapply(frame, function(x) if (inherits(x, "integer64")) "number" else value_type(x), "", USE.NAMES = FALSE)
  if (dialect$whole_bits) types[vapply(frame, is.integer, NA) & types == "number"] <- "bit"
  if (dialect$weak_logicals) types[types == "logical"] <- "unknown"
  if (is.null(dialect$types)) return(types)
  declared <- declared_types(dialect, none)
  known <- declared %in% names(dialect$types)
  types[known] <- dialect$types[declared[known]]
  other <- which(!types %in% understood_types)
  if (!is.null(dialect$enumerated) && length(other)) {
    types[other[as_words(dialect, none, dialect$enumerated)[other] %in% "e"]] <- "text"
  }
  types
}

# The columns of a query without rows. (Some versions of dbplyr mistake a column called NULL or TRUE for a constant.)
no_rows <- function(rows) utils::head(dplyr::transmute(rows$table, !!!lapply(column_words(rows), dbplyr::sql)), 0)

# The value of `word` for each column of a query without rows.
as_words <- function(dialect, query, word) {
  columns <- vapply(as.character(dplyr::tbl_vars(query)), sql_name, "", dialect)
  none <- paste0("(SELECT ", columns, " FROM (", as.character(dbplyr::remote_query(query)), ") ",
                 fill_word(dialect$quoted, "inner_rows"), ")")
  words <- structure(fill_word(word, none), names = paste0("type", seq_along(columns)))
  question <- paste("SELECT", paste(words, "AS", names(words), collapse = ", "))
  as.character(unlist(DBI::dbGetQuery(dialect$connection, question)))
}

# The database's own names for the types of a query.
declared_types <- function(dialect, query) {
  if (!is.null(dialect$describe)) {
    question <- fill_word(dialect$describe, as.character(dbplyr::remote_query(query)))
    types <- DBI::dbGetQuery(dialect$connection, question)[[2]]
    types <- ifelse(grepl("[]", types, fixed = TRUE), "LIST", sub("^(LowCardinality\\(|Nullable\\()+", "", types))
    return(sub("\\(.*", "", types))
  }
  if (!is.null(dialect$type_of)) return(as_words(dialect, query, dialect$type_of))
  result <- DBI::dbSendQuery(dialect$connection, dbplyr::remote_query(query))
  on.exit(DBI::dbClearResult(result))
  DBI::dbColumnInfo(result)$.typname
}

# ---- words ---------------------------------------------------------------------

# A column, by its name, as a double.
sql_double <- function(name, dialect, type = "number") {
  if (is.null(dialect$double)) {
    stop_dptda("database", "Numbers cannot be read in this database, because its name for doubles is unknown (",
               class(dialect$connection)[1], ").")
  }
  if (type %in% class_types) return(fill_word(read_word(dialect, type), name))
  fill_word(if (type == "decimal" && !is.null(dialect$decimal)) dialect$decimal else dialect$double, name)
}

sql_string <- function(x, dialect) {
  as.character(dbplyr::escape(enc2utf8(x), parens = FALSE, collapse = NULL, con = dialect$connection))
}

# The column at a place: its name, its value as doubles, and whether it is present, which means neither NULL nor NaN,
# wherever the database orders NaN. (Not by `-x`, which does not exist for the smallest integer.)
column_name <- function(rows, place) sql_name(rows$columns[place], rows$dialect)

column_words <- function(rows) structure(lapply(rows$columns, sql_name, rows$dialect), names = rows$columns)

column_double <- function(rows, place) sql_double(column_name(rows, place), rows$dialect, rows$types[place])

column_present <- function(rows, place) {
  if (!is.null(rows$dialect$present)) return(fill_word(rows$dialect$present, column_double(rows, place)))
  if (!is.null(rows$dialect$is_number)) return(fill_word(rows$dialect$is_number, column_name(rows, place)))
  fill_word("(@ <= 0 OR 0.0 - @ <= 0)", column_double(rows, place))
}

# The same for a column that may not hold numbers: a value is present unless it is NULL.
column_there <- function(rows, place) {
  if (rows$types[place] %in% c("number", "decimal", "bit", class_types)) return(column_present(rows, place))
  paste(column_name(rows, place), "IS NOT NULL")
}

# A limit that no table reaches, so that the query below it is computed once. dbplyr 2.6 refuses limits of 2^53 or more.
most_rows <- 2^52

limit_clause <- function(dialect) if (dialect$limits) paste(" LIMIT", sql_integer(most_rows))

# SQLite merges a query into the query that reads it, and computes a column at each mention. A view that draws random
# numbers would draw a new one each time. A limit on both sides keeps the queries apart. PostgreSQL does so by itself if
# the function is volatile.
computed_once <- function(table, rows) if (rows$dialect$anew) utils::head(table, most_rows) else table

# ---- missing values ------------------------------------------------------------

# Replaces missing values in a column, which keeps its type. Text among numbers is also missing.
replace_missing.dptda_database_rows <- function(rows, place, value) {
  # nobody's person is missing, and a computed one is not an integer
  if (identical(rows$columns[place], rows$person_id$name)) return(rows)
  name <- column_name(rows, place)
  type <- rows$types[place]
  dialect <- rows$dialect
  level <- isTRUE(attr(value, "level"))
  if (type == "logical" && (level || is.character(value))) {
    words <- sql_string(c("TRUE", "FALSE"), dialect)
    found <- sql_case(paste(name, "IS NULL"), sql_string(as.vector(value), dialect),
                      sql_case(fill_word(dialect$logical, name), words[1], words[2]))
    type <- "text"
  } else {
    if (level) value <- as.vector(value)
    # integers that may be logical values stay integers
    logical <- type == "bit" && !is.object(value) && as.double(value) %in% c(0, 1)
    numbers <- !logical && !is.object(value) && (type %in% c("number", "decimal", "bit") || is.numeric(value))
    present <- if (numbers) column_present(rows, place) else paste(name, "IS NOT NULL")
    infinite <- is.object(value) && is.infinite(value)
    word <- if (infinite) sql_string(if (value > 0) "infinity" else "-infinity", dialect) else
      if (is.object(value)) as.character(dbplyr::escape(value, con = dialect$connection)) else
      if (is.character(value)) sql_string(value, dialect) else if (logical) sql_integer(value) else
      if (type == "logical") c("FALSE", "TRUE")[1 + value] else sql_number(as.double(value), dialect)
    kept <- if (numbers) column_double(rows, place) else if (type == "text") fill_word(dialect$text, name) else name
    found <- sql_case(present, kept, word)
    if (numbers && type != "unknown") type <- "number"
  }
  # each mention of a randomly drawn column draws it again
  word <- structure(list(dbplyr::sql(found)), names = rows$columns[place])
  rows$table <- before_rows(dplyr::mutate(computed_once(rows$table, rows), !!!word), rows$arg)
  rows$types[place] <- type
  rows
}

# Rows that are left out: for people, only the remaining rows are weighted. Otherwise all rows are counted, and those
# left out get their own cell.
omit_missing.dptda_database_rows <- function(rows) {
  if (is_omitting(rows) && !is.null(rows$person_id)) rows_left(rows) else rows
}

# A query of the rows without a missing value in any column. Their number is unknown, and so is the number of people who
# have any.
rows_left <- function(rows) {
  kept <- unique(c(rows$columns, rows$person_id$name, rows$partition))
  words <- structure(lapply(lapply(kept, sql_name, rows$dialect), dbplyr::sql), names = kept)
  present <- vapply(seq_along(rows$columns), column_there, "", rows = rows)
  # a column that is used twice is computed once
  table <- before_rows(computed_once(dplyr::transmute(rows$table, !!!words), rows), rows$arg)
  rows$table <- dplyr::filter(table, dbplyr::sql(paste(present, collapse = " AND ")))
  rows$complete <- FALSE
  rows
}

# ---- asking ----------------------------------------------------------------------

# Runs code before the database has read rows: an error then concerns the query, and is shown. A later error may quote
# rows.
ask_database <- function(rows, query) ask_statement(rows, written_query(rows, query))

# Sends a query, as text or from dbplyr. Its arguments are evaluated first, because an error in them is not an error of
# the database.
written_query <- function(rows, query) {
  if (is.character(query)) return(dbplyr::sql(query))
  before_rows(dbplyr::remote_query(query), rows$arg)
}

# The same for a query of all rows, which is announced to a database that compiles expressions.
ask_all_rows <- function(rows, query) {
  words <- if (rows$dialect$answers) rows$dialect$compiler
  if (!is.null(words)) {
    word <- words[[if (nchar(written_query(rows, query)) <= longest_compiled) "short" else "long"]]
    before_rows(DBI::dbGetQuery(database_connection(rows), word), rows$arg)
  }
  ask_database(rows, query)
}

# The length, in characters, up to which a statement is short: about ten columns, or cuts without equal spacing.
longest_compiled <- 5000

ask_statement <- function(rows, statement) {
  try_statement(rows, statement)
  read_statement(rows, statement)
}

read_statement <- function(rows, statement) {
  without_errors(rows, suppressMessages(suppressWarnings(DBI::dbGetQuery(database_connection(rows), statement))))
}

# The database's answer about its rows, or an error that does not quote it.
without_errors <- function(rows, code) {
  # RPostgres also reports a time limit by this message
  is_limit <- function(cnd) is_time_limit(cnd) || identical(conditionMessage(cnd), "Interrupted.")
  outcome <- tryCatch(list(answer = code), error = function(cnd) if (is_limit(cnd)) "limit" else "error",
                      interrupt = function(cnd) "interrupt")
  if (is.list(outcome)) return(outcome$answer)
  # a driver turns an interrupt into an error, but R still has it pending, and it must not end the next step
  waiting <- tryCatch({
    Sys.sleep(0.05)
    "error"
  }, interrupt = function(cnd) "interrupt")
  if ("interrupt" %in% c(outcome, waiting)) pass_on_interrupt()
  if (outcome == "limit") pass_on_limit() # whoever tried something else after an error would go on without a limit
  stop_dptda("database", "The database failed while it read the rows of `", rows$arg, "`. Nothing was released, and ",
             rows$spent, ". Its message is not shown, because it may be about a row.")
}

# Queries the columns, without rows.
try_statement <- function(rows, statement) {
  force(statement)
  connection <- database_connection(rows)
  before_rows(DBI::dbGetQuery(connection, dbplyr::sql_query_fields(connection, statement)), rows$arg)
}

before_rows <- function(code, arg) {
  tryCatch(code, error = function(cnd) {
    if (is_time_limit(cnd)) pass_on_limit()
    if (inherits(cnd, "dptda_error")) stop(cnd)
    stop_dptda("database", "The database cannot run the query for `", arg, "`: ", conditionMessage(cnd))
  })
}
