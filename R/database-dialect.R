# Records the words of each database, one record per database. No other code distinguishes databases. To add a database,
# add a record. Missing fields are taken from `standard_sql`, or requested from dbplyr. In words, "@" stands for their
# operand.
#
#   name              for readers of this file
#   class             class of its connections, or several; the record of a subclass comes first
#   refused           the database's name, if it is refused and gets no queries
#   quoted            a plain name, such as our own names for columns
#   double, decimal   a number as a double: any column, and a column that may hold decimals beyond the doubles
#   text              a column as text that is compared byte by byte
#   people            identifiers of people as they are compared: `whole` for integers, `text` for text; SQL NULL for
#                     other values, if a column may hold some
#   order             a column of any type in an order that distinguishes all visible values; NULL: chosen by type
#   count             number of rows. With words instead of its "*", the number of rows where they are not NULL
#   modulo            remainder of integers: a function of words (x, divisor)
#   is_number         test whether a value is a number, if a column of numbers may hold other values
#   logical           a column of logical values as a condition
#   date, time        a column of dates as days, and of times as seconds, since 1970-01-01 (UTC), as a double for any
#                     date; `number_dates`: the database lacks dates, and columns hold these numbers
#   floor, big        the largest integer that is not above a number; an integer, of any type, as a big integer
#   bounded           integers bounded by an expression that mentions them once and keeps NULL, unless `cell_if` leaves
#                     no NULL: a function of words and two numbers (x, least, most); `summed`, the same if NULL may
#                     become any number between the bounds
#   apart             end of a query that must not be merged into another one. Its columns are then computed once, with
#                     as many processes as without it. For speed alone
#   stored            query that gives 1 if the table named "@" (a string) is stored here and all of its rows are
#                     visible: these are then counted in the query itself
#   enumerated        expression for one column of a query that gives "e" for an enumeration, which R cannot recognize
#   version           `question`: query for the server's own name, as other servers accept its connections, and for the
#                     schemas of its search path, in order; `own`: pattern of its name. Others lose the words that
#                     dialect_of_server() names
#   limits            whether a query with a limit is computed separately from the query that reads it
#   spread            whether rows are grouped on their own servers only in a query of the table itself, with words
#                     named before the query (WITH word AS name)
#   anew              whether each mention of a column computes it again, even if it is drawn at random
#   encoding          query for the encoding of texts, if they are ordered by their bytes
#   exact_constants   whether constants of 17 digits are read exactly
#   describe          query for its own types of the columns of the query "@", if the driver does not return them;
#                     or `type_of`, the expression for the type of one column, in a query without rows
#   number            a constant with a point as a double, if it is a decimal otherwise: a function of words
#   by_column         whether it computes column by column: it bounds values all at once, and cells are integers
#   one_if, cell      1 if a condition holds, otherwise 0; the number of a cell as an integer, if not as `big`
#   cell_if           the number of a cell if all of some conditions hold, otherwise 0, which no cell has, if this is
#                     faster than NULL: a function of words (present, cell)
#   near, moved       with `by_column`: converts integers not far from 0 to `most`, and moves them into that range:
#                     functions of words and a number (x, most)
#   between           the same for doubles of any size, with NaN moved to one of the bounds: (x, lower, upper)
#   present           test that a double is neither NULL nor NaN
#   whole_types       its own names of integer types, if R does not distinguish them
#   types             its own names of types that R does not distinguish
#   whole_bits        whether integers may be logical values; `weak_logicals`, whether logical columns may hold others
#   pieces            hands rows over to R (database-pieces.R): a function of a connection, a statement and the
#                     size of a piece; `streams`, a function without arguments: whether R holds one piece at a time
#   transactions      whether a release has its own transaction, which holds one state of the rows;
#                     `transaction`, a query that distinguishes transactions, and each statement outside of one,
#                     or a function that returns whether a connection is in one; `settings`, statements after its
#                     start; `compiler`, statements before a `short` query over all rows and before a `long` one;
#                     `held`, a query that gives 1 if the user's transaction holds one state, if it might not,
#                     and `advice`

