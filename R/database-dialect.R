# Records the words of each database, one record per database. No other code distinguishes databases. To add a database,
# add a record. Missing fields are taken from `standard_sql`, or requested from dbplyr. In words, "@" stands for their
# operand.
#
#   class             of its connections; a record comes before those whose connections are of its class as well
#   refused           what it is called, if nothing is asked of it
#   quoted            a plain name
#   double, decimal   a number as a double: of a column, and of one that may hold decimals beyond the doubles
#   text              a column as text that is compared byte by byte
#   people            whose a row is, of integers and of text, as what is compared; NULL for what is neither
#   order             a column of any type in the order of all that may be seen of it; NULL: by its type
#   count             how many rows there are
#   modulo            what is left of integers: a function of words (x, most)
#   is_number         where a column of numbers may hold other things: that the value is one
#   logical           a column of logical values as a condition
#   date, time        a column of dates as days, and of times as seconds, since 1970-01-01 (UTC) as a double, whatever
#                     the date is; `number_dates`: there are no dates, and columns hold these numbers
#   floor, big        the largest integer below; as a big integer
#   bounded           integers bounded by a word that names them once, where what is absent stays so: a function of
#                     words (x, least, most); `summed`, the same where it may become any number between them
#   apart             what a query ends with that is written into no other one, so that its columns are computed once,
#                     and in as many processes as without it: for speed alone
#   stored            a question that gives 1 if the table of the name "@" (a string) is stored here, and all of its
#                     rows are seen: these are counted with what is asked of them
#   enumerated        a word for one column of a query that gives "e" if its type is an enumeration, which R cannot see
#   version           a `question` for what a server calls itself where others take its connections, and for the schemas
#                     that it searches, in their order; a pattern of its `own` name; others have its words but for these
#   limits            whether a query with a limit is computed by itself, whatever reads from it
#   spread            whether it groups rows where they are only in a query of the table itself, and takes words that
#                     are named before the query (WITH word AS name)
#   anew              whether each mention of a column computes it anew, be it drawn at random
#   encoding          a question for how texts are encoded, where they are in the order of their bytes
#   exact_constants   whether constants of 17 digits are read as they are
#   describe          a question for its own words for the types of the query "@", where the driver does not have them;
#                     or `type_of`, the word for the type of one column of a query, which is asked for no rows
#   number            a constant with a point as a double, where it is a decimal else: a function of words
#   by_column         whether it computes column by column: all that is not far out at once, and cells as integers
#   one_if, cell      1 where a condition holds and 0 elsewhere; the number of a cell as an integer, if not as `big`
#   cell_if           where it is faster if no cell is absent: the number of a cell where a condition holds, else 0,
#                     which is none: a function of words (present, cell)
#   near, moved       where it computes by column: integers not far from 0 to `most` as such, and moved there:
#                     functions of words and a number (x, most)
#   between           the same of doubles that may be anywhere, and NaN to one of the ends: (x, lower, upper)
#   present           that a double is neither NULL nor NaN
#   whole_types       its own words for integers, where R does not tell them apart
#   types             its own words for types that R does not tell apart
#   whole_bits        whether integers may be logical values; `weak_logicals`, whether one may be none
#   pieces            how it hands rows over to R (database-pieces.R): a function of a connection, a statement and the
#                     size of a piece; `streams`, whether no more rows are in R at a time: a function of nothing
#   transactions      whether a release is in a transaction of its own, which holds one state of the rows;
#                     `transaction`, a question for what tells transactions apart, and each statement outside of one,
#                     or a function that says of a connection whether it is in one; `settings`, statements after it
#                     has begun; `compiler`, what is said to it before a `short` statement over all rows and before a
#                     `long` one; `held`, a question that gives 1 where one of the user's holds one state, if it may
#                     not, and `advice`

# How rows reach R: a list of `read`, a function that returns the next rows as a data frame, empty at the end, and
# `close`.
fetched_pieces <- function(connection, statement, size) {
  result <- DBI::dbSendQuery(connection, statement)
  list(read = function() suppressWarnings(DBI::dbFetch(result, size)), close = function() DBI::dbClearResult(result))
}

# DuckDB's driver holds all rows of an answer in R at once, except with Arrow's stream.
has_arrow_stream <- function() {
  is_version <- function(package, version) {
    requireNamespace(package, quietly = TRUE) && utils::packageVersion(package) >= version
  }
  is_version("DBI", "1.2.0") && is_version("duckdb", "1.5.4") && is_version("nanoarrow", "0.5.0")
}

duckdb_pieces <- function(connection, statement, size) {
  if (!has_arrow_stream()) return(fetched_pieces(connection, statement, size))
  # DBI has it since version 1.2.0
  arrow <- function(name) getExportedValue("DBI", name)
  result <- arrow("dbSendQueryArrow")(connection, statement)
  stream <- arrow("dbFetchArrow")(result, chunk_size = size)
  list(read = function() {
    array <- stream$get_next()
    if (is.null(array)) data.frame() else as.data.frame(array)
  }, close = function() {
    stream$release()
    DBI::dbClearResult(result)
  })
}

standard_sql <- list(
  name = "other", refused = NULL, quoted = NULL, double = NULL, decimal = NULL, text = "@", people = NULL,
  order = NULL, count = "COUNT(*)", modulo = function(x, most) paste(x, "%", most), is_number = NULL, logical = "@",
  date = NULL, time = NULL, number_dates = FALSE, floor = NULL,
  big = NULL, bounded = NULL, summed = NULL, apart = NULL, stored = NULL, enumerated = NULL,
  limits = FALSE, spread = FALSE, anew = FALSE, encoding = NULL,
  exact_constants = TRUE, describe = NULL, type_of = NULL,
  number = NULL, by_column = FALSE, near = NULL, moved = NULL, between = NULL, one_if = NULL, cell = NULL,
  cell_if = NULL, present = NULL, whole_types = NULL, types = NULL, whole_bits = FALSE, weak_logicals = FALSE,
  pieces = fetched_pieces, streams = function() FALSE, transactions = FALSE, transaction = NULL,
  settings = character(), compiler = NULL, held = NULL, advice = NULL, version = NULL
)

# Words that are in no schema that somebody else may write into: the grammar's own, those of pg_catalog, and signs
# between types for which pg_catalog has just that sign. The parser prefers a function or a sign of anybody's, of any
# schema of the path, to one for which it would have to turn an argument into another type.
postgres_number <- function(words) paste0("FLOAT '", words, "'")

# A decimal beyond the doubles must not end the statement: it becomes infinite, or zero if it is closer to zero than to
# the smallest double.
postgres_decimal <- paste0(
  "CASE WHEN @ > -1.7976931348623158e308 AND @ < -2.4703282292062328e-324 ",
  "OR @ > 2.4703282292062328e-324 AND @ < 1.7976931348623158e308 ",
  "THEN CAST(@ AS DOUBLE PRECISION) WHEN @ = 'NaN' THEN CAST('NaN' AS DOUBLE PRECISION) ",
  "WHEN @ >= 1.7976931348623158e308 THEN CAST('Infinity' AS DOUBLE PRECISION) ",
  "WHEN @ <= -1.7976931348623158e308 THEN CAST('-Infinity' AS DOUBLE PRECISION) ",
  "WHEN @ IS NOT NULL THEN CAST(0 AS DOUBLE PRECISION) END"
)

# An infinite date has no difference in days, and must not end the statement.
postgres_date <- paste0(
  "CASE WHEN @ = 'infinity' THEN CAST('Infinity' AS DOUBLE PRECISION) WHEN @ = '-infinity' THEN ",
  "CAST('-Infinity' AS DOUBLE PRECISION) ELSE CAST(NULLIF(NULLIF(@, 'infinity'), '-infinity') - DATE '1970-01-01' ",
  "AS DOUBLE PRECISION) END"
)