# Rows reach R by a list of `read`, a function that returns the next rows as a data frame, empty at the end, and
# `close`.
fetched_pieces <- function(connection, statement, size) {
  result <- DBI::dbSendQuery(connection, statement)
  list(read = function() suppressWarnings(DBI::dbFetch(result, size)), close = function() DBI::dbClearResult(result))
}

# DuckDB's driver holds all rows of a result in R at once, except with Arrow's stream.
has_arrow_stream <- function() {
  is_version <- function(package, version) {
    requireNamespace(package, quietly = TRUE) && utils::packageVersion(package) >= version
  }
  is_version("DBI", "1.2.0") && is_version("duckdb", "1.5.4") && is_version("nanoarrow", "0.5.0")
}

duckdb_pieces <- function(connection, statement, size) {
  if (!has_arrow_stream()) return(fetched_pieces(connection, statement, size))
  # DBI has exported these functions since version 1.2.0
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
  order = NULL, count = "COUNT(*)", modulo = function(x, divisor) paste(x, "%", divisor), is_number = NULL,
  logical = "@", date = NULL, time = NULL, number_dates = FALSE, floor = NULL,
  big = NULL, bounded = NULL, summed = NULL, apart = NULL, stored = NULL, enumerated = NULL,
  limits = FALSE, spread = FALSE, anew = FALSE, encoding = NULL,
  exact_constants = TRUE, describe = NULL, type_of = NULL,
  number = NULL, by_column = FALSE, near = NULL, moved = NULL, between = NULL, one_if = NULL, cell = NULL,
  cell_if = NULL, present = NULL, whole_types = NULL, types = NULL, whole_bits = FALSE, weak_logicals = FALSE,
  pieces = fetched_pieces, streams = function() FALSE, transactions = FALSE, transaction = NULL,
  settings = character(), compiler = NULL, held = NULL, advice = NULL, version = NULL
)

# Uses only words that other users cannot redefine: grammar, pg_catalog, and operators between types for which
# pg_catalog has exactly that operator. The parser prefers any user's function or operator in the search path to one
# that needs a conversion of an argument.
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

# An infinite date cannot be subtracted from another one, and must not end the statement.
postgres_date <- paste0(
  "CASE WHEN @ = 'infinity' THEN CAST('Infinity' AS DOUBLE PRECISION) WHEN @ = '-infinity' THEN ",
  "CAST('-Infinity' AS DOUBLE PRECISION) ELSE CAST(NULLIF(NULLIF(@, 'infinity'), '-infinity') - DATE '1970-01-01' ",
  "AS DOUBLE PRECISION) END"
)

postgres_time <- paste0(
  "CASE WHEN @ = 'infinity' THEN CAST('Infinity' AS DOUBLE PRECISION) WHEN @ = '-infinity' THEN ",
  "CAST('-Infinity' AS DOUBLE PRECISION) ELSE CAST(EXTRACT(EPOCH FROM @) AS DOUBLE PRECISION) END"
)

# SQLite refuses to set a level within a transaction, even the current one.
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

# Compiling the expressions of a query takes longer than computing them for 10^5 rows, and for a long query, many more.
# Our transactions begin without compilation. A short query is compiled from about 2 * 10^7 rows, by the planner's
# costs, if the session compiles. In the user's transaction `dptda.jit` is unset, and nothing changes.
postgres_compiled <- function(setting) {
  paste0("SELECT set_config('jit', ", setting, ", true), ",
         "set_config('jit_above_cost', CASE WHEN CAST(current_setting('jit_above_cost') AS DOUBLE PRECISION) ",
         "BETWEEN FLOAT '0' AND FLOAT '600000' THEN '600000' ELSE current_setting('jit_above_cost') END, true) ",
         "WHERE current_setting('dptda.jit', true) <> ''")
}