postgres_time <- paste0(
  "CASE WHEN @ = 'infinity' THEN CAST('Infinity' AS DOUBLE PRECISION) WHEN @ = '-infinity' THEN ",
  "CAST('-Infinity' AS DOUBLE PRECISION) ELSE CAST(EXTRACT(EPOCH FROM @) AS DOUBLE PRECISION) END"
)

# Within a transaction no level may be set, not even the current one.
sqlite_in_transaction <- function(connection) {
  level <- DBI::dbGetQuery(connection, "PRAGMA synchronous")[[1]]
  value_or({
    DBI::dbExecute(connection, paste("PRAGMA synchronous =", level))
    FALSE
  }, TRUE)
}

sqlite_bounded <- function(x, least, most) {
  paste0("MIN(MAX(", x, ", ", sql_integer(least), "), ", sql_integer(most), ")")
}

# A time without a zone is in the zone of the connection, as R's driver reads it. Near the limits of time it is read as
# UTC, because other zones could exceed them.
pq_time <- sub("ELSE CAST(EXTRACT", paste(
  "WHEN @ > '4700-01-01 BC' AND @ < '294000-01-01' THEN",
  "CAST(EXTRACT(EPOCH FROM CAST(@ AS TIMESTAMP WITH TIME ZONE)) AS DOUBLE PRECISION) ELSE CAST(EXTRACT"
), postgres_time, fixed = TRUE)

# To compile the expressions of a query takes longer than to compute them for 10^5 rows, and of a long query for many
# more. Transactions of ours begin without; a short query is compiled where it has 2 * 10^7 rows or so, by the planner's
# costs, if the session does so. In a transaction of the user's nothing was remembered, and nothing changes.
postgres_compiled <- function(setting) {
  paste0("SELECT set_config('jit', ", setting, ", true), ",
         "set_config('jit_above_cost', CASE WHEN CAST(current_setting('jit_above_cost') AS DOUBLE PRECISION) ",
         "BETWEEN FLOAT '0' AND FLOAT '600000' THEN '600000' ELSE current_setting('jit_above_cost') END, true) ",
         "WHERE current_setting('dptda.jit', true) <> ''")
}

# Functions of its own that servers compute for another one, too, as they do not LEAST. One of the user's for other
# types would be nearer to a small constant.
postgres_bounded <- function(x, least, most) {
  paste0("pg_catalog.int8smaller(pg_catalog.int8larger(", x, ", ", sql_integer(least), "), ", sql_integer(most), ")")
}

pq_enumerated <- paste("(SELECT CAST(known.typtype AS TEXT) FROM pg_catalog.pg_type AS known WHERE",
                       "known.oid = CAST(pg_catalog.pg_typeof(@) AS pg_catalog.oid))")