# Uses the server's own functions, which may run on a foreign server, unlike LEAST. A user's function for other types
# would match a small constant more closely.
postgres_bounded <- function(x, least, most) {
  paste0("pg_catalog.int8smaller(pg_catalog.int8larger(", x, ", ", sql_integer(least), "), ", sql_integer(most), ")")
}

pq_enumerated <- paste("(SELECT CAST(known.typtype AS TEXT) FROM pg_catalog.pg_type AS known WHERE",
                       "known.oid = CAST(pg_catalog.pg_typeof(@) AS pg_catalog.oid))")

postgres_sql <- list(
  name = "postgres", class = "PostgreSQLConnection", quoted = "\"@\"", double = "CAST(@ AS DOUBLE PRECISION)",
  decimal = postgres_decimal, text = "CAST(@ AS TEXT) COLLATE \"C\"", floor = "FLOOR(@)", big = "CAST(@ AS BIGINT)",
  date = postgres_date, time = postgres_time, limits = TRUE,
  # The planner does not merge a query with an offset into another one. (It recognizes a zero offset in advance if the
  # constant has the type of an offset, as '0' has here. With the integer 0 it would not start parallel processes.)
  # `stored`: neither the table nor a part of it is a view, a foreign table, or under row security
  stored = paste(
    "SELECT CASE WHEN one.relkind IN ('r', 'm', 'p') AND NOT one.relrowsecurity AND NOT EXISTS (SELECT 1 FROM",
    "pg_catalog.pg_partition_tree(CAST(@ AS pg_catalog.regclass)) AS tree INNER JOIN pg_catalog.pg_class AS part ON",
    "part.oid = CAST(tree.relid AS pg_catalog.oid) WHERE part.relkind NOT IN ('r', 'p')) AND NOT EXISTS (SELECT 1",
    "FROM pg_catalog.pg_inherits AS heir INNER JOIN pg_catalog.pg_class AS part ON part.oid = heir.inhrelid WHERE",
    "heir.inhparent = one.oid AND one.relkind = 'r') THEN 1 ELSE 0 END AS stored FROM pg_catalog.pg_class AS one",
    "WHERE one.oid = CAST(CAST(@ AS pg_catalog.regclass) AS pg_catalog.oid)"
  ),
  apart = " OFFSET '0'", bounded = postgres_bounded, number = postgres_number,
  # COUNT(x) takes any type, so a user's COUNT for the type of x would match more closely
  count = "pg_catalog.COUNT(*)", modulo = function(x, divisor) paste0(x, " % CAST(", divisor, " AS BIGINT)"),
  version = c(question = paste("SELECT version(), CAST(searched AS TEXT) AS searched FROM",
                               "pg_catalog.unnest(pg_catalog.current_schemas(true)) AS path (searched)"),
              own = "^PostgreSQL [1-9][0-9][.0-9a-z]* (\\([^)]*\\) )?on "),
  # NaN is larger than all numbers
  present = "@ <= CAST('Infinity' AS DOUBLE PRECISION)",
  # a third faster than CASE
  one_if = "CAST(CAST(@ AS INTEGER) AS DOUBLE PRECISION)",
  encoding = "SHOW server_encoding", transactions = TRUE,
  # its start. Its number would have to be assigned first, which read-only servers refuse
  transaction = "SELECT CAST(now() AS TEXT) AS begun",
  held = paste("SELECT CASE WHEN current_setting('transaction_isolation') IN ('repeatable read', 'serializable')",
               "THEN 1 ELSE 0 END AS held"),
  advice = " Let its first statement be SET TRANSACTION ISOLATION LEVEL REPEATABLE READ.",
  settings = c("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
               paste("SELECT set_config('dptda.jit', setting, true), set_config(name, 'off', true) FROM pg_settings",
                     "WHERE name = 'jit'")),
  compiler = c(short = postgres_compiled("current_setting('dptda.jit', true)"), long = postgres_compiled("'off'"))
)