postgres_sql <- list(
  name = "postgres", class = "PostgreSQLConnection", quoted = "\"@\"", double = "CAST(@ AS DOUBLE PRECISION)",
  decimal = postgres_decimal, text = "CAST(@ AS TEXT) COLLATE \"C\"", floor = "FLOOR(@)", big = "CAST(@ AS BIGINT)",
  date = postgres_date, time = postgres_time, limits = TRUE,
  # Its planner takes no query with an offset into another one. (That it is nothing is known to it beforehand where its
  # type is that of an offset, as of this constant: of 0 it would not begin other processes.)
  # neither it nor a part of it is a view, a table elsewhere, or one of which policies show some rows
  stored = paste(
    "SELECT CASE WHEN one.relkind IN ('r', 'm', 'p') AND NOT one.relrowsecurity AND NOT EXISTS (SELECT 1 FROM",
    "pg_catalog.pg_partition_tree(CAST(@ AS pg_catalog.regclass)) AS tree INNER JOIN pg_catalog.pg_class AS part ON",
    "part.oid = CAST(tree.relid AS pg_catalog.oid) WHERE part.relkind NOT IN ('r', 'p')) AND NOT EXISTS (SELECT 1",
    "FROM pg_catalog.pg_inherits AS heir INNER JOIN pg_catalog.pg_class AS part ON part.oid = heir.inhrelid WHERE",
    "heir.inhparent = one.oid AND one.relkind = 'r') THEN 1 ELSE 0 END AS stored FROM pg_catalog.pg_class AS one",
    "WHERE one.oid = CAST(CAST(@ AS pg_catalog.regclass) AS pg_catalog.oid)"
  ),
  apart = " OFFSET '0'", bounded = postgres_bounded, number = postgres_number,
  # of its own COUNT(x), which takes any type, one of anybody's for the type of x would be nearer
  count = "pg_catalog.COUNT(*)", modulo = function(x, most) paste0(x, " % CAST(", most, " AS BIGINT)"),
  version = c(question = paste("SELECT version(), CAST(searched AS TEXT) AS searched FROM",
                               "pg_catalog.unnest(pg_catalog.current_schemas(true)) AS path (searched)"),
              own = "^PostgreSQL [1-9][0-9][.0-9a-z]* (\\([^)]*\\) )?on "),
  # NaN is above all numbers
  present = "@ <= CAST('Infinity' AS DOUBLE PRECISION)",
  # a third faster than CASE
  one_if = "CAST(CAST(@ AS INTEGER) AS DOUBLE PRECISION)",
  encoding = "SHOW server_encoding", transactions = TRUE,
  # when it began; its number would be given to it for that, which servers that only read do not
  transaction = "SELECT CAST(now() AS TEXT) AS begun",
  held = paste("SELECT CASE WHEN current_setting('transaction_isolation') IN ('repeatable read', 'serializable')",
               "THEN 1 ELSE 0 END AS held"),
  advice = " Let its first statement be SET TRANSACTION ISOLATION LEVEL REPEATABLE READ.",
  settings = c("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
               paste("SELECT set_config('dptda.jit', setting, true), set_config(name, 'off', true) FROM pg_settings",
                     "WHERE name = 'jit'")),
  compiler = c(short = postgres_compiled("current_setting('dptda.jit', true)"), long = postgres_compiled("'off'"))
)

# Through the package odbc, whose driver returns logical values as text and decimals as doubles.
postgres_odbc <- utils::modifyList(postgres_sql, list(
  class = "PostgreSQL", type_of = "CAST(pg_typeof(@) AS TEXT)", types = c(
    smallint = "number", integer = "number", bigint = "number", real = "number", "double precision" = "number",
    numeric = "decimal", boolean = "logical", text = "text", "character varying" = "text", character = "text",
    date = "Date", "timestamp without time zone" = "POSIXct", "timestamp with time zone" = "POSIXct",
    interval = "difftime", "time without time zone" = "difftime"
  ), whole_types = c("smallint", "integer", "bigint")
))

duckdb_number <- function(words) paste0(words, ifelse(grepl("e", words), "", "e0"))

# 32-bit integers are faster.
duckdb_near <- function(x, most) paste0("CAST(", x, " AS ", if (most > 2^29) "BIGINT" else "INTEGER", ")")

# Missing values are separated from others before, because this word would move them.
duckdb_moved <- function(x, most) paste0("LEAST(GREATEST(", duckdb_near(x, most), ", 0), ", sql_integer(most), ")")

clickhouse_near <- function(x, most) paste0(if (most > 2^29) "toInt64(" else "toInt32(", x, ")")

# NULL remains NULL, or in later versions is moved to the lower bound, like NaN in all versions.
clickhouse_between <- function(x, lower, upper) paste0("least(greatest(", x, ", ", lower, "), ", upper, ")")

clickhouse_moved <- function(x, most) clickhouse_between(clickhouse_near(x, most), "0", sql_integer(most))

clickhouse_summed <- function(x, least, most) clickhouse_between(x, sql_integer(least), sql_integer(most))

# Grouping by a column that may be NULL takes twice the time.
clickhouse_cell_if <- function(present, cell) {
  all_present <- if (length(present)) paste0("toInt32(", paste(present, collapse = " AND "), ") * ")
  paste0("COALESCE(", all_present, "(", cell, "), 0)")
}

# Types that R's driver converts to others, or that have no single value of R.
duckdb_types <- c(
  TINYINT = "number", SMALLINT = "number", INTEGER = "number", BIGINT = "number", HUGEINT = "number",
  UTINYINT = "number", USMALLINT = "number", UINTEGER = "number", UBIGINT = "number", UHUGEINT = "number",
  FLOAT = "number", DOUBLE = "number", DECIMAL = "number", BOOLEAN = "logical", VARCHAR = "text", ENUM = "text",
  UUID = "text", DATE = "Date", TIMESTAMP = "POSIXct", "TIMESTAMP WITH TIME ZONE" = "POSIXct", TIMESTAMP_S = "POSIXct",
  TIMESTAMP_MS = "POSIXct", TIMESTAMP_NS = "POSIXct", TIME = "difftime", INTERVAL = "difftime", LIST = "LIST",
  STRUCT = "STRUCT", MAP = "MAP", UNION = "UNION", BLOB = "BLOB", BIT = "BIT"
)

duckdb_sql <- list(
  name = "duckdb", class = "duckdb_connection", quoted = "\"@\"", double = "CAST(@ AS DOUBLE)",
  text = "CAST(@ AS VARCHAR) COLLATE \"binary\"", floor = "FLOOR(@)", big = "TRY_CAST(@ AS BIGINT)",
  # EPOCH has no result for an infinite date
  date = paste0("CASE WHEN @ = 'infinity' THEN CAST('Infinity' AS DOUBLE) WHEN @ = '-infinity' THEN ",
                "CAST('-Infinity' AS DOUBLE) ELSE CAST(DATE_DIFF('day', DATE '1970-01-01', @) AS DOUBLE) END"),
  time = paste0("CASE WHEN @ = 'infinity' THEN CAST('Infinity' AS DOUBLE) WHEN @ = '-infinity' THEN ",
                "CAST('-Infinity' AS DOUBLE) ELSE EPOCH(@) END"),
  people = c(whole = "@", text = "CAST(@ AS VARCHAR) COLLATE \"binary\""),
  describe = "DESCRIBE @", types = duckdb_types, whole_types = c("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT",
                                                              "USMALLINT", "UINTEGER"),
  encoding = "SELECT 'UTF8'", present = "@ <= CAST('Infinity' AS DOUBLE)", number = duckdb_number, by_column = TRUE,
  near = duckdb_near, moved = duckdb_moved,
  one_if = "CAST(@ AS INTEGER)", cell = "TRY_CAST(@ AS INTEGER)",
  # one that does not begin ends that of the user
  pieces = duckdb_pieces, streams = has_arrow_stream, transactions = TRUE, transaction = "SELECT txid_current()"
)