# PostgreSQL through the package odbc, whose driver returns logical values as text and decimals as doubles.
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

# Missing values are separated before, because LEAST and GREATEST would replace them.
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

# Types that R's driver converts to others, or that do not fit a single value of R.
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
  # EPOCH fails for an infinite date
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
  # a transaction that fails to begin would end the user's transaction
  pieces = duckdb_pieces, streams = has_arrow_stream, transactions = TRUE, transaction = "SELECT txid_current()"
)

sql_dialects <- list(
  list(
    name = "sqlite", class = "SQLiteConnection", quoted = "`@`",
    # SQLite compares an integer beyond 2^53 exactly, but computes with a double. A column of numbers may hold text,
    # which is larger than all numbers. NaN does not exist.
    double = "CAST(@ AS REAL)", is_number = "TYPEOF(@) IN ('integer', 'real')", text = "@ COLLATE BINARY",
    # a column of any type may hold any value, and all values have an order
    people = c(whole = "CASE WHEN TYPEOF(@) = 'integer' THEN @ END",
               text = "CASE WHEN TYPEOF(@) = 'text' THEN @ END COLLATE BINARY"),
    order = "@ COLLATE BINARY",
    floor = "FLOOR(@)", big = "CAST(@ AS BIGINT)", bounded = sqlite_bounded, limits = TRUE,
    anew = TRUE,
    # some very small constants are read with an error of an ulp
    exact_constants = FALSE, number_dates = TRUE, encoding = "PRAGMA encoding", whole_bits = TRUE,
    weak_logicals = TRUE, streams = function() TRUE, transactions = TRUE,
    transaction = sqlite_in_transaction,
    # views and virtual tables do not count: they lack a page. A temporary table hides others of its name
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
  list(name = "oracle", class = "Oracle", modulo = function(x, divisor) paste0("MOD(", x, ", ", divisor, ")"),
       double = "CAST(@ AS BINARY_DOUBLE)", logical = "@ <> 0"),
  # MySQL folds capitals and accents, has its own logical values and dates, and cannot cast to the types of its columns
  list(name = "mysql", class = c("MariaDBConnection", "MySQLConnection", "MariaDB", "MySQL"), refused = "MySQL"),
  list(name = "clickhouse", class = "ClickhouseConnection", double = "toFloat64(@)", spread = TRUE, by_column = TRUE,
       text = "toString(@)", # without zeros behind it; of any Enum, which R takes for numbers where there are no rows
       describe = "DESCRIBE TABLE (@)", types = c(Enum8 = "text", Enum16 = "text"),
       big = "toInt64(@)", cell_if = clickhouse_cell_if, bounded = clickhouse_summed,
       # times are truncated to the whole second before
       date = "toFloat64(@)", time = "toFloat64(@)",
       near = clickhouse_near, moved = clickhouse_moved, between = clickhouse_between, summed = clickhouse_summed,
       present = "@ <= CAST('inf' AS Float64)", one_if = "toInt32(@)"),
  list(name = "mssql", class = "Microsoft SQL Server", count = "COUNT_BIG(*)", logical = "@ <> 0")
)

# Returns the dialect of a connection, with the connection. `answers`: whether it is a real database. `printers`:
# printers of expressions (database-sql.R).
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

# Adapts a dialect to a server that only shares its protocol, or to a version older than those tested.
dialect_of_server <- function(dialect, version) {
  if (grepl(dialect$version[["own"]], version)) return(dialect)
  dialect[c("bounded", "apart", "compiler", "stored")] <- list(NULL)
  dialect$count <- standard_sql$count
  dialect$settings <- dialect$settings[1]
  dialect
}

# Decimals are not doubles: they have few digits or no digits after the point.
known_double <- function(words) if (!grepl(" AS (NUMERIC|NUMBER|DECIMAL)", words)) words

# A name as the database writes it.
sql_name <- function(column, dialect) as.character(dbplyr::escape(dbplyr::ident(column), con = dialect$connection))