sql_dialects <- list(
  list(
    name = "sqlite", class = "SQLiteConnection", quoted = "`@`",
    # It compares an integer beyond 2^53 exactly, and then computes with a double. A column of numbers may hold text,
    # which is above all numbers; it has no NaN.
    double = "CAST(@ AS REAL)", is_number = "TYPEOF(@) IN ('integer', 'real')", text = "@ COLLATE BINARY",
    # a column of any type may hold anything, and all that it holds has an order
    people = c(whole = "CASE WHEN TYPEOF(@) = 'integer' THEN @ END",
               text = "CASE WHEN TYPEOF(@) = 'text' THEN @ END COLLATE BINARY"),
    order = "@ COLLATE BINARY",
    floor = "FLOOR(@)", big = "CAST(@ AS BIGINT)", bounded = sqlite_bounded, limits = TRUE,
    anew = TRUE,
    # some very small constants are read with an error of an ulp
    exact_constants = FALSE, number_dates = TRUE, encoding = "PRAGMA encoding", whole_bits = TRUE,
    weak_logicals = TRUE, streams = function() TRUE, transactions = TRUE,
    transaction = sqlite_in_transaction,
    # neither a view nor a virtual table, which have no page; a temporary one hides others of its name
    stored = paste("SELECT COALESCE(MIN(type = 'table' AND rootpage > 0), 0) AS stored FROM",
                   "(SELECT type, name, rootpage FROM sqlite_master UNION ALL",
                   "SELECT type, name, rootpage FROM sqlite_temp_master) WHERE type IN ('table', 'view') AND",
                   "LOWER('`' || REPLACE(name, '`', '``') || '`') = LOWER(@)")
  ),
  list(name = "redshift", class = "RedshiftConnection"),
  # a connection may return big integers as text
  utils::modifyList(postgres_sql, list(class = "PqConnection", time = pq_time, enumerated = pq_enumerated,
                                   types = c(numeric = "decimal", int8 = "number", interval = "difftime"),
                                   streams = function() TRUE, whole_types = c("int2", "int4", "int8"))),
  postgres_sql,
  postgres_odbc,
  duckdb_sql,
  list(name = "oracle", class = "Oracle", modulo = function(x, most) paste0("MOD(", x, ", ", most, ")"),
       double = "CAST(@ AS BINARY_DOUBLE)", logical = "@ <> 0"),
  # it folds capitals and accents, has logical values and dates of its own, and casts to none of its types of columns
  list(name = "mysql", class = c("MariaDBConnection", "MySQLConnection", "MariaDB", "MySQL"), refused = "MySQL"),
  list(name = "clickhouse", class = "ClickhouseConnection", double = "toFloat64(@)", spread = TRUE, by_column = TRUE,
       text = "toString(@)", # without zeros behind it; of any Enum, which R takes for numbers where there are no rows
       describe = "DESCRIBE TABLE (@)", types = c(Enum8 = "text", Enum16 = "text"),
       big = "toInt64(@)", cell_if = clickhouse_cell_if, bounded = clickhouse_summed,
       # times are those of whole seconds, the last one before
       date = "toFloat64(@)", time = "toFloat64(@)",
       near = clickhouse_near, moved = clickhouse_moved, between = clickhouse_between, summed = clickhouse_summed,
       present = "@ <= CAST('inf' AS Float64)", one_if = "toInt32(@)"),
  list(name = "mssql", class = "Microsoft SQL Server", count = "COUNT_BIG(*)", logical = "@ <> 0")
)

# The dialect of a connection, with the connection itself. `answers`: whether a database can answer. `printers`: of
# expressions (database-sql.R).
dialect_of <- function(connection) {
  known <- Position(function(dialect) inherits(connection, dialect$class), sql_dialects)
  dialect <- standard_sql
  differences <- if (!is.na(known)) sql_dialects[[known]]
  dialect[names(differences)] <- differences
  dialect$connection <- connection
  dialect$answers <- !inherits(connection, "TestConnection")
  ask <- function(word) as.character(dbplyr::translate_sql_(list(call(word, dbplyr::sql("@"))), con = connection))
  if (is.null(dialect$quoted)) dialect$quoted <- sub("one_name", "@", sql_name("one_name", dialect), fixed = TRUE)
  if (is.null(dialect$floor)) dialect$floor <- ask("floor")
  if (is.null(dialect$big)) dialect$big <- ask("as.integer64")
  if (is.null(dialect$people)) dialect$people <- c(whole = "@", text = dialect$text)
  if (is.null(dialect$double)) dialect$double <- known_double(ask("as.double"))
  # the drivers of odbc return rows on request
  if (inherits(connection, "OdbcConnection")) dialect$streams <- function() TRUE
  dialect$printers <- printers_of(dialect)
  dialect
}

# What a server is like that speaks the protocol of another one, or of a version before those that are tried here.
dialect_of_server <- function(dialect, version) {
  if (grepl(dialect$version[["own"]], version)) return(dialect)
  dialect[c("bounded", "apart", "compiler", "stored")] <- list(NULL)
  dialect$count <- standard_sql$count
  dialect$settings <- dialect$settings[1]
  dialect
}

# Decimals are not doubles: they have few digits after the point, or none.
known_double <- function(words) if (!grepl(" AS (NUMERIC|NUMBER|DECIMAL)", words)) words

# A name as the database writes it.
sql_name <- function(column, dialect) as.character(dbplyr::escape(dbplyr::ident(column), con = dialect$connection))
